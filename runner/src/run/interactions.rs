//! Faults of a driver that take several programs, or several kernels in one. They are reproduced, reduced, and
//! distinguished from cases that fail at random.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem, slice,
    sync::Arc,
    time::{Duration, Instant},
};

use expectations::{
    device::DeviceFile,
    dialect::Dialect,
    judge::{Finding, FindingKind, Reason},
    outcome::{Outcome, OutcomeKind},
};
use results::{line::Interaction, text::one_line};

use crate::{
    device::text::telling_line,
    engine::{
        Attempt, Cancel, Company, Config, EngineError, Job, Record, Replayer, Symptom, replaying,
    },
};

/// Number of builds after which a fault that did not show is given up.
const MOST_BUILDS: u32 = 6;
/// Number of builds after which a fault that showed is counted.
const BUILDS: u32 = 3;
/// Number of builds of one case that may fail now and then.
const BUILDS_OF_CASE: u32 = 5;
/// Largest number of faults that are looked for and reported; further ones teach little.
pub(super) const MOST_FAULTS: usize = 12;
/// Time in which they are looked for, however many there are.
const PATIENCE: Duration = Duration::from_mins(3);

/// Number of characters of a log that an interaction shows.
const MOST_OF_LOG: usize = 200;

/// The finding of a case whose answers differ.
pub(super) const FLAKY: Finding =
    Finding { kind: FindingKind::Flaky, reason: Reason::AnswersDiffer };

/// Jobs of each program, in the order they are built.
type Programs = Vec<Arc<[usize]>>;

/// The results of a search for faults that a worker showed after other programs, or with several cases in one.
#[derive(Default)]
pub(super) struct InteractionFindings {
    /// Faults that take several programs or cases.
    pub(super) interactions: Vec<Interaction>,
    /// Jobs that fail alone now and then.
    pub(super) flaky: BTreeMap<usize, Flaky>,
    /// Faults that did not show again.
    pub(super) unshown: Vec<Company>,
}

/// A failure of a case alone that does not show each time.
pub(super) struct Flaky {
    kind: OutcomeKind,
    what: String,
    failed: u32,
    builds: u32,
}

impl Flaky {
    /// Returns the record of the case, which has this one otherwise.
    pub(super) fn record(&self, usual: &Record) -> Record {
        let failure = Attempt {
            kind: self.kind,
            detail: self.what.clone(),
            fresh: true,
            from_outside: false,
        };
        let (failed, builds) = (self.failed as usize, self.builds as usize);
        let mut attempts = vec![failure; failed];
        attempts.extend(vec![usual.first_attempt(); (builds - failed).max(1)]);
        let outcome = Outcome::new(self.kind).with_detail(&self.what);
        Record { attempts, seconds: usual.seconds, batch: 1, ..Record::unbuilt(outcome) }
    }

    /// Returns the failure of a case whose result was reported already.
    pub(super) fn into_interaction(self, id: String) -> Interaction {
        let Self { what, failed: times, builds, .. } = self;
        Interaction { programs: vec![vec![id]], what, times, builds }
    }
}

/// Whether the driver failed, and not the machine.
pub(super) fn is_fault(company: &Company) -> bool {
    matches!(company.symptom, Symptom::Fails(OutcomeKind::Crashed | OutcomeKind::TimedOut))
}

/// Returns the report about a program that the device rejected, and accepted when it was built again.
pub(super) fn two_answers(jobs: &[Job], built: &[usize], rejection: &str) -> Interaction {
    let ids = built.iter().map(|&job| jobs[job].id.clone()).collect();
    let log = one_line(telling_line(rejection).unwrap_or(rejection), MOST_OF_LOG);
    let what = format!("rejected, but accepted when built again: {log}");
    Interaction { programs: vec![ids], what, times: 1, builds: 2 }
}

/// Looks for faults that were seen with programs of these jobs.
pub(super) fn look_for(
    device: &DeviceFile,
    jobs: &[Job],
    config: &Config,
    cancel: &Cancel,
    mut seen: Vec<Company>,
) -> Result<InteractionFindings, EngineError> {
    if seen.is_empty() || cancel.is_cancelled() {
        return Ok(InteractionFindings { unshown: seen, ..InteractionFindings::default() });
    }
    // Small ones are reduced sooner, and explain larger ones.
    let size = |company: &Company| {
        company.programs.last().map_or(0, |jobs| jobs.len()) + company.programs.len()
    };
    seen.sort_by_key(|company| std::cmp::Reverse(size(company)));
    let found = replaying(device, jobs, config, cancel, |replayer| {
        let mut search = Search {
            replayer,
            jobs,
            end: Instant::now() + PATIENCE,
            known: Vec::new(),
            found: InteractionFindings::default(),
        };
        while let Some(company) = seen.pop() {
            if let Some(rest) = search.look(company)? {
                seen.push(rest);
            }
        }
        Ok(search.found)
    })?;
    Ok(found.unwrap_or_default())
}

/// A search for faults that were seen.
struct Search<'s, 'r> {
    replayer: &'s mut Replayer<'r>,
    jobs: &'s [Job],
    end: Instant,
    /// The smallest programs of the faults that were found, with a fault each.
    known: Vec<(Programs, Symptom, String)>,
    found: InteractionFindings,
}

/// A fault that is looked for.
#[derive(Clone, Copy)]
struct Fault<'f> {
    symptom: Symptom,
    what: &'f str,
    /// Dialect of the known-good programs.
    dialect: Dialect,
}

/// Builds of the same programs.
#[derive(Clone, Copy)]
struct Count {
    shown: u32,
    builds: u32,
}

impl Count {
    fn is_each_time(self) -> bool {
        self.shown == self.builds
    }
}

impl Search<'_, '_> {
    /// Looks for one fault; returns what may be left of its programs, where that is not the same fault.
    fn look(&mut self, company: Company) -> Result<Option<Company>, EngineError> {
        let Company { ref programs, symptom, ref what } = company;
        if let Some(smallest) = self.explanation(&company) {
            return self.rest(programs, &smallest, symptom, what);
        }
        let programs = self.without_flaky(programs, symptom);
        let is_over = self.known.len() >= MOST_FAULTS || self.is_late();
        let last_job = programs.iter().rev().find_map(|jobs| jobs.last());
        if let Some(&job) = last_job.filter(|_| !is_over) {
            let fault = Fault { symptom, what, dialect: self.jobs[job].dialect };
            let alone = programs.last().filter(|jobs| !jobs.is_empty()).map(slice::from_ref);
            for programs in alone.into_iter().chain([&programs[..]]) {
                let count = self.count(programs, fault)?;
                if count.is_each_time() {
                    return self.each_time(programs, fault, count);
                }
                if count.shown > 0 {
                    self.now_and_then(programs, fault, count)?;
                    return Ok(None);
                }
            }
        }
        self.found.unshown.push(company);
        Ok(None)
    }

    /// Returns the programs without the cases of the last one that fail alone.
    fn without_flaky(&self, programs: &[Arc<[usize]>], symptom: Symptom) -> Programs {
        let mut programs = programs.to_vec();
        if let Some(last) = programs.last_mut().filter(|_| matches!(symptom, Symptom::Fails(_))) {
            let is_steady = |job: &usize| !self.found.flaky.contains_key(job);
            *last = last.iter().copied().filter(is_steady).collect();
        }
        programs
    }

    /// Returns the smallest programs of a fault that was found, where it shows in these programs too.
    fn explanation(&self, company: &Company) -> Option<Programs> {
        // A driver that no longer works fails with the same words after any programs.
        let is_same = |(programs, symptom, what): &&(Programs, Symptom, String)| {
            *symptom == company.symptom
                && (shows_within(*symptom, &company.programs, programs)
                    || *symptom == Symptom::RejectsGood && *what == company.what)
        };
        self.known.iter().find(is_same).map(|(programs, ..)| programs.clone())
    }

    /// Returns the last program without the cases of a fault that it shows alone, if the rest shows a fault too, or if
    /// there is no time to check it.
    fn rest(
        &mut self,
        programs: &[Arc<[usize]>],
        smallest: &[Arc<[usize]>],
        symptom: Symptom,
        what: &str,
    ) -> Result<Option<Company>, EngineError> {
        let (Some(whole), [part]) = (programs.last(), smallest) else { return Ok(None) };
        let without = |gone: &[usize]| -> Arc<[usize]> {
            whole.iter().copied().filter(|job| !gone.contains(job)).collect()
        };
        let rest = without(part);
        // A case that is left alone fails with each of the others, or it does not take part.
        let left: Programs = match rest.len() {
            0 => return Ok(None),
            1 => part.iter().map(|&job| without(&[job])).collect(),
            _ => vec![rest],
        };
        let Some(&job) = left[0].first() else { return Ok(None) };
        let fault = Fault { symptom, what, dialect: self.jobs[job].dialect };
        for program in &left {
            if !self.is_late() && !self.shows(slice::from_ref(program), fault)? {
                return Ok(None);
            }
        }
        let programs = left[..1].into();
        Ok(Some(Company { programs, symptom, what: what.to_owned() }))
    }

    fn is_late(&self) -> bool {
        Instant::now() > self.end
    }

    /// Builds these programs once; returns whether the fault shows.
    fn shows(
        &mut self,
        programs: &[Arc<[usize]>],
        Fault { symptom, dialect, .. }: Fault<'_>,
    ) -> Result<bool, EngineError> {
        self.replayer.shows(programs, symptom, dialect)
    }

    /// Counts how often these programs show the fault.
    fn count(&mut self, programs: &[Arc<[usize]>], fault: Fault<'_>) -> Result<Count, EngineError> {
        let mut count = Count { shown: 0, builds: 0 };
        while count.builds < MOST_BUILDS && (count.builds < BUILDS || count.shown == 0) {
            count.shown += u32::from(self.shows(programs, fault)?);
            count.builds += 1;
        }
        Ok(count)
    }

    /// Reports the smallest programs of a fault that shows each time; returns the rest of a single program, where the
    /// rest shows it too.
    fn each_time(
        &mut self,
        programs: &[Arc<[usize]>],
        fault: Fault<'_>,
        count: Count,
    ) -> Result<Option<Company>, EngineError> {
        let smallest = self.smallest(programs.to_vec(), fault)?;
        let of_smallest = self.count(&smallest, fault)?;
        if of_smallest.shown == 0 {
            self.tell(programs.to_vec(), fault, count);
            return Ok(None);
        }
        match (&smallest[..], fault.symptom) {
            // The case did not fail alone before.
            ([jobs], Symptom::Fails(kind)) if jobs.len() == 1 => {
                self.add_flaky(jobs[0], kind, fault, of_smallest);
            }
            _ => self.tell(smallest.clone(), fault, of_smallest),
        }
        self.rest(programs, &smallest, fault.symptom, fault.what)
    }

    /// Searches a program that fails at random for the cases that do so alone; reports the programs if there are
    /// none.
    fn now_and_then(
        &mut self,
        programs: &[Arc<[usize]>],
        fault: Fault<'_>,
        count: Count,
    ) -> Result<(), EngineError> {
        let before = self.found.flaky.len();
        let mut parts: Programs = match (fault.symptom, programs) {
            (Symptom::Fails(_), [program]) => vec![Arc::clone(program)],
            _ => Vec::new(),
        };
        while let Some(part) = parts.pop().filter(|_| !self.is_late()) {
            let mut count = Count { shown: 0, builds: 0 };
            while count.builds < BUILDS_OF_CASE && (count.shown == 0 || part.len() == 1) {
                count.shown += u32::from(self.shows(slice::from_ref(&part), fault)?);
                count.builds += 1;
            }
            match (fault.symptom, &part[..]) {
                _ if count.shown == 0 => {}
                (Symptom::Fails(kind), &[job]) => self.add_flaky(job, kind, fault, count),
                (_, jobs) => parts.extend(jobs.chunks(jobs.len().div_ceil(2)).map(Arc::from)),
            }
        }
        if self.found.flaky.len() == before {
            self.tell(programs.to_vec(), fault, count);
        }
        Ok(())
    }

    fn add_flaky(&mut self, job: usize, kind: OutcomeKind, fault: Fault<'_>, count: Count) {
        let Count { shown: failed, builds } = count;
        let flaky = Flaky { kind, what: fault.what.to_owned(), failed, builds };
        self.found.flaky.insert(job, flaky);
    }

    /// Returns as few programs, of as few cases, as show the fault; known-good ones where these do.
    fn smallest(&mut self, programs: Programs, fault: Fault<'_>) -> Result<Programs, EngineError> {
        let end = self.end;
        let mut programs =
            without_needless(programs, end, &mut |left: &[Arc<[usize]>]| self.shows(left, fault))?;
        for index in 0..programs.len() {
            let jobs = mem::take(&mut programs[index]);
            if jobs.is_empty() || self.shows(&programs, fault)? {
                continue;
            }
            let left = without_needless(jobs.to_vec(), end, &mut |left: &[usize]| {
                programs[index] = left.into();
                self.shows(&programs, fault)
            })?;
            programs[index] = left.into();
        }
        Ok(programs)
    }

    fn tell(&mut self, programs: Programs, fault: Fault<'_>, count: Count) {
        let Fault { symptom, what, .. } = fault;
        let ids = |jobs: &Arc<[usize]>| jobs.iter().map(|&job| self.jobs[job].id.clone()).collect();
        let text = match symptom {
            Symptom::Fails(_) => what.to_owned(),
            Symptom::RejectsGood => format!("a known-good program is no longer built: {what}"),
            Symptom::AcceptsBad => "a known-bad program is accepted afterwards".to_owned(),
        };
        let Count { shown: times, builds } = count;
        let programs_told = programs.iter().map(ids).collect();
        let told = Interaction { programs: programs_told, what: text, times, builds };
        self.known.push((programs, symptom, what.to_owned()));
        self.found.interactions.push(told);
    }
}

/// Whether programs that show a fault have these among them, which show it too: in the last of them, where the driver
/// fails on that.
fn shows_within(symptom: Symptom, programs: &[Arc<[usize]>], wanted: &[Arc<[usize]>]) -> bool {
    match (symptom, programs, wanted) {
        (Symptom::Fails(_), [before @ .., last], [wanted_before @ .., wanted_last]) => {
            has_within(slice::from_ref(last), slice::from_ref(wanted_last))
                && has_within(before, wanted_before)
        }
        _ => has_within(programs, wanted),
    }
}

/// Whether programs have these among them, in their order, each with all its cases.
fn has_within(programs: &[Arc<[usize]>], wanted: &[Arc<[usize]>]) -> bool {
    let mut programs = programs.iter();
    wanted.iter().all(|wanted| {
        programs.any(|jobs| {
            let jobs: BTreeSet<usize> = jobs.iter().copied().collect();
            wanted.iter().all(|job| jobs.contains(job))
        })
    })
}

/// Returns the items without those that are not needed for `holds` (delta debugging), as far as the time lasts.
fn without_needless<T: Clone>(
    mut items: Vec<T>,
    end: Instant,
    holds: &mut impl FnMut(&[T]) -> Result<bool, EngineError>,
) -> Result<Vec<T>, EngineError> {
    let mut size = items.len().div_ceil(2);
    while size > 0 && items.len() > 1 {
        let mut start = 0;
        while start < items.len() && items.len() > 1 && Instant::now() < end {
            let stop = (start + size).min(items.len());
            let left = [&items[..start], &items[stop..]].concat();
            if !left.is_empty() && holds(&left)? {
                items = left;
            } else {
                start = stop;
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needless_goes() {
        let end = Instant::now() + Duration::from_mins(1);
        for wanted in [vec![0], vec![7, 90], vec![1, 2, 3, 99]] {
            let mut holds = |left: &[usize]| Ok(wanted.iter().all(|item| left.contains(item)));
            let left = without_needless((0..100).collect(), end, &mut holds).unwrap();
            assert_eq!(left, wanted);
        }
    }

    #[test]
    fn programs_have_smaller_ones_within() {
        let programs =
            |lists: &[&[usize]]| -> Programs { lists.iter().map(|&jobs| jobs.into()).collect() };
        for (all, part, expected) in [
            (&[&[1, 2, 3][..], &[4]][..], &[&[2][..]][..], true),
            (&[&[1, 2, 3], &[4]], &[&[4], &[1]], false),
            (&[&[1], &[2]], &[&[], &[2]], true),
            (&[&[1]], &[&[], &[1]], false),
        ] {
            assert_eq!(has_within(&programs(all), &programs(part)), expected, "{all:?} {part:?}");
        }
        // An earlier program of the same worker did not make the last one fail.
        let (all, part) = (programs(&[&[1, 2], &[3, 4]]), programs(&[&[1, 2]]));
        let fails = Symptom::Fails(OutcomeKind::Crashed);
        for (symptom, expected) in [(fails, false), (Symptom::AcceptsBad, true)] {
            assert_eq!(shows_within(symptom, &all, &part), expected, "{symptom:?}");
        }
    }
}
