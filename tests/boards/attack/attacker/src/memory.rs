//! The end of the attacker's memory.

use core::sync::atomic::AtomicU32;

use check::{machine, memory};

/// Bytes of the smallest page, and more than the data have.
const PAGE: u32 = 4096;
/// Every end is a multiple of it.
const STEP: u32 = 32;

/// The first of the data, or not far from it.
static DATA: AtomicU32 = AtomicU32::new(1);

/// Reads on and on from where its data are. Where addresses are translated, it begins at the end of
/// the page they are in, which is the last one.
pub fn run_off() -> bool {
    let data = DATA.as_ptr().addr() as u32;
    if machine::is_translated(data) {
        let _ = memory::load((data | (PAGE - 1)) + 1);
        return false;
    }
    for address in (data & !(STEP - 1)..).step_by(STEP as usize).skip(1) {
        let _ = memory::load(address);
    }
    false
}
