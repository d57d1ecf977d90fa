//! What random programs are made of: how large they are, and which parts of the language they use how often.

use expectations::{
    dialect::{Dialect, Version},
    predicate::suggestion,
};

/// How large programs are, and their mix of features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Settings {
    /// How large they are.
    pub size: Size,
    /// What is in them.
    pub mix: Mix,
    /// In which way programs that are executed are written; 0 as they are made.
    pub emi: u8,
}

/// In how many other ways a program that is executed is written.
pub(super) const WAYS: u8 = 8;

/// Which random programs are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kinds {
    /// Those that are built, and those that are executed.
    #[default]
    Both,
    /// Those that are built: valid ones, edited ones and invalid ones.
    Build,
    /// Those that are executed.
    Run,
}

impl Kinds {
    /// All, the usual first.
    pub const ALL: [Self; 3] = [Self::Both, Self::Build, Self::Run];

    /// As in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Build => "build",
            Self::Run => "run",
        }
    }

    /// Those of that name.
    pub fn from_name(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|kinds| kinds.name() == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            let hint = suggestion(name, &names);
            format!("`{}` is no kind of random programs{hint}", name.escape_debug())
        })
    }
}

/// How large programs are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Size {
    /// A few lines.
    Small,
    /// A screen.
    #[default]
    Medium,
    /// Several screens.
    Large,
}

/// The numbers of a size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// At most so many structures, unions, enumerations and typedefs.
    pub(super) types: u32,
    /// At most so many variables at program scope.
    pub(super) objects: u32,
    /// At most so many functions besides the last kernel.
    pub(super) functions: u32,
    /// At most so many statements in one list.
    pub(super) statements: u32,
    /// How deep statements nest.
    pub(super) depth: u32,
    /// How deep expressions nest.
    pub(super) fuel: u32,
}

impl Size {
    /// Every size, the smallest first.
    pub const ALL: [Self; 3] = [Self::Small, Self::Medium, Self::Large];

    /// As in ids and options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
        }
    }

    /// The size of that name.
    pub fn from_name(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|size| size.name() == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            let hint = suggestion(name, &names);
            format!("`{}` is no size of random programs{hint}", name.escape_debug())
        })
    }

    pub(super) const fn limits(self) -> Limits {
        match self {
            Self::Small => {
                Limits { types: 1, objects: 1, functions: 1, statements: 2, depth: 1, fuel: 1 }
            }
            Self::Medium => {
                Limits { types: 3, objects: 3, functions: 2, statements: 4, depth: 2, fuel: 2 }
            }
            Self::Large => {
                Limits { types: 8, objects: 8, functions: 6, statements: 8, depth: 3, fuel: 3 }
            }
        }
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
}

/// One row of the table of features.
#[derive(Clone, Copy, Debug)]
pub struct FeatureFacts {
    pub feature: Feature,
    /// As in ids and options.
    pub name: &'static str,
    /// What it is, for the manual.
    pub summary: &'static str,
    /// So many of twelve programs have it, unless more or none are asked for.
    pub of_twelve: u32,
    /// The dialects that have it.
    pub exists_in: fn(Dialect) -> bool,
}

const fn row(
    feature: Feature,
    name: &'static str,
    of_twelve: u32,
    summary: &'static str,
) -> FeatureFacts {
    FeatureFacts { feature, name, summary, of_twelve, exists_in: always }
}

fn always(_: Dialect) -> bool {
    true
}

/// The table of features.
#[rustfmt::skip]
pub const FEATURES: [FeatureFacts; 19] = [
    row(Feature::Structures, "structures", 9, "`struct` types, members of every kind"),
    row(Feature::Unions, "unions", 6, "`union` types"),
    row(Feature::Enumerations, "enumerations", 5, "`enum` types and their constants"),
    row(Feature::Typedefs, "typedefs", 8, "names for pointer and array types, used wherever the type is"),
    row(Feature::ArraysOfArrays, "arrays-of-arrays", 5, "variables, members and parameters (`T a[][N]`) that are arrays of arrays, pointers to arrays"),
    row(Feature::NestedPointers, "nested-pointers", 9, "pointers to pointers, a space at every level"),
    row(Feature::Shadowing, "shadowing", 5, "names that hide a variable of an outer scope, often one in another space"),
    row(Feature::Prototypes, "prototypes", 7, "functions declared ahead of their definition"),
    FeatureFacts { exists_in: since_1_2, ..row(Feature::StorageClasses, "storage-classes", 8, "`static` and `extern` at program scope, `static` in functions") },
    row(Feature::StringLiterals, "string-literals", 7, "string literals as pointers and as initializers of arrays"),
    row(Feature::CompoundLiterals, "compound-literals", 3, "compound literals and their addresses"),
    row(Feature::Loops, "loops", 9, "`while`, `do` and `for`"),
    row(Feature::Jumps, "jumps", 8, "`switch`, `goto` both ways, `break`, `continue`, `return` before the end"),
    row(Feature::Macros, "macros", 4, "address spaces spelled by macros"),
    row(Feature::Builtins, "builtins", 10, "built-in functions that take pointers: mathematics, vectors, prefetch"),
    FeatureFacts { exists_in: since_1_1, ..row(Feature::LegacyAtomics, "legacy-atomics", 6, "the atomic functions of 1.1, such as `atomic_add`") },
    FeatureFacts { exists_in: since_2_0, ..row(Feature::Atomics, "atomics", 5, "atomic types, in every space they can be in, and their functions, with orders and scopes") },
    row(Feature::Images, "images", 2, "images and samplers as parameters, constant samplers, reads and writes"),
    FeatureFacts { exists_in: enqueues, ..row(Feature::Blocks, "blocks", 2, "blocks, with what they capture, and calls of them") },
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

impl Feature {
    /// The row of the table.
    pub fn facts(self) -> &'static FeatureFacts {
        &FEATURES[self as usize]
    }

    /// As in ids and options.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// The feature of that name.
    pub fn from_name(name: &str) -> Result<Self, String> {
        let found = FEATURES.iter().find(|row| row.name == name);
        found.map(|row| row.feature).ok_or_else(|| {
            let hint = suggestion(name, &FEATURES.map(|row| row.name));
            format!("`{}` is no feature of random programs{hint}", name.escape_debug())
        })
    }
}

/// Which features programs have: as often as usual, always, or never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mix {
    /// A bit per feature that every program has.
    more: u32,
    /// A bit per feature that no program has.
    without: u32,
}

/// How often programs have a feature.
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
    /// The same with another share of one feature.
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

    /// How often programs have `feature`.
    pub fn share(self, feature: Feature) -> Share {
        let bit = 1 << feature as u32;
        match (self.more & bit != 0, self.without & bit != 0) {
            (true, _) => Share::More,
            (_, true) => Share::Without,
            _ => Share::Usual,
        }
    }

    /// The names of the features with that share, joined as in ids.
    fn names(self, share: Share) -> String {
        let rows = FEATURES.iter().filter(|row| self.share(row.feature) == share);
        rows.map(|row| row.name).collect::<Vec<_>>().join("+")
    }
}

impl Settings {
    /// What stands in ids: `,size=large,more=atomics,without=blocks+images`; nothing of what is usual.
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

    /// Add what one `axis=value` of an id says; `None` where the axis is none of settings.
    pub(super) fn read(&mut self, axis: &str, value: &str) -> Option<Result<(), String>> {
        let share = match axis {
            "size" => {
                let read = Size::from_name(value);
                return Some(read.map(|size| self.size = size));
            }
            "emi" => {
                let ways = 1..=WAYS;
                let read = value.parse().ok().filter(|way| ways.contains(way));
                let told = || format!("`{}` is none of 1 to {WAYS}", value.escape_debug());
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
            assert!((1..12).contains(&row.of_twelve), "{}: neither never nor always", row.name);
            assert_eq!(Feature::from_name(row.name), Ok(row.feature));
        }
    }

    #[test]
    fn unknown_names_give_what_was_meant() {
        let error = Feature::from_name("atomic").unwrap_err();
        assert!(error.contains("did you mean `atomics`?"), "{error}");
        let error = Size::from_name("huge").unwrap_err();
        assert!(error.contains("there is `small`, `medium`, `large`"), "{error}");
    }
}
