//! The fault record: what the kernel knows of a process that it stopped.

/// Bytes of a panic message that the record keeps.
pub const TEXT_BYTES: usize = 256;
/// Return addresses that the record keeps.
pub const TRACE: usize = 8;
/// Registers that the record keeps.
pub const REGISTERS: usize = 32;

/// Why a process was stopped.
pub mod reason {
    /// Read or write outside its memory; `address` says where.
    pub const MEMORY: u32 = 1;
    /// Its stack overflowed; `address` says where, if the hardware tells.
    pub const STACK_OVERFLOW: u32 = 2;
    /// Fetched an instruction outside its code.
    pub const EXECUTE: u32 = 3;
    /// Illegal instruction.
    pub const ILLEGAL: u32 = 4;
    /// Unaligned access, or division by zero where that traps.
    pub const ARITHMETIC: u32 = 5;
    /// A bus error, exact or not.
    pub const BUS: u32 = 6;
    /// It panicked; `text` says why.
    pub const PANIC: u32 = 7;
    /// It asked for a breakpoint with no debugger there.
    pub const BREAKPOINT: u32 = 8;
    /// It ended; `address` is its exit status.
    pub const EXIT: u32 = 9;
    /// Another process restarted or stopped it; `address` is that one's index in the manifest.
    pub const CONTROLLED: u32 = 10;
    /// It ended a handler of a signal with a frame that is not that handler's; `address` is it.
    pub const SIGNAL_FRAME: u32 = 11;
}

/// What the kernel then did with it.
pub mod action {
    /// It was started again.
    pub const RESTARTED: u32 = 1;
    /// It stays stopped.
    pub const STOPPED: u32 = 2;
    /// It is held as it was for a debugger.
    pub const HELD: u32 = 3;
    /// It was to be restarted, but has reached its limit, and stays stopped.
    pub const LIMIT: u32 = 4;
}

/// The record, as [`crate::call::number::FAULT_RECORD`] copies it: 32-bit words in this order,
/// then the text.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Faults of this process so far; 0 means that there is no record.
    pub count: u32,
    /// Index of the process in the manifest.
    pub process: u32,
    /// Index of the thread within the process.
    pub thread: u32,
    /// [`reason`].
    pub reason: u32,
    /// [`action`].
    pub action: u32,
    /// What it touched, where the hardware tells; else 0.
    pub address: u32,
    /// 1 if `address` is valid.
    pub address_valid: u32,
    /// Registers, as the processor has them; 0 where it has none, or it is not known. Cortex-M: r0
    /// to r12, stack pointer, link register, program counter, status. RISC-V: the program counter,
    /// then x1 to x31.
    pub registers: [u32; REGISTERS],
    /// Words of its stack that look like return addresses, newest first; 0 ends them.
    pub trace: [u32; TRACE],
    /// Bytes of `text` that are used.
    pub text_length: u32,
    /// Panic message, UTF-8.
    pub text: [u8; TEXT_BYTES],
}

impl Record {
    /// A record of nothing.
    pub const EMPTY: Record = Record {
        count: 0,
        process: 0,
        thread: 0,
        reason: 0,
        action: 0,
        address: 0,
        address_valid: 0,
        registers: [0; REGISTERS],
        trace: [0; TRACE],
        text_length: 0,
        text: [0; TEXT_BYTES],
    };
}
