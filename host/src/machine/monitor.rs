//! Asks a running emulator where its processor stands.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::{Counter, Standing, Suspended, Threads, space};
use crate::plan::Region;

const PATIENCE: Duration = Duration::from_secs(5);

/// The emulator's control socket.
pub(super) struct Monitor {
    socket: PathBuf,
}

impl Monitor {
    pub(super) fn new() -> Monitor {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("riposte-{}-{number}.qmp", std::process::id());
        Monitor {
            socket: std::env::temp_dir().join(name),
        }
    }

    pub(super) fn arguments(&self) -> [String; 2] {
        [
            "-qmp".into(),
            format!("unix:{},server=on,wait=off", self.socket.display()),
        ]
    }

    /// Where the processor stands, and `threads`, if the emulator answers.
    pub(super) fn standing(&self, threads: Option<&Threads>) -> Option<Standing> {
        let mut talk = Talk::begin(&self.socket)?;
        // What is read one after the other belongs together.
        talk.ask(r#"{"execute":"stop"}"#, |line| {
            line.starts_with(RETURN).then_some(())
        })?;
        let mut standing = talk.command("info registers", parse)?;
        if let Some(threads) = threads {
            for (base, stack) in threads.bases.iter().zip(&threads.stacks) {
                standing.threads.push(Suspended {
                    counter: threads.counter.read(*base, |at| talk.word(at)),
                    unused: self.unused(&mut talk, *stack),
                });
            }
        }
        Some(standing)
    }

    /// The zero bytes at the end of a stack, in whole words.
    fn unused(&self, talk: &mut Talk, stack: Region) -> Option<u32> {
        let file = self.socket.with_extension("stack");
        let request = serde_json::json!({
            "execute": "pmemsave",
            "arguments": { "val": stack.base, "size": stack.size, "filename": file },
        });
        let saved = talk.ask(&request.to_string(), |line| {
            line.starts_with(RETURN).then_some(())
        });
        let bytes = std::fs::read(&file);
        // There is none if it was not saved.
        let _ = std::fs::remove_file(&file);
        saved?;
        let words = bytes.ok()?;
        let zeros = words.chunks(4).take_while(|word| *word == [0; 4]).count();
        Some(zeros as u32 * 4)
    }
}

impl Counter {
    fn read(self, base: u32, mut word: impl FnMut(u32) -> Option<u32>) -> Option<u32> {
        match self {
            Counter::At(offset) => word(base.checked_add(offset)?),
            Counter::Behind(pointer, offset) => {
                let to = word(base.checked_add(pointer)?)?;
                word(to.checked_add(offset)?)
            }
        }
    }
}

/// How each answer begins.
const RETURN: &str = r#"{"return":"#;

/// A conversation with the emulator.
struct Talk(BufReader<UnixStream>);

impl Talk {
    fn begin(socket: &Path) -> Option<Talk> {
        let stream = UnixStream::connect(socket).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        let mut talk = Talk(BufReader::new(stream));
        talk.ask(r#"{"execute":"qmp_capabilities"}"#, |line| {
            line.starts_with(RETURN).then_some(())
        })?;
        Some(talk)
    }

    /// Sends a request, and reads until a line is the answer.
    fn ask<T>(&mut self, request: &str, answer: impl Fn(&str) -> Option<T>) -> Option<T> {
        let stream = self.0.get_mut();
        stream.write_all(request.as_bytes()).ok()?;
        stream.write_all(b"\n").ok()?;
        let mut line = String::new();
        loop {
            line.clear();
            if !matches!(self.0.read_line(&mut line), Ok(1..)) {
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

    /// A word of the board's memory.
    fn word(&mut self, address: u32) -> Option<u32> {
        self.command(&format!("xp /1xw {address:#x}"), word)
    }
}

/// The word in an answer such as `0000000020000010: 0x00001234`.
fn word(answer: &str) -> Option<u32> {
    let digits = answer.split(": 0x").nth(1)?.get(..8)?;
    u32::from_str_radix(digits, 16).ok()
}

impl Drop for Monitor {
    fn drop(&mut self) {
        // The emulator removes it too when it ends by itself.
        let _ = std::fs::remove_file(&self.socket);
    }
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
        threads: vec![],
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
    fn a_counter_is_read_where_it_lies() {
        let memory = |at: u32| (at != 0x30).then_some(at + 1);
        assert_eq!(Counter::At(0x10).read(0x10, memory), Some(0x21));
        assert_eq!(Counter::At(0x20).read(0x10, memory), None);
        assert_eq!(Counter::Behind(0x10, 8).read(0x10, memory), Some(0x2A));
        let answer = r#"{"return": "0000000020000010: 0x0000abcd\r\n"}"#;
        assert_eq!(word(answer), Some(0xABCD));
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
