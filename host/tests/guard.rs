//! The guard of figures, on a case that is measured: a slow-down that is planted is stopped, and its function named.

mod tool;

use std::fs;
use std::path::Path;

use riposte_host::bench::measure::{self, Measurement};
use riposte_host::bench::suite::Suite;
use riposte_host::compare::guard::{Measured, guard_in};
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
        let measured = Measured {
            figures: measured,
            failed: false,
        };
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

/// The tables of a file below the root, each behind its way there.
fn tables(file: &str) -> toml::Table {
    let text = fs::read_to_string(Path::new("..").join(file)).expect("there");
    text.parse().expect("TOML")
}

fn inner(value: &toml::Value) -> impl Iterator<Item = (&String, &toml::Value)> {
    value.as_table().into_iter().flatten()
}

/// Suite, board and case, without the size of a system.
type Place = (String, String, String);

fn place(suite: &str, board: &str, case: &str) -> Place {
    let case = match case.split_once('@') {
        Some((operation, size)) => {
            let (_, what) = size.split_once('-').expect("a size");
            format!("{operation}@{what}")
        }
        None => case.to_owned(),
    };
    (suite.to_owned(), board.to_owned(), case)
}

#[test]
fn every_figure_that_is_kept_has_its_functions_beside_it_and_no_other_case_has() {
    let mut figures: Vec<Place> = vec![];
    for (suite, boards) in inner(&tables("bench/baseline.toml")["figures"]) {
        for (board, metrics) in inner(boards) {
            for (_, cases) in inner(metrics) {
                for (case, figure) in inner(cases) {
                    let within: Vec<_> = inner(figure).collect();
                    if within.is_empty() {
                        figures.push(place(suite, board, case));
                    }
                    let within = within.into_iter();
                    figures.extend(
                        within.map(|it| place(suite, board, &format!("{} (within)", it.0))),
                    );
                }
            }
        }
    }
    let (mut kept, mut whole_runs): (Vec<Place>, Vec<Place>) = (vec![], vec![]);
    for (suite, boards) in &tables("bench/functions.toml") {
        for (board, metrics) in inner(boards) {
            let functions = inner(metrics).flat_map(|(_, functions)| inner(functions));
            for (case, cost) in functions.flat_map(|(_, cases)| inner(cases)) {
                assert!(
                    cost.is_integer() || cost.is_float(),
                    "{case} of {suite} has no number"
                );
                if case.starts_with("whole run of ") {
                    whole_runs.push(place(suite, board, ""));
                } else {
                    kept.push(place(suite, board, case));
                }
            }
        }
    }
    for it in &figures {
        let marks_no_loop =
            it.2.starts_with("longest: ") || it.2 == "timer-jitter" || it.0 == "chibios";
        let has_run = whole_runs.contains(&(it.0.clone(), it.1.clone(), String::new()));
        // What comes from the pin has no functions.
        let is_known = marks_no_loop && has_run || it.2.ends_with("-gpio") || kept.contains(it);
        assert!(is_known, "bench/functions.toml has nothing of {it:?}");
    }
    for it in &kept {
        assert!(figures.contains(it), "bench/baseline.toml has no {it:?}");
    }
}
