//! The `log` façade's records on their way to the server.

use core::fmt::{self, Write};

use log::{LevelFilter, Metadata};
use riposte::interface::CallError;
use riposte::signal::{Mask, Set};
use riposte::sync::Mutex;
use riposte::{Duration, Error, Instant, Line};

use crate::install::install;
use crate::{InitError, LONGEST, LogClient, NoSuchLevel};

/// How long a thread waits for the log server, at most, for each record.
const PATIENCE: Duration = Duration::from_millis(100);
/// The level of what the logger has to say itself.
const WARNING: u32 = log::Level::Warn as u32;

static LOGGER: Logger = Logger(Mutex::new(None));

/// Hands the process's records to the server.
struct Logger(Mutex<Option<Server>>);

/// The server, and how many records it has not got.
struct Server {
    client: LogClient,
    lost: u32,
}

/// Sends what the macros of the crate `log` say to the log server, from `level` on: to the server to which the manifest
/// gives this process a connection called `connection`.
///
/// A record waits 100 ms for the server, at most, once those of the process's other threads before it have. What the server has not got is counted, and the next record that
/// comes through says how many there were. A server that is started again is found again.
///
/// # Errors
/// [`InitError`]; nothing has changed.
pub fn init(connection: &'static str, level: LevelFilter) -> Result<(), InitError> {
    let mut server = LOGGER.0.lock().map_err(InitError::Lock)?;
    let client = LogClient::new(riposte::connect(connection).map_err(InitError::Connect)?);
    install(&LOGGER, level).map_err(|_| InitError::HasLogger)?;
    *server = Some(Server { client, lost: 0 });
    Ok(())
}

impl log::Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::max_level()
    }

    fn log(&self, record: &log::Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let mut line = Line::<LONGEST>::new();
        // What does not fit is left out.
        let _ = match place(record) {
            Some(place) => write!(line, "{place}: {}", record.args()),
            None => line.write_fmt(*record.args()),
        };
        // A signal would end the wait for what the server does all the same, and a handler that logs would wait for its own
        // thread. Where no process takes signals there is nothing to mask.
        let _held = Mask::block(Set::ALL);
        // A thread that cannot wait for the others of its process is one that waits for itself.
        if let Ok(mut server) = self.0.lock()
            && let Some(server) = &mut *server
        {
            server.write(record.level() as u32, text(line.bytes()));
        }
    }

    fn flush(&self) {}
}

impl Server {
    fn write(&mut self, level: u32, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        if self.lost > 0 {
            let mut line = Line::<LONGEST>::new();
            let lost = self.lost;
            let _ = write!(line, "{lost} records did not reach the log server");
            if self
                .send(WARNING, self::text(line.bytes()), deadline)
                .is_ok()
            {
                self.lost = 0;
            }
        }
        if self.send(level, text, deadline).is_err() {
            self.lost = self.lost.saturating_add(1);
        }
    }

    fn send(
        &mut self,
        level: u32,
        text: &str,
        deadline: Instant,
    ) -> Result<(), CallError<NoSuchLevel>> {
        match self.client.write_until(level, text, deadline) {
            Err(CallError::Kernel(Error::ServerDied)) => {
                self.client.reconnect()?;
                self.client.write_until(level, text, deadline)
            }
            outcome => outcome,
        }
    }
}

/// Where the record comes from, if that says more than which process it is: the target behind the program's name.
fn place<'a>(record: &log::Record<'a>) -> Option<&'a str> {
    let target = record.target();
    let program = record.module_path().unwrap_or_default();
    let program = program.split("::").next().unwrap_or_default();
    match target.strip_prefix(program) {
        Some("") => None,
        Some(rest) => Some(rest.strip_prefix("::").unwrap_or(target)),
        None => Some(target),
    }
}

/// The bytes, up to a letter of which a part was left out.
fn text(bytes: &[u8]) -> &str {
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let whole = bytes.get(..error.valid_up_to()).unwrap_or_default();
            core::str::from_utf8(whole).unwrap_or_default()
        }
    }
}

impl fmt::Display for InitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InitError::Connect(error) => fmt::Display::fmt(error, f),
            InitError::HasLogger => f.write_str("the process has a logger already"),
            InitError::Lock(error) => write!(f, "another thread has ended in the logger: {error}"),
        }
    }
}

impl core::error::Error for InitError {}
