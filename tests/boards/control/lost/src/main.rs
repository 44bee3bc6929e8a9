//! Asks where to go, and leads its stack there.
#![no_std]

#[riposte::main]
fn main() {
    let ways = riposte::connect("ways").unwrap();
    let [stack, ..] = ways.send_words([]).unwrap().words;
    lead(stack);
}

/// The processor cannot store what it interrupts.
#[cfg(target_arch = "arm")]
fn lead(stack: u32) -> ! {
    // SAFETY: the process ends here, by a fault.
    unsafe { core::arch::asm!("mov sp, {0}", "svc #0", in(reg) stack, options(noreturn)) }
}

#[cfg(target_arch = "riscv32")]
fn lead(stack: u32) -> ! {
    // SAFETY: the process ends here, by a fault.
    unsafe {
        core::arch::asm!("mv sp, {0}", "0: lw t0, -4(sp)", "j 0b", in(reg) stack, options(noreturn))
    }
}
