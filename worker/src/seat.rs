//! A worker, here or elsewhere.

use std::time::Duration;

use expectations::outcome::Phase;

use crate::{
    builder::BuildRequest,
    cancel::Cancel,
    capabilities::Capabilities,
    link::Link,
    process::{BuildEnd, Launch, Process, StartEnd},
};

/// A worker that has opened its device.
pub struct Seat(Place);

enum Place {
    Here(Process),
    Elsewhere(Link),
}

impl Seat {
    /// Start a worker and open its device.
    pub fn start(
        launch: &Launch,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<(Self, Capabilities), StartEnd> {
        match &launch.elsewhere {
            None => {
                let (process, capabilities) = Process::start(launch, limit, cancel)?;
                Ok((Self(Place::Here(process)), capabilities))
            }
            Some(command) => {
                let (link, capabilities) = Link::start(launch, command, limit, cancel)?;
                Ok((Self(Place::Elsewhere(link)), capabilities))
            }
        }
    }

    /// Build one program; the limit holds for each phase. A worker that did not answer is dead afterwards. `slow` is
    /// told when half of the limit is over.
    pub fn build(
        &mut self,
        request: BuildRequest,
        limit: Duration,
        slow: &mut dyn FnMut(Phase),
        cancel: &Cancel,
    ) -> BuildEnd {
        match &mut self.0 {
            Place::Here(process) => process.build(request, limit, slow, cancel),
            Place::Elsewhere(link) => link.build(request, limit, slow, cancel),
        }
    }

    /// Whether it has come so near to its limit of memory that the next case could be charged with what others left
    /// behind.
    pub fn is_heavy(&self) -> bool {
        match &self.0 {
            Place::Here(process) => process.is_heavy(),
            Place::Elsewhere(link) => link.is_heavy(),
        }
    }
}
