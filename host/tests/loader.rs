//! What ran before the kernel, such as a boot loader, may have left the processor otherwise than after a reset.

use std::path::Path;
use std::process::Command;

use riposte_host::lab::Lab;

const CORTEX_M: &str = "qemu-system-arm -M mps2-an386 -semihosting-config enable=on,target=native";

/// Registers of a Cortex-M, and what a loader has left there: the memory protection on, with a region 7 that lets everybody
/// write all RAM; the floating-point unit on, with frames that have no room for its registers; and CCR so that accesses which
/// are not aligned trap, and whoever likes may raise interrupts.
const LEFT: [(u32, u32); 7] = [
    (0xE000_ED14, 0x30B),
    (0xE000_ED94, 5),
    (0xE000_ED98, 7),
    (0xE000_ED9C, 0x2000_0000),
    (0xE000_EDA0, 0x1300_002B),
    (0xE000_ED88, 0xF << 20),
    (0xE000_EF34, 0),
];

/// The one is withheld from a process that tries what it can, the other is each thread's own.
#[test]
fn the_kernel_begins_as_after_a_reset_whatever_a_loader_has_left() {
    let lab = Lab::open().expect("the repository");
    let board = lab.board("mps2-an386").expect("there");
    let left = LEFT.map(|(register, value)| {
        format!("-device loader,addr={register:#x},data={value:#x},data-len=4")
    });
    for name in ["attack", "float", "messages"] {
        let path = format!("tests/boards/{name}");
        let application = lab.application(&path).expect("there");
        let image = lab.build(&application, board).expect("it builds");
        let text = run(CORTEX_M, &left.join(" "), &image.folder);
        let is_well = text.contains("@done") && !text.contains("@fail");
        assert!(is_well, "{name}: {text}");
    }
}

/// `cpsid i`, `cpsid f`, `movs r0, #32`, `msr basepri, r0`, `movs r0, #0`, `ldr r1, [r0, #4]`, `bx r1`: all exceptions are
/// masked, as a loader does before it leaves, and the kernel is next.
const MASKS: [u16; 8] = [
    0xB672, 0xB671, 0x2020, 0xF380, 0x8811, 0x2000, 0x6841, 0x4708,
];

#[test]
fn exceptions_are_taken_whatever_a_loader_has_masked() {
    let code = MASKS.map(u16::to_le_bytes);
    // Its entry is odd: it is Thumb code.
    says_hello(
        "mps2-an386",
        CORTEX_M,
        code.as_flattened(),
        [0x203f_0000, 0x203f_0001],
    );
}

/// `li t0, -1`, `csrw medeleg, t0`, `csrw mideleg, t0`, `lui t0, 0x80000`, `jr t0`: all traps are the supervisor mode's, and
/// the kernel is next.
const DELEGATES: [u32; 5] = [
    0xFFF0_0293,
    0x3022_9073,
    0x3032_9073,
    0x8000_02B7,
    0x0002_8067,
];

#[test]
fn traps_are_the_kernels_whatever_a_loader_has_delegated() {
    let code = DELEGATES.map(u32::to_le_bytes);
    let machine = "qemu-system-riscv32 -M virt -cpu rv32,pmp=false,h=false -m 32M -bios none";
    says_hello(
        "virt-rv32-mmu",
        machine,
        code.as_flattened(),
        [0x81f0_0000; 2],
    );
}

/// The example comes to its line, on this board, emulated so, where the code of a loader lies at the first address, and the
/// processor begins at the second one.
fn says_hello(board: &str, machine: &str, loader: &[u8], [place, entry]: [u32; 2]) {
    let lab = Lab::open().expect("the repository");
    let board = lab.board(board).expect("there");
    let application = lab.application("examples/hello").expect("there");
    let image = lab.build(&application, board).expect("it builds");
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("loader.bin");
    std::fs::write(&file, loader).expect("written");
    let code = file.display();
    let left = format!(
        "-device loader,file={code},addr={place:#x},force-raw=on -device loader,addr={entry:#x},cpu-num=0"
    );
    let text = run(machine, &left, &image.folder);
    assert!(text.contains("hello from hello"), "{text}");
}

/// What an emulated board says, with what a loader has `left`, before it ends, or a minute is over.
fn run(board: &str, left: &str, image: &Path) -> String {
    let common = "-icount shift=5,sleep=off -display none -monitor none -serial stdio";
    let line = format!("60 {board} {common} {left} -kernel");
    let mut emulator = Command::new("timeout");
    emulator.args(line.split(' ')).arg(image.join("image.bin"));
    let output = emulator.output().expect("the emulator is there");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
