//! Copies of much memory at once.

use crate::trap;

/// 32 bytes, aligned to words.
pub type Block = [u32; 8];

/// Copies as many blocks as both hold, the fastest way that this processor has: many registers at a
/// time, the loop unrolled. What the language's own copy costs depends on the target's `memcpy`,
/// which is smaller and slower. Never blocks.
///
/// ```
/// let from = [[7; 8]; 3];
/// let mut to = [[0; 8]; 4];
/// riposte::copy_blocks(&mut to, &from);
/// assert_eq!(to, [[7; 8], [7; 8], [7; 8], [0; 8]]);
/// ```
pub fn copy_blocks(to: &mut [Block], from: &[Block]) {
    let count = to.len().min(from.len());
    // SAFETY: both slices hold as many blocks, and the one that is written is held alone.
    unsafe { trap::copy_blocks(to.as_mut_ptr(), from.as_ptr(), count) };
}
