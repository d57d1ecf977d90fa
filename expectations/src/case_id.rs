//! Ids of cases: writing and reading them.
//!
//! `conversion/implicit/cl12/from=global,to=local` has a rule, a dialect and a point. The id of a random program,
//! `random/conversion-implicit/cl12/seed=7`, has the purpose of the program in place of the rule.

use std::{fmt, ops::Range};

use sha2::{Digest as _, Sha256};

use crate::dialect::Dialect;

/// The first part of the id of every random program.
pub const RANDOM: &str = "random";

/// Pattern of the names that belong to one program: see [`CaseId::prefix`].
pub const OWN_NAME: &str = r"\bc[0-9a-f]{10}_\w+";

/// The id of a case. Any text is accepted, because results of other suites contain any; missing parts are empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CaseId<'i>(&'i str);

impl<'i> CaseId<'i> {
    /// Creates an id from its text.
    pub const fn new(id: &'i str) -> Self {
        Self(id)
    }

    /// Returns the id of a rule's point in a dialect.
    pub fn written(rule: &str, dialect: Dialect, point: &str) -> String {
        format!("{rule}/{}/{point}", dialect.name())
    }

    /// Returns the id of a random program.
    pub fn of_random(kind: &str, dialect: Dialect, point: &str) -> String {
        Self::written(&format!("{RANDOM}/{kind}"), dialect, point)
    }

    /// Returns the text of the id.
    pub const fn text(self) -> &'i str {
        self.0
    }

    /// Returns rule, dialect and point; a point may have slashes in it.
    fn parts(self) -> [&'i str; 3] {
        let mut ends = self.0.match_indices('/').map(|(at, _)| at).skip(1);
        match (ends.next(), ends.next()) {
            (Some(rule), Some(dialect)) => {
                [&self.0[..rule], &self.0[rule + 1..dialect], &self.0[dialect + 1..]]
            }
            (Some(rule), None) => [&self.0[..rule], &self.0[rule + 1..], ""],
            _ => [self.0, "", ""],
        }
    }

    /// Returns the id of the rule, `family/name`; the whole text where it has no such parts.
    pub fn rule(self) -> &'i str {
        self.parts()[0]
    }

    /// Returns the family of the rule.
    pub fn family(self) -> &'i str {
        self.0.split('/').next().unwrap_or_default()
    }

    /// Returns the name of the rule within its family; for a random program, the kind of the program.
    pub fn name(self) -> &'i str {
        self.rule().split_once('/').map_or("", |(_, name)| name)
    }

    /// Returns the name of the dialect, which may be unknown.
    pub fn dialect(self) -> &'i str {
        self.parts()[1]
    }

    /// Values by axis, as `axis=value,...`.
    pub fn point(self) -> &'i str {
        self.parts()[2]
    }

    /// Returns the part after the rule; the whole text where it has no such parts.
    pub fn behind_rule(self) -> &'i str {
        self.0.match_indices('/').nth(1).map_or(self.0, |(end, _)| &self.0[end + 1..])
    }

    /// Whether it has all its parts.
    pub fn is_whole(self) -> bool {
        self.0.match_indices('/').nth(2).is_some()
    }

    /// Whether it is that of a random program.
    pub fn is_random(self) -> bool {
        self.0.strip_prefix(RANDOM).is_some_and(|rest| rest.starts_with('/'))
    }

    /// Returns the id of the same point in another dialect.
    pub fn in_dialect(self, dialect: Dialect) -> String {
        let [rule, _, point] = self.parts();
        Self::written(rule, dialect, point)
    }

    /// Returns the range of a dialect's name in a pattern, where that name stands for every variant of its version.
    pub fn variants(pattern: &str) -> Option<Range<usize>> {
        let places = |name: &'static str| {
            pattern.match_indices(name).map(move |(start, _)| start..start + name.len())
        };
        let mut found = Dialect::PLAIN.map(Dialect::name).into_iter().flat_map(places);
        let is_whole = |range: &Range<usize>| {
            pattern[..range.start].ends_with('/') && pattern[range.end..].starts_with('/')
        };
        found.find(is_whole).filter(|_| pattern.contains(['*', '?']))
    }

    /// Returns the pattern of all ids of the rule in this dialect. Where the dialect is a version without features, the
    /// pattern also matches the variants of that version.
    pub fn pattern_of_dialect(self) -> String {
        let [rule, dialect, _] = self.parts();
        format!("{rule}/{dialect}/*")
    }

    /// Returns the path of the case's files in an export, without an ending: `=` and `,` are awkward in shells and
    /// build tools.
    pub fn file_stem(self) -> String {
        self.0.replace('=', ".").replace(',', "+")
    }

    /// Returns the prefix of every file-scope name of the case; with it, cases share a program without a clash of
    /// names.
    pub fn prefix(self) -> String {
        own_prefix(self.number())
    }

    /// Returns a number that depends on the id only.
    pub fn seed(self) -> u32 {
        (self.number() >> 8) as u32
    }

    /// Returns the first 40 bits of a hash of the id.
    fn number(self) -> u64 {
        let digest = Sha256::digest(self.0.as_bytes());
        digest.iter().take(5).fold(0, |number, &byte| number << 8 | u64::from(byte))
    }
}

impl fmt::Display for CaseId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Returns the prefix for a number below 2^40, for programs that are not cases.
pub fn own_prefix(number: u64) -> String {
    format!("c{number:010x}_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_they_are_written() {
        let check = |text: &str, [rule, family, name, dialect, point]: [&str; 5], whole: bool| {
            let id = CaseId::new(text);
            let found = [id.rule(), id.family(), id.name(), id.dialect(), id.point()];
            assert_eq!(found, [rule, family, name, dialect, point], "{text}");
            assert_eq!(id.is_whole(), whole, "{text}");
        };
        check("a/b/cl12/x=1,y=/2", ["a/b", "a", "b", "cl12", "x=1,y=/2"], true);
        check(
            "random/valid/cl12/seed=7",
            ["random/valid", "random", "valid", "cl12", "seed=7"],
            true,
        );
        check("a/b/cl12", ["a/b", "a", "b", "cl12", ""], false);
        check("a/b", ["a/b", "a", "b", "", ""], false);
        check("a", ["a", "a", "", "", ""], false);
        check("", ["", "", "", "", ""], false);
        for dialect in Dialect::ALL {
            let id = CaseId::written("a/b", dialect, "x=1");
            assert_eq!(CaseId::new("a/b/cl10/x=1").in_dialect(dialect), id);
            assert_eq!(CaseId::new(&id).pattern_of_dialect(), format!("a/b/{}/*", dialect.name()));
        }
    }

    #[test]
    fn random_programs_are_told_by_their_family() {
        for (id, expected) in [
            ("random/valid/cl12/seed=7", true),
            ("randomness/x/cl12/y=1", false),
            ("random", false),
        ] {
            assert_eq!(CaseId::new(id).is_random(), expected, "{id}");
        }
    }

    #[test]
    fn prefixes_stay() {
        // Kernels are the same bytes from version to version.
        let id = CaseId::new("a/b/cl12/x=1");
        let digest = hex::encode(Sha256::digest(id.text()));
        assert_eq!(id.prefix(), format!("c{}_", &digest[..10]));
        assert_eq!(id.seed(), u32::from_str_radix(&digest[..8], 16).unwrap());
    }
}
