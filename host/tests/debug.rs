//! `./riposte debug`, by scripted sessions of gdb: threads, backtraces and breakpoints of all processes.

mod tool;

use std::process::{Command, Stdio};

use tool::{Tool, is_gone, wait_for};

/// A board of each kind of protection.
const BOARDS: [&str; 3] = ["virt-rv32", "virt-rv32-mmu", "mps2-an386"];

/// What gdb says to these commands.
fn session(application: &str, board: &str, commands: &[&str]) -> String {
    let mut arguments = vec!["debug", application, "--board", board, "--", "-batch"];
    arguments.extend(commands.iter().flat_map(|command| ["-ex", command]));
    let mut running = Tool::new(&arguments).start();
    running.hears_no_more();
    let code = running.ends();
    let text = running.text();
    assert_eq!(code, Some(0), "{board}:\n{text}");
    text
}

fn check(board: &str, text: &str, expected: &[&str]) {
    for words in expected {
        assert!(text.contains(words), "{board}: no `{words}` in:\n{text}");
    }
}

/// One session a board, for what takes long is to get there.
#[test]
fn a_session_sees_the_threads_of_all_processes() {
    for board in BOARDS {
        let all = session(
            "logger",
            board,
            &[
                // With page tables all processes begin at one address, and three more urgent ones come by it before.
                "inferior 6",
                "break *$pc",
                "continue",
                "info threads",
                "delete",
                "echo WATCH\\n",
                "inferior 7",
                "awatch -location *(unsigned *)($sp - 4)",
                "continue",
                "delete",
                "echo BREAK\\n",
                "break main",
                "continue",
                "info threads",
                "thread 6.1",
                "backtrace 3",
                "thread 7.1",
                "echo STEP\\n",
                "next",
                "next",
            ],
        );
        let (entry, text) = all.split_once("\nWATCH").expect("it was echoed");
        let (watch, text) = text.split_once("\nBREAK").expect("it was echoed");
        let (threads, steps) = text.split_once("\nSTEP").expect("it was echoed");
        check(
            board,
            entry,
            &[
                r#"Thread 6.1 "store/main" hit Breakpoint 1,"#,
                r#"* 6.1  Thread 6.6 "store/main" (runs, priority 14)"#,
                r#""supervisor/main" (waits for a message at supervisor's channel faults, priority 18)"#,
            ],
        );
        if board == "virt-rv32-mmu" {
            // An error comes by another stream, at whatever place among the rest.
            check(board, &all, &["Could not insert hardware watchpoint 2."]);
        } else {
            let hit = r#"Thread 7.1 "report/main" hit Hardware access (read/write) watchpoint 2: "#;
            check(board, watch, &[hit]);
        }
        check(
            board,
            threads,
            &[
                r#"Thread 7.1 "report/main" hit Breakpoint 3, main () at"#,
                r#""kernel" (waits for a trap)"#,
                r#""store/main" (waits for a message at store's channel store, priority 14)"#,
                r#""shell/main" (waits for the reply of console/main, priority 10)"#,
                "logger_store::main () at examples/logger/store/src/main.rs",
            ],
        );
        // What is stepped over calls the kernel: the step is that of the thread that has called, whoever runs meanwhile.
        let mut at = 0;
        for line in ["if (riposte_connect(\"store\", &store)", "next += PERIOD;"] {
            let found = steps[at..].find(line);
            at += found.unwrap_or_else(|| panic!("{board}: no `{line}` in:\n{steps}"));
        }
        assert!(!steps.contains("Switching"), "{board}:\n{steps}");
        assert!(!entry.contains("SIGTRAP"), "{board}:\n{entry}");
    }
}

#[test]
fn a_held_process_is_looked_at_where_it_fell() {
    for board in BOARDS {
        let text = session(
            "restart",
            board,
            &[
                "inferior 1",
                "break riposte_exit",
                "continue",
                "info threads",
                "thread 7.1",
                "backtrace 4",
            ],
        );
        let fell = "in restart_mortal::main () at tests/boards/restart/mortal/src/main.rs:8";
        check(board, &text, &[fell, r#""held/main" (held, priority 5)"#]);
    }
}

#[test]
fn debuggers_come_one_after_the_other() {
    let arguments = ["debug", "logger", "--board", "mps2-an386", "--server", "0"];
    let mut running = Tool::new(&arguments).start();
    let line = running.says("waiting for a debugger at 127.0.0.1:");
    let (_, script) = line.rsplit_once(' ').expect("a path");
    for stands in ["0x0", "main () at"] {
        let mut gdb = Command::new("gdb-multiarch");
        gdb.args(["-q", "-x", script, "-batch"]);
        if stands == "0x0" {
            gdb.args(["-ex", "break main", "-ex", "continue"]);
        }
        gdb.args(["-ex", "detach"]);
        let said = gdb.stdin(Stdio::null()).output().expect("it runs").stdout;
        let said = String::from_utf8_lossy(&said);
        let first = said
            .lines()
            .find(|it| it.contains(" ()"))
            .unwrap_or("nothing");
        assert!(first.starts_with(stands), "{said}");
    }
    running.signal("TERM");
    assert_eq!(running.ends(), Some(130));
}

#[test]
fn a_signal_that_ends_the_tool_ends_its_debugger_and_its_board() {
    for signal in ["TERM", "HUP"] {
        let mut running = Tool::new(&["debug", "logger", "--board", "mps2-an386"]).start();
        // It stands where the first process begins, and gdb waits for a command.
        running.says("in _riposte_start ()");
        // And who would end both if the tool was killed.
        let started = running.started();
        assert_eq!(started.len(), 3, "{started:?}");
        running.signal(signal);
        assert_eq!(running.ends(), Some(130), "at SIG{signal}");
        for id in started {
            wait_for(|| is_gone(&id).then_some(()));
        }
    }
}

#[test]
fn a_signal_ends_a_server_that_speaks_with_a_debugger() {
    let arguments = ["debug", "logger", "--board", "mps2-an386", "--server", "0"];
    let mut running = Tool::new(&arguments).arg("--json").start();
    let _gdb = running.is_debugged();
    running.signal("TERM");
    assert_eq!(running.ends(), Some(130));
}

/// The seconds of processors that a session takes from the command to the threads on the screen: what a shell says of its
/// children. On a busy machine they take longer on the clock.
fn seconds_to_attach() -> f64 {
    let session =
        "\"$0\" debug hello --board mps2-an386 -- -batch -ex 'info threads' 2>&1 && times";
    let output = Command::new("sh")
        .args(["-c", session])
        .arg(env!("CARGO_BIN_EXE_riposte-host"))
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout);
    check("mps2-an386", &text, &["Thread 1.1 \"kernel\""]);
    let seconds = |it: &str| {
        let (minutes, seconds) = it.strip_suffix('s')?.split_once('m')?;
        Some(60.0 * minutes.parse::<f64>().ok()? + seconds.parse::<f64>().ok()?)
    };
    let of_children = text.lines().last().expect("two lines of two times");
    let both = of_children.split_whitespace().map(seconds);
    both.map(|it| it.expect("a time")).sum()
}

#[test]
fn a_debugger_is_at_a_built_application_in_two_seconds() {
    // The first one may build it. In one of several: a machine does other things too.
    let taken: Vec<f64> = (0..5).map(|_| seconds_to_attach()).collect();
    assert!(taken.iter().any(|it| *it <= 2.0), "{taken:?}");
}

#[test]
fn a_debugger_is_told_that_the_board_has_ended() {
    let arguments = ["debug", "hello", "--board", "mps2-an386", "--", "-batch"];
    let mut running = Tool::new(&[&arguments[..], &["-ex", "continue"]].concat()).start();
    running.hears_no_more();
    running.says("Remote connection closed");
    assert!(running.ends().is_some());
}

#[test]
fn a_debugger_that_ends_at_once_ends_the_session() {
    let arguments = ["debug", "logger", "--board", "mps2-an386", "--"];
    let mut running =
        Tool::new(&[&arguments[..], &["-ex", "quit", "-nx", "--version"]].concat()).start();
    running.says("ended before it came to the board");
    assert_eq!(running.ends(), Some(1));
}

#[test]
fn what_cannot_be_debugged_is_said() {
    let mut running = Tool::new(&["debug", "logger", "--board", "ibex"]).start();
    running.says("a simulator");
    let mut running = Tool::new(&["debug", "logger"])
        .env("PATH", "/nowhere")
        .start();
    let line = running.says("no `gdb-multiarch` in /nowhere");
    assert!(line.contains("apt-get install gdb-multiarch"), "{line}");
}
