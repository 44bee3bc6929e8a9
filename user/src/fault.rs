//! What the kernel knows of a process that it stopped.

use riposte_abi::call::number;
use riposte_abi::fault::Record;
use riposte_abi::{Error, register};

use crate::{failure, trap};

/// Copies the fault record of the process with this index in the manifest. Never blocks.
///
/// # Errors
/// [`Error::NotPermitted`] unless the manifest grants the process `supervisor`;
/// [`Error::BadArgument`] if there is no such process.
pub fn fault_record(process: u32) -> Result<Record, Error> {
    let mut record = Record::EMPTY;
    let mut registers = failure::registers(number::FAULT_RECORD);
    registers[register::WORD0] = process;
    let extra = [
        0,
        0,
        trap::address(&raw mut record),
        size_of::<Record>() as u32,
        0,
    ];
    failure::call(registers, extra)?;
    Ok(record)
}

/// The bytes that thread `thread` of the process with this index in the manifest has left of its stack, at the most
/// that it has used of it since the start of the system, in all lives of its process. The guard below the stack
/// is not among them. Never blocks; takes time with the bytes that are left.
///
/// Memory is taken for unused where it is zero, as it is at the start.
///
/// # Errors
/// [`Error::NotPermitted`] unless the manifest grants the process `supervisor` or `inspect`;
/// [`Error::BadArgument`] if there is no such process, or it has no such thread.
pub fn stack_unused(process: u32, thread: u32) -> Result<u32, Error> {
    failure::ask(number::STACK_UNUSED, process, thread)
}
