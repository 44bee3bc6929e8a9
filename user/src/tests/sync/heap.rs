//! The heap.

use core::alloc::{GlobalAlloc, Layout};

use super::kernel::{enter, together};
use crate::sync::Heap;

#[test]
fn blocks_of_a_heap_are_apart_and_freed_blocks_are_given_again() {
    let heap = Heap::<8192>::new();
    together(4, |number| {
        for turn in 1..=200 {
            let layout = Layout::from_size_align(turn % 60 + 1, 8).unwrap();
            // SAFETY: the layout has a size; the block is used within it, and freed once.
            unsafe {
                let block = heap.alloc(layout);
                assert!(!block.is_null() && block.addr().is_multiple_of(8));
                block.write_bytes(number as u8, layout.size());
                std::thread::yield_now();
                let bytes = core::slice::from_raw_parts(block, layout.size());
                assert!(bytes.iter().all(|byte| *byte == number as u8));
                heap.dealloc(block, layout);
            }
        }
    });
}

#[test]
fn a_request_beyond_the_heap_fails_and_leaves_the_rest() {
    enter();
    let heap = Heap::<4096>::new();
    let (large, small) = (Layout::new::<[u8; 8192]>(), Layout::new::<[u8; 64]>());
    // SAFETY: both have a size.
    let blocks = unsafe { [heap.alloc(large), heap.alloc(small)] };
    assert!(blocks[0].is_null());
    assert!(!blocks[1].is_null());
}
