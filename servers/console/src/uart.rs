//! The serial port, whichever the board has.

use riposte::Peripheral;

use crate::{cmsdk, ns16550};

/// The serial port, for output.
#[derive(Clone, Copy)]
pub struct Uart {
    device: Peripheral,
    write: fn(Peripheral, u8),
}

impl Uart {
    /// Switches the transmitter on, with the driver that the kind of device asks for.
    pub fn enable(device: Peripheral) -> Uart {
        let (enable, write): (fn(Peripheral), fn(Peripheral, u8)) = match device.kind() {
            "cmsdk-uart" => (cmsdk::enable, cmsdk::write),
            "ns16550" => (ns16550::enable, ns16550::write),
            other => panic!("no driver for a serial port of kind `{other}`"),
        };
        enable(device);
        Uart { device, write }
    }

    /// Writes all bytes; waits while the transmitter is busy.
    pub fn write(self, bytes: &[u8]) {
        for byte in bytes {
            (self.write)(self.device, *byte);
        }
    }
}
