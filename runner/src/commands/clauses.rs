//! `address-spaces dev clauses`: what rules cite, compared with copies of the documents: wrong anchors and hashes, the
//! rules of each sentence, and the sentences about address spaces that no rule cites.

use std::fmt::Write as _;

use expectations::{
    clause::Passage,
    copies::{ClauseFault, Copies, ON_ADDRESS_SPACES, citing},
    document::{self, Document},
    question::Question,
    rule::Clause,
};
use generator::suite::Suite;

use super::CommandError;
use crate::{
    cli::exit,
    output::print,
    specification::{CopyOf, read},
};

/// Prints the comparison with the copies and returns the exit status.
pub fn clauses(suite: &Suite, files: &[CopyOf], section: Option<&str>) -> Result<u8, CommandError> {
    let copies = read(files)?;
    if let Some(anchor) = section {
        let text = sentences(suite, &copies, anchor)?;
        print(&text);
        return Ok(exit::EXPECTED);
    }
    let mut out = String::new();
    for document in files.iter().filter_map(|file| document::find(file.document)) {
        of_document(&mut out, suite, &copies, document);
    }
    let faults = faults(suite, &copies);
    for fault in &faults {
        let _ = writeln!(out, "{fault}");
    }
    let of_rules = suite.rules().iter().flat_map(|rule| &rule.clauses);
    let readings = suite.questions().iter().flat_map(|question| &question.readings);
    let checked = of_rules.chain(readings.flat_map(|reading| &reading.clauses));
    let checked = checked.filter(|clause| copies.check(clause).is_some()).count();
    let names: Vec<&str> = copies.documents().collect();
    let _ = writeln!(
        out,
        "{checked} clauses checked in {}: {}",
        names.join(", "),
        if faults.is_empty() {
            "all as cited".to_owned()
        } else {
            format!("{} not as cited", faults.len())
        }
    );
    print(&out);
    Ok(if faults.is_empty() { exit::EXPECTED } else { exit::UNEXPECTED })
}

/// Writes each sentence that rules cite with these rules, then the sentences about address spaces that no rule cites.
fn of_document(out: &mut String, suite: &Suite, copies: &Copies, document: &Document) {
    let citing = citing(suite.rules(), document.id);
    let rules_of = |passage: &Passage| {
        let mut rules: Vec<&str> = citing
            .iter()
            .filter(|((anchor, hash), _)| {
                *anchor == passage.anchor && !hash.is_empty() && passage.hash.starts_with(hash)
            })
            .flat_map(|(_, rules)| rules.iter().copied())
            .collect();
        rules.sort_unstable();
        rules
    };
    let passages = copies.passages(document.id);
    let (cited, uncited): (Vec<_>, Vec<_>) = passages
        .iter()
        .map(|passage| (passage, rules_of(passage)))
        .partition(|(_, rules)| !rules.is_empty());
    let _ = writeln!(out, "{}: {}\n", document.id, document.title);
    listing(out, document, &cited);
    let (specification, sections) = ON_ADDRESS_SPACES;
    let uncited: Vec<_> = uncited
        .into_iter()
        .filter(|(passage, _)| sections.contains(&passage.anchor.as_str()))
        .collect();
    if document.id == specification {
        let _ =
            writeln!(out, "sentences about address spaces that no rule cites: {}\n", uncited.len());
        listing(out, document, &uncited);
    }
}

/// Sentences below their sections, each with its hash and its rules.
fn listing(out: &mut String, document: &Document, sentences: &[(&Passage, Vec<&str>)]) {
    let mut section = None;
    for (passage, rules) in sentences {
        if section != Some(passage.anchor.as_str()) {
            let link = document.link(&passage.anchor).unwrap_or_default();
            let _ = writeln!(out, "[{}] {link}", passage.anchor);
            section = Some(&passage.anchor);
        }
        let _ = writeln!(out, "  {} {}", passage.hash, passage.text);
        for rule in rules {
            let _ = writeln!(out, "    {rule}");
        }
    }
    if !sentences.is_empty() {
        out.push('\n');
    }
}

/// Returns every sentence of one section, which a new rule may cite.
fn sentences(suite: &Suite, copies: &Copies, anchor: &str) -> Result<String, CommandError> {
    let mut out = String::new();
    let mut anchors = Vec::new();
    for document in copies.documents().filter_map(document::find) {
        let citing = citing(suite.rules(), document.id);
        let of_section: Vec<(&Passage, Vec<&str>)> = copies
            .passages(document.id)
            .iter()
            .filter(|passage| passage.anchor == anchor)
            .map(|passage| {
                let rules = citing.iter().filter(|((cited, hash), _)| {
                    *cited == anchor && !hash.is_empty() && passage.hash.starts_with(hash)
                });
                (passage, rules.flat_map(|(_, rules)| rules.iter().copied()).collect())
            })
            .collect();
        anchors.extend(copies.passages(document.id).iter().map(|passage| passage.anchor.as_str()));
        listing(&mut out, document, &of_section);
    }
    if out.is_empty() {
        let hint = expectations::predicate::nearest(anchor, anchors)
            .map(|near| format!("; did you mean `{near}`?"))
            .unwrap_or_default();
        let message = format!("no section has the anchor `{}`{hint}", anchor.escape_debug());
        return Err(CommandError::Selection(message));
    }
    Ok(out)
}

/// Clauses that the copies do not confirm, each with the place of its rule or question.
fn faults(suite: &Suite, copies: &Copies) -> Vec<String> {
    let mut faults = Vec::new();
    for rule in suite.rules() {
        for clause in &rule.clauses {
            if let Some(fault) = fault(copies, clause) {
                faults.push(suite.at_clause(rule, clause, fault).to_string());
            }
        }
    }
    for question in suite.questions() {
        for clause in question.readings.iter().flat_map(|reading| &reading.clauses) {
            if let Some(fault) = fault(copies, clause) {
                let Question { path, line, id, .. } = question;
                faults.push(format!("{path}:{line}: the question `{id}`: {fault}"));
            }
        }
    }
    faults
}

/// Returns the disagreement between a clause and the copies, if there is any.
fn fault(copies: &Copies, clause: &Clause) -> Option<String> {
    let fault = copies.check(clause)?.err()?;
    let hash = clause.hash.as_deref().unwrap_or_default();
    let Clause { anchor, document, .. } = clause;
    Some(match fault {
        ClauseFault::NoSection { nearest } => {
            let hint = nearest.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            format!("{document} has no section [{anchor}]{hint}")
        }
        ClauseFault::NoSentence => format!(
            "read {document} [{anchor}] again: no sentence there has the hash {hash}; \
             `address-spaces dev clauses {document}=FILE --section {anchor}` prints those that are there"
        ),
        ClauseFault::Elsewhere { anchor: other } => {
            format!("{document}: the sentence {hash} is in [{other}], not in [{anchor}]")
        }
    })
}
