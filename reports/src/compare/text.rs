//! A comparison for people at a terminal.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use anstyle::{AnsiColor, Style};

use expectations::case_id::CaseId;
use results::{
    line::Header,
    text::{one_line, plural},
};

use super::{
    ChangeKind, ChangedCase, Comparison, Pair, expected,
    groups::{ChangeSample, Group, Limits, groups},
    judged,
};
use crate::{
    text::{Listing, device_word, shell_word},
    versions,
};

/// The requirement of a rule and its clauses.
#[derive(Clone, Debug)]
pub struct About {
    /// Requirement in our own words.
    pub statement: String,
    /// Sections of the text, each `document [anchor]`.
    pub clauses: Vec<String>,
}

/// Writes the comparison with terminal styles. `about` describes a rule.
///
/// # Errors
///
/// Fails if `out` fails.
pub fn text(
    out: &mut dyn Write,
    Pair { comparison, versions }: &Pair<'_>,
    listing: Listing,
    about: &dyn Fn(&str) -> Option<About>,
) -> io::Result<()> {
    head(out, comparison)?;
    for note in &comparison.notes {
        let style = AnsiColor::Yellow.on_default();
        writeln!(out, "  {style}note{style:#}  {}", one_line(note, 300))?;
    }
    verdict(out, comparison)?;
    versions::text(out, versions, listing)?;
    regressions(out, comparison, listing, about)?;
    for kind in ChangeKind::ALL {
        if kind != ChangeKind::Regression {
            list(out, comparison, kind, listing)?;
        }
    }
    closing(out, comparison)
}

fn head(out: &mut dyn Write, comparison: &Comparison<'_>) -> io::Result<()> {
    let (old, new) = (comparison.old, comparison.new);
    let bold = Style::new().bold();
    writeln!(out, "{bold}{}{bold:#}", one_line(&comparison.devices(), 160))?;
    for (name, run) in [("old", old), ("new", new)] {
        let seconds = run.end().map_or_else(String::new, |end| format!(", {:.1} s", end.seconds));
        writeln!(
            out,
            "  {name}   {}  ({}, {}{seconds})",
            one_line(run.header.driver(), 100),
            one_line(&run.path.display().to_string(), 100),
            plural(run.cases.len(), "case"),
        )?;
    }
    Ok(())
}

fn verdict(out: &mut dyn Write, comparison: &Comparison<'_>) -> io::Result<()> {
    writeln!(out)?;
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
    writeln!(out, "  {}", parts.join("   "))
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

fn heading(out: &mut dyn Write, kind: ChangeKind, count: usize) -> io::Result<()> {
    let bold = Style::new().bold();
    writeln!(out, "\n{bold}{}{bold:#} ({count})", kind.heading())
}

/// Writes the regressions by rule, each with all that a developer needs to reproduce it.
fn regressions(
    out: &mut dyn Write,
    comparison: &Comparison<'_>,
    listing: Listing,
    about: &dyn Fn(&str) -> Option<About>,
) -> io::Result<()> {
    let limit = listing.regressions_of_a_rule();
    let mut of_rule: BTreeMap<String, ChangeSample> = BTreeMap::new();
    for change in comparison.of(ChangeKind::Regression) {
        let changed = comparison.changed(change);
        let rule = CaseId::new(changed.id()).rule().to_owned();
        of_rule.entry(rule).or_default().push(change, limit);
    }
    if of_rule.is_empty() {
        return Ok(());
    }
    heading(out, ChangeKind::Regression, comparison.count(ChangeKind::Regression))?;
    for (rule, group) in of_rule {
        let bold = Style::new().bold();
        writeln!(
            out,
            "\n  {bold}{}{bold:#}  {}",
            one_line(&rule, 100),
            plural(group.count, "case")
        )?;
        if let Some(About { statement, clauses }) = about(&rule) {
            writeln!(out, "  {}", one_line(&statement, 400))?;
            let dim = Style::new().dimmed();
            writeln!(out, "  {dim}{}{dim:#}", one_line(&clauses.join(", "), 200))?;
        }
        for &change in &group.first {
            regression(out, &comparison.new.header, &comparison.changed(change))?;
        }
        if group.count > limit {
            writeln!(
                out,
                "\n    ... and {} more of this rule; `--all` shows them",
                group.count - limit
            )?;
        }
    }
    Ok(())
}

fn regression(out: &mut dyn Write, header: &Header, change: &ChangedCase<'_>) -> io::Result<()> {
    let (Some(old), Some(new)) = (change.old.as_deref(), change.new.as_deref()) else {
        return Ok(());
    };
    let style = style(ChangeKind::Regression);
    let id = one_line(&new.id, 400);
    writeln!(out, "\n    {style}{} {id}{style:#}", ChangeKind::Regression.sign())?;
    writeln!(out, "      expected  {}", expected(new))?;
    for (name, case) in [("old", old), ("new", new)] {
        writeln!(out, "      {name:<9} {:<12}  {}", case.finding.kind.name(), judged(case))?;
    }
    if let Some(log) = &new.control_log {
        writeln!(out, "      control   {}", one_line(log, 240))?;
    }
    for remark in &new.remarks {
        writeln!(out, "      remark    {}", one_line(remark, 240))?;
    }
    for said in new.telling_lines().into_iter().filter(|said| *said != new.outcome.detail) {
        writeln!(out, "      log       {}", one_line(said, 240))?;
    }
    writeln!(out, "      show      address-spaces show {}", shell_word(&id))?;
    writeln!(
        out,
        "      rerun     address-spaces --device {} --exact {}",
        device_word(header),
        shell_word(&id)
    )
}

/// Writes the changes of a kind: in groups of one rule and transition, or every one.
fn list(
    out: &mut dyn Write,
    comparison: &Comparison<'_>,
    kind: ChangeKind,
    listing: Listing,
) -> io::Result<()> {
    let count = comparison.count(kind);
    if count == 0 {
        return Ok(());
    }
    heading(out, kind, count)?;
    let style = style(kind);
    let limits = Limits { groups: listing.groups(), of_a_group: listing.of_a_group() };
    let (groups, left_out) = groups(comparison, kind, limits);
    for Group { rule, transition, gathered } in &groups {
        writeln!(
            out,
            "  {style}{}{style:#} {}  {}: {transition}",
            kind.sign(),
            one_line(rule, 100),
            plural(gathered.count, "case")
        )?;
        for &change in &gathered.first {
            writeln!(out, "      {}", one_line(comparison.changed(change).id(), 300))?;
        }
        if gathered.count > gathered.first.len() {
            writeln!(out, "      ... and {} more", gathered.count - gathered.first.len())?;
        }
    }
    if left_out > 0 {
        writeln!(out, "  ... and {} of that kind; `--all` shows them", plural(left_out, "group"))?;
    }
    Ok(())
}

/// Writes the last line, which a terminal shows above the prompt.
fn closing(out: &mut dyn Write, comparison: &Comparison<'_>) -> io::Result<()> {
    let count = comparison.count(ChangeKind::Regression);
    let (style, sentence) = match count {
        0 => (style(ChangeKind::Fix), "no regression".to_owned()),
        _ => (style(ChangeKind::Regression), plural(count, "regression")),
    };
    writeln!(
        out,
        "\n{}: {style}{sentence}{style:#} from {} to {}",
        one_line(&comparison.devices(), 160),
        one_line(comparison.old.header.driver(), 80),
        one_line(comparison.new.header.driver(), 80)
    )
}
