//! The CMSDK APB UART (Arm DDI 0479, chapter 4.3).

use riposte::Peripheral;
use riposte::mmio::fields::{ReadPureWrite, ReadWrite};
use riposte::mmio::{UniqueMmioPointer, field};

/// What it has, as far as it is used here.
#[repr(C)]
struct Registers {
    /// To read it takes a byte from the receiver.
    data: ReadWrite<u32>,
    state: ReadPureWrite<u32>,
    ctrl: ReadPureWrite<u32>,
    interrupt: ReadPureWrite<u32>,
    baud_divider: ReadPureWrite<u32>,
}

/// STATE: the transmit buffer holds a byte.
const TX_FULL: u32 = 1 << 0;
/// CTRL: the transmitter works.
const TX_ENABLE: u32 = 1 << 0;
/// Fewest clocks per bit that the hardware takes.
const FASTEST: u32 = 16;

/// Its transmitter.
pub struct Uart(UniqueMmioPointer<'static, Registers>);

impl Uart {
    /// Switches the transmitter on.
    pub fn enable(device: Peripheral) -> Uart {
        let mut registers = device.registers::<Registers>().unwrap();
        field!(registers, baud_divider).write(FASTEST);
        field!(registers, ctrl).write(TX_ENABLE);
        Uart(registers)
    }

    /// Writes a byte; waits while the transmitter is busy.
    pub fn write(&mut self, byte: u8) {
        while field!(self.0, state).read() & TX_FULL != 0 {}
        field!(self.0, data).write(u32::from(byte));
    }
}
