//! A heap in the process's own memory, for programs that ask for one by [`heap!`](crate::heap!).

use core::alloc::{GlobalAlloc, Layout};
use core::cell::{Cell, UnsafeCell};
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};

use talc::{ErrOnOom, Span, Talc};

/// A heap of `N` bytes for the main thread. A further thread gets nothing from it: a lock that every
/// processor here could hold is not to be had (some have no atomic instructions), and threads of
/// Riposte that serve one process rarely allocate.
pub struct Heap<const N: usize> {
    allocator: UnsafeCell<Talc<ErrOnOom>>,
    claimed: Cell<bool>,
    memory: UnsafeCell<MaybeUninit<[u8; N]>>,
}

// SAFETY: whatever is in it is touched by the main thread alone: `GlobalAlloc` asks first.
unsafe impl<const N: usize> Sync for Heap<N> {}

impl<const N: usize> Default for Heap<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> Heap<N> {
    /// A heap with nothing in it.
    #[must_use]
    pub const fn new() -> Heap<N> {
        Heap {
            allocator: UnsafeCell::new(Talc::new(ErrOnOom)),
            claimed: Cell::new(false),
            memory: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// Gives the allocator its memory, the first time.
    #[cold]
    #[inline(never)]
    fn claim(&self, allocator: &mut Talc<ErrOnOom>) {
        let memory = Span::from_base_size(self.memory.get().cast(), N);
        // SAFETY: the memory is the allocator's alone, for ever.
        let _ = unsafe { allocator.claim(memory) };
        self.claimed.set(true);
    }
}

// SAFETY: talc's blocks are as asked for, apart from each other, and stay where they are until they
// are freed; an allocation that fails is null.
unsafe impl<const N: usize> GlobalAlloc for Heap<N> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !riposte::is_main_thread() {
            return ptr::null_mut();
        }
        // SAFETY: the main thread alone comes here, and an allocator doesn't call itself.
        let allocator = unsafe { &mut *self.allocator.get() };
        if !self.claimed.get() {
            self.claim(allocator);
        }
        // SAFETY: the caller asks for no layout of size 0.
        unsafe { allocator.malloc(layout) }.map_or(ptr::null_mut(), NonNull::as_ptr)
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        assert!(riposte::is_main_thread(), "the heap is the main thread's");
        if let Some(block) = NonNull::new(block) {
            // SAFETY: as above; the caller gives back what `alloc` gave.
            unsafe { (*self.allocator.get()).free(block, layout) }
        }
    }
}

/// Gives the program a heap of so many bytes, for its main thread: a global allocator.
///
/// ```ignore
/// extern crate alloc;
/// xous::heap!(4096);
/// ```
#[macro_export]
macro_rules! heap {
    ($bytes:expr) => {
        #[global_allocator]
        static HEAP: $crate::Heap<{ $bytes }> = $crate::Heap::new();
    };
}
