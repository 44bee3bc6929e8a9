//! What one thread has for itself, and the bodies of threads that borrow.

use core::cell::{Cell, UnsafeCell};
use core::mem::MaybeUninit;

/// The place of one thread's value. Each thread of a process has its own.
pub struct Slot<T> {
    /// Whose value it holds: the id of a thread; 0 if none.
    owner: Cell<u32>,
    value: UnsafeCell<MaybeUninit<T>>,
}

// SAFETY: `get` is called by the thread alone whose place it is. Another one of a later life finds
// the value of an earlier one, which is over, and drops it: hence `Send`.
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T> Slot<T> {
    /// Without a value.
    pub const fn new() -> Self {
        Self {
            owner: Cell::new(0),
            value: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// The value of the calling thread, as it is or as `make` makes it. The reference is not to be
    /// kept beyond the thread's life.
    ///
    /// # Safety
    /// `id` is the caller's, and the place that of its index in the process.
    pub unsafe fn get(&self, id: u32, make: impl FnOnce() -> T) -> &T {
        if self.owner.get() != id {
            let made = make();
            let is_old = self.owner.replace(0) != 0;
            // SAFETY: it had an owner, so that it was written; it has none now, so that it is read once. Nobody borrows
            // it: neither a thread that is over, nor `make`, which has returned.
            let old = is_old.then(|| unsafe { (*self.value.get()).assume_init_read() });
            // SAFETY: as above.
            unsafe { (*self.value.get()).write(made) };
            self.owner.set(id);
            // Its end may come here, and finds the new one.
            drop(old);
        }
        // SAFETY: written, as it has an owner; only the caller borrows it, and it is not written
        // again before the caller's life is over.
        unsafe { (*self.value.get()).assume_init_ref() }
    }
}

/// Calls what `address` names.
///
/// # Safety
/// It is the address of an `F` that lives and stays in its place for as long as this runs.
unsafe fn call<F: Fn() -> u32 + Sync>(address: usize) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { (*core::ptr::with_exposed_provenance::<F>(address))() }
}

/// The function that calls an `F`, given the address of one: to be called only as long as that one
/// lives.
pub fn body_of<F: Fn() -> u32 + Sync>(body: &F) -> (fn(usize) -> u32, usize) {
    let address = core::ptr::from_ref(body).expose_provenance();
    // SAFETY: `crate::thread::Scope` ends after every thread that it has started with it.
    (|address| unsafe { call::<F>(address) }, address)
}
