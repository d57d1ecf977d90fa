//! Workers, here or elsewhere, one after the other.

use std::time::Duration;

use expectations::outcome::Phase;

use crate::{
    builder::BuildRequest,
    cancel::Cancel,
    link::Link,
    local::{Local, Started},
    process::{BuildEnd, Launch, StartEnd},
};

/// Where workers of one launch do their work.
pub struct Seat<'l> {
    launch: &'l Launch,
    place: Place<'l>,
}

enum Place<'l> {
    Here(Local),
    Elsewhere {
        command: &'l [String],
        /// Lasts longer than a worker.
        link: Option<Link>,
    },
}

impl<'l> Seat<'l> {
    /// One without a worker.
    pub fn new(launch: &'l Launch) -> Self {
        let place = match &launch.elsewhere {
            None => Place::Here(Local::new()),
            Some(command) => Place::Elsewhere { command, link: None },
        };
        Self { launch, place }
    }

    /// Have a worker that has opened its device, in place of the one there was. Where `first` is known to be built by
    /// the device, it may be one that was forked from a process that has built it.
    pub fn start(
        &mut self,
        first: Option<&BuildRequest>,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<Started, StartEnd> {
        match &mut self.place {
            Place::Here(local) => local.start(self.launch, first, limit, cancel),
            Place::Elsewhere { command, link } => {
                let reached = link.take().filter(Link::lasts);
                let reached = match reached {
                    Some(reached) => reached,
                    None => Link::reach(self.launch, command, cancel)?,
                };
                link.insert(reached).start(self.launch, first, limit, cancel)
            }
        }
    }

    /// Build one program; the limit holds for each phase. A worker that did not answer is dead afterwards. `slow` is
    /// told when half of the limit is over. Without a worker it ends as if it were cancelled.
    pub fn build(
        &mut self,
        request: BuildRequest,
        limit: Duration,
        slow: &mut dyn FnMut(Phase),
        cancel: &Cancel,
    ) -> BuildEnd {
        match &mut self.place {
            Place::Here(local) => local.build(request, limit, slow, cancel),
            Place::Elsewhere { link: Some(link), .. } => link.build(request, limit, slow, cancel),
            Place::Elsewhere { link: None, .. } => BuildEnd::Cancelled,
        }
    }

    /// Whether the worker has come so near to its limit of memory that the next case could be charged with what others
    /// left behind.
    pub fn is_heavy(&self) -> bool {
        match &self.place {
            Place::Here(local) => local.is_heavy(),
            Place::Elsewhere { link, .. } => link.as_ref().is_some_and(Link::is_heavy),
        }
    }

    /// End the worker.
    pub fn end(&mut self) {
        match &mut self.place {
            Place::Here(local) => local.end(),
            Place::Elsewhere { link, .. } => {
                if let Some(link) = link {
                    link.end_worker();
                }
            }
        }
    }
}
