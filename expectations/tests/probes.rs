//! Calls made from a probe: the sizes that a device decides, and queries before and after a launch.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use expectations::probe::{
    Limits,
    plan::{First, KernelArgument, Operation, Size},
    read::read,
};

/// The calls of the last of two shapes, or why the text is not a probe.
fn calls(steps: &str) -> Result<Vec<Operation>, String> {
    let text = format!(
        r#"seed = 1
shapes = [{{ items = [1], group = [1] }}, {{ items = [6], group = [3] }}]
[buffer.out]
holds = "int"
length = "items"
fill = "poison"
{steps}
[[step]]
check = {{ buffer = "out", equals = "i" }}
"#
    );
    let limits: Limits = [("max_work_group_size".to_owned(), 1024)].into();
    let probe = read("p.toml", &text).map_err(|error| error.to_string())?;
    Ok(probe.plan(&limits)?.rounds.pop().unwrap())
}

fn launched(steps: &str) -> Size {
    let launch = |operation| match operation {
        Operation::Launch { size, .. } => Some(size),
        _ => None,
    };
    calls(steps).unwrap().into_iter().find_map(launch).unwrap()
}

fn asked(steps: &str) -> First {
    let ask = |operation| match operation {
        Operation::Ask { first, .. } => Some(first),
        _ => None,
    };
    calls(steps).unwrap().into_iter().find_map(ask).unwrap()
}

#[test]
fn the_largest_groups_are_as_many_as_the_shape_has() {
    let step = "[[step]]\nlaunch = { kernel = \"k\", arguments = [\"out\"]";
    assert_eq!(launched(&format!("{step} }}")), Size::Of { items: vec![6], group: vec![3] });
    assert_eq!(
        launched(&format!("{step}, group = \"largest\" }}")),
        Size::Largest { groups: 2, most: 1024 }
    );
}

#[test]
fn a_question_says_what_comes_before_it() {
    let step = "[[step]]\nask = { what = \"local-memory\", kernel = \"k\"";
    let given = || {
        vec![
            KernelArgument::Buffer("out".to_owned()),
            KernelArgument::Local(64),
            KernelArgument::Queue,
        ]
    };
    let arguments = "[\"out\", \"local 64\", \"queue\"]";
    assert_eq!(asked(&format!("{step} }}")), First::Nothing);
    assert_eq!(asked(&format!("{step}, set = {arguments} }}")), First::Set(given()));
    assert_eq!(
        asked(&format!("{step}, launched = {arguments} }}")),
        First::Launch(given(), Size::Of { items: vec![6], group: vec![3] })
    );
    assert_eq!(
        calls(&format!("{step}, set = [\"out\"], launched = [\"out\"] }}")).unwrap_err(),
        "p.toml:8:53: an `ask` has either `set` or `launched`"
    );
}
