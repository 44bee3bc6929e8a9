//! The CMSDK APB UART (Arm DDI 0479, chapter 4.3).

use riposte::Peripheral;

const DATA: u32 = 0x000;
const STATE: u32 = 0x004;
const CTRL: u32 = 0x008;
const BAUDDIV: u32 = 0x010;

/// STATE: the transmit buffer holds a byte.
const TX_FULL: u32 = 1 << 0;
/// CTRL: the transmitter works.
const TX_ENABLE: u32 = 1 << 0;
/// Fewest clocks per bit that the hardware takes.
const FASTEST: u32 = 16;

/// Switches the transmitter on.
pub fn enable(device: Peripheral) {
    device.write(BAUDDIV, FASTEST);
    device.write(CTRL, TX_ENABLE);
}

/// Writes a byte; waits while the transmitter is busy.
pub fn write(device: Peripheral, byte: u8) {
    while device.read(STATE) & TX_FULL != 0 {}
    device.write(DATA, u32::from(byte));
}
