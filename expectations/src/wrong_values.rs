//! Wrong values of random programs: their kinds are distinguished by the constructs that remain after reduction.

use std::{collections::BTreeSet, fmt};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

use crate::space::AddressSpace;

/// Shape of wrong values, without the constructs that cause them.
pub const WRONG_VALUES: &str = "computes wrong values";

/// The constructs of a program, and the spaces of what it reads and writes; what is in every program is left out.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct Constructs {
    /// `switch`, `max`, `barrier`, and what is done with pointers.
    pub parts: BTreeSet<String>,
    /// Spaces of numbers and vectors that are read or written.
    pub spaces: BTreeSet<String>,
}

impl Constructs {
    /// Whether another program has all of them: what is wrong with this one may then be what is wrong with that.
    pub fn are_within(&self, other: &Self) -> bool {
        !self.parts.is_empty()
            && self.parts.is_subset(&other.parts)
            && self.spaces.is_subset(&other.spaces)
            || self == other
    }

    /// Returns the number of constructs and spaces.
    pub fn count(&self) -> usize {
        self.parts.len() + self.spaces.len()
    }

    /// Returns the shape of wrong values caused by these constructs: `computes wrong values: barrier; global, local`.
    pub fn shape(&self) -> String {
        match self.to_string() {
            none if none.is_empty() => WRONG_VALUES.to_owned(),
            all => format!("{WRONG_VALUES}: {all}"),
        }
    }
}

/// `barrier, switch; global, local`
impl fmt::Display for Constructs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |of: &BTreeSet<String>| of.iter().cloned().collect::<Vec<_>>().join(", ");
        let lists = [list(&self.parts), list(&self.spaces)];
        let said: Vec<&str> = lists.iter().map(String::as_str).filter(|l| !l.is_empty()).collect();
        f.write_str(&said.join("; "))
    }
}

/// Constructs that remain in a program with wrong values after parts of it were removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RemainingConstructs {
    /// Reduced until nothing more could be taken out, it has these.
    Reduced(Constructs),
    /// The program computes right values as soon as one of these is removed: the constructs of a known kind, or of a
    /// kind that another program of the run was reduced to.
    RightWithout(Constructs),
    /// The time was not enough to finish the reduction: the cause of the wrong values is among these.
    Partly(Constructs),
}

/// Shape of the deviation of a random program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// This, whatever its seed.
    Known(String),
    /// Wrong values that these constructs cause.
    WrongValues(Constructs),
    /// Wrong values of a program whose reduction was not finished: some of these constructs cause them.
    WrongValuesAmong(Constructs),
}

/// The shapes of deviations that a baseline entry explains.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapePattern {
    text: WildMatch,
    /// Kind of wrong values that the pattern is about.
    kind: Option<KindPattern>,
}

impl ShapePattern {
    /// Parses a pattern with `*` and `?`.
    ///
    /// # Errors
    ///
    /// Fails if the pattern matches all wrong values; the message says what to write instead.
    pub fn parse(pattern: &str) -> Result<Self, String> {
        let kind = pattern.strip_prefix(WRONG_VALUES).map(KindPattern::parse).transpose()?;
        Ok(Self { text: WildMatch::new(pattern), kind })
    }

    /// Whether the pattern explains a deviation of this shape. If the program was not reduced, all constructs of the
    /// pattern have to be in it.
    pub fn matches(&self, shape: &Shape) -> bool {
        match (shape, &self.kind) {
            (Shape::Known(shape), _) => self.text.matches(shape),
            (Shape::WrongValues(constructs), None) => self.text.matches(&constructs.shape()),
            (Shape::WrongValues(constructs), Some(kind)) => {
                kind.parts.are_all(&constructs.parts) && kind.spaces.are_all(&constructs.spaces)
            }
            (Shape::WrongValuesAmong(constructs), _) => self.within(constructs).is_some(),
        }
    }

    /// Returns the constructs that the pattern names, if the program has all of them.
    pub fn within(&self, constructs: &Constructs) -> Option<Constructs> {
        let KindPattern { parts, spaces } = self.kind.as_ref()?;
        // What is in nearly every program explains none.
        (!parts.named.is_empty()).then_some(())?;
        Some(Constructs {
            parts: parts.found_in(&constructs.parts)?,
            spaces: spaces.found_in(&constructs.spaces)?,
        })
    }
}

impl fmt::Display for ShapePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

/// `PARTS; SPACES` of a pattern.
#[derive(Clone, Debug, PartialEq)]
struct KindPattern {
    parts: Names,
    spaces: Names,
}

impl KindPattern {
    /// Parses the kind that follows the name of all wrong values.
    fn parse(rest: &str) -> Result<Self, String> {
        let Some(kind) = rest.strip_prefix(": ").filter(|kind| !kind.trim().is_empty()) else {
            return Err(format!(
                "`{WRONG_VALUES}` is the result of many bugs: add what is left of a reduced \
                 program, as `{WRONG_VALUES}: switch; global`"
            ));
        };
        let is_space = |name: &str| AddressSpace::from_name(name).is_some();
        let (parts, spaces) = match kind.split_once("; ") {
            Some(both) => both,
            None if kind.split(", ").all(is_space) => ("", kind),
            None => (kind, ""),
        };
        Ok(Self { parts: Names::parse(parts), spaces: Names::parse(spaces) })
    }
}

/// Names of a list, each with wildcards; `*` by itself matches all remaining ones.
#[derive(Clone, Debug, PartialEq)]
struct Names {
    named: Vec<WildMatch>,
    has_others: bool,
}

impl Names {
    fn parse(list: &str) -> Self {
        let names = || list.split(", ").filter(|name| !name.is_empty());
        Self {
            named: names().filter(|name| *name != "*").map(WildMatch::new).collect(),
            has_others: names().any(|name| name == "*"),
        }
    }

    /// Returns the names that the pattern matches; `None` if a named one is missing.
    fn found_in(&self, names: &BTreeSet<String>) -> Option<BTreeSet<String>> {
        let mut found = BTreeSet::new();
        for pattern in &self.named {
            let mut matching = names.iter().filter(|name| pattern.matches(name)).peekable();
            matching.peek()?;
            found.extend(matching.cloned());
        }
        Some(found)
    }

    /// Whether these are the names, no fewer and no more.
    fn are_all(&self, names: &BTreeSet<String>) -> bool {
        self.found_in(names).is_some_and(|found| self.has_others || found == *names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constructs(parts: &[&str], spaces: &[&str]) -> Constructs {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Constructs { parts: owned(parts), spaces: owned(spaces) }
    }

    #[test]
    fn an_entry_names_a_kind_of_wrong_values() {
        for blanket in [WRONG_VALUES, "computes wrong values*", "computes wrong values: "] {
            let error = ShapePattern::parse(blanket).unwrap_err();
            assert!(error.contains("add what is left"), "{blanket}: {error}");
        }
        assert!(ShapePattern::parse("rejects: *").is_ok());
    }

    #[test]
    fn what_is_left_is_compared_as_a_whole_and_what_was_not_reduced_by_what_is_in_it() {
        let left = constructs(&["&", "switch"], &["global"]);
        let more = constructs(&["&", "barrier", "switch"], &["global", "local"]);
        let other = constructs(&["&", "barrier"], &["global", "local"]);
        for (pattern, of_left, of_more, in_more, in_other) in [
            ("computes wrong values: &, switch; global", true, false, true, false),
            ("computes wrong values: switch; global", false, false, true, false),
            ("computes wrong values: switch, *; *", true, true, true, false),
            ("computes wrong values: s*h, ?; global", true, false, true, false),
            ("computes wrong values: barrier, *; global, local", false, true, true, true),
            ("computes wrong values: global", false, false, false, false),
            ("computes wrong values: switch", false, false, true, false),
            ("computes wrong values: *; *", true, true, false, false),
            ("rejects: *", false, false, false, false),
            ("compute*", true, true, false, false),
        ] {
            let parsed = ShapePattern::parse(pattern).unwrap();
            let found = [
                Shape::WrongValues(left.clone()),
                Shape::WrongValues(more.clone()),
                Shape::WrongValuesAmong(more.clone()),
                Shape::WrongValuesAmong(other.clone()),
            ]
            .map(|shape| parsed.matches(&shape));
            assert_eq!(found, [of_left, of_more, in_more, in_other], "{pattern}");
        }
        let pattern = ShapePattern::parse("computes wrong values: switch, *; *").unwrap();
        let within = pattern.within(&more).unwrap();
        assert_eq!(within, constructs(&["switch"], &[]));
        assert!(pattern.matches(&Shape::WrongValues(within)));
    }

    #[test]
    fn what_is_left_tells_kinds_apart() {
        let all = constructs(&["barrier"], &["global", "local"]);
        assert_eq!(all.shape(), "computes wrong values: barrier; global, local");
        assert_eq!(Constructs::default().shape(), WRONG_VALUES);
        assert!(constructs(&["barrier"], &["local"]).are_within(&all));
        assert!(!constructs(&[], &["local"]).are_within(&all));
        assert!(all.are_within(&all));
    }
}
