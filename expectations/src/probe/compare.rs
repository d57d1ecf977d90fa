//! Comparison of the memory and answers that a worker read with the values that the rule requires.

use std::collections::BTreeMap;

use super::{
    After, Ask, Check, Limits, Probe, RequiredValues, Shape, Step,
    element::{Layout, Value},
    expression::Expression,
    memory::Round,
    plan::{Observation, Question, RoundAnswer, RunAnswer},
    printed,
};
use crate::outcome::{Difference, Run, RunKind};

/// Differences kept of a run; all are counted.
const KEPT: usize = 4;

/// Compares the answer to a probe's plan, from a device with these limits, with the values that the probe requires.
pub fn compare(probe: &Probe, limits: &Limits, answer: &RunAnswer) -> Run {
    let RunAnswer::Done { rounds, .. } = answer else {
        return Run::new(RunKind::BuildsOnly, "builds only");
    };
    let shapes: Vec<(usize, &Shape)> = probe.possible_shapes(limits).collect();
    if shapes.is_empty() {
        return Run::new(RunKind::Lacking, "the device's work-groups are too small");
    }
    let mut comparison = Comparison::default();
    let mut failure = (rounds.len() != shapes.len())
        .then(|| format!("{} rounds were done instead of {}", rounds.len(), shapes.len()));
    for ((index, shape), round) in shapes.into_iter().zip(rounds) {
        comparison.shape = shape.to_string();
        if let Err(why) = comparison.round(probe, index, limits, round) {
            failure.get_or_insert(format!("{}: {why}", comparison.shape));
        }
    }
    let kind = if failure.is_some() { RunKind::Failed } else { RunKind::Completed };
    Run {
        kind,
        detail: failure.unwrap_or_default(),
        differences: comparison.differences,
        differing: comparison.differing,
        recorded: comparison.recorded,
    }
}

#[derive(Default)]
struct Comparison {
    shape: String,
    differences: Vec<Difference>,
    differing: usize,
    recorded: BTreeMap<String, String>,
}

impl Comparison {
    fn differs(&mut self, what: impl FnOnce() -> String, expected: String, seen: String) {
        self.differing += 1;
        if self.differences.len() < KEPT {
            let place = format!("{}, {}", what(), self.shape);
            self.differences.push(Difference { place, expected, seen });
        }
    }

    fn round(
        &mut self,
        probe: &Probe,
        shape: usize,
        limits: &Limits,
        answer: &RoundAnswer,
    ) -> Result<(), String> {
        let mut round = Round::new(probe, shape, limits)?;
        let mut observations = answer.observations.iter();
        let mut next = || {
            let stopped = || {
                answer.failed.clone().unwrap_or_else(|| "less was seen than asked for".to_owned())
            };
            observations.next().ok_or_else(stopped)
        };
        for (step, number) in probe.steps.iter().zip(1..) {
            match step {
                Step::Check(check) => {
                    let Observation::Bytes(seen) = next()? else {
                        return Err(unfit(&check.buffer));
                    };
                    self.check(&mut round, check, seen, number)?;
                }
                Step::Write { buffer, fill } => round.fill(buffer, fill, number - 1)?,
                Step::Ask(ask) => self.ask(&mut round, ask, next()?)?,
                Step::Require(condition) => {
                    if !condition.holds(&round)? {
                        let seen: Vec<String> = round
                            .named
                            .iter()
                            .map(|(name, value)| format!("{name} = {value}"))
                            .collect();
                        self.differs(
                            || format!("step {number}"),
                            condition.to_string(),
                            seen.join(", "),
                        );
                    }
                }
                Step::Reject(reject) => {
                    let Observation::Status(status) = next()? else {
                        return Err(unfit("a rejection"));
                    };
                    if !reject.status.contains(status) {
                        let what = || {
                            format!(
                                "argument {} of {} given {:?}",
                                reject.argument, reject.kernel, reject.value
                            )
                        };
                        self.differs(what, reject.status.join(" or "), status.clone());
                    }
                }
                Step::Launch(launch) => {
                    let Some(prints) = &launch.prints else { continue };
                    let Observation::Printed(seen) = next()? else {
                        return Err(unfit("what was printed"));
                    };
                    if let Some(difference) = printed::difference(prints, &round, seen)? {
                        let what = || format!("printed at step {number}");
                        self.differs(what, difference.expected, difference.seen);
                    }
                }
                Step::Build(_) => {}
            }
        }
        for buffer in &probe.buffers {
            let Observation::Bytes(seen) = next()? else { return Err(unfit(&buffer.name)) };
            self.memory(&round, &buffer.name, seen, "at the end")?;
        }
        answer.failed.clone().map_or(Ok(()), Err)
    }

    fn check(
        &mut self,
        round: &mut Round<'_>,
        check: &Check,
        seen: &[u8],
        number: usize,
    ) -> Result<(), String> {
        match &check.seen {
            RequiredValues::Values { .. } | RequiredValues::Listed(_) => {
                round.store_required(check)?;
                self.memory(round, &check.buffer, seen, &format!("at step {number}"))?;
                // A difference is reported only once.
                let inner = inner(round, &check.buffer, seen)?;
                round.store_observed(&check.buffer, inner);
                Ok(())
            }
            RequiredValues::Recorded(names) => {
                let inner = inner(round, &check.buffer, seen)?;
                round.store_observed(&check.buffer, inner);
                self.memory(round, &check.buffer, seen, &format!("at step {number}"))?;
                for (index, name) in names.iter().enumerate() {
                    let value = Expression::element(&check.buffer, index).value(&*round)?;
                    self.record(name, value.to_string());
                }
                Ok(())
            }
        }
    }

    /// Records the value of a name; a value that every round gave is recorded once.
    fn record(&mut self, name: &str, value: String) {
        let known = self.recorded.entry(name.to_owned()).or_default();
        if known.is_empty() {
            *known = value;
        } else if !known.split(" or ").any(|known| known == value) {
            *known = format!("{known} or {value}");
        }
    }

    fn ask(&mut self, round: &mut Round<'_>, ask: &Ask, seen: &Observation) -> Result<(), String> {
        let text = match seen {
            Observation::Number(number) => {
                if let Some(name) = &ask.name {
                    round.named.insert(name.clone(), i128::from(*number));
                }
                number.to_string()
            }
            Observation::Text(text) | Observation::Status(text) => text.clone(),
            Observation::Bytes(_) | Observation::Printed(_) => return Err(unfit("a question")),
        };
        let what = match ask.kernel.as_str() {
            "" => format!("{:?}", ask.what),
            kernel => {
                let after = match ask.after {
                    After::Making => "",
                    After::Setting(_) => ", its arguments set",
                    After::Launching(_) => ", launched before",
                };
                format!("{:?} of {kernel}, argument {}{after}", ask.what, ask.argument)
            }
        };
        if !ask.is.is_empty() && !ask.is.contains(&text) {
            self.differs(|| what, ask.is.join(" or "), text);
        } else if ask.is.is_empty() && matches!(seen, Observation::Status(_)) {
            return Err(format!("{what}: {text}"));
        } else if let Some(name) = &ask.name {
            self.record(name, text);
        }
        Ok(())
    }

    /// Compares every element of a buffer and both of its guards with the expected bytes.
    fn memory(
        &mut self,
        round: &Round<'_>,
        name: &str,
        seen: &[u8],
        when: &str,
    ) -> Result<(), String> {
        let expected = round.with_guards(name);
        let between = inner(round, name, seen)?;
        let guard = (seen.len() - between.len()) / 2;
        for (index, (expected, seen)) in expected.iter().zip(seen).enumerate() {
            let outside = index < guard || index >= guard + between.len();
            if outside && expected != seen {
                let place = || {
                    let bytes = if index < guard {
                        format!("{} bytes before", guard - index)
                    } else {
                        format!("{} bytes behind", index + 1 - guard - between.len())
                    };
                    format!("{bytes} {name} {when}")
                };
                self.differs(place, format!("{expected:#04x}, untouched"), format!("{seen:#04x}"));
            }
        }
        let layout = round.layout(name)?;
        let expected = round.contents(name);
        for index in 0..round.length(name) {
            for (number, field) in layout.fields.iter().enumerate() {
                let range = layout.range(index, field);
                let (want, got) = (
                    field.scalar.value(&expected[range.clone()]),
                    field.scalar.value(&between[range.clone()]),
                );
                // Poison may be NaN, which equals nothing.
                if want != got && expected[range.clone()] != between[range] {
                    let place = || place(layout, name, index, number, when);
                    self.differs(place, show(want), show(got));
                }
            }
        }
        Ok(())
    }
}

fn show(value: Value) -> String {
    value.to_string()
}

fn place(layout: &Layout, name: &str, index: usize, field: usize, when: &str) -> String {
    match layout.fields.len() {
        1 => format!("{name}[{index}] {when}"),
        _ => format!("{name}[{index}, {field}] {when}"),
    }
}

fn unfit(what: &str) -> String {
    format!("the worker answered something else for {what}")
}

/// Returns the bytes between the guards of a buffer that was read.
fn inner<'s>(round: &Round<'_>, name: &str, seen: &'s [u8]) -> Result<&'s [u8], String> {
    let length = round.contents(name).len();
    let guard = round.guard(name);
    seen.get(guard..guard + length)
        .filter(|_| seen.len() == length + 2 * guard)
        .ok_or_else(|| format!("{} bytes were read of {name}", seen.len()))
}

/// Returns the answer of a device without defects, for tests of probes that need no device.
pub fn ideal(probe: &Probe, limits: &Limits) -> Result<RunAnswer, String> {
    let rounds = probe.possible_shapes(limits).map(|(index, _)| ideal_round(probe, index, limits));
    Ok(RunAnswer::Done { rounds: rounds.collect::<Result<_, _>>()?, seconds: 0.0 })
}

fn ideal_round(probe: &Probe, shape: usize, limits: &Limits) -> Result<RoundAnswer, String> {
    let mut round = Round::new(probe, shape, limits)?;
    let mut observations = Vec::new();
    for (number, step) in probe.steps.iter().enumerate() {
        match step {
            Step::Check(check) => {
                round.store_required(check)?;
                observations.push(Observation::Bytes(round.with_guards(&check.buffer)));
            }
            Step::Write { buffer, fill } => round.fill(buffer, fill, number)?,
            Step::Ask(ask) => observations.push(match ask.is.first() {
                Some(text) => Observation::Text(text.clone()),
                None => {
                    let size = match ask.what {
                        Question::WorkGroupSize => {
                            limits.get("max_work_group_size").copied().unwrap_or(1)
                        }
                        // Other questions without an answer of their own are about sizes that grow.
                        _ => (number as u64 + 1) << 20,
                    };
                    if let Some(name) = &ask.name {
                        round.named.insert(name.clone(), i128::from(size));
                    }
                    Observation::Number(size)
                }
            }),
            Step::Reject(reject) => {
                observations
                    .push(Observation::Status(reject.status.first().cloned().unwrap_or_default()));
            }
            Step::Launch(launch) => {
                if let Some(prints) = &launch.prints {
                    observations.push(Observation::Printed(printed::ideal(prints, &round)?));
                }
            }
            Step::Require(_) | Step::Build(_) => {}
        }
    }
    observations
        .extend(probe.buffers.iter().map(|b| Observation::Bytes(round.with_guards(&b.name))));
    Ok(RoundAnswer { observations, failed: None })
}
