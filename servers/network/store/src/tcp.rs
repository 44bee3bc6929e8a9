//! Streams (TCP), and those who wait for clients.

mod crowd;
mod half_open;
mod leaving;

use smoltcp::iface::{Context, SocketHandle, SocketSet};
use smoltcp::socket::tcp::{RecvError, Socket, SocketBuffer, State};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{IpAddress, IpEndpoint, IpListenEndpoint};

use crate::families::ARE_BOTH;
use crate::{
    BACKLOG, Count, FIRST_PORT, Families, Kind, Number, Ready, Refused, STREAM, Share, Store,
};
pub(crate) use crowd::Crowd;
pub(crate) use leaving::Left;
use leaving::Restless;

/// Streams of all clients.
pub const STREAMS: usize = 8;
/// Those that listen: as many, so that each client may have as many of these as of streams.
const LISTENERS: usize = STREAMS;

/// How long the other side may keep silent before it counts as gone, and how often it is asked meanwhile.
const SILENCE: Duration = Duration::from_secs(60);
const ASKED: Duration = Duration::from_secs(20);
/// How long a stream that its owner has closed is kept for what the other side has not got.
const LINGER: Duration = Duration::from_secs(60);
/// So long, if nobody can come to a listener of its owner's meanwhile.
const CROWDED: Duration = Duration::from_secs(10);
/// So long, if somebody would come then from an address with fewer streams: enough to say once more what was lost.
const OUTNUMBERING: Duration = Duration::from_secs(2);
/// How long a stream waits for what the other side may not have got of the end when both have ended. Somewhat later the stack itself
/// would forget all that has come.
const ENDED: Duration = Duration::from_secs(9);

/// What a stream is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Nobody is given it, and it has no socket.
    Unused,
    Free,
    /// It waits for a client of this listener, or has one that was not taken.
    Waiting(usize),
    /// Its owner knows it by its number.
    Owned {
        /// Whether there has been a connection: it is asked for until then.
        was_connected: bool,
        /// Whether the owner has ended its side.
        has_finished: bool,
        /// Until when it waits, if both sides have ended.
        until: Option<Instant>,
    },
    /// Its owner has closed it, and the other side has not: until then at the latest, which is not known at first.
    Closing(Option<Instant>),
}

#[derive(Clone, Copy, Debug)]
struct Stream {
    handle: SocketHandle,
    owner: u32,
    count: Count,
    role: Role,
    /// Which one it was of all that have come to listeners.
    came: u32,
    /// And when.
    came_at: Instant,
    /// Whether its question for a connection has left, if it asks for one.
    has_asked: bool,
    /// The number of the other side's end, if that has come.
    end: i32,
}

impl Stream {
    /// Whether the other side has never answered.
    fn is_unheard(&self, state: State) -> bool {
        let was_connected = match self.role {
            Role::Owned { was_connected, .. } => was_connected,
            _ => true,
        };
        state == State::SynSent || state == State::Closed && !was_connected
    }
}

#[derive(Clone, Copy, Debug)]
struct Listener {
    /// 0 if there is none.
    owner: u32,
    count: Count,
    port: u16,
    backlog: usize,
    share: usize,
    /// Clients of others are sent away.
    families: Families,
}

/// All of them.
#[derive(Debug)]
pub struct Streams {
    streams: [Stream; STREAMS],
    listeners: [Listener; LISTENERS],
    /// How many have come to them.
    came: u32,
    /// Until when those who have come and not answered make room at once.
    flood_ends: Instant,
    restless: Restless,
    /// When one waits no more of which both sides have ended, or which its owner has closed.
    ends: Option<Instant>,
}

impl Streams {
    /// Clients are given the first `used` of them.
    pub(crate) fn new<'a>(
        memory: &'a mut [[[u8; STREAM]; 2]; STREAMS],
        used: usize,
        sockets: &mut SocketSet<'a>,
    ) -> Streams {
        let mut place = 0;
        let streams = memory.each_mut().map(|[came, leaves]| {
            let came = SocketBuffer::new(&mut came[..]);
            let leaves = SocketBuffer::new(&mut leaves[..]);
            let mut socket = Socket::new(came, leaves);
            socket.set_timeout(Some(SILENCE));
            socket.set_keep_alive(Some(ASKED));
            place += 1;
            Stream {
                handle: sockets.add(socket),
                owner: 0,
                count: Count::new(),
                role: if place <= used {
                    Role::Free
                } else {
                    Role::Unused
                },
                came: 0,
                came_at: Instant::ZERO,
                has_asked: false,
                end: 0,
            }
        });
        Streams {
            streams,
            listeners: [Listener {
                owner: 0,
                count: Count::new(),
                port: 0,
                backlog: 0,
                share: 0,
                families: Families::Both,
            }; LISTENERS],
            came: 0,
            flood_ends: Instant::ZERO,
            restless: Restless::default(),
            ends: None,
        }
    }
}

impl<'a> Store<'a> {
    /// The stack looks at all sockets with each frame: those that nobody is given are none.
    pub(crate) fn remove_unused_streams(&mut self) {
        for stream in &self.streams.streams {
            if stream.role == Role::Unused {
                self.sockets.remove(stream.handle);
            }
        }
    }

    /// Waits for clients of a port, for at most `backlog` of them at once that were not taken. Those of other families are sent
    /// away.
    ///
    /// # Errors
    /// [`Refused::Invalid`], [`Refused::InUse`]; [`Refused::TooMany`] if the client has no stream left for the first one, or
    /// [`Refused::NotYet`] if it will have when one that it has closed is.
    pub fn listen(
        &mut self,
        client: u32,
        share: Share,
        port: u16,
        backlog: usize,
        families: Families,
    ) -> Result<Number, Refused> {
        if port == 0 || !(1..=BACKLOG).contains(&backlog) {
            return Err(Refused::Invalid);
        }
        let listeners = &self.streams.listeners;
        // Streams that others have accepted there keep nobody from listening.
        if listeners.iter().any(|it| it.owner != 0 && it.port == port) {
            return Err(Refused::InUse);
        }
        let own = listeners.iter().filter(|it| it.owner == client).count();
        let free = listeners.iter().position(|it| it.owner == 0);
        let place = free
            .filter(|_| own < share.streams)
            .ok_or(Refused::TooMany)?;
        let stream = self.free_stream(client, share.streams)?;
        let listener = &mut self.streams.listeners[place];
        listener.count.next();
        *listener = Listener {
            owner: client,
            count: listener.count,
            port,
            backlog,
            share: share.streams,
            families,
        };
        let number = listener.count.number(Kind::Listener, place);
        self.wait_at(stream, place);
        self.tend_streams(None);
        Ok(number)
    }

    /// Takes a client that has come: its stream, and where it is.
    ///
    /// # Errors
    /// [`Refused::NotYet`], [`Refused::BadNumber`].
    pub fn accept(&mut self, client: u32, number: Number) -> Result<(Number, IpEndpoint), Refused> {
        let listener = self.listener(client, number)?;
        let (place, remote) = self.came(listener).ok_or(Refused::NotYet)?;
        let stream = &mut self.streams.streams[place];
        stream.role = Role::Owned {
            was_connected: true,
            has_finished: false,
            until: None,
        };
        let number = stream.count.number(Kind::Stream, place);
        self.tend_streams(None);
        Ok((number, remote))
    }

    /// The client that has come to a listener first of those that were not taken: its stream's place, and where it is.
    fn came(&self, listener: usize) -> Option<(usize, IpEndpoint)> {
        let came = |stream: &Stream| {
            if stream.role != Role::Waiting(listener) {
                return None;
            }
            let socket = self.sockets.get::<Socket<'a>>(stream.handle);
            let is_there = socket.may_send() || socket.may_recv() || socket.can_recv();
            socket.remote_endpoint().filter(|_| is_there)
        };
        let streams = &self.streams;
        let all = streams.streams.iter().enumerate();
        let all = all.filter_map(|(place, stream)| Some((place, came(stream)?)));
        all.max_by_key(|(place, _)| streams.came.wrapping_sub(streams.streams[*place].came))
    }

    /// Asks for a connection. [`Store::connected`] says what came of it.
    ///
    /// # Errors
    /// [`Refused::TooMany`], [`Refused::NotYet`] if the client will have a stream when one that it has closed is,
    /// [`Refused::Unreachable`], [`Refused::InUse`] if no port is left.
    pub fn connect(
        &mut self,
        client: u32,
        share: Share,
        to: IpEndpoint,
        context: &mut Context,
    ) -> Result<Number, Refused> {
        let port = self.free_port()?;
        let place = self.free_stream(client, share.streams)?;
        let stream = &mut self.streams.streams[place];
        let socket = self.sockets.get_mut::<Socket<'a>>(stream.handle);
        socket
            .connect(context, to, port)
            .map_err(|_| Refused::Unreachable)?;
        stream.owner = client;
        stream.count.next();
        stream.has_asked = false;
        stream.role = Role::Owned {
            was_connected: false,
            has_finished: false,
            until: None,
        };
        Ok(stream.count.number(Kind::Stream, place))
    }

    /// Who is connected by a stream: its own end, and the other one.
    ///
    /// # Errors
    /// [`Refused::NotYet`] until the other side has answered, [`Refused::Refused`] if it does not, [`Refused::Reset`],
    /// [`Refused::BadNumber`].
    pub fn connected(
        &mut self,
        client: u32,
        number: Number,
    ) -> Result<(IpEndpoint, IpEndpoint), Refused> {
        let place = self.stream(client, number)?;
        self.settle(place)?;
        let handle = self.streams.streams[place].handle;
        let socket = self.sockets.get::<Socket<'a>>(handle);
        let ends = socket.local_endpoint().zip(socket.remote_endpoint());
        ends.ok_or(Refused::Reset)
    }

    /// Whether there is, or was, the connection that was asked for.
    fn settle(&mut self, place: usize) -> Result<(), Refused> {
        let stream = &mut self.streams.streams[place];
        let Role::Owned { was_connected, .. } = &mut stream.role else {
            return Err(Refused::BadNumber);
        };
        if *was_connected {
            return Ok(());
        }
        match self.sockets.get::<Socket<'a>>(stream.handle).state() {
            State::SynSent | State::SynReceived => Err(Refused::NotYet),
            State::Closed => Err(Refused::Refused),
            _ => {
                *was_connected = true;
                Ok(())
            }
        }
    }

    pub(crate) fn stream_ready(&mut self, client: u32, number: Number) -> Result<Ready, Refused> {
        let place = self.stream(client, number)?;
        match self.settle(place) {
            Ok(()) => {}
            Err(Refused::NotYet) => return Ok(Ready::default()),
            Err(_) => return Ok(Ready::FAILED),
        }
        let handle = self.streams.streams[place].handle;
        let socket = self.sockets.get_mut::<Socket<'a>>(handle);
        let (read, came_all) = match socket.recv(|bytes| (0, !bytes.is_empty())) {
            Ok(something) => (something, false),
            Err(RecvError::Finished) => (true, true),
            Err(RecvError::InvalidState) => return Ok(Ready::FAILED),
        };
        Ok(Ready {
            read,
            write: socket.can_send() || !socket.may_send(),
            ended: came_all && !socket.may_send(),
            failed: false,
        })
    }

    pub(crate) fn listener_ready(&self, client: u32, number: Number) -> Result<Ready, Refused> {
        let listener = self.listener(client, number)?;
        Ok(Ready {
            read: self.came(listener).is_some(),
            ..Ready::default()
        })
    }

    /// Hands bytes that have come to `take`, which says how many of them it has taken. 0 is the end: the other side sends
    /// no more.
    ///
    /// # Errors
    /// [`Refused::NotYet`], [`Refused::Refused`], [`Refused::Reset`], [`Refused::BadNumber`].
    pub fn receive(
        &mut self,
        client: u32,
        number: Number,
        take: impl FnOnce(&[u8]) -> usize,
    ) -> Result<usize, Refused> {
        let place = self.stream(client, number)?;
        self.settle(place)?;
        let handle = self.streams.streams[place].handle;
        let socket = self.sockets.get_mut::<Socket<'a>>(handle);
        let taken = socket.recv(|bytes| {
            if bytes.is_empty() {
                return (0, None);
            }
            let taken = take(bytes).min(bytes.len());
            (taken, Some(taken))
        });
        match taken {
            Ok(Some(taken)) => Ok(taken),
            Ok(None) => Err(Refused::NotYet),
            Err(RecvError::Finished) => Ok(0),
            Err(RecvError::InvalidState) => Err(Refused::Reset),
        }
    }

    /// Has `put` fill room for what is to be sent, and say how much it has filled.
    ///
    /// # Errors
    /// [`Refused::NotYet`], [`Refused::Ended`] if the client has ended its side, [`Refused::Refused`], [`Refused::Reset`],
    /// [`Refused::BadNumber`].
    pub fn send(
        &mut self,
        client: u32,
        number: Number,
        put: impl FnOnce(&mut [u8]) -> usize,
    ) -> Result<usize, Refused> {
        let place = self.stream(client, number)?;
        self.settle(place)?;
        let Stream { handle, role, .. } = self.streams.streams[place];
        let socket = self.sockets.get_mut::<Socket<'a>>(handle);
        let put = socket.send(|room| {
            if room.is_empty() {
                return (0, None);
            }
            let length = room.len();
            let put = put(room).min(length);
            (put, Some(put))
        });
        match put {
            Ok(Some(put)) => Ok(put),
            Ok(None) => Err(Refused::NotYet),
            Err(_) => match role {
                Role::Owned {
                    has_finished: false,
                    ..
                } if socket.state() == State::Closed => Err(Refused::Reset),
                _ => Err(Refused::Ended),
            },
        }
    }

    /// Ends the client's side: the other finds the end behind what was sent.
    ///
    /// # Errors
    /// [`Refused::NotYet`] until the other side has answered, [`Refused::Refused`] if it does not, [`Refused::BadNumber`].
    pub fn finish(&mut self, client: u32, number: Number) -> Result<(), Refused> {
        let place = self.stream(client, number)?;
        self.settle(place)?;
        let stream = &mut self.streams.streams[place];
        self.sockets.get_mut::<Socket<'a>>(stream.handle).close();
        if let Role::Owned { has_finished, .. } = &mut stream.role {
            *has_finished = true;
        }
        Ok(())
    }

    pub(crate) fn close_stream(&mut self, client: u32, number: Number) -> Result<(), Refused> {
        let place = self.stream(client, number)?;
        let stream = &mut self.streams.streams[place];
        let socket = self.sockets.get_mut::<Socket<'a>>(stream.handle);
        if stream.is_unheard(socket.state()) {
            self.release_unheard(place);
            return Ok(());
        }
        // Who reads no more, and has not read all, says so: the other side is not to think that it has arrived.
        if socket.recv_queue() > 0 {
            socket.abort();
        } else {
            socket.close();
        }
        stream.role = Role::Closing(None);
        stream.count.next();
        Ok(())
    }

    pub(crate) fn close_listener(&mut self, client: u32, number: Number) -> Result<(), Refused> {
        let listener = self.listener(client, number)?;
        self.streams.listeners[listener].owner = 0;
        for place in 0..STREAMS {
            if self.streams.streams[place].role == Role::Waiting(listener) {
                self.abort(place);
            }
        }
        Ok(())
    }

    pub(crate) fn abandon_streams(&mut self, client: u32) {
        for listener in &mut self.streams.listeners {
            if listener.owner == client {
                listener.owner = 0;
            }
        }
        for place in 0..STREAMS {
            let stream = &self.streams.streams[place];
            if stream.owner == client && stream.role != Role::Free {
                self.abort(place);
            }
        }
    }

    pub(crate) fn tend_streams(&mut self, now: Option<Instant>) {
        self.streams.ends = None;
        for place in 0..STREAMS {
            let stream = self.streams.streams[place];
            if stream.role == Role::Unused {
                continue;
            }
            let socket = self.sockets.get_mut::<Socket<'a>>(stream.handle);
            match stream.role {
                Role::Owned { until, .. } if socket.state() == State::TimeWait => {
                    let until = until.or(now.map(|now| now + ENDED));
                    if until.is_some() && now >= until {
                        // What has come stays then for who reads late.
                        socket.abort();
                        continue;
                    }
                    self.wait_until(place, until);
                }
                // The other side has been told, too.
                Role::Closing(_) if !socket.is_open() && socket.remote_endpoint().is_none() => {
                    self.release(place);
                }
                Role::Closing(None) => {
                    let until = now.map(|now| now + LINGER);
                    self.streams.streams[place].role = Role::Closing(until);
                }
                Role::Closing(Some(until)) => self.linger(place, until, now),
                // Who came has left before it was taken.
                Role::Waiting(listener) if !socket.is_open() => self.wait_at(place, listener),
                Role::Waiting(listener) if ARE_BOTH => {
                    let families = self.streams.listeners[listener].families;
                    let came = socket.remote_endpoint();
                    if came.is_some_and(|it| !families.has(it.addr)) {
                        self.wait_at(place, listener);
                    }
                }
                _ => {}
            }
        }
        // One that has nobody who waits comes before those that want another one. Whoever does not close his side after
        // everybody else keeps nobody out.
        for listener in 0..LISTENERS {
            let Listener { owner, share, .. } = self.streams.listeners[listener];
            if owner != 0
                && self.waiting_at(listener) == 0
                && let Ok(place) = self.free_stream(owner, share)
            {
                self.wait_at(place, listener);
            }
        }
        for listener in 0..LISTENERS {
            let Listener {
                owner,
                backlog,
                share,
                ..
            } = self.streams.listeners[listener];
            if owner == 0 {
                continue;
            }
            for _ in self.waiting_at(listener)..backlog {
                match self.own_free_stream(owner, share) {
                    Some(place) => self.wait_at(place, listener),
                    None => break,
                }
            }
        }
    }

    /// Ends a stream that its owner has closed, if it was kept for long enough.
    #[inline(never)]
    fn linger(&mut self, place: usize, until: Instant, now: Option<Instant>) {
        let Stream { owner, handle, .. } = self.streams.streams[place];
        let listeners = self.streams.listeners.iter().enumerate();
        let crowded =
            listeners.filter(|(place, it)| it.owner == owner && self.waiting_at(*place) == 0);
        let kept_for = crowded.map(|(_, it)| match self.is_outnumbered(it.port, owner, place) {
            true => OUTNUMBERING,
            false => CROWDED,
        });
        let until = until - (LINGER - kept_for.min().unwrap_or(LINGER));
        if now < Some(until) {
            let ends = &mut self.streams.ends;
            *ends = [*ends, Some(until)].into_iter().flatten().min();
            return;
        }
        let socket = self.sockets.get_mut::<Socket<'a>>(handle);
        if socket.is_open() {
            socket.abort();
        } else {
            // That it is over could not be said, either.
            self.release_unheard(place);
        }
    }

    /// How long a stream waits of which both sides have ended.
    fn wait_until(&mut self, place: usize, moment: Option<Instant>) {
        if let Role::Owned { until, .. } = &mut self.streams.streams[place].role {
            *until = moment;
        }
        let ends = &mut self.streams.ends;
        *ends = [*ends, moment].into_iter().flatten().min();
    }

    /// When [`Store::tend`] has something to do for a stream of which both sides have ended, or which its owner has closed.
    pub const fn stream_ends(&self) -> Option<Instant> {
        self.streams.ends
    }

    /// How many streams a listener has that nobody has accepted.
    #[inline(never)]
    fn waiting_at(&self, listener: usize) -> usize {
        let streams = self.streams.streams.iter();
        streams
            .filter(|it| it.role == Role::Waiting(listener))
            .count()
    }

    /// How many streams of a client lead to this address, and are not over.
    fn streams_of(&self, owner: u32, other: IpAddress) -> usize {
        let own = self.streams.streams.iter().filter(|it| it.owner == owner);
        let leads_there = |stream: &&Stream| {
            let socket = self.sockets.get::<Socket<'a>>(stream.handle);
            let ends = socket.remote_endpoint().filter(|_| socket.is_open());
            ends.is_some_and(|it| it.addr == other)
        };
        own.filter(leads_there).count()
    }

    /// Whom the stream at this place leads to.
    pub(crate) fn stream_goes_to(&self, place: usize) -> Option<IpAddress> {
        let stream = self.streams.streams.get(place);
        let stream = stream.filter(|it| it.role != Role::Unused)?;
        let other = self
            .sockets
            .get::<Socket<'a>>(stream.handle)
            .remote_endpoint();
        Some(other?.addr)
    }

    /// Whether a stream or a listener has this port.
    pub(crate) fn has_stream_port(&self, port: u16) -> bool {
        let listeners = &mut self.streams.listeners.iter();
        let streams = &mut self.streams.streams.iter();
        listeners.any(|it| it.owner != 0 && it.port == port)
            || streams.filter(|it| it.role != Role::Unused).any(|it| {
                let socket = self.sockets.get::<Socket<'a>>(it.handle);
                socket.local_endpoint().is_some_and(|it| it.port == port)
            })
    }

    /// The place of a stream that its owner may use.
    fn stream(&self, client: u32, number: Number) -> Result<usize, Refused> {
        let place = number.place();
        let stream = self.streams.streams.get(place).ok_or(Refused::BadNumber)?;
        let is_it = stream.owner == client
            && matches!(stream.role, Role::Owned { .. })
            && stream.count.number(Kind::Stream, place) == number;
        if is_it {
            Ok(place)
        } else {
            Err(Refused::BadNumber)
        }
    }

    fn listener(&self, client: u32, number: Number) -> Result<usize, Refused> {
        let place = number.place();
        let listener = (self.streams.listeners.get(place)).ok_or(Refused::BadNumber)?;
        if listener.owner == client && listener.count.number(Kind::Listener, place) == number {
            Ok(place)
        } else {
            Err(Refused::BadNumber)
        }
    }

    /// A stream that nobody uses, if the client has fewer than it may.
    fn own_free_stream(&self, client: u32, share: usize) -> Option<usize> {
        let streams = &self.streams.streams;
        let owns = |stream: &&Stream| stream.owner == client && stream.role != Role::Free;
        if streams.iter().filter(owns).count() >= share {
            return None;
        }
        streams.iter().position(|it| it.role == Role::Free)
    }

    /// As that; or else one that the client has closed, of which the other side has got everything, and has not closed it.
    fn free_stream(&mut self, client: u32, share: usize) -> Result<usize, Refused> {
        if let Some(place) = self.own_free_stream(client, share) {
            return Ok(place);
        }
        let sockets = &self.sockets;
        let mut all = self.streams.streams.iter();
        let place = all.position(|it| {
            if it.owner != client || !matches!(it.role, Role::Closing(_)) {
                return false;
            }
            let socket = sockets.get::<Socket<'a>>(it.handle);
            match socket.state() {
                State::FinWait2 | State::TimeWait => true,
                // What it is told last, if it is, has left.
                State::Closed => socket.remote_endpoint().is_none(),
                _ => false,
            }
        });
        match place {
            Some(place) => {
                self.release(place);
                Ok(place)
            }
            None if self.is_closing(client) => Err(Refused::NotYet),
            None => Err(Refused::TooMany),
        }
    }

    /// Whether the client has closed a stream, of which the other side has not got everything yet.
    fn is_closing(&self, client: u32) -> bool {
        let mut all = self.streams.streams.iter();
        all.any(|it| it.owner == client && matches!(it.role, Role::Closing(_)))
    }

    /// Has a stream wait for a client of a listener.
    fn wait_at(&mut self, place: usize, listener: usize) {
        let Listener { owner, port, .. } = self.streams.listeners[listener];
        let stream = &mut self.streams.streams[place];
        stream.owner = owner;
        stream.count.next();
        stream.role = Role::Waiting(listener);
        let endpoint = IpListenEndpoint { addr: None, port };
        let socket = self.sockets.get_mut::<Socket<'a>>(stream.handle);
        socket.abort();
        // It cannot fail: the port is not 0, and the socket is closed.
        let _ = socket.listen(endpoint);
    }

    /// Ends a stream, whatever becomes of it; the other side is told.
    fn abort(&mut self, place: usize) {
        let stream = &mut self.streams.streams[place];
        let socket = self.sockets.get_mut::<Socket<'a>>(stream.handle);
        if stream.is_unheard(socket.state()) {
            return self.release_unheard(place);
        }
        socket.abort();
        stream.role = Role::Closing(None);
        stream.count.next();
    }

    /// Makes a stream nobody's without a word to the other side, which has not answered: else the stack would look for it, again
    /// and again, and for nobody else meanwhile.
    fn release_unheard(&mut self, place: usize) {
        let handle = self.streams.streams[place].handle;
        let socket = self.sockets.get_mut::<Socket<'a>>(handle);
        socket.abort();
        // That alone has it forget the other side. It cannot fail: the port is not 0, and the socket is closed.
        let _ = socket.listen(FIRST_PORT);
        self.release(place);
    }

    /// Makes a stream nobody's.
    fn release(&mut self, place: usize) {
        let stream = &mut self.streams.streams[place];
        self.sockets.get_mut::<Socket<'a>>(stream.handle).abort();
        stream.owner = 0;
        stream.count.next();
        stream.role = Role::Free;
    }
}
