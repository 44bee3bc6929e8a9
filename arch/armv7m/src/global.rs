//! Statics with interior mutability, for the kernel's objects.

/// Makes a kernel object a static.
#[repr(transparent)]
pub struct Global<T>(pub T);

// SAFETY: one core, and the kernel's exceptions all have one priority: whoever runs kernel code is
// the only one that does. Thread mode never touches these objects (the MPU denies it).
unsafe impl<T> Sync for Global<T> {}

impl<T> core::ops::Deref for Global<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
