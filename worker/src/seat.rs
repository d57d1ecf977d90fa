//! Workers, here or elsewhere, one after the other.

use std::time::Duration;

use expectations::outcome::Phase;

use crate::{
    builder::BuildRequest,
    cancel::Cancel,
    link::Link,
    local::{Local, WorkerStart},
    process::{BuildEnd, Launch, StartEnd},
    reserve::Reserve,
    usage::Excess,
};

/// A place where workers of one launch do their work.
pub struct Seat<'l> {
    launch: &'l Launch,
    place: Place<'l>,
}

enum Place<'l> {
    Here(Box<Local>),
    Elsewhere {
        command: &'l [String],
        /// The connection, which lasts longer than a worker.
        link: Option<Link>,
    },
}

impl<'l> Seat<'l> {
    /// Returns a seat without a worker. Those that it starts ahead are shared through `reserve`.
    pub fn new(launch: &'l Launch, reserve: Reserve) -> Self {
        let place = match &launch.elsewhere {
            None => Place::Here(Box::new(Local::new(reserve))),
            Some(command) => Place::Elsewhere { command, link: None },
        };
        Self { launch, place }
    }

    /// Starts a worker and opens its device, in place of the worker before. Where the device is known to build `first`,
    /// the worker may be forked from a process that has built it.
    pub fn start(
        &mut self,
        first: Option<&BuildRequest>,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<WorkerStart, StartEnd> {
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

    /// Starts the next worker ahead where starts take long.
    pub fn start_ahead(&mut self) {
        match &mut self.place {
            Place::Here(local) => local.start_ahead(self.launch),
            Place::Elsewhere { .. } => {}
        }
    }

    /// Whether the next worker was started ahead, so long ago that its device should be open.
    pub fn has_spare(&self) -> bool {
        match &self.place {
            Place::Here(local) => local.has_spare(),
            Place::Elsewhere { .. } => false,
        }
    }

    /// Builds one program; the limit holds for each phase. A worker that did not answer is dead afterwards. Calls
    /// `slow` when half of the limit is over. Without a worker the build counts as cancelled.
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

    /// Returns a limit that the worker is so near to that the next case could fail because of what others left behind.
    pub fn wear(&self) -> Option<Excess> {
        match &self.place {
            Place::Here(local) => local.wear(),
            Place::Elsewhere { link, .. } => link.as_ref().and_then(Link::wear),
        }
    }

    /// Ends the worker.
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
