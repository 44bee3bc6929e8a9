//! Which bus faults in the kernel are a thread's, on ARMv7-M. (What no emulator does is decided in a module
//! that needs no processor.)

#[path = "../../arch/armv7m/src/late.rs"]
mod late;

use late::{BEGINNING, IMPRECISE, Late, classify};

/// Addresses of functions: of Thumb code.
const TRAPS: [u32; 3] = [0x401, 0x801, 0xC01];
const CALL: u32 = 11;

#[test]
fn an_imprecise_bus_fault_at_the_beginning_of_a_trap_is_the_thread_s() {
    for trap in TRAPS {
        for offset in (0..BEGINNING).step_by(2) {
            let at = trap - 1 + offset;
            assert_eq!(classify(IMPRECISE, at, CALL, trap), Some(Late::Call));
            assert_eq!(classify(IMPRECISE, at, 15, trap), Some(Late::Clock));
            let line = classify(IMPRECISE, at, 16 + 7, trap);
            assert_eq!(line, Some(Late::Interrupt(7)));
        }
    }
}

#[test]
fn everything_else_in_the_kernel_is_its_own_fault() {
    let [trap, other, ..] = TRAPS.map(|trap| trap - 1);
    // Where the kernel may have changed something, nothing begins, or another exception's trap does.
    for at in [trap - 2, trap + BEGINNING, 0x500, 0, u32::MAX, other] {
        assert_eq!(classify(IMPRECISE, at, CALL, trap), None, "{at:#x}");
    }
    // A precise fault, a fault of protection, one that came with another.
    for status in [
        0,
        1 << 9,
        1 << 15 | 1 << 9,
        1 << 1,
        IMPRECISE | 1 << 9,
        IMPRECISE | 1 << 1,
    ] {
        assert_eq!(classify(status, trap, CALL, trap), None, "{status:#x}");
    }
    // A fault in a fault.
    for number in [0, 2, 3, 4, 5, 6, 12, 14] {
        assert_eq!(classify(IMPRECISE, trap, number, trap), None, "{number}");
    }
}
