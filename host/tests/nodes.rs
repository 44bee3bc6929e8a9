//! Several machines at one wire, as a person runs them.

mod tool;

use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use riposte_host::lab::Lab;
use riposte_host::machine::{self, Attended, End, Engine, Machine, Next, Pace, Remote};
use riposte_host::network::Network;
use riposte_host::wire;
use tool::{Running, Tool, is_gone};

/// A group of the repository runs, with these options.
fn run(group: &str, options: &[&str]) -> Running {
    let lab = Lab::open().expect("the repository");
    Tool::new(&["run", group])
        .args(options)
        .env("RIPOSTE_ROOT", &lab.root)
        .start()
}

/// What the wire's table says of a node: what it has sent and was handed (frames and bytes each), frames that were lost,
/// doubled, reordered, corrupted, cut, malformed, and not taken.
fn counted(text: &str, node: &str) -> Vec<u64> {
    let (_, table) = text.split_once("riposte: the wire").expect("a table");
    let row = table.lines().find(|line| line.starts_with(node));
    let cells = row.expect(table).split_whitespace().skip(1);
    cells.map(|it| it.parse().expect("a number")).collect()
}

#[test]
fn two_machines_talk_at_one_wire_and_one_that_ends_leaves_the_other() {
    let mut running = run("tests/nodes", &[]);
    // Whoever is there first.
    running.says("north | question 1: ");
    running.says("north | that is enough");
    assert_eq!(running.ends(), Some(0), "{}", running.text());
    let text = running.text();
    assert!(text.contains("south | I count from 0"), "{text}");
    assert!(text.contains("riposte: north: has ended with 0"), "{text}");
    // All that one sends the other gets, but for what came before it ran: ten questions of 46 bytes with an answer of 50 each,
    // and where the other is.
    let (north, south) = (counted(&text, "north"), counted(&text, "south"));
    assert!(north[0] >= 11 && south[0] >= 11, "{text}");
    for (one, other) in [(&north, &south), (&south, &north)] {
        assert_eq!(one[0], other[2] + other[10], "{text}");
        assert!(
            one[1] >= 11 * 42 && one[4..10].iter().all(|it| *it == 0),
            "{text}"
        );
    }
}

/// The example of the book: a visitor asks ten times, one a half second, and the counter's board begins anew meanwhile.
#[test]
fn the_example_tells_on_both_consoles_how_one_of_two_machines_begins_anew() {
    let mut running = run("nodes", &["--reset", "paris=3s"]);
    assert_eq!(running.ends(), Some(0), "{}", running.text());
    let text = running.text();
    let (_, anew) = text
        .split_once("riposte: paris: is switched off and on\n")
        .expect(&text);
    // Each console has a thread of its own, which may be late.
    for told in [
        "paris | counter: 1",
        "rome  | visitor: the counter says 1",
        "riposte: rome: has ended with 0",
    ] {
        assert!(anew.lines().any(|line| line == told), "{told}: {text}");
    }
}

#[test]
fn at_a_bad_wire_and_with_one_that_is_switched_off_and_on_the_other_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("frames.pcap");
    let wire = "loss=20%,double=20%,reorder=5%,corrupt=5%,delay=1ms..9ms,cut=40..43,seed=7";
    let group = waiting("reset", 100);
    let mut running = Tool::new(&["run", "--wire", wire, "--pcap"])
        .args(&[file.to_str().expect("a name")])
        .arg(&group)
        .start();
    // So far that the wire loses no such number of answers in a row: one is less in the next life.
    while count(&running.says(": it has counted ")) < 20 {}
    running.hears("@reset south\n");
    running.has_said("riposte: south: is switched off and on");
    running.has_said("north | the counter has begun again");
    running.has_said("north | that is enough");
    assert_eq!(running.ends(), Some(0), "{}", running.text());
    let text = running.text();
    assert_eq!(text.matches("south | I count from 0").count(), 2, "{text}");
    let (north, south) = (counted(&text, "north"), counted(&text, "south"));
    let [sent, lost, doubled, cut] = [0, 4, 5, 8].map(|at| north[at] + south[at]);
    let [received, not_taken] = [2, 10].map(|at| north[at] + south[at]);
    assert!(lost > 0 && doubled > 0, "{text}");
    // Each frame is for one node, or for all others, which is the same of two; but that one whose address came with other
    // bits may be for its sender.
    let came = sent - lost - cut + doubled;
    assert!(received + not_taken <= came, "{text}");
    assert!(received + not_taken + 2 >= came, "{text}");
    assert_eq!(frames(&file) as u64, came, "{text}");
}

/// How far the counter has come, as a line says.
fn count(line: &str) -> u32 {
    let (_, count) = line.split_once(": it has counted ").expect(line);
    count.parse().expect(line)
}

#[test]
fn what_is_typed_is_for_the_node_that_is_named_or_for_the_tool() {
    let mut running = Tool::new(&["run"]).arg(waiting("typed", 500)).start();
    running.says("north | question 1: ");
    // Nobody listens there, and nothing comes of it.
    running.hears("south: hello\n@west\n");
    running.says("`@west` is no order: write @reset NODE");
    running.signal("INT");
    assert_eq!(running.ends(), Some(130), "{}", running.text());
}

#[test]
fn a_node_is_switched_off_and_on_after_the_time_that_is_said() {
    // However fast they are, neither has ended by then.
    let group = silent("reset-later");
    let mut running = Tool::new(&["run", "--reset", "other=1s"])
        .arg(&group)
        .start();
    running.says("riposte: other: is switched off and on");
    running.signal("INT");
    assert_eq!(running.ends(), Some(130), "{}", running.text());
    assert!(!running.text().contains("one: is switched off"));
}

/// How many frames are in a file of them.
fn frames(file: &Path) -> usize {
    let bytes = std::fs::read(file).expect("it is written");
    let (mut rest, mut count) = (&bytes[24..], 0);
    while let [head, ..] = rest.as_chunks::<16>().0 {
        let length = u32::from_le_bytes(head[8..12].try_into().expect("four")) as usize;
        rest = &rest[16 + length..];
        count += 1;
    }
    count
}

/// The emulators that the tool has started: they have it for a parent, as has the shell that waits for its end.
fn emulators(of: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").expect("processes");
    let ids = entries.filter_map(|it| it.ok()?.file_name().into_string().ok());
    let is_child = |id: &String| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let parent = stat.rsplit_once(") ");
        let parent = parent.and_then(|(_, rest)| rest.split(' ').nth(1));
        stat.contains("(qemu-system-") && parent == Some(of)
    };
    ids.filter(is_child).collect()
}

#[test]
fn who_ends_the_tool_ends_all_its_machines() {
    let group = waiting("ended", 500);
    for signal in ["INT", "TERM"] {
        let mut running = Tool::new(&["run"]).arg(&group).start();
        running.says("north | question 2: ");
        let emulators = emulators(&running.id());
        assert_eq!(emulators.len(), 2, "{emulators:?}");
        running.signal(signal);
        assert_eq!(running.ends(), Some(130), "{}", running.text());
        assert!(emulators.iter().all(|it| is_gone(it)));
        let text = running.text();
        assert!(
            text.contains("riposte: north: interrupted; it stands at"),
            "{text}"
        );
        assert!(
            text.contains("riposte: south: interrupted; it stands at"),
            "{text}"
        );
    }
}

/// A folder of this test's own, in which the north is as `change` makes its manifest.
fn north(name: &str, change: impl Fn(String) -> String) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(folder.join("north")).expect("there is a disk");
    let manifest = std::fs::read_to_string("../tests/nodes/north/app.toml").expect("there");
    let manifest = change(manifest.replace("\"../ask\"", "\"nodes-ask\""));
    std::fs::write(folder.join("north/app.toml"), manifest).expect("there is a disk");
    folder
}

/// The two machines in a folder of this test's own, the north of which asks after so many milliseconds, until the south has
/// been switched off and on.
fn waiting(name: &str, rest: u32) -> PathBuf {
    let folder = north(name, |manifest| {
        let asks = format!("rest = {rest}, restarts = 1");
        manifest.replace("rest = 500", &asks)
    });
    let group = std::fs::read_to_string("../tests/nodes/nodes.toml").expect("there");
    let south = Path::new("../tests/nodes/south").canonicalize();
    let south = format!("{:?}", south.expect("it is there"));
    let group = group.replace("\"./south\"", &south);
    std::fs::write(folder.join("nodes.toml"), group).expect("there is a disk");
    folder
}

/// Two machines in a folder of this test's own that say something once in a minute, and come to no end for hours.
fn silent(name: &str) -> PathBuf {
    let folder = north(name, |manifest| {
        manifest.replace("rest = 500", "rest = 60_000")
    });
    let group = "[[node]]\nname = \"one\"\napplication = \"./north\"\n\
                 [[node]]\nname = \"other\"\napplication = \"./north\"\n";
    std::fs::write(folder.join("nodes.toml"), group).expect("there is a disk");
    folder
}

#[test]
fn a_machine_that_ends_starts_again_as_often_as_is_said_and_its_code_is_the_tools() {
    // It asks nobody, in vain.
    let folder = north("restarting", |manifest| {
        manifest
            .replace("whom = 0x0A00_0002", "whom = 0")
            .replace("rest = 500", "rest = 1")
    });
    let south = Path::new("../tests/nodes/south").canonicalize();
    let group = format!(
        "[[node]]\nname = \"south\"\napplication = \"{}\"\nbackground = true\n\
         [[node]]\nname = \"north\"\napplication = \"./north\"\nrestart = 2\n",
        south.expect("it is there").display()
    );
    std::fs::write(folder.join("nodes.toml"), group).expect("there is a disk");
    let mut running = Tool::new(&["run"]).arg(&folder).start();
    let words = "north: has ended with 1; it starts again, and 1 times more if it ends again";
    running.says(words);
    running.says("north: has ended with 1; it starts again, for the last time");
    running.says("north: has ended with 1");
    assert_eq!(running.ends(), Some(1), "{}", running.text());
    let text = running.text();
    assert_eq!(text.matches("north | nobody answers").count(), 3, "{text}");
}

#[test]
fn a_group_in_which_nobody_says_anything_is_stopped() {
    let group = silent("silent");
    let mut running = Tool::new(&["run", "--limit", "3"]).arg(&group).start();
    running.says("none of the nodes has said anything for 3s");
    assert_eq!(running.ends(), Some(1), "{}", running.text());
}

#[test]
fn options_that_make_no_sense_for_a_group_or_for_one_are_refused() {
    for (options, words) in [
        (
            &["tests/nodes", "--raw"][..],
            "--raw is for one application",
        ),
        (
            &["tests/nodes", "--card", "x"],
            "--card is for one application",
        ),
        (
            &["tests/nodes", "--board", "virt-rv32"],
            "--board is for one application",
        ),
        (
            &["tests/nodes", "--reset", "suoth=1s"],
            "did you mean `south`?",
        ),
        (
            &["hello", "--wire", "loss=1%"],
            "--wire is for a group of nodes",
        ),
        (&["hello", "--pcap", "x"], "--pcap is for a group of nodes"),
        (
            &["hello", "--reset", "x=1s"],
            "--reset is for a group of nodes",
        ),
        (&["nods"], "did you mean `nodes`"),
    ] {
        let mut running = Tool::new(&["run"]).args(options).start();
        assert_eq!(running.ends(), Some(1), "{options:?}");
        let text = running.text();
        assert!(text.contains(words), "{options:?}: {text}");
    }
}

/// What the test has in the place of another machine.
const OWN: [u8; 6] = [0x52, 0x54, 0x00, 0x01, 0x00, 0x07];
/// South's.
const ASKED: [u8; 4] = [10, 0, 0, 2];

/// Who has the address of the south? Whoever has this one asks.
fn question(own: [u8; 4]) -> Vec<u8> {
    let ethernet = [&[0xFF; 6][..], &OWN, &[0x08, 0x06]].concat();
    let kind = [0, 1, 0x08, 0, 6, 4, 0, 1];
    [&ethernet[..], &kind, &OWN, &own, &[0; 6], &ASKED].concat()
}

/// Whether a frame is the answer to that question.
fn is_answer(frame: &[u8], own: [u8; 4]) -> bool {
    frame.starts_with(&OWN)
        && frame.get(12..22) == Some(&[0x08, 0x06, 0, 1, 0x08, 0, 6, 4, 0, 2])
        && frame.get(38..42) == Some(&own)
}

/// A machine that runs beside the test, and ends with it whatever becomes of it.
struct Beside(Remote, Option<JoinHandle<miette::Result<End>>>);

impl Drop for Beside {
    fn drop(&mut self) {
        let Beside(remote, running) = self;
        remote.stop();
        let ended = running.take().map(JoinHandle::join);
        assert!(
            std::thread::panicking() || matches!(ended, Some(Ok(Ok(End::Stopped)))),
            "{ended:?}"
        );
    }
}

/// Machines at a real wire may send frames that are longer than Ethernet has them, in any number.
#[test]
fn a_frame_that_is_too_long_hides_none_behind_it() {
    let lab = Lab::open().expect("the repository");
    let application = lab.application("tests/nodes/south").expect("there");
    let board = lab.board("virt-rv32").expect("there");
    let image = lab.build(&application, board).expect("it builds");
    let folder = tempfile::tempdir().expect("a folder");
    let [board_end, own_end] = ["board", "own"].map(|name| folder.path().join(name));
    let socket = UnixDatagram::bind(&own_end).expect("a socket");
    let wire = wire::cable(&board_end, &own_end);
    let network = Network::at_wire(&application, board, 0, wire).expect("right");
    let engine = Engine::new(&lab.root, board, &image.file, Pace::Person).expect("there");
    let engine = engine.with_devices(network.iter().flat_map(Network::arguments));
    let remote = Remote::default();
    let machine = Machine {
        attended: Attended::By(remote.clone()),
        patience: None,
        ..Machine::unattended(engine)
    };
    let running = std::thread::spawn(move || machine::run(&machine, |_| Next::Continue));
    let _beside = Beside(remote, Some(running));
    let mut frame = [0; 2048];
    // Until it is there, as it says itself.
    socket
        .set_read_timeout(Some(std::time::Duration::from_millis(100)))
        .expect("a time");
    let begun = std::time::Instant::now();
    let first = [10, 0, 0, 7];
    loop {
        assert!(begun.elapsed() < tool::LONG, "it does not come up");
        let _ = socket.send_to(&question(first), &board_end);
        if socket
            .recv(&mut frame)
            .is_ok_and(|length| is_answer(&frame[..length], first))
        {
            break;
        }
    }
    let patience = Some(tool::LONG);
    socket.set_read_timeout(patience).expect("a time");
    // An emulator whose board takes nothing takes nothing either.
    socket.set_write_timeout(patience).expect("a time");
    let long = [&question(first)[..], &[0; 1600 - 42]].concat();
    // At last more of them at once than the driver has places, several times over. Each time another one asks: an answer to
    // an earlier question is none.
    for (own, frames) in (8..).zip([[2; 20], [60; 20]].concat()) {
        let own = [10, 0, 0, own];
        for _ in 0..frames {
            socket.send_to(&long, &board_end).expect("it takes it");
        }
        socket
            .send_to(&question(own), &board_end)
            .expect("it takes it");
        loop {
            let length = socket.recv(&mut frame).expect("an answer");
            if is_answer(&frame[..length], own) {
                break;
            }
        }
    }
}

/// Who tells of a fault when it comes.
const SUPERVISOR: &str = r#"
[supervisor]
channel = "faults"

[[process]]
name = "supervisor"
program = "supervisor"
priority = 23
stack = "4KiB"
grants = ["supervisor"]

[[channel]]
name = "faults"
owner = "supervisor"

[[connection]]
from = "supervisor"
to = "console"
"#;

/// What is said when a board of the gateway's example runs, whose manifest is changed so, until it has said this.
fn changed(name: &str, change: impl Fn(&str) -> String, words: &str) -> String {
    let manifest = std::fs::read_to_string("../examples/gateway/app.toml").expect("there");
    let manifest = manifest.replace("\"../nodes/counter\"", "\"nodes-example-counter\"");
    let manifest = manifest.replace("\"./switch\"", "\"gateway-switch\"");
    let manifest = manifest.replace("on_fault = \"restart\"\n", "") + SUPERVISOR;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("there is a disk");
    std::fs::write(folder.join("app.toml"), change(&manifest)).expect("there is a disk");
    let tool = Tool::new(&["run", "--board", "mps2-an386"]);
    let mut running = tool.arg(&folder).start();
    running.says(words);
    running.signal("INT");
    assert_eq!(running.ends(), Some(130));
    running.text()
}

#[test]
fn a_node_without_random_bytes_does_not_start_unless_its_manifest_says_so() {
    let why = "the node manager has no connection `entropy`";
    let text = changed(
        "without-random-bytes",
        str::to_owned,
        "switch: the node is gone",
    );
    assert!(!text.contains(why), "{text}");
    let text = changed(
        "without-random-bytes",
        |it| it.replace("no-entropy = 1\n", ""),
        why,
    );
    assert!(text.contains("`no-entropy = 1`"), "{text}");
}

#[test]
fn a_node_that_is_to_serve_at_a_priority_which_it_may_not_have_does_not_start() {
    for (before, after) in [
        ("plant-highest = 10", "plant-highest = 19"),
        ("plant-highest = 10", "plant-highest = 300"),
        ("plant-lowest = 4", "plant-lowest = 0"),
    ] {
        let setting = before.split(' ').next().unwrap();
        let why = format!("`{setting}` in the node manager's `settings` in app.toml");
        changed("above-its-limit", |it| it.replace(before, after), &why);
    }
}
