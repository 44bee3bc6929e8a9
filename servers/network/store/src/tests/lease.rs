//! Those who give addresses, and lie.

use core::net::Ipv4Addr;

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    DhcpMessageType, DhcpOption, DhcpPacket, DhcpRepr, EthernetFrame, EthernetProtocol,
    EthernetRepr, IpProtocol, Ipv4Packet, Ipv4Repr, UdpPacket, UdpRepr,
};

use super::*;

const GIVEN: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const SERVER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 9);
const HEADS: usize = FRAME_HEAD + 20 + 8;

/// What somebody who gives addresses says of what a frame asks, if it asks for one.
fn answer(frame: &[u8], from: Ipv4Addr, routers: &[Ipv4Addr]) -> Option<Vec<u8>> {
    answer_with(frame, from, routers, None)
}

/// The same; or else this, whatever is asked.
fn answer_with(
    frame: &[u8],
    from: Ipv4Addr,
    routers: &[Ipv4Addr],
    says: Option<DhcpMessageType>,
) -> Option<Vec<u8>> {
    let asked = EthernetFrame::new_checked(frame).ok()?;
    let device = asked.src_addr();
    let asked = Ipv4Packet::new_checked(asked.payload()).ok()?;
    let asked = UdpPacket::new_checked(asked.payload()).ok()?;
    let asked = DhcpPacket::new_checked(asked.payload()).ok()?;
    let asked = DhcpRepr::parse(&asked).ok()?;
    let routers: Vec<u8> = routers.iter().flat_map(Ipv4Addr::octets).collect();
    let routers = DhcpOption {
        kind: 3,
        data: &routers,
    };
    let said = DhcpRepr {
        message_type: match (says, asked.message_type) {
            (Some(says), _) => says,
            (None, DhcpMessageType::Discover) => DhcpMessageType::Offer,
            (None, _) => DhcpMessageType::Ack,
        },
        your_ip: GIVEN,
        server_identifier: Some(SERVER),
        subnet_mask: Some([255, 255, 255, 0].into()),
        additional_options: &[routers],
        lease_duration: Some(120),
        requested_ip: None,
        client_identifier: None,
        parameter_request_list: None,
        max_size: None,
        ..asked
    };
    let (length, all) = (said.buffer_len(), ChecksumCapabilities::default());
    let packet = Ipv4Repr {
        src_addr: from,
        dst_addr: Ipv4Addr::BROADCAST,
        next_header: IpProtocol::Udp,
        payload_len: 8 + length,
        hop_limit: 64,
    };
    let ports = UdpRepr {
        src_port: 67,
        dst_port: 68,
    };
    let mut bytes = vec![0; HEADS + length];
    let head = EthernetRepr {
        src_addr: EthernetAddress([2, 0, 0, 0, 0, 9]),
        dst_addr: device,
        ethertype: EthernetProtocol::Ipv4,
    };
    head.emit(&mut EthernetFrame::new_unchecked(&mut bytes[..]));
    packet.emit(
        &mut Ipv4Packet::new_unchecked(&mut bytes[FRAME_HEAD..]),
        &all,
    );
    ports.emit(
        &mut UdpPacket::new_unchecked(&mut bytes[FRAME_HEAD + 20..]),
        &from.into(),
        &Ipv4Addr::BROADCAST.into(),
        length,
        |to| {
            let emitted = said.emit(&mut DhcpPacket::new_unchecked(to));
            emitted.expect("there is room");
        },
        &all,
    );
    Some(bytes)
}

/// A host that asks for an address, for three minutes at a wire where those give them, each in turn, and what they have told it.
fn told(givers: &[(Ipv4Addr, &[Ipv4Addr])]) -> Vec<Lease> {
    told_amid(givers, |_, _, _| ()).0
}

/// The same, and how many questions there were. `lie` may have something come each time, when it is told the last question.
fn told_amid(
    givers: &[(Ipv4Addr, &[Ipv4Addr])],
    lie: impl Fn(i64, &[u8], &mut VecDeque<Vec<u8>>),
) -> (Vec<Lease>, usize) {
    let (mut told, mut last, mut questions) = (Vec::new(), Vec::new(), 0);
    world(|world| {
        let node = &mut world.nodes[0];
        asks_for_address(node);
        for millis in (0..180_000).step_by(100) {
            node.turn(Instant::from_millis(millis));
            if let Some(lease) = node.store.lease() {
                configure(&mut node.interface, lease);
                told.push(lease);
            }
            for frame in core::mem::take(&mut node.cable.left) {
                let answers = givers.iter().filter_map(|it| answer(&frame, it.0, it.1));
                let came = node.cable.came.len();
                node.cable.came.extend(answers);
                if node.cable.came.len() > came {
                    last = frame;
                    questions += 1;
                } else {
                    let found = searches::found(&frame, node.device);
                    node.cable.came.extend(found);
                }
            }
            lie(millis, &last, &mut node.cable.came);
        }
    });
    // There was none at first.
    assert_eq!(told.remove(0), Lease::default());
    (told, questions)
}

/// Takes a machine's address, and has it ask for one.
pub fn asks_for_address(node: &mut Node<'_>) {
    node.interface.update_ip_addrs(|all| all.clear());
    let place = Vec::leak(vec![0; crate::lease::ANSWER]);
    node.store.dhcp = node.store.sockets.add(crate::lease::socket(place));
}

pub fn configure(interface: &mut Interface, lease: Lease) {
    interface.update_ip_addrs(|all| {
        all.clear();
        all.extend(lease.address.map(IpCidr::Ipv4));
    });
    let routes = interface.routes_mut();
    routes.remove_default_ipv4_route();
    if let Some(gateway) = lease.gateway {
        let added = routes.add_default_ipv4_route(gateway);
        added.expect("there is room");
    }
}

fn lease(gateway: Option<Ipv4Addr>) -> Lease {
    Lease {
        address: Some(smoltcp::wire::Ipv4Cidr::new(GIVEN, 24)),
        gateway,
        names: [None; _],
    }
}

#[test]
fn an_address_is_had_again_before_its_time_is_over() {
    assert_eq!(told(&[(SERVER, &[SERVER])]), [lease(Some(SERVER))]);
}

#[test]
fn of_several_ways_to_all_others_the_first_one_is_taken() {
    let two = [SERVER, Ipv4Addr::new(10, 0, 0, 8)];
    assert_eq!(told(&[(SERVER, &two)]), [lease(Some(SERVER))]);
    assert_eq!(told(&[(SERVER, &[])]), [lease(None)]);
}

#[test]
fn an_address_that_nobody_gives_is_not_taken_and_keeps_none_from_it_that_somebody_gives() {
    let nobody = (Ipv4Addr::UNSPECIFIED, &[SERVER][..]);
    assert_eq!(told(&[nobody]), []);
    assert_eq!(told(&[nobody, (SERVER, &[SERVER])]), [lease(Some(SERVER))]);
}

#[test]
fn a_way_to_all_others_that_is_no_host_is_none() {
    let no_hosts = [
        Ipv4Addr::UNSPECIFIED,
        Ipv4Addr::new(224, 0, 0, 1),
        Ipv4Addr::BROADCAST,
        Ipv4Addr::LOCALHOST,
    ];
    for router in no_hosts {
        assert_eq!(told(&[(SERVER, &[router])]), [lease(None)]);
    }
}

/// Everybody at the wire has heard the question and its number.
#[test]
fn what_nobody_has_asked_changes_no_address() {
    let other = Ipv4Addr::new(10, 0, 0, 8);
    for says in [DhcpMessageType::Nak, DhcpMessageType::Ack] {
        let lie = |millis, last: &[u8], came: &mut VecDeque<Vec<u8>>| {
            if millis == 30_000 {
                came.extend(answer_with(last, other, &[other], Some(says)));
            }
        };
        let (told, questions) = told_amid(&[(SERVER, &[SERVER])], lie);
        assert_eq!(told, [lease(Some(SERVER))], "{says:?}");
        // Twice for the first time, and then each minute.
        assert_eq!(questions, 4, "{says:?}");
    }
}

#[test]
fn who_gives_addresses_may_refuse_one_that_is_asked_for() {
    let is_said = core::cell::Cell::new(false);
    let lie = |millis, last: &[u8], came: &mut VecDeque<Vec<u8>>| {
        let is_answer = came.front().is_some_and(|it| it.len() > HEADS);
        if millis > 30_000 && is_answer && !is_said.replace(true) {
            came.clear();
            came.extend(answer_with(last, SERVER, &[], Some(DhcpMessageType::Nak)));
        }
    };
    let (told, _) = told_amid(&[(SERVER, &[SERVER])], lie);
    let one = lease(Some(SERVER));
    assert_eq!(told, [one, Lease::default(), one]);
}
