//! The cause of a baseline entry, in a line.

use serde::Serialize;

use super::model::Site;
use crate::text::one_line;

/// What is wrong, as the template `cause` shows it.
#[derive(Serialize)]
pub(super) struct CauseTitle {
    id: String,
    /// None of a user's own cause, which the suite knows nothing of.
    title: Option<String>,
    component: Option<&'static str>,
}

impl CauseTitle {
    pub(super) fn of(site: &Site<'_>, id: &str) -> Self {
        let cause = site.causes.find(id);
        Self {
            id: one_line(id, 80),
            title: cause.map(|cause| one_line(&cause.title, 120)),
            component: cause.map(|cause| cause.component.text()),
        }
    }
}
