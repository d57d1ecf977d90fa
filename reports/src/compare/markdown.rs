//! A comparison as Markdown, for a release's page or a pull request.

use std::fmt::Write as _;

use super::{ChangeKind, Comparison, Pair, groups::transition};
use crate::{
    text::{markdown_code, markdown_text, shell_word},
    versions,
};

/// Number of changes of one kind that are listed: pages of CI systems have a limit.
const LISTED: usize = 200;

/// Returns the comparison as Markdown.
pub fn markdown(Pair { comparison, versions }: &Pair<'_>) -> String {
    let mut out = String::new();
    let regressions = comparison.count(ChangeKind::Regression);
    let verdict = match regressions {
        0 => "no regression".to_owned(),
        count => results::text::plural(count, "regression"),
    };
    let (old, new) = (&comparison.old, &comparison.new);
    let _ = writeln!(out, "## {}: {verdict}\n", markdown_text(&comparison.devices()));
    let _ = writeln!(
        out,
        "{} against {}.\n",
        markdown_code(new.header.driver()),
        markdown_code(old.header.driver())
    );
    for note in &comparison.notes {
        let _ = writeln!(out, "> {}\n", markdown_text(note));
    }
    out.push_str("| change | cases |\n|---|---:|\n");
    for kind in ChangeKind::ALL {
        let _ =
            writeln!(out, "| {} {} | {} |", kind.sign(), kind.heading(), comparison.count(kind));
    }
    let _ = writeln!(out, "| = As before | {} |", comparison.same);
    out.push_str(&versions::markdown(versions));
    for kind in ChangeKind::ALL {
        section(&mut out, comparison, kind);
    }
    out
}

fn section(out: &mut String, comparison: &Comparison<'_>, kind: ChangeKind) {
    let count = comparison.count(kind);
    if count == 0 {
        return;
    }
    let _ = writeln!(out, "\n### {}\n", kind.heading());
    let folded = kind != ChangeKind::Regression;
    if folded {
        let _ =
            writeln!(out, "<details><summary>{}</summary>\n", results::text::plural(count, "case"));
    }
    for change in comparison.of(kind).take(LISTED) {
        let change = comparison.changed(change);
        let _ = writeln!(
            out,
            "- {}: {}",
            markdown_code(change.id()),
            markdown_text(&transition(kind, &change))
        );
        if kind == ChangeKind::Regression {
            let show = format!("address-spaces show {}", shell_word(change.id()));
            let _ = writeln!(out, "  {}", markdown_code(&show));
        }
    }
    if count > LISTED {
        let _ = writeln!(out, "\n... and {} more.", count - LISTED);
    }
    if folded {
        out.push_str("\n</details>\n");
    }
}
