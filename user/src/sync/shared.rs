//! What may lie where several processes see it.

use zerocopy::{FromBytes, IntoBytes};

use super::{Barrier, ByteQueue, Condvar, EventFlags, Lock, Mailbox, Once, Queue, Semaphore, Word};
use crate::Shared;

macro_rules! words {
    ($($what:ty),*) => {
        $(
            // SAFETY: words alone, atomic ones, in the order in which they are written down; none of
            // them is an index, and all zeros is a new one.
            unsafe impl Shared for $what {}
        )*
    };
}
words!(
    Word, Semaphore, Lock, Condvar, EventFlags, Mailbox, Once, Barrier
);

// SAFETY: the ring's words are checked whenever they are used; items are copied in and out by volatile
// accesses, and any bytes are one. All zeros is an empty queue.
// An item has no padding, with which a process would tell what lay on its stack.
unsafe impl<T: FromBytes + IntoBytes + Send + 'static, const N: usize> Shared for Queue<T, N> {}
// SAFETY: words alone; the ring's are checked whenever they are used, and so are lengths. All zeros is
// an empty queue.
unsafe impl<const WORDS: usize> Shared for ByteQueue<WORDS> {}
