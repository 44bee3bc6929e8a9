//! Says on the standard error what takes long: a spinner on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A step shorter than this is not worth a line.
const WORTH_SAYING: Duration = Duration::from_secs(1);

/// A step under way. Dropping it ends it.
pub struct Step {
    bar: Option<ProgressBar>,
    plain: Option<(mpsc::Sender<()>, JoinHandle<()>)>,
}

impl Step {
    /// Begins a step; `what` is in the present tense: "building the kernel".
    #[must_use]
    pub fn begin(what: impl Into<String>) -> Step {
        let what = what.into();
        if std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed})")
                .expect("the template is constant");
            let bar = ProgressBar::new_spinner()
                .with_style(style)
                .with_message(what);
            bar.enable_steady_tick(Duration::from_millis(100));
            return Step {
                bar: Some(bar),
                plain: None,
            };
        }
        let (done, wait) = mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            if wait.recv_timeout(WORTH_SAYING) == Err(mpsc::RecvTimeoutError::Timeout) {
                eprintln!("riposte: {what} ...");
            }
        });
        Step {
            bar: None,
            plain: Some((done, thread)),
        }
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        if let Some((done, thread)) = self.plain.take() {
            drop(done);
            let _ = thread.join();
        }
    }
}
