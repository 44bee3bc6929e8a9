//! What ran before the kernel, such as a boot loader, may have left the processor otherwise than after a reset.

use std::process::Command;

use riposte_host::lab::Lab;

/// Registers of a Cortex-M, and what a loader has left there: region 7 of the memory protection, which lets everybody write
/// all RAM; and the floating-point unit on.
const LEFT: [(u32, u32); 4] = [
    (0xE000_ED98, 7),
    (0xE000_ED9C, 0x2000_0000),
    (0xE000_EDA0, 0x1300_002B),
    (0xE000_ED88, 0xF << 20),
];

/// The one is withheld from a process that tries what it can, the other is each thread's own.
#[test]
fn the_kernel_begins_as_after_a_reset_whatever_a_loader_has_left() {
    let lab = Lab::open().expect("the repository");
    let board = lab.board("mps2-an386").expect("there");
    for name in ["attack", "float"] {
        let path = format!("tests/boards/{name}");
        let application = lab.application(&path).expect("there");
        let image = lab.build(&application, board).expect("it builds");
        let mut emulator = Command::new("timeout");
        emulator.args("120 qemu-system-arm -M mps2-an386 -icount shift=5,sleep=off".split(' '));
        emulator.args("-display none -monitor none -serial stdio".split(' '));
        emulator.args("-semihosting-config enable=on,target=native -kernel".split(' '));
        emulator.arg(image.folder.join("image.bin"));
        for (register, value) in LEFT {
            let loader = format!("loader,addr={register:#x},data={value:#x},data-len=4");
            emulator.args(["-device", &loader]);
        }
        let output = emulator.output().expect("the emulator is there");
        let text = String::from_utf8_lossy(&output.stdout);
        let is_well = text.contains("@done") && !text.contains("@fail");
        assert!(is_well, "{name}: {text}");
    }
}
