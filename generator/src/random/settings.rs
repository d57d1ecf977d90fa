//! Settings of random programs: their size, and how often they use which parts of the language.

use expectations::{
    dialect::{Dialect, Version},
    predicate::suggestion,
};

/// Size and features of random programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Settings {
    pub size: Size,
    /// The mix of features.
    pub mix: Mix,
    /// Number of the way that executed programs are written in; 0 as they are made.
    pub emi: u8,
}

/// Number of other ways in which an executed program is written.
pub(super) const WAYS: u8 = 8;

/// The kinds of random programs that are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kinds {
    /// Programs that are built, and programs that are executed.
    #[default]
    Both,
    /// Programs that are built: valid ones, edited ones and invalid ones.
    Build,
    /// Programs that are executed.
    Run,
}

impl Kinds {
    /// All, the usual first.
    pub const ALL: [Self; 3] = [Self::Both, Self::Build, Self::Run];

    /// Returns the name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Build => "build",
            Self::Run => "run",
        }
    }

    /// Returns the kinds of that name.
    pub fn from_name(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|kinds| kinds.name() == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            let hint = suggestion(name, &names);
            format!("`{}` is not a kind of random programs{hint}", name.escape_debug())
        })
    }
}

/// The size of random programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Size {
    /// A few lines.
    Small,
    /// A screen.
    #[default]
    Medium,
    /// Several screens.
    Large,
    /// A few hundred lines, for nights.
    Huge,
}

impl Size {
    /// Every size, the smallest first.
    pub const ALL: [Self; 4] = [Self::Small, Self::Medium, Self::Large, Self::Huge];

    /// Returns the name in ids and options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
            Self::Huge => "huge",
        }
    }

    /// Returns the size of that name.
    pub fn from_name(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|size| size.name() == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            let hint = suggestion(name, &names);
            format!("`{}` is not a size of random programs{hint}", name.escape_debug())
        })
    }
}

/// A part of the language that programs can do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// `struct`
    Structures,
    Unions,
    /// `enum`
    Enumerations,
    Typedefs,
    /// Arrays of arrays, and pointers to arrays.
    ArraysOfArrays,
    /// Pointers to pointers.
    NestedPointers,
    /// Names that hide others, also of other address spaces.
    Shadowing,
    /// Functions declared ahead of their definition.
    Prototypes,
    /// `static` and `extern`
    StorageClasses,
    StringLiterals,
    CompoundLiterals,
    /// `while`, `do`, `for`
    Loops,
    /// `goto`, `switch`, `break`, `continue`, and `return` before the end.
    Jumps,
    /// Address spaces spelled by macros.
    Macros,
    /// Built-in functions that take pointers.
    Builtins,
    /// The atomic functions of 1.1.
    LegacyAtomics,
    /// Atomic types and their functions.
    Atomics,
    /// Images and samplers.
    Images,
    Blocks,
    /// `const` and `volatile`.
    Qualifiers,
    /// Initializers with designators.
    Designators,
    /// Operators that the evaluator does not know.
    Operators,
    /// Control flow of whole groups with barriers in it.
    GroupFlow,
    /// Control flow in which the work-items of a group diverge.
    ItemFlow,
    /// Odd, single and large groups, two and three dimensions.
    LaunchShapes,
    /// Structures, unions and vectors that kernels have by value.
    ByValue,
    /// Ways out of loops and kernels in front of barriers, counted loops around barriers, functions of whole groups.
    GroupExits,
    /// Loops over an array, one after another, whose iterations read what others have written.
    Sweeps,
}

/// One row of the table of features.
#[derive(Clone, Copy, Debug)]
pub struct FeatureFacts {
    pub feature: Feature,
    /// The name in ids and options.
    pub name: &'static str,
    /// The description in the manual.
    pub summary: &'static str,
    /// Number of twelve programs that have it, unless more or none are requested. A feature of only the programs that
    /// run is in none: their ids name it, see [`Mix::of_round`].
    pub of_twelve: u32,
    /// The dialects that have it.
    pub exists_in: fn(Dialect) -> bool,
    /// Whether the evaluator knows it: programs that run have it.
    pub is_evaluated: bool,
    /// Whether no program has it unless it is requested: the programs of a seed stay the same.
    pub is_on_request: bool,
}

const fn row(
    feature: Feature,
    name: &'static str,
    of_twelve: u32,
    summary: &'static str,
) -> FeatureFacts {
    FeatureFacts {
        feature,
        name,
        summary,
        of_twelve,
        exists_in: always,
        is_evaluated: false,
        is_on_request: false,
    }
}

const fn evaluated(row: FeatureFacts) -> FeatureFacts {
    FeatureFacts { is_evaluated: true, ..row }
}

const fn on_request(row: FeatureFacts) -> FeatureFacts {
    FeatureFacts { is_on_request: true, ..row }
}

fn always(_: Dialect) -> bool {
    true
}

/// The table of features.
#[rustfmt::skip]
pub const FEATURES: [FeatureFacts; 28] = [
    evaluated(row(Feature::Structures, "structures", 9, "`struct` types, members of every kind")),
    evaluated(row(Feature::Unions, "unions", 6, "`union` types")),
    row(Feature::Enumerations, "enumerations", 5, "`enum` types and their constants"),
    row(Feature::Typedefs, "typedefs", 8, "names for pointer and array types, used wherever the type is"),
    row(Feature::ArraysOfArrays, "arrays-of-arrays", 5, "variables and members that are arrays of arrays, pointers to arrays"),
    evaluated(row(Feature::NestedPointers, "nested-pointers", 9, "pointers to pointers, a space at every level")),
    row(Feature::Shadowing, "shadowing", 5, "names that hide a variable of an outer scope, often one in another space"),
    row(Feature::Prototypes, "prototypes", 7, "functions declared ahead of their definition"),
    FeatureFacts { exists_in: since_1_2, ..evaluated(row(Feature::StorageClasses, "storage-classes", 8, "`static` and `extern` at program scope, `static` in functions")) },
    evaluated(row(Feature::StringLiterals, "string-literals", 7, "string literals as pointers and as initializers of arrays")),
    row(Feature::CompoundLiterals, "compound-literals", 3, "compound literals and their addresses"),
    evaluated(row(Feature::Loops, "loops", 9, "`while`, `do` and `for`")),
    evaluated(row(Feature::Jumps, "jumps", 8, "`switch`, `goto` both ways, `break`, `continue`, `return` before the end")),
    row(Feature::Macros, "macros", 4, "address spaces spelled by macros"),
    evaluated(row(Feature::Builtins, "builtins", 10, "built-in functions that take pointers: mathematics, vectors, prefetch")),
    FeatureFacts { exists_in: since_1_1, ..evaluated(row(Feature::LegacyAtomics, "legacy-atomics", 6, "the atomic functions of 1.1, such as `atomic_add`")) },
    FeatureFacts { exists_in: since_2_0, ..evaluated(row(Feature::Atomics, "atomics", 5, "atomic types, in every space they can be in, and their functions, with orders and scopes")) },
    row(Feature::Images, "images", 2, "images and samplers as parameters, constant samplers, reads and writes"),
    FeatureFacts { exists_in: enqueues, ..row(Feature::Blocks, "blocks", 2, "blocks, with what they capture, and calls of them") },
    row(Feature::Qualifiers, "qualifiers", 8, "`const` and `volatile` objects, and pointers to them"),
    row(Feature::Designators, "designators", 4, "initializers with designators"),
    row(Feature::Operators, "operators", 8, "`!`, `&&`, `||`, `,`, `sizeof`, `++`, `--` and compound assignments"),
    evaluated(row(Feature::GroupFlow, "group-flow", 0, "`if`, `switch`, loops, `goto`, `break` and `return` of whole groups, in kernels and functions, with barriers, copies and votes in them")),
    evaluated(row(Feature::ItemFlow, "item-flow", 0, "work-items that are idle, loop longer than others, take other cases, or return early")),
    evaluated(row(Feature::LaunchShapes, "launch-shapes", 0, "groups of an odd number of work-items, of one and of more than 512, launches in two and three dimensions")),
    evaluated(row(Feature::ByValue, "by-value", 0, "structures, unions and vectors that kernels have by value")),
    on_request(evaluated(row(Feature::GroupExits, "group-exits", 0, "`break`, `continue` and `return` of whole groups in front of barriers, counted loops around barriers, functions of whole groups"))),
    on_request(evaluated(row(Feature::Sweeps, "sweeps", 0, "loops over an array, one after another, with ends that the program computes, whose iterations read what others have written"))),
];

fn since_1_1(dialect: Dialect) -> bool {
    dialect.version >= Version::V1_1
}

fn since_1_2(dialect: Dialect) -> bool {
    dialect.version >= Version::V1_2
}

fn since_2_0(dialect: Dialect) -> bool {
    dialect.version >= Version::V2_0
}

fn enqueues(dialect: Dialect) -> bool {
    expectations::requirement::Requirement::DeviceEnqueue.possible_in(dialect)
}

/// Returns a bit per feature of the programs that run: those that the evaluator knows and a dialect has, and of
/// those that programs have only on request the ones of a mix.
pub(super) fn evaluated_in(dialect: Dialect, mix: Mix) -> u32 {
    let rows = FEATURES.iter().filter(|row| {
        let has = row.of_twelve > 0 || mix.share(row.feature) == Share::More;
        has && row.is_evaluated && (row.exists_in)(dialect)
    });
    rows.fold(0, |features, row| features | 1 << row.feature as u32)
}

impl FeatureFacts {
    /// Whether programs that run have it only on request.
    pub fn is_chosen_for_runs(&self) -> bool {
        self.is_evaluated && self.of_twelve == 0
    }

    /// Whether some of the programs that run have it without a request.
    pub fn is_mixed_into_runs(&self) -> bool {
        self.is_chosen_for_runs() && !self.is_on_request
    }
}

impl Feature {
    /// Returns the row of the table.
    pub fn facts(self) -> &'static FeatureFacts {
        &FEATURES[self as usize]
    }

    /// Returns the name in ids and options.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Returns the feature of that name.
    pub fn from_name(name: &str) -> Result<Self, String> {
        let found = FEATURES.iter().find(|row| row.name == name);
        found.map(|row| row.feature).ok_or_else(|| {
            let hint = suggestion(name, &FEATURES.map(|row| row.name));
            format!("`{}` is not a feature of random programs{hint}", name.escape_debug())
        })
    }
}

/// The share of programs that have each feature: the usual one, all, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mix {
    /// A bit per feature that every program has.
    more: u32,
    /// A bit per feature that no program has.
    without: u32,
}

/// The share of programs that have a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// None has it.
    Without,
    /// Some have it, as the table says.
    Usual,
    /// All have it, where their dialect does.
    More,
}

impl Mix {
    /// Returns the same with another share of one feature.
    #[must_use]
    pub fn with(self, feature: Feature, share: Share) -> Self {
        let bit = 1 << feature as u32;
        let (more, without) = match share {
            Share::Without => (0, bit),
            Share::Usual => (0, 0),
            Share::More => (bit, 0),
        };
        Self { more: self.more & !bit | more, without: self.without & !bit | without }
    }

    /// Returns the share of programs that have `feature`.
    pub fn share(self, feature: Feature) -> Share {
        let bit = 1 << feature as u32;
        match (self.more & bit != 0, self.without & bit != 0) {
            (true, _) => Share::More,
            (_, true) => Share::Without,
            _ => Share::Usual,
        }
    }

    /// Returns the part of it that programs which run can have.
    #[must_use]
    pub fn of_runs(self) -> Self {
        let rows = FEATURES.iter().filter(|row| row.is_chosen_for_runs());
        let chosen = rows.fold(0, |features, row| features | 1 << row.feature as u32);
        Self { more: self.more & chosen, without: 0 }
    }

    /// Returns the mix of the programs that run in a round. Every third round has the features that nobody requested or
    /// excluded, as the bits of its number select, so that their ids name them and all combinations come up.
    pub(super) fn of_round(self, round: u64) -> Self {
        let rows = FEATURES.iter().filter(|row| row.is_mixed_into_runs());
        let usual = rows.enumerate().filter(|(bit, row)| {
            let is_usual = self.share(row.feature) == Share::Usual;
            is_usual && round % 3 == 2 && (round / 3) >> bit & 1 == 1
        });
        usual.fold(self.of_runs(), |mix, (_, row)| mix.with(row.feature, Share::More))
    }

    /// Returns the names of the features with that share, joined as in ids.
    fn names(self, share: Share) -> String {
        let rows = FEATURES.iter().filter(|row| self.share(row.feature) == share);
        rows.map(|row| row.name).collect::<Vec<_>>().join("+")
    }
}

impl Settings {
    /// Returns the text in ids: `,size=large,more=atomics,without=blocks+images`; without the usual values.
    pub(super) fn in_id(self) -> String {
        let mut text = String::new();
        if self.size != Size::default() {
            text = format!(",size={}", self.size.name());
        }
        if self.emi != 0 {
            text = format!("{text},emi={}", self.emi);
        }
        for (axis, share) in [("more", Share::More), ("without", Share::Without)] {
            let names = self.mix.names(share);
            if !names.is_empty() {
                text = format!("{text},{axis}={names}");
            }
        }
        text
    }

    /// Reads one `axis=value` of an id; `None` if the axis belongs to no setting.
    pub(super) fn read(&mut self, axis: &str, value: &str) -> Option<Result<(), String>> {
        let share = match axis {
            "size" => {
                let read = Size::from_name(value);
                return Some(read.map(|size| self.size = size));
            }
            "emi" => {
                let ways = 1..=WAYS;
                let read = value.parse().ok().filter(|way| ways.contains(way));
                let told = || format!("`{}` is not one of 1 to {WAYS}", value.escape_debug());
                return Some(read.map(|way| self.emi = way).ok_or_else(told));
            }
            "more" => Share::More,
            "without" => Share::Without,
            _ => return None,
        };
        Some(value.split('+').try_for_each(|name| {
            self.mix = self.mix.with(Feature::from_name(name)?, share);
            Ok(())
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_enum() {
        for (index, row) in FEATURES.iter().enumerate() {
            assert_eq!(row.feature as usize, index, "{}", row.name);
            assert!((0..12).contains(&row.of_twelve), "{}: not always", row.name);
            assert_eq!(Feature::from_name(row.name), Ok(row.feature));
        }
    }

    #[test]
    fn unknown_names_give_what_was_meant() {
        let error = Feature::from_name("atomic").unwrap_err();
        assert!(error.contains("did you mean `atomics`?"), "{error}");
        let error = Size::from_name("tiny").unwrap_err();
        assert!(error.contains("the choices are `small`, `medium`, `large`"), "{error}");
    }
}
