//! IPv6 besides IPv4: what comes by either, and frames that are chance.

use super::*;
use crate::Routers;

/// Frames that are made of those of hosts.
const FRAMES: u32 = 100_000;

pub fn six(last: u8, port: u16) -> IpEndpoint {
    IpEndpoint::new(address(last), port)
}

fn address(last: u8) -> IpAddress {
    IpAddress::v6(0xFD00, 0, 0, 0, 0, 0, 0, last.into())
}

/// Runs a test in a world of both.
pub fn world_of_both(test: impl FnOnce(&mut World<'_>)) {
    world(|world| {
        for (node, last) in world.nodes.iter_mut().zip(1..) {
            node.interface.update_ip_addrs(|all| {
                let own = IpCidr::new(address(last), 64);
                all.push(own).expect("there is room");
            });
        }
        test(world);
    });
}

#[test]
fn a_listener_has_clients_of_its_families_alone() {
    world_of_both(|world| {
        for (families, of_four, of_six) in [
            (Families::Both, true, true),
            (Families::Ipv4, true, false),
            (Families::Ipv6, false, true),
        ] {
            for (to, comes) in [(at(2, 80), of_four), (six(2, 80), of_six)] {
                let store = &mut world.nodes[1].store;
                let listener = store.listen(OTHER, SHARE, 80, 1, families);
                let listener = listener.expect("there are streams");
                let here = world.nodes[0].connect(ONE, to).expect("a stream");
                world.pass(Duration::from_secs(2));
                let store = &mut world.nodes[1].store;
                let came = store.accept(OTHER, listener).map(|(number, _)| number);
                assert_eq!(came.is_ok(), comes, "{families:?} {to}");
                if let Ok(number) = came {
                    store.close(OTHER, number).expect("it is there");
                }
                store.close(OTHER, listener).expect("it is there");
                let store = &mut world.nodes[0].store;
                if !comes {
                    let told = store.send(ONE, here, |_| 0);
                    let is_sent_away = matches!(told, Err(Refused::Refused | Refused::Reset));
                    assert!(is_sent_away, "{families:?} {to}");
                }
                store.close(ONE, here).expect("it is there");
                world.pass(Duration::from_secs(2));
            }
        }
    });
}

#[test]
fn a_port_passes_over_datagrams_of_other_families() {
    world_of_both(|world| {
        for (families, expected) in [
            (Families::Both, &[4, 6, 4, 6][..]),
            (Families::Ipv4, &[4, 4]),
            (Families::Ipv6, &[6, 6]),
        ] {
            let [one, other] = &mut world.nodes;
            let (here, _) = one
                .store
                .bind(ONE, SHARE, 0, Families::Both)
                .expect("a port");
            let (there, _) = other.store.bind(OTHER, SHARE, 7, families).expect("a port");
            for (to, byte) in [(at(2, 7), 4), (six(2, 7), 6), (at(2, 7), 4), (six(2, 7), 6)] {
                let store = &mut world.nodes[0].store;
                assert_eq!(store.send_to(ONE, here, to, &[byte]), Ok(()));
                world.pass(Duration::from_secs(2));
            }
            let store = &mut world.nodes[1].store;
            let mut came = Vec::new();
            while store.ready(OTHER, there).expect("a port").read {
                let byte = store.receive_from(OTHER, there, |bytes, _| Some(bytes[0]));
                came.push(byte.expect("it is ready"));
            }
            assert_eq!(came, expected, "{families:?}");
            store.close(OTHER, there).expect("it is there");
            world.nodes[0].store.close(ONE, here).expect("it is there");
        }
    });
}

#[test]
fn a_datagram_over_ipv6_has_room_for_its_head() {
    world_of_both(|world| {
        let store = &mut world.nodes[0].store;
        let (here, _) = store.bind(ONE, SHARE, 0, Families::Both).expect("a port");
        let long = store.send_to(ONE, here, six(2, 7), &[0; LONGEST_IPV6 + 1]);
        assert_eq!(long, Err(Refused::TooLong));
        let sent = store.send_to(ONE, here, six(2, 7), &[0; LONGEST_IPV6]);
        assert_eq!(sent, Ok(()));
        world.pass(Duration::from_secs(2));
        let longest = world.nodes[1].cable.last.len();
        assert!(longest <= 1514, "{longest}");
    });
}

#[test]
fn a_host_answers_ping_over_ipv6() {
    use smoltcp::phy::ChecksumCapabilities;
    use smoltcp::wire::{Icmpv6Packet, Icmpv6Repr, IpProtocol, Ipv6Packet, Ipv6Repr};

    world_of_both(|world| {
        // Who asks is known by what it has sent before.
        let store = &mut world.nodes[1].store;
        let (port, _) = store.bind(ONE, SHARE, 0, Families::Both).expect("a port");
        let sent = store.send_to(ONE, port, six(1, 7), b"hello");
        assert_eq!(sent, Ok(()));
        world.pass(Duration::from_secs(2));
        let (IpAddress::Ipv6(own), IpAddress::Ipv6(other)) = (address(1), address(2)) else {
            panic!("they are of IPv6");
        };
        let asks = Icmpv6Repr::EchoRequest {
            ident: 5,
            seq_no: 6,
            data: b"data",
        };
        let head = Ipv6Repr {
            src_addr: other,
            dst_addr: own,
            next_header: IpProtocol::Icmpv6,
            payload_len: asks.buffer_len(),
            hop_limit: 64,
        };
        let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x86, 0xDD];
        frame.resize(14 + 40 + asks.buffer_len(), 0);
        let mut packet = Ipv6Packet::new_unchecked(&mut frame[14..]);
        head.emit(&mut packet);
        let sums = ChecksumCapabilities::default();
        let mut said = Icmpv6Packet::new_unchecked(packet.payload_mut());
        asks.emit(&other, &own, &mut said, &sums);
        let one = &mut world.nodes[0];
        one.cable.came.push_back(frame);
        one.turn(world.now);
        let answer = one.cable.left.pop_front().expect("an answer");
        let packet = Ipv6Packet::new_checked(&answer[14..]).expect("a packet");
        assert_eq!((packet.src_addr(), packet.dst_addr()), (own, other));
        let said = Icmpv6Packet::new_checked(packet.payload()).expect("of ICMP");
        let said = Icmpv6Repr::parse(&own, &other, &said, &sums).expect("right");
        let expected = Icmpv6Repr::EchoReply {
            ident: 5,
            seq_no: 6,
            data: b"data",
        };
        assert_eq!(said, expected);
    });
}

/// A frame that has a datagram with these bytes, for the second machine.
pub fn datagram(from: IpEndpoint, to: IpEndpoint, bytes: &[u8]) -> Vec<u8> {
    use smoltcp::phy::ChecksumCapabilities;
    use smoltcp::wire::{IpProtocol, IpRepr, IpVersion, UdpPacket, UdpRepr};

    let datagram = UdpRepr {
        src_port: from.port,
        dst_port: to.port,
    };
    let length = datagram.header_len() + bytes.len();
    let packet = IpRepr::new(from.addr, to.addr, IpProtocol::Udp, length, 64);
    let mut frame = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 9];
    frame.extend(match to.addr.version() {
        IpVersion::Ipv4 => [8, 0],
        IpVersion::Ipv6 => [0x86, 0xDD],
    });
    frame.resize(14 + packet.buffer_len(), 0);
    let all = ChecksumCapabilities::default();
    packet.emit(&mut frame[14..], &all);
    let mut out = UdpPacket::new_unchecked(&mut frame[14 + packet.header_len()..]);
    let fill = |to: &mut [u8]| to.copy_from_slice(bytes);
    datagram.emit(&mut out, &from.addr, &to.addr, bytes.len(), fill, &all);
    frame
}

#[test]
fn nobody_at_the_wire_has_the_address_that_each_machine_has_for_itself() {
    let own = |last: u8| IpEndpoint::new(IpAddress::v4(127, 0, 0, last), 7);
    let own_six = IpEndpoint::new(IpAddress::v6(0, 0, 0, 0, 0, 0, 0, 1), 7);
    for (from, to, is_taken) in [
        (at(9, 7), at(2, 7), true),
        (own(1), at(2, 7), false),
        (own(9), at(2, 7), false),
        (at(9, 7), own(1), false),
        (six(9, 7), six(2, 7), true),
        (own_six, six(2, 7), false),
        (six(9, 7), own_six, false),
    ] {
        world_of_both(|world| {
            let node = &mut world.nodes[1];
            let there = node.store.bind(OTHER, SHARE, 7, Families::Both);
            let (there, _) = there.expect("a port");
            node.cable.came.push_back(datagram(from, to, &[1]));
            node.turn(world.now);
            let came = node.store.receive_from(OTHER, there, |_, from| Some(from));
            assert_eq!(came.is_ok(), is_taken, "{from} {to}");
        });
    }
}

#[test]
fn the_address_that_each_machine_has_for_itself_is_no_other_host_s() {
    world_of_both(|world| {
        let interface = &world.nodes[0].interface;
        for (is_it, host) in [
            (true, "10.0.0.2"),
            (true, "126.255.255.255"),
            (false, "127.0.0.1"),
            (false, "127.255.255.254"),
            (true, "128.0.0.1"),
            (false, "10.0.0.255"),
            (true, "fd00::2"),
            (false, "::1"),
        ] {
            let address = host.parse().expect("an address");
            assert_eq!(is_host(interface, address), is_it, "{host}");
        }
    });
}

/// Numbers that are the same each time.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % most
    }

    /// One of these.
    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Whether it is one of so many in a hundred.
    pub fn is(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn byte(&mut self) -> u8 {
        self.below(256) as u8
    }
}

#[test]
fn frames_of_chance_do_a_host_no_harm() {
    world_of_both(|world| {
        // What hosts say to each other.
        let mut frames = Vec::new();
        let listener = world.nodes[1]
            .store
            .listen(OTHER, SHARE, 80, 1, Families::Both);
        listener.expect("there are streams");
        let here = world.nodes[0].connect(ONE, six(2, 80)).expect("a stream");
        for _ in 0..40 {
            world.now += Duration::from_millis(10);
            let [one, other] = &mut world.nodes;
            one.turn(world.now);
            frames.extend(one.cable.left.iter().cloned());
            other.cable.came.append(&mut one.cable.left);
            other.turn(world.now);
            frames.extend(other.cable.left.iter().cloned());
            one.cable.came.append(&mut other.cable.left);
        }
        let store = &mut world.nodes[0].store;
        assert_eq!(store.connected(ONE, here).map(drop), Ok(()));
        frames.push(routers::of_router());
        assert!(frames.len() > 4);
        let mut chance = Chance(1);
        let mut told = Routers::new();
        for _ in 0..FRAMES {
            let mut frame = frames[chance.below(frames.len())].clone();
            for _ in 0..chance.below(5) {
                // The host's own address at the wire stays, or nothing would come to it.
                let place = 12 + chance.below(frame.len() - 12);
                frame[place] = chance.below(256) as u8;
            }
            if chance.below(4) == 0 {
                frame.truncate(14 + chance.below(frame.len() - 13));
            }
            told.hear(world.now, &frame);
            told.tend(world.now);
            assert!(told.addresses(EthernetAddress([2, 0, 0, 0, 0, 1])).count() <= 2);
            let one = &mut world.nodes[0];
            one.cable.came.push_back(frame);
            one.turn(world.now);
            one.cable.left.clear();
        }
        // What was under way may have ended by it; what is begun anew goes as before.
        let store = &mut world.nodes[0].store;
        let _ = store.close(ONE, here);
        world.pass(Duration::from_secs(120));
        let here = world.nodes[0].connect(ONE, six(2, 80)).expect("a stream");
        world.pass(Duration::from_secs(5));
        let store = &mut world.nodes[0].store;
        assert_eq!(store.connected(ONE, here).map(drop), Ok(()));
    });
}
