//! The traits of the crate `embedded-nal`, for libraries that are written for them: [`Stack`] is a client and a server of TCP and
//! UDP, and asks for names.
//!
//! No call waits: what cannot be done at once is [`nb::Error::WouldBlock`], and may be tried again. The network server answers each
//! at once, so that a call takes a message there and back, and no more.

use core::net::{IpAddr, SocketAddr};

use embedded_nal::{
    AddrType, Dns, TcpClientStack, TcpError, TcpErrorKind, TcpFullStack, UdpClientStack,
    UdpFullStack,
};
use riposte::Deadline;

use crate::protocol::{NAME, families};
use crate::{Addresses, Listener, Network, NetworkError, Port, Question, Stream};

/// Clients of a listener that may have come and were not accepted. Each takes a stream of this process's share.
const BACKLOG: usize = 1;
/// Most letters of a name, and a dot at its end.
const TEXT: usize = NAME + 1;

/// A network, as `embedded-nal` has it.
#[derive(Debug)]
pub struct Stack<'a> {
    network: &'a Network,
    asked: Option<Asked<'a>>,
}

/// A name that is asked for.
#[derive(Debug)]
struct Asked<'a> {
    question: Question<'a>,
    families: u32,
    text: [u8; TEXT],
    length: usize,
}

/// A socket of TCP. Dropped, it is closed.
#[derive(Debug)]
pub struct TcpSocket<'a>(Tcp<'a>);

#[derive(Debug)]
enum Tcp<'a> {
    New,
    Bound(u16),
    Listens(Listener<'a>),
    /// The other side has not answered yet.
    Connects(Stream<'a>, SocketAddr),
    Connected(Stream<'a>),
}

/// A socket of UDP. Dropped, it is closed.
#[derive(Debug)]
pub struct UdpSocket<'a> {
    /// None until it is bound or connected.
    port: Option<Port<'a>>,
    remote: Remote,
}

/// To whom datagrams go that are sent to nobody in particular.
#[derive(Clone, Copy, Debug)]
enum Remote {
    Nobody,
    /// Whom one was sent to last.
    Last(SocketAddr),
    /// Whose datagrams alone are taken.
    Connected(SocketAddr),
}

impl<'a> Stack<'a> {
    /// The sockets of this network. There may be several of these: all have the process's one share.
    #[must_use]
    pub const fn new(network: &'a Network) -> Stack<'a> {
        Stack {
            network,
            asked: None,
        }
    }
}

/// What is not done at once is to be tried again.
fn now<T>(done: Result<T, NetworkError>) -> nb::Result<T, NetworkError> {
    done.map_err(|error| match error {
        NetworkError::WouldBlock => nb::Error::WouldBlock,
        error => nb::Error::Other(error),
    })
}

impl TcpError for NetworkError {
    fn kind(&self) -> TcpErrorKind {
        match self {
            // Nothing goes this way any more.
            NetworkError::Ended | NetworkError::Reset | NetworkError::ServerDied => {
                TcpErrorKind::PipeClosed
            }
            _ => TcpErrorKind::Other,
        }
    }
}

impl<'a> TcpSocket<'a> {
    fn stream(&self) -> Result<&Stream<'a>, NetworkError> {
        match &self.0 {
            Tcp::Connected(stream) => Ok(stream),
            _ => Err(NetworkError::Invalid),
        }
    }
}

impl<'a> TcpClientStack for Stack<'a> {
    type TcpSocket = TcpSocket<'a>;
    type Error = NetworkError;

    /// A socket that takes nothing of the process's share until it is connected, or listens.
    fn socket(&mut self) -> Result<TcpSocket<'a>, NetworkError> {
        Ok(TcpSocket(Tcp::New))
    }

    /// Begins to go to somebody, and says later what came of it: to be called with the same address until then. After an error the socket is as
    /// a new one. [`NetworkError::Invalid`] of one that is bound, connected, or on its way to somebody else.
    fn connect(
        &mut self,
        socket: &mut TcpSocket<'a>,
        remote: SocketAddr,
    ) -> nb::Result<(), NetworkError> {
        let stream = match core::mem::replace(&mut socket.0, Tcp::New) {
            Tcp::New => now(self.network.begin(remote, Deadline::Immediate))?,
            Tcp::Connects(stream, to) if to == remote => stream,
            other => {
                socket.0 = other;
                return Err(nb::Error::Other(NetworkError::Invalid));
            }
        };
        let connected = now(stream.connected(Deadline::Immediate));
        match connected {
            Ok(()) => socket.0 = Tcp::Connected(stream),
            Err(nb::Error::WouldBlock) => socket.0 = Tcp::Connects(stream, remote),
            Err(nb::Error::Other(_)) => {}
        }
        connected
    }

    /// Writes as many bytes as there is room for.
    fn send(
        &mut self,
        socket: &mut TcpSocket<'a>,
        buffer: &[u8],
    ) -> nb::Result<usize, NetworkError> {
        now(socket.stream()?.write_until(buffer, Deadline::Immediate))
    }

    /// Reads what has come. The end is [`NetworkError::Ended`], whose kind is [`TcpErrorKind::PipeClosed`].
    fn receive(
        &mut self,
        socket: &mut TcpSocket<'a>,
        buffer: &mut [u8],
    ) -> nb::Result<usize, NetworkError> {
        match now(socket.stream()?.read_until(buffer, Deadline::Immediate))? {
            0 if !buffer.is_empty() => Err(nb::Error::Other(NetworkError::Ended)),
            length => Ok(length),
        }
    }

    /// Closes it: the other side gets what was written.
    fn close(&mut self, socket: TcpSocket<'a>) -> Result<(), NetworkError> {
        drop(socket);
        Ok(())
    }
}

impl<'a> TcpFullStack for Stack<'a> {
    /// Says which port it is to listen at. Whether that is free [`TcpFullStack::listen`] says.
    fn bind(&mut self, socket: &mut TcpSocket<'a>, local_port: u16) -> Result<(), NetworkError> {
        match socket.0 {
            Tcp::New if local_port != 0 => {
                socket.0 = Tcp::Bound(local_port);
                Ok(())
            }
            _ => Err(NetworkError::Invalid),
        }
    }

    /// Waits for clients, of whom one may have come and not been accepted.
    fn listen(&mut self, socket: &mut TcpSocket<'a>) -> Result<(), NetworkError> {
        let Tcp::Bound(port) = socket.0 else {
            return Err(NetworkError::Invalid);
        };
        socket.0 = Tcp::Listens(self.network.listen(port, BACKLOG)?);
        Ok(())
    }

    /// Takes one that has come.
    fn accept(
        &mut self,
        socket: &mut TcpSocket<'a>,
    ) -> nb::Result<(TcpSocket<'a>, SocketAddr), NetworkError> {
        let Tcp::Listens(listener) = &socket.0 else {
            return Err(nb::Error::Other(NetworkError::Invalid));
        };
        let (stream, from) = now(listener.accept_until(Deadline::Immediate))?;
        Ok((TcpSocket(Tcp::Connected(stream)), from))
    }
}

impl<'a> UdpSocket<'a> {
    fn port(&self) -> Result<&Port<'a>, NetworkError> {
        self.port.as_ref().ok_or(NetworkError::Invalid)
    }
}

impl<'a> UdpClientStack for Stack<'a> {
    type UdpSocket = UdpSocket<'a>;
    type Error = NetworkError;

    /// A socket that takes nothing of the process's share until it is connected, or bound.
    fn socket(&mut self) -> Result<UdpSocket<'a>, NetworkError> {
        Ok(UdpSocket {
            port: None,
            remote: Remote::Nobody,
        })
    }

    /// From here on it takes what comes from that address alone. One that is not bound is given any port that is free.
    fn connect(
        &mut self,
        socket: &mut UdpSocket<'a>,
        remote: SocketAddr,
    ) -> Result<(), NetworkError> {
        // One that is refused has changed nothing.
        if let Some(port) = &socket.port {
            port.set_peer(Some(remote))?;
        } else {
            let port = self.network.bind(0)?;
            port.set_peer(Some(remote))?;
            socket.port = Some(port);
        }
        socket.remote = Remote::Connected(remote);
        Ok(())
    }

    /// Sends a datagram to the address that it is connected to, or else the last one that one was sent to; [`NetworkError::Invalid`] if there is none.
    fn send(&mut self, socket: &mut UdpSocket<'a>, buffer: &[u8]) -> nb::Result<(), NetworkError> {
        let (Remote::Last(to) | Remote::Connected(to)) = socket.remote else {
            return Err(nb::Error::Other(NetworkError::Invalid));
        };
        now(socket
            .port()?
            .send_to_until(to, buffer, Deadline::Immediate))
    }

    /// Takes a datagram that has come. One that the buffer has no room for is gone, and [`NetworkError::TooLong`].
    fn receive(
        &mut self,
        socket: &mut UdpSocket<'a>,
        buffer: &mut [u8],
    ) -> nb::Result<(usize, SocketAddr), NetworkError> {
        let received = socket
            .port()?
            .receive_from_until(buffer, Deadline::Immediate);
        let (length, from) = now(received)?;
        if length > buffer.len() {
            return Err(nb::Error::Other(NetworkError::TooLong));
        }
        Ok((length, from))
    }

    /// Gives up its port.
    fn close(&mut self, socket: UdpSocket<'a>) -> Result<(), NetworkError> {
        drop(socket);
        Ok(())
    }
}

impl<'a> UdpFullStack for Stack<'a> {
    /// Takes a port: any that is free, if `local_port` is 0.
    fn bind(&mut self, socket: &mut UdpSocket<'a>, local_port: u16) -> Result<(), NetworkError> {
        if socket.port.is_some() {
            return Err(NetworkError::Invalid);
        }
        socket.port = Some(self.network.bind(local_port)?);
        Ok(())
    }

    /// Sends somebody a datagram.
    fn send_to(
        &mut self,
        socket: &mut UdpSocket<'a>,
        remote: SocketAddr,
        buffer: &[u8],
    ) -> nb::Result<(), NetworkError> {
        let sent = socket
            .port()?
            .send_to_until(remote, buffer, Deadline::Immediate);
        now(sent)?;
        if !matches!(socket.remote, Remote::Connected(_)) {
            socket.remote = Remote::Last(remote);
        }
        Ok(())
    }
}

impl Dns for Stack<'_> {
    type Error = NetworkError;

    /// Begins to ask, and says later what came of it: to be called with the same name until then. Another name ends the question for the one
    /// before. Of what is an address already nobody is asked.
    fn get_host_by_name(
        &mut self,
        hostname: &str,
        addr_type: AddrType,
    ) -> nb::Result<IpAddr, NetworkError> {
        if let Ok(address) = hostname.parse::<IpAddr>() {
            let is_wanted = match addr_type {
                AddrType::IPv4 => address.is_ipv4(),
                AddrType::IPv6 => address.is_ipv6(),
                AddrType::Either => true,
            };
            let found = Some(address).filter(|_| is_wanted);
            return found.ok_or(nb::Error::Other(NetworkError::NoSuchName));
        }
        let families = match addr_type {
            AddrType::IPv4 => families::IPV4,
            AddrType::IPv6 => families::IPV6,
            AddrType::Either => families::BOTH,
        };
        // Another one is over before this one begins: they may be one of the same share.
        let same = self.asked.take().filter(|it| it.is_for(hostname, families));
        let asked = match same {
            Some(asked) => asked,
            None => Asked::begin(self.network, hostname, families)?,
        };
        let told = now(asked
            .question
            .addresses_until(hostname, Deadline::Immediate));
        if matches!(told, Err(nb::Error::WouldBlock)) {
            self.asked = Some(asked);
        }
        told.map(|all: Addresses| all.first(0).ip())
    }

    /// Nobody tells names of addresses: [`NetworkError::NotSupported`].
    fn get_host_by_address(&mut self, _: IpAddr, _: &mut [u8]) -> nb::Result<usize, NetworkError> {
        Err(nb::Error::Other(NetworkError::NotSupported))
    }
}

impl<'a> Asked<'a> {
    fn begin(network: &'a Network, name: &str, families: u32) -> Result<Asked<'a>, NetworkError> {
        let mut text = [0; TEXT];
        let place = text.get_mut(..name.len()).ok_or(NetworkError::TooLong)?;
        place.copy_from_slice(name.as_bytes());
        Ok(Asked {
            question: network.question(name, families)?,
            families,
            text,
            length: name.len(),
        })
    }

    fn is_for(&self, name: &str, families: u32) -> bool {
        self.families == families && self.text.get(..self.length) == Some(name.as_bytes())
    }
}
