//! Searches for neighbours, of which some are not there.

use core::net::Ipv6Addr;

use smoltcp::wire::{
    ArpOperation, ArpPacket, ArpRepr, EthernetFrame, EthernetProtocol, EthernetRepr,
};

use super::*;

/// Hosts that nobody has.
fn nobody(number: u8) -> IpEndpoint {
    at(100 + number, 80)
}

/// Has a client connect to so many hosts that nobody has, and the stack look for them for some time.
fn connects_to_nobody(world: &mut World<'_>, hosts: u8) {
    for number in 0..hosts {
        let asked = world.nodes[0].connect(GREEDY, nobody(number));
        assert!(asked.is_ok());
    }
    world.pass(Duration::from_millis(5_500));
}

/// Whether a stream of one client gets to a neighbour in this time.
fn reaches(world: &mut World<'_>, to: IpEndpoint, time: Duration) -> bool {
    let listener = world.nodes[1]
        .store
        .listen(OTHER, SHARE, to.port, 2, Families::Both);
    listener.expect("there are streams");
    let here = world.nodes[0].connect(ONE, to).expect("a stream");
    world.pass(time);
    world.nodes[0].store.connected(ONE, here).is_ok()
}

fn bound(world: &mut World<'_>, node: usize, client: u32, port: u16) -> Number {
    let store = &mut world.nodes[node].store;
    let bound = store.bind(client, SHARE, port, Families::Both);
    bound.expect("a port").0
}

/// What has come for a port, oldest first.
fn taken(world: &mut World<'_>, node: usize, client: u32, port: Number) -> Vec<u8> {
    let store = &mut world.nodes[node].store;
    core::iter::from_fn(|| {
        let taken = store.receive_from(client, port, |bytes, _| Some(bytes[0]));
        taken.ok()
    })
    .collect()
}

/// A little: what an answer takes.
const SOON: Duration = Duration::from_millis(50);

#[test]
fn who_connects_to_nobody_keeps_no_other_from_a_neighbour() {
    world(|world| {
        connects_to_nobody(world, 4);
        assert!(reaches(world, at(2, 80), SOON));
    });
}

#[test]
fn who_connects_to_nobody_over_ipv4_keeps_no_other_from_one_of_ipv6() {
    families::world_of_both(|world| {
        connects_to_nobody(world, 4);
        assert!(reaches(world, families::six(2, 80), SOON));
    });
}

#[test]
fn who_sends_datagrams_to_nobody_keeps_no_other_from_a_neighbour() {
    world(|world| {
        let there = bound(world, 1, OTHER, 7);
        let [nowhere, here] = [GREEDY, ONE].map(|client| bound(world, 0, client, 0));
        // Whenever there is room for one.
        for second in 0..20 {
            let store = &mut world.nodes[0].store;
            let _ = store.send_to(GREEDY, nowhere, nobody(second % 3), b"x");
            world.pass(Duration::from_millis(500));
        }
        let store = &mut world.nodes[0].store;
        let _ = store.send_to(GREEDY, nowhere, nobody(0), b"x");
        assert_eq!(store.send_to(ONE, here, at(2, 7), b"h"), Ok(()));
        world.pass(SOON);
        assert_eq!(taken(world, 1, OTHER, there), b"h");
    });
}

/// One of the first node asks for a name at the other one.
fn asks_for_a_name(world: &mut World<'_>) {
    let node = &mut world.nodes[0];
    node.store.set_name_servers([at(2, 0).addr]);
    let numbers = node.interface.context();
    let asked = node
        .store
        .ask(ONE, SHARE, b"a.b", Families::Ipv4, numbers, world.now);
    assert!(asked.is_ok());
}

#[test]
fn who_connects_to_nobody_keeps_no_other_from_a_name() {
    world(|world| {
        let server = bound(world, 1, OTHER, 53);
        connects_to_nobody(world, 4);
        asks_for_a_name(world);
        world.pass(SOON);
        assert_eq!(taken(world, 1, OTHER, server).len(), 1);
    });
}

#[test]
fn a_datagram_for_nobody_keeps_no_name_from_being_asked_for() {
    world(|world| {
        let server = bound(world, 1, OTHER, 53);
        let here = bound(world, 0, GREEDY, 0);
        let store = &mut world.nodes[0].store;
        assert_eq!(store.send_to(GREEDY, here, nobody(0), b"x"), Ok(()));
        asks_for_a_name(world);
        world.pass(SOON);
        assert_eq!(taken(world, 1, OTHER, server).len(), 1);
    });
}

#[test]
fn a_datagram_for_nobody_keeps_no_other_of_its_port_waiting() {
    world(|world| {
        let there = bound(world, 1, OTHER, 7);
        let here = bound(world, 0, ONE, 9);
        let send = |world: &mut World<'_>, to, bytes: &[u8]| {
            world.nodes[0].store.send_to(ONE, here, to, bytes)
        };
        // An empty one is one as well.
        for (number, bytes) in [&[][..], &[1], &[1]].iter().enumerate() {
            assert_eq!(send(world, nobody(number as u8), bytes), Ok(()));
        }
        for byte in 2..12 {
            assert_eq!(send(world, at(2, 7), &[byte]), Ok(()));
            world.pass(SOON);
            assert_eq!(taken(world, 1, OTHER, there), [byte]);
        }
        // It is the same port as before.
        let back = world.nodes[1].store.send_to(OTHER, there, at(1, 9), &[1]);
        assert_eq!(back, Ok(()));
        world.pass(SOON);
        assert_eq!(taken(world, 0, ONE, here), [1]);
    });
}

#[test]
fn a_port_forgets_who_is_not_there_after_three_searches() {
    world(|world| {
        let here = bound(world, 0, ONE, 9);
        let send = |world: &mut World<'_>, to| world.nodes[0].store.send_to(ONE, here, to, &[1]);
        let is_ready = |world: &mut World<'_>| {
            let ready = world.nodes[0].store.ready(ONE, here);
            ready.expect("a port").write
        };
        for _ in 0..2 {
            for number in 0..KEPT as u8 {
                assert!(is_ready(world));
                // Two of them for one host.
                assert_eq!(send(world, nobody(number / 2)), Ok(()));
            }
            assert!(!is_ready(world));
            assert_eq!(send(world, at(2, 7)), Err(Refused::NotYet));
            world.pass(Duration::from_millis(2_900));
            assert!(!is_ready(world));
            world.pass(Duration::from_millis(200));
        }
        let store = &mut world.nodes[0].store;
        assert_eq!((store.is_looking(), store.search_ends()), (false, None));
    });
}

#[test]
fn a_port_that_had_no_room_for_a_datagram_is_ready_when_it_has() {
    world(|world| {
        let here = bound(world, 0, ONE, 9);
        let send = |world: &mut World<'_>, length: usize| {
            let bytes = vec![1; length];
            let store = &mut world.nodes[0].store;
            store.send_to(ONE, here, nobody(0), &bytes)
        };
        let is_ready = |world: &mut World<'_>| {
            let ready = world.nodes[0].store.ready(ONE, here);
            ready.expect("a port").write
        };
        assert_eq!(send(world, 1400), Ok(()));
        assert!(is_ready(world));
        assert_eq!(send(world, 200), Err(Refused::NotYet));
        assert!(!is_ready(world));
        // Whoever wants less finds room.
        assert_eq!(send(world, 100), Ok(()));
        assert!(is_ready(world));
        assert_eq!(send(world, 200), Err(Refused::NotYet));
        world.pass(Duration::from_millis(2_900));
        assert!(!is_ready(world));
        world.pass(Duration::from_millis(200));
        assert!(is_ready(world));
        assert_eq!(send(world, 200), Ok(()));
    });
}

#[test]
fn who_looks_for_the_same_host_takes_no_search_of_others() {
    world(|world| {
        let here = bound(world, 0, ONE, 9);
        let node = &mut world.nodes[0];
        for _ in 0..KEPT {
            assert_eq!(node.store.send_to(ONE, here, nobody(0), &[1]), Ok(()));
        }
        for millis in 0..3_200 {
            let ready = node.store.ready(ONE, here).expect("a port");
            assert_eq!(ready.write, millis > 3_000, "{millis}");
            let now = Instant::from_millis(millis);
            node.turn(now);
            let store = &mut node.store;
            let share = share_of(GREEDY);
            let (port, _) = store.bind(GREEDY, share, 0, Families::Both).expect("one");
            assert_eq!(store.send_to(GREEDY, port, nobody(0), &[1]), Ok(()));
            node.turn(now);
            assert_eq!(node.store.close(GREEDY, port), Ok(()));
        }
    });
}

#[test]
fn datagrams_for_one_host_leave_in_their_order() {
    world(|world| {
        let there = bound(world, 1, OTHER, 7);
        let here = bound(world, 0, ONE, 9);
        // Who looks for others keeps the stack from looking for these itself.
        connects_to_nobody(world, 1);
        for (to, byte) in [(at(2, 7), 1), (nobody(5), 9), (at(2, 7), 2), (at(2, 7), 3)] {
            let sent = world.nodes[0].store.send_to(ONE, here, to, &[byte]);
            assert_eq!(sent, Ok(()));
        }
        world.pass(SOON);
        assert_eq!(taken(world, 1, OTHER, there), [1, 2, 3]);
    });
}

#[test]
fn a_port_with_much_to_send_keeps_no_other_port_waiting() {
    world(|world| {
        let there = bound(world, 1, OTHER, 7);
        let [much, little] = [ONE, OTHER].map(|client| bound(world, 0, client, 0));
        let send = |world: &mut World<'_>, client, port, byte: u8| {
            let store = &mut world.nodes[0].store;
            assert_eq!(store.send_to(client, port, at(2, 7), &[byte]), Ok(()));
        };
        // They know each other.
        send(world, ONE, much, 0);
        world.pass(SOON);
        assert_eq!(taken(world, 1, OTHER, there), [0]);
        for byte in 1..=3 {
            send(world, ONE, much, byte);
        }
        send(world, OTHER, little, 9);
        world.pass(SOON);
        let all = taken(world, 1, OTHER, there);
        assert!(all[..2].contains(&9), "{all:?}");
        assert_eq!(all.len(), 4);
    });
}

#[test]
fn what_there_is_no_room_for_at_the_wire_is_sent_when_there_is() {
    world(|world| {
        let there = bound(world, 1, OTHER, 7);
        let here = bound(world, 0, ONE, 9);
        let send = |world: &mut World<'_>, byte: u8| {
            let sent = world.nodes[0].store.send_to(ONE, here, at(2, 7), &[byte]);
            assert_eq!(sent, Ok(()));
        };
        send(world, 0);
        world.pass(SOON);
        world.nodes[0].cable.is_full = true;
        for byte in 1..=3 {
            send(world, byte);
        }
        world.pass(SOON);
        // Nobody is looked for because of that.
        assert!(!world.nodes[0].store.is_looking());
        assert!(world.nodes[0].store.has_datagram_to_send());
        world.nodes[0].cable.is_full = false;
        world.pass(SOON);
        assert!(!world.nodes[0].store.has_datagram_to_send());
        assert_eq!(taken(world, 1, OTHER, there), [0, 1, 2, 3]);
    });
}

#[test]
fn a_port_forgets_at_once_what_leads_nowhere() {
    // The own machine, and one without a way.
    for to in [at(1, 9), IpEndpoint::new(IpAddress::v4(192, 168, 0, 1), 9)] {
        world(|world| {
            let here = bound(world, 0, ONE, 9);
            for _ in 0..2 {
                for _ in 0..KEPT {
                    let sent = world.nodes[0].store.send_to(ONE, here, to, &[1]);
                    assert_eq!(sent, Ok(()), "{to}");
                }
                world.pass(SOON);
            }
            let store = &mut world.nodes[0].store;
            assert_eq!((store.is_looking(), store.search_ends()), (false, None));
        });
    }
}

/// What a host, whoever it is, answers to a frame that looks for it: to this device.
pub fn found(frame: &[u8], device: EthernetAddress) -> Option<Vec<u8>> {
    const HOST: EthernetAddress = EthernetAddress([2, 0, 0, 0, 0, 77]);
    let frame = EthernetFrame::new_checked(frame).ok()?;
    let packet = ArpPacket::new_checked(frame.payload()).ok()?;
    let ArpRepr::EthernetIpv4 {
        source_hardware_addr,
        source_protocol_addr,
        target_protocol_addr,
        ..
    } = ArpRepr::parse(&packet).ok()?
    else {
        return None;
    };
    let answer = ArpRepr::EthernetIpv4 {
        operation: ArpOperation::Reply,
        source_hardware_addr: HOST,
        source_protocol_addr: target_protocol_addr,
        target_hardware_addr: source_hardware_addr,
        target_protocol_addr: source_protocol_addr,
    };
    let mut bytes = vec![0; 14 + 28];
    let mut frame = EthernetFrame::new_unchecked(&mut bytes[..]);
    let head = EthernetRepr {
        src_addr: HOST,
        dst_addr: device,
        ethertype: EthernetProtocol::Arp,
    };
    head.emit(&mut frame);
    answer.emit(&mut ArpPacket::new_unchecked(frame.payload_mut()));
    Some(bytes)
}

#[test]
fn a_port_forgets_after_three_searches_whom_the_stack_does_not_believe() {
    world(|world| {
        // Its address is none of the wire's.
        let gateway = [172, 16, 0, 1].into();
        let routes = world.nodes[0].interface.routes_mut();
        routes.add_default_ipv4_route(gateway).expect("room");
        let here = bound(world, 0, ONE, 9);
        let node = &mut world.nodes[0];
        let far = IpEndpoint::new(IpAddress::v4(192, 168, 0, 1), 9);
        for _ in 0..KEPT {
            assert_eq!(node.store.send_to(ONE, here, far, &[1]), Ok(()));
        }
        let mut searches = 0;
        for millis in (0..3_200).step_by(10) {
            let ready = node.store.ready(ONE, here).expect("a port");
            assert_eq!(ready.write, millis > 3_000, "{millis}");
            node.turn(Instant::from_millis(millis));
            for frame in core::mem::take(&mut node.cable.left) {
                searches += 1;
                // At once, and ever again.
                node.cable.came.extend(found(&frame, node.device));
            }
            if let Some(last) = Some(&node.cable.last).filter(|it| !it.is_empty()) {
                node.cable.came.push_back(last.clone());
            }
        }
        // The stack looks for it once more, before it is known that it was in vain.
        assert!(searches <= 4, "{searches}");
    });
}

/// Gives the first machine an address in place of the one that it has: the stack forgets all neighbours.
fn gets_address(world: &mut World<'_>, last: u8) {
    let node = &mut world.nodes[0];
    node.interface.update_ip_addrs(|all| {
        all[0] = IpCidr::new(at(last, 0).addr, 24);
    });
    node.store.forget_neighbours();
}

#[test]
fn who_was_found_is_looked_for_when_an_address_has_changed() {
    world(|world| {
        // Who looks for others keeps the stack from looking for this one itself.
        connects_to_nobody(world, 3);
        let (here, there, _) = world.stream();
        gets_address(world, 1);
        assert_eq!(write(&mut world.nodes[0].store, ONE, here, b"x"), Ok(1));
        world.pass(Duration::from_millis(1_100));
        let store = &mut world.nodes[1].store;
        assert_eq!(read(store, OTHER, there), Ok(b"x".to_vec()));
    });
}

#[test]
fn nobody_is_looked_for_from_an_address_that_there_was() {
    world(|world| {
        let there = bound(world, 1, OTHER, 7);
        let here = bound(world, 0, ONE, 9);
        // Nobody answers for a while.
        let store = &mut world.nodes[0].store;
        assert_eq!(store.send_to(ONE, here, at(2, 7), b"x"), Ok(()));
        assert_eq!(searches(world, Duration::from_millis(100)), 1);
        gets_address(world, 3);
        world.pass(SOON);
        assert_eq!(taken(world, 1, OTHER, there), b"x");
    });
}

#[test]
fn a_port_forgets_who_is_not_there_though_addresses_change() {
    world(|world| {
        let here = bound(world, 0, ONE, 9);
        for _ in 0..KEPT {
            let store = &mut world.nodes[0].store;
            assert_eq!(store.send_to(ONE, here, nobody(0), &[1]), Ok(()));
        }
        for _ in 0..4 {
            gets_address(world, 1);
            world.pass(Duration::from_millis(900));
        }
        let ready = world.nodes[0].store.ready(ONE, here);
        assert!(ready.expect("a port").write);
    });
}

#[test]
fn what_is_for_another_device_finds_nobody() {
    world(|world| {
        let here = bound(world, 0, ONE, 9);
        let node = &mut world.nodes[0];
        assert_eq!(node.store.send_to(ONE, here, nobody(0), &[1]), Ok(()));
        node.turn(Instant::ZERO);
        let search = node.cable.left.pop_front().expect("a search");
        for (device, is_looking) in [([2, 0, 0, 0, 0, 66], true), (node.device.0, false)] {
            let answer = found(&search, EthernetAddress(device)).expect("of a search");
            node.store.hear(Instant::ZERO, node.device, &answer);
            node.store.tend_searches(Instant::ZERO);
            assert_eq!(node.store.is_looking(), is_looking);
        }
    });
}

#[test]
fn what_a_port_looked_for_does_not_end_for_its_next_owner() {
    world(|world| {
        let there = bound(world, 1, OTHER, 7);
        // There is no other port.
        let ports = [GREEDY; PORTS].map(|client| {
            let store = &mut world.nodes[0].store;
            let bound = store.bind(client, share_of(client), 0, Families::Both);
            bound.expect("a port").0
        });
        let store = &mut world.nodes[0].store;
        assert_eq!(store.send_to(GREEDY, ports[0], nobody(0), &[1]), Ok(()));
        world.pass(Duration::from_millis(2_900));
        let store = &mut world.nodes[0].store;
        store.abandon(GREEDY);
        let here = bound(world, 0, ONE, 9);
        // The wire takes nothing for a while.
        let store = &mut world.nodes[0].store;
        assert_eq!(store.send_to(ONE, here, at(2, 7), &[2]), Ok(()));
        for millis in [3_000, 3_100, 3_200] {
            world.nodes[0]
                .store
                .tend_searches(Instant::from_millis(millis));
        }
        // Its socket is kept from sending for a second after the last search.
        world.pass(Duration::from_millis(200));
        assert_eq!(taken(world, 1, OTHER, there), [2]);
    });
}

#[test]
fn what_has_come_for_a_port_stays_when_it_forgets_who_is_not_there() {
    world(|world| {
        let there = bound(world, 1, OTHER, 7);
        let here = bound(world, 0, ONE, 9);
        let back = world.nodes[1].store.send_to(OTHER, there, at(1, 9), &[1]);
        assert_eq!(back, Ok(()));
        world.pass(SOON);
        // A search of others has it looked for, too.
        connects_to_nobody(world, 1);
        let store = &mut world.nodes[0].store;
        assert_eq!(store.send_to(ONE, here, nobody(5), &[2]), Ok(()));
        world.pass(Duration::from_secs(4));
        let store = &mut world.nodes[0].store;
        assert_eq!(store.send_to(ONE, here, at(2, 7), &[3]), Ok(()));
        world.pass(SOON);
        assert_eq!(taken(world, 1, OTHER, there), [3]);
        assert_eq!(taken(world, 0, ONE, here), [1]);
    });
}

#[test]
fn who_has_sent_everything_looks_for_nobody_when_others_do() {
    world(|world| {
        let there = bound(world, 1, OTHER, 7);
        let here = bound(world, 0, ONE, 9);
        let store = &mut world.nodes[0].store;
        assert_eq!(store.send_to(ONE, here, at(2, 7), &[1]), Ok(()));
        world.pass(SOON);
        assert_eq!(taken(world, 1, OTHER, there), [1]);
        // Who was just found is not looked for in any case.
        world.pass(Duration::from_secs(6));
        for number in 0..2 {
            let asked = world.nodes[0].connect(GREEDY, nobody(number));
            assert!(asked.is_ok());
        }
        assert_eq!(searches(world, Duration::from_millis(2_500)), 6);
    });
}

/// Frames of a machine that look for somebody, in this time, in which nobody answers.
fn searches(world: &mut World<'_>, time: Duration) -> usize {
    let (end, mut found) = (world.now + time, 0);
    while world.now < end {
        world.now += Duration::from_millis(10);
        let node = &mut world.nodes[0];
        node.turn(world.now);
        found += node.cable.left.len();
        node.cable.left.clear();
    }
    found
}

#[test]
fn each_is_looked_for_once_a_second() {
    world(|world| {
        let asked = world.nodes[0].connect(GREEDY, nobody(0));
        assert!(asked.is_ok());
        // By the stack or here.
        assert_eq!(searches(world, Duration::from_millis(9_500)), 10);
        // Four of one host are looked for as one.
        for _ in 0..4 {
            let asked = world.nodes[0].connect(GREEDY, nobody(1));
            assert!(asked.is_ok());
        }
        let found = searches(world, Duration::from_secs(10));
        assert!((16..=22).contains(&found), "{found}");
    });
    world(|world| {
        for number in 0..STREAMS as u8 {
            let asked = world.nodes[0].connect(GREEDY, nobody(number));
            assert!(asked.is_ok());
        }
        let found = searches(world, Duration::from_secs(10));
        assert!(found <= (STREAMS + 1) * 11, "{found}");
    });
}

#[test]
fn nobody_is_looked_for_when_all_was_sent() {
    world(|world| {
        assert!(reaches(world, at(2, 80), SOON));
        assert_eq!(searches(world, Duration::from_secs(10)), 0);
        assert!(!world.nodes[0].store.is_looking());
    });
}

#[test]
fn searches_end_when_nobody_wants_anything_any_more() {
    world(|world| {
        let here = bound(world, 0, ONE, 9);
        connects_to_nobody(world, 4);
        let store = &mut world.nodes[0].store;
        assert_eq!(store.send_to(ONE, here, nobody(5), &[2]), Ok(()));
        world.pass(SOON);
        let store = &mut world.nodes[0].store;
        assert!(store.is_looking());
        store.abandon(GREEDY);
        store.abandon(ONE);
        world.pass(Duration::from_secs(4));
        let store = &mut world.nodes[0].store;
        assert_eq!((store.is_looking(), store.search_ends()), (false, None));
    });
}

#[test]
fn who_speaks_for_others_is_not_believed_to_be_found() {
    let [own, other] = [1, 2].map(|last| Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, last));
    let [own, other] = [own, other].map(IpAddress::Ipv6);
    let route = Route {
        from: own,
        to: other,
        next: other,
    };
    let found = |from| crate::pings::Neighbour {
        address: other,
        hardware: EthernetAddress([2, 0, 0, 0, 0, 2]),
        from,
        to: own,
    };
    world(|world| {
        let now = world.now;
        let asked = world.nodes[0].connect(ONE, nobody(0));
        assert!(asked.is_ok());
        let mut egress = Egress::default();
        egress.offer();
        let store = &mut world.nodes[0].store;
        store.look_for_neighbours(now, egress, &[], |_| Some(route));
        // Not before it is asked.
        store.searches.find(&found(other), now);
        assert!(store.due_search(now).is_some());
        store.searches.find(&found(own), now);
        assert_eq!(store.search_ends(), Some(now + Duration::from_secs(1)));
        store.searches.find(&found(other), now);
        assert_eq!(store.search_ends(), None);
    });
}
