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
    /// Which interrupts it asks for; what is written 1 it asks for no more.
    interrupt: ReadPureWrite<u32>,
    baud_divider: ReadPureWrite<u32>,
}

/// STATE: the transmit buffer holds a byte.
const TX_FULL: u32 = 1 << 0;
/// STATE: the receive buffer holds a byte.
const RX_FULL: u32 = 1 << 1;
/// STATE: a byte came while it did. Cleared by writing it.
const RX_OVERRUN: u32 = 1 << 3;
/// CTRL: the transmitter works.
const TX_ENABLE: u32 = 1 << 0;
/// CTRL: the receiver works, and asks for an interrupt with each byte.
const RX_ENABLE: u32 = 1 << 1;
const RX_INTERRUPT_ENABLE: u32 = 1 << 3;
/// INTERRUPT: that of the receiver.
const RX_INTERRUPT: u32 = 1 << 1;
/// Fewest clocks per bit that the hardware takes.
const FASTEST: u32 = 16;

/// Its transmitter and, once it listens, its receiver.
pub struct Uart {
    registers: UniqueMmioPointer<'static, Registers>,
    /// What came while the receiver was switched on.
    early: Option<u8>,
}

impl Uart {
    /// Switches the transmitter on. A receiver that was on stays so: what has come is not lost with the process that
    /// had the port before. `None` if the device has too few registers.
    pub fn enable(device: Peripheral) -> Option<Uart> {
        let mut registers = device.registers::<Registers>().ok()?;
        field!(registers, baud_divider).write(FASTEST);
        let on = field!(registers, ctrl).read();
        field!(registers, ctrl).write(on | TX_ENABLE);
        Some(Uart {
            registers,
            early: None,
        })
    }

    /// Writes a byte; waits while the transmitter is busy.
    pub fn write(&mut self, byte: u8) {
        while field!(self.registers, state).read() & TX_FULL != 0 {}
        field!(self.registers, data).write(u32::from(byte));
    }

    /// Switches the receiver on, and its interrupt.
    ///
    /// An emulator looks for what is typed when a byte is taken, and not when the receiver is switched on: so one is
    /// taken, of a buffer that is empty, as a rule. If a byte has come in between, that is it: what is read then is
    /// not what was read before.
    pub fn listen(&mut self) {
        let on = TX_ENABLE | RX_ENABLE | RX_INTERRUPT_ENABLE;
        if field!(self.registers, ctrl).read() == on {
            return;
        }
        let before = field!(self.registers, data).read();
        field!(self.registers, ctrl).write(on);
        let after = field!(self.registers, data).read();
        self.early = (after != before).then_some(after as u8);
    }

    /// Makes the receiver stop asking. What comes from now on asks anew.
    pub fn clear_interrupt(&mut self) {
        field!(self.registers, interrupt).write(RX_INTERRUPT);
    }

    /// Takes a byte that has come.
    pub fn receive(&mut self) -> Option<u8> {
        if let Some(early) = self.early.take() {
            return Some(early);
        }
        let is_full = field!(self.registers, state).read() & RX_FULL != 0;
        is_full.then(|| field!(self.registers, data).read() as u8)
    }

    /// Whether bytes have come for which there was no room, since it was asked last.
    pub fn has_overrun(&mut self) -> bool {
        let overrun = field!(self.registers, state).read() & RX_OVERRUN;
        field!(self.registers, state).write(overrun);
        overrun != 0
    }
}
