//! The serial port, whichever the board has.

use riposte::Peripheral;

use crate::{cmsdk, ns16550, sim};

/// How to use a kind of serial port.
#[derive(Clone, Copy)]
struct Driver {
    enable: fn(Peripheral),
    write: fn(Peripheral, u8),
}

/// The serial port, for output.
#[derive(Clone, Copy)]
pub struct Uart {
    device: Peripheral,
    driver: Driver,
}

impl Uart {
    /// Switches the transmitter on, with the driver that the kind of device asks for.
    pub fn enable(device: Peripheral) -> Uart {
        let driver = match device.kind() {
            "cmsdk-uart" => Driver {
                enable: cmsdk::enable,
                write: cmsdk::write,
            },
            "ns16550" => Driver {
                enable: ns16550::enable,
                write: ns16550::write,
            },
            "sim-console" => Driver {
                enable: |_| {},
                write: sim::write,
            },
            other => panic!("no driver for a serial port of kind `{other}`"),
        };
        (driver.enable)(device);
        Uart { device, driver }
    }

    /// Writes all bytes; waits while the transmitter is busy.
    pub fn write(self, bytes: &[u8]) {
        for byte in bytes {
            (self.driver.write)(self.device, *byte);
        }
    }
}
