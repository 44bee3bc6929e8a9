//! Ctrl-C and termination: the tool stops its own children, then itself.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

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

/// Makes Ctrl-C and a termination a question that [`asked`] answers, instead of the end.
pub fn install() {
    // Where signals cannot be caught they end the tool, as they do any program.
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else {
        return;
    };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if signal != SIGINT || !LEFT.load(Ordering::Relaxed) {
                ask();
            }
        }
    });
}

/// From now on Ctrl-C is meant for a program in the same terminal: the tool ends with that. A termination is still for the
/// tool.
pub fn leave_to_others() {
    LEFT.store(true, Ordering::Relaxed);
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
