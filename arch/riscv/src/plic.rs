//! The interrupt controller of boards that have one as SiFive lays it out, for its first context.

/// The platform-level interrupt controller at address `BASE`.
///
/// A line that was claimed does not interrupt again until it is completed, so that one that has come
/// needs no masking.
pub struct Plic<const BASE: usize>;

impl<const BASE: usize> Plic<BASE> {
    const ENABLE: usize = BASE + 0x2000;
    const THRESHOLD: *mut u32 = (BASE + 0x20_0000) as *mut u32;
    const CLAIM: *mut u32 = (BASE + 0x20_0004) as *mut u32;

    /// Makes `line` one that interrupts, once it is unmasked.
    ///
    /// # Safety
    /// The board has such a device at `BASE`, which only its interrupts use.
    pub unsafe fn prepare(line: u16) {
        // SAFETY: the caller's promise.
        unsafe {
            ((BASE + 4 * usize::from(line)) as *mut u32).write_volatile(1);
            Self::THRESHOLD.write_volatile(0);
        }
    }

    /// Takes the line that interrupts; 0 if there is none, since its device asks no more, say.
    ///
    /// # Safety
    /// As [`Plic::prepare`].
    #[must_use]
    #[inline(always)]
    pub unsafe fn claim() -> u32 {
        // SAFETY: the caller's promise.
        unsafe { Self::CLAIM.read_volatile() }
    }

    /// Keeps `line` from interrupting.
    ///
    /// # Safety
    /// As [`Plic::prepare`].
    pub unsafe fn mask(line: u16) {
        let (register, bit) = Self::enable(line);
        // SAFETY: the caller's promise. What is not enabled could not be completed later.
        unsafe {
            Self::CLAIM.write_volatile(line.into());
            register.write_volatile(register.read_volatile() & !bit);
        }
    }

    /// Lets `line` interrupt again.
    ///
    /// # Safety
    /// As [`Plic::prepare`].
    #[inline(always)]
    pub unsafe fn unmask(line: u16) {
        let (register, bit) = Self::enable(line);
        // SAFETY: the caller's promise. Only what is enabled can be completed.
        unsafe {
            register.write_volatile(register.read_volatile() | bit);
            Self::CLAIM.write_volatile(line.into());
        }
    }

    #[inline(always)]
    fn enable(line: u16) -> (*mut u32, u32) {
        let register = Self::ENABLE + usize::from(line >> 5) * 4;
        (register as *mut u32, 1 << (line & 31))
    }
}
