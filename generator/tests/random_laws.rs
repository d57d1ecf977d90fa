//! Laws of random programs, whatever their kind, dialect, seed, side, size and features.

use expectations::dialect::Dialect;
use generator::random::{
    FEATURES, Kind, Kinds, Mix, Pair, Pairs, RandomCase, Settings, Share, Shrink, Side, Size,
};
use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{RngAlgorithm, TestRng, TestRunner},
};

fn settings() -> impl Strategy<Value = Settings> {
    let share =
        prop_oneof![8 => Just(Share::Usual), 1 => Just(Share::More), 1 => Just(Share::Without)];
    let shares = proptest::collection::vec(share, FEATURES.len());
    (proptest::sample::select(&Size::ALL[..]), shares).prop_map(|(size, shares)| {
        let rows = FEATURES.iter().zip(shares);
        let mix = rows.fold(Mix::default(), |mix, (row, share)| mix.with(row.feature, share));
        Settings { size, mix, ..Settings::default() }
    })
}

fn cases() -> impl Strategy<Value = RandomCase> {
    let kinds: Vec<(Kind, Dialect)> = Kind::all()
        .into_iter()
        .flat_map(|kind| Dialect::OPENCL_C.map(|dialect| (kind, dialect)))
        .filter(|&(kind, dialect)| kind.exists_in(dialect))
        .collect();
    let seed = prop_oneof![any::<u64>(), 0..1000_u64];
    (proptest::sample::select(kinds), seed, settings(), any::<bool>()).prop_map(
        |((kind, dialect), seed, settings, is_control)| {
            let is_edited = !matches!(kind, Kind::Valid | Kind::Run);
            let side = if is_control && is_edited { Side::Control } else { Side::Edited };
            // Programs that run have no features to choose.
            let mix = if kind == Kind::Run { Mix::default() } else { settings.mix };
            RandomCase { kind, dialect, seed, settings: Settings { mix, ..settings }, side }
        },
    )
}

/// Changes that can happen to an id between a report and a command line.
#[derive(Clone, Debug)]
enum Damage {
    Removed(usize),
    Doubled(usize),
    Swapped(usize),
    Replaced(usize, char),
    Ended(usize),
    Added(&'static str),
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        any::<usize>().prop_map(Damage::Removed),
        any::<usize>().prop_map(Damage::Doubled),
        any::<usize>().prop_map(Damage::Swapped),
        (any::<usize>(), any::<char>()).prop_map(|(place, with)| Damage::Replaced(place, with)),
        any::<usize>().prop_map(Damage::Ended),
        proptest::sample::select(
            &[
                ",size=small",
                ",size=",
                ",more=atomics",
                ",without=atomics+atomics",
                ",side=control"
            ][..]
        )
        .prop_map(Damage::Added),
    ]
}

fn damaged(id: &str, damage: &Damage) -> String {
    let mut letters: Vec<char> = id.chars().collect();
    let at = |place: usize| place % letters.len();
    match *damage {
        Damage::Removed(place) => drop(letters.remove(at(place))),
        Damage::Doubled(place) => letters.insert(at(place), letters[at(place)]),
        Damage::Swapped(place) => {
            let (one, other) = (at(place), at(place.wrapping_add(1)));
            letters.swap(one, other);
        }
        Damage::Replaced(place, with) => {
            let place = at(place);
            letters[place] = with;
        }
        Damage::Ended(place) => letters.truncate(at(place)),
        Damage::Added(text) => letters.extend(text.chars()),
    }
    letters.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_id_says_everything_of_a_case(case in cases()) {
        prop_assert_eq!(RandomCase::from_id(&case.id()), Ok(case));
    }

    #[test]
    fn a_damaged_id_is_rejected_or_is_another(case in cases(), damages in proptest::collection::vec(damage(), 1..3)) {
        let id = damages.iter().fold(case.id(), |id, damage| {
            if id.is_empty() { id } else { damaged(&id, damage) }
        });
        match RandomCase::from_id(&id) {
            // Only an id in its written form is accepted, so that no two ids name one case.
            Ok(other) => prop_assert_eq!(other.id(), id),
            Err(error) => {
                let said = error.to_string();
                prop_assert!(!said.is_empty() && !said.chars().any(char::is_control), "{:?}", said);
            }
        }
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in ".{0,80}", point in "seed=[0-9]{1,25}(,[a-z]{1,6}=[a-z+]{0,12}){0,3}") {
        for id in [text, format!("random/valid/cl20/{point}")] {
            if let Ok(case) = RandomCase::from_id(&id) {
                prop_assert_eq!(case.id(), id);
            }
        }
    }

    #[test]
    fn the_same_case_is_the_same_program(case in cases()) {
        let again = std::thread::spawn(move || case.kernel()).join().unwrap();
        prop_assert_eq!(case.kernel(), again);
    }

    #[test]
    fn sides_differ_in_the_edit_and_nowhere_else(case in cases()) {
        let pair = case.pair();
        let [control, edited] = [Side::Control, Side::Edited].map(|side| pair.kernel(side, "p_"));
        if matches!(case.kind, Kind::Valid | Kind::Run) {
            prop_assert_eq!(control, edited);
            return Ok(());
        }
        let [old, new] = [&control, &edited].map(|kernel| kernel.source.lines().collect::<Vec<_>>());
        let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let after = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        let changed = new.len().saturating_sub(before + after);
        prop_assert!(changed <= 3 && control.source != edited.source, "{}\n{}", control.source, edited.source);
        if case.broken_rule().is_some() {
            // A member can make the declaration on the next line guilty.
            let range = before as u32 + 1..=(before + changed + 1) as u32;
            prop_assert!(edited.guilty_lines.iter().any(|line| range.contains(line)), "{:?}", edited.guilty_lines);
        }
    }

    #[test]
    fn features_are_there_as_asked_for(case in cases()) {
        let pair = case.pair();
        for row in &FEATURES {
            let expected = match case.settings.mix.share(row.feature) {
                Share::Without => Some(false),
                Share::More => Some((row.exists_in)(case.dialect)),
                Share::Usual => (!(row.exists_in)(case.dialect)).then_some(false),
            };
            prop_assert!(expected.is_none_or(|expected| expected == pair.has(row.feature)), "{}", row.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn shrinking_ends_whatever_the_test_answers(case in cases(), answers in proptest::collection::vec(any::<bool>(), 1..64)) {
        let case = RandomCase { settings: Settings { size: Size::Small, ..case.settings }, ..case };
        let mut tree = Shrink::of(&case);
        let length = |pair: &Pair| pair.kernel(Side::Edited, "").source.len();
        let first = length(&tree.current());
        let mut answers = answers.iter().cycle();
        // Two calls for each choice and part, and each success leaves fewer or smaller choices.
        let end = (0..2_000_000).find(|_| {
            let still_fails = answers.next().is_some_and(|&answer| answer);
            !(if still_fails { tree.simplify() } else { tree.complicate() || tree.simplify() })
        });
        prop_assert!(end.is_some(), "{} does not end", case.id());
        prop_assert!(length(&tree.current()) <= first.max(200) * 2);
    }

    #[test]
    fn a_program_that_always_fails_becomes_the_smallest_of_its_kind(case in cases()) {
        let mut tree = Shrink::of(&case);
        while tree.simplify() {}
        // One kernel, and the edit.
        let lines = tree.current().kernel(Side::Edited, "").source.lines().count();
        prop_assert!(lines <= 8, "{}\n{}", case.id(), tree.current().kernel(Side::Edited, "").source);
    }
}

/// The source without quoted texts and names, for words to be looked for.
fn words(source: &str) -> Vec<&str> {
    source.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).collect()
}

#[test]
fn features_that_no_program_has_are_in_none() {
    let unwanted: [(&str, &[&str]); 13] = [
        ("structures", &["struct"]),
        ("unions", &["union"]),
        ("enumerations", &["enum"]),
        ("typedefs", &["typedef"]),
        ("storage-classes", &["static", "extern"]),
        ("loops", &["while", "do", "for"]),
        ("jumps", &["goto", "switch", "break", "continue"]),
        ("builtins", &["fract", "modf", "vload4", "vstore4", "prefetch", "sincos"]),
        ("legacy-atomics", &["atomic_add", "atomic_xchg", "atomic_cmpxchg"]),
        ("atomics", &["atomic_int", "atomic_load", "atomic_load_explicit", "atomic_flag"]),
        ("images", &["image2d_t", "sampler_t", "read_imagef"]),
        ("qualifiers", &["volatile"]),
        ("operators", &["sizeof"]),
    ];
    let none =
        FEATURES.iter().fold(Mix::default(), |mix, row| mix.with(row.feature, Share::Without));
    let settings = Settings { size: Size::Large, mix: none, ..Settings::default() };
    for number in 0..400 {
        let dialect = Dialect::OPENCL_C[number % Dialect::OPENCL_C.len()];
        let case = RandomCase {
            kind: Kind::Valid,
            dialect,
            seed: number as u64,
            settings,
            side: Side::Edited,
        };
        let source = case.kernel().0.source;
        let found = words(&source);
        for (name, unwanted) in unwanted {
            assert!(!unwanted.iter().any(|word| found.contains(word)), "{name}\n{source}");
        }
        assert!(
            !["){", " = ^", "#define", "\"", "{ ["].iter().any(|text| source.contains(text)),
            "{source}"
        );
    }
}

#[test]
fn features_that_every_program_has_are_in_most() {
    let wanted = [
        ("structures", "struct "),
        ("unions", "union "),
        ("enumerations", "enum "),
        ("typedefs", "typedef "),
        ("arrays-of-arrays", "]["),
        ("nested-pointers", "*"),
        ("storage-classes", "static "),
        ("loops", "while ("),
        ("jumps", "switch ("),
        ("string-literals", "\""),
        ("compound-literals", "){ "),
        ("macros", "#define "),
        ("builtins", "vload4("),
        ("legacy-atomics", "atomic_add("),
        ("atomics", "_explicit("),
        ("images", "sampler_t"),
        ("blocks", " = ^"),
        ("qualifiers", "volatile "),
        ("designators", "{ ["),
        ("operators", "sizeof("),
    ];
    for (name, text) in wanted {
        let row = FEATURES.iter().find(|row| row.name == name).unwrap();
        let mix = Mix::default().with(row.feature, Share::More);
        let settings = Settings { size: Size::Large, mix, ..Settings::default() };
        let has = (0..100)
            .filter(|&seed| {
                let dialect = Dialect::OPENCL_C[Dialect::OPENCL_C.len() - 1];
                let case =
                    RandomCase { kind: Kind::Valid, dialect, seed, settings, side: Side::Edited };
                case.kernel().0.source.contains(text)
            })
            .count();
        assert!(has >= 15, "{name}: {has} of 100");
    }
}

#[test]
fn sizes_are_sizes() {
    let lines = Size::ALL.map(|size| {
        let settings = Settings { size, mix: Mix::default(), ..Settings::default() };
        let cases = RandomCase::numbers(400, 1, settings, Kinds::Build);
        cases.map(|case| case.kernel().0.source.lines().count()).sum::<usize>()
    });
    assert!(
        lines[0] * 3 < lines[1] * 2 && lines[1] * 2 < lines[2] && lines[2] * 2 < lines[3],
        "{lines:?}"
    );
}

#[test]
fn strategies_give_programs_of_their_settings() {
    let kind = Kind::Valid;
    let mix =
        FEATURES.iter().fold(Mix::default(), |mix, row| mix.with(row.feature, Share::Without));
    let pairs = Pairs {
        kind,
        dialect: Dialect::OPENCL_C[7],
        settings: Settings { size: Size::Small, mix, ..Settings::default() },
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[1; 32]);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::default(), rng);
    for _ in 0..50 {
        let pair = pairs.new_tree(&mut runner).unwrap().current();
        assert!(FEATURES.iter().all(|row| !pair.has(row.feature)));
    }
}
