//! Interrupts: a run ends cleanly at the first and at once at the second; everything else ends at the first.

use std::{
    io::Write as _,
    sync::{
        LazyLock,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{engine::Cancel, exit};

static CANCEL: LazyLock<Cancel> = LazyLock::new(Cancel::default);
/// Somebody ends cleanly when asked to.
static IS_HEARD: AtomicBool = AtomicBool::new(false);

/// Handles interrupts from now on, even where a shell has made its background processes ignore them.
pub fn listen() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| {
        if !IS_HEARD.load(Ordering::Relaxed) || CANCEL.is_cancelled() {
            #[expect(clippy::exit, reason = "nobody else would end")]
            std::process::exit(i32::from(exit::COULD_NOT_RUN));
        }
        CANCEL.cancel();
        let _ = writeln!(anstream::stderr(), "stopping; interrupt again to end at once");
    })
}

/// Returns the request to stop that an interrupt sets from now on.
pub fn cancel() -> Cancel {
    IS_HEARD.store(true, Ordering::Relaxed);
    CANCEL.clone()
}
