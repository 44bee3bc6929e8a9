//! From reset to the first process.

use core::arch::asm;

use crate::{
    registers::{
        CCR, ICSR, MPU_CTRL, NVIC_IPR, NVIC_ISER, Register, SHCSR, SHPR1, SHPR2, SHPR3, VTOR,
    },
    trap,
};

/// Priority of the kernel's exceptions; faults have 0, the highest.
const KERNEL_PRIORITY: u32 = 0x40;

/// A handler in a vector table.
pub type Handler = unsafe extern "C" fn();

/// A vector table: 16 exceptions and up to 48 interrupts.
#[repr(C, align(256))]
pub struct Vectors {
    stack: *const u32,
    exceptions: [Option<Handler>; 15],
    interrupts: [Handler; 48],
}

// SAFETY: constant data; the pointer is only read by the processor.
unsafe impl Sync for Vectors {}

unsafe extern "C" {
    static __kernel_stack_top: u32;
}

impl Vectors {
    /// The table with this entry for system calls, `reset` to begin, and the clock at interrupt
    /// `clock`. Whatever else happens is a fault of the kernel.
    #[must_use]
    pub const fn new(
        reset: Handler,
        system_call: Handler,
        clock: usize,
        unexpected: Handler,
    ) -> Self {
        let mut interrupts = [unexpected; 48];
        interrupts[clock] = trap::clock;
        let fault = Some(trap::fault as Handler);
        let none = Some(unexpected);
        Self {
            stack: &raw const __kernel_stack_top,
            exceptions: [
                Some(reset),
                none,
                fault,
                fault,
                fault,
                fault,
                None,
                None,
                None,
                None,
                Some(system_call),
                none,
                None,
                Some(trap::begin as Handler),
                none,
            ],
            interrupts,
        }
    }
}

/// Sets up the processor, with `vectors` and the clock's interrupt, and runs the first thread.
///
/// # Safety
/// Called once, by the reset handler, with the kernel's data in place and the clock ready.
pub unsafe fn start(vectors: &'static Vectors, clock: usize) -> ! {
    VTOR.write(core::ptr::from_ref(vectors).addr() as u32);
    SHPR1.write(0);
    SHPR2.write(KERNEL_PRIORITY << 24);
    SHPR3.write(KERNEL_PRIORITY << 24 | KERNEL_PRIORITY << 16);
    // Stacks are kept 8-byte aligned (bit 9); dividing by zero traps (bit 4), as it would in the
    // checks that Rust compiles in.
    CCR.change(1 << 9 | 1 << 4, 0);
    // MemManage, BusFault and UsageFault are taken as such.
    SHCSR.change(0b111 << 16, 0);
    // On, with the default map for the kernel.
    MPU_CTRL.write(0b101);
    enable(clock);
    ICSR.write(1 << 28);
    loop {
        // SAFETY: barriers, then a wait for the interrupt that was just pended.
        unsafe { asm!("dsb", "isb", "wfi") };
    }
}

/// Enables an interrupt at the kernel's priority.
fn enable(interrupt: usize) {
    // SAFETY: interrupt registers of ARMv7-M, used by the port alone.
    let (priority, enable) = unsafe {
        (
            Register::at(NVIC_IPR + interrupt / 4 * 4),
            Register::at(NVIC_ISER + interrupt / 32 * 4),
        )
    };
    let shift = interrupt % 4 * 8;
    priority.change(KERNEL_PRIORITY << shift, 0xFF << shift);
    enable.write(1 << (interrupt % 32));
}
