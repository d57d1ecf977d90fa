//! The text of a probe, as its template gives it for a case: TOML in, checked [`Probe`] out.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::{
    After, Argument, Ask, Buffer, BufferKind, BuildStep, Check, FieldValues, Fill, GroupSize,
    Launch, MAIN_PROGRAM, Probe, Reject, RequiredValues, Shape, Step,
    element::Layout,
    expression::{self, Expression},
    plan::{Place, Question, WrongValue},
};
use crate::{
    load::{FileError, from_toml, place},
    predicate::suggestion,
};

/// Build options a probe may ask for; every device of the version understands them.
const OPTIONS: [&str; 1] = ["-cl-kernel-arg-info"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawProbe {
    seed: u64,
    #[serde(default)]
    needs: Vec<Spanned<String>>,
    #[serde(default)]
    options: Vec<Spanned<String>>,
    #[serde(default)]
    define: BTreeMap<String, Spanned<String>>,
    shapes: Spanned<Vec<RawShape>>,
    #[serde(default)]
    buffer: BTreeMap<String, RawBuffer>,
    step: Spanned<Vec<RawStep>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawShape {
    items: Vec<usize>,
    group: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawBuffer {
    holds: Spanned<String>,
    length: Spanned<String>,
    fill: Spanned<String>,
    #[serde(default)]
    kind: RawKind,
    program: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RawKind {
    #[default]
    Buffer,
    SharedVirtualMemory,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
enum RawStep {
    Build(RawBuild),
    Launch(RawLaunch),
    Check(RawCheck),
    Write(RawWrite),
    Ask(RawAsk),
    Require(Spanned<String>),
    Reject(RawReject),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawBuild {
    program: String,
    #[serde(default)]
    modules: Vec<Vec<String>>,
    place: Option<Place>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawLaunch {
    kernel: String,
    arguments: Vec<Spanned<String>>,
    program: Option<Spanned<String>>,
    #[serde(default)]
    device: usize,
    #[serde(default)]
    group: RawGroup,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RawGroup {
    #[default]
    Shape,
    Largest,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawCheck {
    buffer: Spanned<String>,
    equals: Option<Spanned<String>>,
    only: Option<Spanned<String>>,
    record: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawWrite {
    buffer: Spanned<String>,
    fill: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawAsk {
    what: Question,
    #[serde(default)]
    kernel: String,
    #[serde(default)]
    argument: u32,
    set: Option<Vec<Spanned<String>>>,
    launched: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    is: Vec<String>,
    name: Option<String>,
    program: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawReject {
    kernel: String,
    argument: u32,
    value: WrongValue,
    status: Vec<String>,
}

/// Parses a probe; `path` names the template and the case in messages.
pub fn read(path: &str, text: &str) -> Result<Probe, FileError> {
    let raw: RawProbe = from_toml(path, text)?;
    let reader = Reader {
        path,
        text,
        buffers: raw.buffer.keys().cloned().collect(),
        programs: raw.step.get_ref().iter().fold(
            vec![MAIN_PROGRAM.to_owned()],
            |mut known, step| {
                if let RawStep::Build(build) = step {
                    known.push(build.program.clone());
                }
                known
            },
        ),
    };
    reader.probe(raw)
}

struct Reader<'t> {
    path: &'t str,
    text: &'t str,
    buffers: Vec<String>,
    programs: Vec<String>,
}

impl Reader<'_> {
    fn error(&self, offset: usize, message: impl Into<String>) -> FileError {
        place(self.path, self.text, offset, message.into())
    }

    fn probe(&self, raw: RawProbe) -> Result<Probe, FileError> {
        let expressions = |texts: &[Spanned<String>]| {
            texts.iter().map(|text| self.expression(text)).collect::<Result<Vec<_>, _>>()
        };
        for option in &raw.options {
            if !OPTIONS.contains(&option.get_ref().as_str()) {
                let name = option.get_ref();
                let message =
                    format!("`{name}` is not an option of a probe{}", suggestion(name, &OPTIONS));
                return Err(self.error(option.span().start, message));
            }
        }
        for buffer in raw.buffer.values() {
            self.reads_random_buffers(&buffer.fill, &raw.buffer)?;
        }
        let buffers = raw.buffer.into_iter().map(|(name, buffer)| self.buffer(name, &buffer));
        let steps = raw.step.get_ref().iter().map(|step| self.step(step));
        let steps: Vec<Step> = steps.collect::<Result<_, _>>()?;
        let looks = |step: &Step| {
            matches!(step, Step::Check(_) | Step::Ask(_) | Step::Require(_) | Step::Reject(_))
        };
        if !steps.iter().any(looks) {
            let start = raw.step.span().start;
            return Err(self.error(start, "nothing is checked: add a `check`, `ask` or `reject`"));
        }
        Ok(Probe {
            seed: raw.seed,
            needs: expressions(&raw.needs)?,
            options: raw.options.into_iter().map(Spanned::into_inner).collect(),
            defines: raw
                .define
                .iter()
                .map(|(name, value)| Ok((name.clone(), self.expression(value)?)))
                .collect::<Result<_, FileError>>()?,
            shapes: self.shapes(&raw.shapes)?,
            buffers: buffers.collect::<Result<_, _>>()?,
            steps,
        })
    }

    fn shapes(&self, raw: &Spanned<Vec<RawShape>>) -> Result<Vec<Shape>, FileError> {
        if raw.get_ref().is_empty() {
            return Err(self.error(raw.span().start, "a probe needs a shape"));
        }
        let shape = |shape: &RawShape| {
            let in_reach =
                |(&items, &group): (&usize, &usize)| group > 0 && items >= group && items < 1 << 16;
            let sizes = || shape.items.iter().zip(&shape.group);
            // In one dimension the last group may have fewer work-items.
            let fits = (1..=3).contains(&shape.items.len())
                && shape.items.len() == shape.group.len()
                && sizes().all(in_reach)
                && (shape.items.len() == 1 || sizes().all(|(items, group)| items % group == 0));
            if fits {
                return Ok(Shape { items: shape.items.clone(), group: shape.group.clone() });
            }
            let message =
                format!("{:?} work-items are not whole groups of {:?}", shape.items, shape.group);
            Err(self.error(raw.span().start, message))
        };
        raw.get_ref().iter().map(shape).collect()
    }

    fn expression(&self, text: &Spanned<String>) -> Result<Expression, FileError> {
        expression::parse(text.get_ref()).map_err(|message| self.error(text.span().start, message))
    }

    fn buffer(&self, name: String, raw: &RawBuffer) -> Result<Buffer, FileError> {
        Ok(Buffer {
            layout: Layout::parse(raw.holds.get_ref())
                .map_err(|message| self.error(raw.holds.span().start, message))?,
            length: self.expression(&raw.length)?,
            fill: self.fill(&raw.fill)?,
            kind: match raw.kind {
                RawKind::Buffer => BufferKind::Buffer,
                RawKind::SharedVirtualMemory => BufferKind::Shared,
            },
            program: raw.program.clone().unwrap_or_else(|| MAIN_PROGRAM.to_owned()),
            name,
        })
    }

    fn fill(&self, text: &Spanned<String>) -> Result<Fill, FileError> {
        match text.get_ref().as_str() {
            "poison" => Ok(Fill::Poison),
            "random" => Ok(Fill::Random),
            _ => self.expression(text).map(Fill::Values),
        }
    }

    /// Rejects contents that are computed from a buffer without random values: contents are computed once, from the
    /// random ones.
    fn reads_random_buffers(
        &self,
        fill: &Spanned<String>,
        buffers: &BTreeMap<String, RawBuffer>,
    ) -> Result<(), FileError> {
        let Fill::Values(expression) = self.fill(fill)? else { return Ok(()) };
        let is_random =
            |name: &&str| buffers.get(*name).is_none_or(|buffer| buffer.fill.get_ref() == "random");
        match expression.buffers().into_iter().find(|name| !is_random(name)) {
            None => Ok(()),
            Some(name) => Err(self.error(
                fill.span().start,
                format!(
                    "`{name}` is not `random`: the contents of a buffer can be computed only \
                     from buffers that are"
                ),
            )),
        }
    }

    fn known_buffer(&self, name: &Spanned<String>) -> Result<String, FileError> {
        if self.buffers.contains(name.get_ref()) {
            return Ok(name.get_ref().clone());
        }
        let known: Vec<&str> = self.buffers.iter().map(String::as_str).collect();
        let hint = suggestion(name.get_ref(), &known);
        Err(self.error(name.span().start, format!("`{}` is not a buffer{hint}", name.get_ref())))
    }

    fn program(&self, name: Option<&Spanned<String>>) -> Result<String, FileError> {
        let Some(name) = name else { return Ok(MAIN_PROGRAM.to_owned()) };
        if self.programs.contains(name.get_ref()) {
            return Ok(name.get_ref().clone());
        }
        let known: Vec<&str> = self.programs.iter().map(String::as_str).collect();
        let hint = suggestion(name.get_ref(), &known);
        Err(self.error(name.span().start, format!("no step builds `{}`{hint}", name.get_ref())))
    }

    fn step(&self, raw: &RawStep) -> Result<Step, FileError> {
        Ok(match raw {
            RawStep::Build(build) => Step::Build(BuildStep {
                program: build.program.clone(),
                modules: match build.modules.as_slice() {
                    [] => vec![Vec::new()],
                    modules => modules.to_vec(),
                },
                place: build.place.unwrap_or(Place::SameContext),
            }),
            RawStep::Launch(launch) => Step::Launch(Launch {
                program: self.program(launch.program.as_ref())?,
                kernel: launch.kernel.clone(),
                device: launch.device,
                arguments: self.arguments(&launch.arguments)?,
                group: match launch.group {
                    RawGroup::Shape => GroupSize::Shape,
                    RawGroup::Largest => GroupSize::Largest,
                },
            }),
            RawStep::Check(check) => {
                let seen = match (&check.equals, &check.record) {
                    (Some(equals), None) => RequiredValues::Values {
                        equals: self.expression(equals)?,
                        only: check.only.as_ref().map(|only| self.expression(only)).transpose()?,
                    },
                    (None, Some(names)) if check.only.is_none() => {
                        RequiredValues::Recorded(names.clone())
                    }
                    _ => {
                        let start = check.buffer.span().start;
                        return Err(self.error(start, "a check has either `equals` or `record`"));
                    }
                };
                Step::Check(Check { buffer: self.known_buffer(&check.buffer)?, seen })
            }
            RawStep::Write(write) => Step::Write {
                buffer: self.known_buffer(&write.buffer)?,
                fill: self.fill(&write.fill)?,
            },
            RawStep::Ask(ask) => Step::Ask(Ask {
                program: self.program(ask.program.as_ref())?,
                what: ask.what,
                kernel: ask.kernel.clone(),
                argument: ask.argument,
                after: match (&ask.set, &ask.launched) {
                    (None, None) => After::Making,
                    (Some(set), None) => After::Setting(self.arguments(set)?),
                    (None, Some(launched)) => After::Launching(self.arguments(launched)?),
                    (Some(set), Some(_)) => {
                        let start = set.first().map_or(0, |argument| argument.span().start);
                        return Err(self.error(start, "an `ask` has either `set` or `launched`"));
                    }
                },
                is: ask.is.clone(),
                name: ask.name.clone(),
            }),
            RawStep::Require(condition) => Step::Require(self.expression(condition)?),
            RawStep::Reject(reject) => Step::Reject(Reject {
                kernel: reject.kernel.clone(),
                argument: reject.argument,
                value: reject.value,
                status: reject.status.clone(),
            }),
        })
    }

    fn arguments(&self, texts: &[Spanned<String>]) -> Result<Vec<Argument>, FileError> {
        texts.iter().map(|text| self.argument(text)).collect()
    }

    /// Parses an argument: `null`, `sampler`, `queue`, `local BYTES`, `int VALUE`, `LAYOUT: VALUE` for an object by
    /// value, the name of a buffer, or `COUNT times` followed by buffers.
    fn argument(&self, text: &Spanned<String>) -> Result<Argument, FileError> {
        if let Some((count, buffers)) = text.get_ref().split_once(" times ") {
            let count = expression::parse(count)
                .map_err(|message| self.error(text.span().start, message))?;
            let buffers = buffers
                .split_whitespace()
                .map(|buffer| self.known_buffer(&Spanned::new(text.span(), buffer.to_owned())));
            return Ok(Argument::Repeated(count, buffers.collect::<Result<_, _>>()?));
        }
        if let Some((layout, value)) = text.get_ref().split_once(':') {
            let at_start = |message| self.error(text.span().start, message);
            return Ok(Argument::Object(
                Layout::parse(layout).map_err(at_start)?,
                FieldValues::Each(expression::parse(value).map_err(at_start)?),
            ));
        }
        let (word, rest) = match text.get_ref().split_once(' ') {
            None => (text.get_ref().as_str(), None),
            Some((word, rest)) => (word, Some(rest)),
        };
        let value = |rest: &str| {
            expression::parse(rest).map_err(|message| self.error(text.span().start, message))
        };
        match (word, rest) {
            ("null", None) => Ok(Argument::Null),
            ("sampler", None) => Ok(Argument::Sampler),
            ("queue", None) => Ok(Argument::Queue),
            ("local", Some(bytes)) => Ok(Argument::Local(value(bytes)?)),
            (_, None) => self.known_buffer(text).map(Argument::Buffer),
            (scalar, Some(rest)) => {
                let layout = Layout::parse(scalar)
                    .map_err(|message| self.error(text.span().start, message))?;
                match layout.fields.as_slice() {
                    [field] => Ok(Argument::Scalar(field.scalar, value(rest)?)),
                    _ => Err(self.error(
                        text.span().start,
                        format!(
                            "`{scalar}` is not a scalar; an object by value is `LAYOUT: VALUE`"
                        ),
                    )),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
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
        let held = "[buffer.held]\nholds = \"int\"\nlength = \"items\"\nfill = \"in[i, 0]\"\n\n[buffer.in]";
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
        let text =
            GOOD.replacen("int 3", "uchar, pad 3, short2: 2 * f - in[1, 0] * 0 + group_size", 1);
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
        let RunAnswer::Done { mut rounds, .. } = ideal(&probe, &limits()).unwrap() else {
            panic!()
        };
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
            (
                "\"int\"",
                "\"itn\"",
                "p.toml:10:9: `itn` is not a type of a field; did you mean `int`?",
            ),
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
                "p.toml:7:8: `out` is not `random`: the contents of a buffer can be computed only \
                 from buffers that are",
            ),
            ("i < items", "i <", "p.toml:18:75: a value is missing at the end"),
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

    quickcheck::quickcheck! {
        fn any_text_is_answered(text: String) -> bool {
            read("p.toml", &text).is_err()
        }
    }
}
