//! From reset to the first process.

use core::arch::asm;

use crate::{
    mpu,
    nvic::{self, KERNEL_PRIORITY},
    registers::{
        CCR, CPACR, ICSR, MPU_CTRL, MPU_RASR, MPU_RBAR, NVIC_ISER, SHCSR, SHPR1, SHPR2, SHPR3,
        SYSTICK, VTOR, reset_machine,
    },
    trap,
};

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
    /// The table with these entries for system calls and interrupts, `reset` to begin, the clock at interrupt `clock`,
    /// and the interrupts `lines` for processes. Whatever else happens is a fault of the kernel.
    #[must_use]
    pub const fn new(
        reset: Handler,
        [system_call, interrupt]: [Handler; 2],
        clock: usize,
        lines: &[u16],
        unexpected: Handler,
    ) -> Self {
        let mut interrupts = [unexpected; 48];
        let mut index = 0;
        while index < lines.len() {
            interrupts[lines[index] as usize] = interrupt;
            index += 1;
        }
        interrupts[clock] = interrupt;
        let fault = Some(trap::fault as Handler);
        let none = Some(unexpected);
        Self {
            stack: &raw const __kernel_stack_top,
            exceptions: [
                Some(reset),
                Some(bark),
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

/// The interrupt that nothing masks. It is the board's watchdog, whose time is over.
unsafe extern "C" fn bark() {
    reset_machine();
}

/// Rows of interrupts that there can be, and as many regions of memory protection: those of a Cortex-M3 or M4.
const ALL: u32 = 8;

/// The processor's own timer waits no more to interrupt.
const NO_SYSTICK: u32 = 1 << 25;

/// Of CCR: stacks are kept 8-byte aligned.
const ALIGNED_STACKS: u32 = 1 << 9;
/// Of CCR: dividing by zero traps, as it would in the checks that Rust compiles in.
const DIVISION_TRAPS: u32 = 1 << 4;
/// Of CCR, what is off after a reset: a return to a thread from within another exception, interrupts that the unprivileged
/// raise, whosever they are, traps of accesses that are not aligned, as the kernel's copies make them, and bus faults that a
/// fault's handler does not meet.
const OF_A_LOADER: u32 = 1 << 8 | 1 << 3 | 1 << 1 | 1 << 0;

/// What a loader may have left is as after reset: interrupts, the floating-point unit, which the kernel takes for off, and
/// regions, of which no switch writes all.
fn forget_loader() {
    // The unit is off before its regions go: the loader may have had one for this code.
    MPU_CTRL.write(0);
    SYSTICK.write(0);
    ICSR.write(NO_SYSTICK);
    CPACR.write(0);
    for number in 0..ALL {
        nvic::mask_row(number);
        let [base, attributes] = mpu::unused(number);
        MPU_RBAR.write(base);
        MPU_RASR.write(attributes);
    }
}

/// Exceptions are taken from now on: a loader mostly masks them before it leaves.
fn take_exceptions() {
    // SAFETY: each exception that may wait has its handler.
    unsafe {
        asm!("msr basepri, {}", "cpsie f", "cpsie i", in(reg) 0, options(nomem, nostack));
    }
}

/// Sets up the processor, with `vectors`, the clock's interrupt and those for processes, which stay
/// masked, and runs the first thread.
///
/// # Safety
/// Called once, by the reset handler, with the kernel's data in place and the clock ready.
pub unsafe fn start(vectors: &'static Vectors, clock: usize, lines: &[u16]) -> ! {
    forget_loader();
    VTOR.write(core::ptr::from_ref(vectors).addr() as u32);
    SHPR1.write(0);
    SHPR2.write(KERNEL_PRIORITY << 24);
    SHPR3.write(KERNEL_PRIORITY << 24 | KERNEL_PRIORITY << 16);
    CCR.change(ALIGNED_STACKS | DIVISION_TRAPS, OF_A_LOADER);
    // MemManage, BusFault and UsageFault are taken as such.
    SHCSR.change(0b111 << 16, 0);
    // On, with the default map for the kernel.
    MPU_CTRL.write(0b101);
    nvic::prioritise(clock as u32);
    nvic::set(NVIC_ISER, clock as u32);
    for line in lines {
        nvic::prioritise((*line).into());
    }
    ICSR.write(1 << 28);
    take_exceptions();
    loop {
        // SAFETY: barriers, then a wait for the interrupt that was just pended.
        unsafe { asm!("dsb", "isb", "wfi") };
    }
}
