//! The NS16550 UART (National Semiconductor PC16550D, section 8).

use riposte::Peripheral;
use riposte::mmio::fields::{ReadOnly, ReadPureWrite, ReadWrite, WriteOnly};
use riposte::mmio::{UniqueMmioPointer, field};

/// What it has, as far as it is used here.
#[repr(C)]
struct Registers {
    /// To read it takes a byte from the receiver.
    data: ReadWrite<u8>,
    interrupt_enable: ReadPureWrite<u8>,
    fifo_control: WriteOnly<u8>,
    line_control: ReadPureWrite<u8>,
    modem_control: ReadPureWrite<u8>,
    /// To read it clears what it says of errors.
    line_status: ReadOnly<u8>,
}

/// INTERRUPT_ENABLE: as long as the receiver holds a byte.
const RECEIVED: u8 = 1 << 0;
/// LINE_CONTROL: eight bits, no parity, one stop bit.
const EIGHT_BITS: u8 = 0b11;
/// LINE_STATUS: the receiver holds a byte.
const DATA_READY: u8 = 1 << 0;
/// LINE_STATUS: a byte came while it did.
const OVERRUN: u8 = 1 << 1;
/// LINE_STATUS: the transmitter takes a byte.
const TRANSMITTER_EMPTY: u8 = 1 << 5;

/// Its transmitter and, once it listens, its receiver.
pub struct Uart {
    registers: UniqueMmioPointer<'static, Registers>,
    overrun: bool,
}

impl Uart {
    /// Sets the form of a byte; the rate is what the board has set. `None` if the device has too few registers.
    pub fn enable(device: Peripheral) -> Option<Uart> {
        let mut registers = device.registers::<Registers>().ok()?;
        field!(registers, line_control).write(EIGHT_BITS);
        Some(Uart {
            registers,
            overrun: false,
        })
    }

    /// Writes a byte; waits while the transmitter is busy.
    pub fn write(&mut self, byte: u8) {
        while self.status() & TRANSMITTER_EMPTY == 0 {}
        field!(self.registers, data).write(byte);
    }

    /// Switches the receiver's interrupt on.
    pub fn listen(&mut self) {
        field!(self.registers, interrupt_enable).write(RECEIVED);
    }

    /// Takes a byte that has come: when none is left, the receiver asks for no interrupt.
    pub fn receive(&mut self) -> Option<u8> {
        let is_ready = self.status() & DATA_READY != 0;
        is_ready.then(|| field!(self.registers, data).read())
    }

    /// Whether bytes have come for which there was no room, since it was asked last.
    pub fn has_overrun(&mut self) -> bool {
        core::mem::take(&mut self.overrun)
    }

    /// LINE_STATUS; of an overrun it tells only once.
    fn status(&mut self) -> u8 {
        let status = field!(self.registers, line_status).read();
        self.overrun |= status & OVERRUN != 0;
        status
    }
}
