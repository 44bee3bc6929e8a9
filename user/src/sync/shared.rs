//! What may lie where several processes see it.

use zerocopy::FromBytes;

use super::{Barrier, ByteQueue, Condvar, EventFlags, Lock, Mailbox, Once, Queue, Semaphore, Word};

/// What can lie in memory that processes share, though one of them may write there what it likes: any
/// bytes are one, all zeros a new one; no address is in it; and it gives no references to what is in
/// it. What a stranger writes makes it fail, or wait, or give other values, and nothing worse.
///
/// # Safety
/// All of that holds; and the layout is `repr(C)` or `repr(transparent)`.
pub unsafe trait Shared: Sync {}

// SAFETY: a word is an atomic one.
unsafe impl Shared for Word {}
// SAFETY: words alone, none of which is an index.
unsafe impl Shared for Semaphore {}
// SAFETY: as above.
unsafe impl Shared for Lock {}
// SAFETY: as above.
unsafe impl Shared for Condvar {}
// SAFETY: as above.
unsafe impl Shared for EventFlags {}
// SAFETY: as above.
unsafe impl Shared for Mailbox {}
// SAFETY: as above.
unsafe impl Shared for Once {}
// SAFETY: as above.
unsafe impl Shared for Barrier {}
// SAFETY: the ring's words are checked whenever they are used, items are copied in and out by volatile
// accesses, and any bytes are one.
unsafe impl<T: FromBytes + Send, const N: usize> Shared for Queue<T, N> {}
// SAFETY: words alone; the ring's are checked whenever they are used, and so are lengths.
unsafe impl<const WORDS: usize> Shared for ByteQueue<WORDS> {}
// SAFETY: each of them may.
unsafe impl<T: Shared, const N: usize> Shared for [T; N] {}
