//! Clients that come, and forged ones of which nothing more is heard.

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    EthernetFrame, EthernetProtocol, EthernetRepr, IpProtocol, Ipv4Address, Ipv4Packet, Ipv4Repr,
    TcpControl, TcpPacket, TcpRepr, TcpSeqNumber,
};

use super::*;

const PORT: u16 = 80;

/// The first segment of somebody who never says anything else.
fn forged(port: u16) -> Vec<u8> {
    let (from, to) = (Ipv4Address::new(10, 0, 0, 9), Ipv4Address::new(10, 0, 0, 2));
    let segment = TcpRepr {
        src_port: port,
        dst_port: PORT,
        control: TcpControl::Syn,
        seq_number: TcpSeqNumber(port.into()),
        ack_number: None,
        window_len: 1000,
        window_scale: None,
        max_seg_size: Some(536),
        sack_permitted: false,
        sack_ranges: [None; 3],
        timestamp: None,
        payload: &[],
    };
    let packet = Ipv4Repr {
        src_addr: from,
        dst_addr: to,
        next_header: IpProtocol::Tcp,
        payload_len: segment.buffer_len(),
        hop_limit: 64,
    };
    let frame = EthernetRepr {
        src_addr: EthernetAddress([2, 0, 0, 0, 0, 9]),
        dst_addr: EthernetAddress([2, 0, 0, 0, 0, 2]),
        ethertype: EthernetProtocol::Ipv4,
    };
    let all = ChecksumCapabilities::default();
    let length = EthernetFrame::<&[u8]>::buffer_len(packet.buffer_len() + segment.buffer_len());
    let mut bytes = vec![0; length];
    let mut out = EthernetFrame::new_unchecked(&mut bytes[..]);
    frame.emit(&mut out);
    let mut out = Ipv4Packet::new_unchecked(out.payload_mut());
    packet.emit(&mut out, &all);
    let mut out = TcpPacket::new_unchecked(out.payload_mut());
    segment.emit(&mut out, &from.into(), &to.into(), &all);
    bytes
}

impl World<'_> {
    fn forge(&mut self, port: u16) {
        self.nodes[1].cable.came.push_back(forged(port));
    }

    fn listens(&mut self, backlog: usize) -> Number {
        let store = &mut self.nodes[1].store;
        let listener = store.listen(OTHER, SHARE, PORT, backlog, Families::Both);
        listener.expect("there are streams")
    }

    /// Whether the second machine accepts the client that the first one has sent.
    fn accepts(&mut self, listener: Number) -> bool {
        self.nodes[1].store.accept(OTHER, listener).is_ok()
    }
}

#[test]
fn a_flood_of_clients_that_are_none_keeps_nobody_out() {
    for backlog in 1..=3 {
        world(|world| {
            let listener = world.listens(backlog);
            for port in 1..100 {
                world.forge(port);
                world.pass(Duration::from_millis(20));
            }
            world.nodes[0].connect(ONE, at(2, PORT)).expect("a stream");
            world.settle();
            assert!(world.accepts(listener), "{backlog}");
        });
    }
}

/// A client's first segment comes behind those `before` and before those `behind`, and all that it says later behind these.
fn comes_amid(world: &mut World<'_>, before: &[u16], behind: &[u16]) -> Number {
    // They know each other from before.
    world.nodes[0].connect(ONE, at(2, 9)).expect("a stream");
    world.settle();
    before.iter().for_each(|port| world.forge(*port));
    let here = world.nodes[0].connect(ONE, at(2, PORT)).expect("a stream");
    world.nodes[0].turn(world.now);
    let [one, other] = &mut world.nodes;
    assert_eq!(one.cable.left.len(), 1);
    other.cable.came.append(&mut one.cable.left);
    behind.iter().for_each(|port| world.forge(*port));
    world.nodes[1].turn(world.now);
    world.settle();
    here
}

#[test]
fn the_oldest_half_open_one_makes_room() {
    world(|world| {
        let listener = world.listens(3);
        let here = comes_amid(world, &[1, 2], &[3, 4]);
        let connected = world.nodes[0].store.connected(ONE, here);
        assert_eq!(connected.map(drop), Ok(()));
        assert!(world.accepts(listener));
    });
    world(|world| {
        let listener = world.listens(3);
        comes_amid(world, &[1, 2], &[3, 4, 5]);
        assert!(!world.accepts(listener));
        // It asks again.
        world.pass(Duration::from_secs(2));
        assert!(world.accepts(listener));
    });
}

#[test]
fn who_asks_again_takes_no_place_of_others() {
    world(|world| {
        let listener = world.listens(2);
        comes_amid(world, &[1], &[1, 1, 1]);
        assert!(world.accepts(listener));
    });
}

#[test]
fn who_has_come_makes_no_room() {
    world(|world| {
        let listener = world.listens(2);
        for _ in 0..2 {
            world.nodes[0].connect(ONE, at(2, PORT)).expect("a stream");
        }
        world.settle();
        for port in 1..10 {
            world.forge(port);
            world.settle();
        }
        assert!(world.accepts(listener));
        assert!(world.accepts(listener));
    });
}
