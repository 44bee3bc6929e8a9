//! Statics with interior mutability, for the kernel's objects.

/// Makes a kernel object a static.
#[repr(transparent)]
pub struct Global<T>(pub T);

// SAFETY: one core, and interrupts are off in machine mode: whoever runs kernel code is
// the only one that does. User mode never touches these objects (the protection denies it).
unsafe impl<T> Sync for Global<T> {}

impl<T> core::ops::Deref for Global<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
