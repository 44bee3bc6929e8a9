//! Bus faults that come late.
//!
//! A processor with a store buffer goes on while a store is on its way. If the bus then refuses it, the fault
//! is *imprecise*: it may come when the thread that stored has made a system call, or has been interrupted. The
//! kernel itself stores to nothing that refuses: to its own memory, to what the door has checked, and to
//! registers of the processor. So such a fault is the thread's.
//!
//! It is taken for that only where a trap has just begun: there the kernel has changed nothing yet, and the
//! thread that was running is the one that stored. Later it would have to be found out who that was, in the
//! middle of the kernel's work; then it counts as the kernel's own. The stores of a Cortex-M3 or M4 are over
//! when the processor has pushed the frame, as its buffer takes one store.
//!
//! No emulator has imprecise faults: what is decided here is tested, that it is enough is not.

/// `IMPRECISERR` in the fault status, and nothing else.
pub const IMPRECISE: u32 = 1 << 10;

/// Bytes at the beginning of a trap in which nothing is done but to look up the running thread and to save
/// what it has: `ldr`, `mrs`, and instructions that take another six bytes.
pub const BEGINNING: u32 = 12;

/// What interrupted the thread, if its last store has failed: an exception by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    /// A system call: it has not been made.
    Call,
    /// The clock: it is to come again.
    Clock,
    /// The interrupt of this line: it is to come again.
    Interrupt(u32),
}

/// A fault with this status came when the kernel was to execute the instruction at `at`, by exception
/// `number`, whose trap begins at `trap`. What it interrupted, if it is the fault of the thread.
pub fn classify(status: u32, at: u32, number: u32, trap: u32) -> Option<Late> {
    if status != IMPRECISE || at.wrapping_sub(trap & !1) >= BEGINNING {
        return None;
    }
    match number {
        11 => Some(Late::Call),
        15 => Some(Late::Clock),
        16.. => Some(Late::Interrupt(number - 16)),
        _ => None,
    }
}
