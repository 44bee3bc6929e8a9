//! The example of the book's page: a board in an emulator, the gateway beside it, and a program in Python.

#[path = "../../host/tests/wheel/mod.rs"]
mod wheel;

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
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
/// The folder of the page's example, and its files.
const EXAMPLE: &str = "examples/gateway";
const FILES: [&str; 4] = ["app.toml", "gateway.toml", "lamp.py", "plant.key"];
/// Where its gateway listens for the board, and for programs.
const PORTS: [&str; 2] = ["7209", "7447"];
/// Longer than anything takes that happens at all: the board may be built first.
const LONG: Duration = Duration::from_secs(300);

/// The repository.
fn root() -> &'static Path {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    folder.expect("it is in one")
}

/// Something that runs, and what it says.
struct Running {
    child: Child,
    says: Receiver<String>,
}

impl Running {
    fn start(command: &mut Command) -> Running {
        let mut child = command
            .current_dir(root())
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
    fn says(&self, what: &str, is: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + LONG;
        let mut said = vec![];
        while let Ok(line) = self
            .says
            .recv_timeout(until.saturating_duration_since(Instant::now()))
        {
            if is(&line) {
                return line;
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

/// The example in a folder of the tests' own, with other ports than those that the page has: somebody may listen there.
fn with_ports(ports: [u16; 2]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gateway");
    fs::create_dir_all(&folder).expect("there is a disk");
    for file in FILES {
        let text = fs::read_to_string(root().join(EXAMPLE).join(file)).expect("the example");
        let text = text.replace("\"../nodes/counter\"", "\"nodes-example-counter\"");
        let text = text.replace("\"./switch\"", "\"gateway-switch\"");
        let replaced = PORTS.iter().zip(ports);
        let text = replaced.fold(text, |it, (of, by)| it.replace(of, &by.to_string()));
        fs::write(folder.join(file), text).expect("there is a disk");
    }
    folder
}

/// A port for the board and for programs each, which nobody else has until they are dropped: the same ones for each run of a
/// checkout, whose image is built once, unless somebody has them.
fn ports() -> (UdpSocket, TcpListener) {
    let mut hasher = DefaultHasher::new();
    root().hash(&mut hasher);
    // Below those that a system gives to who asks for any.
    let first = 20_000 + (hasher.finish() % 12_000) as u16;
    let free = |port| {
        let place = (Ipv4Addr::LOCALHOST, port);
        Some((UdpSocket::bind(place).ok()?, TcpListener::bind(place).ok()?))
    };
    (first..).find_map(free).expect("two ports")
}

#[test]
fn a_program_in_python_asks_a_board_and_is_asked_by_it() {
    let kept = ports();
    let places = [kept.0.local_addr(), kept.1.local_addr()].map(|it| it.expect("an address"));
    let folder = with_ports(places.map(|it| it.port()));
    let board = Running::start(Command::new("./riposte").arg("run").arg(&folder));
    board.says("alone", |line| line.starts_with("switch: the node is gone"));
    drop(kept);
    let modules = wheel::fetched(ZENOH);
    let lamp = || {
        Running::start(
            Command::new("python3")
                .arg(folder.join("lamp.py"))
                .env("PYTHONPATH", modules.parent().expect("a folder")),
        )
    };
    // Whoever starts it first is told what it waits for.
    lamp().says("waited", |line| line.starts_with("no gateway listens at"));
    let gateway = env!("CARGO_BIN_EXE_riposte-gateway");
    let _gateway = Running::start(Command::new(gateway).arg(folder.join("gateway.toml")));
    let until = Instant::now() + LONG;
    while TcpStream::connect(places[1]).is_err() {
        assert!(Instant::now() < until, "nobody listens at {}", places[1]);
        std::thread::sleep(Duration::from_millis(20));
    }
    // The gateway has heard of the board: it says that nobody has the lamp.
    board.says("heard", |line| {
        line.starts_with("switch: ") && !line.contains("the node is gone")
    });
    let lamp = lamp();
    // A visit whose answer was too late counts all the same.
    let answered = lamp.says("answered", |line| line.starts_with("the counter says "));
    let count = answered.strip_prefix("the counter says ").expect("so");
    let counted = format!("counter: {count}");
    lamp.says("asked", |line| line.starts_with("lamp: o"));
    board.says("counted", |line| line == counted);
    board.says("switched", |line| line.starts_with("switch: the lamp is o"));
}
