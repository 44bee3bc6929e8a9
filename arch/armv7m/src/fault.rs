//! Faults of a process: what happened, from the fault status registers.

use core::cell::Cell;

use riposte_abi::fault::{REGISTERS, reason};
use riposte_kernel::{Fault, Known, Thread};

use crate::{
    NO_FLOATING_POINT, fpu,
    late::{Late, classify},
    machine::{frame, frame_word},
    nvic,
    registers::{BFAR, CFSR, HFSR, ICSR, MMFAR, SHCSR, VTOR},
};

/// Bits of CFSR.
mod status {
    pub const FETCH: u32 = 1 << 0;
    pub const DATA: u32 = 1 << 1;
    pub const UNSTACKING: u32 = 1 << 3;
    pub const STACKING: u32 = 1 << 4;
    pub const FP_STACKING: u32 = 1 << 5;
    pub const ADDRESS_VALID: u32 = 1 << 7;
    pub const BUS: u32 = 0xFF << 8;
    /// Of a frame, whether on the way in, out, or of its floating-point part.
    pub const BUS_STACKING: u32 = 0b111 << 11;
    pub const BUS_ADDRESS_VALID: u32 = 1 << 15;
    pub const ILLEGAL: u32 = 0b11 << 16;
    pub const BAD_RETURN: u32 = 1 << 18;
    pub const NO_COPROCESSOR: u32 = 1 << 19;
    pub const ARITHMETIC: u32 = 0b11 << 24;
}

/// UsageFault, MemManage, BusFault, system call: those that wait to be taken.
const PENDED: u32 = 0b1111 << 12;
/// Below a stack, so far: still called an overflow of it.
const OVERFLOW_REACH: u32 = 1024;

/// What the processor says of the fault that was just taken. Reading it clears it.
pub(crate) struct Cause {
    status: u32,
    address: Option<u32>,
}

impl Cause {
    /// Takes the cause. A system call or a fault whose own frame could not be stored is still
    /// pending: it would be taken for the next thread's, the call with a stack pointer that was
    /// never checked, so it is forgotten here.
    pub fn take() -> Self {
        let status = CFSR.read();
        let address = if status & status::ADDRESS_VALID != 0 {
            Some(MMFAR.read())
        } else if status & status::BUS_ADDRESS_VALID != 0 {
            Some(BFAR.read())
        } else {
            None
        };
        CFSR.write(status);
        HFSR.write(u32::MAX);
        SHCSR.change(0, PENDED);
        Self { status, address }
    }

    /// Whether it only asks for the FPU.
    pub fn wants_fpu(&self) -> bool {
        self.status == status::NO_COPROCESSOR
    }

    /// Whether the frame was stored whole, and the stack pointer is at it. (After a return that was
    /// refused it may stand behind it, outside the thread's memory.)
    fn has_frame(&self) -> bool {
        let broken = status::STACKING
            | status::FP_STACKING
            | status::UNSTACKING
            | status::BUS_STACKING
            | status::BAD_RETURN;
        self.status & broken == 0
    }

    /// What the kernel is told of it.
    pub fn describe(&self, thread: &Thread, has_fpu: bool) -> Fault {
        let frame = thread.frame.get() as u32;
        let stacking = self.status & (status::STACKING | status::FP_STACKING) != 0;
        let mut fault = Fault::new(self.reason(thread, frame), self.address);
        // Of a call or an interrupt that found no room for floating-point registers, the processor says nothing.
        if has_fpu
            && self.status == 0
            && thread.resume.get() & NO_FLOATING_POINT == 0
            && let Err(reason) = fpu::room(thread)
        {
            fault.reason = reason;
        }
        if stacking && fault.address.is_none() {
            fault.address = Some(frame);
        }
        let has_frame = self.has_frame();
        fault.registers = if has_frame {
            Known::All
        } else {
            Known::WithoutFrame
        };
        fault.stack_pointer = stack_pointer(thread, has_frame);
        if self.status & status::FETCH != 0 && fault.address.is_none() {
            fault.address = has_frame.then(|| frame_word(thread, frame::PC));
        }
        fault
    }

    fn reason(&self, thread: &Thread, stack_pointer: u32) -> u32 {
        let below = |address: u32| {
            address < thread.stack_base && thread.stack_base - address <= OVERFLOW_REACH
        };
        let guard = |address: u32| address.wrapping_sub(thread.stack_base) < 32;
        let at_stack = |address: u32| below(address) || guard(address);
        let memory = status::DATA | status::STACKING | status::UNSTACKING | status::FP_STACKING;
        if self.status & memory != 0 {
            let stacking = self.status & !status::DATA & memory != 0;
            let overflow =
                self.address.is_some_and(at_stack) || stacking && at_stack(stack_pointer);
            return if overflow {
                reason::STACK_OVERFLOW
            } else {
                reason::MEMORY
            };
        }
        match self.status {
            status if status & status::FETCH != 0 => reason::EXECUTE,
            status if status & status::BUS != 0 => reason::BUS,
            status if status & status::BAD_RETURN != 0 => reason::EXECUTE,
            status if status & (status::ILLEGAL | status::NO_COPROCESSOR) != 0 => reason::ILLEGAL,
            status if status & status::ARITHMETIC != 0 => reason::ARITHMETIC,
            _ => reason::BREAKPOINT,
        }
    }
}

/// Where the trap of this exception begins.
fn trap_of(number: u32) -> u32 {
    let entry = VTOR.read().wrapping_add(number * 4) as *const u32;
    // SAFETY: the table that the processor itself reads has an entry of each exception that happens.
    unsafe { entry.read() }
}

/// A fault came in the kernel, at `at`, with this program status. Whether it is that of the thread that was
/// running before; then what interrupted that thread comes again.
pub(crate) extern "C" fn is_of_thread(at: u32, program_status: u32) -> bool {
    const EXCEPTION: u32 = 0x1FF;
    const CLOCK_AGAIN: u32 = 1 << 26;
    let number = program_status & EXCEPTION;
    match classify(CFSR.read(), at, number, trap_of(number)) {
        Some(Late::Call) => true,
        Some(Late::Clock) => {
            ICSR.write(CLOCK_AGAIN);
            true
        }
        Some(Late::Interrupt(line)) => {
            nvic::trigger(line);
            true
        }
        None => false,
    }
}

/// The stack pointer of a suspended thread as it was before what suspended it stored a frame, if it did.
pub(crate) fn stack_pointer(thread: &Thread, has_frame: bool) -> u32 {
    let at = thread.frame.get() as u32;
    if !has_frame {
        return at;
    }
    let plain = thread.resume.get() & NO_FLOATING_POINT != 0;
    let size = if plain {
        frame::WORDS as u32 * 4
    } else {
        frame::EXTENDED
    };
    at + size + (frame_word(thread, frame::XPSR) >> 9 & 1) * 4
}

/// r0 to r12, stack pointer, link register, program counter and status of a suspended thread.
/// Without a frame, only what the kernel itself saved is known.
pub(crate) fn registers(thread: &Thread, has_frame: bool, to: &[Cell<u32>; REGISTERS]) {
    for (place, register) in to[4..12].iter().zip(&thread.registers) {
        place.set(register.get());
    }
    to[13].set(stack_pointer(thread, has_frame));
    if has_frame {
        for (place, index) in [
            (0, 0),
            (1, 1),
            (2, 2),
            (3, 3),
            (12, frame::R12),
            (14, frame::LR),
            (15, frame::PC),
            (16, frame::XPSR),
        ] {
            to[place].set(frame_word(thread, index));
        }
    }
}
