//! The console of the cycle-accurate boards (`sim/README.md`): it takes any byte at any time, and brings none before
//! the last one is read.

use riposte::Peripheral;
use riposte::mmio::fields::{ReadPure, ReadWrite, WriteOnly};
use riposte::mmio::{UniqueMmioPointer, field};

#[repr(C)]
struct Registers {
    /// To read it takes a byte from the receiver.
    data: ReadWrite<u32>,
    state: ReadPure<u32>,
    control: WriteOnly<u32>,
}

/// STATE: the receiver holds a byte.
const RECEIVED: u32 = 1 << 0;
/// CONTROL: the receiver works, and raises its interrupt with each byte.
const LISTEN: u32 = 1 << 0;

/// It.
pub struct Console(UniqueMmioPointer<'static, Registers>);

impl Console {
    /// There is nothing to switch on. `None` if the device has too few registers.
    pub fn enable(device: Peripheral) -> Option<Console> {
        device.registers().ok().map(Console)
    }

    /// Writes a byte.
    pub fn write(&mut self, byte: u8) {
        field!(self.0, data).write(u32::from(byte));
    }

    /// Switches the receiver on, and its interrupt.
    pub fn listen(&mut self) {
        field!(self.0, control).write(LISTEN);
    }

    /// Takes a byte that has come.
    pub fn receive(&mut self) -> Option<u8> {
        let has_come = field!(self.0, state).read() & RECEIVED != 0;
        has_come.then(|| field!(self.0, data).read() as u8)
    }
}
