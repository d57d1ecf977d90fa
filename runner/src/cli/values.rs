//! Values that options take, as they are typed.

use std::{fmt, str::FromStr, time::Duration};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use expectations::{
    dialect::{Dialect, Version},
    predicate::suggestion,
};
use generator::random::Feature;

use crate::engine::Depth;

/// A feature of random programs, or all that are not named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureName {
    /// Every one that is not named.
    All,
    /// One feature by its name.
    One(Feature),
}

impl FeatureName {
    /// Returns the name as typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::One(feature) => feature.name(),
        }
    }
}

impl FromStr for FeatureName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" { Ok(Self::All) } else { Feature::from_name(text).map(Self::One) }
    }
}

/// A dialect by its name.
#[derive(Clone, Copy, Debug)]
pub struct DialectName(pub Dialect);

/// OpenCL C 1.2.
impl Default for DialectName {
    fn default() -> Self {
        let is_meant = |dialect: &Dialect| dialect.version == Version::V1_2;
        Self(Dialect::ALL.into_iter().find(is_meant).unwrap_or(Dialect::ALL[0]))
    }
}

impl FromStr for DialectName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Dialect::ALL.map(Dialect::name);
        Dialect::from_written(name)
            .map(Self)
            .ok_or_else(|| format!("no such dialect{}", suggestion(name, &known)))
    }
}

/// Returns the parser of a depth by its name.
pub fn depths() -> impl TypedValueParser<Value = Depth> {
    let depth = |name: String| Depth::ALL.into_iter().find(|depth| depth.name() == name);
    PossibleValuesParser::new(Depth::ALL.map(Depth::name))
        .try_map(move |name| depth(name).ok_or("no such depth"))
}

/// A time in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Seconds(pub Duration);

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<f64>() {
            Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => {
                Ok(Self(Duration::from_secs_f64(seconds)))
            }
            _ => Err("a number of seconds between 0 and 86400".to_owned()),
        }
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.as_secs_f64())
    }
}

/// Returns the time that a text such as `90s`, `10m` or `2h` stands for.
pub fn span_of_time(text: &str) -> Result<Duration, String> {
    let unit = |factor: u64, digits: &str| digits.parse::<u64>().ok()?.checked_mul(factor);
    let length = match text.split_at_checked(text.len().saturating_sub(1)) {
        Some((digits, "s")) => unit(1, digits),
        Some((digits, "m")) => unit(60, digits),
        Some((digits, "h")) => unit(3600, digits),
        _ => None,
    };
    match length {
        Some(seconds @ 1..=604_800) => Ok(Duration::from_secs(seconds)),
        _ => Err("a time is a number and a unit, for example 90s, 10m or 2h".to_owned()),
    }
}
