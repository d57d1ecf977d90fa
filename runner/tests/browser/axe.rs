//! The report's pages, checked by the rules of axe-core, which finds barriers to reading a page.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use crate::{Site, devtools::Browser};

/// Returns axe-core's script, which `.ci/axe` installs; `None` if `.ci/axe` was not run.
pub(crate) fn script() -> Option<String> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?;
    std::fs::read_to_string(target.join("axe/axe.min.js")).ok()
}

/// Serious and critical faults: the rule, and the elements with the fault.
const RUN: &str = "axe.run().then((found) => found.violations
  .filter((rule) => ['serious', 'critical'].includes(rule.impact))
  .map((rule) => [rule.id, ...rule.nodes.slice(0, 3).map((node) => node.html.slice(0, 160) + ' ' + node.failureSummary)]))";

/// Pages of every kind, in every size and theme.
pub(crate) fn nothing_is_serious(browser: &mut Browser, site: &Site) {
    let script = format!("{}\n;0", script().unwrap());
    let pages = pages(site);
    assert_eq!(pages.len(), 8);
    let mut wrong = Vec::new();
    for (width, height) in [(1400, 1600), (400, 1600)] {
        for scheme in ["light", "dark"] {
            browser.resize(width, height);
            browser.prefer(scheme);
            for page in &pages {
                browser.open(page, "");
                // Folded parts are read too.
                browser.evaluate(
                    "for (const part of document.querySelectorAll('details')) part.open = true; 0",
                );
                browser.evaluate(&script);
                let found: Value = browser.evaluate(RUN);
                if found != json!([]) {
                    wrong.push(format!("{}, {width}, {scheme}: {found}", page.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// One page of each kind.
fn pages(site: &Site) -> Vec<PathBuf> {
    let all = site.pages();
    let finding = all.iter().find(|page| page.starts_with("findings/worse/")).unwrap();
    let mut pages: Vec<PathBuf> = [
        "index.html",
        "devices/worse.html",
        "rules/conversion/implicit.html",
        "deviations/worse/conversion/implicit.html",
        finding,
        "history.html",
        "questions.html",
    ]
    .map(|page| site.page(page))
    .to_vec();
    let folder = site.folder.path();
    let compared = Command::new(env!("CARGO_BIN_EXE_address-spaces"))
        .arg("compare")
        .args([folder.join("good"), folder.join("worse")])
        .arg("--html")
        .arg(folder.join("compared"))
        .output()
        .unwrap();
    // Something got worse.
    assert_eq!(compared.status.code(), Some(1), "{compared:?}");
    pages.push(folder.join("compared/compared/checker-and-worse.html"));
    pages
}
