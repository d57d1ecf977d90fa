//! `runner clauses`: whether the sentences rules rest on still stand in a copy of the specification.

use std::{collections::BTreeSet, io::Write as _, path::Path};

use expectations::clause::passages;
use generator::suite::Suite;

use super::CommandError;
use crate::cli::exit;

/// The document that is checked.
const DOCUMENT: &str = "OpenCL_C";

/// Print the rules to read again; gives the exit status.
pub fn clauses(specification: &Path) -> Result<u8, CommandError> {
    let shown = specification.display().to_string();
    let bytes = std::fs::read(specification)
        .map_err(|source| CommandError::File { path: shown.clone(), source })?;
    let passages = passages(&String::from_utf8_lossy(&bytes));
    let known: BTreeSet<&str> = passages.iter().map(|passage| passage.hash.as_str()).collect();
    let suite = Suite::embedded()?;
    let (mut checked, mut changed) = (0, 0);
    for rule in suite.rules() {
        for clause in rule.clauses.iter().filter(|clause| clause.document == DOCUMENT) {
            let Some(hash) = &clause.hash else { continue };
            checked += 1;
            if !known.contains(hash.as_str()) {
                changed += 1;
                let _ = writeln!(
                    anstream::stdout(),
                    "{}: read [{}] again: no sentence there has the hash {hash}",
                    rule.id,
                    clause.anchor
                );
            }
        }
    }
    let _ = writeln!(anstream::stdout(), "{checked} clauses checked in {shown}, {changed} changed");
    Ok(if changed == 0 { exit::EXPECTED } else { exit::UNEXPECTED })
}
