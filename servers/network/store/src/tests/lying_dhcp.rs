//! Whoever gives addresses, and says whatever it likes in its answers, by seeds that stay; and clients that use what was told.

use core::net::Ipv4Addr;

use smoltcp::wire::{
    DhcpMessageType, DhcpOption, DhcpPacket, DhcpRepr, IpProtocol, Ipv4Address, UdpPacket,
};

use super::families::Chance;
use super::hostile_peer::{Named, assert_free};
use super::*;
use crate::answer::Carried;

const SEEDS: u64 = 60;
const STEPS: usize = 300;

const GIVEN: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);
const ROUTER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const GIVER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 9);
/// What is said in place of an address: hosts near and far, and what is none.
const ADDRESSES: [Ipv4Addr; 12] = [
    ROUTER,
    GIVER,
    Ipv4Addr::new(10, 0, 0, 255),
    Ipv4Addr::new(10, 0, 0, 0),
    Ipv4Addr::new(10, 255, 255, 255),
    Ipv4Addr::new(192, 168, 1, 1),
    Ipv4Addr::new(169, 254, 0, 1),
    Ipv4Addr::new(240, 0, 0, 1),
    Ipv4Addr::new(224, 0, 0, 1),
    Ipv4Addr::LOCALHOST,
    Ipv4Addr::UNSPECIFIED,
    Ipv4Addr::BROADCAST,
];
const MASKS: [Ipv4Addr; 5] = [
    Ipv4Addr::UNSPECIFIED,
    Ipv4Addr::BROADCAST,
    Ipv4Addr::new(128, 0, 0, 0),
    Ipv4Addr::new(255, 0, 255, 0),
    Ipv4Addr::new(255, 255, 255, 254),
];
const SECONDS: [u32; 6] = [0, 1, 120, 3600, i32::MAX as u32, u32::MAX];
/// The options with those who know the way to all others, and with servers of names.
const ROUTERS: u8 = 3;
const SERVERS_OF_NAMES: u8 = 6;
/// Bytes of an answer before its options.
const BEFORE_OPTIONS: usize = 240;

/// Most frames that leave in one moment besides an answer to each that came: nobody is connected.
const AT_ONCE: usize = 1 + STREAMS + PORTS * KEPT + NAMES + SEARCHES;

struct Giver {
    chance: Chance,
    /// How many in a hundred of its choices are not those of a right one.
    wild: usize,
    /// The last question, which it may also answer later.
    asked: Option<Vec<u8>>,
}

impl Giver {
    fn new(seed: u64) -> Giver {
        let mut chance = Chance(seed << 32);
        Giver {
            wild: chance.of(&[1, 10, 40]),
            chance,
            asked: None,
        }
    }

    /// What comes when this frame has left.
    fn hear(&mut self, frame: Vec<u8>, device: EthernetAddress) -> Vec<Vec<u8>> {
        if self.answer(&frame).is_some() {
            let answers = 1 + self.chance.below(2);
            let all = (0..answers).filter_map(|_| self.answer(&frame)).collect();
            self.asked = Some(frame);
            return all;
        }
        let found = searches::found(&frame, device);
        found.filter(|_| self.chance.is(66)).into_iter().collect()
    }

    /// What nobody has asked now.
    fn says(&mut self) -> Option<Vec<u8>> {
        let asked = self.asked.take_if(|_| self.chance.is(10))?;
        self.answer(&asked)
    }

    /// An answer, if this frame asks for an address.
    fn answer(&mut self, frame: &[u8]) -> Option<Vec<u8>> {
        let asked = Carried::of(frame, IpProtocol::Udp)?;
        let asked = UdpPacket::new_checked(asked.bytes).ok()?;
        let asked = DhcpPacket::new_checked(asked.payload()).ok()?;
        let bytes = self.answer_to(&DhcpRepr::parse(&asked).ok()?);
        let from = IpEndpoint::new(self.address(GIVER).into(), 67);
        let to = IpEndpoint::new(Ipv4Addr::BROADCAST.into(), 68);
        Some(families::datagram(from, to, &bytes))
    }

    fn answer_to(&mut self, asked: &DhcpRepr<'_>) -> Vec<u8> {
        let routers = self.addresses();
        let servers = self.addresses();
        let options = [(ROUTERS, &routers), (SERVERS_OF_NAMES, &servers)];
        let options = options.map(|(kind, data)| DhcpOption { kind, data });
        let said = DhcpRepr {
            message_type: self.kind(asked.message_type),
            transaction_id: asked.transaction_id,
            client_hardware_address: asked.client_hardware_address,
            your_ip: self.address(GIVEN),
            server_identifier: self.may_say(GIVER),
            subnet_mask: self.mask(),
            additional_options: &options[..self.chance.below(3)],
            lease_duration: self.seconds(),
            renew_duration: self.seconds(),
            rebind_duration: self.seconds(),
            requested_ip: None,
            client_identifier: None,
            parameter_request_list: None,
            max_size: None,
            ..asked.clone()
        };
        let mut bytes = vec![0; said.buffer_len()];
        let emitted = said.emit(&mut DhcpPacket::new_unchecked(&mut bytes[..]));
        emitted.expect("there is room");
        self.spoil(&mut bytes);
        bytes
    }

    fn kind(&mut self, asked: DhcpMessageType) -> DhcpMessageType {
        match asked {
            _ if self.chance.is(self.wild) => DhcpMessageType::from(self.chance.below(10) as u8),
            DhcpMessageType::Discover => DhcpMessageType::Offer,
            _ => DhcpMessageType::Ack,
        }
    }

    fn address(&mut self, right: Ipv4Addr) -> Ipv4Addr {
        match self.chance.is(self.wild) {
            true => self.chance.of(&ADDRESSES),
            false => right,
        }
    }

    fn may_say(&mut self, right: Ipv4Addr) -> Option<Ipv4Address> {
        let address = self.address(right);
        (!self.chance.is(self.wild / 2)).then_some(address)
    }

    fn mask(&mut self) -> Option<Ipv4Address> {
        let mask = match self.chance.is(self.wild) {
            true => self.chance.of(&MASKS),
            false => Ipv4Addr::new(255, 255, 255, 0),
        };
        (!self.chance.is(self.wild / 2)).then_some(mask)
    }

    fn seconds(&mut self) -> Option<u32> {
        let seconds = self.chance.of(&SECONDS);
        self.chance.is(50).then_some(seconds)
    }

    /// Some of them, as an option has them: perhaps none.
    fn addresses(&mut self) -> Vec<u8> {
        let count = self.chance.below(5);
        let all = (0..count).map(|_| self.address(ROUTER).octets());
        all.flatten().collect()
    }

    /// Changes a byte now and then, or puts options behind the end that are none, or cuts some off.
    fn spoil(&mut self, bytes: &mut Vec<u8>) {
        if self.chance.is(self.wild) {
            let place = self.chance.below(bytes.len());
            bytes[place] = self.chance.byte();
        }
        if self.chance.is(self.wild) {
            bytes.pop();
            bytes.extend((0..self.chance.below(20)).map(|_| self.chance.byte()));
        }
        if self.chance.is(self.wild / 2) {
            bytes.truncate(BEFORE_OPTIONS + self.chance.below(bytes.len() - BEFORE_OPTIONS));
        }
    }
}

/// Whether the server lets a client send there, as [`Store`] wants it.
fn leads_to(interface: &Interface, to: IpAddress) -> bool {
    match to {
        _ if to.is_unspecified() || is_own(to) => false,
        _ if is_host(interface, to) => way(interface, to).is_some(),
        _ => interface.get_source_address(&to).is_some(),
    }
}

struct Game<'a, 'b> {
    node: &'a mut Node<'b>,
    now: Instant,
    chance: Chance,
    giver: Giver,
    sockets: Vec<Number>,
    /// How often there was an address.
    leases: usize,
}

impl Game<'_, '_> {
    fn step(&mut self) {
        const MILLIS: [u64; 7] = [1, 10, 100, 1000, 5000, 10_000, 60_000];
        // Most leases are over by then.
        const LONG: u64 = 3_600_000;
        self.now += Duration::from_millis(match self.chance.is(3) {
            true => LONG,
            false => self.chance.of(&MILLIS),
        });
        self.node.cable.came.extend(self.giver.says());
        self.turn();
        for _ in 0..3 {
            self.act();
            self.turn();
        }
    }

    /// One turn, as the server has it, and what comes of what has left.
    fn turn(&mut self) {
        let (node, now) = (&mut *self.node, self.now);
        let came = node.cable.came.len();
        node.turn(now);
        if let Some(told) = node.store.lease() {
            self.leases += usize::from(told.address.is_some());
            lease::configure(&mut node.interface, told);
            node.store.forget_neighbours();
            let names = told.names.into_iter().flatten();
            node.store.set_name_servers(names.map(IpAddress::from));
        }
        node.interface.poll_delay(now, &node.store.sockets);
        let left = core::mem::take(&mut node.cable.left);
        assert!(left.len() <= came + AT_ONCE, "{} frames", left.len());
        for frame in left {
            let answers = self.giver.hear(frame, node.device);
            node.cable.came.extend(answers);
        }
    }

    /// A client does something with the address.
    fn act(&mut self) {
        let node = &mut *self.node;
        let to = IpEndpoint::new(self.chance.of(&ADDRESSES).into(), 80);
        match self.chance.below(6) {
            0 if way(&node.interface, to.addr).is_some() => {
                self.sockets.extend(node.connect(GREEDY, to));
            }
            1 if leads_to(&node.interface, to.addr) => {
                let bound = node.store.bind(GREEDY, share_of(GREEDY), 0, Families::Both);
                if let Ok((port, _)) = bound {
                    let _ = node.store.send_to(GREEDY, port, to, b"x");
                    self.sockets.push(port);
                }
            }
            2 => {
                if let Some(socket) = self.sockets.pop() {
                    let _ = node.store.close(GREEDY, socket);
                }
            }
            3 => {
                let numbers = node.interface.context();
                let store = &mut node.store;
                let share = share_of(GREEDY);
                let _ = store.ask(GREEDY, share, b"a.b", Families::Both, numbers, self.now);
            }
            // It begins anew, or questions would soon be all under way.
            4 if self.chance.is(10) => {
                node.store.abandon(GREEDY);
                self.sockets.clear();
            }
            _ => {}
        }
    }
}

/// Plays one seed: how often there was an address.
fn play(seed: u64) -> usize {
    let _named = Named(seed);
    let mut leases = 0;
    world(|world| {
        let node = &mut world.nodes[1];
        lease::asks_for_address(node);
        let mut game = Game {
            node,
            now: Instant::ZERO,
            chance: Chance(seed),
            giver: Giver::new(seed),
            sockets: Vec::new(),
            leases: 0,
        };
        for _ in 0..STEPS {
            game.step();
        }
        leases = game.leases;
        game.node.store.abandon(GREEDY);
        for _ in 0..150 {
            game.now += Duration::from_secs(1);
            game.turn();
        }
        assert_free(game.node, game.now);
    });
    leases
}

#[test]
fn whatever_is_told_with_an_address_the_host_lives_sends_no_more_than_it_has_and_all_is_free_in_the_end()
 {
    let leases: usize = (1..=SEEDS).map(play).sum();
    // Who is never believed finds nothing.
    assert!(leases >= 200, "{leases}");
}
