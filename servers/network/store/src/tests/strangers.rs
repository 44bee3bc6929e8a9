//! Ports that have a peer.

use super::*;

/// The ports of a peer and of a stranger at the first machine, and of the one that hears the peer alone at the second.
fn ports(world: &mut World<'_>) -> (Number, Number, Number) {
    let (peer, stranger, there, _) = ports_and_peer(world);
    (peer, stranger, there)
}

/// As that, and where the peer is.
fn ports_and_peer(world: &mut World<'_>) -> (Number, Number, Number, IpEndpoint) {
    let [one, other] = &mut world.nodes;
    let mut bind = |client| one.store.bind(client, SHARE, 0, Families::Both);
    let (peer, port) = bind(ONE).expect("a port");
    let (stranger, _) = bind(OTHER).expect("a port");
    let there = other.store.bind(OTHER, SHARE, 7, Families::Both);
    let (there, _) = there.expect("a port");
    let set = other.store.set_peer(OTHER, there, Some(at(1, port)));
    assert_eq!(set, Ok(()));
    (peer, stranger, there, at(1, port))
}

fn send(world: &mut World<'_>, client: u32, from: Number, bytes: &[u8]) {
    let store = &mut world.nodes[0].store;
    assert_eq!(store.send_to(client, from, at(2, 7), bytes), Ok(()));
    world.settle();
}

fn take(world: &mut World<'_>, there: Number) -> Result<Vec<u8>, Refused> {
    let store = &mut world.nodes[1].store;
    let is_ready = store.ready(OTHER, there).map(|it| it.read);
    let taken = store.receive_from(OTHER, there, |bytes, _| Some(bytes.to_vec()));
    assert_eq!(is_ready, Ok(taken.is_ok()));
    taken
}

#[test]
fn a_port_with_a_peer_hears_nobody_else() {
    world(|world| {
        let (peer, stranger, there) = ports(world);
        send(world, OTHER, stranger, b"stranger");
        assert_eq!(take(world, there), Err(Refused::NotYet));
        send(world, ONE, peer, b"peer");
        send(world, OTHER, stranger, b"stranger");
        assert_eq!(take(world, there), Ok(b"peer".to_vec()));
        assert_eq!(take(world, there), Err(Refused::NotYet));
        let store = &mut world.nodes[1].store;
        assert_eq!(store.set_peer(OTHER, there, None), Ok(()));
        send(world, OTHER, stranger, b"anybody");
        assert_eq!(take(world, there), Ok(b"anybody".to_vec()));
    });
}

#[test]
fn strangers_take_no_room_from_a_peer() {
    world(|world| {
        let (peer, stranger, there) = ports(world);
        for _ in 0..2 * KEPT {
            send(world, OTHER, stranger, &[1; LONGEST]);
        }
        send(world, ONE, peer, &[2; LONGEST]);
        assert_eq!(take(world, there), Ok(vec![2; LONGEST]));
    });
}

#[test]
fn a_port_is_given_without_the_peer_that_it_had() {
    world(|world| {
        let (_, stranger, there) = ports(world);
        let store = &mut world.nodes[1].store;
        assert_eq!(store.set_peer(ONE, there, None), Err(Refused::BadNumber));
        assert_eq!(store.close(OTHER, there), Ok(()));
        let again = store.bind(OTHER, SHARE, 7, Families::Both);
        let (there, _) = again.expect("a port");
        send(world, OTHER, stranger, b"anybody");
        assert_eq!(take(world, there), Ok(b"anybody".to_vec()));
    });
}

#[test]
fn strangers_take_no_room_behind_what_a_peer_has_sent() {
    for stranger_sends in [&[1; 1000][..], &[1]] {
        world(|world| {
            let (peer, stranger, there) = ports(world);
            send(world, ONE, peer, &[2]);
            for _ in 0..2 * KEPT {
                send(world, OTHER, stranger, stranger_sends);
            }
            send(world, ONE, peer, &[3; LONGEST]);
            assert_eq!(take(world, there), Ok(vec![2]));
            assert_eq!(take(world, there), Ok(vec![3; LONGEST]));
            assert_eq!(take(world, there), Err(Refused::NotYet));
        });
    }
}

#[test]
fn what_strangers_sent_does_not_come_when_the_peer_is_gone() {
    world(|world| {
        let (peer, stranger, there) = ports(world);
        send(world, ONE, peer, b"peer");
        send(world, OTHER, stranger, b"stranger");
        let store = &mut world.nodes[1].store;
        assert_eq!(store.set_peer(OTHER, there, None), Ok(()));
        send(world, OTHER, stranger, b"anybody");
        assert_eq!(take(world, there), Ok(b"peer".to_vec()));
        assert_eq!(take(world, there), Ok(b"anybody".to_vec()));
    });
}

#[test]
fn what_strangers_sent_before_there_was_a_peer_is_gone_wherever_it_lay() {
    world(|world| {
        let (peer, stranger, there, whose) = ports_and_peer(world);
        let store = &mut world.nodes[1].store;
        assert_eq!(store.set_peer(OTHER, there, None), Ok(()));
        for (client, from, bytes) in [
            (OTHER, stranger, b"stranger"),
            (ONE, peer, b"peer one"),
            (OTHER, stranger, b"stranger"),
            (ONE, peer, b"peer two"),
        ] {
            send(world, client, from, bytes);
        }
        let store = &mut world.nodes[1].store;
        assert_eq!(store.set_peer(OTHER, there, Some(whose)), Ok(()));
        // There is room again.
        send(world, ONE, peer, b"peer three");
        let store = &mut world.nodes[1].store;
        assert_eq!(store.set_peer(OTHER, there, None), Ok(()));
        for expected in [&b"peer one"[..], b"peer two", b"peer three"] {
            assert_eq!(take(world, there), Ok(expected.to_vec()));
        }
        assert_eq!(take(world, there), Err(Refused::NotYet));
    });
}
