//! The example of the book's page: a board in an emulator, the gateway beside it, and a program in Python.

#[path = "../../host/tests/wheel/mod.rs"]
mod wheel;

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// zenoh in Python.
const ZENOH: wheel::Wheel = [
    "eclipse-zenoh",
    "1.10.0",
    "8a824188a2fb2033133175c8d8f8b49dd4c80ee4286121ae10c1c3ca71812339",
    "zenoh",
];
/// The file that the page names.
const CONFIGURATION: &str = "examples/gateway/gateway.toml";
/// Where that has the gateway listen for programs.
const LISTENS: &str = "127.0.0.1:7447";
/// Longer than anything takes that happens at all: the board may be built first.
const LONG: Duration = Duration::from_secs(300);

/// Something that runs, and what it says.
struct Running {
    child: Child,
    says: Receiver<String>,
}

impl Running {
    fn start(command: &mut Command) -> Running {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
        command.current_dir(root.expect("the repository"));
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let (say, says) = channel();
        std::thread::spawn(move || {
            // Nobody may be interested any more.
            lines
                .map_while(Result::ok)
                .for_each(|line| drop(say.send(line)));
        });
        Running { child, says }
    }

    /// Waits for such a line.
    fn says(&self, what: &str, is: impl Fn(&str) -> bool) {
        let until = Instant::now() + LONG;
        let mut said = vec![];
        while let Ok(line) = self
            .says
            .recv_timeout(until.saturating_duration_since(Instant::now()))
        {
            if is(&line) {
                return;
            }
            said.push(line);
        }
        panic!("never {what}, but:\n{}", said.join("\n"));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Whoever is asked ends what it has started.
        let id = self.child.id().to_string();
        let _ = Command::new("kill").args(["-s", "TERM", &id]).status();
        let _ = self.child.wait();
    }
}

#[test]
fn a_program_in_python_asks_a_board_and_is_asked_by_it() {
    let board = Running::start(Command::new("./riposte").args(["run", "gateway"]));
    board.says("alone", |line| line.starts_with("switch: the node is gone"));
    let gateway = env!("CARGO_BIN_EXE_riposte-gateway");
    let _gateway = Running::start(Command::new(gateway).arg(CONFIGURATION));
    let until = Instant::now() + LONG;
    while TcpStream::connect(LISTENS).is_err() {
        assert!(Instant::now() < until, "nobody listens at {LISTENS}");
        std::thread::sleep(Duration::from_millis(20));
    }
    // The gateway has heard of the board: it says that nobody has the lamp.
    board.says("heard", |line| {
        line.starts_with("switch: ") && !line.contains("the node is gone")
    });
    let modules = wheel::fetched(ZENOH);
    let lamp = Running::start(
        Command::new("python3")
            .arg("examples/gateway/lamp.py")
            .env("PYTHONPATH", modules.parent().expect("a folder")),
    );
    lamp.says("answered", |line| line == "the counter says 1");
    lamp.says("asked", |line| line.starts_with("lamp: o"));
    board.says("counted", |line| line.starts_with("counter: "));
    board.says("switched", |line| line.starts_with("switch: the lamp is o"));
}
