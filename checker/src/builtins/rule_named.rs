//! The families whose names follow a rule instead of standing in the table: `convert_*` and `as_*`.

use super::{
    resolve::Outcome,
    shape::{Arg, Scalar, Shape},
};

/// A conversion or reinterpretation function's name taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleNamed {
    /// `convert_T`, with any rounding mode and saturation [explicit-conversions].
    Convert(Scalar, u8),
    /// `as_T` [reinterpreting-types-using-as_type-and-as_typen].
    As(Scalar, u8),
}

/// Takes `name` apart, if it is one of these.
pub(super) fn find(name: &str) -> Option<RuleNamed> {
    if let Some(name) = name.strip_prefix("as_") {
        return type_name(name).map(|(scalar, width)| RuleNamed::As(scalar, width));
    }
    let name = name.strip_prefix("convert_")?;
    let mut parts = name.split('_');
    let (scalar, width) = type_name(parts.next()?)?;
    let mut rest = parts.next();
    if rest == Some("sat") {
        rest = parts.next();
    }
    match (rest, parts.next()) {
        (None | Some("rte" | "rtz" | "rtp" | "rtn"), None) => {
            Some(RuleNamed::Convert(scalar, width))
        }
        _ => None,
    }
}

fn type_name(name: &str) -> Option<(Scalar, u8)> {
    match name {
        "size_t" | "uintptr_t" => return Some((Scalar::ULong, 1)),
        "ptrdiff_t" | "intptr_t" => return Some((Scalar::Long, 1)),
        _ => {}
    }
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let width = match &name[letters.len()..] {
        "" => 1,
        "2" => 2,
        "3" => 3,
        "4" => 4,
        "8" => 8,
        "16" => 16,
        _ => return None,
    };
    let named = |scalar: &Scalar| *scalar != Scalar::Bool && scalar.name() == letters;
    Some((Scalar::distinct().find(named)?, width))
}

impl RuleNamed {
    pub(super) fn resolve(self, args: &[Arg]) -> Outcome {
        let (Self::Convert(scalar, width) | Self::As(scalar, width)) = self;
        let result = if width == 1 { Shape::Scalar(scalar) } else { Shape::Vector(scalar, width) };
        let agrees = match *args {
            [Arg::Unknown] => true,
            [Arg::Scalar(given) | Arg::Zero(given)] => self.agrees(given, 1),
            [Arg::Vector(given, components)] => self.agrees(given, components),
            _ => false,
        };
        if agrees { Outcome::Match(result) } else { Outcome::Mismatch(result) }
    }

    /// Whether the argument fits: conversions keep the number of components, reinterpretations the size (a vector of 3
    /// has the size of 4).
    fn agrees(self, given: Scalar, components: u8) -> bool {
        let size = |scalar: Scalar, n: u8| scalar.size() * u64::from(if n == 3 { 4 } else { n });
        match self {
            Self::Convert(_, width) => width == components,
            Self::As(scalar, width) => size(scalar, width) == size(given, components),
        }
    }
}
