//! Ctrl-C and termination: the tool stops its own children, then itself.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::child;

static ASKED: AtomicBool = AtomicBool::new(false);

/// Exit code of a run that was interrupted.
pub const EXIT_CODE: i32 = 130;

/// Makes Ctrl-C a question that [`asked`] answers, instead of the end.
pub fn install() {
    // Fails only if a handler is there already, which then does the same.
    let _ = ctrlc::set_handler(|| {
        let again = ASKED.swap(true, Ordering::Relaxed);
        child::end(again);
        if again {
            std::process::exit(EXIT_CODE);
        }
    });
}

/// Whether the run is to end.
#[must_use]
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Why something was left undone, if the run is to end.
///
/// # Errors
/// If it is.
pub fn check() -> miette::Result<()> {
    if asked() {
        return Err(miette::miette!("interrupted"));
    }
    Ok(())
}
