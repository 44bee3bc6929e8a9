//! The driver of an Ethernet: an ordinary process, with one device. `README.md` beside it says how it is used.
#![no_std]

mod controller;
mod driver;
mod lan9118;
mod virtio;

use controller::Controller;
use driver::Driver;
use riposte::{Channel, ConnectError, Connection, Event, Interrupt, Notice, Peripheral};
use riposte_ethernet::protocol::{CHANGE, NOTICE};

/// The bit of the device's interrupt.
const INTERRUPT: u32 = 1;
/// What of a request is received: a frame stays where it is until there is a place for it.
const BUFFER: usize = 20;

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let device = Peripheral::take("ethernet").unwrap();
    let interrupt = Interrupt::attach("ethernet", &channel, INTERRUPT).unwrap();
    // Who looks for frames by itself needs no notices.
    let client = Client::new();
    match device.kind() {
        "virtio-mmio" => serve(&channel, &interrupt, client, virtio::Virtio::open(device)),
        "lan9118" => serve(&channel, &interrupt, client, lan9118::Lan9118::open(device)),
        other => panic!("no driver for an Ethernet of kind `{other}`"),
    }
}

/// Whom the driver tells what happens.
struct Client {
    /// None as long as it has ended, and if nobody is to be told.
    connection: Option<Connection>,
    is_told: bool,
}

impl Client {
    fn new() -> Client {
        let connection = riposte::connect("network");
        Client {
            is_told: !matches!(connection, Err(ConnectError::NotInManifest(_))),
            connection: connection.ok(),
        }
    }

    fn notify(&mut self, bits: u32) {
        // If it has ended, or ends again, its next life asks.
        if let Some(client) = &mut self.connection {
            if client.notify(bits).is_err() && client.reconnect().is_ok() {
                let _ = client.notify(bits);
            }
        } else if self.is_told {
            self.connection = riposte::connect("network").ok();
            let _ = self.connection.as_ref().map(|it| it.notify(bits));
        }
    }
}

fn serve(
    channel: &Channel,
    interrupt: &Interrupt,
    mut client: Client,
    controller: impl Controller,
) {
    let mut driver = Driver::new(controller);
    // What came in an earlier life was noticed there.
    client.notify(NOTICE | CHANGE);
    // It cannot fail, as it is attached.
    let _ = interrupt.acknowledge();
    let error = channel.serve(&mut [0; BUFFER], |event| match event {
        Event::Message(message) => driver.serve(message),
        Event::Notice(Notice::Bits { .. }) => {
            let bits = driver.interrupted();
            if bits != 0 {
                client.notify(bits);
            }
            let _ = interrupt.acknowledge();
            riposte::Answer::later()
        }
        Event::Notice(_) => riposte::Answer::later(),
    });
    panic!("the Ethernet's channel: {error}");
}
