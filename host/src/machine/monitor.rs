//! Asks a running emulator where its processor stands.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::memory::Memory;
use super::ring::{Live, Reader};
use super::{Contents, Standing, Tables, space};
use crate::plan::Region;
use crate::reaper;

const PATIENCE: Duration = Duration::from_secs(5);
/// How often a trace is read while the board runs.
const INTERVAL: Duration = Duration::from_millis(100);

/// The emulator's control socket.
pub(super) struct Monitor {
    socket: PathBuf,
}

impl Monitor {
    pub(super) fn new() -> Monitor {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Monitor {
            socket: reaper::file(&format!("{number}.qmp")),
        }
    }

    pub(super) fn arguments(&self) -> [String; 2] {
        [
            "-qmp".into(),
            format!("unix:{},server=on,wait=off", self.socket.display()),
        ]
    }

    /// A file of the same name for something else.
    pub(super) fn beside(&self, extension: &str) -> PathBuf {
        self.socket.with_extension(extension)
    }

    /// Where the processor stands, if the emulator answers. It stops for that.
    pub(super) fn standing(&self) -> Option<Standing> {
        Talk::begin(&self.socket)?.command("info registers", parse)
    }

    /// What says how many instructions it has executed, if the emulator counts them and answers. It runs on.
    pub(super) fn executed(&self) -> impl Fn() -> Option<u64> + Send + Sync + use<> {
        let socket = self.socket.clone();
        move || {
            let request = r#"{"execute":"query-replay"}"#;
            Talk::with_running(&socket)?.ask(request, executed)
        }
    }

    /// What has the board stand still for a moment, if the emulator answers.
    pub(super) fn pause(&self) -> impl Fn() -> Option<()> + Send + Sync + use<> {
        let socket = self.socket.clone();
        move || Talk::begin(&socket)?.order(r#"{"execute":"cont"}"#)
    }

    /// Has a trace read to its end, if the emulator answers. It stops for that.
    pub(super) fn read_trace(&self, trace: &Reader) -> Option<()> {
        trace.read_to_end(&mut Talk::begin(&self.socket)?)
    }

    /// Has a trace read while the board runs, every now and then until what this returns is dropped.
    pub(super) fn follow(&self, trace: &Reader, live: &Live) -> Following {
        let (socket, trace, live) = (self.socket.clone(), trace.clone(), live.clone());
        Following::begin(move || {
            // The emulator has one ear: it is free for others in between.
            if let Some(mut talk) = Talk::with_running(&socket) {
                trace.read_on(&mut talk, &live);
            }
        })
    }

    /// What `act` says, which reads memory of the board while that runs, if the emulator answers.
    pub(super) fn read<T>(&self, act: impl FnOnce(&mut super::Reading<'_>) -> T) -> Option<T> {
        let mut talk = Talk::with_running(&self.socket)?;
        Some(act(&mut |region| talk.read(region)))
    }

    /// Stops the board, if the emulator answers.
    pub(super) fn stop(&self) -> Option<()> {
        Talk::begin(&self.socket).map(drop)
    }

    /// What looks at `tables`, and has all of `kept` read, when it is called, if the emulator answers then. It stops for
    /// that.
    pub(super) fn look(
        &self,
        tables: &Tables,
        kept: &[Region],
    ) -> impl FnOnce() -> Option<Looked> + use<> {
        let (socket, tables, kept) = (self.socket.clone(), tables.clone(), kept.to_vec());
        move || {
            let mut talk = Talk::begin(&socket)?;
            let read = |region: &Region| {
                let bytes = talk.read(*region)?;
                (bytes.len() == region.size as usize).then_some((region.base, bytes))
            };
            Some(Looked {
                memory: kept.iter().map(read).collect(),
                tables: tables.look(&mut talk),
            })
        }
    }
}

/// What was seen of a board that stands still.
pub(super) struct Looked {
    pub tables: Contents,
    /// All that was to be kept, each behind its address; `None` if some could not be read.
    pub memory: Option<Vec<(u32, Vec<u8>)>>,
}

/// Does something every now and then, in a thread of its own, until it is dropped.
pub(super) struct Following {
    over: Sender<()>,
    thread: Option<JoinHandle<()>>,
}

impl Following {
    fn begin(mut act: impl FnMut() + Send + 'static) -> Following {
        let (over, hears) = channel();
        let thread = std::thread::spawn(move || {
            while hears.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                act();
            }
        });
        Following {
            over,
            thread: Some(thread),
        }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        // An error means that it is over.
        let _ = self.over.send(());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// How each answer begins.
const RETURN: &str = r#"{"return":"#;

/// A conversation with the emulator.
struct Talk {
    stream: BufReader<UnixStream>,
    /// Where the emulator puts what it is asked for.
    file: PathBuf,
}

impl Talk {
    /// Begins one, and stops the board.
    fn begin(socket: &Path) -> Option<Talk> {
        let mut talk = Talk::with_running(socket)?;
        // What is read one after the other belongs together.
        talk.order(r#"{"execute":"stop"}"#)?;
        Some(talk)
    }

    /// Begins one, while the board goes on.
    fn with_running(socket: &Path) -> Option<Talk> {
        let stream = UnixStream::connect(socket).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        let mut talk = Talk {
            stream: BufReader::new(stream),
            file: socket.with_extension("memory"),
        };
        talk.order(r#"{"execute":"qmp_capabilities"}"#)?;
        Some(talk)
    }

    /// Sends a request that is answered with nothing.
    fn order(&mut self, request: &str) -> Option<()> {
        self.ask(request, |line| line.starts_with(RETURN).then_some(()))
    }

    /// Sends a request, and reads until a line is the answer.
    fn ask<T>(&mut self, request: &str, answer: impl Fn(&str) -> Option<T>) -> Option<T> {
        let stream = self.stream.get_mut();
        stream.write_all(request.as_bytes()).ok()?;
        stream.write_all(b"\n").ok()?;
        let mut line = String::new();
        loop {
            line.clear();
            if !matches!(self.stream.read_line(&mut line), Ok(1..)) {
                return None;
            }
            if let Some(answer) = answer(&line) {
                return Some(answer);
            }
            // Events come in between.
            if line.starts_with(RETURN) || line.starts_with(r#"{"error":"#) {
                return None;
            }
        }
    }

    /// What a person's command to the emulator answers.
    fn command<T>(&mut self, command: &str, answer: impl Fn(&str) -> Option<T>) -> Option<T> {
        let request = format!(
            r#"{{"execute":"human-monitor-command","arguments":{{"command-line":"{command}"}}}}"#
        );
        self.ask(&request, answer)
    }
}

impl Memory for Talk {
    fn read(&mut self, region: Region) -> Option<Vec<u8>> {
        let request = serde_json::json!({
            "execute": "pmemsave",
            "arguments": { "val": region.base, "size": region.size, "filename": self.file },
        });
        let saved = self.order(&request.to_string());
        let bytes = std::fs::read(&self.file);
        // There is none if it was not saved.
        let _ = std::fs::remove_file(&self.file);
        saved?;
        bytes.ok()
    }
}

impl Drop for Monitor {
    fn drop(&mut self) {
        // The emulator removes it too when it ends by itself.
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// The count in an answer to `query-replay`, of an emulator that counts.
fn executed(answer: &str) -> Option<u64> {
    let answer: serde_json::Value = serde_json::from_str(answer).ok()?;
    let said = answer.get("return")?;
    let counts = said.get("mode")? == "record";
    said.get("icount")?.as_u64().filter(|_| counts)
}

/// What emulators put before the program counter: of Arm, and of RISC-V.
const COUNTER: [&str; 2] = ["R15=", " pc       "];
/// What they put before the register of the address space.
const SPACE: [&str; 1] = [" satp     "];

fn parse(answer: &str) -> Option<Standing> {
    Some(Standing {
        counter: register(answer, &COUNTER)?,
        space: register(answer, &SPACE).and_then(space),
        cycles: None,
    })
}

fn register(answer: &str, labels: &[&str]) -> Option<u32> {
    let mut found = labels
        .iter()
        .filter_map(|label| answer.split(label).nth(1)?.get(..8));
    u32::from_str_radix(found.next()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_counted_by_an_emulator_that_records_and_by_no_other() {
        let said = |mode| format!(r#"{{"return": {{"icount": 93411, "mode": "{mode}"}}}}"#);
        assert_eq!(executed(&said("record")), Some(93411));
        assert_eq!(executed(&said("none")), None);
        assert_eq!(executed(r#"{"return": {}}"#), None);
        assert_eq!(executed(r#"{"timestamp": {}, "event": "STOP"}"#), None);
    }

    #[test]
    fn counter_and_space_are_found_in_the_answer() {
        let counter = |answer| parse(answer).map(|standing| standing.counter);
        let answer = r#"{"return": "R13=20001ff0 R14=00000391 R15=000004f2\r\nXPSR=41000000"}"#;
        assert_eq!(counter(answer), Some(0x4f2));
        let answer = r#"{"return": " V      =   0\r\n pc       80010ed4\r\n mhartid  00000000"}"#;
        assert_eq!(counter(answer), Some(0x8001_0ed4));
        assert_eq!(counter(r#"{"return": {}}"#), None);
        let answer = r#"{"return": " pc       400001d4\r\n satp     80c80402\r\n"}"#;
        assert_eq!(parse(answer).unwrap().space, Some(2));
    }
}
