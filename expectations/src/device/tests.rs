use super::*;
use crate::{
    baseline::{
        BaselineReport, Coverage, JudgedCase, Part, PatternIndex, compare_with_baseline,
        load_front_end, resolve,
    },
    implementation::Identity,
    judge::{Direction, Finding, FindingKind, Reason},
    outcome::Phase,
    predicate::Axes,
    rule::Rule,
    verdict::Verdict,
};

const FILE: &str = r#"what = "a device"
front-end = "clang 15"

[device]
type = "opencl"
platform = "Portable Computing Language"

[install]
apt = ["pocl-opencl-icd"]

[[deviation]]
cases = ["conversion/*/cl12/*"]
findings = ["fail"]
kind = "driver-bug"
reason = "accepts it"
"#;

const fn finding(kind: FindingKind) -> Finding {
    Finding { kind, reason: Reason::AcceptsInvalid }
}

const JUDGED: JudgedCase<'static> = JudgedCase {
    id: "conversion/a/cl12/x=1",
    shape: None,
    verdict: Verdict::Reject,
    finding: finding(FindingKind::Fail),
    reached: Phase::Build,
    broken: None,
};

#[test]
fn runs_are_held_against_known_deviations() {
    let device = load_device("x", "x.toml", FILE).unwrap();
    let judged = |id, kind| JudgedCase { id, finding: finding(kind), ..JUDGED };
    let cases = [
        judged("conversion/a/cl12/x=1", FindingKind::Fail),
        judged("conversion/a/cl20/x=1", FindingKind::Fail),
        judged("conversion/a/cl12/x=2", FindingKind::Crash),
        judged("conversion/a/cl12/x=3", FindingKind::Pass),
    ];
    let compare = |cases| compare_with_baseline(&device.deviations, cases, |_, _| unreachable!());
    let expected = BaselineReport {
        unexpected: vec![1, 2],
        explained: vec![(0, 0)],
        coverage: vec![Coverage {
            cases: 3,
            deviating: 1,
            passing: Some("conversion/a/cl12/x=3".to_owned()),
        }],
        ..BaselineReport::default()
    };
    assert_eq!(compare(&cases), expected);
    assert_eq!(compare(&cases[3..]).stale, [0]);
    assert_eq!(compare(&cases[1..2]).stale, [] as [usize; 0]);
}

#[test]
fn a_case_that_did_not_come_so_far_says_nothing_of_an_entry_that_names_a_phase() {
    let text = FILE.replacen("[\"fail\"]", "[\"crash\"]\nphase = \"generate-code\"", 1);
    let device = load_device("x", "x.toml", &text).unwrap();
    let judged = |kind, reached| JudgedCase { finding: finding(kind), reached, ..JUDGED };
    let report = |cases: &[JudgedCase<'_>]| {
        let report = compare_with_baseline(&device.deviations, cases, |_, _| unreachable!());
        (report.unexpected, report.stale, report.coverage[0].cases)
    };
    let dies = judged(FindingKind::Crash, Phase::GenerateCode);
    assert_eq!(report(&[dies]), (vec![], vec![], 1));
    // Another bug.
    let dies_earlier = judged(FindingKind::Crash, Phase::Build);
    assert_eq!(report(&[dies_earlier]), (vec![0], vec![], 0));
    let is_built = judged(FindingKind::Pass, Phase::Build);
    assert_eq!(report(&[is_built]), (vec![], vec![], 0));
    assert_eq!(report(&[is_built, dies]), (vec![], vec![], 1));
    let is_mended = judged(FindingKind::Pass, Phase::GenerateCode);
    assert_eq!(report(&[is_built, is_mended]), (vec![], vec![], 1));
    for reached in [Phase::GenerateCode, Phase::Run] {
        assert_eq!(report(&[judged(FindingKind::Pass, reached)]), (vec![], vec![0], 1));
    }
}

#[test]
fn a_case_that_kills_a_device_with_others_is_kept_apart_and_explains_no_death_of_its_own() {
    let text = FILE.replacen("[\"fail\"]", "[\"crash-with-others\"]", 1);
    let device = load_device("x", "x.toml", &text).unwrap();
    let index = PatternIndex::new(&device.deviations);
    assert_eq!(index.harmful("conversion/a/cl12/x=1").count(), 1);
    assert_eq!(index.harmful("conversion/a/cl20/x=1").count(), 0);
    let judged = |kind| JudgedCase { finding: finding(kind), ..JUDGED };
    for (kind, unexpected) in [(FindingKind::Pass, vec![]), (FindingKind::Crash, vec![0])] {
        let report = compare_with_baseline(&device.deviations, &[judged(kind)], |_, _| false);
        assert_eq!((report.unexpected, report.stale), (unexpected, vec![]), "{kind:?}");
    }
}

#[test]
fn entries_may_call_a_rule_by_its_former_name() {
    let text = FILE.replacen("conversion/*/cl12/*", "run/*/cl12/*", 1)
        + "example = \"run/barrier/cl12/flags=both\"\n";
    let device = load_device("x", "x.toml", &text).unwrap();
    let judged = |id| JudgedCase { id, ..JUDGED };
    let cases = [
        judged("execution/barrier/cl12/flags=both"),
        judged("execution/barrier/cl20/flags=both"),
        judged("codegen/built-in-names/cl12/a=b"),
    ];
    let report = compare_with_baseline(&device.deviations, &cases, |_, _| unreachable!());
    let expected = BaselineReport {
        unexpected: vec![1, 2],
        explained: vec![(0, 0)],
        coverage: vec![Coverage { cases: 1, deviating: 1, passing: None }],
        ..BaselineReport::default()
    };
    assert_eq!(report, expected);
}

#[test]
fn one_dialect_may_be_taken_for_another() {
    let text = FILE.replacen("findings = [\"fail\"]", "behaves-as = \"cl30-generic\"", 1);
    let device = load_device("x", "x.toml", &text).unwrap();
    let judged = |kind| JudgedCase { finding: finding(kind), ..JUDGED };
    let cases = [FindingKind::Fail, FindingKind::Fail, FindingKind::Pass].map(judged);
    let report = compare_with_baseline(&device.deviations, &cases, |index, dialect| {
        index != 1 && dialect.name() == "cl30-generic"
    });
    let expected = BaselineReport {
        unexpected: vec![1],
        explained: vec![(0, 0)],
        coverage: vec![Coverage { cases: 1, deviating: 1, passing: None }],
        ..BaselineReport::default()
    };
    assert_eq!(report, expected);
}

#[test]
fn every_part_of_an_entry_has_to_explain_something() {
    let text = FILE
        .replace("[\"conversion/*/cl12/*\"]", "[\"a/*\", \"b/*\", \"c/*\"]")
        .replace("[\"fail\"]", "[\"fail\", \"crash\"]")
        + "example = \"a/x\"\n";
    let device = load_device("x", "x.toml", &text).unwrap();
    let judged = |id, kind| JudgedCase { id, finding: finding(kind), ..JUDGED };
    let parts = |cases: &[JudgedCase<'_>]| {
        let report = compare_with_baseline(&device.deviations, cases, |_, _| false);
        assert_eq!(report.stale, [] as [usize; 0]);
        report.stale_parts
    };
    let some = [judged("a/x", FindingKind::Fail), judged("b/x", FindingKind::Crash)];
    assert_eq!(parts(&some), []);
    let fixed = [
        judged("a/x", FindingKind::Pass),
        judged("a/y", FindingKind::Fail),
        judged("b/x", FindingKind::Pass),
        judged("c/x", FindingKind::Fail),
    ];
    let expected = [Part::Pattern(1), Part::Finding(Direction::Crash), Part::Example];
    assert_eq!(parts(&fixed), expected.map(|part| (0, part)));
}

#[test]
fn versions_are_confirmed_by_their_numbers() {
    let confirmed = FILE.replace("front-end", "confirmed = [\"3.1\", \"21.10\"]\nfront-end");
    let device = load_device("x", "x.toml", &confirmed).unwrap();
    for (reported, expected) in [
        ("3.1", true),
        ("3.1+debian", true),
        ("Oclgrind 21.10", true),
        ("3.1.2", false),
        ("3.10", false),
        ("13.1", false),
        ("2.3.1", false),
        ("7.1", false),
        ("", false),
    ] {
        assert_eq!(device.is_confirmed_with(reported), expected, "{reported}");
    }
    assert!(load_device("x", "x.toml", FILE).unwrap().is_confirmed_with("7.1"));
}

#[test]
fn a_device_has_instances() {
    let text = FILE
        .replace("front-end", "confirmed = [\"3.1\"]\nlibrary = \"libx.so*\"\nfront-end")
        .replace(
            "[install]",
            "[environment]\nA = \"1\"\nB = \"1\"\n[zygote]\n[first-batch]\nbuilt = 1600\n[install]",
        )
        + "implementations = [\"x >=7\"]\n[instance.trixie]\n[instance.sid]\nwhat = \"the newest\"\napt = [\"x-7\"]\nconfirmed = [\"7.1\"]\n[instance.sid.broken-dialects]\ncl12 = \"all\"\n[instance.sid.environment]\nA = \"2\"\nC = \"3\"\n[instance.sid.zygote]\nidle-threads = 1\nwork = \"builds\"\n[instance.sid.first-batch]\nlaunched = 8\n";
    let device = load_device("x", "x.toml", &text).unwrap();
    assert_eq!(instance_names("x", &text), ["x@sid", "x@trixie"]);
    assert_eq!(device.instances().collect::<Vec<_>>(), ["x@sid", "x@trixie"]);
    assert_eq!(device.confirmed, ["3.1", "7.1"]);
    let [sid, trixie] = ["sid", "trixie"].map(|release| device.in_release(release).unwrap());
    assert_eq!((sid.name.as_str(), sid.family.as_str()), ("x@sid", "x"));
    assert_eq!(
        (sid.what.as_str(), trixie.what.as_str()),
        ("the newest", "a device (Debian trixie)")
    );
    assert_eq!(
        (sid.install.apt.clone(), trixie.install.apt.clone()),
        (vec!["x-7".to_owned()], device.install.apt.clone())
    );
    assert_eq!((sid.release.as_deref(), trixie.release.as_deref()), (Some("sid"), Some("trixie")));
    assert_eq!(
        (sid.broken_dialects.len(), trixie.broken_dialects.len()),
        (1, device.broken_dialects.len())
    );
    assert!(device.in_release("bookworm").is_none());
    let variables = |device: &DeviceFile| {
        let variables = device.environment.iter().map(|(name, value)| format!("{name}={value}"));
        variables.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(variables(&device), "A=1 B=1");
    assert_eq!(
        (variables(&sid), variables(&trixie)),
        ("A=2 B=1 C=3".to_owned(), "A=1 B=1".to_owned())
    );
    // The threads of a version are given for that version.
    let zygote = Zygote { idle_threads: 1, work: ZygoteWork::Builds, ..Zygote::default() };
    assert_eq!(device.zygote, Some(Zygote::default()));
    assert_eq!((sid.zygote, trixie.zygote), (Some(zygote), None));
    assert_eq!(device.first_batch.built.get(), 1600);
    assert_eq!((sid.first_batch.launched.get(), trixie.first_batch), (8, FirstBatch::default()));
    let there = device.in_folder("/opt/x/").unwrap();
    assert_eq!((there.name.as_str(), there.first_batch), ("x@/opt/x/", FirstBatch::default()));
    assert!(
        matches!(there.kind, DeviceKind::Opencl { icd: Some(icd), .. } if icd == "/opt/x/*libx.so*")
    );
    assert!(load_device("x", "x.toml", FILE).unwrap().in_folder("/opt/x").is_none());
    // What is known of a version is shown where that version is.
    assert_eq!(device.shows(&device.deviations[0]), "x@sid");
}

#[test]
fn a_pattern_of_a_version_speaks_of_its_variants() {
    for (pattern, case, expected) in [
        ("a/b/cl30/*", "a/b/cl30/x=1", true),
        ("a/b/cl30/*", "a/b/cl30-generic/x=1", true),
        ("*/cl30/*", "a/b/cl30-globals/x=1", true),
        ("a/b/cl30/x=?", "a/b/cl30-generic-globals/x=1", true),
        ("a/b/cl30/*", "a/b/cl20/x=1", false),
        // One of the variants, and one case, are just these.
        ("a/b/cl30-generic/*", "a/b/cl30-generic-globals/x=1", false),
        ("a/b/cl30/x=1", "a/b/cl30-generic/x=1", false),
        ("a/b/cl12/*", "a/b/cl30/x=1", false),
    ] {
        let text = FILE.replace("conversion/*/cl12/*", pattern);
        let device = load_device("x", "x.toml", &text).unwrap();
        assert_eq!(device.deviations[0].matches(case), expected, "{pattern} {case}");
        let index = PatternIndex::new(&device.deviations);
        assert_eq!(!index.matching(case).is_empty(), expected, "{pattern} {case}");
    }
}

#[test]
fn only_a_pass_mends_an_example() {
    let text = format!("{FILE}example = \"conversion/a/cl12/x=1\"\n");
    let device = load_device("x", "x.toml", &text).unwrap();
    for (kind, stale, mended) in [
        (FindingKind::Fail, 0, false),
        (FindingKind::Inconclusive, 0, false),
        (FindingKind::Crash, 0, false),
        (FindingKind::Pass, 0, true),
    ] {
        let judged = |id, kind| JudgedCase { id, finding: finding(kind), ..JUDGED };
        let cases = [
            judged("conversion/a/cl12/x=1", kind),
            judged("conversion/a/cl12/x=2", FindingKind::Fail),
        ];
        let report = compare_with_baseline(&device.deviations, &cases, |_, _| false);
        assert_eq!(report.stale.len(), stale);
        assert_eq!(report.stale_parts == [(0, Part::Example)], mended, "{kind:?}");
        // Nor is an entry without it.
        let alone = compare_with_baseline(&device.deviations, &cases[..1], |_, _| false);
        assert_eq!(alone.stale == [0], mended, "{kind:?}");
    }
}

#[test]
fn entries_name_what_a_device_does() {
    let text = FILE.replace("[\"fail\"]", "[\"accepts-invalid\", \"wrong-line\"]");
    let device = load_device("x", "x.toml", &text).unwrap();
    for (kind, reason, explained) in [
        (FindingKind::Fail, Reason::AcceptsInvalid, true),
        (FindingKind::Fail, Reason::WrongPlace, true),
        (FindingKind::Fail, Reason::RejectsValid, false),
        (FindingKind::Crash, Reason::DriverDied, false),
    ] {
        let finding = Finding { kind, reason };
        let case = JudgedCase { finding, ..JUDGED };
        let report = compare_with_baseline(&device.deviations, &[case], |_, _| false);
        assert_eq!(report.unexpected.is_empty(), explained, "{reason:?}");
    }
}

#[test]
fn entries_that_cover_what_passes_are_too_wide() {
    for (findings, deviating, of, too_wide) in [
        ("accepts-invalid", 9, 10, false),
        ("accepts-invalid", 8, 9, true),
        ("accepts-invalid", 89, 100, true),
        ("rejects-valid", 10, 10, true),
        ("wrong-value", 0, 10, false),
        // As baselines were written before findings had a direction.
        ("fail", 1, 10, false),
    ] {
        let text = FILE.replace("\"fail\"", &format!("\"{findings}\""));
        let device = load_device("x", "x.toml", &text).unwrap();
        let ids: Vec<String> = (0..of).map(|n| format!("conversion/a/cl12/x={n}")).collect();
        let judged = |(index, id): (usize, &'static str)| JudgedCase {
            id,
            verdict: if findings == "rejects-valid" { Verdict::Accept } else { Verdict::Reject },
            finding: finding(if index < deviating { FindingKind::Fail } else { FindingKind::Pass }),
            ..JUDGED
        };
        let ids: Vec<&'static str> = ids.into_iter().map(|id| &*id.leak()).collect();
        let cases: Vec<JudgedCase<'_>> = ids.into_iter().enumerate().map(judged).collect();
        let report = compare_with_baseline(&device.deviations, &cases, |_, _| false);
        let entry = &device.deviations[0];
        assert_eq!(
            entry.is_too_wide(&report.coverage[0]),
            too_wide,
            "{findings} {deviating} of {of}"
        );
    }
}

#[test]
fn a_condition_narrows_an_entry() {
    let axes: Axes = [("from", ["local", "global"]), ("to", ["local", "global"])]
        .map(|(name, values)| (name.to_owned(), values.map(str::to_owned).to_vec()))
        .into();
    let entry = |when: &str, cases: &str| {
        let text =
            FILE.replace("[\"conversion/*/cl12/*\"]", &format!("[\"{cases}\"]\nwhen = \"{when}\""));
        let mut device = load_device("x", "x.toml", &text).unwrap();
        let rules = [Rule::of_axes("conversion/a", axes.clone())];
        resolve(&mut device.deviations, &rules, &["conversion/a"]).map(|()| device)
    };
    let device = entry("not overlaps(from, to) and version >= 1.2", "conversion/a/*").unwrap();
    for (id, covered) in [
        ("conversion/a/cl12/from=local,to=global", true),
        ("conversion/a/cl11/from=local,to=global", false),
        ("conversion/a/cl12/from=local,to=local", false),
        ("conversion/b/cl12/from=local,to=global", false),
    ] {
        assert_eq!(device.deviations[0].matches(id), covered, "{id}");
    }
    for (when, cases, expected) in [
        (
            "form == x",
            "conversion/a/*",
            "x.toml:13:9: of `conversion/a`: `form` is not an axis of this rule; did you mean \
             `from`?",
        ),
        (
            "from == loca",
            "conversion/a/*",
            "x.toml:13:17: of `conversion/a`: `loca` is not a value of the axis `from`; did you \
             mean `local`?",
        ),
        (
            "from == local",
            "conversion/*",
            "x.toml:13:9: `when` is about the axes of a rule: name the rule in `conversion/*`, as `family/rule/*`",
        ),
        (
            "from == local",
            "conversion/x/*",
            "x.toml:13:9: `conversion/x` is not a rule; did you mean `conversion/a`?",
        ),
    ] {
        let error = entry(when, cases).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some(expected));
    }
}

#[test]
fn bad_files_are_rejected() {
    for (from, to, expected) in [
        (
            "[install]",
            "[broken-dialects]\ncl3 = \"x\"\n\n[install]",
            "x.toml:9:1: `cl3` is not a dialect; did you mean `cl30` or `cl31`?",
        ),
        ("\"fail\"", "\"fale\"", "x.toml:13:13: unknown value `fale`; did you mean `fail`?"),
        (
            "accepts it",
            " ",
            "x.toml:15:10: a deviation needs a reason: say what the driver does wrong",
        ),
        (
            "\"fail\"",
            "\"pass\"",
            "x.toml:13:13: unknown value `pass`; the choices are `accepts-invalid`, `rejects-valid`, `wrong-line`, `wrong-rule`, `fails-later`, `wrong-value`, `lowered-wrong`, `timeout`, `crash`, `crash-with-others`, `inconclusive`, `flaky`, `fail`",
        ),
        (
            "findings = [\"fail\"]",
            "",
            "x.toml:12:9: say what is known: either `findings`, `behaves-as` or, for random \
             programs, `shape`",
        ),
        (
            "findings = [\"fail\"]",
            "behaves-as = \"cl3\"",
            "x.toml:13:14: `cl3` is not a dialect; did you mean `cl30` or `cl31`?",
        ),
        (
            "kind = \"driver-bug\"",
            "kind = \"driver-bug\"\nexample = \"a/b\"",
            "x.toml:15:11: the example is not one of the entry's cases",
        ),
        (
            "kind = \"driver-bug\"",
            "kind = \"driver-bug\"\nimplementations = [\"x >=\"]",
            "x.toml:15:20: `>=` is not a condition on versions: write them as `x >=13, <22`",
        ),
        (
            "kind = \"driver-bug\"",
            "kind = \"driver-bug\"\nfirst-seen = \"3.1\"",
            "x.toml:15:14: versions are given once in a file, as `confirmed = [...]` at its \
             beginning, and front ends in `implementations`: remove it",
        ),
        (
            "[install]\n",
            "[install]\npip = [\"tbb==2023.2.0\"]\n",
            "x.toml:9:7: `tbb==2023.2.0` names no version and hash: write `NAME==VERSION --hash=sha256:HASH`, as `pip hash` of the file that `pip download NAME` brings prints it",
        ),
        (
            "[install]\n",
            "[install]\npip = [\"tbb --hash=sha256:12\"]\n",
            "x.toml:9:7: `tbb --hash=sha256:12` names no version and hash: write `NAME==VERSION --hash=sha256:HASH`, as `pip hash` of the file that `pip download NAME` brings prints it",
        ),
        (
            "front-end",
            "worker = \"w\"\nfront-end",
            "x.toml:2:10: `worker` is the program that the command `via` starts: name one, or remove it",
        ),
        (
            "front-end",
            "release = \"../etc\"\nfront-end",
            "x.toml:2:11: `../etc` is not a release of Debian: name one, such as `sid` or `trixie`",
        ),
        (
            "front-end",
            "release = \"sid\"\nroot = \"/r\"\nfront-end",
            "x.toml:3:8: `release` is the root folder that `--install` makes: remove `root`",
        ),
        (
            "[install]\n",
            "[instance.sid]\npackages = []\n[install]\n",
            "x.toml:9:1: unknown key `packages`; the choices are `what`, `front-end`, `device`, `apt`, `broken-dialects`, `environment`, `zygote`, `first-batch`, `confirmed`",
        ),
        (
            "platform = \"Portable Computing Language\"\n",
            "platform = \"x\"\n[instance.sid.device]\ntype = \"command\"\ncommand = [\"c\"]\nversion = [\"c\"]\n[[instance.sid.device.then]]\nname = \"a: b\"\ncommand = [\"c\"]\n",
            "x.toml:12:1: `a: b` is not a valid name of a step: name it in letters, digits, spaces \
             and `-+._`, as `spirv-val`",
        ),
        (
            "type = \"opencl\"\nplatform = \"Portable Computing Language\"\n",
            "type = \"command\"\ncommand = [\"c\"]\nversion = [\"c\"]\n[[device.then]]\nname = \"spirv-val\"\ncommand = []\n",
            "x.toml:9:1: the command of the step `spirv-val` is empty: name a program",
        ),
        (
            "type = \"opencl\"\nplatform = \"Portable Computing Language\"\n",
            "type = \"command\"\ncommand = [\"c\"]\nversion = [\"c\"]\n[zygote]\n",
            "x.toml:8:1: a worker is forked to save loading a driver, and this device has none: \
             remove `[zygote]`",
        ),
        ("front-end", "frontend", "x.toml:2:1: unknown key `frontend`; did you mean `front-end`?"),
    ] {
        let error = load_device("x", "x.toml", &FILE.replacen(from, to, 1)).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn bad_files_of_front_ends_are_rejected() {
    let file = "[[deviation]]\nimplementations = [\"clang 15\"]\ncases = [\"a/*\"]\nfindings = [\"fail\"]\nkind = \"driver-bug\"\nreason = \"accepts it\"\n";
    let read = load_front_end("f.toml", file).unwrap();
    let identity = |front_end| Identity {
        device: "pocl",
        family: "pocl",
        driver: None,
        front_end,
        version_pattern: None,
    };
    assert!(read[0].is_of(&identity("clang 15")) && !read[0].is_of(&identity("clang 16")));
    let missing = "name the front ends or devices that the entry is about, as `implementations = \
         [\"clang >=13, <22\", \"pocl\"]`";
    for (from, to, expected) in [
        ("implementations = [\"clang 15\"]\n", "", &*format!("f.toml:2:9: {missing}")),
        ("[\"clang 15\"]", "[]", &*format!("f.toml:2:19: {missing}")),
        (
            "clang 15",
            "clang >=15,",
            "f.toml:2:20: `` is not a condition on versions: write them as `clang >=13, <22`",
        ),
        (
            "implementations",
            "seen-in",
            "f.toml:2:11: versions are given once in a file, as `confirmed = [...]` at its \
             beginning, and front ends in `implementations`: remove it",
        ),
        (
            "findings = [\"fail\"]",
            "behaves-as = \"cl30\"",
            "f.toml:4:14: `behaves-as` is a key of device files: remove it",
        ),
        (
            "implementations",
            "implementation",
            "f.toml:2:1: unknown key `implementation`; did you mean `implementations`?",
        ),
    ] {
        let error = load_front_end("f.toml", &file.replacen(from, to, 1)).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}
