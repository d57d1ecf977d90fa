//! Random programs: valid by construction, broken in one place, edited without a change of meaning, or with a known
//! answer.

mod answers;
mod build;
mod choices;
mod constructs;
mod device;
mod emi;
mod evaluate;
mod memory;
mod print;
mod probe;
mod reach;
mod settings;
mod smaller;
mod strategy;
mod tree;
mod types;
mod used;
mod visit;

use expectations::{
    case_id::CaseId,
    dialect::{Dialect, Language, Version},
    predicate::{nearest, suggestion},
    probe::Probe,
    requirement::Requirement,
};
use sha2::{Digest as _, Sha256};

use self::{
    build::faults::{self, Pending},
    choices::Choices,
    tree::{AtomicCall, Expression, Node, Program},
    visit::Visitor,
};
pub use self::{
    reach::ReachedPart,
    settings::{FEATURES, Feature, FeatureFacts, Kinds, Mix, Settings, Share, Size},
    strategy::{Pair, Pairs, Shrink},
    tree::Side,
};
use crate::{no_such_case::NoSuchCase, templates::Kernel};

/// The purpose of a random program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// To be accepted.
    Valid,
    /// Edited without a change of meaning: should be accepted, like its control.
    Neutral,
    /// Should be rejected: it breaks the rule of this id.
    Breaks(&'static str),
    /// Should be accepted and executed: what it computes is known.
    Run,
}

/// One random program, by what makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RandomCase {
    /// The purpose.
    pub kind: Kind,
    pub dialect: Dialect,
    /// The seed of every decision.
    pub seed: u64,
    /// Size and features.
    pub settings: Settings,
    /// The edited program or its control.
    pub side: Side,
}

impl Kind {
    /// Returns every kind, in the order of their names.
    pub fn all() -> Vec<Self> {
        let mut kinds: Vec<Self> = faults::rules().into_iter().map(Self::Breaks).collect();
        kinds.extend([Self::Valid, Self::Neutral, Self::Run]);
        kinds.sort_by_key(|kind| kind.name());
        kinds
    }

    /// Returns the second part of an id: `valid`, `neutral`, `run`, or the broken rule as `conversion-implicit`.
    pub fn name(self) -> String {
        match self {
            Self::Valid => "valid".to_owned(),
            Self::Neutral => "neutral".to_owned(),
            Self::Run => "run".to_owned(),
            Self::Breaks(rule) => rule.replace('/', "-"),
        }
    }

    /// Returns the rule that such programs break.
    pub fn rule(self) -> Option<&'static str> {
        match self {
            Self::Breaks(rule) => Some(rule),
            Self::Valid | Self::Neutral | Self::Run => None,
        }
    }

    /// Whether they differ from a control in one edit.
    fn has_control(self) -> bool {
        matches!(self, Self::Neutral | Self::Breaks(_))
    }

    /// Whether there are such programs in `dialect`.
    pub fn exists_in(self, dialect: Dialect) -> bool {
        dialect.language == Language::OpenclC
            && (matches!(self, Self::Valid | Self::Run) || !self.edits(dialect).is_empty())
    }

    fn edits(self, dialect: Dialect) -> Vec<&'static faults::Edit> {
        match self {
            Self::Valid | Self::Run => Vec::new(),
            Self::Neutral => faults::edits("", dialect),
            Self::Breaks(rule) => faults::edits(rule, dialect),
        }
    }
}

impl RandomCase {
    /// Returns `count` cases: all dialects in turn, with the next kind in each round; the seeds count up from `seed`.
    pub fn numbers(
        count: u64,
        seed: u64,
        settings: Settings,
        kinds: Kinds,
    ) -> impl Iterator<Item = Self> {
        let broken = Dialect::OPENCL_C.map(|dialect| {
            let mut kinds = Kind::all();
            kinds.retain(|kind| kind.rule().is_some() && kind.exists_in(dialect));
            kinds
        });
        let dialects = Dialect::OPENCL_C.len() as u64;
        (0..count).map(move |number| {
            let (column, turn) = ((number % dialects) as usize, number / dialects);
            let (dialect, seed) = (Dialect::OPENCL_C[column], seed.wrapping_add(number));
            let turn = match kinds {
                Kinds::Build => Some(turn),
                Kinds::Run => None,
                Kinds::Both if turn % 5 == 4 => None,
                Kinds::Both => Some(turn - turn / 5),
            };
            let Some(turn) = turn else {
                let between = if kinds == Kinds::Both { 5 } else { 1 };
                let turn = number / dialects / between;
                // Dialects are in different rounds, so that few programs have all combinations.
                let mix = settings.mix.of_round(turn / 4 + column as u64);
                let mut settings = Settings { size: settings.size, mix, ..Settings::default() };
                let mut seed = seed;
                // Every fourth is the one before written in another way.
                if turn % 4 == 3 {
                    settings.emi = 1 + (turn / 4 % u64::from(settings::WAYS)) as u8;
                    seed = seed.wrapping_sub(dialects * between);
                }
                return Self { kind: Kind::Run, dialect, seed, settings, side: Side::Edited };
            };
            // Valid programs and neutral edits together are worth as much as all faults.
            let kind = match turn % 4 {
                0 => Kind::Valid,
                1 => Kind::Neutral,
                _ => {
                    let kinds = &broken[column];
                    kinds[((turn / 4 * 2 + turn % 2) % kinds.len() as u64) as usize]
                }
            };
            Self { kind, dialect, seed, settings, side: Side::Edited }
        })
    }

    /// Returns the id: `random/conversion-implicit/cl12/seed=7`, then unusual settings as in
    /// `,size=large,more=atomics,without=blocks+images`, and `,side=control` for the control.
    pub fn id(&self) -> String {
        let Self { kind, dialect, seed, settings, side } = *self;
        let side = match side {
            Side::Edited => "",
            Side::Control => ",side=control",
        };
        CaseId::of_random(&kind.name(), dialect, &format!("seed={seed}{}{side}", settings.in_id()))
    }

    /// Returns the case of that id.
    pub fn from_id(id: &str) -> Result<Self, NoSuchCase> {
        let id = CaseId::new(id);
        if !id.is_random() || !id.is_whole() {
            return Err(NoSuchCase::new(format!(
                "`{}` is not a random case: its id reads random/KIND/DIALECT/seed=N",
                id.text().escape_debug()
            )));
        }
        let (kind, dialect, point) = (id.name(), id.dialect(), id.point());
        let kinds = Kind::all();
        let Some(&kind) = kinds.iter().find(|known| known.name() == kind) else {
            let names: Vec<String> = kinds.iter().map(|kind| kind.name()).collect();
            let hint = match nearest(kind, names.iter().map(String::as_str)) {
                Some(candidate) => format!("; did you mean `{candidate}`?"),
                None => "; it is `valid`, `neutral`, `run` or a rule such as `conversion-implicit`"
                    .to_owned(),
            };
            return Err(NoSuchCase::new(format!(
                "`{}` is not a kind of random program{hint}",
                kind.escape_debug()
            )));
        };
        let Some(dialect) = Dialect::from_name(dialect) else {
            let hint = suggestion(dialect, &Dialect::OPENCL_C.map(Dialect::name));
            return Err(NoSuchCase::new(format!(
                "`{}` is not a dialect{hint}",
                dialect.escape_debug()
            )));
        };
        let case = Self::at_point(kind, dialect, point)?;
        if !kind.exists_in(dialect) {
            return Err(NoSuchCase::new(format!(
                "there are no random programs of `{}` in {dialect}: nothing can break that rule there",
                kind.name()
            )));
        }
        Ok(case)
    }

    /// Returns the last part of an id; each content has exactly one spelling.
    fn at_point(kind: Kind, dialect: Dialect, point: &str) -> Result<Self, NoSuchCase> {
        let no_point = || {
            NoSuchCase::new(format!(
                "`{}` is not a point of random programs: it reads seed=N, then the unusual ones of \
                 size=SIZE, emi=N, more=FEATURE+FEATURE, without=FEATURE+FEATURE, with \
                 ,side=control for the control",
                point.escape_debug()
            ))
        };
        let mut parts = point.split(',');
        let seed = parts.next().and_then(|part| part.strip_prefix("seed=")?.parse().ok());
        let mut case = Self {
            kind,
            dialect,
            seed: seed.ok_or_else(no_point)?,
            settings: Settings::default(),
            side: Side::Edited,
        };
        for part in parts {
            let (axis, value) = part.split_once('=').ok_or_else(no_point)?;
            match case.settings.read(axis, value) {
                Some(read) => read.map_err(NoSuchCase::new)?,
                None if (axis, value) == ("side", "control") && kind.has_control() => {
                    case.side = Side::Control;
                }
                None => return Err(no_point()),
            }
        }
        if kind != Kind::Run && case.settings.emi != 0 {
            return Err(no_point());
        }
        if kind == Kind::Run && case.settings.mix != case.settings.mix.of_runs() {
            let rows = FEATURES.iter().filter(|row| row.is_chosen_for_runs());
            let names = rows.map(|row| row.name).collect::<Vec<_>>().join("`, `");
            return Err(NoSuchCase::new(format!(
                "programs that are executed can choose only the features `{names}`: name no others \
                 after `more=`"
            )));
        }
        if CaseId::new(&case.id()).point() == point { Ok(case) } else { Err(no_point()) }
    }

    /// Returns the program it differs from in one edit.
    pub fn control(&self) -> Option<Self> {
        (self.kind.has_control() && self.side == Side::Edited)
            .then_some(Self { side: Side::Control, ..*self })
    }

    /// Returns the rule it breaks; `None` if it should be accepted.
    pub fn broken_rule(&self) -> Option<&'static str> {
        match (self.kind, self.side) {
            (Kind::Breaks(rule), Side::Edited) => Some(rule),
            _ => None,
        }
    }

    /// Returns the pair it belongs to.
    pub fn pair(&self) -> Pair {
        self.built().0
    }

    /// Returns the pair, and the choices that made it.
    fn built(&self) -> (Pair, Choices) {
        // Of programs that are executed nearly every first attempt is defined; of the others every one is taken.
        let attempts = (0_u64..).map(|attempt| Pair::build(self.pairs(), self.choices(attempt)));
        attempts.flatten().next().expect("attempts have no end")
    }

    /// Returns the pairs that one of is its.
    fn pairs(&self) -> Pairs {
        Pairs { kind: self.kind, dialect: self.dialect, settings: self.settings }
    }

    /// Returns the decisions of an attempt; a later one is made if the earlier ones led to nothing.
    fn choices(&self, attempt: u64) -> Choices {
        let settings = Settings { emi: 0, ..self.settings };
        let id = Self { side: Side::Edited, settings, ..*self }.id();
        let address = if attempt == 0 { id } else { format!("{id}/{attempt}") };
        let key: [u8; 32] = Sha256::digest(address.as_bytes()).into();
        Choices::from_seed(&key)
    }

    /// Returns everything that a device gets for it.
    pub fn made(&self) -> CaseProgram {
        let (pair, prefix) = (self.pair(), CaseId::new(&self.id()).prefix());
        CaseProgram {
            kernel: pair.kernel(self.side, &prefix),
            requirements: pair.requirements().to_vec(),
            probe: pair.probe(&prefix),
        }
    }

    /// Returns its kernel and its requirements besides the dialect.
    pub fn kernel(&self) -> (Kernel, Vec<Requirement>) {
        let CaseProgram { kernel, requirements, .. } = self.made();
        (kernel, requirements)
    }
}

/// A random program as a device is given it.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseProgram {
    pub kernel: Kernel,
    /// Requirements besides the dialect.
    pub requirements: Vec<Requirement>,
    /// The probe of a program that is executed.
    pub probe: Option<Probe>,
}

fn pending(kind: Kind, dialect: Dialect, choices: &mut Choices) -> Option<Pending> {
    let edits = kind.edits(dialect);
    (!edits.is_empty()).then(|| Pending::choose(&edits, choices))
}

/// Whether an atomic function is used that 3.0 leaves to the device.
struct Optional(bool);

impl Visitor for Optional {
    fn value(&mut self, value: &mut Expression) {
        self.0 |= matches!(value.node, Node::AtomicLoad(_, manner) if manner.is_optional());
    }

    fn atomic(&mut self, call: &mut AtomicCall) {
        self.0 |= call.manner.is_optional();
    }
}

/// Returns what the atomic functions of a program need besides its dialect.
fn requirements(program: &mut Program, dialect: Dialect) -> Option<Requirement> {
    requirement_of_atomics(dialect, |visitor| program.visit(visitor))
}

/// Returns what the atomic functions need that a visitor sees.
fn requirement_of_atomics(
    dialect: Dialect,
    visit: impl FnOnce(&mut dyn Visitor),
) -> Option<Requirement> {
    if dialect.version < Version::V3_0 {
        return None;
    }
    let mut optional = Optional(false);
    visit(&mut optional);
    optional.0.then_some(Requirement::SeqCstAtomics)
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod wrong_memory;
