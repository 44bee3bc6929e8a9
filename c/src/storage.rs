//! Thread-local storage: what each thread of a program has one of, such as `errno`.
//!
//! The linker script lays out one for each thread, one behind the other, in the order of their indices. The main
//! thread's lies at the end of `.data` and the beginning of `.bss`, so that it has its first values before anything
//! runs; the others get them here, at the beginning of each life of their threads.

unsafe extern "C" {
    /// The main thread's.
    static mut __thread_storage: [u8; 0];
    /// Whose address is how many bytes further the next thread's is.
    static __thread_storage_stride: [u8; 0];
    /// The first values of what does not begin as zeros.
    static __thread_storage_load: [u8; 0];
    /// Whose address is how many bytes those are.
    static __thread_storage_loaded: [u8; 0];
}

/// Gives the storage of the thread with this index its first values.
///
/// # Safety
/// The program has thread-local storage, and a thread of this index, which alone uses it from now on.
pub unsafe fn renew(index: u32) {
    let stride = (&raw const __thread_storage_stride).addr();
    let loaded = (&raw const __thread_storage_loaded).addr();
    // SAFETY: the linker script lays out so many bytes for each thread, whole words, of which the first get what is
    // loaded.
    unsafe {
        let storage = (&raw mut __thread_storage)
            .cast::<u8>()
            .add(index as usize * stride);
        // By words, few as they are: the compiler would make a call of it, which takes longer.
        for at in (loaded & !3..stride).step_by(4) {
            storage.add(at).cast::<u32>().write_volatile(0);
        }
        if loaded != 0 {
            storage.copy_from_nonoverlapping((&raw const __thread_storage_load).cast(), loaded);
        }
    }
}
