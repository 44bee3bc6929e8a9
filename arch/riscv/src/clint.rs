//! The kernel's clock on boards whose machine timer lies in a core-local interruptor, as SiFive
//! lays it out.

/// The core-local interruptor at address `BASE`, whose time ticks every `NANOSECONDS`.
pub struct Clint<const BASE: usize, const NANOSECONDS: u32>;

/// Longest wait in nanoseconds: it fits a word, and ends before the low word of the time comes
/// around. Even without an alarm the kernel looks as often, as an emulator
/// that skips idle time would skip to the end of it.
const LONGEST: u64 = 4_000_000_000;

impl<const BASE: usize, const NANOSECONDS: u32> Clint<BASE, NANOSECONDS> {
    const COMPARE_LOW: *mut u32 = (BASE + 0x4000) as *mut u32;
    const COMPARE_HIGH: *mut u32 = (BASE + 0x4004) as *mut u32;
    const TIME_LOW: *const u32 = (BASE + 0xBFF8) as *const u32;
    const TIME_HIGH: *const u32 = (BASE + 0xBFFC) as *const u32;

    /// Nanoseconds of a tick.
    pub const TICK: u32 = NANOSECONDS;

    /// The low word of its time.
    ///
    /// # Safety
    /// The board has such a device at `BASE`, which only its clock uses.
    #[must_use]
    #[inline(always)]
    pub unsafe fn low() -> u32 {
        // SAFETY: the caller's promise.
        unsafe { Self::TIME_LOW.read_volatile() }
    }

    /// Its time.
    ///
    /// # Safety
    /// The board has such a device at `BASE`, which only its clock uses.
    unsafe fn ticks() -> u64 {
        loop {
            // SAFETY: the caller's promise.
            let (high, low, again) = unsafe {
                (
                    Self::TIME_HIGH.read_volatile(),
                    Self::TIME_LOW.read_volatile(),
                    Self::TIME_HIGH.read_volatile(),
                )
            };
            if high == again {
                return u64::from(high) << 32 | u64::from(low);
            }
        }
    }

    /// Raises the hart's software interrupt, or takes it back.
    ///
    /// # Safety
    /// The board has such a device at `BASE`, which only its interrupts use.
    pub unsafe fn set_software(raised: bool) {
        // SAFETY: the caller's promise.
        unsafe { (BASE as *mut u32).write_volatile(raised.into()) }
    }

    /// Nanoseconds since the start.
    ///
    /// # Safety
    /// The board has such a device at `BASE`, which only its clock uses.
    #[must_use]
    pub unsafe fn now() -> u64 {
        // SAFETY: the caller's promise.
        unsafe { Self::ticks() * u64::from(NANOSECONDS) }
    }

    /// Asks for the interrupt at `at` nanoseconds, or sooner if that is far. (Too soon does no harm:
    /// the kernel asks again. Dividing 64 bits would cost a kilobyte.)
    ///
    /// # Safety
    /// The board has such a device at `BASE`, which only its clock uses.
    pub unsafe fn set_alarm(at: u64) {
        // SAFETY: the caller's promise. Between the stores the comparison is with a time that is
        // far.
        unsafe {
            let now = Self::ticks();
            let wait = at.saturating_sub(now * u64::from(NANOSECONDS)).min(LONGEST) as u32;
            // One that is over comes at once: an interrupt that waits for it is not taken back until the next tick.
            let compare = if wait == 0 {
                now
            } else {
                now + u64::from(wait / NANOSECONDS) + 1
            };
            Self::COMPARE_HIGH.write_volatile(u32::MAX);
            Self::COMPARE_LOW.write_volatile(compare as u32);
            Self::COMPARE_HIGH.write_volatile((compare >> 32) as u32);
        }
    }
}
