//! Gives whoever asks the address 10.0.0.1, and says who tells names (DHCP): first 10.0.0.9, where nobody is, then 10.0.0.2.
#![no_std]

use core::net::{IpAddr, Ipv4Addr, SocketAddr};

use riposte_network::Network;
use smoltcp::wire::{DhcpMessageType, DhcpPacket, DhcpRepr};

/// Most bytes of what comes and goes.
const LONGEST: usize = 600;
/// Seconds that the address is given for.
const LEASE: u32 = 3600;

const OWN: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);
const GIVEN: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const NOBODY: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 9);
/// Who has no address yet hears what is for everybody.
const ALL: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::BROADCAST), 68);

#[riposte::main]
fn main() {
    let network = Network::connect("network").unwrap();
    let port = network.bind(67).unwrap();
    let (mut came, mut bytes) = ([0; LONGEST], [0; LONGEST]);
    loop {
        let (length, _) = port.receive_from(&mut came).unwrap();
        let packet = DhcpPacket::new_checked(&came[..length]).unwrap();
        let asked = DhcpRepr::parse(&packet).unwrap();
        let message_type = match asked.message_type {
            DhcpMessageType::Discover => DhcpMessageType::Offer,
            DhcpMessageType::Request => DhcpMessageType::Ack,
            _ => continue,
        };
        let answer = DhcpRepr {
            message_type,
            your_ip: GIVEN,
            server_ip: OWN,
            server_identifier: Some(OWN),
            subnet_mask: Some(Ipv4Addr::new(255, 255, 255, 0)),
            router: None,
            requested_ip: None,
            client_identifier: None,
            parameter_request_list: None,
            dns_servers: Some([NOBODY, OWN].into_iter().collect()),
            max_size: None,
            lease_duration: Some(LEASE),
            ..asked
        };
        let bytes = &mut bytes[..answer.buffer_len()];
        answer
            .emit(&mut DhcpPacket::new_unchecked(&mut *bytes))
            .unwrap();
        port.send_to(ALL, bytes).unwrap();
    }
}
