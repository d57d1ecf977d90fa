//! Laws of the whole suite.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::LazyLock,
};

use expectations::{
    dialect::{Dialect, Language, Version},
    requirement::Requirement,
    rule::Expectation,
};
use generator::{
    duplicates::reject_duplicates,
    points::distance,
    suite::{Case, Suite},
    templates::Kernel,
};

static SUITE: LazyLock<Suite> = LazyLock::new(load);
static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| SUITE.all_cases());
static KERNELS: LazyLock<Vec<Kernel>> = LazyLock::new(|| CASES.iter().map(render).collect());

fn load() -> Suite {
    Suite::embedded().unwrap_or_else(|error| panic!("{error}"))
}

fn render(case: &Case) -> Kernel {
    SUITE.render(case).unwrap_or_else(|error| panic!("{error}"))
}

fn is_reject(case: &Case) -> bool {
    matches!(SUITE.expectation(case), Expectation::Reject { .. })
}

fn assert_none(what: &str, found: &[String]) {
    let shown = found.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(found.is_empty(), "{}: {what}\n{shown}", found.len());
}

#[test]
fn ids_are_in_order_and_unique() {
    let out_of_order: Vec<String> = CASES
        .windows(2)
        .filter(|pair| pair[0].id >= pair[1].id)
        .map(|pair| pair[1].id.clone())
        .collect();
    assert_none("ids are not after the one before", &out_of_order);
}

#[test]
fn every_case_is_found_by_its_id() {
    let lost: Vec<String> = CASES
        .iter()
        .step_by(97)
        .filter(|case| SUITE.case(&case.id).as_ref() != Ok(*case))
        .map(|case| case.id.clone())
        .collect();
    assert_none("ids do not lead back to their cases", &lost);
}

#[test]
fn every_rejection_has_a_control_that_is_accepted() {
    let expected: HashMap<&str, &str> = CASES
        .iter()
        .map(|case| (case.id.as_str(), SUITE.expectation(case).verdict().name()))
        .collect();
    let without: Vec<String> = CASES
        .iter()
        .filter(|case| is_reject(case))
        .filter(|case| {
            case.control.as_deref().and_then(|control| expected.get(control)) != Some(&"accept")
        })
        .map(|case| case.id.clone())
        .collect();
    assert_none("rejections without a control", &without);
}

#[test]
fn nearly_all_controls_differ_in_one_axis() {
    let points: HashMap<&str, &[u16]> =
        CASES.iter().map(|case| (case.id.as_str(), case.point.as_slice())).collect();
    let mut histogram: BTreeMap<usize, usize> = BTreeMap::new();
    for case in CASES.iter() {
        if let Some(control) = case.control.as_deref().and_then(|control| points.get(control)) {
            *histogram.entry(distance(&case.point, control)).or_default() += 1;
        }
    }
    let all: usize = histogram.values().sum();
    let near = histogram.get(&1).copied().unwrap_or(0);
    assert!(
        near * 100 >= all * 95,
        "only {near} of {all} controls differ in one axis: {histogram:?}"
    );
}

#[test]
fn every_case_has_a_kernel_and_a_guilty_line_where_it_is_rejected() {
    let bad: Vec<String> = CASES
        .iter()
        .zip(KERNELS.iter())
        .filter(|(case, kernel)| {
            let has_kernel = kernel.source.contains("kernel ");
            let lines = kernel.source.lines().count();
            let marked = kernel.guilty_lines.iter().all(|&line| (line as usize) <= lines);
            !has_kernel || !marked || (is_reject(case) && kernel.guilty_lines.is_empty())
        })
        .map(|(case, _)| case.id.clone())
        .collect();
    assert_none("cases without a kernel, or rejected with no guilty line", &bad);
}

/// The prefix a kernel's names begin with.
fn prefix(source: &str) -> Option<&str> {
    let is_prefix = |word: &&str| {
        word.len() > 12
            && word.starts_with('c')
            && word.as_bytes()[11] == b'_'
            && word[1..11].bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    source
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .find(is_prefix)
        .map(|word| &word[..12])
}

#[test]
fn prefixes_are_unique_in_a_dialect() {
    let mut seen: HashSet<(&str, &str)> = HashSet::new();
    let shared: Vec<String> = CASES
        .iter()
        .zip(KERNELS.iter())
        .filter(|(case, kernel)| {
            prefix(&kernel.source).is_some_and(|prefix| !seen.insert((case.dialect.name(), prefix)))
        })
        .map(|(case, _)| case.id.clone())
        .collect();
    assert_none("cases that share their prefix with another", &shared);
}

#[test]
fn equal_programs_have_equal_expectations() {
    let mut first: HashMap<(Dialect, String), usize> = HashMap::new();
    let mut differing = Vec::new();
    let mut repeated = 0;
    for (index, (case, kernel)) in CASES.iter().zip(KERNELS.iter()).enumerate() {
        let text = match prefix(&kernel.source) {
            Some(prefix) => kernel.source.replace(prefix, "p_"),
            None => kernel.source.clone(),
        };
        let other = &CASES[*first.entry((case.dialect, text)).or_insert(index)];
        if other.id != case.id {
            repeated += 1;
            if SUITE.expectation(other).verdict().name() != SUITE.expectation(case).verdict().name()
            {
                differing.push(format!("{} and {}", other.id, case.id));
            }
        }
    }
    assert_none("pairs of one program with two expectations", &differing);
    assert!(
        repeated * 100 <= CASES.len() * 5,
        "{repeated} of {} cases repeat another program",
        CASES.len()
    );
}

#[test]
fn no_two_points_of_a_rule_and_dialect_give_the_same_program() {
    let cases = CASES.iter().map(|case| case.id.as_str()).zip(KERNELS.iter());
    let rejected = reject_duplicates(&SUITE, cases);
    assert!(rejected.is_ok(), "{}", rejected.unwrap_err());
}

#[test]
fn every_rule_has_both_sides_or_says_why_not() {
    let mut sides: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    for case in CASES.iter() {
        sides.entry(case.rule).or_default().insert(SUITE.expectation(case).verdict().name());
    }
    let one_sided: Vec<String> = SUITE
        .rules()
        .iter()
        .enumerate()
        .filter(|(index, rule)| {
            let sides = sides.get(index).cloned().unwrap_or_default();
            rule.one_sided.is_none() && !(sides.contains("accept") && sides.contains("reject"))
        })
        .map(|(_, rule)| rule.id.clone())
        .collect();
    assert_none("rules with one side and no reason", &one_sided);
}

#[test]
fn a_reason_for_one_side_is_needed() {
    let mut rejecting: BTreeSet<usize> = BTreeSet::new();
    let mut accepting: BTreeSet<usize> = BTreeSet::new();
    for case in CASES.iter() {
        match SUITE.expectation(case) {
            Expectation::Accept => _ = accepting.insert(case.rule),
            Expectation::Reject { .. } => _ = rejecting.insert(case.rule),
            Expectation::Disputed { .. } => {}
        }
    }
    let two_sided: Vec<String> = SUITE
        .rules()
        .iter()
        .enumerate()
        .filter(|(index, rule)| {
            rule.one_sided.is_some() && rejecting.contains(index) && accepting.contains(index)
        })
        .map(|(_, rule)| rule.id.clone())
        .collect();
    assert_none("rules with both sides and a reason for one", &two_sided);
}

#[test]
fn what_is_broken_breaks_itself() {
    let mut breaks: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for case in CASES.iter() {
        if let Expectation::Reject { breaks: broken } = SUITE.expectation(case) {
            breaks.entry(&SUITE.rule(case).id).or_default().insert(broken);
        }
    }
    let targets: BTreeSet<&str> = breaks.values().flatten().copied().collect();
    let wrong: Vec<String> = targets
        .into_iter()
        .filter(|target| !breaks.get(target).is_some_and(|broken| broken.contains(target)))
        .map(str::to_owned)
        .collect();
    assert_none("rules that others break and whose own cases do not", &wrong);
}

#[test]
fn the_same_files_give_the_same_bytes() {
    let again = load();
    let hash = |suite: &Suite| {
        let _cases = suite.all_cases();
        suite.hash().to_owned()
    };
    assert_eq!(hash(&SUITE), hash(&again));
}

#[test]
fn extensions_are_enabled_where_they_are_not_core() {
    let mut enabled = 0;
    for (case, kernel) in CASES.iter().zip(KERNELS.iter()) {
        let expected =
            case.requirements.contains(&Requirement::Fp64) && case.dialect.version < Version::V1_2;
        let pragma = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
        assert_eq!(kernel.source.starts_with(pragma), expected, "{}", case.id);
        enabled += usize::from(expected);
    }
    assert!(enabled > 0, "no case of 1.0 or 1.1 needs double");
}

/// A validator counts instructions, and the suite compares that number with the guilty line.
#[test]
fn a_module_has_one_instruction_on_a_line() {
    let is_instruction = |line: &str| {
        let opcode = match line.split_once(" = ") {
            Some((result, opcode)) if result.starts_with('%') => opcode,
            _ => line,
        };
        opcode.starts_with("Op") && !opcode.contains(';')
    };
    let wrong: Vec<String> = CASES
        .iter()
        .zip(KERNELS.iter())
        .filter(|(case, _)| case.dialect.language == Language::Spirv)
        .filter_map(|(case, kernel)| {
            let line = kernel.source.lines().find(|line| !is_instruction(line))?;
            Some(format!("{}: {line}", case.id))
        })
        .collect();
    assert_none("lines of modules that are no instruction", &wrong);
}
