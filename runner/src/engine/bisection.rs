//! The search for the cases that a whole batch failed on, and what is known when it is over.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use expectations::outcome::{OutcomeKind, Phase};

use super::types::{Company, Symptom};

/// Bisection of a batch that died or hung. Its tasks hold it, and the end of the last task concludes it.
pub(super) struct Bisection {
    jobs: Vec<usize>,
    failure: Failure,
    /// The larger batch that failed before and contains this one.
    whole: Option<Arc<Bisection>>,
    found: Mutex<BisectionFindings>,
}

/// Failure of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// Kind of the outcome.
    pub(super) kind: OutcomeKind,
    /// Signal, status, limit.
    pub(super) detail: String,
    /// Phase of the failure.
    pub(super) phase: Phase,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, detail, phase } = self;
        write!(f, "{kind:?} in the {phase:?} phase: {detail}")
    }
}

impl Failure {
    /// Returns what a driver did with these programs.
    pub(super) fn in_company(&self, programs: Arc<[Arc<[usize]>]>) -> Company {
        Company { programs, symptom: Symptom::Fails(self.kind), what: self.to_string() }
    }

    /// Whether both failures may have the same cause. The place where a driver dies varies by chance; errors of the
    /// machine do not.
    fn is_like(&self, other: &Self) -> bool {
        self.kind == other.kind && (self.kind != OutcomeKind::Failed || self.detail == other.detail)
    }
}

#[derive(Default)]
struct BisectionFindings {
    /// Cases that fail alone, and how.
    culprits: Vec<(usize, Failure)>,
    /// Cases that were built alone and do not fail.
    others: Vec<usize>,
    /// Findings in parts of the batch that failed too.
    in_parts: Vec<InPart>,
}

/// Findings in a part of a batch.
struct InPart {
    /// Failure of the part.
    failure: Failure,
    /// Cases whose behaviour in shared builds is known.
    known: Vec<usize>,
    /// Cases that were built alone and do not fail, after a batch did that had another culprit.
    others: Vec<usize>,
    /// Cases that fail alone, each the only one of a batch that failed.
    culprits: Vec<usize>,
}

/// Conclusion about a failed batch after its cases were built in smaller builds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Conclusion {
    /// The batch failed, and nothing smaller did.
    Unreproduced {
        /// Cases of the batch.
        jobs: Vec<usize>,
        /// Description of the failure.
        what: String,
    },
    /// Whether it would have failed without those that fail alone is open: these have to be built together.
    Companions {
        /// The cases.
        jobs: Vec<usize>,
        /// Cases that fail alone, each the only one of a batch that failed. If the others behave together, it was
        /// this one that the batch failed on.
        culprits: Vec<usize>,
    },
}

impl Bisection {
    /// Starts the bisection of a batch that failed like this; `whole` is the larger batch that failed before and
    /// contains it.
    pub(super) fn new(jobs: Vec<usize>, failure: Failure, whole: Option<Arc<Self>>) -> Arc<Self> {
        Arc::new(Self { jobs, failure, whole, found: Mutex::default() })
    }

    /// Records that one of the cases was built alone, with its failure if it failed in the same way.
    pub(super) fn built_alone(&self, job: usize, failure: Option<Failure>) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        match failure {
            Some(failure) => found.culprits.push((job, failure)),
            None => found.others.push(job),
        }
    }

    /// Ends a task of the bisection. Returns the conclusions about the batches that have no tasks left.
    pub(super) fn task_is_over(self: Arc<Self>) -> Vec<Conclusion> {
        let mut conclusions = Vec::new();
        let mut ended = Arc::into_inner(self);
        while let Some(Self { jobs, failure, whole, found }) = ended {
            let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
            let mut culprits = Vec::new();
            if let ([(job, alone)], []) = (&found.culprits[..], &found.in_parts[..])
                && alone.is_like(&failure)
            {
                culprits.push(*job);
            }
            let alone = found.culprits.iter().map(|(_, failure)| failure);
            let mut smaller = alone.chain(found.in_parts.iter().map(|part| &part.failure));
            let is_shown = smaller.any(|smaller| smaller.is_like(&failure));
            let is_innocent = found.culprits.is_empty() && found.in_parts.is_empty();
            let mut known: Vec<usize> = found.culprits.iter().map(|&(job, _)| job).collect();
            let mut others = found.others;
            for part in found.in_parts {
                known.extend(part.known);
                others.extend(part.others);
                culprits.extend(part.culprits);
            }
            if is_innocent {
                known.clone_from(&jobs);
                others.clear();
            }
            if !is_shown {
                let what = failure.to_string();
                conclusions.push(Conclusion::Unreproduced { jobs: jobs.clone(), what });
            }
            ended = match whole {
                Some(whole) => {
                    let mut found = whole.found.lock().unwrap_or_else(PoisonError::into_inner);
                    found.in_parts.push(InPart { failure, known, others, culprits });
                    drop(found);
                    Arc::into_inner(whole)
                }
                None => {
                    if let [only] = others[..] {
                        let mut more = jobs.iter().filter(|&&job| job != only);
                        others.extend(more.find(|job| !known.contains(job)));
                    }
                    if others.len() > 1 {
                        conclusions.push(Conclusion::Companions { jobs: others, culprits });
                    }
                    None
                }
            };
        }
        conclusions
    }
}

#[cfg(test)]
mod tests {
    use super::{Arc, Bisection, Conclusion, Failure, OutcomeKind, Phase};

    fn died() -> Failure {
        Failure { kind: OutcomeKind::Crashed, detail: "SIGSEGV".to_owned(), phase: Phase::Build }
    }

    fn build_alone(
        tasks: Vec<Arc<Bisection>>,
        alone: &[(usize, Option<Failure>)],
    ) -> Vec<Conclusion> {
        let mut concluded = Vec::new();
        for ((job, failure), task) in alone.iter().zip(tasks) {
            task.built_alone(*job, failure.clone());
            concluded.extend(task.task_is_over());
        }
        concluded
    }

    fn check(alone: &[(usize, Option<Failure>)], expected: &[Conclusion]) {
        let jobs = alone.iter().map(|&(job, _)| job).collect();
        let tasks = vec![Bisection::new(jobs, died(), None); alone.len()];
        assert_eq!(build_alone(tasks, alone), expected);
    }

    fn unreproduced(jobs: &[usize]) -> Conclusion {
        Conclusion::Unreproduced { jobs: jobs.to_vec(), what: died().to_string() }
    }

    #[test]
    fn what_is_known_when_all_were_built_alone() {
        check(&[(1, None), (2, None)], &[unreproduced(&[1, 2])]);
        // The first may have made it fail by being with another.
        check(&[(1, None), (2, Some(died()))], &[]);
        check(&[(1, None), (2, Some(died())), (3, None)], &[companions(&[1, 3], &[2])]);
        // Either may have been what the batch died of.
        check(&[(1, Some(died())), (2, Some(died()))], &[]);
        let hung = Failure { kind: OutcomeKind::TimedOut, ..died() };
        check(&[(1, None), (2, Some(hung))], &[unreproduced(&[1, 2])]);
    }

    fn companions(jobs: &[usize], culprits: &[usize]) -> Conclusion {
        Conclusion::Companions { jobs: jobs.to_vec(), culprits: culprits.to_vec() }
    }

    #[test]
    fn the_smallest_batch_that_fails_is_told_and_no_larger_one() {
        let whole = Bisection::new(vec![1, 2, 3, 4], died(), None);
        let part = Bisection::new(vec![1, 2], died(), Some(Arc::clone(&whole)));
        assert_eq!(whole.task_is_over(), []);
        let concluded = build_alone(vec![part; 2], &[(1, None), (2, None)]);
        assert_eq!(concluded, [unreproduced(&[1, 2])]);
    }

    #[test]
    fn who_was_alone_with_a_culprit_gets_other_company() {
        let whole = Bisection::new(vec![1, 2, 3, 4], died(), None);
        let part = Bisection::new(vec![1, 2], died(), Some(whole));
        let concluded = build_alone(vec![part; 2], &[(1, Some(died())), (2, None)]);
        assert_eq!(concluded, [companions(&[2, 3], &[1])]);
    }
}
