//! Several cases as one program, and the attribution of a log's lines to them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use expectations::{dialect::Language, evidence::Evidence};
use regex::{Captures, Regex};

use super::{
    complaint::{OWN_SYMBOL, QUOTED, is_failure_of_compiler, library_names},
    linker_log::missing_symbols,
};
use crate::device::BuildAnswer;

/// Name of a case's file in the excerpts of logs.
const CASE_FILE: &str = "kernel.cl";

/// A declaration between two cases. A front end that skips to the end of a declaration after an error skips this one,
/// and nothing of the next case.
const SEPARATOR: &str = "void end_of_case(void);\n";

/// A program that several cases share.
pub(super) struct Program {
    pub(super) text: String,
    /// The physical line of each case's `#line`, from 1.
    starts: Vec<u32>,
    /// Number of lines of each case.
    lengths: Vec<u32>,
}

/// Returns the one program that a batch of these sources is built as.
pub fn as_one_program<'s>(
    language: Language,
    sources: impl IntoIterator<Item = &'s str>,
) -> String {
    Program::of(language, sources).text
}

/// Way in which a device's log names places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attribution {
    /// By the names and numbers of `#line`.
    Names,
    /// By the lines of the whole program.
    Physical,
    /// Not at all.
    Nothing,
}

/// Errors of a log against one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Blame {
    /// The evidence that the errors are about this case.
    pub(super) evidence: Evidence,
    /// Lines of the case with an error, ascending.
    pub(super) lines: Vec<u32>,
    /// The part of the log that has the errors.
    pub(super) log: String,
}

impl Blame {
    const fn new(evidence: Evidence) -> Self {
        Self { evidence, lines: Vec::new(), log: String::new() }
    }
}

impl Program {
    /// Returns the program of sources, one of which stands alone where the language joins none.
    pub(super) fn of<'s>(language: Language, sources: impl IntoIterator<Item = &'s str>) -> Self {
        let mut sources = sources.into_iter().peekable();
        match sources.peek() {
            Some(source) if !language.joins_programs() => Self::alone(language, source),
            _ => Self::new(sources),
        }
    }

    /// Returns the program of one source.
    pub(super) fn alone(language: Language, source: &str) -> Self {
        if language.joins_programs() {
            return Self::new([source]);
        }
        // Nothing stands before its first line.
        let lengths = vec![source.lines().count() as u32];
        Self { text: source.to_owned(), starts: vec![0], lengths }
    }

    /// Puts `sources` one after the other, each under a name of its own and separated from the next.
    pub(super) fn new<'s>(sources: impl IntoIterator<Item = &'s str>) -> Self {
        let mut program = Self { text: String::new(), starts: Vec::new(), lengths: Vec::new() };
        let mut line = 1;
        for (index, source) in sources.into_iter().enumerate() {
            if index > 0 {
                program.text.push_str(SEPARATOR);
                line += 1;
            }
            program.starts.push(line);
            program.text.push_str(&format_line_directive(index));
            program.text.push_str(source);
            if !source.ends_with('\n') {
                program.text.push('\n');
            }
            let length = source.lines().count() as u32;
            program.lengths.push(length);
            line += 1 + length;
        }
        program
    }

    /// Returns the number of cases.
    pub(super) const fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Returns the case that a `#line` names so.
    pub(super) fn case_named(&self, file: &str) -> Option<usize> {
        let case = file.strip_prefix('c')?.parse().ok()?;
        (case < self.len()).then_some(case)
    }

    /// Returns the errors of `log` at places within each case, by index into the sources.
    pub(super) fn blame(&self, log: &str, attribution: Attribution) -> BTreeMap<usize, Blame> {
        let mut blames: BTreeMap<usize, Blame> = BTreeMap::new();
        // Notes, quoted lines and carets belong to the error above them.
        let mut current = None;
        for line in log.lines() {
            if SUMMARY.is_match(line) {
                current = None;
            }
            if let Some(diagnostic) = DIAGNOSTIC.captures(line) {
                match severity(&diagnostic) {
                    Severity::Error if is_failure_of_compiler(line) => current = None,
                    Severity::Error => {
                        current = self.place(&diagnostic, attribution);
                        if let Some((case, error_line)) = current {
                            let blame = blames.entry(case);
                            let blame = blame.or_insert_with(|| Blame::new(Evidence::Line));
                            blame.lines.push(error_line);
                        }
                    }
                    Severity::Warning => current = None,
                    Severity::Note => {}
                }
            }
            if let Some((case, _)) = current
                && let Some(blame) = blames.get_mut(&case)
            {
                blame.log.push_str(&self.in_case(line, attribution));
                blame.log.push('\n');
            }
        }
        for blame in blames.values_mut() {
            blame.lines.sort_unstable();
            blame.lines.dedup();
        }
        blames
    }

    /// Returns the errors of a linker or assembler about symbols that only one case declares, by index into the
    /// sources.
    pub(super) fn blame_by_symbols(&self, log: &str) -> BTreeMap<usize, Blame> {
        let mut blames: BTreeMap<usize, Blame> = BTreeMap::new();
        for missing in missing_symbols(log) {
            let Some(case) = self.only_case_with(missing.symbol) else { continue };
            let blame = blames.entry(case).or_insert_with(|| Blame::new(Evidence::Symbol));
            blame.log.push_str(missing.line);
            blame.log.push('\n');
        }
        blames
    }

    /// Whether a front end rejects the program without an error that speaks of any of its cases. A linker's error about
    /// a function of the library speaks of a case that is built alone and calls that function.
    pub(super) fn is_rejected_without_evidence(
        &self,
        answer: &BuildAnswer,
        attribution: Attribution,
    ) -> bool {
        let misses_library = || {
            let mut missing = missing_symbols(&answer.log).map(|missing| missing.symbol);
            let is_called = |symbol| library_names(symbol).any(|name| self.has_identifier(name));
            self.lengths.len() == 1 && missing.any(is_called)
        };
        answer.is_front_ends_rejection()
            && self.blame(&answer.log, attribution).is_empty()
            && self.blame_by_symbols(&answer.log).is_empty()
            && !misses_library()
    }

    /// Whether a whole identifier of the program has this name.
    fn has_identifier(&self, name: &str) -> bool {
        let ends_identifier = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        self.text.split(ends_identifier).any(|identifier| identifier == name)
    }

    /// Returns the cases that `log` mentions, by the place of an error or by a name that is declared only in them;
    /// if it mentions none in this way, those that use a function of the library that it names. A mention is not
    /// evidence: it only selects the cases to look at first.
    pub(super) fn mentioned(&self, log: &str) -> BTreeSet<usize> {
        let mut cases: BTreeSet<usize> = self.blame(log, Attribution::Names).into_keys().collect();
        let names = complaints(log).flat_map(|line| OWN_SYMBOL.find_iter(line));
        let names: BTreeSet<&str> = names.map(|name| name.as_str()).collect();
        cases.extend(names.into_iter().filter_map(|name| self.case_of(name)));
        if cases.is_empty() {
            let names: BTreeSet<&str> = complaints(log).flat_map(library_names).collect();
            for name in names {
                let uses = self.text.match_indices(name);
                cases.extend(uses.filter_map(|(offset, _)| self.case_at(offset)));
            }
        }
        cases
    }

    /// Returns the case that declares a symbol, where its name has the beginning of a case's own names and no other
    /// case has that beginning.
    pub(super) fn only_case_with(&self, symbol: &str) -> Option<usize> {
        let mut names = OWN_SYMBOL.find_iter(symbol);
        let name = names.next()?.as_str();
        if names.any(|other| other.as_str() != name) {
            return None;
        }
        let places = self.text.match_indices(name);
        let mut cases = places.map(|(offset, _)| self.case_at(offset));
        let case = cases.next()??;
        cases.all(|other| other == Some(case)).then_some(case)
    }

    /// Returns the case that declares a name with the prefix of the case's own names.
    fn case_of(&self, name: &str) -> Option<usize> {
        self.text.find(name).and_then(|offset| self.case_at(offset))
    }

    /// Returns the case whose text contains an offset of the program's text.
    fn case_at(&self, offset: usize) -> Option<usize> {
        let line = 1 + self.text[..offset].matches('\n').count() as u32;
        self.starts.partition_point(|&start| start <= line).checked_sub(1)
    }

    /// Returns the case, and its line, that a diagnostic names.
    fn place(&self, diagnostic: &Captures<'_>, attribution: Attribution) -> Option<(usize, u32)> {
        let named =
            |names: &[&str]| names.iter().find_map(|name| Some(diagnostic.name(name)?.as_str()));
        let file = named(&["file", "late_file"]);
        let line = named(&["line", "late_line", "only_line"])?.parse().ok()?;
        match attribution {
            Attribution::Names => {
                let digits = file?.rsplit('/').next()?.strip_prefix('c')?;
                self.within(digits.parse().ok()?, line)
            }
            Attribution::Physical if file.is_some_and(is_header) => None,
            Attribution::Physical => {
                let case = self.starts.partition_point(|&start| start <= line).checked_sub(1)?;
                self.within(case, line - self.starts[case])
            }
            Attribution::Nothing => None,
        }
    }

    /// Returns the case and its line, where it has such a line. A case alone may renumber its lines.
    fn within(&self, case: usize, line: u32) -> Option<(usize, u32)> {
        let last = match self.lengths[..] {
            [_] => u32::MAX,
            _ => *self.lengths.get(case)?,
        };
        (case < self.lengths.len() && (1..=last).contains(&line)).then_some((case, line))
    }

    /// Returns a line of a log with the places that it would have if the case had been built alone from a file.
    fn in_case(&self, line: &str, attribution: Attribution) -> String {
        match attribution {
            Attribution::Names => NAME.replace_all(line, format!("{CASE_FILE}:")).into_owned(),
            Attribution::Physical => {
                let replaced = PLACE.replace(line, |place: &Captures<'_>| {
                    if is_header(&place["file"]) {
                        return place[0].to_owned();
                    }
                    let physical: u32 = place["line"].parse().unwrap_or(0);
                    let case =
                        self.starts.partition_point(|&start| start <= physical).saturating_sub(1);
                    format!("{CASE_FILE}:{}:", physical.saturating_sub(self.starts[case]))
                });
                replaced.into_owned()
            }
            Attribution::Nothing => line.to_owned(),
        }
    }
}

/// Returns the lines of a log without warnings and the source quoted below them, because warnings name valid cases too.
fn complaints(log: &str) -> impl Iterator<Item = &str> {
    let mut is_of_warning = false;
    log.lines().filter(move |line| {
        if let Some(diagnostic) = DIAGNOSTIC.captures(line) {
            is_of_warning = match severity(&diagnostic) {
                Severity::Error => false,
                Severity::Warning => true,
                Severity::Note => is_of_warning,
            };
        } else if !QUOTED.is_match(line) {
            is_of_warning = false;
        }
        !is_of_warning
    })
}

/// Returns whether a file is the device's own header, which has lines of its own.
fn is_header(file: &str) -> bool {
    file.strip_suffix(".h").is_some()
}

fn format_line_directive(index: usize) -> String {
    format!("#line 1 \"c{index:05}\"\n")
}

/// `file:line:column: error: ...` as clang prints it, `error: file:line:column: ...` as `PoCL` does, `error: line 3: ...`
/// as `spirv-val` does, or `error: 3: 1: ...` as `spirv-as` does.
static DIAGNOSTIC: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:(?<file>[^\s:][^:]*):(?<line>\d+):\d+: (?<severity>fatal error|error|warning|note|remark): |(?<early_severity>fatal error|error|warning|note|remark): (?<late_file>[^\s:][^:]*):(?<late_line>\d+):\d+|error: (?:line )?(?<only_line>\d+): )",
    )
});

/// Counts over the whole program, which a case built alone would not have.
static SUMMARY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:\d+ (?:errors?|warnings?)\b.*generated|Device .* failed to build|Compilation |Error executing LLVM|Build failed|Command was: )",
    )
});

static NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r"\bc\d{5}:"));

static PLACE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?<file>[^\s:][^:]*):(?<line>\d+):"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is constant and tested")
}

enum Severity {
    Error,
    Warning,
    Note,
}

fn severity(diagnostic: &Captures<'_>) -> Severity {
    let named = diagnostic.name("severity").or_else(|| diagnostic.name("early_severity"));
    match named.map(|severity| severity.as_str()) {
        Some("note") => Severity::Note,
        Some("warning" | "remark") => Severity::Warning,
        _ => Severity::Error,
    }
}

#[cfg(test)]
mod tests {
    use expectations::outcome::Phase;

    use super::*;
    use crate::device::BuildStatus;

    fn blame(log: &str, attribution: Attribution) -> Vec<(usize, Vec<u32>, String)> {
        let program = Program::new(["one\ntwo\n", "three\n", "four\nfive"]);
        let blames = program.blame(log, attribution).into_iter();
        blames.map(|(case, blame)| (case, blame.lines, blame.log)).collect()
    }

    #[test]
    fn a_missing_function_of_the_library_is_evidence_for_a_case_alone_that_calls_it() {
        let missing = |symbol: &str| format!("Cannot find symbol {symbol} in kernel library\n");
        let loads = "kernel void k(global int *o) { o[0] = load(o); }\n";
        for (sources, log, lacks_evidence) in [
            (&[loads][..], missing("_Z4loadPU8CLglobali"), false),
            (&[loads], missing("_Z8_cl_loadPU8CLglobali"), false),
            // The program calls no `oad`.
            (&[loads], missing("_Z3oadPU8CLglobali"), true),
            (&[loads], missing("_Z5storePU8CLglobali"), true),
            (&[loads], "error: context lost\n".to_owned(), true),
            (&[loads], format!("warning: {}", missing("_Z4loadPU8CLglobali")), true),
            // Either may call it with these types.
            (&[loads, loads], missing("_Z4loadPU8CLglobali"), true),
        ] {
            let answer = BuildAnswer {
                status: BuildStatus::Rejected,
                phase: Phase::Build,
                detail: String::new(),
                log: log.clone(),
                seconds: 0.0,
                output: Vec::new(),
            };
            let program = Program::new(sources.iter().copied());
            let lacks = program.is_rejected_without_evidence(&answer, Attribution::Names);
            assert_eq!(lacks, lacks_evidence, "{} cases: {log}", sources.len());
        }
    }

    #[test]
    fn a_log_in_clangs_form_is_attributed_by_name() {
        let log = "c00000:2:9: error: bad\n  text\n  ^\nc00000:1:1: note: here\nc00002:1:1: warning: odd\n\
                   c00002:2:1: fatal error: worse\nc00002:2:1: error: again\n3 errors generated.";
        let expected = [
            (
                0,
                vec![2],
                "kernel.cl:2:9: error: bad\n  text\n  ^\nkernel.cl:1:1: note: here\n".to_owned(),
            ),
            (
                2,
                vec![2],
                "kernel.cl:2:1: fatal error: worse\nkernel.cl:2:1: error: again\n".to_owned(),
            ),
        ];
        assert_eq!(blame(log, Attribution::Names), expected);
    }

    #[test]
    fn a_log_in_pocls_form_is_attributed_by_name() {
        let log = "error: c00001:1:2 <Spelling=c00001:1:4>: bad\nwarning: c00000:1:1: odd\nerror: nowhere";
        let expected =
            [(1, vec![1], "error: kernel.cl:1:2 <Spelling=kernel.cl:1:4>: bad\n".to_owned())];
        assert_eq!(blame(log, Attribution::Names), expected);
    }

    #[test]
    fn a_log_of_physical_lines_is_attributed_by_position() {
        let log = "input.cl:3:1: error: two\nopencl-c.h:99:1: note: here\ninput.cl:10:1: error: five\nx.h:1:1: error: no";
        let expected = [
            (0, vec![2], "kernel.cl:2:1: error: two\nopencl-c.h:99:1: note: here\n".to_owned()),
            (2, vec![2], "kernel.cl:2:1: error: five\n".to_owned()),
        ];
        assert_eq!(blame(log, Attribution::Physical), expected);
    }

    #[test]
    fn a_log_about_a_module_names_its_lines() {
        let program = Program::alone(Language::Spirv, "one\ntwo\nthree\n");
        assert_eq!(program.text, "one\ntwo\nthree\n");
        let lines = |log: &str, attribution| {
            let blames = program.blame(log, attribution);
            blames.into_values().flat_map(|blame| blame.lines).collect::<Vec<u32>>()
        };
        for (log, expected) in [
            ("error: line 2: Storage class must match\n  %2 = OpVariable %3 Function\n", &[2][..]),
            ("error: 3: 1: Invalid Opcode name 'OpStoree'", &[3]),
            ("error: line 0: nowhere", &[]),
            ("error: Invalid SPIR-V magic number.", &[]),
            ("warning: line 2: odd", &[]),
        ] {
            assert_eq!(lines(log, Attribution::Physical), expected, "{log}");
            assert_eq!(lines(log, Attribution::Names), [0; 0], "{log}");
        }
    }

    #[test]
    fn what_died_names_cases_by_their_functions() {
        let sources = ["0", "1", "2"]
            .map(|case| format!("\nvoid c000000000{case}_f(int) {{}}\nint c000000000{case}_x;\n"));
        let program = Program::new(sources.iter().map(String::as_str));
        for (log, expected) in [
            ("1.\tRunning pass 'ISel' on function '@c0000000002_f'", &[2][..]),
            ("in function _Z13c0000000001_fi void (i32): unsupported", &[1]),
            ("c0000000001_f c0000000001_x\nc00000:3:1: error: x", &[0, 1]),
            ("c0000000009_f c0000000_f c1_f\nc00003:1:1: error: x", &[]),
            ("warning: c00000:3:1: c0000000000_x is odd\nCannot find symbol c0000000001_f", &[1]),
            (
                "c00000:3:1: warning: odd\n  int c0000000000_x;\n      ^\nundefined: c0000000001_f",
                &[1],
            ),
        ] {
            let named: Vec<usize> = program.mentioned(log).into_iter().collect();
            assert_eq!(named, expected, "{log}");
        }
    }

    #[test]
    fn a_linker_blames_whose_names_it_misses() {
        let sources = ["0", "1", "2"].map(|case| format!("int c000000000{case}_f(int);\n"));
        let program = Program::new(sources.iter().map(String::as_str));
        let log = "warning: c00001:1:1: c0000000001_f is odd\nc0000000001_k: Error(s) while linking:\n\
                   Cannot find symbol _Z13c0000000002_fi in kernel library\n\
                   Cannot find symbol c0000000000_f in kernel library";
        let blames = program.blame_by_symbols(log).into_iter();
        let blames: Vec<_> = blames.map(|(case, blame)| (case, blame.lines, blame.log)).collect();
        let said = |name: &str| format!("Cannot find symbol {name} in kernel library\n");
        let expected =
            [(0, vec![], said("c0000000000_f")), (2, vec![], said("_Z13c0000000002_fi"))];
        assert_eq!(blames, expected);
    }

    #[test]
    fn who_uses_what_is_missing_is_named() {
        let sources = ["fence(1);\n", "fence_all(2);\n", "other();\n", "fence(3);\nfence(4);\n"];
        let program = Program::new(sources);
        for (log, expected) in [
            ("Cannot find symbol _Z9_cl_fencei in kernel library", &[0, 1, 3][..]),
            ("undefined symbol: _Z9fence_alli", &[1]),
            ("undefined symbol: _Z4nonei _Z99shorti _Z0", &[]),
        ] {
            let named: Vec<usize> = program.mentioned(log).into_iter().collect();
            assert_eq!(named, expected, "{log}");
        }
    }

    #[test]
    fn hostile_logs_blame_nobody() {
        for log in [
            "c99999:1:1: error: x",
            "c00000:0:0: error: x",
            "c00000:3:1: error: below its last line",
            "c00000:-1:1: error: x",
            "c00000:99999999999:1: error: x",
            ":1:1: error: x",
            "error: \u{fffd}",
            "c:1:1: error: x",
            "c00000:0:0: error: x",
            "c00000:-1:0: error: x",
            "c00000:4:1: error: x",
            "error: c00002:4294967296:0: x",
            "c00000:1:1: fatal error: error in backend: Cannot select: t9",
        ] {
            assert_eq!(blame(log, Attribution::Names), []);
        }
        for log in
            ["f:0:1: error: x", "f:1:1: error: x", "f:4:1: error: separator", "f:11:1: error: x"]
        {
            assert_eq!(blame(log, Attribution::Physical), []);
        }
    }
}
