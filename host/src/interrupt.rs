//! Ctrl-C and termination: the tool stops its own children, then itself.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::child;
use crate::machine;

/// When somebody asked first.
static ASKED: OnceLock<Instant> = OnceLock::new();

/// Who signals to a process and then to its group, as `timeout` does, asks once.
const ONCE: Duration = Duration::from_millis(300);

/// Exit code of a run that was interrupted.
pub const EXIT_CODE: i32 = 130;

/// Makes Ctrl-C a question that [`asked`] answers, instead of the end.
pub fn install() {
    // Fails only if a handler is there already, which then does the same.
    let _ = ctrlc::set_handler(ask);
}

/// Asks for the end of the run; for the second time, it ends at once.
pub fn ask() {
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
