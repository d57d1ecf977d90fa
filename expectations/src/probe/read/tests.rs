use super::{
    super::{
        Limits,
        compare::{compare, ideal},
        plan::{KernelArgument, Observation, Operation, RunAnswer},
    },
    *,
};
use crate::outcome::RunKind;

const GOOD: &str = r#"seed = 7
shapes = [{ items = [6], group = [3] }, { items = [4, 2], group = [2, 2] }]

[buffer.in]
holds = "int, pad 4, float2"
length = "items"
fill = "random"

[buffer.out]
holds = "int"
length = "items + 2"
fill = "poison"

[[step]]
launch = { kernel = "k", arguments = ["in", "out", "local 4 * group_size", "int 3"] }

[[step]]
check = { buffer = "out", equals = "in[item(group(i), 0), 0] + 3", only = "i < items" }
"#;

fn limits() -> Limits {
    [("mem_base_addr_align".to_owned(), 1024)].into()
}

#[test]
fn a_good_text_becomes_calls() {
    let probe = read("p.toml", GOOD).unwrap();
    let plan = probe.plan(&limits()).unwrap();
    assert_eq!(plan.rounds.len(), 2);
    let names: Vec<&str> = plan.rounds[0]
        .iter()
        .map(|operation| match operation {
            Operation::Create { buffer, .. } | Operation::Read { buffer } => buffer,
            Operation::Launch { kernel, .. } => kernel,
            _ => "other",
        })
        .collect();
    assert_eq!(names, ["in", "out", "k", "out", "in", "out"]);
    assert_eq!(plan, read("p.toml", GOOD).unwrap().plan(&limits()).unwrap());
}

#[test]
fn what_is_computed_from_a_buffer_is_computed_from_what_it_holds() {
    let held =
        "[buffer.held]\nholds = \"int\"\nlength = \"items\"\nfill = \"in[i, 0]\"\n\n[buffer.in]";
    let probe = read("p.toml", &GOOD.replacen("[buffer.in]", held, 1)).unwrap();
    let plan = probe.plan(&limits()).unwrap();
    let contents = |name: &str| {
        let contents = plan.rounds[0].iter().find_map(|operation| match operation {
            Operation::Create { buffer, bytes, guard, .. } if buffer == name => {
                Some(bytes[*guard..bytes.len() - guard].to_vec())
            }
            _ => None,
        });
        contents.unwrap()
    };
    let first = |bytes: Vec<u8>, element: usize| {
        bytes.chunks(element).map(|element| element[..4].to_vec()).collect::<Vec<_>>()
    };
    assert_eq!(first(contents("held"), 4), first(contents("in"), 16));
}

#[test]
fn an_object_by_value_has_the_bytes_of_its_fields() {
    let text = GOOD.replacen("int 3", "uchar, pad 3, short2: 2 * f - in[1, 0] * 0 + group_size", 1);
    let plan = read("p.toml", &text).unwrap().plan(&limits()).unwrap();
    let given = plan.rounds[1].iter().find_map(|operation| match operation {
        Operation::Launch { arguments, .. } => arguments.last().cloned(),
        _ => None,
    });
    assert_eq!(given, Some(KernelArgument::Value(vec![4, 0xa5, 0xa5, 0xa5, 6, 0, 8, 0])));
}

#[test]
fn every_wrong_byte_is_noticed_but_padding() {
    let probe = read("p.toml", GOOD).unwrap();
    let right = ideal(&probe, &limits()).unwrap();
    let run = compare(&probe, &limits(), &right);
    assert_eq!((run.kind, run.differing, run.detail.as_str()), (RunKind::Completed, 0, ""));
    let RunAnswer::Done { rounds, .. } = &right else { panic!("{right:?}") };
    let mut unnoticed = 0;
    for (round, answer) in rounds.iter().enumerate() {
        for (place, observation) in answer.observations.iter().enumerate() {
            let Observation::Bytes(bytes) = observation else { continue };
            for byte in 0..bytes.len() {
                let mut wrong = rounds.clone();
                if let Observation::Bytes(bytes) = &mut wrong[round].observations[place] {
                    bytes[byte] ^= 0x41;
                }
                let answer = RunAnswer::Done { rounds: wrong, seconds: 0.0 };
                unnoticed += usize::from(compare(&probe, &limits(), &answer).differing == 0);
            }
        }
    }
    // 4 bytes of padding in each of 6 and 8 elements, looked at once.
    assert_eq!(unnoticed, 4 * (6 + 8));
}

#[test]
fn what_is_missing_is_a_failure() {
    let probe = read("p.toml", GOOD).unwrap();
    let RunAnswer::Done { mut rounds, .. } = ideal(&probe, &limits()).unwrap() else { panic!() };
    rounds[1].observations.truncate(1);
    rounds[1].failed = Some("clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES".to_owned());
    let run = compare(&probe, &limits(), &RunAnswer::Done { rounds, seconds: 0.0 });
    assert_eq!(run.kind, RunKind::Failed);
    assert_eq!(
        run.detail,
        "4x2 work-items in groups of 2x2: clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES"
    );
}

#[test]
fn bad_texts_are_rejected_with_place_and_remedy() {
    for (from, to, expected) in [
        (
            "holds = \"int\"",
            "hold = \"int\"",
            "p.toml:10:1: unknown key `hold`; did you mean `holds`?",
        ),
        ("\"int\"", "\"itn\"", "p.toml:10:9: `itn` is not a type of a field; did you mean `int`?"),
        ("[2, 2]", "[3, 2]", "p.toml:2:10: [4, 2] work-items are not whole groups of [3, 2]"),
        ("[3]", "[7]", "p.toml:2:10: [6] work-items are not whole groups of [7]"),
        (
            "\"in\", \"out\"",
            "\"in\", \"uot\"",
            "p.toml:15:45: `uot` is not a buffer; did you mean `out`?",
        ),
        (
            "int 3",
            "int3 3",
            "p.toml:15:76: `int3` is not a scalar; an object by value is `LAYOUT: VALUE`",
        ),
        (
            "int 3",
            "int3, itn: 3",
            "p.toml:15:76: `itn` is not a type of a field; did you mean `int`?",
        ),
        ("int 3", "int3: f +", "p.toml:15:76: a value is missing at the end"),
        (
            "fill = \"random\"",
            "fill = \"out[i]\"",
            "p.toml:7:8: `out` is not `random`: the contents of a buffer can be computed only from buffers that are",
        ),
        ("i < items", "i <", "p.toml:18:75: a value is missing at the end"),
        (
            "holds = \"int\"",
            "kind = \"image\"\nholds = \"int\"",
            "p.toml:11:9: `int` is not a texel: that is four fields of one type of at most 32 bits, such as `uchar4`",
        ),
        (
            "holds = \"int\"",
            "row = \"2\"\nholds = \"int\"",
            "p.toml:10:7: only an image has rows: add `kind = \"image\"`",
        ),
        (
            "int 3",
            "sampler clam",
            "p.toml:15:76: `clam` is not an addressing mode; did you mean `clamp`?",
        ),
        (
            ", only = \"i < items\"",
            ", record = [\"x\"]",
            "p.toml:18:20: a check has either `equals` or `record`",
        ),
    ] {
        assert!(GOOD.contains(from), "{from}");
        let error = read("p.toml", &GOOD.replacen(from, to, 1)).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn an_image_has_rows_and_no_guards() {
    let image = |row: &str| {
        let image = format!("kind = \"image\"\nholds = \"uchar4\"\n{row}");
        let text =
            GOOD.replacen("holds = \"int\"", &image, 1).replacen("\"items + 2\"", "\"8\"", 1);
        let plan = read("p.toml", &text).unwrap().plan(&limits())?;
        let made = plan.rounds[0].iter().find_map(|operation| match operation {
            Operation::CreateImage { channel, width, height, bytes, .. } => {
                Some((*channel, *width, *height, bytes.len()))
            }
            _ => None,
        });
        Ok::<_, String>(made.unwrap())
    };
    assert_eq!(image(""), Ok((Channel::UnsignedInt8, 8, None, 32)));
    assert_eq!(image("row = \"4\""), Ok((Channel::UnsignedInt8, 4, Some(2), 32)));
    assert_eq!(image("row = \"3\""), Err("8 texels of `out` are not whole rows of 3".to_owned()));
}

quickcheck::quickcheck! {
    fn any_text_is_answered(text: String) -> bool {
        read("p.toml", &text).is_err()
    }
}
