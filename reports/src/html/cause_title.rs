//! The cause of a baseline entry, in a line.

use serde::Serialize;

use super::model::Site;
use results::text::one_line;

/// The cause of a baseline entry, for the template `cause`.
#[derive(Serialize)]
pub(super) struct CauseTitle {
    id: String,
    /// Title; `None` for a cause that only a user's own entry names.
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
