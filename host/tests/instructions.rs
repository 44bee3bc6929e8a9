//! A program with instructions that a core does not have is refused before it runs there; and the kernel has one that no
//! test on a board would miss.

mod tool;

use std::path::Path;

use object::{Object, ObjectSection, ObjectSymbol};
use riposte_host::lab::Lab;
use tool::program::fresh;

/// Says what an object of another compiler could: that there are atomic instructions in it.
const ATOMIC: &str = r#"
core::arch::global_asm!(".attribute arch, \"rv32i2p1_m2p0_a2p1_c2p0\"");
"#;

#[test]
fn a_program_beyond_the_core_is_refused_in_one_line_and_leaves_no_image() {
    let lab = Lab::open().expect("the repository");
    let board = lab.board("ibex").expect("there");
    let directory = tempfile::tempdir().expect("a directory");
    let path = fresh(&lab, directory.path(), "beyond");
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

    // Whoever flashes it meanwhile finds the old one until the new one is there: this looks while it is built.
    let looks = format!("fn main() {{ assert!(std::path::Path::new({file:?}).is_file()) }}");
    let script = path.join("beyond/build.rs");
    std::fs::write(&script, looks).expect("there is a disk");
    let image = lab.build(&application, board).expect("the image is there");
    std::fs::remove_file(script).expect("removed");
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

/// `sc.w`: its operation, width and function, whatever its registers and its order.
const STORE_CONDITIONAL: [u32; 2] = [0xF800_707F, 0x1800_202F];

/// A thread that goes on between a load that reserves and its store must not find what another one has reserved. The
/// emulator ends every reservation by itself, and the simulated cores have none.
#[test]
fn a_thread_goes_on_without_anybodys_reservation() {
    let lab = Lab::open().expect("the repository");
    let application = lab.application("examples/hello").expect("there");
    for name in ["virt-rv32", "virt-rv32-mmu"] {
        let board = lab.board(name).expect("there");
        let image = lab.build(&application, board).expect("it builds");
        let kernel = std::fs::read(image.folder.join("kernel.elf")).expect("there");
        let way_out = code(&kernel, "resume_whole");
        // Before any branch.
        let [mask, store] = STORE_CONDITIONAL;
        let ends = instructions(&way_out).take(4).any(|it| it & mask == store);
        assert!(ends, "{name}: {way_out:02x?}");
    }
}

/// The code of the function whose name has this in it.
fn code(elf: &[u8], name: &str) -> Vec<u8> {
    let file = object::File::parse(elf).expect("an ELF file");
    let mut symbols = file.symbols();
    let has_name = |it: &object::Symbol<'_, '_>| it.name().is_ok_and(|it| it.contains(name));
    let symbol = symbols.find(has_name).expect("the function is there");
    let section = symbol.section_index().expect("it is defined");
    let section = file.section_by_index(section).expect("there");
    let code = section.data_range(symbol.address(), symbol.size());
    code.expect("readable").expect("inside").to_vec()
}

/// The instructions, of two bytes or four each.
fn instructions(code: &[u8]) -> impl Iterator<Item = u32> {
    let mut rest = code;
    std::iter::from_fn(move || {
        let length = if rest.first()? & 3 == 3 { 4 } else { 2 };
        let (instruction, behind) = rest.split_at_checked(length)?;
        rest = behind;
        let bytes = instruction.iter().rev();
        Some(bytes.fold(0, |value, byte| value << 8 | u32::from(*byte)))
    })
}
