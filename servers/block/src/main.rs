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
use riposte_block::protocol::{BLOCK, REQUEST};
use server::Server;

/// The longest request that is received whole: a block that is written. Of a longer one the rest stays where it is.
const BUFFER: usize = REQUEST + BLOCK;

#[riposte::main]
fn main() {
    if let Some(card) = virtio::Virtio::open() {
        return serve(Server::new(card));
    }
    serve(Server::new(Ram::open()));
}

fn serve<D: Device>(mut server: Server<D>) {
    let channel = riposte::own_channel().unwrap();
    let error = channel.serve(&mut Buffer::<BUFFER>::new(), |event| match event {
        Event::Message(message) => server.serve(message),
        Event::Notice(_) => riposte::Answer::later(),
    });
    panic!("the blocks' channel: {error}");
}
