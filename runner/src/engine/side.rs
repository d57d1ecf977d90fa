//! Side of a batch: the outcome that all of its cases should have.

/// Outcome that all cases of a batch should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    /// Expected to be accepted, and run then.
    Run,
    /// Expected to be accepted, and launched for its code then.
    Code,
    /// Expected to be accepted.
    Accept,
    /// Expected to be rejected, or unknown.
    Reject,
}

impl Side {
    pub(super) const ALL: [Self; 4] = [Self::Run, Self::Code, Self::Accept, Self::Reject];

    /// Whether kernels are launched, not only built.
    pub(super) fn is_launched(self) -> bool {
        matches!(self, Self::Run | Self::Code)
    }

    /// Batches are not made smaller than this to keep workers busy at the end.
    pub(super) fn smallest_share(self) -> usize {
        if self.is_launched() { 8 } else { 100 }
    }
}
