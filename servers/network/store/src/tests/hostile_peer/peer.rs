//! What a peer says, which hears all that leaves the host.

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{IpProtocol, IpRepr, TcpControl, TcpPacket, TcpRepr, TcpSeqNumber, UdpPacket};

use super::*;
use crate::answer::Carried;
use crate::tests::half_open::{first, segment};

/// Who is asked for names, and for echoes.
pub const SERVER: IpAddress = IpAddress::v4(10, 0, 0, 1);
/// Where clients' streams go.
pub const PLACES: [IpEndpoint; 3] = [
    IpEndpoint::new(SERVER, 90),
    IpEndpoint::new(SERVER, 91),
    IpEndpoint::new(IpAddress::v4(10, 0, 0, 3), 90),
];
/// From where also comes what nobody has sent.
const NOBODYS: [IpAddress; 5] = [
    IpAddress::v4(0, 0, 0, 0),
    IpAddress::v4(10, 0, 0, 2),
    IpAddress::v4(10, 0, 0, 255),
    IpAddress::v4(127, 0, 0, 1),
    IpAddress::v4(224, 0, 0, 1),
];
/// Bytes of a frame before what its packet carries.
const HEADS: usize = FRAME_HEAD + 20;
/// Most bytes of a segment.
const SEGMENT: usize = 1460;
/// How many streams, and questions, a peer remembers: the latest.
const FLOWS: usize = 6;
const QUESTIONS: usize = 4;

/// A stream as the peer knows it.
#[derive(Clone, Copy)]
struct Flow {
    /// The peer's end, and the host's.
    from: IpEndpoint,
    to: IpEndpoint,
    /// Whether the host waits for the peer's first segment.
    is_asked: bool,
    /// Whether the peer has said its end.
    is_over: bool,
    /// The number of what the peer says next.
    next: TcpSeqNumber,
    /// What the host has acknowledged, and where its room ends.
    heard: TcpSeqNumber,
    end_of_room: TcpSeqNumber,
    /// What the peer acknowledges.
    got: TcpSeqNumber,
}

pub struct Peer {
    chance: Chance,
    /// How many in a hundred of its choices are not those of a right one.
    wild: usize,
    /// Whether anybody is found at the wire.
    is_found: bool,
    flows: Vec<Flow>,
    /// The latest port that it has heard of a stream of the host's.
    port: u16,
    /// Questions for names, and for echoes.
    names: Vec<Vec<u8>>,
    echoes: Vec<Vec<u8>>,
}

impl Peer {
    pub fn new(seed: u64) -> Peer {
        let mut chance = Chance(seed << 32);
        Peer {
            wild: chance.of(&[2, 6, 15, 40]),
            is_found: chance.is(75),
            chance,
            flows: Vec::new(),
            port: FIRST_PORT,
            names: Vec::new(),
            echoes: Vec::new(),
        }
    }

    /// Hears a frame: what it says to it at once.
    pub fn hear(&mut self, frame: &[u8], device: EthernetAddress) -> Option<Vec<u8>> {
        let _ = self.hear_segment(frame);
        if let Some(it) = Carried::of(frame, IpProtocol::Udp)
            && it.bytes[2..4] == crate::answer::PORT.to_be_bytes()
        {
            keep(&mut self.names, QUESTIONS, frame.to_vec());
        }
        // A question, and none of its own answers.
        if Carried::of(frame, IpProtocol::Icmp).is_some_and(|it| it.bytes[0] == 8) {
            keep(&mut self.echoes, QUESTIONS, frame.to_vec());
        }
        let found = searches::found(frame, device);
        found.filter(|_| self.is_found)
    }

    fn hear_segment(&mut self, frame: &[u8]) -> Option<()> {
        let Carried { from, to, bytes } = Carried::of(frame, IpProtocol::Tcp)?;
        let said = TcpPacket::new_checked(bytes).ok()?;
        let ends = [(to, said.dst_port()), (from, said.src_port())];
        let [from, to] = ends.map(IpEndpoint::from);
        let is_it = |it: &Flow| (it.from, it.to) == (from, to);
        let place = self.flows.iter().position(is_it);
        let before = place.map(|it| self.flows.remove(it));
        let heard = match said.ack() {
            true => said.ack_number(),
            false => self.number(),
        };
        let is_asked = said.syn() && !said.ack();
        if is_asked {
            self.port = self.port.max(to.port);
        }
        let flow = Flow {
            from,
            to,
            is_asked,
            is_over: before.is_some_and(|it| it.is_over) && !is_asked,
            next: before
                .filter(|_| !is_asked)
                .map_or(heard, |it| it.next.max(heard)),
            heard,
            end_of_room: heard + usize::from(said.window_len()),
            got: said.seq_number() + said.segment_len(),
        };
        keep(&mut self.flows, FLOWS, flow);
        Some(())
    }

    /// What it says by itself.
    pub fn says(&mut self) -> Vec<Vec<u8>> {
        let one = match self.chance.below(24) {
            0..2 => self.comes(),
            2 => self.comes_to_who_asks(),
            3 => self.noise(),
            4..6 => self.datagram(),
            6 => self.message(),
            7..9 => return self.answers_name().into_iter().collect(),
            9 => return self.answers_echo().into_iter().collect(),
            10..18 if !self.flows.is_empty() => return self.goes_on(),
            _ => return Vec::new(),
        };
        vec![one]
    }

    fn number(&mut self) -> TcpSeqNumber {
        TcpSeqNumber(i32::from_be_bytes([(); 4].map(|()| self.chance.byte())))
    }

    /// One of its addresses, or one that nobody sends from.
    fn address(&mut self) -> IpAddress {
        match self.chance.is(self.wild) {
            true => self.chance.of(&NOBODYS),
            false => self.chance.of(&PLACES).addr,
        }
    }

    /// Somebody comes to a listener.
    fn comes(&mut self) -> Vec<u8> {
        let port = 1000 + self.chance.below(4) as u16;
        let from = IpEndpoint::new(self.address(), port);
        let to = at(2, PORT + self.chance.below(2) as u16);
        let said = TcpRepr {
            seq_number: self.number(),
            ..first(from)
        };
        self.sends(from, to, said)
    }

    /// The same, to a stream that asks for a connection itself, and whose question has perhaps not left yet: ports are given one
    /// after the other, so that whoever has heard of one guesses others.
    fn comes_to_who_asks(&mut self) -> Vec<u8> {
        let from = self.chance.of(&PLACES);
        let to = at(2, self.port + self.chance.below(32) as u16);
        self.sends(from, to, first(from))
    }

    /// Some segments of one stream, one right behind the other: the host has said nothing between them.
    fn goes_on(&mut self) -> Vec<Vec<u8>> {
        let place = self.chance.below(self.flows.len());
        (0..=self.chance.below(5))
            .map(|_| self.says_next(place))
            .collect()
    }

    fn says_next(&mut self, place: usize) -> Vec<u8> {
        const BYTES: [u8; SEGMENT] = [9; SEGMENT];
        let mut flow = self.flows[place];
        let payload = &BYTES[..self.length(flow)];
        let control = self.control(flow.is_asked);
        let said = TcpRepr {
            control,
            seq_number: self.number_of(flow, payload.len()),
            ack_number: Some(match self.chance.is(self.wild) {
                true => self.beside(flow.got),
                false => flow.got,
            }),
            window_len: self.chance.of(&[0, 1, 100, 1000, 2048, u16::MAX]),
            payload,
            max_seg_size: None,
            ..first(flow.from)
        };
        if said.seq_number == flow.next {
            flow.next += said.segment_len();
            flow.is_over |= control == TcpControl::Fin;
        }
        flow.is_asked &= control != TcpControl::Syn;
        self.flows[place] = flow;
        self.sends(flow.from, flow.to, said)
    }

    /// How much it sends, most often as much as there is room for: what is judged at the end of the room begins there.
    fn length(&mut self, flow: Flow) -> usize {
        let room = flow.end_of_room.0.wrapping_sub(flow.next.0).max(0) as usize;
        let length = self.chance.of(&[0, 0, 1, 100, room, room, room]);
        length.min(SEGMENT)
    }

    fn control(&mut self, is_asked: bool) -> TcpControl {
        const ALL: [TcpControl; 5] = [
            TcpControl::None,
            TcpControl::Psh,
            TcpControl::Fin,
            TcpControl::Syn,
            TcpControl::Rst,
        ];
        match self.chance.below(100) {
            it if it < self.wild => self.chance.of(&ALL),
            _ if is_asked => TcpControl::Syn,
            it if it > 85 => TcpControl::Fin,
            _ => TcpControl::None,
        }
    }

    /// What comes behind an end is at an edge more often: a right one says nothing there.
    fn number_of(&mut self, flow: Flow, length: usize) -> TcpSeqNumber {
        match self.chance.is(if flow.is_over { 50 } else { self.wild }) {
            true => self.number_at_an_edge(flow, length),
            false => flow.next,
        }
    }

    /// A number with which a segment begins or ends where the host's judgement of it changes, or beside that: at what comes next,
    /// at what was acknowledged, at the end of the room, and half of all numbers away from each.
    fn number_at_an_edge(&mut self, flow: Flow, length: usize) -> TcpSeqNumber {
        let edge = self.chance.of(&[flow.next, flow.heard, flow.end_of_room]);
        let away = self.chance.of(&[0, i32::MIN]);
        let beside = self.chance.of(&[-1, 0, 1]) - self.chance.of(&[0, length as i32]);
        TcpSeqNumber(edge.0.wrapping_add(away).wrapping_add(beside))
    }

    fn beside(&mut self, number: TcpSeqNumber) -> TcpSeqNumber {
        let away = self
            .chance
            .of(&[-1, 1, 100, -100, 2048, i32::MIN, i32::MAX]);
        TcpSeqNumber(number.0.wrapping_add(away))
    }

    /// A segment as it is sent: a first one with any options, and each now and then with something changed.
    fn sends(&mut self, from: IpEndpoint, to: IpEndpoint, said: TcpRepr<'_>) -> Vec<u8> {
        let said = match said.control {
            TcpControl::Syn => TcpRepr {
                max_seg_size: self.chance.of(&[
                    None,
                    Some(0),
                    Some(1),
                    Some(64),
                    Some(536),
                    Some(u16::MAX),
                ]),
                window_scale: self.chance.of(&[
                    None,
                    Some(0),
                    Some(7),
                    Some(14),
                    Some(15),
                    Some(255),
                ]),
                sack_permitted: self.chance.is(50),
                ..said
            },
            _ => said,
        };
        let mut frame = segment(from, to, said);
        if self.chance.is(self.wild / 2) {
            // Its head but the ports and numbers, or its bytes, with the sum that is right then.
            let place = HEADS + 12 + self.chance.below(frame.len() - HEADS - 12);
            frame[place] = self.chance.byte();
            let mut changed = TcpPacket::new_unchecked(&mut frame[HEADS..]);
            changed.fill_checksum(&from.addr, &to.addr);
        }
        self.may_spoil(frame)
    }

    /// A frame, in which now and then a byte is another one.
    fn may_spoil(&mut self, mut frame: Vec<u8>) -> Vec<u8> {
        if self.chance.is(self.wild / 4) {
            let place = self.chance.below(frame.len());
            frame[place] = self.chance.byte();
        }
        frame
    }

    fn bytes(&mut self, most: usize) -> Vec<u8> {
        (0..self.chance.below(most))
            .map(|_| self.chance.byte())
            .collect()
    }

    fn noise(&mut self) -> Vec<u8> {
        self.bytes(100)
    }

    fn datagram(&mut self) -> Vec<u8> {
        let from = IpEndpoint::new(self.address(), self.chance.of(&[DATAGRAMS, 53, 7]));
        let bytes = vec![1; self.chance.below(LONGEST)];
        let frame = families::datagram(from, at(2, DATAGRAMS), &bytes);
        self.may_spoil(frame)
    }

    /// A message of ICMP.
    fn message(&mut self) -> Vec<u8> {
        let mut said = vec![
            self.chance.of(&[0, 3, 5, 8, 11]),
            self.chance.below(4) as u8,
            0,
            0,
        ];
        said.extend(self.bytes(60));
        let head = IpRepr::new(
            self.address(),
            at(2, 0).addr,
            IpProtocol::Icmp,
            said.len(),
            64,
        );
        let mut frame = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 9, 8, 0];
        frame.resize(HEADS, 0);
        head.emit(&mut frame[FRAME_HEAD..], &ChecksumCapabilities::default());
        frame.extend(said);
        let frame = pings::summed(frame);
        self.may_spoil(frame)
    }

    fn answers_echo(&mut self) -> Option<Vec<u8>> {
        let question = self.echoes.pop()?;
        Some(self.may_spoil(pings::echo(&question)))
    }

    fn answers_name(&mut self) -> Option<Vec<u8>> {
        // It may be answered again.
        let question = self.names.last()?.clone();
        let question = UdpPacket::new_checked(&question[HEADS..]).ok()?;
        let (server, port) = (question.dst_port(), question.src_port());
        let mut bytes = question.payload().to_vec();
        self.answer(&mut bytes);
        let from = match self.chance.is(self.wild) {
            true => IpEndpoint::new(self.address(), self.chance.of(&[53, 5353])),
            false => IpEndpoint::new(SERVER, server),
        };
        let frame = families::datagram(from, at(2, port), &bytes);
        Some(self.may_spoil(frame))
    }

    /// Makes a question the answer to it, or something like one.
    fn answer(&mut self, bytes: &mut Vec<u8>) {
        let is_wild = self.chance.is(self.wild);
        bytes[2] |= 0x80;
        let records = if is_wild { self.chance.below(6) } else { 1 };
        bytes[7] = records as u8;
        // Of whatever family was asked for.
        let kind = bytes[bytes.len() - 3];
        for _ in 0..records {
            match is_wild {
                true => self.wild_record(bytes),
                false => {
                    let length = if kind == 1 { 4 } else { 16 };
                    bytes.extend([0xC0, 12, 0, kind, 0, 1, 0, 0, 0, 60, 0, length]);
                    bytes.extend((0..length).map(|it| it | 1));
                }
            }
        }
        if is_wild {
            bytes[3] |= self.chance.of(&[0, 0, 2, 3, 5]);
            bytes.truncate(
                self.chance
                    .of(&[bytes.len(), bytes.len(), bytes.len() / 2, 13]),
            );
        }
    }

    /// A record whose name may go in circles or end nowhere, and whose length need not be that of what it has.
    fn wild_record(&mut self, bytes: &mut Vec<u8>) {
        const NAMES: [&[u8]; 7] = [
            &[0xC0, 12],
            &[0xC0, 255],
            &[0xC0, 32],
            &[0],
            &[1, b'a', 0],
            &[63],
            &[0xC0],
        ];
        bytes.extend(self.chance.of(&NAMES));
        bytes.extend([0, self.chance.of(&[1, 2, 5, 28]), 0, 1, 0, 0, 0, 60]);
        bytes.extend([0, self.chance.of(&[0, 2, 4, 16, 255])]);
        for _ in 0..self.chance.of(&[0, 2, 4, 16]) {
            bytes.push(self.chance.of(&[0xC0, 12, 32, 1]));
        }
    }
}

/// Keeps the latest so many.
fn keep<T>(all: &mut Vec<T>, most: usize, it: T) {
    if all.len() == most {
        all.remove(0);
    }
    all.push(it);
}
