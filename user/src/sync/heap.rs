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
/// ```no_run
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
    allocator: Mutex<Allocator>,
    memory: Memory<N>,
}

/// The bytes.
#[derive(Debug)]
struct Memory<const N: usize>(UnsafeCell<MaybeUninit<[u8; N]>>);

// SAFETY: the allocator gives each byte to one caller at a time.
unsafe impl<const N: usize> Sync for Memory<N> {}

#[derive(Debug)]
struct Allocator {
    talc: Talc<ErrOnOom>,
    /// Whether it has the memory.
    claimed: bool,
}

impl<const N: usize> Heap<N> {
    /// A heap with nothing in it.
    #[must_use]
    pub const fn new() -> Heap<N> {
        Heap {
            allocator: Mutex::new(Allocator {
                talc: Talc::new(ErrOnOom),
                claimed: false,
            }),
            memory: Memory(UnsafeCell::new(MaybeUninit::uninit())),
        }
    }

    fn allocate(&self, layout: Layout) -> Option<NonNull<u8>> {
        let mut allocator = self.allocator.lock().ok()?;
        if !allocator.claimed {
            let span = Span::from_base_size(self.memory.0.get().cast(), N);
            // SAFETY: nobody else uses the memory, now or later: it is claimed once, by the holder of the
            // mutex, and a heap that gives out memory is a static, or stays where it is (`GlobalAlloc`).
            unsafe { allocator.talc.claim(span) }.ok()?;
            allocator.claimed = true;
        }
        // SAFETY: the layout's size is not 0, which is what `GlobalAlloc` promises.
        unsafe { allocator.talc.malloc(layout) }.ok()
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
        self.allocate(layout)
            .map_or(ptr::null_mut(), NonNull::as_ptr)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // Who waits for the caller can't have it: no thread that allocates waits for anything else.
        let (Ok(mut allocator), Some(block)) = (self.allocator.lock(), NonNull::new(block)) else {
            return;
        };
        // SAFETY: it is one of `alloc`'s, with this layout: the caller's promise.
        unsafe { allocator.talc.free(block, layout) };
    }
}
