mod duplicates;
mod families;
mod groups;
mod half_open;
mod hostile_peer;
mod lease;
mod lying_dhcp;
mod names;
mod pings;
mod routers;
mod searches;
mod strangers;
mod ways;

use std::collections::VecDeque;
use std::vec;
use std::vec::Vec;

use smoltcp::iface::{Config, Interface, PollResult};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{EthernetAddress, IpAddress, IpCidr, IpEndpoint};

use super::*;

/// Bytes of a frame before its packet.
const FRAME_HEAD: usize = 14;

/// What was sent, to come back to the same stack or to another one.
#[derive(Default)]
struct Cable {
    came: VecDeque<Vec<u8>>,
    left: VecDeque<Vec<u8>>,
    /// The last one that was looked at.
    last: Vec<u8>,
    egress: Egress,
    /// Whether there is no room for frames of sockets.
    is_full: bool,
}

struct Came(Vec<u8>);
struct Leaves<'a>(&'a mut Cable);

impl RxToken for Came {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(&self.0)
    }
}

impl TxToken for Leaves<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, f: F) -> R {
        let mut frame = vec![0; len];
        let result = f(&mut frame);
        self.0.egress.sent(&frame);
        self.0.left.push_back(frame);
        result
    }
}

impl Device for Cable {
    type RxToken<'a> = Came;
    type TxToken<'a> = Leaves<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Came, Leaves<'_>)> {
        let frame = self.came.pop_front()?;
        self.last.clone_from(&frame);
        Some((Came(frame), Leaves(self)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Leaves<'_>> {
        if self.is_full {
            self.egress.refuse();
            return None;
        }
        self.egress.offer();
        Some(Leaves(self))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = 1514;
        capabilities
    }
}

/// A machine.
struct Node<'a> {
    interface: Interface,
    cable: Cable,
    device: EthernetAddress,
    store: Store<'a>,
}

impl<'a> Node<'a> {
    fn new(
        last: u8,
        all: Share,
        memory: &'a mut Memory,
        queries: &'a mut Queries,
        searches: &'a mut Searches,
        places: &'a mut Places<'a>,
    ) -> Node<'a> {
        let mut cable = Cable::default();
        let mut config = Config::new(EthernetAddress([2, 0, 0, 0, 0, last]).into());
        config.random_seed = last.into();
        let mut interface = Interface::new(config, &mut cable, Instant::ZERO);
        interface.update_ip_addrs(|addresses| {
            let address = IpCidr::new(IpAddress::v4(10, 0, 0, last), 24);
            addresses.push(address).expect("there is room");
        });
        let mut store = Store::new(
            memory,
            queries,
            searches,
            places,
            all,
            last.into(),
            0x1234_0000,
        );
        let dhcp = store.dhcp;
        store.sockets.remove(dhcp);
        Node {
            interface,
            cable,
            device: EthernetAddress([2, 0, 0, 0, 0, last]),
            store,
        }
    }

    fn turn(&mut self, now: Instant) {
        while let Some(frame) = self.cable.came.front() {
            if self.store.takes(frame) || self.store.refuses(frame, true, now) {
                self.cable.came.pop_front();
                continue;
            }
            self.store.tells_of_neighbours(frame);
            if !self.store.make_room(&self.interface, frame, now) {
                self.cable.came.pop_front();
                continue;
            }
            let sockets = &mut self.store.sockets;
            self.interface
                .poll_ingress_single(now, &mut self.cable, sockets);
            self.store.keep_datagrams();
            let heard = Heard::of(&self.cable.last);
            self.store.hear(now, self.device, &self.cable.last);
            if heard.is_some() {
                self.store.tend_questions(now, heard.as_ref());
            }
        }
        self.send(now);
        self.store.tend_questions(now, None);
        self.store.tend_pings(now);
        self.store.tend_searches(now);
        while let Some(due) = self
            .store
            .due_search(now)
            .or_else(|| self.store.due_ping(now))
        {
            let mut frame = vec![0; due.length()];
            due.emit(self.device, &mut frame);
            self.cable.left.push_back(frame);
        }
        self.store.tend(now);
        let mut frame = [0; 1514];
        while let Some(length) = self.store.recall(&mut frame, now) {
            self.cable.came.push_front(frame[..length].to_vec());
            let sockets = &mut self.store.sockets;
            self.interface
                .poll_ingress_single(now, &mut self.cable, sockets);
        }
        self.send(now);
    }

    /// Has the stack send what it can, which has an end.
    fn send(&mut self, now: Instant) {
        for _ in 0..1000 {
            let is_offered = self.store.offer_datagram();
            self.cable.egress = Egress::default();
            let sockets = &mut self.store.sockets;
            let sent = self.interface.poll_egress(now, &mut self.cable, sockets);
            let (interface, egress) = (&self.interface, self.cable.egress);
            self.store.note_egress(now, egress);
            let left = self.cable.left.back().map_or(&[][..], Vec::as_slice);
            self.store
                .look_for_neighbours(now, egress, left, |to| way(interface, to));
            if matches!(sent, PollResult::None) && (!is_offered || self.cable.is_full) {
                return;
            }
        }
        panic!("the stack sends without an end");
    }

    fn connect(&mut self, client: u32, to: IpEndpoint) -> Result<Number, Refused> {
        let context = self.interface.context();
        self.store.connect(client, share_of(client), to, context)
    }
}

/// The way to somebody at the wire, or behind a gateway of IPv4.
fn way(interface: &Interface, to: IpAddress) -> Option<Route> {
    if interface.has_ip_addr(to) {
        return None;
    }
    let is_near = interface.ip_addrs().iter().any(|it| it.contains_addr(&to));
    let next = match is_near {
        true => to,
        false => interface.routes().get_default_ipv4_route()?.via_router,
    };
    let from = interface.get_source_address(&to)?;
    Some(Route { from, to, next })
}

const SHARE: Share = Share {
    streams: 3,
    ports: 1,
    names: 2,
    pings: 1,
};
/// Clients: the first two have as much as they may, and the third one all that there is.
const ONE: u32 = 1;
const OTHER: u32 = 2;
const GREEDY: u32 = 3;

fn share_of(client: u32) -> Share {
    match client {
        GREEDY => Share {
            streams: STREAMS,
            ports: PORTS,
            names: NAMES,
            pings: PINGS,
        },
        _ => SHARE,
    }
}

fn at(last: u8, port: u16) -> IpEndpoint {
    IpEndpoint::new(IpAddress::v4(10, 0, 0, last), port)
}

/// Two machines and the time.
struct World<'a> {
    nodes: [Node<'a>; 2],
    now: Instant,
}

impl World<'_> {
    /// Lets frames pass until nobody sends any, for some time.
    fn settle(&mut self) {
        self.pass(Duration::from_millis(200));
    }

    fn pass(&mut self, time: Duration) {
        let end = self.now + time;
        while self.now < end {
            self.now += Duration::from_millis(10);
            let [here, there] = &mut self.nodes;
            for _ in 0..8 {
                here.turn(self.now);
                there.turn(self.now);
                there.cable.came.append(&mut here.cable.left);
                here.cable.came.append(&mut there.cable.left);
            }
        }
    }

    /// A stream from the one to the other.
    fn stream(&mut self) -> (Number, Number, Number) {
        let listener = self.nodes[1]
            .store
            .listen(OTHER, SHARE, 80, 2, Families::Both);
        let listener = listener.expect("there are streams");
        let here = self.nodes[0].connect(ONE, at(2, 80)).expect("a stream");
        self.settle();
        assert_eq!(self.nodes[0].store.connected(ONE, here).map(drop), Ok(()));
        let (there, from) = self.nodes[1].store.accept(OTHER, listener).expect("one");
        assert_eq!(from.addr, at(1, 0).addr);
        (here, there, listener)
    }
}

/// Runs a test in a world.
fn world(test: impl FnOnce(&mut World<'_>)) {
    let all = Share {
        streams: STREAMS,
        ports: PORTS,
        names: NAMES,
        pings: PINGS,
    };
    world_of(all, test);
}

/// Runs a test in a world in which the clients of each machine may have this together.
fn world_of(all: Share, test: impl FnOnce(&mut World<'_>)) {
    let (mut one, mut other) = (Memory::new(), Memory::new());
    let (mut queries, mut other_queries) = (Queries::new(), Queries::new());
    let (mut searches, mut other_searches) = (Searches::new(), Searches::new());
    let (mut places, mut other_places) = (Places::new(), Places::new());
    let mut world = World {
        nodes: [
            Node::new(1, all, &mut one, &mut queries, &mut searches, &mut places),
            Node::new(
                2,
                all,
                &mut other,
                &mut other_queries,
                &mut other_searches,
                &mut other_places,
            ),
        ],
        now: Instant::ZERO,
    };
    test(&mut world);
}

fn read(store: &mut Store<'_>, client: u32, number: Number) -> Result<Vec<u8>, Refused> {
    let mut bytes = Vec::new();
    let read = store.receive(client, number, |it| {
        bytes.extend_from_slice(it);
        it.len()
    });
    read.map(|_| bytes)
}

fn write(
    store: &mut Store<'_>,
    client: u32,
    number: Number,
    bytes: &[u8],
) -> Result<usize, Refused> {
    store.send(client, number, |room| {
        let length = room.len().min(bytes.len());
        room[..length].copy_from_slice(&bytes[..length]);
        length
    })
}

#[test]
fn bytes_go_both_ways_to_the_end() {
    world(|world| {
        let (here, there, _) = world.stream();
        let [one, other] = &mut world.nodes;
        assert_eq!(write(&mut one.store, ONE, here, b"to"), Ok(2));
        assert_eq!(read(&mut other.store, OTHER, there), Err(Refused::NotYet));
        world.settle();
        let [one, other] = &mut world.nodes;
        assert_eq!(read(&mut other.store, OTHER, there), Ok(b"to".to_vec()));
        assert_eq!(write(&mut other.store, OTHER, there, b"back"), Ok(4));
        assert_eq!(one.store.finish(ONE, here), Ok(()));
        world.settle();
        let [one, other] = &mut world.nodes;
        assert_eq!(read(&mut one.store, ONE, here), Ok(b"back".to_vec()));
        assert_eq!(read(&mut other.store, OTHER, there), Ok(vec![]));
        assert_eq!(write(&mut one.store, ONE, here, b"x"), Err(Refused::Ended));
    });
}

#[test]
fn what_was_not_taken_stays() {
    world(|world| {
        let (here, there, _) = world.stream();
        let store = &mut world.nodes[0].store;
        assert_eq!(write(store, ONE, here, b"whole"), Ok(5));
        world.settle();
        let store = &mut world.nodes[1].store;
        assert_eq!(store.receive(OTHER, there, |_| 2), Ok(2));
        assert_eq!(read(store, OTHER, there), Ok(b"ole".to_vec()));
    });
}

#[test]
fn no_number_but_its_own_names_a_socket() {
    world(|world| {
        let (here, there, listener) = world.stream();
        let [one, other] = &mut world.nodes;
        for bit in 0..32 {
            let wrong = Number(here.0 ^ 1 << bit);
            assert_eq!(one.store.close(ONE, wrong), Err(Refused::BadNumber));
            assert_eq!(read(&mut one.store, ONE, wrong), Err(Refused::BadNumber));
        }
        for number in [there, listener] {
            assert_eq!(other.store.close(ONE, number), Err(Refused::BadNumber));
            assert_eq!(other.store.close(OTHER, number), Ok(()));
            assert_eq!(other.store.close(OTHER, number), Err(Refused::BadNumber));
        }
        let (port, _) = other
            .store
            .bind(OTHER, SHARE, 0, Families::Both)
            .expect("a port");
        assert_eq!(other.store.close(ONE, port), Err(Refused::BadNumber));
        assert_eq!(other.store.close(OTHER, port), Ok(()));
        let (again, _) = other
            .store
            .bind(OTHER, SHARE, 0, Families::Both)
            .expect("a port");
        assert_ne!(port, again);
        assert_eq!(other.store.close(OTHER, port), Err(Refused::BadNumber));
    });
}

#[test]
fn nobody_has_more_than_its_share_and_nobody_has_less() {
    world(|world| {
        let store = &mut world.nodes[0].store;
        let listeners = [81, 82, 83].map(|port| store.listen(ONE, SHARE, port, 1, Families::Both));
        assert!(listeners.iter().all(Result::is_ok));
        let more = store.listen(ONE, SHARE, 84, 1, Families::Both);
        assert_eq!(more, Err(Refused::TooMany));
        let more = world.nodes[0].connect(ONE, at(2, 9));
        assert_eq!(more, Err(Refused::TooMany));
        for _ in 0..3 {
            assert!(world.nodes[0].connect(OTHER, at(2, 9)).is_ok());
        }
        let more = world.nodes[0].connect(OTHER, at(2, 9));
        assert_eq!(more, Err(Refused::TooMany));
        let store = &mut world.nodes[0].store;
        assert!(store.bind(ONE, SHARE, 7, Families::Both).is_ok());
        assert_eq!(
            store.bind(ONE, SHARE, 8, Families::Both),
            Err(Refused::TooMany)
        );
        assert_eq!(
            store.bind(OTHER, SHARE, 7, Families::Both),
            Err(Refused::InUse)
        );
    });
}

#[test]
fn a_client_that_ends_leaves_nothing_and_the_other_side_learns_of_it() {
    world(|world| {
        let (here, there, _) = world.stream();
        let store = &mut world.nodes[1].store;
        store.abandon(OTHER);
        assert_eq!(read(store, OTHER, there), Err(Refused::BadNumber));
        world.settle();
        let store = &mut world.nodes[0].store;
        assert_eq!(read(store, ONE, here), Err(Refused::Reset));
        let share = share_of(GREEDY);
        let store = &mut world.nodes[1].store;
        assert!(store.listen(OTHER, share, 80, 4, Families::Both).is_ok());
        // Each listener has taken its streams at once.
        assert!(store.listen(OTHER, share, 81, 4, Families::Both).is_ok());
        assert_eq!(
            store.listen(3, share, 82, 1, Families::Both),
            Err(Refused::TooMany)
        );
    });
}

#[test]
fn who_does_not_close_keeps_nobody_out() {
    world(|world| {
        let (_, there, listener) = world.stream();
        // The one sends, and closes; the other says nothing for ever.
        let store = &mut world.nodes[1].store;
        assert_eq!(write(store, OTHER, there, b"bye"), Ok(3));
        assert_eq!(store.close(OTHER, there), Ok(()));
        world.settle();
        for _ in 0..6 {
            let here = world.nodes[0].connect(GREEDY, at(2, 80));
            world.settle();
            let here = here.expect("a stream");
            assert_eq!(
                world.nodes[0].store.connected(GREEDY, here).map(drop),
                Ok(())
            );
            let store = &mut world.nodes[1].store;
            let (there, _) = store.accept(OTHER, listener).expect("one");
            assert_eq!(store.close(OTHER, there), Ok(()));
            world.settle();
        }
    });
}

#[test]
fn a_listener_that_nobody_can_come_to_comes_before_one_that_wants_another_place() {
    world(|world| {
        let three = Share {
            streams: 3,
            ..SHARE
        };
        let store = &mut world.nodes[1].store;
        let first = store.listen(OTHER, three, 80, 2, Families::Both).unwrap();
        let second = store.listen(OTHER, three, 81, 1, Families::Both).unwrap();
        world.nodes[0].connect(GREEDY, at(2, 80)).unwrap();
        world.settle();
        // It is kept.
        world.nodes[1].store.accept(OTHER, first).unwrap();
        for _ in 0..2 {
            let here = world.nodes[0].connect(GREEDY, at(2, 81)).unwrap();
            world.settle();
            let came = world.nodes[1].store.accept(OTHER, second);
            let (there, _) = came.expect("one");
            assert_eq!(world.nodes[0].store.close(GREEDY, here), Ok(()));
            world.settle();
            assert_eq!(world.nodes[1].store.close(OTHER, there), Ok(()));
            world.settle();
        }
    });
}

#[test]
fn who_has_come_first_is_accepted_first() {
    world(|world| {
        let two = Share {
            streams: 2,
            ..SHARE
        };
        let store = &mut world.nodes[1].store;
        let listener = store.listen(OTHER, two, 80, 2, Families::Both);
        let listener = listener.expect("there are streams");
        let comes = |world: &mut World<'_>, says: u8| {
            let here = world.nodes[0].connect(GREEDY, at(2, 80));
            let here = here.expect("a stream");
            world.settle();
            let store = &mut world.nodes[0].store;
            assert_eq!(write(store, GREEDY, here, &[says]), Ok(1));
            world.settle();
            here
        };
        let goes = |world: &mut World<'_>, here, says: u8| {
            let store = &mut world.nodes[1].store;
            let (there, _) = store.accept(OTHER, listener).expect("one");
            assert_eq!(read(store, OTHER, there), Ok([says].to_vec()));
            // Who closes first keeps the place for a while.
            assert_eq!(world.nodes[0].store.close(GREEDY, here), Ok(()));
            world.settle();
            let store = &mut world.nodes[1].store;
            assert_eq!(store.close(OTHER, there), Ok(()));
            world.settle();
        };
        // Whenever one has gone, its place is the next one's.
        let mut waits = comes(world, 0);
        for round in 1..6 {
            let next = comes(world, round);
            goes(world, waits, round - 1);
            waits = next;
        }
    });
}

#[test]
fn what_the_other_side_does_not_take_is_kept_for_a_minute() {
    world(|world| {
        let (here, there, listener) = world.stream();
        let store = &mut world.nodes[1].store;
        assert_eq!(store.close(OTHER, listener), Ok(()));
        // It has no room for all of it, and does not read.
        let bytes = [1; STREAM];
        while write(&mut world.nodes[1].store, OTHER, there, &bytes).is_ok() {
            world.settle();
        }
        let store = &mut world.nodes[1].store;
        assert_eq!(store.close(OTHER, there), Ok(()));
        let one = Share {
            streams: 1,
            ports: 0,
            names: 0,
            pings: 0,
        };
        world.pass(Duration::from_secs(50));
        let store = &mut world.nodes[1].store;
        assert_eq!(
            store.listen(OTHER, one, 81, 1, Families::Both),
            Err(Refused::NotYet)
        );
        world.pass(Duration::from_secs(20));
        let store = &mut world.nodes[1].store;
        assert!(store.listen(OTHER, one, 81, 1, Families::Both).is_ok());
        let store = &mut world.nodes[0].store;
        assert_eq!(store.finish(ONE, here), Ok(()));
    });
}

#[test]
fn datagrams_come_whole_and_say_from_where() {
    world(|world| {
        let [one, other] = &mut world.nodes;
        let (here, port) = one
            .store
            .bind(ONE, SHARE, 0, Families::Both)
            .expect("a port");
        let (there, _) = other
            .store
            .bind(OTHER, SHARE, 7, Families::Both)
            .expect("a port");
        let sent = one.store.send_to(ONE, here, at(2, 7), &[5; LONGEST]);
        assert_eq!(sent, Ok(()));
        let long = one.store.send_to(ONE, here, at(2, 7), &[5; LONGEST + 1]);
        assert_eq!(long, Err(Refused::TooLong));
        world.settle();
        let store = &mut world.nodes[1].store;
        // Its client has left: it stays for the next one who asks.
        let left = store.receive_from(OTHER, there, |_, _| None::<()>);
        assert_eq!(left, Err(Refused::NotYet));
        let came = store.receive_from(OTHER, there, |bytes, from| Some((bytes.to_vec(), from)));
        assert_eq!(came, Ok((vec![5; LONGEST], at(1, port))));
        let none = store.receive_from(OTHER, there, |_, _| Some(()));
        assert_eq!(none, Err(Refused::NotYet));
    });
}

#[test]
fn a_port_keeps_what_was_promised_and_more_the_fewer_ports_there_are() {
    for (ports, keeps) in [(1, 8), (2, 4), (3, 2), (4, 2)] {
        world_of(
            Share {
                streams: 0,
                ports,
                names: 0,
                pings: 0,
            },
            |world| {
                let (there, _) = world.nodes[1]
                    .store
                    .bind(OTHER, SHARE, 7, Families::Both)
                    .expect("a port");
                assert_eq!(world.nodes[1].store.port_keeps(), keeps, "{ports}");
                let (here, _) = world.nodes[0]
                    .store
                    .bind(ONE, SHARE, 0, Families::Both)
                    .expect("a port");
                // One is taken after the other, and as many are kept all the time.
                let (mut sent, mut taken) = (0_u8, 0);
                for _ in 0..20 {
                    while usize::from(sent - taken) < keeps {
                        let store = &mut world.nodes[0].store;
                        let datagram = [sent; LONGEST];
                        assert_eq!(store.send_to(ONE, here, at(2, 7), &datagram), Ok(()));
                        world.settle();
                        sent += 1;
                    }
                    let store = &mut world.nodes[1].store;
                    let came = store.receive_from(OTHER, there, |bytes, _| Some(bytes.to_vec()));
                    assert_eq!(came, Ok(vec![taken; LONGEST]), "{ports}");
                    taken += 1;
                }
            },
        );
    }
}

#[test]
fn what_nobody_is_given_is_not_there() {
    let all = Share {
        streams: 2,
        ports: 1,
        names: 0,
        pings: 0,
    };
    world_of(all, |world| {
        let [one, other] = &mut world.nodes;
        // Who asks for more than all may have together finds no more.
        for at in 0..3 {
            let listener = other
                .store
                .listen(GREEDY, share_of(GREEDY), 80 + at, 1, Families::Both);
            assert_eq!(listener.is_ok(), at < 2);
        }
        assert!(
            other
                .store
                .bind(GREEDY, share_of(GREEDY), 7, Families::Both)
                .is_ok()
        );
        let more = other
            .store
            .bind(GREEDY, share_of(GREEDY), 8, Families::Both);
        assert_eq!(more, Err(Refused::TooMany));
        let (here, _) = one
            .store
            .bind(ONE, SHARE, 0, Families::Both)
            .expect("a port");
        assert_eq!(one.store.send_to(ONE, here, at(2, 7), b"x"), Ok(()));
        world.settle();
        world.nodes[1].store.abandon(GREEDY);
        world.settle();
        let again = world.nodes[1]
            .store
            .bind(GREEDY, share_of(GREEDY), 7, Families::Both);
        assert!(again.is_ok());
    });
    world_of(
        Share {
            streams: 0,
            ports: 0,
            names: 0,
            pings: 0,
        },
        |world| {
            let store = &mut world.nodes[0].store;
            assert!(store.listen(ONE, SHARE, 80, 1, Families::Both).is_err());
            assert!(store.bind(ONE, SHARE, 0, Families::Both).is_err());
            world.settle();
        },
    );
}

/// What a socket of the first node's is ready for.
fn ready(world: &mut World<'_>, number: Number) -> Ready {
    world.nodes[0].store.ready(ONE, number).expect("it is one")
}

#[test]
fn a_socket_is_ready_for_what_would_not_have_to_wait() {
    world(|world| {
        let none = Ready::default();
        let there = world.nodes[0]
            .store
            .listen(ONE, SHARE, 81, 1, Families::Both);
        let listener = there.expect("a listener");
        assert_eq!(ready(world, listener), none);
        let context = world.nodes[1].interface.context();
        let store = &mut world.nodes[1].store;
        let coming = store.connect(OTHER, SHARE, at(1, 81), context);
        let coming = coming.expect("a stream");
        assert_eq!(store.ready(OTHER, coming), Ok(none));
        assert_eq!(write(store, OTHER, coming, b"x"), Err(Refused::NotYet));
        assert_eq!(read(store, OTHER, coming), Err(Refused::NotYet));
        world.settle();
        let read_too = Ready { read: true, ..none };
        assert_eq!(ready(world, listener), read_too);
        let (own, _) = world.nodes[0].store.accept(ONE, listener).expect("one");
        assert_eq!(ready(world, listener), none);
        let write_too = Ready {
            write: true,
            ..none
        };
        assert_eq!(ready(world, own), write_too);
        let full = [0; STREAM];
        let store = &mut world.nodes[0].store;
        while write(store, ONE, own, &full) != Err(Refused::NotYet) {}
        assert_eq!(ready(world, own), none);
        world.settle();
        let store = &mut world.nodes[1].store;
        while !read(store, OTHER, coming).unwrap_or_default().is_empty() {}
        world.settle();
        assert_eq!(ready(world, own), write_too);
        let store = &mut world.nodes[1].store;
        assert_eq!(store.finish(OTHER, coming), Ok(()));
        world.settle();
        let both = Ready {
            write: true,
            ..read_too
        };
        assert_eq!(ready(world, own), both);
        assert_eq!(world.nodes[0].store.finish(ONE, own), Ok(()));
        assert_eq!(
            ready(world, own),
            Ready {
                ended: true,
                ..both
            }
        );
        let port = world.nodes[0]
            .store
            .bind(ONE, SHARE, 9, Families::Both)
            .expect("a port")
            .0;
        assert_eq!(ready(world, port), write_too);
    });
}

#[test]
fn a_stream_that_was_refused_or_reset_has_failed() {
    world(|world| {
        let refused = world.nodes[0].connect(ONE, at(2, 82)).expect("a stream");
        let (here, there, _) = world.stream();
        world.nodes[1].store.abandon(OTHER);
        world.settle();
        assert_eq!(ready(world, refused), Ready::FAILED);
        assert_eq!(ready(world, here), Ready::FAILED);
        let store = &mut world.nodes[0].store;
        assert_eq!(store.connected(ONE, refused), Err(Refused::Refused));
        assert_eq!(read(store, ONE, refused), Err(Refused::Refused));
        assert_eq!(read(store, ONE, here), Err(Refused::Reset));
        assert_eq!(store.close(ONE, refused), Ok(()));
        let store = &mut world.nodes[1].store;
        assert_eq!(store.ready(OTHER, there), Err(Refused::BadNumber));
    });
}

#[test]
fn who_is_connected_is_told_and_nobody_is_kept_from_listening_by_what_was_accepted() {
    world(|world| {
        let (here, there, listener) = world.stream();
        let [one, other] = &mut world.nodes;
        let (own, to) = one.store.connected(ONE, here).expect("a connection");
        assert_eq!(
            (to, other.store.connected(OTHER, there)),
            (at(2, 80), Ok((to, own)))
        );
        assert_eq!(other.store.close(OTHER, listener), Ok(()));
        let again = other.store.listen(OTHER, SHARE, 80, 1, Families::Both);
        assert!(again.is_ok(), "{again:?}");
    });
}

#[test]
fn who_gives_up_somebody_that_is_not_there_keeps_nobody_from_being_found() {
    let second = Duration::from_secs(1);
    for (dies, time) in [false, true]
        .map(|it| [(it, second), (it, second * 65)])
        .concat()
    {
        world(|world| {
            let gone = world.nodes[0].connect(ONE, at(77, 80)).expect("a stream");
            world.settle();
            let store = &mut world.nodes[0].store;
            // There is nothing yet that could be ended.
            assert_eq!(store.finish(ONE, gone), Err(Refused::NotYet));
            world.pass(time);
            let store = &mut world.nodes[0].store;
            match dies {
                false => assert_eq!(store.close(ONE, gone), Ok(())),
                true => store.abandon(ONE),
            }
            let listener = world.nodes[1]
                .store
                .listen(OTHER, SHARE, 80, 2, Families::Both);
            assert!(listener.is_ok());
            let here = world.nodes[0].connect(GREEDY, at(2, 80)).expect("a stream");
            world.pass(Duration::from_secs(3));
            let connected = world.nodes[0].store.connected(GREEDY, here);
            assert_eq!(connected.map(drop), Ok(()));
            // All streams but that one are nobody's.
            for _ in 1..STREAMS {
                assert!(world.nodes[0].connect(GREEDY, at(2, 81)).is_ok());
            }
        });
    }
}

/// Whatever else the server of this stream has: one listener, and no other stream.
#[test]
fn who_is_not_read_to_the_end_is_told_so() {
    world(|world| {
        let one = Share {
            streams: 1,
            ..SHARE
        };
        let server = &mut world.nodes[1].store;
        let listener = server.listen(OTHER, one, 80, 1, Families::Both);
        let listener = listener.expect("there are streams");
        let here = world.nodes[0].connect(ONE, at(2, 80)).expect("a stream");
        world.settle();
        let (there, _) = world.nodes[1]
            .store
            .accept(OTHER, listener)
            .expect("it came");
        assert_eq!(
            write(&mut world.nodes[0].store, ONE, here, b"unread"),
            Ok(6)
        );
        world.settle();
        assert_eq!(world.nodes[1].store.close(OTHER, there), Ok(()));
        world.settle();
        assert_eq!(
            read(&mut world.nodes[0].store, ONE, here),
            Err(Refused::Reset)
        );
        // And its place is the listener's again.
        let again = world.nodes[0].connect(ONE, at(2, 80)).expect("a stream");
        world.settle();
        assert_eq!(world.nodes[0].store.connected(ONE, again).map(drop), Ok(()));
    });
}

#[test]
fn what_has_come_stays_for_who_reads_late_when_both_sides_have_ended() {
    world(|world| {
        let (here, there, _) = world.stream();
        assert_eq!(world.nodes[0].store.finish(ONE, here), Ok(()));
        world.settle();
        let store = &mut world.nodes[1].store;
        assert_eq!(write(store, OTHER, there, b"late"), Ok(4));
        assert_eq!(store.close(OTHER, there), Ok(()));
        world.settle();
        // The stack is asked once more before it forgets everything.
        let ends = world.nodes[0].store.stream_ends();
        assert!(ends.is_some_and(|it| it < world.now + Duration::from_secs(10)));
        for time in [8, 4, 100] {
            world.pass(Duration::from_secs(time));
            let ends = world.nodes[0].store.stream_ends();
            assert_eq!(ends.is_some(), time == 8);
            let both = Ready {
                read: true,
                write: true,
                ended: false,
                failed: false,
            };
            assert_eq!(ready(world, here), both);
            let store = &mut world.nodes[0].store;
            assert_eq!(write(store, ONE, here, b"x"), Err(Refused::Ended));
        }
        let store = &mut world.nodes[0].store;
        assert_eq!(read(store, ONE, here), Ok(b"late".to_vec()));
        assert_eq!(read(store, ONE, here), Ok(vec![]));
        assert_eq!(read(store, ONE, here), Ok(vec![]));
        assert_eq!(store.close(ONE, here), Ok(()));
        world.settle();
        // Its place is free.
        for _ in 0..SHARE.streams {
            assert!(world.nodes[0].connect(ONE, at(2, 9)).is_ok());
        }
    });
}

/// The other side's is over at once: nobody waits for what may have been lost.
#[test]
fn what_is_sent_behind_the_own_end_is_refused_so_also_when_both_sides_have_ended() {
    world(|world| {
        let (here, there, _) = world.stream();
        assert_eq!(world.nodes[0].store.finish(ONE, here), Ok(()));
        world.settle();
        assert_eq!(world.nodes[1].store.finish(OTHER, there), Ok(()));
        world.settle();
        let store = &mut world.nodes[1].store;
        assert_eq!(read(store, OTHER, there), Ok(vec![]));
        assert_eq!(write(store, OTHER, there, b"x"), Err(Refused::Ended));
    });
}
