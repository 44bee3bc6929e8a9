//! Ctrl-C and termination: the tool stops its own children, then itself.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::child;
use crate::machine;

/// When somebody asked first.
static ASKED: OnceLock<Instant> = OnceLock::new();

/// Whether a program in the same terminal knows better what Ctrl-C means.
static LEFT: AtomicBool = AtomicBool::new(false);

/// Who signals to a process and then to its group, as `timeout` does, asks once.
const ONCE: Duration = Duration::from_millis(300);

/// Exit code of a run that was interrupted.
pub const EXIT_CODE: i32 = 130;

/// Makes Ctrl-C a question that [`asked`] answers, instead of the end.
pub fn install() {
    // Fails only if a handler is there already, which then does the same.
    let _ = ctrlc::set_handler(ask);
}

/// From now on Ctrl-C is meant for a program in the same terminal: the tool ends with that.
pub fn leave_to_others() {
    LEFT.store(true, Ordering::Relaxed);
}

/// Asks for the end of the run; for the second time, it ends at once.
pub fn ask() {
    if LEFT.load(Ordering::Relaxed) {
        return;
    }
    let again = ASKED.get_or_init(Instant::now).elapsed() > ONCE;
    child::end(again);
    if again {
        machine::give_back_terminal();
        std::process::exit(EXIT_CODE);
    }
}

/// Whether the run is to end.
#[must_use]
pub fn asked() -> bool {
    ASKED.get().is_some()
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
