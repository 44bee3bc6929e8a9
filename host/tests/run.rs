//! `./riposte run` as a person sees it: time, Ctrl-C, and a limit.

mod tool;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use riposte_host::lab::Lab;
use riposte_host::machine::{self, End, Next};
use tool::{Tool, is_gone, program::Program, remove_images, wait_for};

const SLEEP: &str = "
    println!(\"asleep\");
    riposte::sleep(core::time::Duration::from_secs(SECONDS)).unwrap();
    println!(\"awake\");
    let _ = riposte::shutdown(0);";

const SPIN: &str = "
    println!(\"begun\");
    loop {
        core::hint::spin_loop();
    }";

#[test]
fn who_sleeps_on_an_emulator_sleeps_as_long_for_a_person() {
    let program = Program::new("short-sleep", &SLEEP.replace("SECONDS", "2"));
    for board in ["mps2-an386", "virt-rv32", "virt-rv32-mmu"] {
        // The second time there is nothing to build.
        assert_eq!(program.run(board, &["--virtual"]).ends(), Some(0));
        let begun = Instant::now();
        let mut running = program.run(board, &[]);
        running.says("awake");
        assert!(begun.elapsed() >= Duration::from_secs(2), "{board}");
        assert_eq!(running.ends(), Some(0));
    }
}

#[test]
fn an_hour_of_sleep_is_skipped_in_virtual_time_and_in_every_test() {
    let program = Program::new("long-sleep", &SLEEP.replace("SECONDS", "3600"));
    let mut running = program.run("mps2-an386", &["--virtual"]);
    running.says("awake");
    assert_eq!(running.ends(), Some(0));

    let lab = &program.lab;
    let board = lab.board("mps2-an386").expect("there");
    let image = lab.build(&lab.load(&program.path).expect("right"), board);
    let image = image.expect("built");
    let end = machine::run_unattended(&lab.root, board, &image.file, |_| Next::Continue);
    assert_eq!(end.expect("it runs"), End::Exit(0));
}

/// What a line says a thread has used of its stack, and how large that is.
fn of_stack(line: &str) -> Option<[u32; 2]> {
    let (_, told) = line.split_once("it has used ")?;
    let (used, rest) = told.split_once(" of ")?;
    let (size, _) = rest.split_once(" bytes of its stack")?;
    Some([used.parse().ok()?, size.parse().ok()?])
}

#[test]
fn ctrl_c_says_where_the_processor_and_the_threads_stand() {
    let program = Program::new("interrupted", SPIN);
    for board in ["mps2-an386", "virt-rv32", "virt-rv32-mmu", "ibex"] {
        let mut running = program.run(board, &[]);
        running.says("begun");
        running.signal("INT");
        let code = running.ends();
        let text = running.text();
        assert_eq!(code, Some(130), "{text}");
        let place = text
            .lines()
            .find(|line| line.contains("riposte: interrupted"));
        let place = place.expect(&text);
        assert!(
            place.contains("it stands at") && place.contains("process `interrupted`"),
            "{board}: {text}"
        );
        let threads = text
            .lines()
            .filter(|it| it.contains("was suspended last at"));
        let console = threads.filter(|it| it.contains("thread `main` of `console`"));
        let console: Vec<&str> = console.collect();
        assert_eq!(console.len(), 1, "{board}: {text}");
        assert!(
            console[0].contains("console/src/main.rs:"),
            "{board}: {text}"
        );
        let [used, size] = of_stack(console[0]).expect(&text);
        assert!(100 < used && used < size, "{board}: {text}");
    }
}

#[test]
fn a_thread_that_has_not_run_is_said_to_have_not() {
    let program = Program::new("spinner", SPIN);
    let path = program.path.join("app.toml");
    let text = fs::read_to_string(&path).expect("there");
    let lazy =
        "\n[[process]]\nname = \"lazy\"\nprogram = \"./spinner\"\npriority = 1\nstack = \"4KiB\"\n";
    fs::write(path, text + lazy).expect("written");
    for board in ["mps2-an386", "virt-rv32"] {
        let mut running = program.run(board, &[]);
        running.says("begun");
        running.signal("INT");
        assert_eq!(running.ends(), Some(130));
        let text = running.text();
        let told = "thread `main` of `lazy` has not run since it began";
        assert!(text.contains(told), "{board}: {text}");
    }
}

/// An application without a supervisor, one of whose processes panics before the other begins, which does `then`.
fn unsupervised(name: &str, then: &str) -> Program {
    let statements = format!(
        "
    if riposte::process_name() == \"driver\" {{
        panic!(\"the card has no {{}} blocks\", 4096);
    }}{then}"
    );
    let program = Program::new(name, &statements);
    let path = program.path.join("app.toml");
    let text = fs::read_to_string(&path).expect("there");
    let (before, rest) = text.split_once("# Without these").expect("a supervisor");
    let (_, rest) = rest.split_once("# The console server").expect("a console");
    let driver = format!(
        "\n[[process]]\nname = \"driver\"\nprogram = \"./{name}\"\npriority = 17\nstack = \"4KiB\"\n"
    );
    fs::write(path, format!("{before}#{rest}{driver}")).expect("written");
    program
}

#[test]
fn a_fault_that_nobody_told_of_is_reported_at_the_end() {
    let report = |text: &str, board: &str| {
        let from = "process `driver` panicked: ";
        assert_eq!(text.matches(from).count(), 1, "{board}: {text}");
        let (_, report) = text.split_once(from).expect("there");
        let (what, rest) = report.split_once('\n').expect(text);
        assert!(
            what.ends_with("src/main.rs:10: the card has no 4096 blocks"),
            "{board}: {text}"
        );
        assert!(rest.contains("  thread    main\n"), "{board}: {text}");
        assert!(rest.contains("  backtrace  0 "), "{board}: {text}");
    };
    let ends = unsupervised("unseen", "\n    let _ = riposte::shutdown(0);");
    let stays = unsupervised("unseen-yet", SPIN);
    for board in [
        "mps2-an386",
        "virt-rv32",
        "virt-rv32-mmu",
        "ibex",
        "vexriscv",
    ] {
        let mut running = ends.run(board, &["--virtual"]);
        assert_eq!(running.ends(), Some(0), "{board}");
        report(&running.text(), board);

        let mut running = stays.run(board, &[]);
        running.says("begun");
        running.signal("INT");
        assert_eq!(running.ends(), Some(130), "{board}");
        report(&running.text(), board);
    }
}

#[test]
fn a_fault_that_the_supervisor_told_of_is_reported_once() {
    let program = Program::new("told", "\n    panic!(\"see above\");");
    let mut running = program.run("mps2-an386", &["--virtual"]);
    running.says("stays stopped: it has reached its restart_limit");
    running.signal("INT");
    assert_eq!(running.ends(), Some(130));
    let text = running.text();
    // It was restarted five times.
    assert_eq!(text.matches("see above").count(), 6, "{text}");
}

#[test]
fn a_run_that_ends_says_what_was_used_of_the_stacks() {
    let program = Program::new("ended", &SLEEP.replace("SECONDS", "1"));
    for board in ["mps2-an386", "virt-rv32", "virt-rv32-mmu", "ibex"] {
        let mut running = program.run(board, &["--virtual"]);
        assert_eq!(running.ends(), Some(0));
        let text = running.text();
        let line = text.lines().find(|line| line.contains("of the stacks"));
        let (_, threads) = line.and_then(|it| it.split_once(": ")).expect(&text);
        let (_, threads) = threads.split_once(": ").expect(&text);
        for name in ["console", "ended"] {
            let thread = threads.split(", ").find_map(|it| it.strip_prefix(name));
            let (used, size) = thread.and_then(|it| it.split_once(" of ")).expect(&text);
            let [used, size]: [u32; 2] = [used, size].map(|it| it.trim().parse().expect(&text));
            assert!(100 < used && used < size, "{board}: {text}");
        }
    }
}

/// By the slow way as well, which many digits take.
const FLOAT: &str = "
    let value = riposte::process_name().len() as f64 / 3.0;
    println!(\"{value} {value:.3} {value:e} {value:.40}\");
    panic!(\"see {value:.30}\");";

#[test]
fn a_formatted_float_fits_the_stack_of_a_new_application_and_size_says_what_it_took() {
    let program = Program::new("thirds", FLOAT);
    for board in ["mps2-an386", "virt-rv32", "virt-rv32-mmu", "ibex"] {
        let mut running = program.run(board, &["--virtual"]);
        running.says("2.000 2e0 2.0000000000000000000000000000000000000000");
        running.says("thirds/src/main.rs:11: see 2.0000");
        running.says("  stack     main ");
        running.signal("INT");
        assert_eq!(running.ends(), Some(130), "{board}");
        let size = Tool::new(&["size", "--board", board]).arg(&program.path);
        let mut size = size.env("RIPOSTE_ROOT", &program.lab.root).start();
        assert_eq!(size.ends(), Some(0));
        let text = size.text();
        let line = text.lines().find(|it| it.contains("of `thirds`: "));
        let used = line.and_then(|it| it.rsplit_once(": ")?.1.split_once(" of 4096"));
        let used: Option<u32> = used.and_then(|(used, _)| used.parse().ok());
        assert!(
            used.is_some_and(|it| (1000..4096).contains(&it)),
            "{board}: {text}"
        );
    }
}

#[test]
fn a_run_ends_after_the_limit_of_silence_that_it_is_given() {
    let program = Program::new("silent", SPIN);
    for board in ["mps2-an386", "ibex"] {
        let mut running = program.run(board, &["--limit", "1s"]);
        let code = running.ends();
        let text = running.text();
        assert_eq!(code, Some(1), "{text}");
        // Where it stands is known only of one that had begun by then.
        let words = "silent for 1s, as --limit says";
        assert!(text.contains(words), "{board}: {text}");
    }
}

#[test]
fn an_emulator_that_somebody_else_ends_is_no_end_of_the_application() {
    let program = Program::new("terminated", SPIN);
    for board in ["mps2-an386", "virt-rv32"] {
        for signal in ["TERM", "KILL"] {
            let mut running = program.run(board, &["--json"]);
            // The end of its only line, which may come in pieces.
            running.says(r"\n");
            let emulator = running.started_by_name("qemu-system-").expect("it runs");
            let sent = Command::new("kill")
                .args(["-s", signal, &emulator])
                .status();
            assert!(sent.expect("kill runs").success());
            let code = running.ends();
            let text = running.text();
            assert_eq!(code, Some(1), "{board}, {signal}: {text}");
            let end = r#"{"event":"end","how":"failed","code":1}"#;
            assert!(text.contains(end), "{board}, {signal}: {text}");
        }
    }
}

#[test]
fn a_tool_that_is_killed_leaves_neither_its_emulator_nor_its_files() {
    let program = Program::new("left-behind", SPIN);
    let files = tempfile::tempdir().expect("a directory");
    let left = || fs::read_dir(files.path()).expect("there").count();
    for board in ["mps2-an386", "virt-rv32"] {
        let mut tool = Tool::new(&["run", "--board", board]);
        tool = tool.arg(&program.path).env("TMPDIR", files.path());
        let mut running = tool.env("RIPOSTE_ROOT", &program.lab.root).start();
        running.says("begun");
        let emulator = running.started_by_name("qemu-system-").expect("it runs");
        assert!(left() > 0, "{board}");
        running.signal("KILL");
        assert_eq!(running.ends(), None);
        wait_for(|| is_gone(&emulator).then_some(()));
        wait_for(|| (left() == 0).then_some(()));
    }
}

#[test]
fn what_is_typed_reaches_the_program_on_every_board_and_ctrl_c_ends_the_run() {
    let lab = Lab::open().expect("the repository");
    for board in &lab.boards {
        let mut running = Tool::new(&["run", "examples/talk", "--board", &board.name]).start();
        // Before anybody asks.
        running.hears("Ada\rxq");
        running.says("hello Ada");
        running.says("press keys");
        running.says("key 0x78");
        running.hears("Grace\x7Fe\r");
        running.says("hello Grace");
        running.signal("INT");
        assert_eq!(running.ends(), Some(130), "{}", board.name);
        assert!(running.text().contains("riposte: interrupted"));
    }
}

#[test]
fn who_pings_at_the_shell_is_told_who_sends_it_back() {
    for board in ["mps2-an386", "virt-rv32"] {
        let mut running = Tool::new(&["run", "examples/ping", "--board", board]).start();
        // Until it has an address, and is answered in time.
        wait_for(|| {
            running.hears("ping -c 2 10.0.2.2\r");
            let line = running.says(" asked for, ");
            line.starts_with("2 asked for, 2 came, in ").then_some(())
        });
        running.has_said("56 bytes from 10.0.2.2: 2: ");
        running.hears("ping -c 1 -s 0 10.0.2.77\r");
        running.says("10.0.2.77: 1: nothing");
        running.says("1 asked for, 0 came");
        running.says("ping: ended with status 1");
        running.hears("ping -c 0 10.0.2.2\r");
        running.says("usage: ping [-c TIMES] [-s BYTES] HOST");
        running.signal("INT");
        assert_eq!(running.ends(), Some(130), "{board}");
    }
}

const READ_AND_TICK: &str = "
    let mut buffer = [0; riposte::console::LONGEST_LINE];
    println!(\"got {:?}\", riposte::console::read_line(&mut buffer));
    for tick in 1.. {
        let _ = riposte::sleep(core::time::Duration::from_millis(500));
        println!(\"tick {tick}\");
    }";

#[test]
fn the_end_of_what_is_typed_neither_ends_a_run_nor_keeps_the_tool_busy() {
    let program = Program::new("typed-to-its-end", READ_AND_TICK);
    let manifest = program.path.join("app.toml");
    let text = fs::read_to_string(&manifest).expect("there");
    let (before, after) = text
        .split_once("peripherals = [\"uart0\"]\n")
        .expect("a console");
    let line = "peripherals = [\"uart0\"]\ninterrupts = [\"uart0-receive\"]\n";
    fs::write(&manifest, format!("{before}{line}{after}")).expect("written");
    for board in ["mps2-an386", "virt-rv32", "virt-rv32-mmu"] {
        let mut running = program.run(board, &[]);
        running.hears("the last line\n");
        running.hears_no_more();
        running.says("got Ok(\"the last line\\n\")");
        running.says("tick 1");
        let before = running.computed();
        running.says("tick 5");
        // Two seconds, of which it sleeps nearly all.
        let computed = running.computed() - before;
        assert!(computed < 100, "{board}: {computed} hundredths of a second");
        running.signal("INT");
        assert_eq!(running.ends(), Some(130), "{board}");
    }
}

/// What the page of porting shows of a run, which must be all that the programs say.
#[test]
fn the_example_of_qnx_4_says_what_its_page_shows() {
    let page = "../docs/src/personalities/qnx4-porting.md";
    let page = fs::read_to_string(page).expect("the page");
    let (_, shown) = page.split_once("--virtual\n").expect("a run");
    let (shown, _) = shown.split_once("```").expect("its end");
    for board in ["mps2-an386", "virt-rv32"] {
        let run = ["run", "examples/qnx4", "--board", board, "--virtual"];
        let mut running = Tool::new(&run).start();
        assert_eq!(running.ends(), Some(0), "{board}: {}", running.text());
        let text = running.text();
        let said = text.lines().filter(|line| !line.starts_with("riposte: "));
        let said: Vec<&str> = said.collect();
        assert_eq!(said, shown.lines().collect::<Vec<_>>(), "{board}: {text}");
    }
}

#[test]
fn the_loggers_story_goes_as_its_chapter_tells() {
    for board in ["mps2-an386", "virt-rv32", "virt-rv32-mmu"] {
        // In virtual time, in which the watchdog misses a sign of life only of who gives none.
        let run = ["run", "examples/logger", "--board", board, "--virtual"];
        let mut running = Tool::new(&run).start();
        running.says("logger: `help` says what can be typed");
        running.hears("help\r");
        running.says("quit         the machine stops");
        running.hears("period 20\r");
        running.says("it was 100 ms");
        running.says("report: ");
        running.hears("show\r");
        running.says(" °C on average");
        running.hears("newest\r");
        running.says(" ms  ");
        running.hears("crash\r");
        running.says("process `store` panicked: examples/logger/store/src/main.rs");
        running.says("supervisor: process `store` panicked, and was restarted");
        running.says("shell: no answer: server died");
        running.hears("hang\r");
        running.says("watchdog: no sign of life from sensor: it is restarted");
        running.says("process `sensor` was restarted by `watchdog`; its main thread stood here");
        running.says("supervisor: process `sensor` was ended by `watchdog`, and was restarted");
        running.hears("period 50\r");
        running.says("it was 100 ms");
        running.hears("quit\r");
        assert_eq!(running.ends(), Some(0), "{board}: {}", running.text());
        assert!(
            !running.text().contains("no sign of life from store"),
            "{board}"
        );
    }
}

/// What a program in C prints on the host.
fn printed_on_the_host(source: &str) -> String {
    let folder = tempfile::tempdir().expect("a directory");
    let program = folder.path().join("program");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-pthread"]);
    compiler.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror"]);
    compiler.arg(source).arg("-o").arg(&program).arg("-lrt");
    let compiled = compiler.output().expect("the compiler runs");
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
    let output = Command::new(&program).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_program_of_posix_prints_here_what_it_printed_before_it_was_ported() {
    let before = printed_on_the_host("../examples/posix/before.c");
    assert!(before.lines().count() == 4, "{before}");
    for board in ["mps2-an386", "virt-rv32", "virt-rv32-mmu"] {
        let output = Command::new(env!("CARGO_BIN_EXE_riposte-host"))
            .args(["run", "posix", "--virtual", "--board", board])
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{board}: {said}");
        let after = String::from_utf8_lossy(&output.stdout).replace('\r', "");
        assert_eq!(after, before, "{board}");
    }
}

#[test]
fn a_person_at_the_shell_sees_who_runs_and_keeps_files() {
    for board in ["mps2-an386", "virt-rv32", "virt-rv32-mmu"] {
        let mut running = Tool::new(&["run", "examples/shell", "--board", board, "--raw"]).start();
        let mut session = |typed: &str, answers: &[&str]| {
            running.hears(typed);
            // What is typed is shown, too, behind the prompt.
            for words in answers {
                while running.says(words).starts_with("> ") {}
            }
        };
        session("", &["riposte: `help` says what can be typed"]);
        session("time sleep 0.5\r", &["0.5"]);
        // Its columns stand below each other.
        session(
            "help kill\r",
            &["kill     PROCESS|PID [SIGNAL] sends it a signal"],
        );
        session(
            "help spawn\r",
            &["spawn    PROGRAM [WORD]...    starts a program"],
        );
        // Who reads nothing ends before who would write to it begins.
        session(
            "help | upper | count 1\r",
            &["1", "upper: nobody is left who could read"],
        );
        session("names\r", &["/dev/worker"]);
        session(
            "ps\r",
            &[
                "PROCESS      THREAD  PRIORITY",
                "waits for a message at console",
                "blinker           0  10",
            ],
        );
        session("stop worker\r", &[]);
        session("ps worker\r", &["stopped"]);
        session("restart worker\r", &[]);
        session("sleep 1\r", &[]);
        session("top\r", &[" %  worker", " %  nobody"]);
        session("log 3\r", &["info    worker: 1 answers"]);
        session(
            "kill worker\r",
            &["not permitted: in app.toml the shell needs"],
        );
        session("kill blinker\r", &[]);
        session("sleep 1\r", &[]);
        session("ps blinker\r", &["stopped"]);
        session("kill blinker\r", &["kill: peer died"]);
        session("mkdir /notes\r", &[]);
        // Completed, corrected, and called back from the history.
        session("echo 'one  two' > /no\ta\r", &[]);
        session("cat /notes/x\x7Fa\r", &["one  two"]);
        session("ech\tthree >> /notes/a\r", &[]);
        session("\x1b[A\x1b[A\r", &["one  two", "three"]);
        session("ls /\r", &["          notes/"]);
        session("rm /notes\r", &["rm: /notes: the directory has entries"]);
        session("mv /notes/a /b\r", &[]);
        session("cp /b /c\r", &[]);
        // By another path it is the same.
        session("cp /c /./c\r", &["cp: /./c: "]);
        session("cp /c //c\r", &["cp: //c: "]);
        session("cat /c\r", &["one  two", "three"]);
        session("rm /b /notes\r", &[]);
        session("ls\r", &["      15  c"]);
        session("df\r", &["bytes, "]);
        // Its files outlive their server.
        session("restart files\r", &[]);
        session("cat /c\r", &["one  two", "three"]);
        session("pss\r", &["pss: there is no such command; is it `ps`?"]);
        session(
            "stop wroker\r",
            &["there is no process `wroker`; is it `worker`?"],
        );
        session(
            "stop shell\r",
            &["not permitted: in app.toml the shell needs"],
        );
        session("echo 'x\r", &["a quote is not closed"]);
        session("help cp\r", &["cp       FROM TO"]);
        session("help count\r", &["count: a program"]);
        session(
            "help lss\r",
            &["lss: there is no such command; is it `ls`?"],
        );
        // A line may be longer than what is sent at once, wherever that ends in it.
        let line = format!("{}äöü", "x".repeat(95));
        session(&format!("echo {line}\r"), &[&line]);
        session(&format!("echo {line} > /long\r"), &[]);
        session("cat /long\r", &[&line]);
        session("upper < /long\r", &[&line.replace('x', "X")]);
        // It is its server that does not run, and not the manifest that gives none.
        session("stop files\r", &[]);
        session("upper < /long\r", &["upper: server died"]);
        session("restart files\r", &[]);
        session("rm /long\r", &[]);
        // Programs, alone and joined.
        session("count 2\r", &["1", "2"]);
        session("count 3 | upper > /numbers\r", &[]);
        session("cat /numbers\r", &["1", "2", "3"]);
        session("echo some words | upper\r", &["SOME WORDS"]);
        session(
            "echo one | upper | upper | upper\r",
            &["upper: all its `instances` are in use"],
        );
        session("ls | upper\r", &["  NUMBERS", "  C"]);
        session("upper < /numbers\r", &["1", "2", "3"]);
        session(
            "count 1000000 | count 1\r",
            &["1", "count: ended with status 1"],
        );
        session("cou\t1 2 3 |\r", &["there is no command before |"]);
        session(
            "free\r",
            &[
                "PROGRAM       FREE  OF",
                "count            3   3",
                "upper            2   2",
            ],
        );
        session(
            "coumt\r",
            &["coumt: there is no such command; is it `count`?"],
        );
        // Not the first one that is near enough.
        session("coat\r", &["coat: there is no such command; is it `cat`?"]);
        session("ls &\r", &["ls: the shell does this itself"]);
        session("count x\r", &["usage: count", "count: ended with status 2"]);
        session("count 1000000 50 > /slow &\r", &[""]);
        session(
            "jobs\r",
            &["PID  PROGRAM       STARTED BY", "count         shell"],
        );
        // It has asked what it was given, which the manager's next life does not know.
        session("sleep 1\r", &[]);
        session("restart process\r", &[]);
        session("jobs\r", &["count         nobody who is left"]);
        // In front, until Ctrl-C.
        session("count 1000000 10\r", &["1", "2"]);
        session("\x03", &["count: was ended by signal 2"]);
        session("time count 1\r", &["1", " s"]);
        session("spawn count 1\r", &[]);
        session("wait\r", &[" ended with status 0"]);
        session("spawn count 2 > /spawned\r", &[]);
        session("wait\r", &[" ended with status 0"]);
        session("cat /spawned\r", &["1", "2"]);
        session(
            "spawn count 2 | upper\r",
            &["spawn: starts one program; `PROGRAM | PROGRAM &` starts both"],
        );
        session("time uptime\r", &[" s", " s"]);
        // A text that is pasted comes whole, though it is longer than what is kept.
        let lines: Vec<String> = (10..50).map(|n| format!("line {n} of a text")).collect();
        let pasted: String = lines.iter().map(|it| format!("echo {it}\r")).collect();
        let answers: Vec<&str> = lines.iter().map(String::as_str).collect();
        session(&pasted, &answers);
        session("shutdown\r", &[]);
        assert_eq!(running.ends(), Some(0), "{board}: {}", running.text());
    }
}

#[test]
fn who_has_no_channel_of_its_own_is_told_what_the_manifest_needs() {
    let lab = Lab::open().expect("the repository");
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("blink");
    let made = Tool::new(&["new"]).arg(&place).start().ends();
    assert_eq!(made, Some(0));
    let source = place.join("blink/src/main.rs");
    let text = fs::read_to_string(&source).expect("it is there");
    let begin = "fn main() {\n";
    let asks = text.replace(
        begin,
        &format!("{begin}    riposte::own_channel().unwrap();\n"),
    );
    fs::write(&source, asks).expect("written");
    let mut running = Tool::new(&["run", "--virtual"]).arg(&place).start();
    running.says("no channel: app.toml needs a [[channel]] with owner = \"blink\"");
    drop(running);
    remove_images(&lab, &place);
}

#[test]
fn a_raw_run_ends_by_its_own_key() {
    let mut running = Tool::new(&["run", "examples/shell", "--raw"]).start();
    running.says("riposte: `help` says what can be typed");
    running.hears("echo a\x03echo b\r");
    // Ctrl-C has given the first line up.
    while running.says("b").starts_with("> ") {}
    running.hears("\x1D");
    assert_eq!(running.ends(), Some(130), "{}", running.text());
}

/// Whatever a program does with what it is given, the shell comes back.
#[test]
fn a_program_that_reads_nothing_or_masks_signals_does_not_keep_the_shell() {
    let manifest = fs::read_to_string("../examples/shell/app.toml").expect("it is there");
    // It never says what it does with a signal: so all are masked.
    let upper = "name = \"upper\"\nprogram = \"./upper\"\n";
    let stubborn = "[[program]]\nname = \"stubborn\"\nprogram = \"./count\"\ninstances = 1\n\
        priority = 9\nstack = \"3KiB\"\nsignal_queue = 0\n\n\
        [[connection]]\nfrom = \"stubborn\"\nto = \"console\"\n";
    let masks = format!("{manifest}\n{stubborn}")
        .replacen(upper, &format!("{upper}signal_queue = 0\n"), 1)
        .replace("\"./", "\"shell-");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shell-masked");
    fs::create_dir_all(&directory).expect("there is a disk");
    fs::write(directory.join("app.toml"), masks).expect("there is a disk");
    let mut running = Tool::new(&["run", directory.to_str().expect("a name"), "--raw"]).start();
    running.says("riposte: `help` says what can be typed");
    let mut session = |typed: &str, answer: &str| {
        running.hears(typed);
        while running.says(answer).starts_with("> ") {}
    };
    session("help | count 1\r", "1");
    session("echo the first\r", "the first");
    session(
        "echo one | upper | upper | upper\r",
        "upper: all its `instances` are in use",
    );
    session("echo the second\r", "the second");
    // In front is who reads, too, when the one that writes has ended.
    session("time count 1 | count 1000000 10\r", "5");
    session("\x03", "count: was ended by signal 2");
    // Nor does one that goes on whatever signal it is sent.
    session("stubborn 1000000 10\r", "5");
    session("\x03\x03", "Ctrl-\\ ends what does not end by Ctrl-C");
    session("\x1C", "stubborn: was ended by signal 9");
    // The name of a file, not the number of a pipe.
    session("echo some words | upper > '|5'\r", "");
    session("cat '|5'\r", "SOME WORDS");
    session(
        &format!("{}ls\r", "time ".repeat(15)),
        "usage: time COMMAND...",
    );
    session("shutdown\r", "");
    assert_eq!(running.ends(), Some(0), "{}", running.text());
}

/// Six clients with 2 to the power of 31 each: in a word their sum is 0.
#[test]
fn shares_of_files_that_could_not_all_be_had_are_refused_however_they_add_up() {
    let manifest = fs::read_to_string("../examples/shell/app.toml").expect("it is there");
    for (what, why) in [
        ("files", "open files are more than 32"),
        ("entries", "files and directories are more than 256"),
    ] {
        let settings = format!("settings = {{ {what} = 2147483648 }}\n");
        let too_many = manifest
            .replacen(
                "settings = { files = 4 }\non_fault = \"restart\"\n",
                &settings,
                1,
            )
            .replace("\"./", "\"shell-");
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shell-shares");
        fs::create_dir_all(&directory).expect("there is a disk");
        fs::write(directory.join("app.toml"), too_many).expect("there is a disk");
        let mut running = Tool::new(&["run", directory.to_str().expect("a name"), "--raw"]).start();
        running.says("riposte: `help` says what can be typed");
        running.hears("sleep 0.5\rshutdown\r");
        // The kernel has kept why the server ended.
        running.ends();
        let said = running.text();
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn a_copy_of_what_cannot_be_opened_leaves_the_other_file_as_it_was() {
    let manifest = fs::read_to_string("../examples/shell/app.toml").expect("it is there");
    // Too few to copy, which takes a third one.
    let few = "settings = { files = 4, files-shell = 2 }";
    let manifest = manifest
        .replace("settings = { files = 4 }", few)
        .replace("\"./", "\"shell-");
    assert!(manifest.contains(few));
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shell-few-files");
    fs::create_dir_all(&directory).expect("there is a disk");
    fs::write(directory.join("app.toml"), manifest).expect("there is a disk");
    session_at(
        directory.to_str().expect("a name"),
        &[
            ("echo the one > /one", &[]),
            ("echo the other > /other", &[]),
            ("cp /one /other", &["cp: /"]),
            ("cat /other", &["the other"]),
        ],
    );
}

/// Types each line at the shell of `examples/shell`, and waits for what it answers, all in order.
fn session_at_the_shell(lines: &[(&str, &[&str])]) {
    session_at("examples/shell", lines);
}

/// The same at that of another application.
fn session_at(application: &str, lines: &[(&str, &[&str])]) {
    let mut running = Tool::new(&["run", application, "--raw"]).start();
    running.says("riposte: `help` says what can be typed");
    for (typed, answers) in lines {
        running.hears(&format!("{typed}\r"));
        for words in *answers {
            while running.says(words).starts_with("> ") {}
        }
    }
    running.hears("shutdown\r");
    assert_eq!(running.ends(), Some(0), "{}", running.text());
}

#[test]
fn a_program_that_ends_before_it_opens_its_output_does_not_keep_its_reader() {
    session_at_the_shell(&[
        ("count x | upper", &["count: ended with status 2"]),
        ("echo it is back", &["it is back"]),
        ("upper < /missing | upper", &["upper: ended with status 1"]),
        ("echo and again", &["and again"]),
        ("help | count x | upper", &["count: ended with status 2"]),
        ("echo and then", &["and then"]),
        // What was written is there for who comes late.
        ("count 3 | upper | upper", &["1", "2", "3"]),
    ]);
}

#[test]
fn a_shell_says_which_server_does_not_run() {
    session_at_the_shell(&[
        (
            "spawn ls",
            &["ls: the shell does this itself, and not in the background"],
        ),
        ("stop process", &[]),
        ("count 1", &["no programs: the server does not run"]),
        ("jobs", &["jobs: no programs: the server does not run"]),
        ("stop pipes", &[]),
        ("restart process", &[]),
        ("count | upper", &["no pipes: the server does not run"]),
        ("stop files", &[]),
        ("ls", &["ls: no files: the server does not run"]),
        ("stop names", &[]),
        ("names", &["names: no names: the server does not run"]),
        ("stop logs", &[]),
        ("log", &["log: no log: the server does not run"]),
    ]);
}

#[test]
fn a_pipe_is_looked_after_though_the_process_manager_was_away() {
    session_at_the_shell(&[
        // Who reads opens nothing, and ends while nobody knows of it.
        ("count 300 1 | count 10 300 &", &["1"]),
        ("stop process", &[]),
        ("sleep 4", &[]),
        ("restart process", &[]),
        ("sleep 1", &[]),
        ("free", &["count            3   3"]),
    ]);
}

#[test]
fn a_line_in_the_background_ends_though_its_programs_open_nothing() {
    let ended = &["ended with status", "ended with status"];
    let lines: &[(&str, &[&str])] = &[
        ("count x | upper &", &[]),
        ("wait", ended),
        // Each has given its pipe back.
        ("count x | upper &", &[]),
        ("wait", ended),
        ("count 1000000 | count 1 &", &[]),
        ("wait", ended),
        ("count 4 | upper > /four &", &[]),
        ("wait", ended),
        ("cat /four", &["1", "2", "3", "4"]),
        // Nobody need wait for them, nor do so at once.
        ("count x | upper &", &[]),
        ("sleep 1", &[]),
        ("echo so long", &["so long"]),
        ("jobs", &["upper         shell, has ended"]),
        ("wait", ended),
    ];
    session_at_the_shell(lines);
}

#[test]
fn a_timed_program_says_what_it_says_where_the_line_has_it() {
    session_at_the_shell(&[
        ("time count 2 > /timed", &[]),
        ("echo so long", &["so long"]),
        ("ls /timed", &["  /timed"]),
        ("cat /timed", &["1", "2", " s"]),
        ("time count 3 >> /timed", &[]),
        ("cat /timed", &["1", "2", " s", "1", "2", "3", " s"]),
        ("echo words > /timed", &[]),
        ("time upper | upper > /upper", &[]),
        ("cat /upper", &[" S"]),
        ("time count 4 | upper > /upper", &[]),
        ("cat /upper", &["1", "2", "3", "4", " S"]),
    ]);
}

#[test]
fn a_wait_whose_reader_it_would_wait_for_is_refused() {
    session_at_the_shell(&[
        ("wait | upper", &["wait: who reads it"]),
        ("echo back", &["back"]),
    ]);
}

/// The system of `examples/shell`, and beside the others, more urgent than the shell, a process that does this.
fn shell_beside(name: &str, statements: &str) -> Program {
    let program = Program::new(name, statements);
    let manifest = fs::read_to_string("../examples/shell/app.toml").expect("it is there");
    let more = format!(
        "
[[process]]
name = \"stranger\"
program = \"./{name}\"
priority = 17
stack = \"3KiB\"

[[connection]]
from = \"stranger\"
to = \"console\"

[[connection]]
from = \"stranger\"
to = \"log\"
"
    );
    let manifest = manifest.replace("\"./", "\"shell-") + &more;
    fs::write(program.path.join("app.toml"), manifest).expect("written");
    let package = program.path.join(name).join("Cargo.toml");
    let text = fs::read_to_string(&package).expect("there");
    let log = program.lab.root.join("servers/log/client");
    let log = format!("[dependencies]\nriposte-log = {{ path = {log:?} }}");
    fs::write(package, text.replace("[dependencies]", &log)).expect("written");
    program
}

#[test]
fn what_others_say_and_call_their_files_brings_no_commands_of_a_terminal() {
    let program = shell_beside(
        "shell-escapes",
        "
    riposte_log::init(\"log\", riposte_log::log::LevelFilter::Debug).unwrap();
    riposte_log::log::debug!(\"\\x1b[2J\\nover\");",
    );
    let mut running = program.run("virt-rv32", &["--raw"]);
    running.says("riposte: `help` says what can be typed");
    running.hears("log 4\r");
    running.says(r"debug   stranger: \u{1b}[2J\nover");
    running.hears("echo > '/a\u{9b}2J'\rls\r");
    running.says(r"       1  a\u{9b}2J");
    running.hears("shutdown\r");
    assert_eq!(running.ends(), Some(0), "{}", running.text());
}

/// `@type` has the host type in tests, which nobody attends.
#[test]
fn what_is_shown_to_a_person_types_nothing_at_the_shell() {
    for pace in [&["--raw"][..], &["--raw", "--virtual"]] {
        let run = [&["run", "examples/shell"][..], pace].concat();
        let mut running = Tool::new(&run).start();
        running.says("riposte: `help` says what can be typed");
        running.hears("echo '@type stop worker\\r' > /trap\rcat /trap\r");
        while running.says("@type stop worker").starts_with("> ") {}
        running.hears("sleep 1\rps worker\recho the end\r");
        while running.says("the end").starts_with("> ") {}
        running.hears("shutdown\r");
        assert_eq!(running.ends(), Some(0), "{}", running.text());
        let text = running.text();
        assert!(
            text.lines()
                .any(|line| line.starts_with("@type stop worker")),
            "{text}"
        );
        assert!(!text.contains("stopped"), "{text}");
    }
}

#[test]
fn ctrl_c_ends_what_the_shell_does_itself_and_no_flood_keeps_its_log() {
    let program = shell_beside(
        "shell-flood",
        "
    riposte_log::init(\"log\", riposte_log::log::LevelFilter::Debug).unwrap();
    loop {
        for _ in 0..20 {
            riposte_log::log::debug!(\"and again\");
        }
        riposte::sleep(core::time::Duration::from_millis(1)).unwrap();
    }",
    );
    let mut running = program.run("virt-rv32", &["--raw"]);
    running.says("riposte: `help` says what can be typed");
    running.hears("log\recho it has ended\r");
    while running.says("it has ended").starts_with("> ") {}
    for (typed, answer) in [
        ("sleep 1000", "sleep: ended by Ctrl-C"),
        ("top 60", "top: ended by Ctrl-C"),
        ("time sleep 1000", "time: ended by Ctrl-C"),
        ("sleep 1000 | upper", "ended by Ctrl-C"),
    ] {
        running.hears(&format!("{typed}\r"));
        running.says(typed);
        // What comes before it has begun does not end it.
        wait_for(|| {
            running.hears("\x03");
            running.says_within(answer, Duration::from_secs(1))
        });
    }
    // None is left over for the next one.
    running.hears("sleep 0\recho the next one\r");
    while running.says("the next one").starts_with("> ") {}
    running.hears("shutdown\r");
    assert_eq!(running.ends(), Some(0), "{}", running.text());
}

#[test]
fn a_shell_that_finds_the_places_of_readers_taken_asks_again() {
    let program = shell_beside(
        "shell-reader",
        "
    let later = riposte::Instant::now() + core::time::Duration::from_millis(200);
    let _ = riposte::console::read_key_until(later);
    println!(\"the place is free\");",
    );
    let manifest = program.path.join("app.toml");
    let text = fs::read_to_string(&manifest).expect("there");
    let receives = "interrupts = [\"uart0-receive\"]\n";
    let text = text.replacen(
        receives,
        &format!("{receives}settings = {{ readers = 1 }}\n"),
        1,
    );
    fs::write(manifest, text).expect("written");
    let mut running = program.run("virt-rv32", &["--raw"]);
    running.says("the place is free");
    running.hears("echo still here\r");
    while running.says("still here").starts_with("> ") {}
    running.hears("shutdown\r");
    assert_eq!(running.ends(), Some(0), "{}", running.text());
}

#[test]
fn the_story_of_the_driver_that_crashes_is_as_the_book_prints_it() {
    let page = fs::read_to_string("../docs/src/supervision.md").expect("it is there");
    let begun = page.find("```text\nvisitor: ").expect("the story") + "```text\n".len();
    let story = page[begun..].split("```").next().expect("its end");
    let mut running = Tool::new(&[
        "run",
        "examples/unruly",
        "--board",
        "mps2-an386",
        "--virtual",
    ])
    .start();
    assert_eq!(running.ends(), Some(0), "{}", running.text());
    let text = running.text();
    let tells = |line: &&str| line.starts_with("visitor: ") || line.starts_with("supervisor: ");
    let told: Vec<&str> = text.lines().filter(tells).collect();
    assert_eq!(told, story.lines().collect::<Vec<_>>());
}

/// What the emulator says of its devices that keep blocks, if it runs with this card.
fn block_devices(card: &Path) -> Option<serde_json::Value> {
    let has_card = |arguments: &str| {
        arguments.starts_with("qemu-") && arguments.contains(&card.display().to_string())
    };
    let all = fs::read_dir("/proc").expect("processes").flatten();
    let arguments = all.filter_map(|it| fs::read_to_string(it.path().join("cmdline")).ok());
    let arguments = arguments.into_iter().find(|it| has_card(it))?;
    let place = arguments
        .split('\0')
        .find_map(|it| it.strip_prefix("unix:")?.split_once(".qmp"))?;
    let stream = UnixStream::connect(format!("{}.qmp", place.0)).ok()?;
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    let mut ask = |what: &str| {
        writeln!(&stream, "{{\"execute\":\"{what}\"}}").ok()?;
        let answer = lines
            .by_ref()
            .flatten()
            .find(|it| it.contains("\"return\""));
        serde_json::from_str(&answer?).ok()
    };
    ask("qmp_capabilities")?;
    ask("query-block")
}

/// The power takes nothing that was answered: the driver does not accept that the device keeps back what was written.
#[test]
fn the_card_of_an_emulator_writes_through() {
    let folder = tempfile::tempdir().expect("a folder");
    let card = folder.path().join("card.img");
    let mut running = Tool::new(&["run", "card", "--board", "virt-rv32", "--card"])
        .arg(&card)
        .start();
    running.says("keeper: start number 1");
    let told = block_devices(&card).expect("an emulator with that card");
    let devices = told["return"].as_array().expect("devices");
    let of_card = devices
        .iter()
        .find(|it| it["device"] == "card")
        .expect("it");
    assert_eq!(
        of_card["inserted"]["cache"]["writeback"], false,
        "{of_card}"
    );
    running.signal("INT");
    assert_eq!(running.ends(), Some(130));
}
