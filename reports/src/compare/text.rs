//! A comparison for people at a terminal.

use std::{collections::BTreeMap, fmt::Write as _};

use anstyle::{AnsiColor, Style};

use expectations::case_id::CaseId;

use super::{Change, ChangeKind, Comparison, expected, judged, outcome};
use crate::{
    results::CaseResult,
    summary::said,
    text::{one_line, plural, shell_word},
};

/// How many changes of a kind are shown where not all are asked for.
#[derive(Clone, Copy, Debug)]
pub enum Shown {
    /// Enough to act on: of each rule the first, of each kind the first rules.
    First,
    /// Every one.
    All,
}

impl Shown {
    const fn regressions_of_a_rule(self) -> usize {
        match self {
            Self::First => 3,
            Self::All => usize::MAX,
        }
    }

    const fn groups(self) -> usize {
        match self {
            Self::First => 12,
            Self::All => usize::MAX,
        }
    }

    const fn of_a_group(self) -> usize {
        match self {
            Self::First => 1,
            Self::All => usize::MAX,
        }
    }
}

/// What a rule requires, and where the text says so.
#[derive(Clone, Debug)]
pub struct About {
    /// The requirement in our own words.
    pub statement: String,
    /// `document [anchor]`, one for each section.
    pub clauses: Vec<String>,
}

/// The comparison, with terminal styles. `about` tells of a rule.
pub fn text(
    comparison: &Comparison<'_>,
    shown: Shown,
    about: &dyn Fn(&str) -> Option<About>,
) -> String {
    let mut out = String::new();
    head(&mut out, comparison);
    for note in &comparison.notes {
        let style = AnsiColor::Yellow.on_default();
        let _ = writeln!(out, "  {style}note{style:#}  {}", one_line(note, 300));
    }
    verdict(&mut out, comparison);
    regressions(&mut out, comparison, shown, about);
    for kind in ChangeKind::ALL {
        if kind != ChangeKind::Regression {
            list(&mut out, comparison, kind, shown);
        }
    }
    closing(&mut out, comparison);
    out
}

fn head(out: &mut String, comparison: &Comparison<'_>) {
    let (old, new) = (&comparison.old, &comparison.new);
    let bold = Style::new().bold();
    let _ = writeln!(out, "{bold}{}{bold:#}", one_line(&new.header.device, 80));
    for (name, side) in [("old", old), ("new", new)] {
        let seconds = side.seconds.map_or_else(String::new, |seconds| format!(", {seconds:.1} s"));
        let _ = writeln!(
            out,
            "  {name}   {}  ({}, {}{seconds})",
            one_line(side.version(), 100),
            one_line(&side.path, 100),
            plural(side.cases, "case"),
        );
    }
}

fn verdict(out: &mut String, comparison: &Comparison<'_>) {
    out.push('\n');
    let mut parts = Vec::new();
    for kind in ChangeKind::ALL {
        let count = comparison.count(kind);
        if count > 0 || matches!(kind, ChangeKind::Regression | ChangeKind::Fix) {
            let style = if count == 0 { Style::new().dimmed() } else { style(kind) };
            let label = match kind {
                ChangeKind::Regression => plural(count, "regression"),
                ChangeKind::Fix if count == 1 => "1 fix".to_owned(),
                ChangeKind::Fix => format!("{count} fixes"),
                _ => format!("{count} {}", kind.heading().to_lowercase()),
            };
            parts.push(format!("{style}{} {label}{style:#}", kind.sign()));
        }
    }
    parts.push(format!("= {} as before", comparison.same));
    let _ = writeln!(out, "  {}", parts.join("   "));
}

const fn style(kind: ChangeKind) -> Style {
    match kind {
        ChangeKind::Regression => AnsiColor::Red.on_default().bold(),
        ChangeKind::Fix => AnsiColor::Green.on_default(),
        ChangeKind::Reason | ChangeKind::NoLongerSupported | ChangeKind::Expectation => {
            AnsiColor::Yellow.on_default()
        }
        ChangeKind::NewlySupported | ChangeKind::New => AnsiColor::Cyan.on_default(),
        ChangeKind::Gone | ChangeKind::Slower | ChangeKind::Faster => Style::new(),
    }
}

fn heading(out: &mut String, kind: ChangeKind, count: usize) {
    let bold = Style::new().bold();
    let _ = writeln!(out, "\n{bold}{}{bold:#} ({count})", kind.heading());
}

/// Regressions by rule: the ones a release waits for, each with all that is needed to go on.
fn regressions(
    out: &mut String,
    comparison: &Comparison<'_>,
    shown: Shown,
    about: &dyn Fn(&str) -> Option<About>,
) {
    let mut of_rule: BTreeMap<&str, Vec<&Change<'_>>> = BTreeMap::new();
    for change in comparison.of(ChangeKind::Regression) {
        of_rule.entry(CaseId::new(change.id()).rule()).or_default().push(change);
    }
    if of_rule.is_empty() {
        return;
    }
    heading(out, ChangeKind::Regression, comparison.count(ChangeKind::Regression));
    for (rule, changes) in of_rule {
        let bold = Style::new().bold();
        let _ = writeln!(
            out,
            "\n  {bold}{}{bold:#}  {}",
            one_line(rule, 100),
            plural(changes.len(), "case")
        );
        if let Some(About { statement, clauses }) = about(rule) {
            let _ = writeln!(out, "  {}", one_line(&statement, 400));
            let dim = Style::new().dimmed();
            let _ = writeln!(out, "  {dim}{}{dim:#}", one_line(&clauses.join(", "), 200));
        }
        let limit = shown.regressions_of_a_rule();
        for change in changes.iter().take(limit) {
            regression(out, &comparison.new.header.device, change);
        }
        if changes.len() > limit {
            let _ = writeln!(
                out,
                "\n    ... and {} more of this rule; `--all` shows them",
                changes.len() - limit
            );
        }
    }
}

fn regression(out: &mut String, device: &str, change: &Change<'_>) {
    let (Some(old), Some(new)) = (change.old, change.new) else { return };
    let style = style(ChangeKind::Regression);
    let id = one_line(&new.id, 400);
    let _ = writeln!(out, "\n    {style}{} {id}{style:#}", ChangeKind::Regression.sign());
    let _ = writeln!(out, "      expected  {}", expected(new));
    for (name, case) in [("old", old), ("new", new)] {
        let _ = writeln!(out, "      {name:<9} {:<12}  {}", case.finding.kind.name(), judged(case));
    }
    if let Some(log) = &new.control_log {
        let _ = writeln!(out, "      control   {}", one_line(log, 240));
    }
    for remark in &new.remarks {
        let _ = writeln!(out, "      remark    {}", one_line(remark, 240));
    }
    if let Some(said) = said(new).filter(|said| *said != new.outcome.detail) {
        let _ = writeln!(out, "      log       {}", one_line(said, 240));
    }
    let _ = writeln!(out, "      show      runner show {}", shell_word(&id));
    let _ = writeln!(
        out,
        "      rerun     runner --device {} --exact {}",
        shell_word(&one_line(device, 80)),
        shell_word(&id)
    );
}

/// Changes that need no page each: those of a rule that went the same way together, or every one.
fn list(out: &mut String, comparison: &Comparison<'_>, kind: ChangeKind, shown: Shown) {
    let count = comparison.count(kind);
    if count == 0 {
        return;
    }
    heading(out, kind, count);
    let style = style(kind);
    let mut groups: BTreeMap<(bool, &str, String), Vec<&Change<'_>>> = BTreeMap::new();
    for change in comparison.of(kind) {
        let harmless = !change.new.is_some_and(|case| case.finding.kind.needs_explanation());
        // What deviates comes first: that is what somebody has to look at.
        let key = (harmless, CaseId::new(change.id()).rule(), transition(kind, change));
        groups.entry(key).or_default().push(change);
    }
    for ((_, rule, transition), changes) in groups.iter().take(shown.groups()) {
        let _ = writeln!(
            out,
            "  {style}{}{style:#} {}  {}: {transition}",
            kind.sign(),
            one_line(rule, 100),
            plural(changes.len(), "case")
        );
        for change in changes.iter().take(shown.of_a_group()) {
            let _ = writeln!(out, "      {}", one_line(change.id(), 300));
        }
        if changes.len() > shown.of_a_group() {
            let _ = writeln!(out, "      ... and {} more", changes.len() - shown.of_a_group());
        }
    }
    if groups.len() > shown.groups() {
        let _ = writeln!(
            out,
            "  ... and {} of that kind; `--all` shows them",
            plural(groups.len() - shown.groups(), "group")
        );
    }
}

/// The last line, where a terminal leaves the reader.
fn closing(out: &mut String, comparison: &Comparison<'_>) {
    let count = comparison.count(ChangeKind::Regression);
    let (style, sentence) = match count {
        0 => (style(ChangeKind::Fix), "no regression".to_owned()),
        _ => (style(ChangeKind::Regression), plural(count, "regression")),
    };
    let _ = writeln!(
        out,
        "\n{}: {style}{sentence}{style:#} from {} to {}",
        one_line(&comparison.new.header.device, 80),
        one_line(comparison.old.version(), 80),
        one_line(comparison.new.version(), 80)
    );
}

/// How a case went from one run to the other, on one line.
pub(super) fn transition(kind: ChangeKind, change: &Change<'_>) -> String {
    let state = |case: &CaseResult| match case.finding.reason.text() {
        "as expected" => case.finding.kind.name().to_owned(),
        reason => format!("{} ({reason})", case.finding.kind.name()),
    };
    match (kind, change.old, change.new) {
        (ChangeKind::Slower | ChangeKind::Faster, Some(old), Some(new)) => {
            format!("{:.2} s, now {:.2} s", old.seconds, new.seconds)
        }
        (ChangeKind::Expectation, Some(old), Some(new)) => format!(
            "{} expected, now {}; {}, now {}",
            one_line(&old.expectation, 40),
            one_line(&new.expectation, 40),
            state(old),
            state(new)
        ),
        (ChangeKind::Reason, Some(old), Some(new)) if old.finding == new.finding => {
            format!("{}: {}, now {}", state(new), outcome(old), outcome(new))
        }
        (_, Some(old), Some(new)) => format!("{}, now {}", state(old), state(new)),
        (_, Some(only), None) | (_, None, Some(only)) => state(only),
        (_, None, None) => String::new(),
    }
}
