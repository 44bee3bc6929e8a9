//! The serial port, whichever the board has.

use riposte::Peripheral;

use crate::{cmsdk, ns16550, sim};

/// The serial port, for output.
pub enum Uart {
    Cmsdk(cmsdk::Uart),
    Ns16550(ns16550::Uart),
    Sim(sim::Console),
}

impl Uart {
    /// Switches the transmitter on, with the driver that the kind of device asks for.
    pub fn enable(device: Peripheral) -> Uart {
        match device.kind() {
            "cmsdk-uart" => Uart::Cmsdk(cmsdk::Uart::enable(device)),
            "ns16550" => Uart::Ns16550(ns16550::Uart::enable(device)),
            "sim-console" => Uart::Sim(sim::Console::enable(device)),
            other => panic!("no driver for a serial port of kind `{other}`"),
        }
    }

    /// Writes all bytes; waits while the transmitter is busy.
    pub fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match self {
                Uart::Cmsdk(uart) => uart.write(*byte),
                Uart::Ns16550(uart) => uart.write(*byte),
                Uart::Sim(console) => console.write(*byte),
            }
        }
    }
}
