//! A heap in the process's own memory, for programs that ask for one by [`heap!`](crate::heap!).

use core::alloc::{GlobalAlloc, Layout};
use core::cell::{Cell, UnsafeCell};
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};

use talc::{ErrOnOom, Span, Talc};

/// Small blocks have a multiple of so many bytes,
const STEP: usize = 16;
/// and no more than so many such; what is larger, or aligned to more than [`ALIGNMENT`], is talc's.
const CLASSES: usize = 8;
/// What every small block is aligned to.
const ALIGNMENT: usize = 8;

/// A small block that was freed, which holds the next one of its class.
type Free = Cell<Option<NonNull<u8>>>;

/// A heap of `N` bytes for the main thread. A further thread gets nothing from it: a lock that every
/// processor here could hold is not to be had (some have no atomic instructions), and threads of
/// Riposte that serve one process rarely allocate.
///
/// The allocator is talc. Small blocks that are freed are kept, by size, for whoever asks for that
/// size next, which takes a few instructions; they go back to talc when it has no room.
pub struct Heap<const N: usize> {
    allocator: UnsafeCell<Talc<ErrOnOom>>,
    claimed: Cell<bool>,
    /// The freed small blocks of each class.
    kept: [Free; CLASSES],
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
            kept: [const { Cell::new(None) }; CLASSES],
            memory: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// A block of talc's; if it has no room, also from what was kept.
    ///
    /// # Safety
    /// The main thread calls it; the layout's size is not 0.
    #[cold]
    #[inline(never)]
    unsafe fn allocate(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the main thread alone comes here, and an allocator doesn't call itself.
        let allocator = unsafe { &mut *self.allocator.get() };
        if !self.claimed.replace(true) {
            let memory = Span::from_base_size(self.memory.get().cast(), N);
            // SAFETY: the memory is the allocator's alone, for ever.
            let _ = unsafe { allocator.claim(memory) };
        }
        // SAFETY: the caller's promise.
        let mut block = unsafe { allocator.malloc(layout) };
        if block.is_err() {
            self.give_back(allocator);
            // SAFETY: as above.
            block = unsafe { allocator.malloc(layout) };
        }
        block.map_or(ptr::null_mut(), NonNull::as_ptr)
    }

    /// Gives talc the small blocks that were kept.
    fn give_back(&self, allocator: &mut Talc<ErrOnOom>) {
        for (class, kept) in self.kept.iter().enumerate() {
            while let Some(block) = take(kept) {
                // SAFETY: it is a free block of this class, which talc gave with this layout.
                unsafe { allocator.free(block, layout_of(class)) };
            }
        }
    }
}

/// The class of small blocks that a layout belongs to, if it does.
#[inline(always)]
fn class_of(layout: Layout) -> Option<usize> {
    let class = layout.size().wrapping_sub(1) / STEP;
    (class < CLASSES && layout.align() <= ALIGNMENT).then_some(class)
}

/// What talc is asked for when it is to give a block of this class.
const fn layout_of(class: usize) -> Layout {
    match Layout::from_size_align((class + 1) * STEP, ALIGNMENT) {
        Ok(layout) => layout,
        Err(_) => unreachable!(),
    }
}

/// The block that was freed last.
#[inline(always)]
fn take(kept: &Free) -> Option<NonNull<u8>> {
    let block = kept.get()?;
    // SAFETY: the blocks that are kept are free, and each holds the next one.
    kept.set(unsafe { block.cast().read() });
    Some(block)
}

// SAFETY: talc's blocks are as asked for, apart from each other, and stay where they are until they
// are freed; a small block serves only layouts that its own covers, one at a time; an allocation
// that fails is null.
unsafe impl<const N: usize> GlobalAlloc for Heap<N> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !riposte::is_main_thread() {
            return ptr::null_mut();
        }
        let class = class_of(layout);
        if let Some(block) = class.and_then(|class| take(&self.kept[class])) {
            return block.as_ptr();
        }
        // SAFETY: this is the main thread; the caller asks for no layout of size 0.
        unsafe { self.allocate(class.map_or(layout, layout_of)) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        assert!(riposte::is_main_thread(), "the heap is the main thread's");
        let Some(block) = NonNull::new(block) else {
            return;
        };
        match class_of(layout) {
            Some(class) => {
                let kept = &self.kept[class];
                // SAFETY: the block is free, the size of a word or more, and aligned to one.
                unsafe { block.cast().write(kept.get()) };
                kept.set(Some(block));
            }
            // SAFETY: the main thread alone comes here; the caller gives back what `alloc` gave.
            None => unsafe { (*self.allocator.get()).free(block, layout) },
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

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 1).unwrap()
    }

    #[test]
    fn a_small_block_that_is_freed_serves_the_next_of_its_size() {
        let heap = Heap::<4096>::new();
        // SAFETY: the blocks are used as their layouts say.
        unsafe {
            let [first, second] = [heap.alloc(layout(17)), heap.alloc(layout(32))];
            first.write_bytes(1, 17);
            second.write_bytes(2, 32);
            assert_eq!((first.read(), second.read()), (1, 2));
            heap.dealloc(first, layout(17));
            heap.dealloc(second, layout(32));
            assert_eq!(heap.alloc(layout(20)), second);
            assert_eq!(heap.alloc(layout(32)), first);
            assert!(!heap.alloc(layout(32)).is_null());
        }
    }

    #[test]
    fn what_was_kept_makes_room_for_other_sizes() {
        let heap = Heap::<4096>::new();
        // SAFETY: as above.
        unsafe {
            let blocks: [*mut u8; 24] = core::array::from_fn(|_| heap.alloc(layout(100)));
            let given = blocks.iter().filter(|block| !block.is_null()).count();
            assert!(given > 16);
            assert!(heap.alloc(layout(1500)).is_null());
            for block in blocks.into_iter().filter(|block| !block.is_null()) {
                heap.dealloc(block, layout(100));
            }
            assert!(!heap.alloc(layout(1500)).is_null());
        }
    }
}
