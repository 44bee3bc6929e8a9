//! The serial port, whichever the board has.

use riposte::Peripheral;

use crate::{cmsdk, ns16550, sim};

/// The serial port.
pub enum Uart {
    Cmsdk(cmsdk::Uart),
    Ns16550(ns16550::Uart),
    Sim(sim::Console),
}

impl Uart {
    /// Switches the transmitter on, with the driver that the kind of device asks for.
    pub fn enable(device: Peripheral) -> Uart {
        let port = match device.kind() {
            "cmsdk-uart" => cmsdk::Uart::enable(device).map(Uart::Cmsdk),
            "ns16550" => ns16550::Uart::enable(device).map(Uart::Ns16550),
            "sim-console" => sim::Console::enable(device).map(Uart::Sim),
            _ => None,
        };
        let Some(port) = port else {
            panic!("the console has no driver for this `uart0`");
        };
        port
    }

    /// Writes all bytes; waits while the transmitter is busy.
    #[inline(never)]
    pub fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match self {
                Uart::Cmsdk(uart) => uart.write(*byte),
                Uart::Ns16550(uart) => uart.write(*byte),
                Uart::Sim(console) => console.write(*byte),
            }
        }
    }

    /// Switches the receiver on, and its interrupt.
    pub fn listen(&mut self) {
        match self {
            Uart::Cmsdk(uart) => uart.listen(),
            Uart::Ns16550(uart) => uart.listen(),
            Uart::Sim(console) => console.listen(),
        }
    }

    /// Makes the receiver stop asking for its interrupt, where taking the bytes does not do that.
    pub fn clear_interrupt(&mut self) {
        if let Uart::Cmsdk(uart) = self {
            uart.clear_interrupt();
        }
    }

    /// Takes a byte that has come. Never waits.
    pub fn receive(&mut self) -> Option<u8> {
        match self {
            Uart::Cmsdk(uart) => uart.receive(),
            Uart::Ns16550(uart) => uart.receive(),
            Uart::Sim(console) => console.receive(),
        }
    }

    /// Whether bytes have come for which the receiver had no room, since it was asked last.
    pub fn has_overrun(&mut self) -> bool {
        match self {
            Uart::Cmsdk(uart) => uart.has_overrun(),
            Uart::Ns16550(uart) => uart.has_overrun(),
            Uart::Sim(_) => false,
        }
    }
}
