//! What a proxy of another node promises.

use std::vec::Vec;

use super::world::{Faults, MILLI, SECOND, Told, World};
use crate::wire::PART;
use crate::{Failure, PROXIES};

#[test]
fn a_proxy_of_another_node_is_received_as_often_as_it_was_triggered() {
    let mut world = World::new(1, PART);
    let (place, which) = world.ask_for_proxy(0);
    for round in 1..=20 {
        world.trigger(0, place);
        world.run(10 * MILLI);
        assert_eq!(world.canned[which].received, round);
    }
    // Many at once go together, and yet each counts.
    let before = world.seen.len();
    (0..100).for_each(|_| world.trigger(0, place));
    world.run(SECOND);
    assert_eq!(world.canned[which].received, 120);
    assert!(world.seen.len() - before <= 20, "frames for each of them");
    assert_eq!(world.nodes[0].counted.lost.0, 0);
    assert_eq!(world.nodes[1].counted.triggered.0, 120);
    assert!(world.is_idle());
}

#[test]
fn a_quiet_wire_carries_two_frames_a_trigger_and_no_more() {
    let mut world = World::new(1, PART);
    let (place, _) = world.ask_for_proxy(0);
    world.run(SECOND);
    let before = world.seen.len();
    for _ in 0..100 {
        world.trigger(0, place);
        world.run(10 * MILLI);
    }
    world.run(SECOND);
    assert_eq!(world.seen.len() - before, 200);
}

#[test]
fn proxies_of_all_clients_go_in_one_frame() {
    let mut world = World::new(1, PART);
    let all: std::vec::Vec<_> = (0..PROXIES).map(|_| world.ask_for_proxy(0)).collect();
    world.run(SECOND);
    let before = world.seen.len();
    // The first one goes at once, the others with the next batch.
    for (times, (place, _)) in all.iter().enumerate() {
        (0..times).for_each(|_| world.trigger(0, *place));
    }
    world.run(SECOND);
    for (times, (_, which)) in all.iter().enumerate() {
        assert_eq!(world.canned[*which].received, times);
    }
    assert_eq!(world.seen.len() - before, 4);
}

#[test]
fn what_of_a_proxy_cannot_come_by_its_time_is_lost_and_counted_and_never_comes() {
    let mut world = World::new(1, PART);
    world.nodes[0].set_patience(SECOND);
    let (place, which) = world.ask_for_proxy(0);
    world.faults.cut = true;
    (0..50).for_each(|_| world.trigger(0, place));
    world.run(SECOND - MILLI);
    assert_eq!(world.nodes[0].counted.lost.0, 0);
    world.run(2 * MILLI);
    assert_eq!(world.nodes[0].counted.lost.0, 50);
    assert!(world.is_idle());
    world.faults.cut = false;
    world.run(10 * SECOND);
    assert_eq!(world.canned[which].received, 0);
    world.trigger(0, place);
    world.run(5 * SECOND);
    assert_eq!(world.canned[which].received, 1, "the proxy is there still");
}

#[test]
fn a_proxy_that_its_server_has_ended_ends_for_clients_of_other_nodes() {
    let mut world = World::new(1, PART);
    let (place, which) = world.ask_for_proxy(0);
    let (other, other_which) = world.ask_for_proxy(0);
    world.end_canned(which);
    world.trigger(0, place);
    world.trigger(0, other);
    world.run(SECOND);
    assert_eq!(world.programs[0].remotes[place], None);
    assert_eq!(world.nodes[0].counted.lost.0, 1);
    assert_eq!(world.canned[other_which].received, 1);
    let rights = world.programs[1].rights.iter().flatten().count();
    assert_eq!(rights, 1, "what leads nowhere is kept");
}

#[test]
fn a_node_that_begins_anew_has_none_of_its_proxies_and_triggers_none_of_others() {
    for at in [0, 1] {
        let mut world = World::new(1, PART);
        let (place, which) = world.ask_for_proxy(0);
        world.faults.cut = true;
        (0..3).for_each(|_| world.trigger(0, place));
        world.run(10 * MILLI);
        world.faults.cut = false;
        world.reboot(at);
        world.run(3 * SECOND);
        assert_eq!(world.ask(0, 0, 32, 20 * SECOND), world.expected(32));
        assert_eq!(world.canned[which].received, 0);
        assert_eq!(world.programs[0].remotes, [None; PROXIES]);
        assert_eq!(world.programs[1].rights, [None; PROXIES]);
        world.run(SECOND);
        assert!(world.is_idle());
    }
}

#[test]
fn who_asks_for_many_proxies_costs_nobody_else_one() {
    let mut world = World::new(1, PART);
    let (kept, which) = world.ask_for_proxy(1);
    for node in &mut world.nodes {
        assert_eq!(node.add_circuit(0, b"/counter"), Some(2));
    }
    // One client of a circuit of its own asks for ever.
    world.serving.brings = true;
    let first = world.ask(0, 2, 8, SECOND);
    let Told::Proxy(quiet, _) = first else {
        panic!("{first:?}");
    };
    for _ in 0..5 * PROXIES {
        let told = world.ask(0, 0, 8, SECOND);
        assert!(matches!(told, Told::Proxy(_, _)), "{told:?}");
        world.run(MILLI);
    }
    world.serving.brings = false;
    world.trigger(1, kept);
    world.trigger(0, quiet);
    world.run(SECOND);
    assert_eq!(world.canned[which].received, 1);
    let received = world
        .canned
        .iter()
        .filter(|it| it.node == 1 && it.received == 1);
    assert_eq!(received.count(), 1, "that of the quiet one is gone");
    assert_eq!(world.nodes[0].counted.lost.0, 0);
}

#[test]
fn a_peer_cannot_trigger_what_it_was_not_given() {
    use crate::wire::{Body, what};
    let mut world = World::new(1, PART);
    let (_, which) = world.ask_for_proxy(0);
    let now = world.now;
    for number in 0..1000_u32 {
        // 16 is the number of the first one.
        if number == 16 {
            continue;
        }
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&number.to_le_bytes());
        bytes[4] = 1;
        let body = Body {
            what: what::TRIGGER,
            count: number + 1,
            ..Body::default()
        };
        let (node, program) = (&mut world.nodes[1], &mut world.programs[1]);
        node.take_from_peer(now, 0, body, &bytes, program);
    }
    world.run(SECOND);
    assert_eq!(world.canned[which].received, 0);
    assert_eq!(world.nodes[1].counted.triggered.0, 0);
}

/// Plays one seed: whatever the wire does, each trigger comes once at most; returns how many came and how many there were.
fn play(seed: u64, reboots: bool) -> [usize; 2] {
    let mut world = World::new(seed, PART);
    world.draw_faults();
    world
        .nodes
        .iter_mut()
        .for_each(|it| it.set_patience(SECOND));
    let mut lost = 0;
    for _ in 0..200 {
        let node = world.draw.below(2) as usize;
        if world.draw.chance(20) {
            world.serving.brings = true;
            let time = SECOND;
            let _ = world.send(node, 0, 8, time);
            world.run(20 * MILLI);
            world.serving.brings = false;
        }
        for _ in 0..world.draw.below(40) {
            let place = world.draw.below(PROXIES as u64) as usize;
            world.trigger(node, place);
        }
        if world.draw.chance(10) && !world.canned.is_empty() {
            let which = world.draw.below(world.canned.len() as u64) as usize;
            if !world.canned[which].is_over {
                world.end_canned(which);
            }
        }
        if world.draw.chance(3) {
            world.faults.cut = !world.faults.cut;
        }
        if reboots && world.draw.chance(2) {
            let node = world.draw.below(2) as usize;
            lost += world.nodes[node].counted.lost.0 as usize;
            // What its clients had triggered and had not gone ends with it.
            lost += outstanding(&world, 1 - node);
            world.reboot(node);
        }
        let wait = world.draw.below(40 * MILLI);
        world.run(wait);
    }
    world.faults = Faults::default();
    world.run(10 * SECOND);
    assert!(world.is_idle(), "seed {seed}: something is left");
    let triggered: usize = world.canned.iter().map(|it| it.triggered.len()).sum();
    let received: usize = world.canned.iter().map(|it| it.received).sum();
    lost += world
        .nodes
        .iter()
        .map(|it| it.counted.lost.0 as usize)
        .sum::<usize>();
    assert!(
        received + lost >= triggered,
        "seed {seed}: of {triggered} {received} came and {lost} were told lost"
    );
    [received, triggered]
}

/// How many triggers of proxies at `node` have not come.
fn outstanding(world: &World, node: usize) -> usize {
    let all = world.canned.iter().filter(|it| it.node == node);
    all.map(|it| it.triggered.len() - it.received).sum()
}

#[test]
fn a_bad_wire_has_no_trigger_come_twice_and_tells_of_each_that_does_not_come() {
    let all = (1..60).map(|seed| play(seed, false));
    let [received, triggered] = all.fold([0; 2], |[a, b], [c, d]| [a + c, b + d]);
    assert!(received > triggered / 3, "{received} of {triggered}");
}

#[test]
fn nodes_that_begin_anew_on_a_bad_wire_have_no_trigger_come_twice() {
    let all = (1000..1060).map(|seed| play(seed, true));
    let [received, triggered] = all.fold([0; 2], |[a, b], [c, d]| [a + c, b + d]);
    assert!(received > triggered / 4, "{received} of {triggered}");
}

#[test]
fn a_batch_of_which_nothing_is_left_keeps_no_other_trigger_waiting() {
    let mut world = World::new(1, PART);
    let all: std::vec::Vec<_> = (0..PROXIES).map(|_| world.ask_for_proxy(0)).collect();
    world.run(SECOND);
    let batch = world.seen.len();
    world.loses.push(batch);
    world.trigger(0, all[0].0);
    world.run(MILLI);
    // The oldest proxy's place is another one's.
    world.ask_for_proxy(0);
    world.trigger(0, all[1].0);
    world.run(SECOND);
    assert_eq!(world.canned[all[1].1].received, 1);
}

#[test]
fn a_proxy_that_no_client_takes_has_no_place() {
    let mut world = World::new(1, PART);
    let held: Vec<_> = (0..PROXIES - 1).map(|_| world.ask_for_proxy(0)).collect();
    world.programs[0].refuses_proxies = true;
    for _ in 0..3 {
        world.serving.brings = true;
        let told = world.ask(0, 0, 8, SECOND);
        assert_eq!(told, Told::Failed(Failure::NotCarried));
    }
    world.programs[0].refuses_proxies = false;
    // The last place is free, and all that are held stay.
    let (place, which) = world.ask_for_proxy(0);
    for (place, which) in held.into_iter().chain([(place, which)]) {
        assert_eq!(world.programs[0].remotes[place], Some(which));
    }
}
