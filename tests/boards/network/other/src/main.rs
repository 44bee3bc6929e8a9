//! Takes all that it may have of the network, and says how much that is.
#![no_std]

use core::net::{Ipv4Addr, SocketAddr};

use riposte::{Event, Message};
use riposte_network::{Listener, Network, NetworkError, Port, Stream};

/// Who says back what he is told.
const ECHO: SocketAddr = SocketAddr::new(core::net::IpAddr::V4(Ipv4Addr::new(10, 0, 2, 100)), 7);

/// Everything that it has.
#[derive(Default)]
struct Held<'a> {
    stream: Option<Stream<'a>>,
    listener: Option<Listener<'a>>,
    port: Option<Port<'a>>,
}

#[riposte::main]
fn main() {
    let network = Network::connect("network").unwrap();
    let channel = riposte::own_channel().unwrap();
    let mut held = Held::default();
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => answer(&network, &mut held, message),
        Event::Notice(_) => riposte::Answer::later(),
    });
    panic!("{error}");
}

/// Takes one stream for itself and one for clients of a port, and a port for datagrams: how many it has; and whether it is
/// refused more.
fn answer<'a, 'n>(
    network: &'n Network,
    held: &mut Held<'n>,
    message: Message<'a>,
) -> riposte::Answer<'a> {
    held.stream = network.stream(ECHO).ok();
    held.listener = network.listen(80, 4).ok();
    held.port = network.bind(5000).ok();
    let all = [
        held.stream.is_some(),
        held.listener.is_some(),
        held.port.is_some(),
    ];
    let more = [
        network.stream(ECHO).err(),
        network.listen(81, 1).err(),
        network.bind(0).err(),
    ];
    let refused = more.iter().all(|it| *it == Some(NetworkError::TooMany));
    let count = all.iter().filter(|it| **it).count();
    message.answer_words([count as u32, u32::from(refused)])
}
