//! The NS16550 UART (National Semiconductor PC16550D, section 8).

use riposte::Peripheral;

const TRANSMIT: u32 = 0;
const LINE_CONTROL: u32 = 3;
const LINE_STATUS: u32 = 5;

/// LINE_CONTROL: eight bits, no parity, one stop bit.
const EIGHT_BITS: u8 = 0b11;
/// LINE_STATUS: the transmitter takes a byte.
const TRANSMITTER_EMPTY: u8 = 1 << 5;

/// Sets the form of a byte; the rate is what the board has set.
pub fn enable(device: Peripheral) {
    device.write_byte(LINE_CONTROL, EIGHT_BITS);
}

/// Writes a byte; waits while the transmitter is busy.
pub fn write(device: Peripheral, byte: u8) {
    while device.read_byte(LINE_STATUS) & TRANSMITTER_EMPTY == 0 {}
    device.write_byte(TRANSMIT, byte);
}
