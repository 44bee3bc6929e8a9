//! From reset to the first process.

use riposte_kernel::limits::INTERRUPTS;

use crate::{
    Board,
    build::{COUNTERS, EXTERNAL_MASK},
    csr::{counter, interrupt, mstatus},
    protection, trap, write_csr,
};

/// Sets up the processor, with `entry` for all traps and the interrupts `lines` for processes, which
/// stay masked, and runs the first thread.
///
/// # Safety
/// Called once, in machine mode with interrupts off, with the kernel's data in place and the clock
/// ready. `entry` is one of [`trap`]'s.
pub unsafe fn start<B: Board>(entry: unsafe extern "C" fn(), lines: &[u16]) -> ! {
    protection::start();
    // SAFETY: the entry can be taken from now on; what follows does not cause it before the first
    // thread runs, since machine mode takes no interrupt.
    unsafe {
        write_csr!("mtvec", entry as usize);
        let mut interrupts = interrupt::TIMER;
        if INTERRUPTS {
            B::prepare(lines);
            interrupts |= B::SOURCES;
            if EXTERNAL_MASK {
                write_csr!("0xBC0", 1);
            }
        }
        write_csr!("mie", interrupts);
        // Where there is a supervisor mode, it gets no trap: what it gets after a reset is not said.
        #[cfg(sv32)]
        {
            write_csr!("medeleg", 0);
            write_csr!("mideleg", 0);
        }
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
