//! The layout of every page: frame, style, script, and the policy that allows nothing else.

use tera::{Context, Tera};

use super::{model::Site, prose::prose};
use crate::manual::PageError;
use generator::templates::delimiters;

/// Files that every page uses, by their paths in the report.
pub(super) const SHARED: [(&str, &str); 2] = [
    ("style.css", include_str!("../../../templates/reports/html/style.css")),
    ("script.js", include_str!("../../../templates/reports/html/script.js")),
];

/// Content security policy of every page: files of the report, on a server or on a disk, and nothing in a page itself.
const POLICY: &str = "default-src 'none'; style-src 'self' file:; script-src 'self' file:; base-uri 'none'; form-action 'none'";

/// The templates, ready to render.
pub(super) struct Layout {
    tera: Tera,
    written: String,
    program: &'static str,
    suite: String,
    has_history: bool,
}

impl Layout {
    pub(super) fn new(site: &Site<'_>) -> Result<Self, PageError> {
        let mut tera = Tera::new();
        tera.set_delimiters(delimiters())?;
        tera.register_filter("prose", prose);
        // The endings decide what is escaped: all of it.
        tera.add_raw_templates([
            ("layout.html", include_str!("../../../templates/reports/html/layout.html.tera")),
            ("cell.html", include_str!("../../../templates/reports/html/cell.html.tera")),
            ("bar.html", include_str!("../../../templates/reports/html/bar.html.tera")),
            ("cause.html", include_str!("../../../templates/reports/html/cause.html.tera")),
            ("clauses.html", include_str!("../../../templates/reports/html/clauses.html.tera")),
            ("hashes.html", include_str!("../../../templates/reports/html/hashes.html.tera")),
            ("pair.html", include_str!("../../../templates/reports/html/pair.html.tera")),
            ("kernel.html", include_str!("../../../templates/reports/html/kernel.html.tera")),
            ("index.html", include_str!("../../../templates/reports/html/index.html.tera")),
            ("rule.html", include_str!("../../../templates/reports/html/rule.html.tera")),
            ("device.html", include_str!("../../../templates/reports/html/device.html.tera")),
            ("chart.html", include_str!("../../../templates/reports/html/chart.html.tera")),
            ("history.html", include_str!("../../../templates/reports/html/history.html.tera")),
            ("compared.html", include_str!("../../../templates/reports/html/compared.html.tera")),
            ("questions.html", include_str!("../../../templates/reports/html/questions.html.tera")),
            (
                "deviations.html",
                include_str!("../../../templates/reports/html/deviations.html.tera"),
            ),
            ("finding.html", include_str!("../../../templates/reports/html/finding.html.tera")),
        ])?;
        Ok(Self {
            tera,
            written: site.written.to_owned(),
            program: env!("CARGO_PKG_VERSION"),
            suite: site.suite.hash().to_owned(),
            has_history: site.history.is_some(),
        })
    }

    /// Returns a page; `path` is its place in the report, on which its links depend.
    pub(super) fn render(
        &self,
        template: &str,
        path: &str,
        title: &str,
        mut context: Context,
    ) -> Result<String, PageError> {
        context.insert("root", &"../".repeat(path.matches('/').count()));
        context.insert("title", title);
        context.insert("policy", POLICY);
        context.insert("written", &self.written);
        context.insert("program", self.program);
        context.insert("suite", &self.suite);
        context.insert("has_history", &self.has_history);
        Ok(self.tera.render(template, &context)?)
    }
}

/// Returns a value as JSON for a page: nothing in it can end the element around it.
pub(super) fn embedded_json(value: &serde_json::Value) -> String {
    value.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_stays_in_its_element() {
        let value = serde_json::json!("</script><script>alert(1)</script>&");
        let text = embedded_json(&value);
        assert!(!text.contains('<') && !text.contains('&'), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
