//! The guard of figures, on a case that is measured: a slow-down that is planted is stopped, and its function named.

mod tool;

use std::fs;
use std::path::Path;

use riposte_host::bench::measure::{self, Measurement};
use riposte_host::bench::suite::Suite;
use riposte_host::compare::guard::guard_in;
use riposte_host::explain;
use tool::program::Program;

const BOARD: &str = "mps2-an386";

/// What the program does: the library's work, in a loop between the marks.
const MEASURED: &str = "    measure::measure::<Work>();";
const REST: &str = r#"
struct Work;

impl measure::Benchmark for Work {
    fn run<C: measure::Counter>(meter: measure::Meter<C>) {
        let figures = meter.measure(100, || {
            core::hint::black_box(planted::checksum(core::hint::black_box(7)));
        });
        figures.report(measure::Case { name: "checksum", protected: true, bytes: 0 });
        println!("@done");
        riposte::shutdown(0);
    }
}
"#;

/// The library, whose function takes so many turns: numbers of one instruction each, so that its code is as large.
fn library(turns: u32) -> String {
    format!(
        "//! A library of a program.\n#![no_std]\n\n\
         /// Takes time.\n#[inline(never)]\npub fn checksum(seed: u32) -> u32 {{\n    \
             let mut sum = seed;\n    for turn in 0..core::hint::black_box({turns}) {{\n        \
                 sum = core::hint::black_box(sum.rotate_left(5) ^ turn);\n    }}\n    sum\n}}\n"
    )
}

fn write(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    fs::write(file, text).expect("written");
}

fn replace(file: &Path, text: &str, by: &str) {
    let before = fs::read_to_string(file).expect("there");
    assert!(before.contains(text), "{} has no {text}", file.display());
    write(file, &before.replace(text, by));
}

/// An application that measures its library.
fn application() -> Program {
    let program = Program::new("slowed", MEASURED);
    let path = &program.path;
    let source = path.join("slowed/src/main.rs");
    let text = fs::read_to_string(&source).expect("there");
    write(&source, &(text + REST));
    let measure = program.lab.root.join("bench/measure");
    let dependencies = format!(
        "[dependencies]\nplanted = {{ path = \"../planted\" }}\nmeasure = {{ path = {measure:?} }}\n"
    );
    replace(
        &path.join("slowed/Cargo.toml"),
        "[dependencies]\n",
        &dependencies,
    );
    replace(
        &path.join("Cargo.toml"),
        "members = [",
        "members = [\"planted\", ",
    );
    let package = "[package]\nname = \"planted\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    write(&path.join("planted/Cargo.toml"), package);
    write(&path.join("planted/src/lib.rs"), &library(20));
    let shutdown = "grants = [\"shutdown\"]";
    replace(
        &path.join("app.toml"),
        shutdown,
        &format!("peripherals = [\"timer1\"]\n{shutdown}"),
    );
    program
}

#[test]
fn a_slow_down_of_the_same_size_in_a_programs_library_is_stopped_and_its_function_named() {
    let program = application();
    let lab = &program.lab;
    let board = lab.board(BOARD).expect("the board");
    let suite = Suite {
        name: "planted".into(),
        folder: program.path.clone(),
        applications: vec![lab.load(&program.path).expect("a manifest")],
    };
    let measured = || -> Vec<Measurement> {
        let outcome = measure::suite(lab, &suite, board).expect("measured");
        outcome.measurements
    };
    let size = || {
        let image = lab.build(&suite.applications[0], board).expect("built");
        fs::metadata(&image.file).expect("an image").len()
    };
    let home = tempfile::tempdir().expect("a directory");
    fs::create_dir(home.path().join("bench")).expect("made");
    let guard = |measured: &[Measurement], is_to_write| {
        let suites = std::slice::from_ref(&suite);
        let guarded = guard_in(lab, home.path(), suites, measured, is_to_write);
        guarded.map_err(|report| explain::text(&report))
    };

    let (before, small) = (measured(), size());
    assert_eq!(guard(&before, true), Ok(()), "it writes");
    let kept = fs::read_to_string(home.path().join("bench/functions.toml")).expect("written");
    assert!(kept.contains("slowed: planted::checksum"), "{kept}");
    assert_eq!(guard(&before, false), Ok(()), "what is as it was passes");

    write(&program.path.join("planted/src/lib.rs"), &library(24));
    let after = measured();
    assert_eq!(size(), small, "the slow-down has no size");
    let said = guard(&after, false).expect_err("it is slower");
    let (figure, functions) = said.split_once("by function").expect("functions");
    assert!(
        figure.contains("planted/checksum on mps2-an386: "),
        "{said}"
    );
    let first = functions.lines().nth(1).expect("a function").trim();
    assert!(first.starts_with("slowed: planted::checksum: "), "{said}");
    assert!(said.contains("RIPOSTE_WRITE=1"), "{said}");
}
