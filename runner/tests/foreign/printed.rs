//! The kernels that the manual prints: each is built as it is printed, by the checker and by a compiler.

use std::{collections::BTreeSet, path::Path, process::Command};

use checker::{Checker, Rule, Verdict, diagnostic::Severity};
use expectations::{
    case_id::CaseId,
    dialect::{Dialect, Language},
    rule::Expectation,
};
use generator::suite::Suite;
use libtest_mimic::Failed;
use rayon::prelude::*;
use reports::{questions, upstream};
use runner::device::checker::checker_dialect;

use crate::support::{CLANG, Test, ensure};

pub(crate) const TESTS: [Test; 2] = [
    Test { name: "printed/kernels_break_what_their_cases_break", needs: &[], run: by_the_checker },
    Test {
        name: "printed/kernels_are_to_clang_what_their_cases_are",
        needs: &[CLANG],
        run: by_clang,
    },
];

/// A kernel on a page.
struct Printed {
    page: String,
    /// The case it shows; programs of baseline entries have none, and are valid.
    id: Option<String>,
    dialect: Dialect,
    source: String,
}

/// Every kernel on the pages below `docs` and on the first page, except for those of causes and of questions:
/// `agreement` compares them with the checker, from their tables, and `engine questions` compares the latter with
/// devices.
fn printed() -> Vec<Printed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut pages = vec![root.join("README.md")];
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md")
                && !path.ends_with(upstream::PAGE)
                && !path.ends_with(questions::PAGE)
            {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages.iter().flat_map(|page| printed_on(page)).collect()
}

/// The id, or the dialect, of a kernel is in one of the two lines before it.
fn printed_on(page: &Path) -> Vec<Printed> {
    let text = std::fs::read_to_string(page).unwrap();
    let mut kernels = Vec::new();
    let mut before = "";
    let mut parts = text.split("```");
    while let (Some(prose), Some(block)) = (parts.next(), parts.next()) {
        before = if prose.trim().is_empty() { before } else { prose };
        let Some(source) = block.strip_prefix("c\n").filter(|source| source.contains("kernel "))
        else {
            continue;
        };
        let lines = before.lines().rev().filter(|line| !line.trim().is_empty()).take(2);
        // A pattern of several cases is the id of none, a command has no id, and what is left of a random program is
        // no longer that program.
        let is_id = |word: &&str| {
            let id = CaseId::new(word);
            id.is_whole() && !id.is_random() && !word.contains(['*', ' '])
        };
        let id = lines.flat_map(|line| line.split('`')).find(is_id);
        let named = id.map(|id| CaseId::new(id).dialect());
        let named = named.or_else(|| before.split_whitespace().last()?.strip_suffix(':'));
        let page = page.display().to_string();
        let dialect = named.and_then(Dialect::from_name);
        let dialect =
            dialect.unwrap_or_else(|| panic!("{page}: of which dialect is this?\n{source}"));
        kernels.push(Printed {
            page,
            id: id.map(str::to_owned),
            dialect,
            source: source.to_owned(),
        });
    }
    kernels
}

/// No kernel for which this gives a message.
fn none(of: &[Printed], wrong: impl Fn(&Printed) -> Option<String> + Sync) -> Result<(), Failed> {
    ensure(of.len() > 500, || format!("only {} kernels are found", of.len()))?;
    let wrong: Vec<String> = of
        .par_iter()
        .filter_map(|kernel| {
            let Printed { page, id, source, .. } = kernel;
            wrong(kernel).map(|message| format!("{page}: {id:?}: {message}\n{source}"))
        })
        .collect();
    ensure(wrong.is_empty(), || format!("{} of {}\n{}", wrong.len(), of.len(), wrong.join("\n")))
}

fn by_the_checker() -> Result<(), Failed> {
    let suite = Suite::embedded().unwrap();
    let mut of_c = printed();
    of_c.retain(|kernel| kernel.dialect.language == Language::OpenclC);
    none(&of_c, |kernel| {
        let case = kernel.id.as_deref().map(|id| suite.case(id).unwrap());
        let requirements = case.as_ref().map_or(&[][..], |case| &case.requirements);
        let broken = case.as_ref().and_then(|case| match suite.expectation(case) {
            Expectation::Reject { breaks } => Some(breaks.as_str()),
            // The checker accepts what the text leaves open.
            Expectation::Accept | Expectation::Disputed { .. } => None,
        });
        let mut checker = Checker::new(checker_dialect(kernel.dialect, requirements));
        let report = checker.check("printed.cl", &kernel.source);
        let errors = report.diagnostics.iter().filter(|said| said.severity >= Severity::Error);
        let said: BTreeSet<&str> =
            errors.map(|said| said.rule.map_or("not understood", Rule::id)).collect();
        let is_right = match broken {
            Some(rule) => said.iter().copied().eq([rule]),
            None => report.verdict == Verdict::Accepted,
        };
        (!is_right).then(|| format!("breaks {broken:?}, the checker says {said:?}"))
    })
}

/// The compiler gives the same answer for a printed kernel as for the case: only the prefixes were left out.
fn by_clang() -> Result<(), Failed> {
    let suite = Suite::embedded().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let accepts = |dialect: Dialect, source: &str, name: &str| {
        let file = folder.path().join(format!("{name}.cl"));
        std::fs::write(&file, source).unwrap();
        let fixed = ["-cc1", "-triple", "spir64", "-finclude-default-header"];
        let fixed = fixed.into_iter().chain(["-fdeclare-opencl-builtins", "-fsyntax-only"]);
        let standard = dialect.std_option();
        Command::new("clang-19")
            .args(fixed)
            .arg(standard)
            .arg(file)
            .output()
            .unwrap()
            .status
            .success()
    };
    none(&printed(), |kernel| {
        let case = suite.case(kernel.id.as_deref()?).unwrap();
        let name = format!("{:?}", std::thread::current().id());
        let [printed, whole] = [&kernel.source, &suite.render(&case).unwrap().source]
            .map(|source| accepts(kernel.dialect, source, &name));
        (printed != whole).then(|| format!("accepted is {printed}, and {whole} of the case"))
    })
}
