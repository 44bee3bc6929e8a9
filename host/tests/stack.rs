//! The kernel never takes more of its stack than the image builder has found.

use std::process::Command;

use riposte_host::board::Run;
use riposte_host::build::stack;
use riposte_host::lab::Lab;

/// Bytes between the end of the kernel's stack and the farthest that was written while the application ran, and
/// the bound. Memory is 0 at first, and stays in a file when the emulator has ended.
fn taken(application: &str, board: &str) -> (u32, u32) {
    let lab = Lab::open().expect("the repository");
    let application = lab.application(application).expect("the application");
    let board = lab.board(board).expect("the board");
    let image = lab.build(&application, board).expect("it builds");
    let Run::Emulator(emulator) = &board.run else {
        panic!("{} is no emulator's", board.name)
    };
    let folder = tempfile::tempdir().expect("a directory");
    let file = folder.path().join("memory");
    let memory = format!(
        "memory-backend-file,id=memory,share=on,size=32M,mem-path={}",
        file.display()
    );
    let command = emulator.command(&image.file, board.clock.run_shift, "null");
    let ended = Command::new(&command[0])
        .args(&command[1..])
        .args(["-M", "memory-backend=memory", "-object", &memory])
        .status();
    assert!(ended.expect("the emulator runs").success());
    let memory = std::fs::read(&file).expect("what was in memory");
    let (base, size) = image.kernel.section(".stack");
    let start = (base - board.flash.base.min(board.ram.base)) as usize;
    let stack = &memory[start..start + size as usize];
    let untouched = stack.iter().take_while(|byte| **byte == 0).count();
    let bound = stack::depth(&image.kernel.file).expect("a bound").bytes;
    assert!(bound <= size, "{bound} bytes in {size}");
    (size - untouched as u32, bound)
}

#[test]
fn attacks_and_restarts_take_no_more_of_the_kernels_stack_than_was_found_in_its_code() {
    for application in ["tests/boards/attack", "tests/boards/restart"] {
        let (taken, bound) = taken(application, "virt-rv32");
        println!("{application}: {taken} of {bound} bytes");
        // What really happens is a good part of what can.
        assert!(
            taken >= bound / 4,
            "{taken} of {bound} bytes in {application}"
        );
        assert!(taken <= bound, "{taken} of {bound} bytes in {application}");
    }
}
