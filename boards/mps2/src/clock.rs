//! The kernel's clock: the CMSDK dual timer. One half runs freely and tells the time, the other is
//! set for the next deadline, one shot each.

use core::cell::Cell;

use riposte_armv7m::{Global, registers::Register};

const BASE: usize = 0x4000_2000;
/// The timers count at 25 MHz.
pub const NANOSECONDS: u64 = 40;
/// Longest shot in nanoseconds: the time must be read before the free-running half wraps, here and in a trace.
const LONGEST: u64 = NANOSECONDS << 31;

const SIZE_32: u32 = 1 << 1;
const ONE_SHOT: u32 = 1 << 0;
const INTERRUPT: u32 = 1 << 5;
const ENABLE: u32 = 1 << 7;

// SAFETY: the dual timer's registers, which only this module uses.
const ALARM_LOAD: Register = unsafe { Register::at(BASE) };
// SAFETY: as above.
const ALARM_CONTROL: Register = unsafe { Register::at(BASE + 0x08) };
// SAFETY: as above.
const ALARM_CLEAR: Register = unsafe { Register::at(BASE + 0x0C) };
// SAFETY: as above.
const COUNT_LOAD: Register = unsafe { Register::at(BASE + 0x20) };
// SAFETY: as above.
const COUNT_VALUE: Register = unsafe { Register::at(BASE + 0x24) };
// SAFETY: as above.
const COUNT_CONTROL: Register = unsafe { Register::at(BASE + 0x28) };

/// Ticks at the last reading; its low half is what the counter said.
static LAST: Global<Cell<u64>> = Global(Cell::new(0));

/// Starts counting.
pub fn start() {
    COUNT_LOAD.write(u32::MAX);
    COUNT_CONTROL.write(ENABLE | SIZE_32);
}

/// Ticks since the start, of which the high word is left away.
#[inline(always)]
pub fn low() -> u32 {
    !COUNT_VALUE.read()
}

fn ticks() -> u64 {
    let low = low();
    let last = LAST.get();
    let wrapped = u64::from(low < last as u32);
    let ticks = ((last >> 32) + wrapped) << 32 | u64::from(low);
    LAST.set(ticks);
    ticks
}

/// Nanoseconds since the start.
pub fn now() -> u64 {
    ticks() * NANOSECONDS
}

/// Asks for the interrupt at `at` nanoseconds, or sooner if that is far. (Less than a tick too soon
/// does no harm: the kernel asks again. Dividing 64 bits would cost a kilobyte, and a copy where each asks 300 bytes.)
#[inline(never)]
pub fn set_alarm(at: u64) {
    let wait = at.saturating_sub(now()).min(LONGEST) >> 5;
    let ticks = wait as u32 / 5 * 4 + 1;
    ALARM_CONTROL.write(0);
    ALARM_CLEAR.write(1);
    ALARM_LOAD.write(ticks);
    ALARM_CONTROL.write(ENABLE | INTERRUPT | SIZE_32 | ONE_SHOT);
}
