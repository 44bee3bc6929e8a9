//! Ports for datagrams (UDP).

mod kept;

use kept::{Head, Kept};
use smoltcp::iface::{SocketHandle, SocketSet};
use smoltcp::socket::udp::{PacketBuffer, PacketMetadata, SendError, Socket};
use smoltcp::wire::{IpEndpoint, IpVersion};

use crate::{
    Count, DATAGRAM, Families, KEPT, Kind, LONGEST, LONGEST_IPV6, Number, Ready, Refused, Share,
    Store,
};

/// Ports of all clients.
pub const PORTS: usize = 4;

/// What ports keep of what has come. All zeros at first.
#[derive(Debug)]
pub struct Came {
    bytes: [u8; PORTS * DATAGRAM],
    heads: [Head; PORTS * KEPT],
    /// Of each of the stack's sockets: one that has just come.
    latest: [[u8; LONGEST]; PORTS],
}

impl Came {
    pub const fn new() -> Came {
        Came {
            bytes: [0; _],
            heads: [Head::EMPTY; _],
            latest: [[0; LONGEST]; _],
        }
    }
}

#[derive(Debug)]
struct Port<'a> {
    handle: SocketHandle,
    /// 0 is nobody.
    owner: u32,
    count: Count,
    /// Datagrams of others are as if they had not come.
    families: Families,
    /// Whose datagrams alone are kept, if it has one.
    peer: Option<IpEndpoint>,
    came: Kept<'a>,
    /// Since it had nothing to send for certain, it was given an empty datagram: of those the stack tells nothing.
    sends_nothing: bool,
}

/// All of them.
#[derive(Debug)]
pub struct Datagrams<'a> {
    ports: [Port<'a>; PORTS],
    /// Clients are given the first of them.
    used: usize,
    keeps: usize,
}

impl<'a> Datagrams<'a> {
    /// The first `used` ports share the memory, each a part of the same size: nobody is given the others.
    pub(crate) fn new(
        came: &'a mut Came,
        came_heads: &'a mut [PacketMetadata; PORTS],
        leaves: &'a mut [u8; PORTS * DATAGRAM],
        leave_heads: &'a mut [PacketMetadata; PORTS * KEPT],
        used: usize,
        sockets: &mut SocketSet<'a>,
    ) -> Datagrams<'a> {
        let used = used.min(PORTS);
        let keeps = PORTS / used.max(1);
        let mut bytes = came.bytes.chunks_mut(keeps * DATAGRAM);
        let mut heads = came.heads.chunks_mut(keeps * KEPT);
        let mut latest = came.latest.iter_mut().zip(came_heads);
        let mut leaves = leaves.chunks_mut(keeps * DATAGRAM);
        let mut leave_heads = leave_heads.chunks_mut(keeps * KEPT);
        let ports = core::array::from_fn(|_| {
            let (latest, head) = match latest.next() {
                Some((latest, head)) => (&mut latest[..], core::slice::from_mut(head)),
                None => Default::default(),
            };
            let leaves = PacketBuffer::new(
                leave_heads.next().unwrap_or_default(),
                leaves.next().unwrap_or_default(),
            );
            Port {
                handle: sockets.add(Socket::new(PacketBuffer::new(head, latest), leaves)),
                owner: 0,
                count: Count::new(),
                families: Families::Both,
                peer: None,
                came: Kept::new(
                    heads.next().unwrap_or_default(),
                    bytes.next().unwrap_or_default(),
                ),
                sends_nothing: false,
            }
        });
        Datagrams { ports, used, keeps }
    }
}

impl Port<'_> {
    /// Whether what comes from there is kept.
    fn hears(&self, from: IpEndpoint) -> bool {
        self.families.has(from.addr) && self.peer.is_none_or(|it| it == from)
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
        it.families = families;
        it.peer = None;
        it.sends_nothing = false;
        it.count.next();
        Ok((it.count.number(Kind::Port, place), port))
    }

    /// How many of the longest datagrams a port keeps, each way.
    #[must_use]
    pub const fn port_keeps(&self) -> usize {
        self.datagrams.keeps
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
        let handle = self.port(client, number)?.handle;
        // A head of IPv6 takes more.
        let longest = match to.addr.version() {
            IpVersion::Ipv4 => LONGEST,
            #[allow(unreachable_patterns, reason = "without IPv6 there is no other")]
            _ => LONGEST_IPV6,
        };
        if bytes.len() > longest {
            return Err(Refused::TooLong);
        }
        let socket = self.sockets.get_mut::<Socket<'a>>(handle);
        let are_sent = socket.send_queue() == 0;
        if !self.searches.note(number.place(), to.addr, are_sent) {
            return Err(Refused::NotYet);
        }
        match socket.send_slice(bytes, to) {
            Ok(()) => {}
            Err(SendError::BufferFull) => return Err(Refused::NotYet),
            Err(SendError::Unaddressable) => return Err(Refused::Unreachable),
        }
        if let Some(port) = self.datagrams.ports.get_mut(number.place()) {
            port.sends_nothing |= bytes.is_empty();
        }
        Ok(())
    }

    /// Ports that have sent everything look for nobody.
    pub(crate) fn forget_sent(&mut self) {
        let ports = self.datagrams.ports.iter().enumerate();
        for (place, port) in ports.filter(|(_, it)| it.owner != 0 && !it.sends_nothing) {
            if self.sockets.get::<Socket<'a>>(port.handle).send_queue() == 0 {
                self.searches.forget(place);
            }
        }
    }

    /// Has a port forget what was not sent.
    pub(crate) fn give_up_sending(&mut self, place: usize) {
        let port = self.datagrams.ports.get_mut(place);
        if let Some(port) = port.filter(|it| it.owner != 0) {
            let socket = self.sockets.get_mut::<Socket<'a>>(port.handle);
            let own = socket.endpoint();
            socket.close();
            port.sends_nothing = false;
            self.searches.forget(place);
            // It cannot fail: it had that port already.
            let _ = socket.bind(own);
        }
    }

    /// Keeps what a frame has brought, for whoever hears it and has room: to be called when the stack was given one.
    pub fn keep_datagrams(&mut self) {
        for port in self.datagrams.ports.iter_mut().filter(|it| it.owner != 0) {
            let socket = self.sockets.get_mut::<Socket<'a>>(port.handle);
            if let Ok((bytes, metadata)) = socket.recv()
                && port.hears(metadata.endpoint)
            {
                port.came.put(metadata.endpoint, bytes);
            }
        }
    }

    /// Whether a datagram has come.
    ///
    /// # Errors
    /// [`Refused::BadNumber`].
    pub fn has_datagram(&self, client: u32, number: Number) -> Result<bool, Refused> {
        Ok(!self.port(client, number)?.came.is_empty())
    }

    /// Hands `take` the oldest datagram that has come, and where it is from.
    ///
    /// # Errors
    /// [`Refused::NotYet`], [`Refused::BadNumber`].
    pub fn receive_from<R>(
        &mut self,
        client: u32,
        number: Number,
        take: impl FnOnce(&[u8], IpEndpoint) -> R,
    ) -> Result<R, Refused> {
        let came = &mut self.own_port(client, number)?.came;
        let (from, bytes) = came.first().ok_or(Refused::NotYet)?;
        let taken = take(bytes, from);
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
        let socket = self.sockets.get::<Socket<'a>>(port.handle);
        let are_sent = socket.send_queue() == 0;
        Ok(Ready {
            read: !port.came.is_empty(),
            write: socket.can_send() && self.searches.has_place(number.place(), are_sent),
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
        self.searches.forget(place);
    }

    /// Whether somebody has this port.
    pub(crate) fn has_port(&self, port: u16) -> bool {
        let mut ports = self.datagrams.ports.iter();
        ports.any(|it| {
            it.owner != 0 && self.sockets.get::<Socket<'a>>(it.handle).endpoint().port == port
        })
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
