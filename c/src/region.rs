//! Regions that are made at run time.

use core::ffi::{c_char, c_void};

use riposte::abi::call::{number, operation};
use riposte::abi::process_info::kind;
use riposte::abi::region::{number as about, right};
use riposte::abi::register;

use crate::call::{Call, OK, Word, put};
use crate::names::{NOT_IN_MANIFEST, find};
use crate::types::riposte_error_t;

/// A region that was made at run time: the right to map it, and perhaps to write it and to hand it on. It is there as
/// long as anybody has a handle of it, or has it mapped.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct riposte_region_handle_t {
    /// The handle; 0 is none.
    pub handle: u32,
}

impl From<Word> for riposte_region_handle_t {
    fn from(word: Word) -> riposte_region_handle_t {
        riposte_region_handle_t { handle: word.0 }
    }
}

/// Makes a region, a block of zeros, which nobody else has. This process clears it: a larger block takes longer.
///
/// @param pool The pool's name in app.toml.
/// @param region Where the region is stored, with all rights.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The manifest lets this process make none of this pool.
/// @error RIPOSTE_ERROR_EXHAUSTED No block is free, or as many as the manifest lets this process make are not gone
/// yet, whoever has them.
/// @error RIPOSTE_ERROR_NO_HANDLES This process has no room for it; raise `handles` in the manifest.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_region_make(
    pool: *const c_char,
    region: *mut riposte_region_handle_t,
) -> riposte_error_t {
    let Some(position) = find(kind::POOL, pool) else {
        return NOT_IN_MANIFEST;
    };
    let call = Call::on(operation::REGION, about::CREATE).words([position]);
    // SAFETY: the caller's promise.
    unsafe { call.store(region) }
}

/// Maps a region into this process, for all of its threads. What others write there changes at any time. Threads of
/// all processes that have it mapped to write can wait there for semaphores, mutexes and the like. It is given up by
/// riposte_release: a thread of this process that waits there then is told RIPOSTE_ERROR_BAD_ADDRESS.
///
/// @param region The region.
/// @param writable Whether this process is to write it, too.
/// @param memory Where its first byte's address is stored, or NULL. Other processes may see it elsewhere.
/// @param length Where its length in bytes is stored, or NULL.
/// @error RIPOSTE_ERROR_NOT_PERMITTED This process may only read it.
/// @error RIPOSTE_ERROR_IN_USE It is mapped in this process already.
/// @error RIPOSTE_ERROR_EXHAUSTED As many are mapped as `mappings` in the manifest says.
/// @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was closed.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_region_map(
    region: riposte_region_handle_t,
    writable: bool,
    memory: *mut *mut c_void,
    length: *mut usize,
) -> riposte_error_t {
    let rights = if writable { right::WRITE } else { 0 };
    let call = Call::on(operation::REGION, about::MAP).words([region.handle, rights]);
    let mapped = match call.make() {
        Ok(mapped) => mapped,
        Err(error) => return error,
    };
    let start = core::ptr::with_exposed_provenance_mut(mapped[register::WORD0] as usize);
    // SAFETY: the caller's promise.
    unsafe {
        put(memory, start);
        put(length, mapped[register::WORD1] as usize);
    }
    OK
}

/// Makes another handle of a region with some of its rights: to hand over less than one has oneself.
///
/// @param region The region.
/// @param rights Those of RIPOSTE_RIGHT_WRITE, RIPOSTE_RIGHT_TRANSFER and RIPOSTE_RIGHT_ONWARD that it shall have, if
/// the region has them.
/// @param copy Where it is stored.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such right.
/// @error RIPOSTE_ERROR_NO_HANDLES This process has no room for it; raise `handles` in the manifest.
/// @error RIPOSTE_ERROR_BAD_HANDLE The region is none, or was closed.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_region_copy(
    region: riposte_region_handle_t,
    rights: u32,
    copy: *mut riposte_region_handle_t,
) -> riposte_error_t {
    let call = Call::on(operation::REGION, about::COPY).words([region.handle, rights]);
    // SAFETY: the caller's promise.
    unsafe { call.store(copy) }
}

/// Gives a handle of a region up. What is mapped stays so.
///
/// @param region The region.
/// @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was closed already.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_region_close(region: riposte_region_handle_t) -> riposte_error_t {
    Call::number(number::CLOSE).words([region.handle]).done()
}
