//! The front page: devices, verdict, the most important findings, and the matrix.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap},
};

use expectations::{baseline::Deviation, judge::FindingKind};
use results::{
    cases::Brief,
    text::{one_line, plural},
};
use serde::Serialize;
use tera::Context;

use super::{
    blocks::Block,
    layout::Layout,
    model::{ComparedRuns, RuleLink, RunView, Site, dialect_name},
    tally::{Cell, State, Tally, grouped},
};
use crate::{
    laws::{CasesOfLaw, LawCounts},
    manual::PageError,
    summary,
};

/// Number of findings that are named first.
const FIRST: usize = 8;

/// Number of rules that are named with a finding.
const RULES: usize = 3;

#[derive(Serialize)]
struct Verdict {
    class: char,
    sign: char,
    text: String,
    more: String,
}

/// A device at a glance.
#[derive(Serialize)]
pub(super) struct Card {
    pub(super) name: String,
    path: String,
    what: String,
    driver: String,
    front_end: String,
    verdict: Verdict,
    pub(super) bar: Vec<Segment>,
    bar_text: String,
    dialects: Vec<DialectChip>,
    notes: Vec<String>,
}

/// A device in its versions.
#[derive(Serialize)]
struct Line {
    name: String,
    /// Path of the page on changes; `None` for a single version.
    path: Option<String>,
    /// Indices of its cards.
    cards: Vec<usize>,
}

/// A part of a bar a thousand wide.
#[derive(Serialize)]
pub(super) struct Segment {
    class: char,
    x: usize,
    width: usize,
    label: &'static str,
    count: String,
}

#[derive(Serialize)]
struct DialectChip {
    name: &'static str,
    class: char,
    word: &'static str,
}

#[derive(Serialize)]
struct First {
    class: char,
    sign: char,
    devices: Vec<DeviceLink>,
    /// Title, if it has one.
    title: Option<String>,
    rules: Vec<RuleLink>,
    /// Number of rules that are not named.
    left_out: usize,
    count: String,
    text: String,
    page: Option<String>,
}

#[derive(Serialize)]
struct DeviceLink {
    name: String,
    path: String,
}

impl DeviceLink {
    fn to(run: &RunView<'_>) -> Self {
        Self { name: run.name.clone(), path: run.path() }
    }
}

#[derive(Serialize)]
struct Family {
    name: String,
    cells: Vec<Cell>,
    rules: Vec<Row>,
}

/// A law about emitted modules on every device.
#[derive(Serialize)]
struct LawRow {
    name: String,
    cells: Vec<LawCell>,
}

/// A law on one device.
#[derive(Serialize)]
struct LawCell {
    cell: Cell,
    /// Number of cases whose modules were compared with the text; empty if none was.
    compared: String,
}

#[derive(Serialize)]
struct Row {
    id: String,
    path: String,
    statement: String,
    cells: Vec<Cell>,
    disagree: bool,
    disputed: bool,
}

pub(super) fn page(site: &Site<'_>, layout: &Layout) -> Result<String, PageError> {
    let mut context = Context::new();
    let (first_title, first) = look_first(site);
    context.insert("verdict", &verdict(site));
    context.insert("facts", &facts(site));
    context.insert("cards", &site.runs.iter().map(|run| card(site, run)).collect::<Vec<_>>());
    context.insert("lines", &lines(site));
    context.insert("compared", &across_lines(site));
    context.insert("first_title", first_title);
    context.insert("first", &first);
    context.insert("laws", &laws(site));
    context.insert("families", &families(site));
    context.insert("dialects", &dialect_names(site));
    context.insert("notes", &notes(site));
    layout.render("index.html", "index.html", "Overview", context)
}

/// Returns the devices with several versions, a line each, and all others in one line.
fn lines(site: &Site<'_>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for (name, cards) in site.lineages() {
        let compared = site.compared.iter().find(|compared| compared.is_of(&cards));
        let path = compared.map(|compared| compared.path.clone());
        match lines.last_mut() {
            Some(last) if path.is_none() && last.path.is_none() => last.cards.extend(cards),
            _ => lines.push(Line { name: one_line(name, 60), path, cards }),
        }
    }
    lines
}

/// Returns the comparisons of different devices.
fn across_lines(site: &Site<'_>) -> Vec<DeviceLink> {
    let lines = site.lineages();
    let is_across = |compared: &&ComparedRuns| !lines.iter().any(|(_, runs)| compared.is_of(runs));
    let link = |compared: &ComparedRuns| DeviceLink {
        name: compared.name.clone(),
        path: compared.path.clone(),
    };
    site.compared.iter().filter(is_across).map(link).collect()
}

pub(super) fn dialect_names(site: &Site<'_>) -> Vec<&'static str> {
    site.shown_dialects.iter().map(|&dialect| dialect_name(dialect)).collect()
}

#[derive(Serialize)]
struct Facts {
    rules: String,
    cases: String,
    dialects: String,
    devices: String,
}

fn facts(site: &Site<'_>) -> Facts {
    let rules = (0..site.rules.len())
        .filter(|&rule| {
            let tried = |tally: &Tally| tally.state() != State::Nothing;
            site.runs.iter().any(|run| run.tallies[rule].iter().any(tried))
        })
        .count();
    let (cases, dialects) = distinct_tried(site);
    Facts {
        rules: plural(rules, "rule"),
        cases: grouped(cases),
        dialects: plural(dialects, "dialect"),
        devices: plural(site.runs.len(), "implementation"),
    }
}

/// Returns the number of cases that were tried, and of their dialects; a case of several runs counts once.
fn distinct_tried(site: &Site<'_>) -> (usize, usize) {
    let mut dialects = BTreeSet::new();
    let is_tried = |case: &Brief| case.finding.kind != FindingKind::Unsupported;
    // The ids of every run come in order.
    let tried = site.runs.iter().map(|run| run.cases().briefs().filter(is_tried));
    let mut ids: Vec<_> = tried.collect();
    let mut heads: BinaryHeap<_> = BinaryHeap::new();
    let mut next = |ids: &mut dyn Iterator<Item = Brief>, run| {
        let case = ids.next()?;
        dialects.insert(case.dialect.name());
        Some(Reverse((case.id, run)))
    };
    for (run, ids) in ids.iter_mut().enumerate() {
        heads.extend(next(ids, run));
    }
    let (mut count, mut last) = (0, None);
    while let Some(Reverse((id, run))) = heads.pop() {
        heads.extend(next(&mut ids[run], run));
        if last.as_ref() != Some(&id) {
            count += 1;
            last = Some(id);
        }
    }
    (count, dialects.len())
}

/// Returns the verdict of the whole report. An expected failure is a deviation too.
fn verdict(site: &Site<'_>) -> Verdict {
    let names = |wanted: State| -> Vec<&str> {
        site.runs
            .iter()
            .filter(|run| run.total.state() == wanted)
            .map(|run| run.name.as_str())
            .collect()
    };
    let unexpected: usize = site.runs.iter().map(|run| run.total.unexpected).sum();
    let known: usize = site.runs.iter().map(|run| run.total.known).sum();
    if unexpected > 0 {
        return Verdict {
            class: 'x',
            sign: State::Unexpected.sign(),
            text: plural_grouped(unexpected, "unexpected finding"),
            more: format!(
                "on {}. Nothing on record explains them: look at them first.",
                names(State::Unexpected).join(", ")
            ),
        };
    }
    let red = site.runs.iter().filter(|run| !run.run.is_as_expected());
    let red: Vec<String> =
        red.map(|run| format!("{} ({})", run.name, summary::faults(run.run).join(", "))).collect();
    if !red.is_empty() {
        return Verdict {
            class: 'x',
            sign: State::Unexpected.sign(),
            text: "Not as expected".to_owned(),
            more: format!(
                "No finding is unexpected, but something else is wrong with {}.",
                red.join("; ")
            ),
        };
    }
    if known > 0 {
        return Verdict {
            class: State::Pass.class(),
            sign: State::Pass.sign(),
            text: "Nothing unexpected".to_owned(),
            more: format!(
                "{}, each with its reason, on {}.",
                plural_grouped(known, "expected failure"),
                names(State::Known).join(", ")
            ),
        };
    }
    let tried: usize = site.runs.iter().map(|run| run.total.pass).sum();
    if tried == 0 {
        return Verdict {
            class: 'u',
            sign: State::Unsupported.sign(),
            text: "Nothing was judged".to_owned(),
            more: "No case could be run, or all of them depend on disputed text.".to_owned(),
        };
    }
    Verdict {
        class: 'p',
        sign: State::Pass.sign(),
        text: "No deviation".to_owned(),
        more: "Every case that was run and judged came out as the specification requires."
            .to_owned(),
    }
}

fn plural_grouped(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Returns the verdict, bar and dialects of a device.
pub(super) fn card(site: &Site<'_>, run: &RunView<'_>) -> Card {
    let header = &run.run.header;
    let total = &run.total;
    let deviating = |wanted: fn(&Tally) -> usize| {
        run.tallies.iter().filter(|tallies| tallies.iter().any(|tally| wanted(tally) > 0)).count()
    };
    let (text, more) = match total.state() {
        State::Unexpected => (
            plural_grouped(total.unexpected, "unexpected finding"),
            format!("in {}", plural(deviating(|tally| tally.unexpected), "rule")),
        ),
        State::Known => (
            "Nothing unexpected".to_owned(),
            format!(
                "{} in {}",
                plural_grouped(total.known, "expected failure"),
                plural(deviating(|tally| tally.known), "rule")
            ),
        ),
        State::Pass => (
            "No deviation".to_owned(),
            format!("{} as required", plural_grouped(total.pass, "case")),
        ),
        _ => ("Nothing was judged".to_owned(), String::new()),
    };
    let dialects = site
        .shown_dialects
        .iter()
        .map(|&dialect| {
            let mut tally = Tally::default();
            for tallies in &run.tallies {
                tally.add(&tallies[dialect]);
            }
            let state = tally.state();
            DialectChip { name: dialect_name(dialect), class: state.class(), word: state.word() }
        })
        .collect();
    let mut notes = Vec::new();
    if let Some(partial) = run.run.partial() {
        notes.push(format!("Partial results: {}.", one_line(&partial, 400)));
    }
    if !run.stale().is_empty() {
        notes.push(format!(
            "{} of its file no longer match: they are listed on its page.",
            plural(run.stale().len(), "baseline entry")
        ));
    }
    // What is on record wears no warning: the bar and the dialects show it.
    let verdict = match total.state() {
        State::Known => State::Pass,
        state => state,
    };
    Card {
        name: run.name.clone(),
        path: run.path(),
        what: run.run.device.as_ref().map_or_else(
            || "A device without a file in this version of the suite.".to_owned(),
            |device| device.what.clone(),
        ),
        driver: one_line(header.driver(), 80),
        front_end: one_line(&header.front_end, 60),
        verdict: Verdict { class: verdict.class(), sign: verdict.sign(), text, more },
        bar: bar(total),
        bar_text: format!(
            "{} as required, {} expected failure, {} unexpected, {} on disputed text, {} not supported",
            total.pass, total.known, total.unexpected, total.disputed, total.unsupported
        ),
        dialects,
        notes,
    }
}

/// Returns the counts as parts of a bar; every part is visible, however small.
fn bar(total: &Tally) -> Vec<Segment> {
    const WIDTH: usize = 1000;
    const LEAST: usize = 6;
    let parts = [
        ('x', "unexpected", total.unexpected),
        ('k', "expected failure", total.known),
        ('p', "as required", total.pass),
        ('d', "disputed text", total.disputed),
        ('u', "not supported", total.unsupported),
    ];
    let parts: Vec<_> = parts.into_iter().filter(|(.., count)| *count > 0).collect();
    let sum: usize = parts.iter().map(|(.., count)| count).sum();
    let free = WIDTH - LEAST * parts.len();
    let mut x = 0;
    let mut bar = Vec::new();
    for (class, label, count) in parts {
        let width = LEAST + free * count / sum;
        bar.push(Segment { class, x, width, label, count: grouped(count) });
        x += width;
    }
    if let Some(last) = bar.last_mut() {
        last.width += WIDTH - x;
    }
    bar
}

/// Returns the unexpected findings, the worst first; if there are none, the most frequent known causes.
fn look_first(site: &Site<'_>) -> (&'static str, Vec<First>) {
    let mut blocks: Vec<_> =
        site.runs.iter().flat_map(|run| run.blocks.iter().map(move |block| (run, block))).collect();
    if blocks.is_empty() {
        return ("Where expected failures come from", known_first(site));
    }
    blocks.sort_by_key(|(_, block)| {
        (Reverse(block.finding.kind.badness()), Reverse(block.alike.cases.len()))
    });
    let first = blocks.into_iter().take(FIRST).map(|(run, block)| First {
        class: State::Unexpected.class(),
        sign: State::Unexpected.sign(),
        devices: vec![DeviceLink::to(run)],
        title: None,
        rules: vec![site.rule_link(block.rule)],
        left_out: 0,
        count: count(block),
        text: format!("{}: {}", block.finding.kind.name(), block.finding.reason.text()),
        page: run.finding_path(block.alike.cases[0]),
    });
    ("Look at these first", first.collect())
}

/// Counts the cases and rules of a block: `13 cases of 2 rules`.
fn count(block: &Block) -> String {
    let cases = plural_grouped(block.alike.cases.len(), "case");
    match block.rules.len() {
        1 => cases,
        rules => format!("{cases} of {rules} rules"),
    }
}

/// Returns the explained deviations by cause, or by the reason of an entry that names no cause.
fn known_first(site: &Site<'_>) -> Vec<First> {
    let mut known: BTreeMap<&str, KnownOnce<'_>> = BTreeMap::new();
    for run in &site.runs {
        for (&(entry, rule), cases) in &run.explained {
            let deviation = &run.deviations()[entry];
            let name = deviation.cause.as_deref().unwrap_or(&deviation.reason);
            let once = known.entry(name).or_insert_with(|| {
                KnownOnce::new(deviation, run.deviations_path(&site.rules, rule))
            });
            once.cases += cases;
            *once.rules.entry(rule).or_default() += cases;
            if once.runs.last().is_none_or(|last| last.slug != run.slug) {
                once.runs.push(run);
            }
        }
    }
    let mut known: Vec<_> = known.into_values().collect();
    known.sort_by_key(|once| Reverse(once.cases));
    known.into_iter().take(FIRST).map(|once| once.shown(site)).collect()
}

/// The deviations of one cause, on all devices and in all rules.
struct KnownOnce<'r> {
    deviation: &'r Deviation,
    runs: Vec<&'r RunView<'r>>,
    /// Number of cases by rule.
    rules: BTreeMap<usize, usize>,
    cases: usize,
    /// Path of a page that shows some of them.
    page: Option<String>,
}

impl<'r> KnownOnce<'r> {
    const fn new(deviation: &'r Deviation, page: Option<String>) -> Self {
        Self { deviation, runs: Vec::new(), rules: BTreeMap::new(), cases: 0, page }
    }

    fn shown(self, site: &Site<'_>) -> First {
        let cause = self.deviation.cause.as_deref().and_then(|id| site.causes.find(id));
        let mut rules: Vec<(usize, usize)> = self.rules.into_iter().collect();
        rules.sort_by_key(|&(_, cases)| Reverse(cases));
        First {
            class: State::Known.class(),
            sign: State::Known.sign(),
            devices: self.runs.into_iter().map(DeviceLink::to).collect(),
            title: cause.map(|cause| one_line(&cause.title, 120)),
            left_out: rules.len().saturating_sub(RULES),
            rules: rules.iter().take(RULES).map(|&(rule, _)| site.rule_link(rule)).collect(),
            count: plural_grouped(self.cases, "case"),
            text: match cause {
                Some(cause) => format!("At fault: {}", cause.component.text()),
                None => self.deviation.reason.clone(),
            },
            page: self.page,
        }
    }
}

/// Returns the laws about emitted modules: all of them in one row, then each that is broken; none if no module was
/// compared with the text.
fn laws(site: &Site<'_>) -> Vec<LawRow> {
    let counts: Vec<LawCounts> = site.runs.iter().map(|run| LawCounts::of(run.run)).collect();
    if counts.iter().all(|counts| counts.compared == 0) {
        return Vec::new();
    }
    let row = |name: String, cases: &dyn Fn(&LawCounts) -> CasesOfLaw| {
        let cell = |counts: &LawCounts| {
            let CasesOfLaw { known, unexpected } = cases(counts);
            let pass = counts.compared - known - unexpected;
            let compared = Some(counts.compared).filter(|&compared| compared > 0);
            LawCell {
                cell: Cell::of(&Tally { unexpected, known, pass, ..Tally::default() }),
                compared: compared.map(grouped).unwrap_or_default(),
            }
        };
        LawRow { name, cells: counts.iter().map(cell).collect() }
    };
    let broken: BTreeSet<&String> = counts.iter().flat_map(|counts| counts.laws.keys()).collect();
    let of_law = |law: &&String| {
        row(format!("law: {law}"), &|counts| counts.laws.get(*law).copied().unwrap_or_default())
    };
    let all = row("laws of emitted modules".to_owned(), &|counts| counts.breaking);
    [all].into_iter().chain(broken.iter().map(of_law)).collect()
}

fn families(site: &Site<'_>) -> Vec<Family> {
    let cells = |rules: &[usize]| -> Vec<Cell> {
        let of_run = |run: &RunView<'_>| {
            let sums: Vec<Tally> = site
                .shown_dialects
                .iter()
                .map(|&dialect| {
                    let mut sum = Tally::default();
                    for &rule in rules {
                        sum.add(&run.tallies[rule][dialect]);
                    }
                    sum
                })
                .collect();
            Cell::over(&sums)
        };
        site.runs.iter().map(of_run).collect()
    };
    let row = |&rule: &usize| {
        let model = &site.rules[rule];
        let cells = site.runs.iter().zip(cells(&[rule]));
        let cells =
            cells.map(|(run, cell)| cell.leading_to(run.deviations_path(&site.rules, rule)));
        Row {
            id: model.id.clone(),
            path: model.path.clone(),
            statement: model.statement.clone(),
            cells: cells.collect(),
            disagree: disagree(site, rule),
            disputed: site
                .runs
                .iter()
                .any(|run| run.tallies[rule].iter().any(|tally| tally.disputed > 0)),
        }
    };
    site.families()
        .into_iter()
        .map(|(name, rules)| Family {
            name: name.to_owned(),
            cells: cells(&rules),
            rules: rules.iter().map(row).collect(),
        })
        .collect()
}

/// Whether some device does as the rule requires in a dialect where another does not.
fn disagree(site: &Site<'_>, rule: usize) -> bool {
    site.shown_dialects.iter().any(|&dialect| {
        let states = || site.runs.iter().map(|run| run.tallies[rule][dialect].state());
        states().any(|state| state == State::Pass)
            && states().any(|state| matches!(state, State::Known | State::Unexpected))
    })
}

fn notes(site: &Site<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if site.runs.is_empty() {
        notes.push("No run was given.".to_owned());
    }
    let partial = site.runs.iter().filter(|run| !run.run.faults.is_empty());
    let partial: Vec<&str> = partial.map(|run| run.name.as_str()).collect();
    if !partial.is_empty() {
        notes.push(format!(
            "Partial results: the counts of {} are not those of a whole run. The reason is given \
             with each.",
            partial.join(", ")
        ));
    }
    let other: Vec<&str> = site
        .runs
        .iter()
        .filter(|run| run.is_of_another_suite(site.suite))
        .map(|run| run.name.as_str())
        .collect();
    if !other.is_empty() {
        notes.push(format!(
            "Made with another version of the suite: {}. Kernels shown here may differ from those it ran.",
            other.join(", ")
        ));
    }
    notes
}
