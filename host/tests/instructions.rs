//! A program with instructions that a core does not have is refused before it runs there.

use std::path::Path;

use riposte_host::cli::Language;
use riposte_host::lab::Lab;
use riposte_host::new;

/// Says what an object of another compiler could: that there are atomic instructions in it.
const ATOMIC: &str = r#"
core::arch::global_asm!(".attribute arch, \"rv32i2p1_m2p0_a2p1_c2p0\"");
"#;

#[test]
fn a_program_beyond_the_core_is_refused_in_one_line_and_leaves_no_image() {
    let lab = Lab::open().expect("the repository");
    let board = lab.board("ibex").expect("there");
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("beyond");
    new::create(
        &new::Wanted {
            path: &path,
            language: Language::Rust,
            processes: &[],
        },
        &lab.root,
        &lab.boards,
    )
    .expect("created");
    let application = lab.load(&path).expect("right");

    let image = lab.build(&application, board).expect("it is right so far");
    let folder = image.folder.clone();
    let file = folder.join("image.bin");
    let instructions = image.programs[0].instructions.as_deref();
    assert!(
        instructions.is_some_and(|it| it.starts_with("rv32i")),
        "{instructions:?}"
    );
    assert!(file.is_file());
    drop(image);

    append(&path.join("beyond/src/main.rs"), ATOMIC);
    let error = lab.build(&application, board).expect_err("refused");
    assert_eq!(
        error.to_string(),
        "the program of process `beyond` has instructions of the extension `a`, which ibex does \
         not have"
    );
    let help = error.help().expect("a next step").to_string();
    assert!(help.contains("riscv32imc-unknown-none-elf"), "{help}");
    assert!(!file.exists(), "no image is left");
    // A board of the same family that has them takes it.
    let other = lab.board("virt-rv32").expect("there");
    let image = lab.build(&application, other).expect("right there");
    // The names are this run's own: nobody would build there again.
    for folder in [folder, image.folder.clone()] {
        std::fs::remove_dir_all(folder).expect("removed");
    }
}

fn append(file: &Path, text: &str) {
    let before = std::fs::read_to_string(file).expect("there");
    std::fs::write(file, before + text).expect("written");
}
