//! Data of which each thread has its own.

use crate::trap::{self, Slot};

/// A value of which each thread of the process has its own, made when the thread first asks for it.
///
/// ```no_run
/// use core::cell::Cell;
/// use riposte::ThreadLocal;
///
/// static CALLS: ThreadLocal<Cell<u32>, 4> = ThreadLocal::new(|| Cell::new(0));
///
/// fn count() -> u32 {
///     CALLS.with(|calls| {
///         calls.set(calls.get() + 1);
///         calls.get()
///     })
/// }
/// ```
///
/// `THREADS` is how many threads the process can have: the main one, those of the manifest, and the
/// spare ones. A thread that takes the place of one that has ended finds a fresh value; the old one is
/// dropped then.
pub struct ThreadLocal<T: Send, const THREADS: usize> {
    make: fn() -> T,
    slots: [Slot<T>; THREADS],
}

impl<T: Send, const THREADS: usize> ThreadLocal<T, THREADS> {
    /// As many values as `make` makes.
    #[must_use]
    pub const fn new(make: fn() -> T) -> Self {
        Self {
            make,
            slots: [const { Slot::new() }; THREADS],
        }
    }

    /// Lets `access` have the calling thread's value. Makes no system call.
    ///
    /// # Panics
    /// The process has more threads than `THREADS`.
    pub fn with<R>(&'static self, access: impl FnOnce(&T) -> R) -> R {
        let Some(slot) = self.slots.get(trap::thread_index()) else {
            panic!("a ThreadLocal for {THREADS} threads in a process of more");
        };
        access(trap::own_value(slot, self.make))
    }
}
