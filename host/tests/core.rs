//! `./riposte core`: what is written of systems that ended, fell or ran, read by this tool's own debugger and by others.

mod tool;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use object::LittleEndian;
use object::elf::{FileHeader32, PT_LOAD};
use object::read::elf::{FileHeader as _, ProgramHeader as _};
use tempfile::TempDir;
use tool::{LONG, Tool};

/// Of each processor family, and of each kind of protection, emulated and simulated.
const BOARDS: [&str; 5] = [
    "mps2-an386",
    "virt-rv32",
    "virt-rv32-mmu",
    "ibex",
    "vexriscv",
];
/// What a core answers to who wants to change it.
const REFUSED: &str = "a core is what a system was: it does not go on, and cannot be changed";

/// A core, in a folder of its own.
struct Written {
    folder: TempDir,
    /// What was said while it was written.
    text: String,
}

impl Written {
    fn of(application: &str, board: &str, arguments: &[&str]) -> Written {
        let folder = tempfile::tempdir().expect("there is a disk");
        let output = folder.path().join("a.core");
        let tool = Tool::new(&["core", application, "--board", board, "--output"]);
        let mut running = tool.arg(&output).args(arguments).start();
        running.hears_no_more();
        let code = running.ends();
        let text = running.text();
        assert_eq!(code, Some(0), "{board}:\n{text}");
        Written { folder, text }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("a.core")
    }

    /// What gdb says to these commands.
    fn session(&self, commands: &[&str]) -> String {
        let tool = Tool::new(&["core"])
            .arg(self.file())
            .args(&["--", "-batch"]);
        let commands = commands.iter().flat_map(|command| ["-ex", command]);
        let mut running = tool.args(&commands.collect::<Vec<_>>()).start();
        running.hears_no_more();
        let code = running.ends();
        let text = running.text();
        assert_eq!(code, Some(0), "{text}");
        text
    }

    /// Why it is not opened once it has these bytes.
    fn refused(&self, bytes: &[u8]) -> String {
        fs::write(self.file(), bytes).expect("there is a disk");
        refused(&["core", &self.file().to_string_lossy()])
    }
}

/// A new application of one process, which has this program, with what its manifest says of faults; in a folder of its
/// own, and built nowhere.
struct Made {
    folder: TempDir,
    name: &'static str,
}

impl Made {
    fn new(name: &'static str, on_fault: &str, program: &str) -> Made {
        let made = Made {
            folder: tempfile::tempdir().expect("there is a disk"),
            name,
        };
        let code = Tool::new(&["new", &made.path()]).start().ends();
        assert_eq!(code, Some(0));
        let path = made.folder.path().join(name);
        let manifest = path.join("app.toml");
        let text = fs::read_to_string(&manifest).expect("it was made");
        let restarts = "on_fault = \"restart\"\nrestart_delay = \"100ms\"\nrestart_limit = 5\nrestart_window = \"60s\"\n";
        assert!(text.contains(restarts), "{text}");
        let text = text.replace(restarts, &format!("on_fault = {on_fault:?}\n"));
        fs::write(&manifest, text).expect("there is a disk");
        fs::write(path.join(name).join("src/main.rs"), program).expect("there is a disk");
        made
    }

    fn path(&self) -> String {
        self.folder
            .path()
            .join(self.name)
            .to_string_lossy()
            .into_owned()
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        let lab = riposte_host::lab::Lab::open().expect("the repository");
        tool::remove_images(&lab, Path::new(&self.path()));
    }
}

/// Why the tool does not do this.
fn refused(arguments: &[&str]) -> String {
    let mut running = Tool::new(arguments).start();
    running.hears_no_more();
    let code = running.ends();
    let text = running.text();
    assert_eq!(code, Some(1), "{arguments:?}: {text}");
    text
}

fn check(board: &str, text: &str, expected: &[&str]) {
    for words in expected {
        assert!(text.contains(words), "{board}: no `{words}` in:\n{text}");
    }
}

/// With `to` in the place of `from`, which is as long.
fn changed(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let place = bytes
        .windows(from.len())
        .position(|it| it == from.as_bytes());
    let place = place.expect("it is there");
    let mut bytes = bytes.to_vec();
    bytes[place..][..to.len()].copy_from_slice(to.as_bytes());
    bytes
}

#[test]
fn a_process_that_fell_and_is_held_is_seen_where_it_fell() {
    for board in BOARDS {
        let core = Written::of("tests/faults/held", board, &[]);
        let told = [
            "touched memory that is not its own",
            "a.core (`crash` is held where it fell)",
        ];
        check(board, &core.text, &told);
        let text = core.session(&[
            "info threads",
            "thread 5.1",
            "backtrace",
            // Where addresses are translated, by the tables of that process.
            "x/i $pc",
        ]);
        check(
            board,
            &text,
            &[
                r#""crash/main" (held, priority 8)"#,
                r#""ticker/main" (waits for a message at ticker's channel ticker, priority 8)"#,
                r#""kernel" ("#,
                "crash::main () at examples/crash/crash/src/main.rs:22",
                // The store that was refused, whatever registers it uses.
                if board == "mps2-an386" {
                    ":\tstr\tr"
                } else {
                    ":\tsw\t"
                },
            ],
        );
    }
}

#[test]
fn a_process_that_jumped_to_where_nothing_is_is_seen_there_and_where_it_came_from() {
    let wild = Made::new(
        "wild",
        "hold",
        r#"//! Calls what is not there.
#![no_std]

#[riposte::main]
fn main() {
    let nowhere = core::hint::black_box(0x3000_0001_usize);
    // SAFETY: the process falls there.
    let nowhere: extern "C" fn() = unsafe { core::mem::transmute(nowhere) };
    nowhere();
    core::hint::black_box(());
}
"#,
    );
    let core = Written::of(&wild.path(), "mps2-an386", &[]);
    check("", &core.text, &["a.core (`wild` is held where it fell)"]);
    let text = core.session(&["thread 2.1", "info registers", "backtrace"]);
    check("", &text, &["0x30000000", "in wild::main () at "]);
    assert!(!text.contains("E01"), "{text}");
}

#[test]
fn of_a_fault_that_never_was_a_run_says_that_the_kernel_knows_nothing() {
    let program = r#"//! Says that it has failed.
#![no_std]

use riposte::println;

#[riposte::main]
fn main() {
    println!("@fault {{\"process\":0,\"reason\":1,\"action\":2,\"count\":1}}");
    riposte::shutdown(0);
}
"#;
    let liar = Made::new("liar", "stop", program);
    let mut running = Tool::new(&["run", "--virtual", "--board", "mps2-an386"])
        .arg(liar.path())
        .start();
    running
        .says("riposte: the console told of a fault of `liar` of which the kernel knows nothing");
    assert_eq!(running.ends(), Some(0), "{}", running.text());
}

/// Anybody may print what the supervisor does.
#[test]
fn who_only_says_that_a_process_is_held_stops_no_run_and_is_not_believed() {
    let program = r#"//! Says that it is held.
#![no_std]

use riposte::{Duration, println};

#[riposte::main]
fn main() {
    println!("@fault {{\"process\":0,\"reason\":1,\"action\":3,\"count\":1}}");
    let _ = riposte::sleep(Duration::from_secs(1000));
}
"#;
    // One that can be held, too.
    for on_fault in ["stop", "hold"] {
        let liar = Made::new("liar", on_fault, program);
        let sleeps = [r#""liar/main" (sleeps, priority "#];
        comes_to(&liar.path(), "mps2-an386", &["info threads"], &sleeps);
    }
}

/// Of an emulated board it is this machine's time after which its core is written: how far it comes in it is no promise, and so it
/// is looked at again, after more of it.
fn comes_to(application: &str, board: &str, commands: &[&str], expected: &[&str]) {
    let begun = Instant::now();
    for seconds in (0..).map(|it| 2_u64 << it) {
        let after = format!("{seconds}s");
        let core = Written::of(application, board, &["--after", &after]);
        check(board, &core.text, &["a.core (after "]);
        let text = core.session(commands);
        if expected.iter().all(|words| text.contains(words)) || begun.elapsed() > LONG {
            return check(board, &text, expected);
        }
    }
}

#[test]
fn a_system_that_runs_is_seen_as_it_was_after_a_time() {
    let commands = ["info threads", "thread 6.1", "backtrace"];
    let expected = [
        // As urgent as whom it has served last.
        r#""store/main" (waits for a message at store's channel store, priority "#,
        r#""watchdog/main" (waits for a message at watchdog's channel watchdog, priority 25)"#,
        r#""shell/main" (waits for the reply of console/main, priority 10)"#,
        r#""supervisor/main" (waits for a message at supervisor's channel faults, priority 18)"#,
        // The whole of it, down to where the process began: there it ends, without an error.
        "logger_store::main () at examples/logger/store/src/main.rs",
        "in _riposte_start (",
    ];
    for board in ["mps2-an386", "virt-rv32"] {
        comes_to("logger", board, &commands, &expected);
    }
    // Of simulated boards it is their own.
    for board in ["ibex", "vexriscv"] {
        let core = Written::of("logger", board, &["--after", "20ms"]);
        check(board, &core.text, &["a.core (after 20ms)"]);
        check(board, &core.session(&commands), &expected);
    }
}

#[test]
fn a_simulated_board_is_the_same_to_the_byte_after_a_time_of_its_own() {
    for board in ["ibex", "vexriscv"] {
        let [one, other] = [(); 2].map(|()| Written::of("hello", board, &["--after", "50us"]));
        check(board, &one.text, &["a.core (after 50us)"]);
        let read = |core: &Written| fs::read(core.file()).expect("it was written");
        assert!(read(&one) == read(&other), "{board}");
    }
}

#[test]
fn a_system_that_ends_is_seen_at_its_end_and_is_neither_let_go_on_nor_changed() {
    let core = Written::of("tests/boards/restart", "virt-rv32-mmu", &["--virtual"]);
    check(
        "",
        &core.text,
        &["@done", "a.core (it ended the run with code 0)"],
    );
    let all = core.session(&[
        "x/x 4",
        "echo \\n",
        "print $pc",
        "print/x *($pc as *mut u32)",
        "continue",
        "stepi",
        "set var *($pc as *mut u32) = 1",
        "set $pc = 4",
        "print $pc",
        "print/x *($pc as *mut u32)",
    ]);
    check(
        "",
        &all,
        &[
            "<riposte_virt::exit::exit>",
            "Cannot access memory at address 0x4",
        ],
    );
    let times = all.matches(REFUSED).count();
    // To go on, to step, and to another place; memory has an error of gdb's own.
    assert_eq!(times, 3, "{all}");
    let printed = |of: &str| {
        all.lines()
            .find(|it| it.starts_with(of))
            .map(|it| it[of.len()..].to_owned())
    };
    assert_eq!(printed("$1 = "), printed("$3 = "), "{all}");
    assert_eq!(printed("$2 = "), printed("$4 = "), "{all}");
}

/// By gdb without this tool, and by the crate that reads object files.
#[test]
fn a_core_is_an_elf_file_that_others_read() {
    for board in BOARDS {
        let core = Written::of("tests/boards/restart", board, &["--virtual"]);
        let images = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/images");
        let image = images.join(board).join("tests-boards-restart");
        let mut gdb = Command::new("gdb-multiarch");
        gdb.args([
            "-q",
            "-nx",
            "-batch",
            "-ex",
            "info registers pc",
            "-ex",
            "backtrace",
        ]);
        gdb.args(["-ex", "x/2xw $sp", "-ex", "info files"]);
        gdb.arg(image.join("kernel.elf")).arg(core.file());
        let said = gdb.stdin(Stdio::null()).output().expect("it runs").stdout;
        let said = String::from_utf8_lossy(&said);
        check(
            board,
            &said,
            &[
                // Its first instruction, or, as a simulated board goes on to there, the store that ends the run.
                "::exit::exit",
                "exit (code=0)",
                "::shutdown (code=0)",
                "load1",
                "load2",
            ],
        );
        let bytes = fs::read(core.file()).expect("it was written");
        let header = FileHeader32::<LittleEndian>::parse(&*bytes).expect("an ELF file");
        let segments = header
            .program_headers(LittleEndian, &*bytes)
            .expect("segments");
        let memory: Vec<_> = segments
            .iter()
            .filter(|it| it.p_type(LittleEndian) == PT_LOAD)
            .collect();
        let [flash, ram] = memory[..] else {
            panic!("{board}: {} pieces of memory", memory.len());
        };
        let raw = fs::read(image.join("image.bin")).expect("it was built");
        assert!(
            flash.data(LittleEndian, &*bytes) == Ok(&raw),
            "{board}: another image"
        );
        // What gdb reads at the stack pointer is what lies there.
        let line = said
            .lines()
            .find(|it| it.starts_with("0x") && it.contains(":\t"))
            .expect("memory");
        let (address, words) = line.split_once(":\t").expect("an address");
        let number =
            |it: &str| u32::from_str_radix(it.trim_start_matches("0x"), 16).expect("a number");
        let address = number(address.split(' ').next().expect("a word"));
        let at = (address - ram.p_paddr(LittleEndian)) as usize;
        let there = ram.data(LittleEndian, &*bytes).expect("it is there");
        let there = there[at..at + 8]
            .chunks(4)
            .map(|it| u32::from_le_bytes(it.try_into().expect("a word")));
        assert!(there.eq(words.split('\t').map(number)), "{board}: {line}");
    }
}

#[test]
fn ctrl_c_writes_the_core_that_is_wanted() {
    for board in ["mps2-an386", "vexriscv"] {
        let folder = tempfile::tempdir().expect("there is a disk");
        let output = folder.path().join("a.core");
        let tool = Tool::new(&["core", "logger", "--board", board, "--output"]);
        let mut running = tool.arg(&output).start();
        running.says("can be typed");
        assert!(!output.exists());
        running.signal("INT");
        assert_eq!(running.ends(), Some(0), "{}", running.text());
        check(board, &running.text(), &["a.core (Ctrl-C)"]);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }
}

#[test]
fn what_is_no_core_or_none_of_this_image_is_said() {
    let core = Written::of("tests/boards/restart", "mps2-an386", &["--virtual"]);
    let whole = fs::read(core.file()).expect("it was written");
    let half = whole.len() / 2;
    let short = format!("has been cut short: it has {half} of {} bytes", whole.len());
    check(
        "",
        &core.refused(&whole[..half]),
        &[&short, "write it anew"],
    );
    check(
        "",
        &core.refused(b""),
        &["is no core of a system of Riposte: it is no ELF file"],
    );
    let program = fs::read(env!("CARGO_BIN_EXE_riposte-host")).expect("it is there");
    check(
        "",
        &core.refused(&program),
        &["an ELF file for other processors"],
    );
    let newer = changed(&whole, r#""layout":1"#, r#""layout":2"#);
    check(
        "",
        &core.refused(&newer),
        &[
            "has layout 2, and this reads layout 1",
            "the revision of Riposte",
        ],
    );
    let elsewhere = changed(&whole, "tests/boards/restart", "tests/boards/nowhere");
    check(
        "",
        &core.refused(&elsewhere),
        &["which there is not: no app.toml in "],
    );
    let board = changed(&whole, r#""mps2-an386""#, r#""mps2-an000""#);
    check(
        "",
        &core.refused(&board),
        &["which there is not: unknown board `mps2-an000`"],
    );
    let other = changed(&whole, r#""mps2-an386""#, r#""mps2-an385""#);
    check(
        "",
        &core.refused(&other),
        &[
            "on mps2-an385, whose image was another one: ",
            "check out the revision",
        ],
    );
    let missing = core.folder.path().join("missing.core");
    check(
        "",
        &refused(&["core", &missing.to_string_lossy()]),
        &["cannot read ", "No such file"],
    );
}

#[test]
fn an_image_that_was_changed_since_is_another_one() {
    let folder = tempfile::tempdir().expect("there is a disk");
    let path = folder.path().join("fresh");
    let name = path.to_string_lossy().into_owned();
    let made = Tool::new(&["new", &name]).start().ends();
    assert_eq!(made, Some(0));
    let core = Written::of(&name, "mps2-an386", &[]);
    check("", &core.session(&["info threads"]), &["fresh/main"]);
    let manifest = path.join("app.toml");
    let text = fs::read_to_string(&manifest).expect("it was made");
    let priority = text
        .lines()
        .rfind(|it| it.starts_with("priority = "))
        .expect("one");
    fs::write(&manifest, text.replace(priority, "priority = 3")).expect("there is a disk");
    let bytes = fs::read(core.file()).expect("it was written");
    check(
        "",
        &core.refused(&bytes),
        &["whose image was another one: "],
    );
    fs::write(&manifest, text).expect("there is a disk");
    check("", &core.session(&["info threads"]), &["fresh/main"]);
    let lab = riposte_host::lab::Lab::open().expect("the repository");
    tool::remove_images(&lab, &path);
}

#[test]
fn debuggers_come_to_a_core_one_after_the_other() {
    let core = Written::of("tests/boards/restart", "mps2-an386", &["--virtual"]);
    let mut running = Tool::new(&["core"])
        .arg(core.file())
        .args(&["--server", "0"])
        .start();
    let line = running.says("waiting for a debugger at 127.0.0.1:");
    let (_, script) = line.rsplit_once(' ').expect("a path");
    for _ in 0..2 {
        let mut gdb = Command::new("gdb-multiarch");
        gdb.args([
            "-q",
            "-x",
            script,
            "-batch",
            "-ex",
            "info threads",
            "-ex",
            "detach",
        ]);
        let said = gdb.stdin(Stdio::null()).output().expect("it runs").stdout;
        check(
            "",
            &String::from_utf8_lossy(&said),
            &[r#""held/main" (held, priority 5)"#],
        );
    }
    running.signal("TERM");
    assert_eq!(running.ends(), Some(130));
}

#[test]
fn a_signal_ends_a_core_that_speaks_with_a_debugger() {
    let core = Written::of("tests/boards/restart", "mps2-an386", &["--virtual"]);
    let mut running = Tool::new(&["core"])
        .arg(core.file())
        .args(&["--server", "0", "--json"])
        .start();
    let _gdb = running.is_debugged();
    running.signal("TERM");
    assert_eq!(running.ends(), Some(130));
}

#[test]
fn options_that_mean_nothing_and_places_that_cannot_be_written_are_refused_before_the_run() {
    let folder = tempfile::tempdir().expect("there is a disk");
    let place = folder.path().to_string_lossy();
    let file = folder.path().join("a.core");
    fs::write(&file, "before").expect("there is a disk");
    let file = file.to_string_lossy();
    for (arguments, why) in [
        (
            &["core", &file, "--board", "mps2-an386"][..],
            "`--board` is for writing a core",
        ),
        (
            &["core", &file, "--after", "3"],
            "`--after` is for writing a core",
        ),
        (
            &["core", "hello", "--server", "1"],
            "`--server` is for opening a core",
        ),
        (
            &["core", "hello", "--", "-batch"],
            "`--` is for opening a core",
        ),
        (&["core", "hello", "--output", &place], "it is a folder"),
        (
            &["core", "hello", "--output", "/nowhere/a.core"],
            "cannot write /nowhere/a.core: ",
        ),
    ] {
        check("", &refused(arguments), &[why]);
    }
    assert_eq!(fs::read_to_string(&*file).expect("there"), "before");
}
