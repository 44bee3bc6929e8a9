//! The kernel's clock: the machine timer of the CLINT, 10 MHz.

const COMPARE_LOW: *mut u32 = 0x0200_4000 as *mut u32;
const COMPARE_HIGH: *mut u32 = 0x0200_4004 as *mut u32;
const TIME_LOW: *const u32 = 0x0200_BFF8 as *const u32;
const TIME_HIGH: *const u32 = 0x0200_BFFC as *const u32;

/// Nanoseconds of a tick.
const NANOSECONDS: u64 = 100;
/// Longest wait in nanoseconds: it fits a word. Even without an alarm the kernel looks as often, as
/// an emulator that skips idle time would skip to the end of it.
const LONGEST: u64 = 4_000_000_000;

fn ticks() -> u64 {
    loop {
        // SAFETY: the CLINT's registers, which only this module uses.
        let (high, low, again) = unsafe {
            (
                TIME_HIGH.read_volatile(),
                TIME_LOW.read_volatile(),
                TIME_HIGH.read_volatile(),
            )
        };
        if high == again {
            return u64::from(high) << 32 | u64::from(low);
        }
    }
}

/// Nanoseconds since the start.
pub fn now() -> u64 {
    ticks() * NANOSECONDS
}

/// Asks for the interrupt at `at` nanoseconds, or sooner if that is far. (Too soon does no harm: the
/// kernel asks again. Dividing 64 bits would cost a kilobyte.)
pub fn set_alarm(at: u64) {
    let now = ticks();
    let wait = at.saturating_sub(now * NANOSECONDS).min(LONGEST) as u32;
    let compare = now + u64::from(wait / NANOSECONDS as u32) + 1;
    // SAFETY: as above. Between the stores the comparison is with a time that is far.
    unsafe {
        COMPARE_HIGH.write_volatile(u32::MAX);
        COMPARE_LOW.write_volatile(compare as u32);
        COMPARE_HIGH.write_volatile((compare >> 32) as u32);
    }
}
