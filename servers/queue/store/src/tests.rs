use std::string::String;

use crate::{LEVELS, Name, Refused, Side, Store, Waiter};

type Small = Store<u32, 2, 3, 64>;

fn name(text: &str) -> Name {
    Name::new(text.as_bytes()).expect("a name")
}

fn waiter(client: u32, side: Side, level: usize) -> Waiter<u32> {
    Waiter {
        client,
        side,
        level,
    }
}

/// Takes the message that comes first.
fn take(store: &mut Small, queue: usize) -> Option<String> {
    let message = store
        .first(queue)
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    store.pop(queue);
    message
}

#[test]
fn messages_leave_in_order_and_the_urgent_ones_first() {
    let mut store = Small::new();
    let queue = store.create(name("orders"), 4, 8).unwrap();
    for round in 0..3 {
        for (level, text) in [(0, "a"), (2, "b"), (0, "c"), (LEVELS - 1, "")] {
            assert!(store.has_room(queue), "round {round}");
            store.push(queue, level, text.as_bytes());
        }
        assert!(!store.has_room(queue));
        let order = [(); 5].map(|()| take(&mut store, queue));
        let text = |text: &str| Some(String::from(text));
        assert_eq!(order, [text(""), text("b"), text("a"), text("c"), None]);
    }
}

#[test]
fn queues_do_not_touch_each_other() {
    let mut store = Small::new();
    let first = store.create(name("first"), 2, 4).unwrap();
    let second = store.create(name("second"), 2, 4).unwrap();
    for text in ["1111", "2222"] {
        store.push(first, 0, text.as_bytes());
        store.push(second, 0, b"xxxx");
    }
    assert_eq!(take(&mut store, first).as_deref(), Some("1111"));
    assert_eq!(take(&mut store, first).as_deref(), Some("2222"));
    assert_eq!(take(&mut store, second).as_deref(), Some("xxxx"));
}

#[test]
fn a_queue_is_made_once_and_only_within_limits() {
    let mut store = Small::new();
    let orders = store.create(name("orders"), 2, 8).unwrap();
    assert_eq!(store.create(name("orders"), 2, 8), Ok(orders));
    assert_eq!(store.create(name("orders"), 3, 8), Err(Refused::Differs));
    assert_eq!(store.create(name("none"), 0, 8), Err(Refused::Shape));
    assert_eq!(store.create(name("empty"), 1, 0), Err(Refused::Shape));
    // 24 of 64 bytes are used; a slot has four more than its message.
    assert_eq!(store.create(name("large"), 1, 37), Err(Refused::NoRoom));
    let second = store.create(name("second"), 1, 36).unwrap();
    assert_eq!(store.create(name("third"), 1, 1), Err(Refused::NoRoom));
    assert_eq!(store.find(name("second")), Some(second));
    assert_eq!(store.find(name("third")), None);
    assert_eq!(store.shape(second), Some((1, 36)));
    assert_eq!(store.shape(2), None);
    assert!(Name::new(b"").is_none() && Name::new(&[b'x'; 17]).is_none());
}

#[test]
fn those_who_wait_are_served_in_order_and_the_urgent_ones_first() {
    let mut store = Small::new();
    let queue = store.create(name("orders"), 1, 8).unwrap();
    for round in 0..3 {
        for (client, level) in [(1, 0), (2, 1), (3, 0)] {
            assert_eq!(store.wait(queue, waiter(client, Side::Send, level)), Ok(()));
        }
        let late = waiter(4, Side::Send, 3);
        assert_eq!(store.wait(queue, late), Err(waiter(4, Side::Send, 3)));
        assert_eq!(store.next(queue, Side::Receive), None, "round {round}");
        let order = [(); 4].map(|()| store.next(queue, Side::Send).map(|it| it.client));
        assert_eq!(order, [Some(2), Some(1), Some(3), None]);
    }
}

#[test]
fn one_who_leaves_is_not_served_and_the_others_are() {
    for leaver in 1..=3 {
        let mut store = Small::new();
        let first = store.create(name("first"), 1, 8).unwrap();
        let second = store.create(name("second"), 1, 8).unwrap();
        for client in 1..=3 {
            let queue = if client == 2 { second } else { first };
            store.wait(queue, waiter(client, Side::Receive, 0)).unwrap();
        }
        let left = store.leave(|waiter| waiter.client == leaver);
        assert_eq!(left.map(|waiter| waiter.client), Some(leaver));
        assert_eq!(store.leave(|waiter| waiter.client == leaver), None);
        store.wait(second, waiter(9, Side::Receive, 0)).unwrap();
        let mut served = [first, first, second, second]
            .map(|queue| store.next(queue, Side::Receive).map_or(0, |it| it.client));
        served.sort_unstable();
        let expected: Vec<u32> = [0, 1, 2, 3, 9]
            .into_iter()
            .filter(|client| *client != leaver)
            .collect();
        assert_eq!(served.to_vec(), expected);
    }
}
