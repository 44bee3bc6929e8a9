//! Memory for values of any size.

use core::alloc::Layout;
use core::ffi::c_void;

use riposte::Error;
use riposte::sync::{HeapState, Word};

use crate::call::{OK, put};
use crate::object::{Object, object};
use crate::types::riposte_error_t;

/// What threads change of a heap.
#[repr(C)]
pub struct riposte_private_heap_state {
    /// Is nobody's business.
    pub words: [u32; 5],
}

impl Object for riposte_private_heap_state {
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
    pub state: riposte_private_heap_state,
}

/// Before each block: its size, as the allocator wants to hear it again, and a word that says that it is
/// a block, there, of that size. So many bytes as C's most aligned type asks for.
const HEAD: usize = if cfg!(target_arch = "riscv32") { 16 } else { 8 };

/// That word.
fn mark(head: *mut u8, shape: usize) -> usize {
    head.addr() ^ shape.rotate_left(16) ^ 0x5EED_B10C
}

/// In the word of the size, the position of the bits that tell the alignment, as its logarithm.
const ALIGNMENT: u32 = 27;

/// How a block of so many bytes is allocated, its head included, which takes the room to the next multiple of the
/// alignment.
fn layout(size: usize, alignment: usize) -> Option<Layout> {
    let total = size.checked_add(alignment)?;
    let fits = total >> ALIGNMENT == 0;
    fits.then(|| Layout::from_size_align(total, alignment).ok())?
}

/// As the word of the size says it.
fn shape(layout: Layout) -> usize {
    layout.size() | (layout.align().trailing_zeros() as usize) << ALIGNMENT
}

/// Takes a block of memory, aligned for any type of C: to 8 bytes, and to 16 on RISC-V.
///
/// @param heap The heap.
/// @param size Bytes of the block; it may be 0.
/// @param block Where the block's address is stored; what is in the block is left from before.
/// @error RIPOSTE_ERROR_EXHAUSTED There is no room for it.
/// @blocks While another thread takes or gives back a block.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_heap_allocate(
    heap: *mut riposte_heap_t,
    size: usize,
    block: *mut *mut c_void,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    unsafe { riposte_heap_allocate_aligned(heap, size, HEAD, block) }
}

/// Takes a block of memory at a multiple of a power of two.
///
/// @param heap The heap.
/// @param size Bytes of the block; it may be 0.
/// @param alignment What its address is to be a multiple of; if it is less, it is aligned as any block.
/// @param block Where the block's address is stored; what is in the block is left from before.
/// @error RIPOSTE_ERROR_EXHAUSTED There is no room for it.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT The alignment is no power of two.
/// @blocks While another thread takes or gives back a block.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_heap_allocate_aligned(
    heap: *mut riposte_heap_t,
    size: usize,
    alignment: usize,
    block: *mut *mut c_void,
) -> riposte_error_t {
    if !alignment.is_power_of_two() {
        return Error::BadArgument as riposte_error_t;
    }
    let Some(layout) = layout(size, alignment.max(HEAD)) else {
        return Error::Exhausted as riposte_error_t;
    };
    // SAFETY: the caller's promise, for the heap and its memory. The head is the block's.
    unsafe {
        let state = object(&raw const (*heap).state);
        let start = state.allocate((*heap).memory.cast(), (*heap).length, layout);
        if start.is_null() {
            return Error::Exhausted as riposte_error_t;
        }
        let taken = start.add(layout.align());
        let head = taken.sub(HEAD);
        let shape = shape(layout);
        head.cast::<[usize; 2]>().write([shape, mark(head, shape)]);
        put(block, taken.cast());
    }
    OK
}

/// Gives a block of memory back.
///
/// @param heap The heap.
/// @param block The block, from riposte_heap_allocate of the same heap; or NULL, which is none.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT It is no block of the heap, or was given back already; or what lies before
/// it was overwritten.
/// @blocks While another thread takes or gives back a block.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_heap_release(
    heap: *mut riposte_heap_t,
    block: *mut c_void,
) -> riposte_error_t {
    if block.is_null() {
        return OK;
    }
    // SAFETY: the caller's promise, for the heap and its memory.
    unsafe {
        let Some(layout) = block_in(&*heap, block) else {
            return Error::BadArgument as riposte_error_t;
        };
        let block = block.cast::<u8>();
        let head = block.sub(HEAD);
        let [shaped, marked] = &*head.cast::<[Word; 2]>();
        // Whoever gives it back again gives no block back; of several threads at once, one does.
        let mark = mark(head, shape(layout)) as u32;
        if marked.compare_exchange(mark, 0).is_err() {
            return Error::BadArgument as riposte_error_t;
        }
        shaped.store(0);
        object(&raw const (*heap).state).release(block.sub(layout.align()), layout);
    }
    OK
}

/// Tells how many bytes a block of memory has.
///
/// @param heap The heap.
/// @param block The block, from riposte_heap_allocate of the same heap.
/// @param size Where its bytes are stored, as it was asked for, or NULL.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT It is no block of the heap, or was given back; or what lies before it was
/// overwritten.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_heap_size(
    heap: *const riposte_heap_t,
    block: *mut c_void,
    size: *mut usize,
) -> riposte_error_t {
    // SAFETY: the caller's promise, for the heap and its memory.
    unsafe {
        let Some(layout) = block_in(&*heap, block) else {
            return Error::BadArgument as riposte_error_t;
        };
        put(size, layout.size() - layout.align());
    }
    OK
}

/// How a block of `heap` was allocated; none if it is not one.
///
/// # Safety
/// The heap has such memory.
unsafe fn block_in(heap: &riposte_heap_t, block: *mut c_void) -> Option<Layout> {
    let offset = block.addr().checked_sub(heap.memory.addr())?;
    if offset < HEAD || offset > heap.length || !block.addr().is_multiple_of(HEAD) {
        return None;
    }
    let head = block.cast::<u8>().wrapping_sub(HEAD);
    // SAFETY: it is aligned, and lies in the heap's memory.
    let words = unsafe { &*head.cast::<[Word; 2]>() };
    let [shape, marked] = words.each_ref().map(|word| word.load() as usize);
    if marked != mark(head, shape) {
        return None;
    }
    let (total, alignment) = (shape & ((1 << ALIGNMENT) - 1), 1 << (shape >> ALIGNMENT));
    layout(total.checked_sub(alignment)?, alignment)
}
