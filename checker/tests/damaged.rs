//! Damaged programs: each of the cases in `rules/` with words lost, doubled, moved or replaced never panics the
//! checker.

use std::{fs, path::Path, sync::LazyLock};

use checker::{Checker, Dialect, Verdict, Version, diagnostic::Severity};
use proptest::prelude::*;

/// The words of every case.
static PROGRAMS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let entries = fs::read_dir(folder).expect("the folder of cases is there");
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let texts = files.iter().map(|file| fs::read_to_string(file).expect("a file of cases"));
    texts.flat_map(|text| text.split("//# ").skip(1).map(words).collect::<Vec<_>>()).collect()
});

fn words(case: &str) -> Vec<String> {
    let program: String = case
        .lines()
        .skip(1)
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let mut words: Vec<String> = Vec::new();
    let mut in_name = false;
    for letter in program.chars() {
        let continues = letter.is_alphanumeric() || letter == '_' || letter == '#';
        match words.last_mut().filter(|_| in_name && continues) {
            Some(word) => word.push(letter),
            None => words.push(letter.to_string()),
        }
        in_name = continues;
    }
    words
}

#[derive(Clone, Debug)]
enum Damage {
    Lose,
    Double,
    MoveTo(prop::sample::Index),
    Replace(prop::sample::Index, prop::sample::Index),
    CutOff,
}

fn damage() -> impl Strategy<Value = (prop::sample::Index, Damage)> {
    let at = any::<prop::sample::Index>;
    let kind = prop_oneof![
        4 => Just(Damage::Lose),
        2 => Just(Damage::Double),
        2 => at().prop_map(Damage::MoveTo),
        6 => (at(), at()).prop_map(|(program, word)| Damage::Replace(program, word)),
        1 => Just(Damage::CutOff),
    ];
    (at(), kind)
}

fn damaged(words: &mut Vec<String>, at: prop::sample::Index, damage: &Damage) {
    if words.is_empty() {
        return;
    }
    let at = at.index(words.len());
    match damage {
        Damage::Lose => {
            words.remove(at);
        }
        Damage::Double => words.insert(at, words[at].clone()),
        Damage::MoveTo(to) => {
            let to = to.index(words.len());
            words.swap(at, to);
        }
        Damage::Replace(program, word) => {
            let other = &PROGRAMS[program.index(PROGRAMS.len())];
            words[at] = format!(" {} ", other[word.index(other.len())]);
        }
        Damage::CutOff => words.truncate(at),
    }
}

proptest! {
    #[test]
    fn damage_never_panics(
        program in any::<prop::sample::Index>(),
        damages in prop::collection::vec(damage(), 0..8),
        version in prop::sample::select(vec![Version::V1_0, Version::V1_2, Version::V2_0, Version::V3_0, Version::V3_1]),
        with_features in any::<bool>(),
    ) {
        let mut words = PROGRAMS[program.index(PROGRAMS.len())].clone();
        for (at, damage) in &damages {
            damaged(&mut words, *at, damage);
        }
        let text = words.concat();
        let dialect = Dialect::new(version);
        let dialect = if with_features { dialect } else { dialect.without_features() };
        let mut checker = Checker::new(dialect);
        let report = checker.check("case.cl", &text);
        let worst = report.diagnostics.iter().map(|said| said.severity).max();
        let expected = match worst {
            Some(Severity::Fatal) => Verdict::NotUnderstood,
            Some(Severity::Error) => Verdict::Broken,
            _ => Verdict::Accepted,
        };
        prop_assert_eq!(report.verdict, expected);
        let end = text.len() as u32;
        for said in report.diagnostics {
            prop_assert!(said.span.start <= said.span.end && said.span.end <= end + 1, "{said:?}");
        }
    }
}
