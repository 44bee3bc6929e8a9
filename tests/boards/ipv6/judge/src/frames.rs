//! Frames as routers and strangers at the wire send them.

use core::net::Ipv6Addr;

use riposte::{Connection, Part, Status};
use riposte_ethernet::protocol::{operation, status};

/// Most bytes of a frame.
const LONGEST: usize = 160;
/// Bytes before what a frame of ICMP says.
const HEAD: usize = 14 + 40;

/// Everybody at the wire.
pub const ALL: Ipv6Addr = Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 1);
/// The host that the judge's frames say to be: the one that is told its address is at the other side.
pub const ROUTER: Ipv6Addr = Ipv6Addr::new(0xFE80, 0, 0, 0, 0, 0xFF, 0xFE00, 2);

/// A frame of ICMP for IPv6.
pub struct Frame {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Frame {
    /// From this host to that one, with so many hops left.
    pub fn new(from: Ipv6Addr, to: Ipv6Addr, hops: u8) -> Frame {
        let mut frame = Frame {
            bytes: [0; LONGEST],
            length: 0,
        };
        frame.push(&[0x33, 0x33, 0, 0, 0, 1]);
        frame.push(&[2, 0, 0, 0, 0, 2]);
        frame.push(&[0x86, 0xDD, 0x60, 0, 0, 0, 0, 0, 58, hops]);
        frame.push(&from.octets());
        frame.push(&to.octets());
        frame
    }

    /// What a router says: for how long it is one, in seconds.
    pub fn router(from: Ipv6Addr, seconds: u16) -> Frame {
        Frame::router_with_hops(from, seconds, 255)
    }

    pub fn router_with_hops(from: Ipv6Addr, seconds: u16, hops: u8) -> Frame {
        let mut frame = Frame::new(from, ALL, hops);
        let [high, low] = seconds.to_be_bytes();
        frame.push(&[134, 0, 0, 0, 64, 0, high, low]);
        frame.push(&[0; 8]);
        frame
    }

    /// That addresses begin so, for so many seconds.
    pub fn prefix(mut self, prefix: Ipv6Addr, seconds: u32) -> Frame {
        self.push(&[3, 4, 64, 0xC0]);
        self.push(&seconds.to_be_bytes());
        self.push(&seconds.to_be_bytes());
        self.push(&[0; 4]);
        self.push(&prefix.octets());
        self
    }

    /// That this host tells names, for so many seconds.
    pub fn server(mut self, server: Ipv6Addr, seconds: u32) -> Frame {
        self.push(&[25, 3, 0, 0]);
        self.push(&seconds.to_be_bytes());
        self.push(&server.octets());
        self
    }

    /// These bytes.
    pub fn with(mut self, bytes: &[u8]) -> Frame {
        self.push(bytes);
        self
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes[self.length..][..bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }

    /// Whole, with its length and its sum.
    pub fn bytes(&mut self) -> &mut [u8] {
        let length = (self.length - HEAD) as u16;
        self.bytes[18..20].copy_from_slice(&length.to_be_bytes());
        self.bytes[HEAD + 2..HEAD + 4].fill(0);
        let words = |bytes: &[u8]| -> u32 {
            let words = bytes.chunks(2);
            let word =
                |it: &[u8]| u32::from_be_bytes([0, 0, it[0], it.get(1).copied().unwrap_or(0)]);
            words.map(word).sum()
        };
        let mut sum = words(&self.bytes[22..self.length]) + u32::from(length) + 58;
        while sum > 0xFFFF {
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        self.bytes[HEAD + 2..HEAD + 4].copy_from_slice(&(!sum as u16).to_be_bytes());
        &mut self.bytes[..self.length]
    }
}

/// Has a frame come to the network, as soon as there is room.
pub fn put(wire: &Connection, frame: &[u8]) {
    let head = operation::SEND.to_le_bytes();
    loop {
        let sent = wire.send_vector(&[Part::new(&head), Part::new(frame)], &mut []);
        match sent.unwrap().status {
            Status::OK => return,
            status::NO_ROOM => {}
            why => panic!("the wire takes no frame: {why}"),
        }
        let _ = riposte::sleep(riposte::Duration::from_micros(200));
    }
}
