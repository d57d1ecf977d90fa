//! Random programs: the same bytes everywhere, one edit at a time, and small ones when something is wrong.

use std::collections::BTreeSet;

use expectations::{
    dialect::{Dialect, Language, Version},
    requirement::Requirement,
    rule::Expectation,
};
use generator::random::{
    FEATURES, Feature, Kind, Kinds, Mix, Pairs, RandomCase, Settings, Share, Side,
};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use sha2::{Digest as _, Sha256};

/// Every byte of two thousand programs. It changes when the generator does, and never with the machine.
const BYTES: u64 = 0x8ce3_e6cd_7d97_1dd5;

#[test]
fn the_same_seeds_give_the_same_bytes_on_every_machine() {
    let mut hash = Sha256::new();
    for case in RandomCase::numbers(2000, 1, Settings::default(), Kinds::Build) {
        hash.update(case.id());
        hash.update(case.kernel().0.source);
    }
    let start =
        hash.finalize().iter().take(8).fold(0_u64, |number, &byte| number << 8 | u64::from(byte));
    assert_eq!(start, BYTES, "the generator changed: pin the new hash");
}

/// The same of a thousand programs that run, with their answers, none of whose ids names a feature.
const BYTES_THAT_RUN: u64 = 0xc20c_4a96_0542_294a;
/// The same for a thousand with the usual choice of features.
const BYTES_OF_EVERY_MIX: u64 = 0xe6c7_e318_0923_48e3;

#[test]
fn the_same_seeds_give_the_same_answers_on_every_machine() {
    let chosen = || RandomCase::numbers(1000, 1, Settings::default(), Kinds::Run);
    let plain = chosen().map(|case| {
        let settings = Settings { mix: Mix::default(), ..case.settings };
        RandomCase { settings, ..case }
    });
    assert_eq!(answers(plain), BYTES_THAT_RUN, "the generator changed programs of old ids");
    let start = answers(chosen());
    assert_eq!(start, BYTES_OF_EVERY_MIX, "the generator changed: pin the new hash {start:#x}");
}

fn answers(cases: impl Iterator<Item = RandomCase>) -> u64 {
    let mut hash = Sha256::new();
    for case in cases {
        let made = case.made();
        hash.update(made.kernel.source);
        // No random program sets these fields, which came later than the hash.
        let probe = format!("{:?}", made.probe);
        hash.update(probe.replace(", answered_by: Device", "").replace(", before: None", ""));
    }
    hash.finalize().iter().take(8).fold(0_u64, |number, &byte| number << 8 | u64::from(byte))
}

#[test]
fn every_mix_of_what_runs_may_have_comes_up_and_most_programs_have_none() {
    let in_mix = FEATURES.iter().filter(|row| row.is_mixed_into_runs()).count();
    let cases: Vec<RandomCase> =
        RandomCase::numbers(2000, 1, Settings::default(), Kinds::Run).collect();
    let mixes: BTreeSet<Mix> = cases.iter().map(|case| case.settings.mix).collect();
    assert_eq!(mixes.len(), 1 << in_mix);
    let plain = cases.iter().filter(|case| case.settings.mix == Mix::default()).count();
    assert!((1333..1500).contains(&plain), "{plain}");
    for row in FEATURES.iter().filter(|row| row.is_chosen_for_runs()) {
        let has = |cases: &[RandomCase], share| {
            let wanted = |case: &&RandomCase| case.settings.mix.share(row.feature) == share;
            cases.iter().filter(wanted).count()
        };
        let unasked = has(&cases, Share::More);
        assert_eq!(unasked > 200, row.is_mixed_into_runs(), "{}: {unasked}", row.name);
        assert_eq!(unasked == 0, row.is_on_request, "{}: {unasked}", row.name);
        let mix = Mix::default().with(row.feature, Share::Without);
        let settings = Settings { mix, ..Settings::default() };
        let without: Vec<RandomCase> = RandomCase::numbers(2000, 1, settings, Kinds::Run).collect();
        assert_eq!(has(&without, Share::More), 0, "{}", row.name);
        let mix = Mix::default().with(row.feature, Share::More);
        let settings = Settings { mix, ..Settings::default() };
        let all: Vec<RandomCase> = RandomCase::numbers(2000, 1, settings, Kinds::Run).collect();
        assert_eq!(has(&all, Share::More), 2000, "{}", row.name);
    }
}

#[test]
fn shrinking_a_program_with_control_flow_keeps_what_it_shows() {
    let mut mix = Mix::default();
    // Loops over arrays have no barriers.
    let rows =
        FEATURES.iter().filter(|row| row.is_chosen_for_runs() && row.feature != Feature::Sweeps);
    for row in rows {
        mix = mix.with(row.feature, Share::More);
    }
    let settings = Settings { mix, ..Settings::default() };
    for part in ["barriers in `switch`", "barriers in `while`", "barriers behind `return`"] {
        let pairs = Pairs { kind: Kind::Run, dialect: Dialect::OPENCL_C[3], settings };
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
        let config = Config {
            failure_persistence: None,
            max_shrink_iters: 20_000,
            cases: 2_000,
            ..Config::default()
        };
        let mut runner = TestRunner::new_with_rng(config, rng);
        let result = runner.run(&pairs, |pair| {
            let shows = pair.reached().iter().any(|(what, _)| *what == part);
            if shows { Err(TestCaseError::fail(part)) } else { Ok(()) }
        });
        let Err(TestError::Fail(_, smallest)) = result else { panic!("{part}: {result:?}") };
        let source = smallest.kernel(Side::Edited, "p_").source;
        assert!(source.contains("barrier(") && smallest.probe("p_").is_some(), "{source}");
        assert!(source.lines().count() < 16, "{part}:\n{source}");
    }
}

#[test]
fn shrinking_a_program_that_runs_keeps_what_it_shows() {
    let pairs =
        Pairs { kind: Kind::Run, dialect: Dialect::OPENCL_C[3], settings: Settings::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let config =
        Config { failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, rng);
    let result = runner.run(&pairs, |pair| {
        let shows = pair.kernel(Side::Edited, "p_").source.contains("to_local");
        if shows { Err(TestCaseError::fail("to_local")) } else { Ok(()) }
    });
    let Err(TestError::Fail(_, smallest)) = result else { panic!("{result:?}") };
    let source = smallest.kernel(Side::Edited, "p_").source;
    assert!(source.lines().count() < 20 && smallest.probe("p_").is_some(), "{source}");
}

/// 3.0 leaves sequential consistency to the device ([atomic-functions]).
#[test]
fn programs_name_the_orders_that_a_device_may_lack() {
    for case in RandomCase::numbers(8000, 1, Settings::default(), Kinds::Both) {
        let (kernel, requirements) = case.kernel();
        let is_optional = ["memory_order_seq_cst", "atomic_load("]
            .iter()
            .any(|text| kernel.source.contains(text));
        if case.dialect.version >= Version::V3_0 && is_optional {
            assert!(requirements.contains(&Requirement::SeqCstAtomics), "{}", case.id());
        }
    }
}

#[test]
fn ids_are_found_again() {
    for case in RandomCase::numbers(500, 7, Settings::default(), Kinds::Both) {
        assert_eq!(RandomCase::from_id(&case.id()), Ok(case));
        if let Some(control) = case.control() {
            assert_eq!(RandomCase::from_id(&control.id()), Ok(control));
            assert_eq!(control.control(), None);
        }
    }
}

#[test]
fn bad_ids_are_rejected_with_what_was_meant() {
    let check = |id: &str, said: &str| {
        let error = RandomCase::from_id(id).unwrap_err().to_string();
        assert!(error.contains(said), "{id}: {error}");
    };
    check("random/valid/cl12", "reads random/KIND/DIALECT/seed=N");
    check("random/vald/cl12/seed=1", "did you mean `valid`?");
    check("random/valid/cl13/seed=1", "`cl13` is not a dialect");
    check("random/valid/cl12/seed=x", "it reads seed=N");
    check("random/valid/cl12/seed=01", "it reads seed=N");
    check("random/valid/cl12/seed=1,side=control", "it reads seed=N");
    check("random/block-initializer/cl12/seed=1", "nothing can break that rule there");
    check(
        "random/run/cl12/seed=1,more=atomics",
        "only the features `group-flow`, `item-flow`, `launch-shapes`, `by-value`, `group-exits`, `sweeps`",
    );
    check("random/run/cl12/seed=1,emi=9", "`9` is not one of 1 to 8");
    check("random/valid/cl12/seed=1,emi=1", "it reads seed=N");
    check("random/run/cl12/seed=1,side=control", "it reads seed=N");
}

#[test]
fn an_edit_changes_nothing_elsewhere() {
    for case in RandomCase::numbers(3000, 3, Settings::default(), Kinds::Build) {
        let pair = case.pair();
        let (control, edited) = (pair.kernel(Side::Control, "p_"), pair.kernel(Side::Edited, "p_"));
        if case.kind == Kind::Valid {
            assert_eq!(control, edited);
            continue;
        }
        let (old, new): (Vec<&str>, Vec<&str>) =
            (control.source.lines().collect(), edited.source.lines().collect());
        let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let after = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        let changed = new.len().saturating_sub(before + after);
        assert!(
            changed <= 3 && control != edited,
            "{}\n{}\n{}",
            case.id(),
            control.source,
            edited.source
        );
        if case.broken_rule().is_some() {
            let guilty = &edited.guilty_lines;
            assert!(!guilty.is_empty(), "{}", case.id());
            // A member can make the declaration on the next line guilty.
            let range = before as u32 + 1..=(before + changed + 1) as u32;
            assert!(
                guilty.iter().any(|line| range.contains(line)),
                "{}: {guilty:?} {range:?}",
                case.id()
            );
        }
    }
}

#[test]
fn every_kind_is_made_in_some_dialect_and_numbers_reach_them_all() {
    let kinds = Kind::all();
    let reached: BTreeSet<Kind> = RandomCase::numbers(8 * 400, 1, Settings::default(), Kinds::Both)
        .map(|case| case.kind)
        .collect();
    assert_eq!(reached.into_iter().collect::<Vec<_>>().len(), kinds.len());
}

#[test]
fn every_rule_that_is_broken_is_a_rule_of_the_suite() {
    let suite = generator::suite::Suite::embedded().unwrap();
    for case in RandomCase::numbers(8 * 400, 1, Settings::default(), Kinds::Both) {
        let breaks = case.broken_rule().is_some();
        assert_eq!(
            suite.random_expectation(&case).verdict().name(),
            if breaks { "reject" } else { "accept" }
        );
    }
}

#[test]
fn random_programs_break_every_rule_that_cases_break() {
    let suite = generator::suite::Suite::embedded().unwrap();
    let broken: BTreeSet<&str> = suite
        .rules()
        .iter()
        .filter(|rule| rule.is_of(Language::OpenclC))
        .flat_map(|rule| &rule.expect)
        .filter_map(|(_, expectation)| match expectation {
            Expectation::Reject { breaks } => Some(breaks.as_str()),
            _ => None,
        })
        .collect();
    let random = Kind::all().into_iter().filter_map(Kind::rule).collect();
    assert_eq!(broken, random);
}

#[test]
fn shrinking_finds_a_small_program_that_still_fails() {
    let kind = *Kind::all().iter().find(|kind| kind.name() == "conversion-implicit").unwrap();
    let pairs = Pairs { kind, dialect: Dialect::OPENCL_C[2], settings: Settings::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let config =
        Config { failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, rng);
    let result = runner.run(&pairs, |pair| {
        let kernel = pair.kernel(Side::Edited, "p_");
        let line = kernel.guilty_lines.first().map_or(0, |&line| line as usize);
        let guilty = kernel.source.lines().nth(line - 1).unwrap_or_default();
        if guilty.contains("local") { Err(TestCaseError::fail("a local pointer")) } else { Ok(()) }
    });
    let Err(TestError::Fail(_, smallest)) = result else { panic!("{result:?}") };
    let kernel = smallest.kernel(Side::Edited, "p_");
    assert!(kernel.source.lines().count() <= 5, "{}", kernel.source);
}
