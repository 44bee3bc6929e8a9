//! Memory for values of any size.

use core::alloc::Layout;
use core::ffi::c_void;

use riposte::Error;
use riposte::sync::HeapState;

use crate::call::{OK, put};
use crate::object::{Object, object};
use crate::types::riposte_error_t;

/// What threads change of a heap.
#[repr(C)]
pub struct riposte_heap_state {
    /// Is nobody's business.
    pub words: [u32; 5],
}

impl Object for riposte_heap_state {
    type Rust = HeapState;
}

/// A heap for all threads of the process. What it does takes longer the more free blocks of similar
/// sizes there are, so that what must be on time takes its memory from a pool. Whoever waits for it
/// lends the holder its priority. See RIPOSTE_HEAP.
#[repr(C)]
pub struct riposte_heap_t {
    /// Its memory.
    pub memory: *mut c_void,
    /// Bytes of that.
    pub length: usize,
    /// All zeros at first.
    pub state: riposte_heap_state,
}

/// Before each block: its size, as the allocator wants to hear it again.
const HEAD: usize = 8;

fn layout(total: usize) -> Option<Layout> {
    Layout::from_size_align(total, HEAD).ok()
}

/// Takes a block of memory, aligned to 8 bytes.
///
/// @param heap The heap.
/// @param size Bytes of the block; it may be 0.
/// @param block Where the block's address is stored; what is in the block is left from before.
/// @error RIPOSTE_EXHAUSTED There is no room for it.
/// @blocks While another thread takes or gives back a block.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_heap_allocate(
    heap: *mut riposte_heap_t,
    size: usize,
    block: *mut *mut c_void,
) -> riposte_error_t {
    let Some(layout) = size.checked_add(HEAD).and_then(layout) else {
        return Error::Exhausted as riposte_error_t;
    };
    // SAFETY: the caller's promise, for the heap and its memory. The head is the block's.
    unsafe {
        let state = object(&raw const (*heap).state);
        let head = state.allocate((*heap).memory.cast(), (*heap).length, layout);
        if head.is_null() {
            return Error::Exhausted as riposte_error_t;
        }
        head.cast::<usize>().write(layout.size());
        put(block, head.add(HEAD).cast());
    }
    OK
}

/// Gives a block of memory back.
///
/// @param heap The heap.
/// @param block The block, from riposte_heap_allocate of the same heap, and not given back before; or
/// NULL, which is none.
/// @blocks While another thread takes or gives back a block.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_heap_release(heap: *mut riposte_heap_t, block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: the caller's promise: it is a block with its head.
    unsafe {
        let head = block.cast::<u8>().sub(HEAD);
        if let Some(layout) = layout(head.cast::<usize>().read()) {
            object(&raw const (*heap).state).release(head, layout);
        }
    }
}
