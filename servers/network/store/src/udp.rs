//! Ports for datagrams (UDP).

mod kept;
mod sending;
mod ways;

use kept::{Head, Kept};
pub use sending::FIRST_SEARCH;
use smoltcp::iface::{SocketHandle, SocketSet};
use smoltcp::socket::udp::{PacketBuffer, PacketMetadata, Socket};
use smoltcp::wire::{IpEndpoint, IpVersion};
use ways::Way;

use crate::{
    Count, DATAGRAM, Families, KEPT, Kind, LONGEST, LONGEST_IPV6, Number, Ready, Refused, Share,
    Store,
};

/// Ports of all clients.
pub const PORTS: usize = 4;
/// Datagrams of the longest that are kept of what comes, for each that is of what leaves: a client may take its time, and frames
/// leave at once.
const COME: usize = 2;

/// What ports keep. All zeros at first.
#[derive(Debug)]
pub struct PortMemory {
    came: ([u8; COME * PORTS * DATAGRAM], [Head; COME * PORTS * KEPT]),
    leaves: ([u8; PORTS * DATAGRAM], [Head; PORTS * KEPT]),
    /// Of the stack's sockets: what has just come for each port, and what is to be sent at once.
    passing: [[u8; LONGEST]; SOCKETS],
}

/// Sockets of the stack: one of each port, for what comes, and one for all that leaves.
pub const SOCKETS: usize = PORTS + 1;

impl PortMemory {
    pub const fn new() -> PortMemory {
        PortMemory {
            came: ([0; _], [Head::EMPTY; _]),
            leaves: ([0; _], [Head::EMPTY; _]),
            passing: [[0; _]; _],
        }
    }
}

#[derive(Debug)]
struct Port<'a> {
    handle: SocketHandle,
    /// 0 is nobody.
    owner: u32,
    count: Count,
    /// Which one it is, if it has an owner.
    port: u16,
    /// Datagrams of others are as if they had not come.
    families: Families,
    /// Whose datagrams alone are kept, if it has one.
    peer: Option<IpEndpoint>,
    came: Kept<'a>,
    leaves: Kept<'a>,
    /// How long a datagram was that there was no room for; 0 if there was for the last one.
    wanted: usize,
    /// Where its last datagram went.
    way: Option<Way>,
}

/// All of them.
#[derive(Debug)]
pub struct Datagrams<'a> {
    ports: [Port<'a>; PORTS],
    /// Clients are given the first of them.
    used: usize,
    /// How many of the longest datagrams that leave each of these keeps.
    keeps: usize,
    /// The socket that sends for all. It is closed but while the stack is asked to send.
    sender: SocketHandle,
    /// The port's place and the number of the datagram that it was given.
    offered: Option<(usize, usize)>,
    /// The place of the port that is asked first for the next one.
    next: usize,
}

impl<'a> Datagrams<'a> {
    /// The first `used` ports share the memory, each a part of the same size: nobody is given the others.
    pub(crate) fn new(
        memory: &'a mut PortMemory,
        heads: &'a mut [PacketMetadata; SOCKETS],
        used: usize,
        sockets: &mut SocketSet<'a>,
    ) -> Datagrams<'a> {
        let used = used.min(PORTS);
        let keeps = PORTS / used.max(1);
        let PortMemory {
            came,
            leaves,
            passing: all_passing,
        } = memory;
        let mut came = divided(&mut came.0, &mut came.1, COME * keeps);
        let mut leaves = divided(&mut leaves.0, &mut leaves.1, keeps);
        let ([sender, latest @ ..], [sender_head, latest_heads @ ..]) = (all_passing, heads);
        let mut latest = latest
            .iter_mut()
            .zip(latest_heads)
            .map(|(bytes, head)| passing(head, bytes));
        let ports = core::array::from_fn(|_| {
            let latest = latest.next().unwrap_or_else(nothing);
            Port {
                handle: sockets.add(Socket::new(latest, nothing())),
                owner: 0,
                count: Count::new(),
                port: 0,
                families: Families::Both,
                peer: None,
                came: came.next().unwrap_or_default(),
                leaves: leaves.next().unwrap_or_default(),
                wanted: 0,
                way: None,
            }
        });
        Datagrams {
            ports,
            used,
            keeps,
            sender: sockets.add(Socket::new(nothing(), passing(sender_head, sender))),
            offered: None,
            next: 0,
        }
    }
}

/// Memory for `keeps` of the longest datagrams at a time.
fn divided<'a>(
    bytes: &'a mut [u8],
    heads: &'a mut [Head],
    keeps: usize,
) -> impl Iterator<Item = Kept<'a>> {
    let bytes = bytes.chunks_mut(keeps * DATAGRAM);
    let heads = heads.chunks_mut(keeps * KEPT);
    heads
        .zip(bytes)
        .map(|(heads, bytes)| Kept::new(heads, bytes))
}

/// Room for one datagram in a socket of the stack.
fn passing<'a>(head: &'a mut PacketMetadata, bytes: &'a mut [u8; LONGEST]) -> PacketBuffer<'a> {
    PacketBuffer::new(core::slice::from_mut(head), &mut bytes[..])
}

/// Room for none.
fn nothing<'a>() -> PacketBuffer<'a> {
    PacketBuffer::new(&mut [][..], &mut [][..])
}

impl Port<'_> {
    /// Whether what comes from there is kept.
    fn hears(&self, from: IpEndpoint) -> bool {
        self.families.has(from.addr) && self.peer.is_none_or(|it| it == from)
    }

    /// Keeps what comes from there, if it hears it and has room.
    fn take(&mut self, from: IpEndpoint, bytes: &[u8]) {
        if self.hears(from) {
            self.came.put(from, bytes);
        }
    }

    /// Whether it is this one, and somebody's.
    const fn is(&self, port: u16) -> bool {
        self.owner != 0 && self.port == port
    }
}

impl<'a> Store<'a> {
    /// As [`Store::remove_unused_streams`].
    pub(crate) fn remove_unused_ports(&mut self) {
        for port in self.datagrams.ports.iter().skip(self.datagrams.used) {
            self.sockets.remove(port.handle);
        }
    }

    /// Gives a client a port: any, if it asks for 0. Which one it is. Datagrams of other families are as if they had not come.
    ///
    /// # Errors
    /// [`Refused::InUse`], [`Refused::TooMany`].
    pub fn bind(
        &mut self,
        client: u32,
        share: Share,
        port: u16,
        families: Families,
    ) -> Result<(Number, u16), Refused> {
        if self.has_port(port) {
            return Err(Refused::InUse);
        }
        let ports = &self.datagrams.ports;
        let own = ports.iter().filter(|it| it.owner == client).count();
        let mut given = ports.iter().take(self.datagrams.used);
        let free = given.position(|it| it.owner == 0);
        let place = free.filter(|_| own < share.ports).ok_or(Refused::TooMany)?;
        let port = match port {
            0 => self.free_port()?,
            port => port,
        };
        let it = &mut self.datagrams.ports[place];
        let socket = self.sockets.get_mut::<Socket<'a>>(it.handle);
        socket.bind(port).map_err(|_| Refused::Invalid)?;
        it.owner = client;
        it.port = port;
        it.families = families;
        it.peer = None;
        it.wanted = 0;
        it.count.next();
        Ok((it.count.number(Kind::Port, place), port))
    }

    /// How many of the longest datagrams that come a port keeps. Of those that leave it is half as many.
    #[must_use]
    pub const fn port_keeps(&self) -> usize {
        COME * self.datagrams.keeps
    }

    /// Sends somebody a datagram.
    ///
    /// # Errors
    /// [`Refused::NotYet`] if there is no room, [`Refused::TooLong`], [`Refused::Unreachable`], [`Refused::BadNumber`].
    pub fn send_to(
        &mut self,
        client: u32,
        number: Number,
        to: IpEndpoint,
        bytes: &[u8],
    ) -> Result<(), Refused> {
        let port = self.own_port(client, number)?;
        // A head of IPv6 takes more.
        let longest = match to.addr.version() {
            IpVersion::Ipv4 => LONGEST,
            #[allow(unreachable_patterns, reason = "without IPv6 there is no other")]
            _ => LONGEST_IPV6,
        };
        if bytes.len() > longest {
            return Err(Refused::TooLong);
        }
        if to.addr.is_unspecified() || to.port == 0 {
            return Err(Refused::Unreachable);
        }
        let is_kept = port.leaves.put(to, bytes);
        port.wanted = if is_kept { 0 } else { bytes.len() };
        is_kept.then_some(()).ok_or(Refused::NotYet)
    }

    /// Keeps what a frame has brought, for whoever hears it and has room: to be called when the stack was given one.
    pub fn keep_datagrams(&mut self) {
        for port in self.datagrams.ports.iter_mut().filter(|it| it.owner != 0) {
            let socket = self.sockets.get_mut::<Socket<'a>>(port.handle);
            if let Ok((bytes, metadata)) = socket.recv() {
                port.take(metadata.endpoint, bytes);
            }
        }
    }

    /// Hands `take` the oldest datagram that has come, and where it is from. One that is not taken stays.
    ///
    /// # Errors
    /// [`Refused::NotYet`], also of one that was not taken; [`Refused::BadNumber`].
    pub fn receive_from<R>(
        &mut self,
        client: u32,
        number: Number,
        take: impl FnOnce(&[u8], IpEndpoint) -> Option<R>,
    ) -> Result<R, Refused> {
        let came = &mut self.own_port(client, number)?.came;
        let (from, bytes) = came.get(0).ok_or(Refused::NotYet)?;
        let taken = take(bytes, from).ok_or(Refused::NotYet)?;
        came.remove(0);
        Ok(taken)
    }

    /// Has a port take what comes from there alone from now on, or from anybody again. What has come from others is as if it had
    /// not.
    ///
    /// # Errors
    /// [`Refused::BadNumber`].
    pub fn set_peer(
        &mut self,
        client: u32,
        number: Number,
        peer: Option<IpEndpoint>,
    ) -> Result<(), Refused> {
        let port = self.own_port(client, number)?;
        port.peer = peer;
        port.came.retain(|from| peer.is_none_or(|it| it == from));
        Ok(())
    }

    pub(crate) fn port_ready(&self, client: u32, number: Number) -> Result<Ready, Refused> {
        let port = self.port(client, number)?;
        Ok(Ready {
            read: !port.came.is_empty(),
            // Who waits to send one that had no room does not wait for less.
            write: port.leaves.has_room(port.wanted),
            ..Ready::default()
        })
    }

    pub(crate) fn close_port(&mut self, client: u32, number: Number) -> Result<(), Refused> {
        self.port(client, number)?;
        self.free_port_at(number.place());
        Ok(())
    }

    pub(crate) fn abandon_ports(&mut self, client: u32) {
        for place in 0..PORTS {
            if self.datagrams.ports[place].owner == client {
                self.free_port_at(place);
            }
        }
    }

    /// Makes a port nobody's.
    fn free_port_at(&mut self, place: usize) {
        let port = &mut self.datagrams.ports[place];
        self.sockets.get_mut::<Socket<'a>>(port.handle).close();
        port.owner = 0;
        port.count.next();
        port.came.clear();
        port.way = None;
        self.forget_datagrams(place);
    }

    /// Whether somebody has this port.
    pub(crate) fn has_port(&self, port: u16) -> bool {
        self.datagrams.ports.iter().any(|it| it.is(port))
    }

    /// A port that its owner may use.
    fn port(&self, client: u32, number: Number) -> Result<&Port<'a>, Refused> {
        let place = number.place();
        let port = self.datagrams.ports.get(place).ok_or(Refused::BadNumber)?;
        if port.owner == client && port.count.number(Kind::Port, place) == number {
            Ok(port)
        } else {
            Err(Refused::BadNumber)
        }
    }

    fn own_port(&mut self, client: u32, number: Number) -> Result<&mut Port<'a>, Refused> {
        self.port(client, number)?;
        Ok(&mut self.datagrams.ports[number.place()])
    }
}
