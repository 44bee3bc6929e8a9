//! Queues and pools, of items and blocks of any size.

use core::ffi::c_void;

use riposte::Error;
use riposte::sync::{PoolState, QueueState, Word};

use crate::call::{OK, put};
use crate::mutex::{riposte_mutex_t, riposte_private_event};
use crate::object::{Object, object, result, until};
use crate::types::{riposte_deadline_t, riposte_error_t};

/// What threads change of a queue.
#[repr(C)]
pub struct riposte_private_queue_state {
    /// Who copies.
    pub lock: riposte_mutex_t,
    /// Which places are full.
    pub ring: u32,
    /// An item was sent.
    pub sent: riposte_private_event,
    /// An item was received.
    pub received: riposte_private_event,
}

impl Object for riposte_private_queue_state {
    type Rust = QueueState;
}

/// A queue of items of one size, first in, first out, by copy. Who sends waits while it is full, who
/// receives waits while it is empty, each in order of priority. While nobody has to wait, neither makes
/// a system call; who dies while it sends has sent nothing. Several processes can use one in a region,
/// each through such a structure of its own. See RIPOSTE_QUEUE and RIPOSTE_QUEUE_IN.
#[repr(C)]
pub struct riposte_queue_t {
    /// What threads change; all zeros at first.
    pub state: *mut riposte_private_queue_state,
    /// The places of the items.
    pub items: *mut c_void,
    /// Bytes of an item.
    pub size: usize,
    /// How many places there are, 1 to 65,535.
    pub length: u32,
}

impl riposte_queue_t {
    /// # Safety
    /// There is such a place.
    unsafe fn place(&self, index: u32) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { self.items.cast::<u8>().add(index as usize * self.size) }
    }
}

/// The half of riposte_queue_send_until for the case that there is no room, or another thread copies.
///
/// @param queue The queue.
/// @param item The item, of the queue's size; it is copied.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
/// RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed; nothing was sent.
/// @error RIPOSTE_ERROR_WOULD_BLOCK There is no room, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT A stranger has written to the queue.
/// @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was sent.
/// @blocks Until there is room, or the deadline.
/// @from riposte_queue_send_until.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_private_queue_wait_to_send(
    queue: *const riposte_queue_t,
    item: *const c_void,
    deadline: riposte_deadline_t,
) -> riposte_error_t {
    // SAFETY: the caller's promise, for the queue, its memory and the item. The place is this thread's.
    unsafe {
        let queue = &*queue;
        let write = |place| {
            let from = item.cast::<u8>();
            queue
                .place(place)
                .copy_from_nonoverlapping(from, queue.size);
        };
        result(object(queue.state).wait_to_put(queue.length, until(deadline), write))
    }
}

/// The half of riposte_queue_receive_until for the case that there is no item, or another thread
/// copies.
///
/// @param queue The queue.
/// @param item Where it is stored, of the queue's size.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
/// RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
/// @error RIPOSTE_ERROR_WOULD_BLOCK There is none, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT A stranger has written to the queue.
/// @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early.
/// @blocks Until there is an item, or the deadline.
/// @from riposte_queue_receive_until.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_private_queue_wait_to_receive(
    queue: *const riposte_queue_t,
    item: *mut c_void,
    deadline: riposte_deadline_t,
) -> riposte_error_t {
    // SAFETY: as in `riposte_private_queue_wait_to_send`.
    unsafe {
        let queue = &*queue;
        let read = |place| {
            let to = item.cast::<u8>();
            to.copy_from_nonoverlapping(queue.place(place), queue.size);
        };
        result(object(queue.state).wait_to_take(queue.length, until(deadline), read))
    }
}

/// What threads change of a pool.
#[repr(C)]
pub struct riposte_private_pool_state {
    /// How many blocks were taken at least once.
    pub fresh: u32,
    /// A block was given back.
    pub freed: riposte_private_event,
}

impl Object for riposte_private_pool_state {
    type Rust = PoolState;
}

/// A pool of blocks of one size, for the threads of one process. To take one and to give it back each
/// take the same few instructions, however many there are. Who waits for a block gets one in order of
/// priority. See RIPOSTE_POOL.
#[repr(C)]
pub struct riposte_pool_t {
    /// What threads change; all zeros at first.
    pub state: *mut riposte_private_pool_state,
    /// The free blocks that were taken before: a word, and one for each block; all zeros at first.
    pub links: *mut u32,
    /// The blocks.
    pub blocks: *mut c_void,
    /// Bytes of a block.
    pub size: usize,
    /// How many there are.
    pub count: u32,
}

/// The word of a block that is taken.
pub const RIPOSTE_PRIVATE_POOL_TAKEN: u32 = u32::MAX;

impl riposte_pool_t {
    /// # Safety
    /// The pool's fields are right.
    unsafe fn links(&self) -> &[Word] {
        // SAFETY: the caller's promise.
        unsafe { core::slice::from_raw_parts(self.links.cast(), self.count as usize + 1) }
    }
}

/// The half of riposte_pool_allocate_until for the case that no block was given back that is free.
///
/// @param pool The pool.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
/// RIPOSTE_IMMEDIATE.
/// @param block Where the block's address is stored; what is in the block is left from before.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
/// @error RIPOSTE_ERROR_WOULD_BLOCK None is free, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early.
/// @blocks Until a block is free, or the deadline.
/// @from riposte_pool_allocate_until.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_private_pool_wait(
    pool: *const riposte_pool_t,
    deadline: riposte_deadline_t,
    block: *mut *mut c_void,
) -> riposte_error_t {
    // SAFETY: the caller's promise, for the pool and its memory.
    let (pool, state, links) = unsafe { (&*pool, object((*pool).state), (*pool).links()) };
    // SAFETY: as above: they are that pool's.
    let taken = match unsafe { state.take(links) } {
        // SAFETY: as above.
        Err(Error::WouldBlock) => unsafe { state.wait(links, until(deadline)) },
        taken => taken,
    };
    match taken {
        Ok(index) => {
            links[index as usize + 1].store(RIPOSTE_PRIVATE_POOL_TAKEN);
            // SAFETY: the caller's promise, and there is such a block.
            unsafe {
                let first = pool.blocks.cast::<u8>();
                put(block, first.add(index as usize * pool.size).cast());
            }
            OK
        }
        Err(error) => error as riposte_error_t,
    }
}
