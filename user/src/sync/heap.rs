//! Memory for values of any size.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};

use talc::{ErrOnOom, Span, Talc};

use super::Mutex;

/// A heap of `N` bytes for all threads of the process, as its global allocator. The allocator is
/// [talc](https://docs.rs/talc); what it does takes longer the more free blocks of similar sizes there
/// are, so that what must be on time takes its memory from a [`super::Pool`]. Whoever waits for it
/// lends the holder its priority.
///
/// ```no_run,standalone_crate
/// extern crate alloc;
/// use riposte::sync::Heap;
///
/// # mod program {
/// # use super::Heap;
/// #[global_allocator]
/// static HEAP: Heap<16384> = Heap::new();
/// # }
/// # fn main() {
/// let names = alloc::vec!["left", "right"];
/// # }
/// ```
///
/// A request for which there is no room fails, as Rust's collections say.
#[derive(Debug)]
pub struct Heap<const N: usize> {
    state: HeapState,
    memory: Memory<N>,
}

/// A heap but for its memory, whoever has that: the C library has it for itself. All zeros is a heap
/// with nothing in it.
#[doc(hidden)]
#[derive(Debug)]
#[repr(transparent)]
pub struct HeapState(Mutex<Allocator>);

/// The bytes.
#[derive(Debug)]
struct Memory<const N: usize>(UnsafeCell<MaybeUninit<[u8; N]>>);

// SAFETY: the allocator gives each byte to one caller at a time.
unsafe impl<const N: usize> Sync for Memory<N> {}

#[derive(Debug)]
#[repr(C)]
struct Allocator {
    /// It is there, with the memory.
    ready: bool,
    talc: MaybeUninit<Talc<ErrOnOom>>,
}

impl<const N: usize> Heap<N> {
    /// A heap with nothing in it.
    #[must_use]
    pub const fn new() -> Heap<N> {
        Heap {
            state: HeapState(Mutex::new(Allocator {
                ready: false,
                talc: MaybeUninit::uninit(),
            })),
            memory: Memory(UnsafeCell::new(MaybeUninit::uninit())),
        }
    }
}

impl HeapState {
    /// A block of the heap whose memory this is; none if there is no room.
    ///
    /// # Safety
    /// The memory is the heap's alone, at each call the same, and stays where it is. The layout's size
    /// is not 0.
    pub unsafe fn allocate(&self, memory: *mut u8, length: usize, layout: Layout) -> *mut u8 {
        let Ok(mut allocator) = self.0.lock() else {
            return ptr::null_mut();
        };
        if !allocator.ready {
            let mut talc = Talc::new(ErrOnOom);
            // SAFETY: nobody else uses the memory, now or later: it is claimed once, by the holder of the
            // mutex, and the caller's promise.
            let claimed = unsafe { talc.claim(Span::from_base_size(memory, length)) };
            if claimed.is_err() {
                return ptr::null_mut();
            }
            allocator.talc.write(talc);
            allocator.ready = true;
        }
        // SAFETY: it was written above, once. The layout's size is not 0: the caller's promise.
        let block = unsafe { allocator.talc.assume_init_mut().malloc(layout) };
        block.map_or(ptr::null_mut(), NonNull::as_ptr)
    }

    /// Takes a block back.
    ///
    /// # Safety
    /// It is one of `allocate`'s, with this layout, and not used any more.
    pub unsafe fn release(&self, block: *mut u8, layout: Layout) {
        // No thread waits for anything else while it has this, so that it can be had; but a handler of a signal may come amid
        // its thread's allocation. That frees nothing, and waits for nobody who does (`signal::handle`).
        let (Ok(mut allocator), Some(block)) = (self.0.lock(), NonNull::new(block)) else {
            return;
        };
        // SAFETY: the caller's promise: there is a block, so that there is an allocator.
        unsafe { allocator.talc.assume_init_mut().free(block, layout) };
    }
}

impl<const N: usize> Default for Heap<N> {
    fn default() -> Self {
        Heap::new()
    }
}

// SAFETY: talc's blocks are as asked for, apart from each other, and stay where they are until they
// are freed; one thread at a time uses it.
unsafe impl<const N: usize> GlobalAlloc for Heap<N> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: a heap that gives out memory is a static, or stays where it is (`GlobalAlloc`), and its
        // memory is its own. The rest is the caller's promise.
        unsafe { self.state.allocate(self.memory.0.get().cast(), N, layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.state.release(block, layout) };
    }
}
