//! What is left when a process has been restarted too often, or when nobody says any more that all is well: a reset of
//! the machine.

mod tool;

use std::fs;
use std::path::{Path, PathBuf};

use riposte_host::lab::Lab;
use riposte_host::machine::{self, Next, Said};
use tool::{program::fresh, remove_images};

/// What the program says first.
const BEGUN: &str = "it has begun";

/// The kinds of boards.
const BOARDS: [&str; 3] = ["mps2-an386", "virt-rv32", "ibex"];

/// A new application for these boards whose program does this, and whose process has these keys more.
fn application(
    name: &str,
    boards: &[&str],
    statements: &str,
    keys: &str,
) -> (tempfile::TempDir, PathBuf) {
    let lab = Lab::open().expect("the repository");
    let folder = tempfile::tempdir().expect("a folder");
    let path = fresh(&lab, &folder.path().canonicalize().expect("there"), name);
    let source = path.join(name).join("src/main.rs");
    let text = fs::read_to_string(&source).expect("there");
    let (before, _) = text.split_once("    println!").expect("a statement");
    let text = format!("{before}    println!(\"{BEGUN}\");\n{statements}\n}}\n");
    fs::write(&source, text).expect("written");
    let manifest = path.join("app.toml");
    let text = fs::read_to_string(&manifest).expect("there");
    let program = format!("program = \"./{name}\"\n");
    assert!(text.contains(&program), "{text}");
    let mut of_the_template = true;
    let mut text: String = text
        .split_inclusive('\n')
        .filter(|line| {
            // What it does about faults is what these keys say.
            of_the_template &= !line.contains("console server");
            !of_the_template || !(line.starts_with("on_fault") || line.starts_with("restart_"))
        })
        .collect();
    text = text.replace(&program, &format!("{program}{keys}\n"));
    let (before, list) = text.split_once("boards = [").expect("a list");
    let (_, after) = list.split_once(']').expect("its end");
    text = format!("{before}boards = {boards:?}{after}");
    fs::write(&manifest, text).expect("written");
    (folder, path)
}

/// Runs it until it has begun so often.
fn begins(path: &Path, board: &str, times: usize) {
    let lab = Lab::open().expect("the repository");
    let application = lab.load(path).expect("right");
    let board = lab.board(board).expect("there");
    let image = lab.build(&application, board).expect("it builds and links");
    let mut begun = 0;
    machine::run_unattended(&lab.root, board, &image.file, |heard| {
        begun += usize::from(matches!(heard, Said::Line(line) if line == BEGUN));
        if begun < times {
            Next::Continue
        } else {
            Next::Stop
        }
    })
    .expect("it runs");
    assert_eq!(begun, times, "{}", board.name);
}

#[test]
fn a_process_that_is_restarted_too_often_resets_the_machine_on_every_kind_of_board() {
    let keys = "on_fault = \"restart\"\nrestart_limit = 1\non_limit = \"reset\"";
    let (_folder, path) = application("relapse", &BOARDS, "    panic!(\"again\");", keys);
    for board in BOARDS {
        // Twice, the machine is reset, and once more.
        begins(&path, board, 3);
    }
    remove_images(&Lab::open().expect("the repository"), &path);
}

/// Starts the board's watchdog, and never says again that all is well.
const FORGETS: &str = "
    let watchdog = riposte::Peripheral::take(\"watchdog\").unwrap();
    let registers = watchdog.words::<12>(0).unwrap();
    registers.write::<0>(25_000);
    registers.write::<8>(0b11);
    loop {
        core::hint::spin_loop();
    }";

#[test]
fn a_system_in_which_nobody_tells_the_watchdog_that_all_is_well_is_reset() {
    let (_folder, path) = application(
        "forgets",
        &["mps2-an386"],
        FORGETS,
        "peripherals = [\"watchdog\"]",
    );
    begins(&path, "mps2-an386", 3);
    remove_images(&Lab::open().expect("the repository"), &path);
}
