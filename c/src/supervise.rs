//! For the supervisor: what the kernel knows of a process that it stopped.

use riposte::abi::call::number;
use riposte::abi::fault;

use crate::call::{Call, address};
use crate::types::riposte_error_t;

/// Copies the fault record of a process.
///
/// @param process The process's index in the manifest, as a notice RIPOSTE_NOTICE_FAULT tells it.
/// @param record Where the record is stored. Its count is 0 if the process has not faulted.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The manifest does not grant this process `supervisor`.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such process.
/// @error RIPOSTE_ERROR_BAD_ADDRESS The record is not in this process's memory.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_fault_record(
    process: u32,
    record: *mut fault::Record,
) -> riposte_error_t {
    Call::number(number::FAULT_RECORD)
        .words([process])
        .buffer(address(record), size_of::<fault::Record>() as u32)
        .done()
}
