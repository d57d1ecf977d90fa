//! Unexpected findings on a device's page: of each block the first in full, then the count of those that look alike.

use expectations::verdict::Verdict;
use results::text::{first_lines, one_line, plural, printable};
use serde::Serialize;

use super::{
    blocks::Block,
    kernel::Pair,
    model::{RuleLink, RunView, Site},
};
use crate::{alike::most, laws::broken_law_lines, manual::PageError, probes::run_lines};

/// Number of blocks whose first finding is shown in full; the others have links to their pages.
const IN_FULL: usize = 25;
/// Number of lines of a log; the finding's own page has more.
const LOG_LINES: usize = 12;

/// A block, as the template shows it.
#[derive(Serialize)]
pub(super) struct BlockRow {
    id_pieces: Vec<String>,
    page: Option<String>,
    count: String,
    text: String,
    rule: String,
    rule_path: String,
    /// The first finding, where it is shown in full.
    full: Option<Full>,
    others: Option<Others>,
}

#[derive(Serialize)]
struct Full {
    expects: Verdict,
    pair: Option<Pair>,
    saw: Vec<String>,
    broken: Vec<String>,
    log: String,
}

#[derive(Serialize)]
struct Others {
    /// `12 more look alike`
    more: String,
    rules: Vec<OfRule>,
    rules_left_out: usize,
    /// `cl12 (6), cl20 (7)`
    dialects: String,
}

#[derive(Serialize)]
struct OfRule {
    link: RuleLink,
    count: usize,
}

/// Returns the blocks of a run, the worst first.
pub(super) fn rows(site: &Site<'_>, run: &RunView<'_>) -> Result<Vec<BlockRow>, PageError> {
    let rows = run.blocks.iter().enumerate().map(|(number, block)| {
        let full = (number < IN_FULL).then(|| full(site, run, block)).transpose()?;
        Ok(row(site, run, block, full))
    });
    rows.collect()
}

fn row(site: &Site<'_>, run: &RunView<'_>, block: &Block, full: Option<Full>) -> BlockRow {
    let Block { alike, finding, rules, rule } = block;
    let id = one_line(&run.cases().get(alike.cases[0]).id, 400);
    let others = alike.more().map(|more| {
        let (shown, rules_left_out) = most(rules);
        let of_rule = |(&rule, count): (&usize, usize)| OfRule {
            link: site.deviations_link(run, rule),
            count,
        };
        let rules = shown.into_iter().map(of_rule).collect();
        Others { more, rules, rules_left_out, dialects: alike.in_dialects() }
    });
    BlockRow {
        id_pieces: id.split_inclusive(['/', ',']).map(str::to_owned).collect(),
        page: run.finding_path(alike.cases[0]),
        count: plural(alike.cases.len(), "case"),
        text: format!("{}: {}", finding.kind.name(), finding.reason.text()),
        rule: site.rules[*rule].id.clone(),
        rule_path: site.rules[*rule].path.clone(),
        full,
        others,
    }
}

/// Returns the first finding of a block: kernel, control, outcome and log.
fn full(site: &Site<'_>, run: &RunView<'_>, block: &Block) -> Result<Full, PageError> {
    let case = run.cases().get(block.alike.cases[0]);
    let saw = case.outcome.run.as_deref().map(run_lines).unwrap_or_default();
    let broken = case.outcome.broken_laws().iter().flat_map(broken_law_lines);
    let said = match case.outcome.log.trim() {
        "" => &case.outcome.detail,
        log => log,
    };
    Ok(Full {
        pair: Pair::of(site.suite, &case.id, case.expectation)?,
        expects: case.expectation,
        saw: saw.iter().map(|line| one_line(line, 300)).collect(),
        broken: broken.collect(),
        log: one_line_each(said),
    })
}

/// Returns the beginning of a log, with lines of bounded length.
fn one_line_each(log: &str) -> String {
    let lines = printable(&first_lines(log, LOG_LINES));
    let short = |line: &str| match line.char_indices().nth(300) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    };
    lines.lines().map(short).collect::<Vec<_>>().join("\n")
}
