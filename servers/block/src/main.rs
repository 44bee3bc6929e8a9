//! The block server: a card, of which each client has a part of its own. `README.md` beside it says how it is used.
#![no_std]

mod device;
mod ram;
mod ranges;
mod server;
mod virtio;

use device::Device;
use ram::Ram;
use riposte::{Buffer, Event};
use riposte_block::protocol::REQUEST;
use server::Server;

#[riposte::main]
fn main() {
    if let Some(card) = virtio::Virtio::open() {
        return serve(Server::new(card));
    }
    serve(Server::new(Ram::open()));
}

fn serve<D: Device>(mut server: Server<D>) {
    let channel = riposte::own_channel().unwrap();
    // Of what is to be written the rest stays where it is.
    let error = channel.serve(&mut Buffer::<REQUEST>::new(), |event| match event {
        Event::Message(message) => server.serve(message),
        Event::Notice(_) => riposte::Answer::later(),
    });
    panic!("the blocks' channel: {error}");
}
