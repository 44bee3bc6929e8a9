//! The NS16550 UART (National Semiconductor PC16550D, section 8).

use riposte::Peripheral;
use riposte::mmio::fields::{ReadOnly, ReadPureWrite, WriteOnly};
use riposte::mmio::{UniqueMmioPointer, field};

/// What it has, as far as it is used here. (Another meaning of the first three is for the receiver.)
#[repr(C)]
struct Registers {
    transmit: WriteOnly<u8>,
    interrupt_enable: ReadPureWrite<u8>,
    fifo_control: WriteOnly<u8>,
    line_control: ReadPureWrite<u8>,
    modem_control: ReadPureWrite<u8>,
    line_status: ReadOnly<u8>,
}

/// LINE_CONTROL: eight bits, no parity, one stop bit.
const EIGHT_BITS: u8 = 0b11;
/// LINE_STATUS: the transmitter takes a byte.
const TRANSMITTER_EMPTY: u8 = 1 << 5;

/// Its transmitter.
pub struct Uart(UniqueMmioPointer<'static, Registers>);

impl Uart {
    /// Sets the form of a byte; the rate is what the board has set.
    pub fn enable(device: Peripheral) -> Uart {
        let mut registers = device.registers::<Registers>().unwrap();
        field!(registers, line_control).write(EIGHT_BITS);
        Uart(registers)
    }

    /// Writes a byte; waits while the transmitter is busy.
    pub fn write(&mut self, byte: u8) {
        while field!(self.0, line_status).read() & TRANSMITTER_EMPTY == 0 {}
        field!(self.0, transmit).write(byte);
    }
}
