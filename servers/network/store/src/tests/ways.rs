//! Datagrams that pass by the stack.

use super::families::{six, world_of_both};
use super::*;

/// Frames that are made of one, each a little different.
const FRAMES: u32 = 100_000;

/// A frame with room around it.
type Room = [u8; 1514];

/// Two ports between which the stack has sent one datagram each way: their numbers.
fn known(world: &mut World<'_>, ends: [IpEndpoint; 2]) -> [Number; 2] {
    let numbers = [(0, ONE), (1, OTHER)].map(|(node, client)| {
        let store = &mut world.nodes[node].store;
        let bound = store.bind(client, SHARE, ends[node].port, Families::Both);
        bound.expect("a port").0
    });
    say(world, numbers, ends);
    numbers
}

/// Has the stack send one each way, which is taken.
fn say(world: &mut World<'_>, numbers: [Number; 2], ends: [IpEndpoint; 2]) {
    for (node, client) in [(0, ONE), (1, OTHER)] {
        let store = &mut world.nodes[node].store;
        let sent = store.send_to(client, numbers[node], ends[1 - node], b"first");
        assert_eq!(sent, Ok(()));
        world.pass(Duration::from_secs(2));
        let (other, client) = [(1, OTHER), (0, ONE)][node];
        let came = take(&mut world.nodes[other], client, numbers[other]);
        assert_eq!(came, Some((b"first".to_vec(), ends[node])));
    }
}

fn take(node: &mut Node<'_>, client: u32, number: Number) -> Option<(Vec<u8>, IpEndpoint)> {
    let taken = node
        .store
        .receive_from(client, number, |bytes, from| Some((bytes.to_vec(), from)));
    taken.ok()
}

/// The frame by which the first machine's port sends these bytes without the stack.
fn frame(world: &mut World<'_>, number: Number, to: IpEndpoint, bytes: &[u8]) -> Option<Vec<u8>> {
    let node = &mut world.nodes[0];
    let mut room: Room = [0; _];
    let made = node
        .store
        .frame((ONE, number), node.device, to, bytes, &mut room);
    let length = made.expect("its own port")?;
    Some(room[..length].to_vec())
}

/// What the stack makes of a frame: the datagram that the second machine's port has got.
fn by_stack(world: &mut World<'_>, number: Number, frame: &[u8]) -> Option<(Vec<u8>, IpEndpoint)> {
    let (now, node) = (world.now, &mut world.nodes[1]);
    node.cable.came.push_back(frame.to_vec());
    let sockets = &mut node.store.sockets;
    node.interface
        .poll_ingress_single(now, &mut node.cable, sockets);
    node.cable.left.clear();
    node.store.keep_datagrams();
    take(node, OTHER, number)
}

/// Runs a test between two ports, over IPv4 and over IPv6.
fn between(mut test: impl FnMut(&mut World<'_>, [Number; 2], [IpEndpoint; 2])) {
    for ends in [[at(1, 5000), at(2, 7)], [six(1, 5000), six(2, 7)]] {
        world_of_both(|world| {
            let numbers = known(world, ends);
            test(world, numbers, ends);
        });
    }
}

#[test]
fn a_frame_that_passes_by_is_the_stacks_own_byte_for_byte() {
    between(|world, [here, there], [_, to]| {
        for length in [0, 1, 2, 3, 32, 1451, 1452] {
            let bytes: Vec<u8> = (0..length).map(|it| (it * 7) as u8).collect();
            let made = frame(world, here, to, &bytes).expect("a known neighbour");
            let node = &mut world.nodes[0];
            assert_eq!(node.store.send_to(ONE, here, to, &bytes), Ok(()));
            node.send(world.now);
            assert_eq!(node.cable.left.pop_back(), Some(made.clone()), "{length}");
            let node = &mut world.nodes[1];
            assert!(node.store.takes(&made));
            assert_eq!(take(node, OTHER, there).map(|it| it.0), Some(bytes));
        }
    });
}

#[test]
fn what_passes_by_is_what_the_stack_would_have_kept() {
    between(|world, numbers, ends| {
        let ([here, there], [_, to]) = (numbers, ends);
        let good = frame(world, here, to, b"a datagram of a known neighbour").expect("known");
        let mut random = 1_u32;
        let mut next = |below: usize| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) as usize % below
        };
        let (mut passed, mut refused) = (0, 0);
        for _ in 0..FRAMES {
            let mut frame = good.clone();
            for _ in 0..next(3) {
                match next(4) {
                    0 => frame.truncate(next(good.len() + 1)),
                    1 => frame.push(next(256) as u8),
                    // Most of them in its heads.
                    2 => {
                        if let Some(byte) = frame.get_mut(next(70)) {
                            *byte ^= 1 << next(8);
                        }
                    }
                    _ => {
                        let (one, other) = (next(good.len()), next(good.len()));
                        if frame.len() == good.len() {
                            // Such that no sum changes.
                            let (one, other) = (one & !1, other & !1);
                            if one + 1 < frame.len() && other + 1 < frame.len() {
                                frame.swap(one, other);
                                frame.swap(one + 1, other + 1);
                            }
                        }
                    }
                }
            }
            let takes = world.nodes[1].store.takes(&frame);
            let taken = take(&mut world.nodes[1], OTHER, there);
            let expected = by_stack(world, there, &frame);
            if takes {
                passed += 1;
                assert_eq!(taken, expected, "{frame:02x?}");
            } else {
                refused += 1;
                assert_eq!(taken, None, "{frame:02x?}");
            }
        }
        assert!(passed > FRAMES / 10 && refused > FRAMES / 10, "{passed}");
    });
}

#[test]
fn nothing_passes_by_that_is_not_on_a_way() {
    between(|world, [here, there], [own, to]| {
        let made = frame(world, here, to, b"known").expect("a known neighbour");
        let node = &mut world.nodes[0];
        let other = EthernetAddress([2, 0, 0, 0, 0, 9]);
        let mut room: Room = [0; _];
        let mut by = |device, to| {
            let made = node.store.frame((ONE, here), device, to, b"x", &mut room);
            made.expect("its own port").is_some()
        };
        let device = EthernetAddress([2, 0, 0, 0, 0, 1]);
        assert!(by(device, to));
        assert!(!by(other, to), "another device");
        assert!(!by(device, IpEndpoint::new(to.addr, 8)), "another port");
        assert!(!by(device, own), "another host");
        let made_by = node.store.frame((OTHER, here), device, to, b"x", &mut room);
        assert_eq!(made_by, Err(Refused::BadNumber));
        // One that was to be sent before it is.
        assert_eq!(node.store.send_to(ONE, here, to, b"before"), Ok(()));
        assert_eq!(frame(world, here, to, b"behind"), None);
        // Of a port that nobody has the stack says so.
        let store = &mut world.nodes[1].store;
        assert_eq!(store.close(OTHER, there), Ok(()));
        assert!(!store.takes(&made));
    });
}

#[test]
fn a_way_ends_with_silence_and_with_all_that_may_tell_of_another_neighbour() {
    between(|world, numbers, ends| {
        let ([here, _], [_, to]) = (numbers, ends);
        let sent = (0..).take_while(|_| frame(world, here, to, b"x").is_some());
        assert!((1..10).contains(&sent.count()));
        say(world, numbers, ends);
        let made = frame(world, here, to, b"x").expect("known anew");
        // ARP: whoever had the address may have another device.
        let mut arp = [0; 42];
        arp[12..14].copy_from_slice(&[8, 6]);
        world.nodes[1].store.tells_of_neighbours(&arp);
        assert!(!world.nodes[1].store.takes(&made));
        world.nodes[0].store.forget_neighbours();
        assert_eq!(frame(world, here, to, b"x"), None);
        say(world, numbers, ends);
        // What is heard from there keeps it.
        for _ in 0..100 {
            let made = frame(world, here, to, b"x").expect("known");
            let store = &mut world.nodes[1].store;
            assert!(store.takes(&made));
            let mut room: Room = [0; _];
            let device = EthernetAddress([2, 0, 0, 0, 0, 2]);
            let back = store.frame((OTHER, numbers[1]), device, ends[0], b"y", &mut room);
            let length = back.expect("its own port").expect("known");
            assert!(world.nodes[0].store.takes(&room[..length]));
            assert!(take(&mut world.nodes[0], ONE, here).is_some());
            assert!(take(&mut world.nodes[1], OTHER, numbers[1]).is_some());
        }
    });
}
