//! The console of the cycle-accurate boards (`sim/README.md`): a register that takes any byte at
//! any time.

use riposte::Peripheral;
use riposte::mmio::UniqueMmioPointer;
use riposte::mmio::fields::WriteOnly;

/// It.
pub struct Console(UniqueMmioPointer<'static, WriteOnly<u32>>);

impl Console {
    /// There is nothing to switch on.
    pub fn enable(device: Peripheral) -> Console {
        Console(device.registers().unwrap())
    }

    /// Writes a byte.
    pub fn write(&mut self, byte: u8) {
        self.0.write(u32::from(byte));
    }
}
