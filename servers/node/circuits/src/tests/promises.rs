//! What a circuit promises on a wire that does no harm.

use super::world::{MILLI, SECOND, Told, World};
use crate::wire::{PART, kind};
use crate::{FAR, Failure, LONGEST, NEAR, PATIENCE};

#[test]
fn a_message_of_every_size_comes_and_so_does_its_reply() {
    for length in [
        0,
        1,
        3,
        4,
        20,
        32,
        1400,
        PART - 1,
        PART,
        PART + 1,
        5000,
        8 * PART,
        8 * PART + 1,
        11_264,
    ] {
        let mut world = World::new(1, 8 * PART);
        let told = world.ask(0, 0, length, SECOND);
        if length > 8 * PART {
            assert_eq!(told, Told::Failed(Failure::TooLong), "{length}");
        } else {
            assert_eq!(told, world.expected(length), "{length}");
        }
    }
}

#[test]
fn the_longest_message_goes_either_way() {
    let mut world = World::new(1, PART);
    world.serving.reply = Some(10);
    assert_eq!(world.ask(0, 0, LONGEST, SECOND), world.expected(LONGEST));
    let mut world = World::new(1, LONGEST);
    world.serving.reply = Some(LONGEST);
    assert_eq!(world.ask(0, 0, 8, SECOND), world.expected(8));
    assert_eq!(
        world.ask(0, 0, LONGEST + 1, SECOND),
        Told::Failed(Failure::TooLong)
    );
    world.run(SECOND);
    assert!(world.is_idle());
}

#[test]
fn a_quiet_wire_carries_two_frames_a_message() {
    let mut world = World::new(1, PART);
    for length in [1, 32, 1400] {
        // The first opens the session and the circuit.
        assert_eq!(world.ask(0, 0, length, SECOND), world.expected(length));
        let before = world.seen.len();
        for _ in 0..100 {
            assert_eq!(world.ask(0, 0, length, SECOND), world.expected(length));
        }
        assert_eq!(world.seen.len() - before, 200, "{length}");
    }
    let before = world.seen.len();
    world.run(SECOND);
    assert_eq!(
        world.seen.len() - before,
        1,
        "the last reply is acknowledged by itself"
    );
    assert!(world.is_idle());
}

#[test]
fn a_slow_server_is_waited_for_without_its_request_sent_again() {
    let mut world = World::new(1, PART);
    world.serving.after = [3 * SECOND, 1];
    assert_eq!(world.ask(0, 0, 32, 10 * SECOND), world.expected(32));
    assert_eq!(world.nodes[0].counted.again.0, 0);
}

#[test]
fn a_request_may_take_all_of_the_longest_patience() {
    let mut world = World::new(1, PART);
    let longest = u64::from(PATIENCE) * MILLI;
    world.serving.after = [longest - SECOND, 1];
    assert_eq!(world.ask(0, 0, 32, longest), world.expected(32));
}

#[test]
fn a_node_that_is_not_there_is_gone_at_the_deadline() {
    let mut world = World::new(1, PART);
    world.faults.cut = true;
    let begun = world.now;
    assert_eq!(world.ask(0, 0, 32, SECOND), Told::Failed(Failure::NodeGone));
    assert_eq!(world.records[0].told.as_ref().unwrap().0, begun + SECOND);
    assert!(world.is_idle());
}

#[test]
fn what_is_not_exported_cannot_be_opened() {
    let mut world = World::new(1, PART);
    assert_eq!(
        world.ask(0, 1, 32, SECOND),
        Told::Failed(Failure::NotExported)
    );
    assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
}

#[test]
fn a_server_that_ends_is_told_of() {
    let mut world = World::new(1, PART);
    world.serving.dies = 100;
    assert_eq!(
        world.ask(0, 0, 32, SECOND),
        Told::Failed(Failure::ServerDied)
    );
    world.serving.dies = 0;
    assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
}

#[test]
fn a_client_that_leaves_takes_its_request_along() {
    let mut world = World::new(1, PART);
    world.serving.after = [2 * SECOND, 1];
    let record = world.send(0, 0, 32, 5 * SECOND).unwrap();
    world.run(100 * MILLI);
    world.leave(record);
    world.run(100 * MILLI);
    assert!(world.records[record].cancelled_at_server);
    world.run(3 * SECOND);
    assert!(world.is_idle());
}

#[test]
fn a_request_whose_client_left_before_it_came_is_not_served() {
    let mut world = World::new(1, PART);
    assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
    let record = world.send(0, 0, 32, SECOND).unwrap();
    // It is held up on the wire, and what ends it overtakes it.
    world.latency = 500 * MILLI;
    world.run(MILLI);
    world.leave(record);
    world.latency = MILLI;
    world.run(5 * SECOND);
    assert_eq!(world.records[record].served, 0);
    assert!(world.is_idle());
}

#[test]
fn a_deadline_that_passes_ends_the_request_at_both_nodes() {
    let mut world = World::new(1, PART);
    world.serving.after = [2 * SECOND, 1];
    assert_eq!(world.ask(0, 0, 32, SECOND), Told::Failed(Failure::TimedOut));
    world.run(10 * MILLI);
    assert!(world.records[0].cancelled_at_server);
    world.run(2 * SECOND);
    assert!(world.is_idle());
}

#[test]
fn a_node_that_begins_anew_is_gone_for_what_it_had_begun() {
    let mut world = World::new(1, PART);
    world.serving.after = [SECOND, 1];
    let record = world.send(0, 0, 32, 20 * SECOND).unwrap();
    world.run(100 * MILLI);
    assert_eq!(world.records[record].served, 1);
    world.reboot(1);
    world.run(3 * SECOND);
    let (when, told) = world.records[record]
        .told
        .clone()
        .expect("long before the deadline");
    assert_eq!(told, Told::Failed(Failure::NodeGone));
    assert!(when < world.records[record].deadline - 10 * SECOND);
    assert_eq!(world.records[record].served, 1);
    assert_eq!(world.ask(0, 0, 32, 20 * SECOND), world.expected(32));
}

#[test]
fn a_client_that_begins_anew_leaves_nothing_at_the_server() {
    let mut world = World::new(1, PART);
    world.serving.after = [2 * SECOND, 1];
    let record = world.send(0, 0, 32, 20 * SECOND).unwrap();
    world.run(100 * MILLI);
    world.reboot(0);
    world.serving.after = [0, 1];
    assert_eq!(world.ask(0, 0, 32, 20 * SECOND), world.expected(32));
    assert!(world.records[record].cancelled_at_server);
    assert!(world.programs[1].closed > 0);
    world.run(3 * SECOND);
    assert!(world.is_idle());
}

#[test]
fn more_than_a_node_serves_wait_and_are_served() {
    let mut world = World::new(1, PART);
    world.serving.after = [20 * MILLI, 10 * MILLI];
    let records: std::vec::Vec<usize> = (0..NEAR / 2)
        .map(|_| world.send(0, 0, 32, 5 * SECOND).unwrap())
        .collect();
    assert_eq!(
        world.send(0, 0, 32, 5 * SECOND),
        None,
        "all places of one of two circuits are taken"
    );
    world.run(5 * SECOND);
    for record in records {
        let told = &world.records[record].told.as_ref().unwrap().1;
        assert!(matches!(told, Told::Reply(_, _)), "{told:?}");
    }
    assert!(world.is_idle());
}

#[test]
fn a_node_whose_life_has_the_number_of_the_last_one_is_told_from_it() {
    let mut world = World::new(1, PART);
    for _ in 0..3 {
        assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
    }
    world.reboot_as(0, 100);
    assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
    assert_eq!(world.programs[1].closed, 2);
}

#[test]
fn a_circuit_that_is_opened_again_confirms_its_session_again() {
    let mut world = World::new(1, PART);
    // Hello, welcome, confirm, open.
    world.loses.extend([2, 3]);
    assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
    let hellos = world.seen.iter().filter(|it| it.1[1] == kind::HELLO);
    assert_eq!(hellos.count(), 1, "the other one had to ask who that is");
    let confirms = world.seen.iter().filter(|it| it.1[1] == kind::CONFIRM);
    assert_eq!(confirms.count(), 2, "once again, before what is sent again");
}

#[test]
fn the_first_request_of_a_life_is_not_one_of_the_last_that_is_still_served() {
    let mut world = World::new(1, PART);
    world.serving.after = [10 * SECOND, 1];
    let record = world.send(0, 0, 32, 20 * SECOND).unwrap();
    while world.records[record].served == 0 {
        world.run(MILLI / 10);
    }
    world.serving.after = [1, 1];
    world.reboot_as(0, 101);
    assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
    world.run(20 * SECOND);
    assert!(world.is_idle());
}

#[test]
fn a_server_that_has_ended_is_found_in_its_next_life() {
    let mut world = World::new(1, PART);
    assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
    world.nodes[1].lost(0, 0);
    assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
}

#[test]
fn a_refusal_that_comes_late_has_nothing_served_twice() {
    for reboots in [true, false] {
        let mut world = World::new(1, PART);
        assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
        world.run(SECOND);
        world.nodes[1].lost(0, 0);
        world.serving.after = [10 * SECOND, 1];
        // The first copy is refused, which is lost; so is another one, and the circuit opened again, and the third is begun.
        let late = world.seen.len() + 1;
        world.loses.push(late);
        let record = world.send(0, 0, 32, 20 * SECOND).unwrap();
        while world.records[record].served == 0 {
            world.run(MILLI / 10);
        }
        let (to, refusal) = world.seen[late].clone();
        world.put(to, refusal);
        world.run(MILLI / 10);
        if reboots {
            world.reboot(1);
        }
        world.run(15 * SECOND);
        assert_eq!(world.records[record].served, 1);
        let told = world.records[record].told.clone().unwrap().1;
        let expected = match reboots {
            true => Told::Failed(Failure::NodeGone),
            false => world.expected(32),
        };
        assert_eq!(told, expected);
    }
}

#[test]
fn a_node_of_few_blocks_takes_what_it_has_room_for() {
    let mut world = World::new(1, 2 * PART);
    for node in &mut world.nodes {
        node.set_blocks(2, 4);
        node.set_serves(1);
    }
    assert_eq!(world.ask(0, 0, 2 * PART, SECOND), world.expected(2 * PART));
    // Three parts of the request leave one for the reply, and four none.
    for (parts, reply, is_room) in [(3, PART, true), (3, PART + 1, false), (4, 1, false)] {
        world.serving.reply = Some(reply);
        let told = world.ask(0, 0, parts * PART, SECOND);
        let expected = world.expected(parts * PART);
        assert_eq!(told == expected, is_room, "{parts} {reply}");
        assert!(
            is_room || told == Told::Failed(Failure::TooLong),
            "{told:?}"
        );
    }
    world.serving.reply = None;
    let records = [0; 4].map(|_| world.send(0, 0, 2 * PART, 5 * SECOND).unwrap());
    world.run(5 * SECOND);
    for record in records {
        let told = &world.records[record].told.as_ref().unwrap().1;
        assert!(matches!(told, Told::Reply(_, _)), "{told:?}");
    }
    assert!(world.is_idle());
}

#[test]
fn a_welcome_that_comes_late_leaves_no_two_nodes_without_a_session() {
    for (early, late) in [(1, 0), (0, 1)] {
        let mut world = World::new(1, PART);
        let is_welcome =
            |to: usize, it: &(usize, std::vec::Vec<u8>)| it.0 == to && it.1[1] == kind::WELCOME;
        // The answer to the first one's hello is held back on the wire.
        world.loses = std::vec![1];
        world.send(early, 0, 32, SECOND);
        world.run(MILLI);
        assert!(is_welcome(early, &world.seen[1]));
        let held = world.seen[1].1.clone();
        // The other one begins anew, and makes a session; that frame comes before it is confirmed.
        world.reboot(late);
        world.send(late, 0, 32, SECOND);
        while !world.seen.iter().any(|it| is_welcome(late, it)) {
            world.run(MILLI / 100);
        }
        world.put(early, held);
        world.run(2 * SECOND);
        for node in [early, late] {
            assert_eq!(world.ask(node, 0, 32, 5 * SECOND), world.expected(32));
        }
    }
}

#[test]
fn a_client_that_parts_with_the_memory_of_its_message_is_told_at_once() {
    // Before anything of it has left; and behind the first part, which the other node waits for the rest of.
    for time in [0, 2 * MILLI] {
        let mut world = World::new(1, 4 * PART);
        assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
        let second = world.seen.len() + 1;
        world.loses.extend(second..second + 10);
        let record = world.send(0, 0, 3 * PART, 60 * SECOND).unwrap();
        world.run(time);
        world.programs[0].is_unmapped = true;
        world.run(SECOND);
        let told = world.records[record].told.as_ref();
        assert!(matches!(told, Some((_, Told::Failed(_)))), "{told:?}");
        assert_eq!(world.records[record].served, 0);
        world.programs[0].is_unmapped = false;
        world.loses.clear();
        assert_eq!(
            world.ask(0, 0, 3 * PART, 5 * SECOND),
            world.expected(3 * PART)
        );
        world.run(2 * SECOND);
        assert!(world.is_idle());
    }
}

#[test]
fn a_node_that_begins_anew_and_knows_nobody_s_place_is_found_by_who_sends() {
    // With time for a frame to be sent again; with none, but for what is sent when a client has left; and with none at all.
    for (time, leaves) in [(5 * SECOND, false), (SECOND, true), (20 * MILLI, false)] {
        let mut world = World::new(1, PART);
        // As a gateway that has no address of its boards.
        world.finds = Some(false);
        assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
        world.run(10 * SECOND);
        world.reboot(1);
        let record = world.send(0, 0, 32, time).unwrap();
        world.run(20 * MILLI);
        if leaves {
            world.leave(record);
        }
        world.run(6 * SECOND);
        let told = world.records[record].told.as_ref();
        assert_eq!(told.unwrap().1, Told::Failed(Failure::NodeGone));
        for node in [0, 1] {
            assert_eq!(world.ask(node, 0, 32, 5 * SECOND), world.expected(32));
        }
        world.run(SECOND);
        assert!(world.is_idle());
    }
}

#[test]
fn a_proxy_of_a_node_that_has_begun_anew_and_knows_nobody_s_place_is_no_more() {
    let mut world = World::new(1, PART);
    world.finds = Some(false);
    let (place, _) = world.ask_for_proxy(0);
    world.reboot(1);
    world.trigger(0, place);
    world.run(6 * SECOND);
    assert_eq!(world.programs[0].remotes[place], None);
}

#[test]
fn who_sends_and_leaves_takes_no_place_of_another_circuit() {
    let mut world = World::new(1, PART);
    assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
    // Nothing is known there of those who leave.
    world.faults.cut = true;
    for _ in 0..2 * NEAR {
        let record = world.send(0, 0, 32, SECOND).expect("a place");
        world.run(MILLI / 10);
        world.leave(record);
    }
    let waits = [0, 1].map(|circuit| {
        (0..NEAR)
            .map_while(|_| world.send(0, circuit, 32, SECOND))
            .count()
    });
    assert_eq!(waits, [NEAR / 2; 2]);
    world.faults.cut = false;
    world.run(2 * SECOND);
    assert!(world.is_idle());
    assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
}

#[test]
fn servers_that_let_nobody_go_keep_no_other_circuit_waiting() {
    let mut world = World::new(1, PART);
    for node in &mut world.nodes {
        assert_eq!(node.add_circuit(0, b"/counter"), Some(2));
    }
    // Its clients leave, and it goes on for a long time.
    world.serving.after = [30 * SECOND, 1];
    for _ in 0..3 * FAR {
        let record = world.send(0, 0, 32, 5 * SECOND).expect("a place");
        world.run(20 * MILLI);
        world.leave(record);
        world.run(20 * MILLI);
    }
    world.serving.after = [0, 1];
    assert_eq!(world.ask(0, 2, 32, SECOND), world.expected(32));
}

#[test]
fn who_has_left_is_not_served_behind_the_next_one() {
    let mut world = World::new(1, PART);
    world.serving.after = [SECOND, 1];
    let first = world.send(0, 0, 32, 5 * SECOND).expect("a place");
    world.run(MILLI * 10);
    assert_eq!(world.records[first].served, 1);
    world.faults.cut = true;
    world.leave(first);
    // All places are taken, that one last.
    while world.send(0, 1, 32, 2 * SECOND).is_some() {}
    while world.send(0, 0, 32, 2 * SECOND).is_some() {}
    world.faults.cut = false;
    world.run(500 * MILLI);
    assert!(world.records[first].cancelled_at_server);
}

#[test]
fn a_refusal_that_is_lost_is_said_again() {
    let refused = |loses: Option<usize>| {
        let mut world = World::new(1, 2 * PART);
        for node in &mut world.nodes {
            node.set_blocks(2, 4);
            node.set_serves(1);
        }
        assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
        world.run(SECOND);
        world.loses.extend(loses);
        let (begun, before) = (world.now, world.seen.len());
        let told = world.ask(0, 0, 4 * PART, 5 * SECOND);
        assert_eq!(told, Told::Failed(Failure::TooLong));
        let answer = world.seen.iter().skip(before).position(|it| it.0 == 0);
        (world.now - begun, before + answer.expect("an answer"))
    };
    let (_, answer) = refused(None);
    let (took, _) = refused(Some(answer));
    assert!(took < SECOND, "{took}");
}
