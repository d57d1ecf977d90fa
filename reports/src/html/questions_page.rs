//! The page on open questions of the text, with the readings of the report's devices.

use serde::Serialize;
use tera::Context;

use super::{
    layout::Layout,
    model::{Readings, Site},
};
use crate::{
    manual::PageError,
    questions::{QuestionView, view, words},
};

pub(super) const PATH: &str = "questions.html";

#[derive(Serialize)]
struct Section {
    title: &'static str,
    about: &'static str,
    questions: Vec<QuestionReadings>,
}

#[derive(Serialize)]
struct QuestionReadings {
    question: QuestionView,
    devices: Vec<DisputedRow>,
    /// Ids of the rules that have a page in the report.
    pages: Vec<String>,
}

/// The readings of disputed cases by one device.
#[derive(Serialize)]
pub(super) struct DisputedRow {
    name: String,
    accepted: usize,
    rejected: usize,
    other: usize,
}

impl DisputedRow {
    /// Returns the row of a device that has run disputed cases.
    pub(super) fn of(name: &str, disputed: Readings) -> Option<Self> {
        let Readings { accepted, rejected, other } = disputed;
        (accepted + rejected + other > 0).then(|| Self {
            name: name.to_owned(),
            accepted,
            rejected,
            other,
        })
    }
}

pub(super) fn page(site: &Site<'_>, layout: &Layout) -> Result<String, PageError> {
    let mut sections: Vec<Section> = Vec::new();
    for (index, question) in site.suite.questions().iter().enumerate() {
        let (title, about) = words(question.kind);
        let rows = site.runs.iter().filter_map(|run| {
            DisputedRow::of(&run.name, run.of_questions.get(&index).copied().unwrap_or_default())
        });
        let question = view(site.suite, question, None);
        let ids = question.rules.iter().map(|rule| rule.id.clone());
        let pages = ids.filter(|id| site.path_of_rule(id).is_some()).collect();
        let asked = QuestionReadings { question, devices: rows.collect(), pages };
        match sections.iter_mut().find(|section| section.title == title) {
            Some(section) => section.questions.push(asked),
            None => sections.push(Section { title, about, questions: vec![asked] }),
        }
    }
    let mut context = Context::new();
    context.insert("count", &site.suite.questions().len());
    context.insert("sections", &sections);
    layout.render("questions.html", PATH, "Open questions", context)
}
