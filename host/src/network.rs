//! What is at the other end of a board's Ethernet, for applications that use the board's device `ethernet`: a network that
//! the emulator makes, with a server of addresses and a way out, of which the ports that the manifest names can be reached
//! from here; or a wire to other boards.

use std::fs::{File, TryLockError};
use std::net::{Ipv4Addr, TcpListener, UdpSocket};

use miette::{IntoDiagnostic, WrapErr};

use crate::board::{Board, ETHERNET, EthernetSlot, Run};
use crate::manifest::{Application, Network as Wanted};

/// Who says back what it is told, in a network with an `echo`.
const ECHO: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 100);

/// The device's own address, of a board that is alone: what QEMU gives the first one.
const ALONE: [u8; 6] = [0x52, 0x54, 0x00, 0x12, 0x34, 0x56];

/// The network of a board.
pub struct Network {
    slot: EthernetSlot,
    /// The device's own address.
    address: [u8; 6],
    /// What QEMU is told of a wire, if there is one in the place of its own network.
    wire: Option<String>,
    /// The ports of the board that can be reached, and where.
    forwards: Vec<Forward>,
    /// Those of this machine, for as long as this is here.
    _reserved: Vec<Reserved>,
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

    /// A port of this machine that nobody has, and that no other run of this tool finds free as long as what is returned
    /// lives. Another program may take it before the emulator does, which says so then.
    fn free_port(self) -> std::io::Result<(u16, Reserved)> {
        let any = (Ipv4Addr::LOCALHOST, 0);
        loop {
            let port = match self {
                Protocol::Tcp => TcpListener::bind(any)?.local_addr()?,
                Protocol::Udp => UdpSocket::bind(any)?.local_addr()?,
            }
            .port();
            if let Some(reserved) = Reserved::of(self, port) {
                return Ok((port, reserved));
            }
        }
    }
}

/// A port that is this run's: found free, but maybe not taken by its emulator yet. The system forgets it with the tool, however
/// that ends.
#[derive(Debug)]
struct Reserved {
    /// Locked; none where nothing can be written, or another person's files are.
    _file: Option<File>,
}

impl Reserved {
    /// If no other run has it. A file stands for all ports with the same last digits, so that few are ever left.
    fn of(protocol: Protocol, port: u16) -> Option<Reserved> {
        const FILES: u16 = 1024;
        let folder = std::env::temp_dir().join("riposte-ports");
        // What cannot be made cannot be opened.
        let _ = std::fs::create_dir(&folder);
        let name = format!("{}-{}", protocol.name(), port % FILES);
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join(name))
            .ok();
        let is_taken = |it: &File| matches!(it.try_lock(), Err(TryLockError::WouldBlock));
        (!file.as_ref().is_some_and(is_taken)).then_some(Reserved { _file: file })
    }
}

/// How the board is given an Ethernet, if the application uses one.
fn slot(application: &Application, board: &Board) -> Option<EthernetSlot> {
    let Run::Emulator(emulator) = &board.run else {
        return None;
    };
    emulator
        .ethernet
        .clone()
        .filter(|_| application.uses(ETHERNET))
}

impl Network {
    /// The network of an application on a board, if it uses one.
    ///
    /// # Errors
    /// If this machine has no ports left.
    pub fn of(application: &Application, board: &Board) -> miette::Result<Option<Network>> {
        let application = application.on(board)?;
        let Some(slot) = slot(&application, board) else {
            return Ok(None);
        };
        let Wanted { tcp, udp, echo } = &application.network;
        let tcp = tcp.iter().map(|port| (Protocol::Tcp, *port));
        let udp = udp.iter().map(|port| (Protocol::Udp, *port));
        let forwards = tcp.chain(udp).map(|(protocol, board)| {
            let (here, reserved) = protocol.free_port()?;
            let forward = Forward {
                protocol,
                board,
                here,
            };
            Ok((forward, reserved))
        });
        let forwards = forwards.collect::<std::io::Result<Vec<(Forward, Reserved)>>>();
        let forwards = forwards
            .into_diagnostic()
            .wrap_err("cannot find a free port on this machine")?;
        let (forwards, reserved) = forwards.into_iter().unzip();
        Ok(Some(Network {
            slot,
            address: ALONE,
            wire: None,
            forwards,
            _reserved: reserved,
            echo: *echo,
        }))
    }

    /// The network of the node of that number, which is at a `wire`, as QEMU is told of it. Nothing of this machine reaches
    /// it there.
    ///
    /// # Errors
    /// What is refused of the application on this board.
    pub fn at_wire(
        application: &Application,
        board: &Board,
        node: u8,
        wire: String,
    ) -> miette::Result<Option<Network>> {
        let [a, b, c, ..] = ALONE;
        // 01 in the place of 12: no other node has it, and no board that is alone.
        let address = [a, b, c, 1, 0, node];
        let slot = slot(&application.on(board)?, board);
        Ok(slot.map(|slot| Network {
            slot,
            address,
            wire: Some(wire),
            forwards: vec![],
            _reserved: vec![],
            echo: None,
        }))
    }

    /// What the emulator is told.
    pub fn arguments(&self) -> impl Iterator<Item = String> {
        let network = self.network();
        let address = self.address.map(|byte| format!("{byte:02x}")).join(":");
        let arguments = self.slot.arguments.iter();
        arguments.map(move |it| {
            it.replace("{network}", &network)
                .replace("{address}", &address)
        })
    }

    fn network(&self) -> String {
        if let Some(wire) = &self.wire {
            return wire.clone();
        }
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
                arguments: vec![
                    "-netdev".into(),
                    "{network},id=network".into(),
                    "nic,macaddr={address}".into(),
                ],
            },
            address: ALONE,
            wire: None,
            forwards: vec![
                forward(Protocol::Tcp, 80, 4001),
                forward(Protocol::Udp, 7, 4002),
            ],
            _reserved: vec![],
            echo: Some(7),
        };
        let arguments: Vec<String> = network.arguments().collect();
        assert_eq!(
            arguments,
            [
                "-netdev",
                "user,hostfwd=tcp:127.0.0.1:4001-:80,hostfwd=udp:127.0.0.1:4002-:7,\
                 guestfwd=tcp:10.0.2.100:7-cmd:cat,id=network",
                "nic,macaddr=52:54:00:12:34:56"
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

    #[test]
    fn a_port_that_was_found_free_is_found_by_no_other_until_it_is_given_up() {
        for protocol in [Protocol::Tcp, Protocol::Udp] {
            let (port, reserved) = protocol.free_port().unwrap();
            assert!(Reserved::of(protocol, port).is_none());
            drop(reserved);
            let again = Reserved::of(protocol, port);
            assert!(again.is_some(), "{port} is not free again");
        }
    }

    #[test]
    fn a_node_at_a_wire_has_an_address_of_its_own_and_no_port_of_this_machine() {
        let lab = crate::lab::Lab::open().unwrap();
        let application = lab.application("web").unwrap();
        let board = lab.board("mps2-an386").unwrap();
        let of = |node| {
            let network = Network::at_wire(&application, board, node, "dgram,here".into());
            let network = network.unwrap().unwrap();
            assert_eq!(network.reachable().count(), 0);
            network.arguments().collect::<Vec<_>>().join(" ")
        };
        assert!(of(0).starts_with("-netdev dgram,here,id=network"));
        assert!(of(0).ends_with("macaddr=52:54:00:01:00:00"), "{}", of(0));
        assert!(of(10).ends_with("macaddr=52:54:00:01:00:0a"), "{}", of(10));
    }
}
