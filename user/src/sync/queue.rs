//! Queues of items of one type.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

use super::Lock;
use super::event::Event;
use super::lock::Held;
use super::ring::{Full, MOST, Ring};
use crate::{Deadline, Error};

/// A queue of at most `N` items, first in, first out, by copy. Who sends waits while it is full, who
/// receives waits while it is empty, each in order of priority.
///
/// While nobody has to wait, neither makes a system call. An item is there or not: who dies while it
/// sends has sent nothing. Whoever waits for another thread's copy lends it its priority.
///
/// Several processes can use one in memory that they share, if every value of its bytes is a `T`
/// ([`crate::Shared`]). What a stranger writes there can make it fail with [`Error::BadArgument`], or
/// give another `T`, or wait: so a process that does not trust the others calls the forms that do not wait, or
/// have a deadline. That is all. All zeros is an empty queue.
///
/// ```no_run
/// use riposte::sync::Queue;
///
/// struct Sample {
///     channel: u8,
///     value: u16,
/// }
///
/// static SAMPLES: Queue<Sample, 16> = Queue::new();
///
/// fn measured(channel: u8, value: u16) -> bool {
///     SAMPLES.try_send(Sample { channel, value }).is_ok()
/// }
///
/// fn next() -> Result<Sample, riposte::Error> {
///     SAMPLES.receive()
/// }
/// ```
#[repr(C)]
pub struct Queue<T, const N: usize> {
    state: QueueState,
    items: [UnsafeCell<MaybeUninit<T>>; N],
}

/// A queue but for its places, whoever has those. The C library has them, and the fast halves of what
/// follows, for itself.
#[doc(hidden)]
#[derive(Debug)]
#[repr(C)]
pub struct QueueState {
    lock: Lock,
    ring: Ring,
    sent: Event,
    received: Event,
}

// SAFETY: items are moved from thread to thread, each place is used by who holds the lock.
unsafe impl<T: Send, const N: usize> Sync for Queue<T, N> {}

/// An item that a queue did not take, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendError<T> {
    /// The item.
    pub item: T,
    /// [`Error::WouldBlock`] if the queue was full.
    pub error: Error,
}

impl<T, const N: usize> Queue<T, N> {
    const LENGTH: u32 = {
        assert!(N > 0 && N <= MOST, "a queue has 1 to 65,535 places");
        N as u32
    };

    /// An empty queue.
    #[must_use]
    pub const fn new() -> Queue<T, N> {
        Queue {
            state: QueueState {
                lock: Lock::new(),
                ring: Ring::new(),
                sent: Event::new(),
                received: Event::new(),
            },
            items: [const { UnsafeCell::new(MaybeUninit::uninit()) }; N],
        }
    }

    /// How many items are in it now.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if a stranger has written to it.
    pub fn length(&self) -> Result<usize, Error> {
        let full = self.state.ring.full();
        match full.refusal(Self::LENGTH) {
            Error::WouldBlock => Ok(full.count() as usize),
            error => Err(error),
        }
    }

    /// Sends an item if there is room. It may wait for another thread that copies, for 10 ms at most; never for
    /// room.
    ///
    /// # Errors
    /// [`Error::WouldBlock`] if there is none, or another thread copies too long, with the item.
    #[inline(always)]
    pub fn try_send(&self, item: T) -> Result<(), SendError<T>> {
        sent(item, |item| self.put(item, Deadline::Immediate))
    }

    /// Sends an item, and blocks until there is room.
    ///
    /// # Errors
    /// What ended the wait early, such as [`Error::Interrupted`], with the item.
    #[inline(always)]
    pub fn send(&self, item: T) -> Result<(), SendError<T>> {
        self.send_until(item, Deadline::None)
    }

    /// As [`Queue::send`], until `deadline`; for another thread's copy some 20 ms if it is [`Deadline::Immediate`].
    ///
    /// # Errors
    /// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`]; and as
    /// [`Queue::send`]; with the item.
    #[inline(always)]
    pub fn send_until(&self, item: T, deadline: impl Into<Deadline>) -> Result<(), SendError<T>> {
        let deadline = deadline.into();
        sent(item, |item| match self.put(item, deadline) {
            Err(Error::WouldBlock) => self.wait_to_put(item, deadline),
            sent => sent,
        })
    }

    /// Receives the first item, if there is one. It may wait for another thread that copies, for 10 ms at most;
    /// never for an item.
    ///
    /// # Errors
    /// [`Error::WouldBlock`] if there is none, or another thread copies too long.
    #[inline(always)]
    pub fn try_receive(&self) -> Result<T, Error> {
        self.take(Deadline::Immediate)
    }

    /// Receives the first item, and blocks until there is one.
    ///
    /// # Errors
    /// What ended the wait early, such as [`Error::Interrupted`].
    #[inline(always)]
    pub fn receive(&self) -> Result<T, Error> {
        self.receive_until(Deadline::None)
    }

    /// As [`Queue::receive`], until `deadline`; for another thread's copy some 20 ms if it is
    /// [`Deadline::Immediate`].
    ///
    /// # Errors
    /// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`]; and as
    /// [`Queue::receive`].
    #[inline(always)]
    pub fn receive_until(&self, deadline: impl Into<Deadline>) -> Result<T, Error> {
        let deadline = deadline.into();
        match self.take(deadline) {
            Err(Error::WouldBlock) => self.wait_to_take(deadline),
            taken => taken,
        }
    }

    /// Copies `item` into the queue: it is not the caller's any more if this succeeds.
    #[inline(always)]
    fn put(&self, item: &T, deadline: Deadline) -> Result<(), Error> {
        self.state
            .put(Self::LENGTH, deadline, |place| self.write(place, item))
    }

    /// Copies the first item out of the queue.
    #[inline(always)]
    fn take(&self, deadline: Deadline) -> Result<T, Error> {
        self.state
            .take(Self::LENGTH, deadline, |place| self.read(place))
    }

    #[cold]
    #[inline(never)]
    fn wait_to_put(&self, item: &T, deadline: Deadline) -> Result<(), Error> {
        let write = |place| self.write(place, item);
        self.state.wait_to_put(Self::LENGTH, deadline, write)
    }

    #[cold]
    #[inline(never)]
    fn wait_to_take(&self, deadline: Deadline) -> Result<T, Error> {
        let read = |place| self.read(place);
        self.state.wait_to_take(Self::LENGTH, deadline, read)
    }

    /// Copies an item into a place that the caller has.
    #[inline(always)]
    fn write(&self, place: u32, item: &T) {
        let bytes = core::ptr::from_ref(item).cast::<MaybeUninit<T>>();
        // SAFETY: the place is free, and the holder of the lock alone uses it. A stranger may write
        // there, too, so that this is no ordinary memory: hence volatile. Every byte is copied once.
        unsafe {
            let place = self.items[place as usize].get();
            place.write_volatile(bytes.read());
        }
    }

    /// Copies the item out of a place that the caller has.
    #[inline(always)]
    fn read(&self, place: u32) -> T {
        // SAFETY: as in `write`: it is full, and free from now on. An item was put there; or a stranger
        // has written there, and any bytes are an item.
        unsafe {
            let item = self.items[place as usize].get().read_volatile();
            item.assume_init()
        }
    }
}

impl QueueState {
    /// Has `write` fill the first free place of `length`, unless there is none.
    #[inline(always)]
    fn put(&self, length: u32, deadline: Deadline, write: impl FnOnce(u32)) -> Result<(), Error> {
        let held = self.lock.hold_shortly(deadline)?;
        let full = self.ring.full();
        let place = full.end(length);
        if place >= length || full.count() >= length {
            return Err(refused(held, full, length));
        }
        write(place);
        self.ring.set(full.put(1));
        drop(held);
        self.sent.signal(1);
        Ok(())
    }

    /// Has `read` empty the first full place of `length`, unless there is none.
    #[inline(always)]
    fn take<T>(
        &self,
        length: u32,
        deadline: Deadline,
        read: impl FnOnce(u32) -> T,
    ) -> Result<T, Error> {
        let held = self.lock.hold_shortly(deadline)?;
        let full = self.ring.full();
        let place = full.first(length);
        let rest = full.take(length, 1).filter(|_| place < length);
        let Some(rest) = rest else {
            return Err(refused(held, full, length));
        };
        let item = read(place);
        self.ring.set(rest);
        drop(held);
        self.received.signal(1);
        Ok(item)
    }

    /// As `put`, and blocks until there is a free place.
    #[expect(clippy::missing_errors_doc, reason = "as Queue::send_until")]
    pub fn wait_to_put(
        &self,
        length: u32,
        deadline: Deadline,
        mut write: impl FnMut(u32),
    ) -> Result<(), Error> {
        let put = || {
            let put = self.put(length, deadline, &mut write);
            put.inspect_err(|_| self.sent.remind())
        };
        self.received.until_done(put, deadline)
    }

    /// As `take`, and blocks until there is a full place.
    #[expect(clippy::missing_errors_doc, reason = "as Queue::receive_until")]
    pub fn wait_to_take<T>(
        &self,
        length: u32,
        deadline: Deadline,
        mut read: impl FnMut(u32) -> T,
    ) -> Result<T, Error> {
        let take = || {
            let taken = self.take(length, deadline, &mut read);
            taken.inspect_err(|_| self.received.remind())
        };
        self.sent.until_done(take, deadline)
    }
}

/// Gives up the lock of a ring that is `full` so that nothing can be done; why.
#[cold]
#[inline(never)]
fn refused(held: Held<'_>, full: Full, length: u32) -> Error {
    drop(held);
    full.refusal(length)
}

/// What became of `item` by `put`, which copies it from where it is: it is not moved for that.
#[inline(always)]
fn sent<T>(item: T, put: impl FnOnce(&T) -> Result<(), Error>) -> Result<(), SendError<T>> {
    match put(&item) {
        Ok(()) => {
            // The queue's now.
            core::mem::forget(item);
            Ok(())
        }
        Err(error) => Err(SendError { item, error }),
    }
}

impl<T, const N: usize> Default for Queue<T, N> {
    fn default() -> Self {
        Queue::new()
    }
}

impl<T, const N: usize> Drop for Queue<T, N> {
    fn drop(&mut self) {
        if core::mem::needs_drop::<T>() {
            while self.try_receive().is_ok() {}
        }
    }
}

impl<T, const N: usize> core::fmt::Debug for Queue<T, N> {
    /// How full it is; not what is in it.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.length() {
            Ok(length) => write!(f, "Queue({length} of {N})"),
            Err(error) => write!(f, "Queue({error})"),
        }
    }
}
