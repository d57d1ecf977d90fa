//! The text of a probe, as its template gives it for a case: TOML in, checked [`Probe`] out.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::{
    After, AnsweredBy, Argument, Ask, Buffer, BufferKind, BuildStep, Check, FieldValues, Fill,
    GroupSize, Launch, MAIN_PROGRAM, Probe, Reject, RequiredValues, Rows, Shape, Step,
    element::Layout,
    expression::{self, Expression},
    plan::{Addressing, Channel, Place, Question, WrongValue},
    printed::{Line, Printing},
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
    #[serde(default)]
    answered_by: AnsweredBy,
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
    before: Option<Spanned<String>>,
    #[serde(default)]
    kind: RawKind,
    row: Option<Spanned<String>>,
    program: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RawKind {
    #[default]
    Buffer,
    SharedVirtualMemory,
    Image,
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
    prints: Option<Vec<RawPrinting>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawPrinting {
    lines: Vec<Spanned<String>>,
    only: Option<Spanned<String>>,
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
        let looks = |step: &Step| match step {
            Step::Check(_) | Step::Ask(_) | Step::Require(_) | Step::Reject(_) => true,
            Step::Launch(launch) => launch.prints.is_some(),
            Step::Build(_) | Step::Write { .. } => false,
        };
        if !steps.iter().any(looks) {
            let start = raw.step.span().start;
            let message =
                "nothing is checked: add a `check`, `ask` or `reject`, or `prints` to a `launch`";
            return Err(self.error(start, message));
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
            answered_by: raw.answered_by,
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
        let layout = Layout::parse(raw.holds.get_ref())
            .map_err(|message| self.error(raw.holds.span().start, message))?;
        let kind = match (raw.kind, &raw.row) {
            (RawKind::Image, _) if Channel::of(&layout).is_none() => {
                let message = format!(
                    "`{}` is not a texel: that is four fields of one type of at most 32 bits, such as `uchar4`",
                    raw.holds.get_ref()
                );
                return Err(self.error(raw.holds.span().start, message));
            }
            (RawKind::Image, None) => BufferKind::Image(Rows::One),
            (RawKind::Image, Some(row)) => BufferKind::Image(Rows::Of(self.expression(row)?)),
            (_, Some(row)) => {
                let message = "only an image has rows: add `kind = \"image\"`";
                return Err(self.error(row.span().start, message));
            }
            (RawKind::Buffer, None) => BufferKind::Buffer,
            (RawKind::SharedVirtualMemory, None) => BufferKind::Shared,
        };
        if let Some(before) = raw.before.as_ref().filter(|_| kind != BufferKind::Buffer) {
            let message = "only a buffer has bytes in front of its elements: leave out `kind`";
            return Err(self.error(before.span().start, message));
        }
        Ok(Buffer {
            layout,
            length: self.expression(&raw.length)?,
            fill: self.fill(&raw.fill)?,
            before: raw.before.as_ref().map(|bytes| self.expression(bytes)).transpose()?,
            kind,
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
                prints: launch.prints.as_ref().map(|prints| self.printings(prints)).transpose()?,
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

    fn printings(&self, prints: &[RawPrinting]) -> Result<Vec<Printing>, FileError> {
        let line = |text: &Spanned<String>| {
            Line::parse(text.get_ref()).map_err(|message| self.error(text.span().start, message))
        };
        let printing = |raw: &RawPrinting| {
            Ok(Printing {
                lines: raw.lines.iter().map(line).collect::<Result<_, _>>()?,
                only: raw.only.as_ref().map(|only| self.expression(only)).transpose()?,
            })
        };
        prints.iter().map(printing).collect()
    }

    fn arguments(&self, texts: &[Spanned<String>]) -> Result<Vec<Argument>, FileError> {
        texts.iter().map(|text| self.argument(text)).collect()
    }

    fn addressing(&self, word: &str, text: &Spanned<String>) -> Result<Addressing, FileError> {
        let names = Addressing::NAMES.map(|(name, _)| name);
        let known = Addressing::NAMES.into_iter().find(|(name, _)| *name == word);
        known.map(|(_, addressing)| addressing).ok_or_else(|| {
            let message = format!("`{word}` is not an addressing mode{}", suggestion(word, &names));
            self.error(text.span().start, message)
        })
    }

    /// Parses an argument: `null`, `sampler ADDRESSING`, `queue`, `local BYTES`, `int VALUE`, `LAYOUT: VALUE` for an object by
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
            ("sampler", Some(word)) => self.addressing(word, text).map(Argument::Sampler),
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
mod tests;
