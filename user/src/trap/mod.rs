//! The one place where a process meets the kernel: the system call, the start of a thread, and
//! the memory that only an address names (its pages and its windows among it).
//!
//! Which machine it is, is decided here and nowhere else in this crate. On anything but a board
//! `hosted` stands in for the kernel, so that the library is tested where it is written.

#[cfg(all(target_arch = "arm", target_os = "none"))]
mod armv7m;
#[cfg(all(target_arch = "arm", target_os = "none"))]
mod armv7m_memory;
mod device;
mod local;
mod pages;
#[cfg(any(target_os = "none", test))]
mod panic;
mod pieces;
#[cfg(target_os = "none")]
mod process;
#[cfg(all(target_arch = "riscv32", target_os = "none"))]
mod riscv;
#[cfg(all(target_arch = "riscv32", target_os = "none"))]
mod riscv_memory;
mod shared;
mod signal;
mod span;
#[cfg(target_os = "none")]
mod start;
mod window;
pub(crate) mod word;
#[cfg(target_os = "none")]
mod machine {
    #[cfg(target_arch = "arm")]
    pub use super::armv7m::{
        about, acknowledge_and_receive, begin_thread, call, copy_blocks, instructions, null,
        receive, reply_bytes_receive, reply_receive, reply_words_receive, send, send_bytes,
        send_words, signal_entry, stack_is_free, thread_id, thread_index, timed, yield_now,
    };
    pub use super::process::{
        address, allocation, entries, fill, is_main_thread, load, pointer, process_index,
        process_name, store,
    };
    #[cfg(target_arch = "riscv32")]
    pub use super::riscv::{
        about, acknowledge_and_receive, begin_thread, call, copy_blocks, instructions, null,
        receive, reply_bytes_receive, reply_receive, reply_words_receive, send, send_bytes,
        send_words, signal_entry, stack_is_free, thread_id, thread_index, timed, yield_now,
    };
    pub use super::start::start_thread;
}

#[cfg(not(target_os = "none"))]
pub(crate) mod hosted;
#[cfg(not(target_os = "none"))]
mod machine {
    pub use super::hosted::{
        about, acknowledge_and_receive, address, allocation, begin_thread, call, copy_blocks,
        entries, fill, instructions, is_main_thread, load, null, pointer, process_index,
        process_name, receive, reply_bytes_receive, reply_receive, reply_words_receive, send,
        send_bytes, send_words, signal_entry, stack_is_free, start_thread, store, thread_id,
        thread_index, timed, yield_now,
    };
}

pub(crate) use device::registers;
pub(crate) use local::{Slot, body_of};
pub(crate) use machine::*;
pub(crate) use pages::{Block, PAGE, whole as all_pages};
pub(crate) use pieces::{ROOM, join};
pub(crate) use shared::{shared, shared_bytes, shared_words};
pub(crate) use signal::set_handler;
pub(crate) use span::Span;
pub(crate) use window::{Access, Window, give_up};

use riposte_abi::register;

/// The message registers, by [`riposte_abi::register`].
pub type Registers = [u32; register::COUNT];

/// The extra registers `x0` to `x4`.
pub type Extra = [u32; 5];

/// Any system call with any registers, for tests of the kernel and for layers that this library
/// does not wrap. Message and extra registers are in the order of [`riposte_abi`].
///
/// # Safety
/// Memory that the call names for writing must be the caller's to write. (The kernel refuses what
/// is not the process's; within the process nobody else knows.)
pub unsafe fn raw_call(registers: Registers, extra: Extra) -> Registers {
    call(registers, extra)
}

/// As [`raw_call`], of a call that takes no extra register: the shorter way, on which nothing goes through memory.
///
/// # Safety
/// As [`raw_call`].
#[inline(always)]
pub unsafe fn raw_short_call(call: u32, info: u32, words: [u32; 5]) -> Registers {
    send(call, info, words, Range::NONE)
}

/// As [`raw_short_call`], of a call about the client that the token in `info` and `generation` names.
///
/// # Safety
/// As [`raw_call`].
#[inline(always)]
pub unsafe fn raw_client_call(call: u32, info: u32, generation: u32, words: [u32; 5]) -> Registers {
    about_client(call, info, generation, words)
}

/// As [`raw_short_call`], of a call with a moment, which is its deadline if `info` says so.
///
/// # Safety
/// As [`raw_call`].
#[inline(always)]
pub unsafe fn raw_timed_call(call: u32, info: u32, words: [u32; 5], moment: [u32; 2]) -> Registers {
    timed(call, info, words, moment, Range::NONE)
}

/// A call that takes words alone.
#[inline(always)]
pub(crate) fn plain(call: u32, words: [u32; 5]) -> Registers {
    send(call, 0, words, Range::NONE)
}

/// A call about the client that the token in `info` and `generation` names.
#[inline(always)]
pub(crate) fn about_client(call: u32, info: u32, generation: u32, words: [u32; 5]) -> Registers {
    reply_receive(call, info, generation, words, Range::NONE, None)
}

/// A range of memory that a call names: address and length in bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub address: u32,
    pub length: u32,
}

impl Range {
    /// No memory.
    pub const NONE: Range = Range {
        address: 0,
        length: 0,
    };

    /// The range that `bytes` covers.
    #[inline(always)]
    pub fn of(bytes: &[u8]) -> Range {
        Range {
            address: address(bytes.as_ptr()),
            length: bytes.len() as u32,
        }
    }

    /// The range that `bytes` covers, to be written.
    #[inline(always)]
    pub fn of_mut(bytes: &mut [u8]) -> Range {
        Range {
            address: address(bytes.as_mut_ptr()),
            length: bytes.len() as u32,
        }
    }
}

/// One entry of the process-info table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// What it names ([`riposte_abi::process_info::kind`]).
    pub kind: u32,
    /// Meaning by kind.
    pub value: u32,
    /// The name.
    pub name: &'static str,
}

/// The calling thread's value in `slot`, which is that of its index; as `make` makes it, at first.
#[inline(always)]
pub(crate) fn own_value<T>(slot: &'static Slot<T>, make: fn() -> T) -> &'static T {
    // SAFETY: `crate::ThreadLocal` has one slot for each thread, by its index, and lends the value
    // only for the time of a call.
    unsafe { slot.get(thread_id(), make) }
}
