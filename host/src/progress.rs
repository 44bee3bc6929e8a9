//! Says on the standard error what takes long: a spinner on a terminal, plain lines elsewhere.

pub mod course;

use std::fmt::Write;
use std::io::{IsTerminal, Write as _};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};

/// The spinners of all steps under way.
static SPINNERS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Whether the standard output is for something else.
static ASIDE: AtomicBool = AtomicBool::new(false);

/// Has [`say`] speak on the standard error from now on: what is printed there at the end is read by a program.
pub fn speak_aside() {
    ASIDE.store(true, Ordering::Relaxed);
}

/// Prints a line on the standard output, with no spinner in its way.
pub fn say(line: &str) {
    say_part(&format!("{line}\n"));
}

/// As [`say`], of what need not be a whole line: it is seen at once.
pub fn say_part(text: &str) {
    if ASIDE.load(Ordering::Relaxed) {
        SPINNERS.suspend(|| eprint!("{text}"));
        return;
    }
    SPINNERS.suspend(|| print!("{text}"));
    // Who closed it does not want to see more.
    let _ = std::io::stdout().flush();
}

/// Prints lines on the standard error, with no spinner in their way.
pub fn complain(lines: &str) {
    SPINNERS.suspend(|| eprintln!("{lines}"));
}

/// A step shorter than this is not worth a line.
const WORTH_SAYING: Duration = Duration::from_secs(1);

/// A step under way. Dropping it ends it.
pub struct Step {
    running: Option<Sender<()>>,
    teller: Option<JoinHandle<()>>,
}

impl Step {
    /// Begins a step; `what` is in the present tense: "building the kernel".
    #[must_use]
    pub fn begin(what: impl Into<String>) -> Step {
        Step::begin_after(WORTH_SAYING, what.into())
    }

    /// As [`Step::begin`], but it is said at once: somebody else decides how long it takes.
    #[must_use]
    pub fn begin_aloud(what: impl Into<String>) -> Step {
        Step::begin_after(Duration::ZERO, what.into())
    }

    fn begin_after(delay: Duration, what: String) -> Step {
        let (running, ended) = channel();
        let teller = std::thread::spawn(move || tell(what, delay, &ended));
        Step {
            running: Some(running),
            teller: Some(teller),
        }
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        // The teller hears that the other end is gone.
        self.running = None;
        if let Some(teller) = self.teller.take() {
            let _ = teller.join();
        }
    }
}

fn tell(what: String, delay: Duration, ended: &Receiver<()>) {
    if ended.recv_timeout(delay) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    if !std::io::stderr().is_terminal() {
        let left = course::left().map(|left| format!(" ({left})"));
        eprintln!("riposte: {what} ...{}", left.unwrap_or_default());
        return;
    }
    let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed}{left})")
        .expect("the template is constant")
        .with_key("left", |_: &ProgressState, to: &mut dyn Write| {
            if let Some(left) = course::left() {
                let _ = write!(to, "; {left} in all");
            }
        });
    let bar = SPINNERS
        .add(ProgressBar::new_spinner())
        .with_style(style)
        .with_elapsed(delay)
        .with_message(what);
    bar.enable_steady_tick(Duration::from_millis(100));
    let _ = ended.recv();
    bar.finish_and_clear();
}
