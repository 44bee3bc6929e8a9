//! Control and status registers.

/// Reads the control and status register `$name`.
#[macro_export]
macro_rules! read_csr {
    ($name:literal) => {{
        let value: u32;
        // SAFETY: reading this register changes nothing.
        unsafe {
            core::arch::asm!(concat!("csrr {0}, ", $name), out(reg) value, options(nomem, nostack));
        }
        value
    }};
}

/// Writes the control and status register `$name`, for the invariant that the caller states.
#[macro_export]
macro_rules! write_csr {
    ($name:literal, $value:expr) => {
        core::arch::asm!(concat!("csrw ", $name, ", {0}"), in(reg) $value, options(nostack))
    };
}

/// Whether an interrupt that is enabled waits.
#[inline]
pub fn interrupt_waits() -> bool {
    read_csr!("mip") & read_csr!("mie") != 0
}

/// Waits until an interrupt that is enabled waits.
pub fn wait_for_interrupt() {
    // SAFETY: changes nothing.
    unsafe { core::arch::asm!("wfi", options(nomem, nostack)) }
}

/// Bits of `mstatus`.
pub mod mstatus {
    /// Interrupts are taken once a thread runs.
    pub const MPIE: u32 = 1 << 7;
}

/// Bits of `mie` and `mip`.
pub mod interrupt {
    /// The hart's software interrupt.
    pub const SOFTWARE: u32 = 1 << 3;
    /// The machine timer.
    pub const TIMER: u32 = 1 << 7;
    /// The interrupt controller.
    pub const EXTERNAL: u32 = 1 << 11;
}

/// Bits of `mcounteren`: what user mode may read.
pub mod counter {
    /// `time`.
    pub const TIME: u32 = 1 << 1;
    /// `instret`.
    pub const INSTRET: u32 = 1 << 2;
}

/// `mcause` of what a thread can cause.
pub mod cause {
    /// Fetched from an odd place.
    pub const FETCH_MISALIGNED: u32 = 0;
    /// Fetched outside its code.
    pub const FETCH_ACCESS: u32 = 1;
    /// No such instruction, or not in user mode.
    pub const ILLEGAL: u32 = 2;
    /// `ebreak`.
    pub const BREAKPOINT: u32 = 3;
    /// Loaded from an unaligned address.
    pub const LOAD_MISALIGNED: u32 = 4;
    /// Loaded from what is not its own.
    pub const LOAD_ACCESS: u32 = 5;
    /// Stored to an unaligned address.
    pub const STORE_MISALIGNED: u32 = 6;
    /// Stored to what is not its own.
    pub const STORE_ACCESS: u32 = 7;
    /// Fetched from a page that it may not execute.
    pub const FETCH_PAGE: u32 = 12;
    /// Loaded from a page that it may not read.
    pub const LOAD_PAGE: u32 = 13;
    /// Stored to a page that it may not write.
    pub const STORE_PAGE: u32 = 15;
    /// A system call.
    pub const USER_CALL: u32 = 8;
    /// The machine timer's interrupt, with bit 31 set.
    pub const TIMER: u32 = 7;
    /// The interrupt controller's, with bit 31 set.
    pub const EXTERNAL: u32 = 11;
}
