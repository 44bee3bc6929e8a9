//! Asks a running emulator where its processor stands.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::{Standing, space};

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

    /// Where the processor stands, if the emulator answers.
    pub(super) fn standing(&self) -> Option<Standing> {
        let mut stream = UnixStream::connect(&self.socket).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        let request = concat!(
            r#"{"execute":"qmp_capabilities"}"#,
            r#"{"execute":"human-monitor-command","arguments":{"command-line":"info registers"}}"#,
            "\n"
        );
        stream.write_all(request.as_bytes()).ok()?;
        BufReader::new(stream)
            .lines()
            .map_while(Result::ok)
            .find_map(|line| parse(&line))
    }
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
