//! Ports for datagrams (UDP).

use smoltcp::iface::{SocketHandle, SocketSet};
use smoltcp::socket::udp::{PacketBuffer, PacketMetadata, RecvError, SendError, Socket};
use smoltcp::wire::{IpEndpoint, IpVersion};

use crate::families::ARE_BOTH;
use crate::{
    Count, DATAGRAM, Families, KEPT, Kind, LONGEST, LONGEST_IPV6, Number, Ready, Refused, Share,
    Store,
};

/// Ports of all clients.
pub const PORTS: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Port {
    handle: SocketHandle,
    /// 0 is nobody.
    owner: u32,
    count: Count,
    /// Datagrams of others are passed over.
    families: Families,
    /// Whose datagrams alone are taken, if it has one: those of others are passed over.
    peer: Option<IpEndpoint>,
    /// Since it had nothing to send for certain, it was given an empty datagram: of those the stack tells nothing.
    sends_nothing: bool,
}

/// All of them.
#[derive(Debug)]
pub struct Datagrams {
    ports: [Port; PORTS],
    /// Clients are given the first of them.
    used: usize,
    keeps: usize,
}

impl Datagrams {
    /// The first `used` ports share the memory, each a part of the same size: nobody is given the others.
    pub(crate) fn new<'a>(
        memory: &'a mut [[u8; PORTS * DATAGRAM]; 2],
        heads: &'a mut [[PacketMetadata; PORTS * KEPT]; 2],
        used: usize,
        sockets: &mut SocketSet<'a>,
    ) -> Datagrams {
        let used = used.min(PORTS);
        let keeps = PORTS / used.max(1);
        let [mut came, mut leaves] = memory.each_mut().map(|it| it.chunks_mut(keeps * DATAGRAM));
        let [mut came_heads, mut leave_heads] =
            heads.each_mut().map(|it| it.chunks_mut(keeps * KEPT));
        let ports = core::array::from_fn(|_| {
            let came = PacketBuffer::new(
                came_heads.next().unwrap_or_default(),
                came.next().unwrap_or_default(),
            );
            let leaves = PacketBuffer::new(
                leave_heads.next().unwrap_or_default(),
                leaves.next().unwrap_or_default(),
            );
            Port {
                handle: sockets.add(Socket::new(came, leaves)),
                owner: 0,
                count: Count::new(),
                families: Families::Both,
                peer: None,
                sends_nothing: false,
            }
        });
        Datagrams { ports, used, keeps }
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
        let handle = self.port(client, number)?;
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

    /// Has a port forget what was not sent. False if something has come that was not taken, which would be forgotten with it,
    /// and this is to be `patient`.
    pub(crate) fn give_up_sending(&mut self, place: usize, patient: bool) -> bool {
        let port = self.datagrams.ports.get_mut(place);
        let Some(port) = port.filter(|it| it.owner != 0) else {
            return true;
        };
        let socket = self.sockets.get_mut::<Socket<'a>>(port.handle);
        if patient && socket.can_recv() {
            return false;
        }
        let own = socket.endpoint();
        socket.close();
        port.sends_nothing = false;
        self.searches.forget(place);
        // It had that port already.
        socket.bind(own).is_ok()
    }

    /// Whether a datagram has come that [`Store::receive_from`] would hand on.
    ///
    /// # Errors
    /// [`Refused::BadNumber`].
    pub fn has_datagram(&mut self, client: u32, number: Number) -> Result<bool, Refused> {
        let handle = self.port(client, number)?;
        self.pass_over(number.place());
        Ok(self.sockets.get::<Socket<'a>>(handle).can_recv())
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
        let handle = self.port(client, number)?;
        self.pass_over(number.place());
        match self.sockets.get_mut::<Socket<'a>>(handle).recv() {
            Ok((bytes, metadata)) => Ok(take(bytes, metadata.endpoint)),
            Err(RecvError::Exhausted | RecvError::Truncated) => Err(Refused::NotYet),
        }
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
        self.port(client, number)?;
        self.datagrams.ports[number.place()].peer = peer;
        Ok(())
    }

    /// Forgets what has come to ports from those whom they do not hear, up to the first one of others: it takes no room.
    pub(crate) fn tend_ports(&mut self) {
        for place in 0..self.datagrams.used {
            self.pass_over(place);
        }
    }

    /// Forgets the oldest datagrams of a port up to the first one of its peer, or of its families: as many as it keeps, at most.
    fn pass_over(&mut self, place: usize) {
        let Some(port) = self.datagrams.ports.get(place) else {
            return;
        };
        if port.peer.is_none() && (!ARE_BOTH || port.families == Families::Both) {
            return;
        }
        let socket = self.sockets.get_mut::<Socket<'a>>(port.handle);
        while let Ok((_, metadata)) = socket.peek() {
            let from = metadata.endpoint;
            let is_heard = port.peer.is_none_or(|it| it == from);
            if is_heard && port.families.has(from.addr) || socket.recv().is_err() {
                break;
            }
        }
    }

    pub(crate) fn port_ready(&mut self, client: u32, number: Number) -> Result<Ready, Refused> {
        let handle = self.port(client, number)?;
        self.pass_over(number.place());
        let socket = self.sockets.get::<Socket<'a>>(handle);
        let are_sent = socket.send_queue() == 0;
        Ok(Ready {
            read: socket.can_recv(),
            write: socket.can_send() && self.searches.has_place(number.place(), are_sent),
            ..Ready::default()
        })
    }

    pub(crate) fn close_port(&mut self, client: u32, number: Number) -> Result<(), Refused> {
        let handle = self.port(client, number)?;
        self.sockets.get_mut::<Socket<'a>>(handle).close();
        if let Some(port) = self.datagrams.ports.get_mut(number.place()) {
            port.owner = 0;
            port.count.next();
            self.searches.forget(number.place());
        }
        Ok(())
    }

    pub(crate) fn abandon_ports(&mut self, client: u32) {
        for (place, port) in self.datagrams.ports.iter_mut().enumerate() {
            if port.owner == client {
                self.sockets.get_mut::<Socket<'a>>(port.handle).close();
                port.owner = 0;
                port.count.next();
                self.searches.forget(place);
            }
        }
    }

    /// Whether somebody has this port.
    pub(crate) fn has_port(&self, port: u16) -> bool {
        let mut ports = self.datagrams.ports.iter();
        ports.any(|it| {
            it.owner != 0 && self.sockets.get::<Socket<'a>>(it.handle).endpoint().port == port
        })
    }

    /// A port that its owner may use.
    fn port(&self, client: u32, number: Number) -> Result<SocketHandle, Refused> {
        let place = number.place();
        let port = self.datagrams.ports.get(place).ok_or(Refused::BadNumber)?;
        if port.owner == client && port.count.number(Kind::Port, place) == number {
            Ok(port.handle)
        } else {
            Err(Refused::BadNumber)
        }
    }
}
