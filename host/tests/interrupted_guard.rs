//! The guard, when somebody presses Ctrl-C while functions are counted: in a process of its own, which that ends.

mod tool;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use riposte_host::bench::measure::{Measurement, Unit};
use riposte_host::bench::suite::Suite;
use riposte_host::board::{Emulator, Run};
use riposte_host::compare::guard::{Measured, guard_in};
use riposte_host::interrupt;
use tool::{program::Program, wait_for};

const BOARD: &str = "mps2-an386";

/// What was kept of a case's functions before.
const KEPT: &str = "[counted.mps2-an386.instructions.\"kernel: send\"]\ncase = 7\n";

#[test]
fn functions_that_were_not_counted_to_the_end_are_not_written() {
    let program = Program::new("counted", "    println!(\"nothing\");");
    let folder = tempfile::tempdir().expect("a directory");
    let [emulator, begun] = ["emulator", "begun"].map(|name| folder.path().join(name));
    let script = format!("#!/bin/sh\n: > {begun:?}\nexec sleep 1000\n");
    fs::write(&emulator, script).expect("written");
    fs::set_permissions(&emulator, fs::Permissions::from_mode(0o755)).expect("executable");
    let mut lab = program.lab.clone();
    let board = lab.boards.iter_mut().find(|it| it.name == BOARD);
    board.expect("the board").run = Run::Emulator(Emulator {
        command: vec![emulator.to_string_lossy().into_owned()],
        card: None,
        ethernet: None,
    });
    let suite = Suite {
        name: "counted".into(),
        folder: program.path.clone(),
        applications: vec![lab.load(&program.path).expect("a manifest")],
    };
    let case = r#"{"case":"case","protected":true,"iterations":1,"ticks":7}"#;
    let figure = Measurement {
        suite: suite.name.clone(),
        application: suite.applications[0].name.clone(),
        board: BOARD.into(),
        sample: serde_json::from_str(case).expect("a sample"),
        unit: Unit::Instructions,
        value: 7.0,
        min: None,
        max: None,
        exceptions: None,
        retired: None,
        grain: None,
        kernel_code: 0,
        kernel_ram: 0,
        thread_ram: 0,
    };
    let home = folder.path().join("home");
    let functions = home.join("bench/functions.toml");
    fs::create_dir_all(home.join("bench")).expect("made");
    fs::write(&functions, KEPT).expect("written");

    let measured = Measured {
        figures: &[figure],
        failed: false,
    };
    let guarded = std::thread::scope(|scope| {
        scope.spawn(|| {
            wait_for(|| begun.exists().then_some(()));
            interrupt::ask();
        });
        guard_in(&lab, &home, &[suite], measured, true)
    });
    assert_eq!(guarded.unwrap_err().to_string(), "interrupted");
    let kept = fs::read_to_string(&functions).expect("there");
    assert_eq!(kept, KEPT);
    assert!(!home.join("bench/baseline.toml").exists());
}
