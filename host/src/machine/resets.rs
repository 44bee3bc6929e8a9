//! Hears when an emulated board is reset, by a watchdog or by itself: what it printed before is of an earlier life.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// What is done when the board is reset, in a thread of its own.
#[derive(Clone)]
pub struct OnReset(Arc<dyn Fn() + Send + Sync>);

impl OnReset {
    /// This.
    pub fn new(act: impl Fn() + Send + Sync + 'static) -> OnReset {
        OnReset(Arc::new(act))
    }
}

/// A control socket of the emulator's, at which events are heard. The other one is for questions, one after the other.
pub(super) struct Resets {
    socket: PathBuf,
    count: Arc<AtomicU32>,
}

impl Resets {
    /// The emulator connects to `socket` before its board begins.
    pub(super) fn hear(socket: PathBuf, on_reset: Option<OnReset>) -> std::io::Result<Resets> {
        let listener = UnixListener::bind(&socket)?;
        let count = Arc::new(AtomicU32::new(0));
        let counts = count.clone();
        std::thread::spawn(move || {
            if let Ok((stream, _)) = listener.accept() {
                // An emulator that has ended says no more.
                let _ = listen(stream, || {
                    counts.fetch_add(1, Ordering::Relaxed);
                    if let Some(OnReset(act)) = &on_reset {
                        act();
                    }
                });
            }
        });
        Ok(Resets { socket, count })
    }

    pub(super) fn arguments(&self) -> [String; 2] {
        [
            "-qmp".into(),
            format!("unix:{},server=off", self.socket.display()),
        ]
    }

    /// How often the board was reset.
    pub(super) fn count(&self) -> u32 {
        self.count.load(Ordering::Relaxed)
    }
}

impl Drop for Resets {
    fn drop(&mut self) {
        // An emulator that never came is waited for no more.
        drop(UnixStream::connect(&self.socket));
        let _ = std::fs::remove_file(&self.socket);
    }
}

fn listen(stream: UnixStream, mut reset: impl FnMut()) -> std::io::Result<()> {
    (&stream).write_all(b"{\"execute\":\"qmp_capabilities\"}\n")?;
    for line in BufReader::new(stream).lines() {
        if is_reset(&line?) {
            reset();
        }
    }
    Ok(())
}

/// Whether a line is the event; what somebody asks of the emulator at its other socket is no event here.
fn is_reset(line: &str) -> bool {
    let said: Option<serde_json::Value> = serde_json::from_str(line).ok();
    said.is_some_and(|it| it["event"] == "RESET")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_is_heard_and_no_other_event() {
        let (here, mut there) = UnixStream::pair().unwrap();
        let lines = "{\"QMP\": {}}\n{\"return\": {}}\n\
                     {\"timestamp\": {}, \"event\": \"WATCHDOG\", \"data\": {\"action\": \"reset\"}}\n\
                     {\"timestamp\": {}, \"event\": \"RESET\", \"data\": {\"guest\": true}}\n\
                     {\"timestamp\": {}, \"event\": \"STOP\"}\n";
        there.write_all(lines.as_bytes()).unwrap();
        there.shutdown(std::net::Shutdown::Write).unwrap();
        let mut heard = 0;
        listen(here, || heard += 1).unwrap();
        assert_eq!(heard, 1);
    }
}
