//! Faults of a process: what happened, from `mcause` and `mtval`.

use core::cell::Cell;

use riposte_abi::fault::{REGISTERS, reason};
use riposte_kernel::{Fault, Known, Thread};

use crate::{
    context::{Context, saved},
    csr::cause,
    protection,
};

/// Below a stack, so far: still called an overflow of it.
const OVERFLOW_REACH: u32 = 1024;

/// Positions in a record's registers: x*n* stands at *n*, the program counter at 0.
const PROGRAM_COUNTER: usize = 0;
const STACK_POINTER: usize = 2;
const GLOBAL_POINTER: usize = 3;
const FIRST_MESSAGE_REGISTER: usize = 18;

/// What the kernel is told of the fault that `thread` has met.
pub(crate) fn describe(thread: &Thread, cause: u32, value: u32) -> Fault {
    let address = match cause {
        cause::ILLEGAL | cause::BREAKPOINT => None,
        _ => Some(value),
    };
    let mut fault = Fault::new(reason(thread, cause, value), address);
    fault.registers = Known::All;
    fault.stack_pointer = thread.frame.get() as u32;
    fault
}

fn reason(thread: &Thread, cause: u32, address: u32) -> u32 {
    let below = address < thread.stack_base && thread.stack_base - address <= OVERFLOW_REACH;
    let (base, size) = protection::guard_of(thread);
    let guard = base == thread.stack_base && address.wrapping_sub(base) < size;
    match cause {
        cause::FETCH_MISALIGNED | cause::FETCH_ACCESS | cause::FETCH_PAGE => reason::EXECUTE,
        cause::BREAKPOINT => reason::BREAKPOINT,
        cause::LOAD_MISALIGNED | cause::STORE_MISALIGNED => reason::ARITHMETIC,
        cause::LOAD_ACCESS | cause::STORE_ACCESS | cause::LOAD_PAGE | cause::STORE_PAGE => {
            if below || guard {
                reason::STACK_OVERFLOW
            } else {
                reason::MEMORY
            }
        }
        _ => reason::ILLEGAL,
    }
}

/// Program counter and x1 to x31 of a suspended thread. Of one that is in a call, what the call
/// clobbers is what it once was.
pub(crate) fn registers(thread: &Thread, to: &[Cell<u32>; REGISTERS]) {
    let context = Context::of(thread);
    to[PROGRAM_COUNTER].set(thread.resume.get());
    to[STACK_POINTER].set(thread.frame.get() as u32);
    for (place, pointer) in to[GLOBAL_POINTER..].iter().zip(&context.pointers) {
        place.set(pointer.get());
    }
    for (number, register) in saved::NUMBERS.into_iter().zip(&context.saved) {
        to[number].set(register.get());
    }
    let message = to[FIRST_MESSAGE_REGISTER..].iter();
    for (place, register) in message.zip(&thread.registers) {
        place.set(register.get());
    }
}
