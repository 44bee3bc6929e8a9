//! System registers of the processor that the port uses.

/// A word-sized register at a fixed address.
#[derive(Clone, Copy)]
pub struct Register(usize);

impl Register {
    /// The register at `address`.
    ///
    /// # Safety
    /// A word-sized device register lies there, and reading or writing it breaks no promise of
    /// whoever uses it.
    #[must_use]
    pub const unsafe fn at(address: usize) -> Self {
        Self(address)
    }

    /// Reads it.
    #[must_use]
    #[inline]
    pub fn read(self) -> u32 {
        // SAFETY: `at` was promised a register.
        unsafe { (self.0 as *const u32).read_volatile() }
    }

    /// Writes it.
    #[inline]
    pub fn write(self, value: u32) {
        // SAFETY: `at` was promised a register.
        unsafe { (self.0 as *mut u32).write_volatile(value) }
    }

    /// Sets and clears bits of it.
    pub fn change(self, set: u32, clear: u32) {
        self.write(self.read() & !clear | set);
    }
}

macro_rules! registers {
    ($($(#[$doc:meta])* $name:ident = $address:literal;)*) => {
        $($(#[$doc])*
        // SAFETY: an architectural register of ARMv7-M, used by the port alone.
        pub const $name: Register = unsafe { Register::at($address) };)*
    };
}

/// Resets the machine: what begins anew is all that the processor's reset request reaches.
pub fn reset_machine() -> ! {
    const KEY: u32 = 0x05FA << 16;
    const REQUEST: u32 = 1 << 2;
    AIRCR.write(KEY | REQUEST);
    loop {
        core::hint::spin_loop();
    }
}

registers! {
    /// The processor's own timer, which the kernel does not use.
    SYSTICK = 0xE000_E010;
    /// Interrupt control and state.
    ICSR = 0xE000_ED04;
    /// Vector table.
    VTOR = 0xE000_ED08;
    /// Application interrupt and reset control.
    AIRCR = 0xE000_ED0C;
    /// Configuration and control.
    CCR = 0xE000_ED14;
    /// Priorities of MemManage, BusFault, UsageFault.
    SHPR1 = 0xE000_ED18;
    /// Priority of SVCall.
    SHPR2 = 0xE000_ED1C;
    /// Priorities of PendSV and SysTick.
    SHPR3 = 0xE000_ED20;
    /// System handler control and state.
    SHCSR = 0xE000_ED24;
    /// Configurable fault status.
    CFSR = 0xE000_ED28;
    /// Hard fault status.
    HFSR = 0xE000_ED2C;
    /// Address of a MemManage fault.
    MMFAR = 0xE000_ED34;
    /// Address of a bus fault.
    BFAR = 0xE000_ED38;
    /// Coprocessor access.
    CPACR = 0xE000_ED88;
    /// MPU control.
    MPU_CTRL = 0xE000_ED94;
    /// MPU region base address; region attributes and three aliases of both follow.
    MPU_RBAR = 0xE000_ED9C;
    /// MPU region attributes.
    MPU_RASR = 0xE000_EDA0;
    /// Floating-point context control.
    FPCCR = 0xE000_EF34;
}

/// First of the interrupt set-enable registers.
pub const NVIC_ISER: usize = 0xE000_E100;
/// First of the interrupt clear-enable registers.
pub const NVIC_ICER: usize = 0xE000_E180;
/// First of the interrupt clear-pending registers.
pub const NVIC_ICPR: usize = 0xE000_E280;
/// First of the interrupt priority registers, one byte an interrupt.
pub const NVIC_IPR: usize = 0xE000_E400;
/// Software trigger interrupt register: the number of the interrupt that becomes pending.
pub const NVIC_STIR: usize = 0xE000_EF00;
