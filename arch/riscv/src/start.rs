//! From reset to the first process.

use crate::{
    build::COUNTERS,
    csr::{counter, interrupt, mstatus},
    protection, trap, write_csr,
};

/// Sets up the processor, with `entry` for all traps, and runs the first thread.
///
/// # Safety
/// Called once, in machine mode with interrupts off, with the kernel's data in place and the clock
/// ready. `entry` is one of [`trap`]'s.
pub unsafe fn start(entry: unsafe extern "C" fn()) -> ! {
    protection::start();
    // SAFETY: the entry can be taken from now on; what follows does not cause it before the first
    // thread runs, since machine mode takes no interrupt.
    unsafe {
        write_csr!("mtvec", entry as usize);
        write_csr!("mie", interrupt::TIMER);
        if COUNTERS {
            let counters = counter::TIME | counter::INSTRET;
            write_csr!("mcounteren", counters);
            // Where there is a supervisor mode, it has a say too.
            #[cfg(sv32)]
            write_csr!("scounteren", counters);
        }
        // The first thread runs in user mode, and takes interrupts.
        write_csr!("mstatus", mstatus::MPIE);
        trap::begin()
    }
}
