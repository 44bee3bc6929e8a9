//! Clients that come, and forged ones of which nothing more is heard.

use core::net::Ipv6Addr;

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    EthernetFrame, EthernetProtocol, EthernetRepr, IPV6_LINK_LOCAL_ALL_NODES, IpProtocol, IpRepr,
    IpVersion, TcpControl, TcpPacket, TcpRepr, TcpSeqNumber,
};

use super::*;

const PORT: u16 = 80;
/// Who comes to that port in the first machine's place.
const CLIENT: IpEndpoint = IpEndpoint::new(IpAddress::v4(10, 0, 0, 1), 9);

/// The first segment of somebody who never says anything else, from this port.
fn forged(port: u16) -> Vec<u8> {
    forged_for(at(2, PORT), port)
}

fn forged_for(to: IpEndpoint, port: u16) -> Vec<u8> {
    let from = match to.addr.version() {
        IpVersion::Ipv4 => at(9, port),
        IpVersion::Ipv6 => families::six(9, port),
    };
    forged_from(from, to)
}

fn forged_from(from: IpEndpoint, to: IpEndpoint) -> Vec<u8> {
    segment(from, to, first(from))
}

/// The first segment of somebody.
pub fn first(from: IpEndpoint) -> TcpRepr<'static> {
    TcpRepr {
        src_port: 0,
        dst_port: 0,
        control: TcpControl::Syn,
        seq_number: TcpSeqNumber(from.port.into()),
        ack_number: None,
        window_len: 1000,
        window_scale: None,
        max_seg_size: Some(536),
        sack_permitted: false,
        sack_ranges: [None; 3],
        timestamp: None,
        payload: &[],
    }
}

/// A frame with this segment, between their ports.
pub fn segment(from: IpEndpoint, to: IpEndpoint, said: TcpRepr<'_>) -> Vec<u8> {
    let ethertype = match to.addr.version() {
        IpVersion::Ipv4 => EthernetProtocol::Ipv4,
        IpVersion::Ipv6 => EthernetProtocol::Ipv6,
    };
    let segment = TcpRepr {
        src_port: from.port,
        dst_port: to.port,
        ..said
    };
    let packet = IpRepr::new(
        from.addr,
        to.addr,
        IpProtocol::Tcp,
        segment.buffer_len(),
        64,
    );
    let frame = EthernetRepr {
        src_addr: EthernetAddress([2, 0, 0, 0, 0, 9]),
        dst_addr: EthernetAddress([2, 0, 0, 0, 0, 2]),
        ethertype,
    };
    let all = ChecksumCapabilities::default();
    let mut bytes = vec![0; FRAME_HEAD + packet.buffer_len()];
    frame.emit(&mut EthernetFrame::new_unchecked(&mut bytes[..]));
    let bytes_of_packet = &mut bytes[FRAME_HEAD..];
    packet.emit(&mut *bytes_of_packet, &all);
    let mut out = TcpPacket::new_unchecked(&mut bytes_of_packet[packet.header_len()..]);
    segment.emit(&mut out, &from.addr, &to.addr, &all);
    bytes
}

impl World<'_> {
    fn forge(&mut self, port: u16) {
        self.nodes[1].cable.came.push_back(forged(port));
    }

    /// Whoever comes to the second machine from now on makes room at once for the next one: others have had the time to answer, in
    /// vain.
    fn floods(&mut self, to: IpEndpoint) {
        let silent = |port| match to.addr.version() {
            IpVersion::Ipv4 => forged_from(at(1, port), to),
            IpVersion::Ipv6 => forged_from(families::six(1, port), to),
        };
        let node = &mut self.nodes[1];
        node.cable.came.extend((1001..=1004).map(silent));
        node.turn(self.now);
        self.now += Duration::from_secs(1);
        node.cable.came.push_back(silent(1005));
        node.turn(self.now);
        node.cable.left.clear();
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

    /// Somebody who takes so many bytes comes to the second machine, in the first one's place, and is accepted. Returns the stream,
    /// the number with which the second machine begins, and what the client says next, if that is nothing.
    fn accepts_who_takes(&mut self, window_len: u16) -> (Number, TcpSeqNumber, TcpRepr<'static>) {
        let listener = self.listens(1);
        // They know each other's devices from before.
        self.nodes[0].connect(ONE, at(2, 9)).expect("a stream");
        self.settle();
        let comes = TcpRepr {
            window_len,
            ..first(CLIENT)
        };
        let answer = self.hears(comes).pop_front().expect("an answer");
        let begin = TcpPacket::new_unchecked(&answer[FRAME_HEAD + 20..]).seq_number() + 1;
        let next = TcpRepr {
            control: TcpControl::None,
            seq_number: comes.seq_number + 1,
            ack_number: Some(begin),
            max_seg_size: None,
            ..comes
        };
        self.hears(next);
        let accepted = self.nodes[1].store.accept(OTHER, listener);
        (accepted.expect("one").0, begin, next)
    }

    /// What leaves the second machine when this comes to it from such a client.
    fn hears(&mut self, said: TcpRepr<'_>) -> VecDeque<Vec<u8>> {
        self.hears_from(CLIENT, said)
    }

    fn hears_from(&mut self, from: IpEndpoint, said: TcpRepr<'_>) -> VecDeque<Vec<u8>> {
        let now = self.now;
        let node = &mut self.nodes[1];
        node.cable.came.push_back(segment(from, at(2, PORT), said));
        node.turn(now);
        core::mem::take(&mut node.cable.left)
    }
}

#[test]
fn of_those_who_come_at_once_to_a_busy_server_all_are_served() {
    world(|world| {
        let few = Share {
            streams: 6,
            ..SHARE
        };
        let store = &mut world.nodes[1].store;
        let listener = store.listen(OTHER, few, PORT, BACKLOG, Families::Both);
        let listener = listener.expect("there are streams");
        // They know each other's devices from before.
        let known = world.nodes[0].connect(GREEDY, at(2, 9)).expect("a stream");
        world.settle();
        assert_eq!(world.nodes[0].store.close(GREEDY, known), Ok(()));
        // The answers come back when all have come.
        let all = [(); STREAMS].map(|()| {
            let here = world.nodes[0].connect(GREEDY, at(2, PORT));
            let [one, other] = &mut world.nodes;
            one.turn(world.now);
            other.cable.came.append(&mut one.cable.left);
            other.turn(world.now);
            here.expect("a stream")
        });
        let [one, other] = &mut world.nodes;
        one.cable.came.append(&mut other.cable.left);
        world.settle();
        let mut served = 0;
        // Nobody has to come again, as clients do after a second.
        for _ in 0..STREAMS {
            let store = &mut world.nodes[1].store;
            if let Ok((there, _)) = store.accept(OTHER, listener) {
                assert_eq!(write(store, OTHER, there, b"answer"), Ok(6));
                assert_eq!(store.close(OTHER, there), Ok(()));
            }
            world.pass(Duration::from_millis(50));
            for here in all {
                let store = &mut world.nodes[0].store;
                if read(store, GREEDY, here).is_ok_and(|it| it == b"answer") {
                    served += 1;
                    assert_eq!(store.close(GREEDY, here), Ok(()));
                }
            }
        }
        assert_eq!(served, STREAMS);
    });
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
    let [before, behind] = [before, behind].map(|all| all.iter().copied().map(forged).collect());
    comes_amid_frames(world, at(2, PORT), before, behind)
}

fn comes_amid_frames(
    world: &mut World<'_>,
    to: IpEndpoint,
    before: Vec<Vec<u8>>,
    behind: Vec<Vec<u8>>,
) -> Number {
    // They know each other from before.
    let known = IpEndpoint::new(to.addr, 9);
    world.nodes[0].connect(ONE, known).expect("a stream");
    world.settle();
    world.floods(to);
    world.nodes[1].cable.came.extend(before);
    let here = world.nodes[0].connect(ONE, to).expect("a stream");
    world.nodes[0].turn(world.now);
    let [one, other] = &mut world.nodes;
    assert_eq!(one.cable.left.len(), 1);
    other.cable.came.append(&mut one.cable.left);
    other.cable.came.extend(behind);
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

#[test]
fn what_the_stack_does_not_take_takes_no_place_of_others() {
    // Bytes of the device's address, of the packet's length and addresses, of the segment's sum and window, and of its option.
    let wrong_of_ipv4 = [5, 14, 20, 24, 33, 50, 48, 55];
    let wrong_of_ipv6 = [5, 14, 53, 70, 68, 75];
    for (to, wrong) in [
        (at(2, PORT), &wrong_of_ipv4[..]),
        (families::six(2, PORT), &wrong_of_ipv6),
    ] {
        for wrong in wrong {
            families::world_of_both(|world| {
                let listener = world.listens(1);
                let mut frame = forged_for(to, 1);
                frame[*wrong] ^= 0x20;
                comes_amid_frames(world, to, Vec::new(), vec![frame]);
                assert!(world.accepts(listener), "{to} {wrong}");
            });
        }
    }
}

#[test]
fn who_is_no_host_takes_no_place_of_others() {
    let four = [[0, 0, 0, 0], [224, 0, 0, 1], [255; 4], [10, 0, 0, 255]];
    let four = four.map(|it| (IpAddress::Ipv4(it.into()), at(2, PORT)));
    let six = [Ipv6Addr::UNSPECIFIED, IPV6_LINK_LOCAL_ALL_NODES];
    let six = six.map(|it| (IpAddress::Ipv6(it), families::six(2, PORT)));
    for (from, to) in four.into_iter().chain(six) {
        families::world_of_both(|world| {
            let listener = world.listens(1);
            let frame = forged_from(IpEndpoint::new(from, 1), to);
            comes_amid_frames(world, to, Vec::new(), vec![frame]);
            assert!(world.accepts(listener), "{from}");
        });
    }
}

#[test]
fn who_asks_another_host_takes_no_place_of_others() {
    let everybody = IpEndpoint::new(IpAddress::v4(255, 255, 255, 255), PORT);
    let all_hosts = IpEndpoint::new(IpAddress::v4(224, 0, 0, 1), PORT);
    let all_of_six = IpEndpoint::new(IpAddress::v6(0xFF02, 0, 0, 0, 0, 0, 0, 1), PORT);
    let others = [at(3, PORT), families::six(3, PORT)];
    for asked in others.into_iter().chain([everybody, all_hosts, all_of_six]) {
        families::world_of_both(|world| {
            let listener = world.listens(1);
            let frame = forged_for(asked, 1);
            comes_amid_frames(world, at(2, PORT), Vec::new(), vec![frame]);
            assert!(world.accepts(listener), "{asked}");
        });
    }
}

#[test]
fn who_asks_all_or_a_group_is_told_nothing_and_takes_no_place() {
    let all = [
        IpAddress::v4(255, 255, 255, 255),
        IpAddress::v4(10, 0, 0, 255),
        IpAddress::v4(224, 0, 0, 1),
        IPV6_LINK_LOCAL_ALL_NODES.into(),
    ];
    world(|world| {
        let ask = |world: &mut World<'_>, port| {
            for to in all {
                let to = IpEndpoint::new(to, PORT);
                world.nodes[1].cable.came.push_back(forged_for(to, port));
            }
            world.nodes[1].turn(world.now);
            core::mem::take(&mut world.nodes[1].cable.left)
        };
        // Nobody listens, or somebody does.
        assert!(ask(world, 1).is_empty());
        let listener = world.listens(1);
        assert!(ask(world, 2).is_empty());
        world.nodes[0].connect(ONE, at(2, PORT)).expect("a stream");
        world.settle();
        assert!(world.accepts(listener));
    });
}

/// A stream that has said nothing yet, as nobody knows where the other one is at the wire.
#[test]
fn who_comes_from_where_a_stream_is_to_go_ends_nobody() {
    for to_all in [false, true] {
        world(|world| {
            let now = world.now;
            let node = &mut world.nodes[0];
            node.connect(ONE, at(77, 80)).expect("a stream");
            node.turn(now);
            let ports = FIRST_PORT..=u16::MAX;
            let own = ports.into_iter().find(|it| node.store.has_stream_port(*it));
            let mut frame = forged_from(at(77, 80), at(1, own.expect("a port")));
            let device = match to_all {
                true => EthernetAddress::BROADCAST,
                false => node.device,
            };
            frame[..6].copy_from_slice(device.as_bytes());
            node.cable.came.push_back(frame);
            node.turn(now);
            node.interface.poll_delay(now, &node.store.sockets);
            assert_eq!(node.cable.left.len(), 1, "the question where it is");
        });
    }
}

/// With which number the first stream of the first machine begins.
fn first_number() -> TcpSeqNumber {
    let mut number = None;
    world(|world| {
        world.nodes[0].connect(ONE, at(2, PORT)).expect("a stream");
        for _ in 0..4 {
            let [here, there] = &mut world.nodes;
            here.turn(world.now);
            let first = here.cable.left.iter().find_map(|frame| {
                let first = TcpPacket::new_checked(frame.get(FRAME_HEAD + 20..)?).ok()?;
                (first.dst_port() == PORT).then(|| first.seq_number())
            });
            number = number.or(first);
            there.cable.came.append(&mut here.cable.left);
            there.turn(world.now);
            here.cable.came.append(&mut there.cable.left);
        }
    });
    number.expect("it asks")
}

/// The numbers of streams can be computed from each other.
#[test]
fn who_answers_what_a_stream_has_not_said_yet_ends_nobody() {
    let answered = first_number() + 1;
    for control in [TcpControl::Syn, TcpControl::Rst] {
        world(|world| {
            let now = world.now;
            let node = &mut world.nodes[0];
            let here = node.connect(ONE, at(77, 80)).expect("a stream");
            node.turn(now);
            let ports = FIRST_PORT..=u16::MAX;
            let own = ports.into_iter().find(|it| node.store.has_stream_port(*it));
            let (from, to) = (at(77, 80), at(1, own.expect("a port")));
            let answer = TcpRepr {
                control,
                ack_number: Some(answered),
                ..first(from)
            };
            let mut frame = segment(from, to, answer);
            frame[..6].copy_from_slice(node.device.as_bytes());
            node.cable.came.push_back(frame);
            node.turn(now);
            node.interface.poll_delay(now, &node.store.sockets);
            assert_eq!(node.cable.left.len(), 1, "the question where it is");
            assert_eq!(node.store.connected(ONE, here), Err(Refused::NotYet));
        });
    }
}

/// A client of the first machine at the second one: both streams, and where the client is.
type Client = (Number, Number, IpEndpoint);

impl World<'_> {
    /// A client comes to the second machine, and again if there was no place for it at first.
    fn comes(&mut self) -> Number {
        let here = self.nodes[0].connect(GREEDY, at(2, PORT));
        self.pass(Duration::from_secs(2));
        here.expect("a stream")
    }

    /// The second machine accepts it.
    fn accepted(&mut self, listener: Number, here: Number) -> Client {
        let accepted = self.nodes[1].store.accept(OTHER, listener);
        let (there, from) = accepted.expect("it has come");
        (here, there, from)
    }

    /// Both sides close a stream: its place is free.
    fn ends(&mut self, (here, there, _): Client) {
        assert_eq!(self.nodes[0].store.close(GREEDY, here), Ok(()));
        self.settle();
        assert_eq!(self.nodes[1].store.close(OTHER, there), Ok(()));
        self.settle();
    }

    /// Both sides of a stream hear each other.
    fn talk(&mut self, (here, there, _): Client) {
        let [one, other] = &mut self.nodes;
        assert_eq!(write(&mut one.store, GREEDY, here, b"to"), Ok(2));
        assert_eq!(write(&mut other.store, OTHER, there, b"back"), Ok(4));
        self.settle();
        let [one, other] = &mut self.nodes;
        assert_eq!(read(&mut other.store, OTHER, there), Ok(b"to".to_vec()));
        assert_eq!(read(&mut one.store, GREEDY, here), Ok(b"back".to_vec()));
    }
}

/// The stack gives a first segment to whoever waits for a client in an earlier place, and all behind it, too.
#[test]
fn who_asks_in_a_client_s_name_takes_nothing_of_its_stream() {
    world(|world| {
        let listener = world.listens(1);
        let [before, client] = [(); 2].map(|()| {
            let here = world.comes();
            world.accepted(listener, here)
        });
        // The listener waits in the third place, and from the next client on in the first.
        world.ends(before);
        let here = world.comes();
        world.accepted(listener, here);
        world.nodes[1]
            .cable
            .came
            .push_back(forged_from(client.2, at(2, PORT)));
        world.settle();
        world.talk(client);
    });
}

/// Whoever found no place comes again after a second. His first segment is not to come once more when there are more.
#[test]
fn who_has_come_by_himself_is_not_taken_for_one_who_waits() {
    world(|world| {
        let listener = world.listens(1);
        let here = world.comes();
        let before = world.accepted(listener, here);
        world.forge(1);
        world.settle();
        let here = world.comes();
        world.ends(before);
        let client = world.accepted(listener, here);
        world.settle();
        world.talk(client);
    });
}

/// All listeners keep those who wait for a place together.
#[test]
fn a_crowd_at_one_listener_puts_out_nobody_who_waits_at_another() {
    world(|world| {
        let listener = world.listens(1);
        let store = &mut world.nodes[1].store;
        let other = store.listen(ONE, SHARE, 81, 1, Families::Both);
        assert!(other.is_ok());
        let before = world.comes();
        // Another one has the place then, and the next one waits.
        let here = world.nodes[0].connect(GREEDY, at(2, PORT));
        world.settle();
        let flood = (1..=20).map(|port| forged_for(at(2, 81), port));
        world.nodes[1].cable.came.extend(flood);
        world.settle();
        world.accepted(listener, before);
        // Sooner than it comes again.
        world.settle();
        world.accepted(listener, here.expect("a stream"));
    });
}

impl World<'_> {
    /// A machine is known that is not there.
    fn knows(&mut self, machine: u8) {
        let now = self.now;
        let node = &mut self.nodes[1];
        node.connect(ONE, at(machine, 9)).expect("a stream");
        node.turn(now);
        let asked = node.cable.left.pop_back().expect("a question where it is");
        let found = searches::found(&asked, node.device).expect("it is one");
        node.cable.came.push_back(found);
    }

    /// Somebody comes from there, is answered, and takes nothing.
    fn takes_nothing(&mut self, listener: Number, from: IpEndpoint) {
        let comes = TcpRepr {
            window_len: 0,
            ..first(from)
        };
        let answers = self.hears_from(from, comes);
        let begin = answers.iter().find_map(|it| {
            let said = TcpPacket::new_checked(it.get(FRAME_HEAD + 20..)?).ok()?;
            (said.dst_port() == from.port).then(|| said.seq_number() + 1)
        });
        self.hears_from(
            from,
            TcpRepr {
                control: TcpControl::None,
                seq_number: comes.seq_number + 1,
                ack_number: begin,
                max_seg_size: None,
                ..comes
            },
        );
        let store = &mut self.nodes[1].store;
        let (there, _) = store.accept(OTHER, listener).expect("it has come");
        assert_eq!(write(store, OTHER, there, b"answer"), Ok(6));
        assert_eq!(store.close(OTHER, there), Ok(()));
        self.nodes[1].turn(self.now);
    }

    /// A listener whose streams all lead to somebody who takes nothing, each at another machine.
    fn is_full_of_those_who_take_nothing(&mut self) -> Number {
        let listener = self.listens(1);
        for machine in 1..=SHARE.streams as u8 {
            self.knows(10 + machine);
            self.takes_nothing(listener, at(10 + machine, 1));
        }
        self.nodes[1].cable.left.clear();
        listener
    }
}

/// What was written to them is kept for them, for a minute.
#[test]
fn who_is_answered_and_takes_nothing_keeps_nobody_out() {
    world(|world| {
        let listener = world.is_full_of_those_who_take_nothing();
        let here = world.nodes[0].connect(GREEDY, at(2, PORT));
        world.pass(Duration::from_secs(20));
        world.accepted(listener, here.expect("a stream"));
    });
}

/// They come from one address, again and again.
#[test]
fn who_has_more_streams_than_another_who_waits_makes_room_for_that_one_first() {
    world(|world| {
        let listener = world.listens(1);
        world.knows(9);
        for port in 1..=SHARE.streams as u16 {
            world.takes_nothing(listener, at(9, port));
        }
        world.nodes[1].cable.left.clear();
        (101..=120).for_each(|port| world.forge(port));
        world.settle();
        let here = world.nodes[0].connect(GREEDY, at(2, PORT));
        world.settle();
        (201..=220).for_each(|port| world.forge(port));
        // Sooner than what was written to the others is kept for.
        world.pass(Duration::from_secs(3));
        world.accepted(listener, here.expect("a stream"));
    });
}

/// Of two addresses with as many streams none makes room for the other before its time.
#[test]
fn who_has_no_more_streams_than_others_keeps_what_was_written_to_it() {
    world(|world| {
        let listener = world.is_full_of_those_who_take_nothing();
        world.nodes[0]
            .connect(GREEDY, at(2, PORT))
            .expect("a stream");
        world.pass(Duration::from_secs(8));
        assert!(!world.accepts(listener));
    });
}

/// Somebody who has no room for what he is sent says that he has got it all, and its end, which was not sent. The stack waits then
/// for a time that is over, and sends as long as it is asked.
#[test]
fn who_has_got_an_end_that_was_not_sent_does_not_keep_this_host_sending() {
    for is_closed in [false, true] {
        world(|world| {
            let (there, begin, next) = world.accepts_who_takes(0);
            let store = &mut world.nodes[1].store;
            assert_eq!(write(store, OTHER, there, b"answer"), Ok(6));
            let asks = TcpRepr {
                payload: b"?",
                ..next
            };
            world.hears(asks);
            let store = &mut world.nodes[1].store;
            assert_eq!(read(store, OTHER, there), Ok(b"?".to_vec()));
            assert_eq!(store.finish(OTHER, there), Ok(()));
            if is_closed {
                assert_eq!(store.close(OTHER, there), Ok(()));
            }
            let has_got_it = TcpRepr {
                seq_number: next.seq_number + 1,
                ack_number: Some(begin + b"answer".len() + 1),
                ..next
            };
            world.hears(has_got_it);
            let mut sent = 0;
            for _ in 0..100 {
                world.now += Duration::from_millis(50);
                let node = &mut world.nodes[1];
                node.turn(world.now);
                sent += core::mem::take(&mut node.cable.left).len();
            }
            assert!(sent < 20, "{sent}");
            let node = &mut world.nodes[1];
            let delay = node.interface.poll_delay(world.now, &node.store.sockets);
            assert_ne!(delay, Some(Duration::ZERO));
            let there = node.store.ready(OTHER, there);
            match is_closed {
                true => assert_eq!(there, Err(Refused::BadNumber)),
                false => assert_eq!(there, Ok(Ready::FAILED)),
            }
        });
    }
}

/// The end of a stream takes a number, and there may be no room for it: what is to come begins behind the room then.
#[test]
fn what_comes_behind_an_end_for_which_there_was_no_room_ends_nobody() {
    for (is_over, payload) in [(false, 0), (false, 100), (true, 0), (true, 100)] {
        world(|world| {
            let (there, begin, next) = world.accepts_who_takes(1000);
            let store = &mut world.nodes[1].store;
            let got = match is_over {
                true => {
                    assert_eq!(store.finish(OTHER, there), Ok(()));
                    begin + 1
                }
                false => begin,
            };
            world.now += Duration::from_millis(20);
            let next = TcpRepr {
                ack_number: Some(got),
                ..next
            };
            world.hears(next);
            let bytes = [7; STREAM];
            // What comes last is so little that its acknowledgement waits, and that of the end with it.
            for part in [0..1000, 1000..2000, 2000..STREAM] {
                let part = TcpRepr {
                    seq_number: next.seq_number + part.start,
                    payload: &bytes[part],
                    ..next
                };
                world.hears(part);
            }
            let end = TcpRepr {
                control: TcpControl::Fin,
                seq_number: next.seq_number + STREAM,
                ..next
            };
            world.hears(end);
            let far = next.seq_number + STREAM + (i32::MAX as usize) + 1 - payload;
            world.hears(TcpRepr {
                seq_number: far,
                payload: &bytes[..payload],
                ..next
            });
            let store = &mut world.nodes[1].store;
            assert_eq!(read(store, OTHER, there), Ok(bytes.to_vec()));
            assert_eq!(read(store, OTHER, there), Ok(Vec::new()));
        });
    }
}
