//! The driver of an Ethernet: an ordinary process, with one device. `README.md` beside it says how it is used.
#![no_std]

mod controller;
mod driver;
mod lan9118;
mod virtio;

use controller::Controller;
use driver::Driver;
use riposte::{Channel, Connection, Event, Interrupt, Notice, Peripheral};
use riposte_ethernet::protocol::NOTICE;

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
    let client = riposte::connect("network").ok();
    match device.kind() {
        "virtio-mmio" => serve(&channel, &interrupt, client, virtio::Virtio::open(device)),
        "lan9118" => serve(&channel, &interrupt, client, lan9118::Lan9118::open(device)),
        other => panic!("no driver for an Ethernet of kind `{other}`"),
    }
}

fn serve(
    channel: &Channel,
    interrupt: &Interrupt,
    mut client: Option<Connection>,
    controller: impl Controller,
) {
    let mut driver = Driver::new(controller);
    let mut notify = move || {
        if let Some(client) = &mut client
            && client.notify(NOTICE).is_err()
            && client.reconnect().is_ok()
        {
            // If it has ended again, its next life asks.
            let _ = client.notify(NOTICE);
        }
    };
    // What came in an earlier life was noticed there.
    notify();
    // It cannot fail, as it is attached.
    let _ = interrupt.acknowledge();
    let error = channel.serve(&mut [0; BUFFER], |event| match event {
        Event::Message(message) => driver.serve(message),
        Event::Notice(Notice::Bits { .. }) => {
            if driver.interrupted() {
                notify();
            }
            let _ = interrupt.acknowledge();
            riposte::Answer::later()
        }
        Event::Notice(_) => riposte::Answer::later(),
    });
    panic!("the Ethernet's channel: {error}");
}
