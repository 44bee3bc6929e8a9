//! What is at the other end of a board's Ethernet, for applications that use the board's device `ethernet`: a network that
//! the emulator makes, with a server of addresses and a way out, of which the ports that the manifest names can be reached
//! from here.

use std::net::{Ipv4Addr, TcpListener, UdpSocket};

use miette::{IntoDiagnostic, WrapErr};

use crate::board::{Board, ETHERNET, EthernetSlot, Run};
use crate::manifest::{Application, Network as Wanted};

/// Who says back what it is told, in a network with an `echo`.
const ECHO: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 100);

/// The network of a board.
pub struct Network {
    slot: EthernetSlot,
    /// The ports of the board that can be reached, and where.
    forwards: Vec<Forward>,
    echo: Option<u16>,
}

/// A port of the board, which can be reached at one of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forward {
    protocol: Protocol,
    /// The board's.
    pub board: u16,
    /// This machine's.
    pub here: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    Tcp,
    Udp,
}

impl Protocol {
    fn name(self) -> &'static str {
        match self {
            Protocol::Tcp => "tcp",
            Protocol::Udp => "udp",
        }
    }

    /// A port of this machine that nobody has. Somebody may take it before the emulator does, which says so then.
    fn free_port(self) -> std::io::Result<u16> {
        let any = (Ipv4Addr::LOCALHOST, 0);
        let address = match self {
            Protocol::Tcp => TcpListener::bind(any)?.local_addr()?,
            Protocol::Udp => UdpSocket::bind(any)?.local_addr()?,
        };
        Ok(address.port())
    }
}

impl Network {
    /// The network of an application on a board, if it uses one.
    ///
    /// # Errors
    /// If this machine has no ports left.
    pub fn of(application: &Application, board: &Board) -> miette::Result<Option<Network>> {
        let application = application.on(board)?;
        let Run::Emulator(emulator) = &board.run else {
            return Ok(None);
        };
        let Some(slot) = emulator
            .ethernet
            .clone()
            .filter(|_| application.uses(ETHERNET))
        else {
            return Ok(None);
        };
        let Wanted { tcp, udp, echo } = &application.network;
        let tcp = tcp.iter().map(|port| (Protocol::Tcp, *port));
        let udp = udp.iter().map(|port| (Protocol::Udp, *port));
        let forwards = tcp.chain(udp).map(|(protocol, board)| {
            let here = protocol.free_port();
            here.map(|here| Forward {
                protocol,
                board,
                here,
            })
        });
        let forwards = forwards.collect::<std::io::Result<Vec<Forward>>>();
        Ok(Some(Network {
            slot,
            forwards: forwards
                .into_diagnostic()
                .wrap_err("cannot find a free port on this machine")?,
            echo: *echo,
        }))
    }

    /// What the emulator is told.
    pub fn arguments(&self) -> impl Iterator<Item = String> {
        let network = self.network();
        let arguments = self.slot.arguments.iter();
        arguments.map(move |it| it.replace("{network}", &network))
    }

    fn network(&self) -> String {
        let mut network = "user".to_owned();
        for Forward {
            protocol,
            board,
            here,
        } in &self.forwards
        {
            let protocol = protocol.name();
            network += &format!(",hostfwd={protocol}:127.0.0.1:{here}-:{board}");
        }
        if let Some(port) = self.echo {
            network += &format!(",guestfwd=tcp:{ECHO}:{port}-cmd:cat");
        }
        network
    }

    /// A line for a person on each port that can be reached.
    pub fn reachable(&self) -> impl Iterator<Item = String> {
        self.forwards
            .iter()
            .map(|it| match (it.protocol, it.board) {
                (Protocol::Tcp, 80) => {
                    format!("the board's web page: http://127.0.0.1:{}/", it.here)
                }
                (protocol, board) => format!(
                    "the board's {} port {board}: 127.0.0.1:{}",
                    protocol.name(),
                    it.here
                ),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_port_is_forwarded_and_said_and_the_echo_is_there() {
        let forward = |protocol, board, here| Forward {
            protocol,
            board,
            here,
        };
        let network = Network {
            slot: EthernetSlot {
                arguments: vec!["-netdev".into(), "{network},id=network".into()],
            },
            forwards: vec![
                forward(Protocol::Tcp, 80, 4001),
                forward(Protocol::Udp, 7, 4002),
            ],
            echo: Some(7),
        };
        let arguments: Vec<String> = network.arguments().collect();
        assert_eq!(
            arguments,
            [
                "-netdev",
                "user,hostfwd=tcp:127.0.0.1:4001-:80,hostfwd=udp:127.0.0.1:4002-:7,\
                 guestfwd=tcp:10.0.2.100:7-cmd:cat,id=network"
            ]
        );
        let said: Vec<String> = network.reachable().collect();
        assert_eq!(
            said,
            [
                "the board's web page: http://127.0.0.1:4001/",
                "the board's udp port 7: 127.0.0.1:4002"
            ]
        );
    }
}
