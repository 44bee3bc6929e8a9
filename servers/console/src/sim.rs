//! The console of the cycle-accurate boards (`sim/README.md`): a register that takes any byte at
//! any time.

use riposte::Peripheral;

const TRANSMIT: u32 = 0;

/// Writes a byte.
pub fn write(device: Peripheral, byte: u8) {
    device.write(TRANSMIT, u32::from(byte));
}
