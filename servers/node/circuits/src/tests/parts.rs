//! How many frames a message of several parts takes, on good wires and on bad ones.

use super::world::{Draw, MILLI, Machine, SECOND, Told, World};
use crate::wire::PART;
use crate::{Counted, LONGEST, PARTS, WINDOW};

/// Frames that only acknowledge a message of so many parts, of which `window` are on the way at once: those of its end are
/// acknowledged by what follows it.
fn acknowledgements(parts: usize, window: usize) -> usize {
    (parts - 1) / window.div_ceil(2)
}

/// What both nodes have counted.
fn counted(world: &World) -> [Counted; 2] {
    [0, 1].map(|at: usize| world.nodes[at].counted)
}

/// Parts that both have sent again, and those that came and had come.
fn for_nothing(world: &World) -> (u32, u32) {
    let [near, far] = counted(world);
    ((near.again + far.again).0, (near.doubled + far.doubled).0)
}

/// A machine that keeps four frames, and takes a millisecond and a half for each.
const USUAL: Machine = Machine {
    makes: 1000,
    takes: 1000,
    keeps: 4,
};

/// A world of nodes that take time for frames and keep a few, in which a message has been answered. Replies have up to `room`
/// bytes.
fn slow_world(seed: u64, room: usize, machines: [Machine; 2]) -> World {
    let mut world = World::new(seed, room);
    world.machines = machines;
    for (node, machine) in world.nodes.iter_mut().zip(machines) {
        node.set_window(machine.keeps);
    }
    assert_eq!(world.ask(0, 0, 32, 5 * SECOND), world.expected(32));
    world
}

#[test]
fn a_message_takes_a_frame_a_part_on_every_good_wire_and_between_slow_nodes() {
    for seed in 1..120 {
        let mut draw = Draw::new(seed);
        let keeps = [1, 2, 4, 8][draw.below(4) as usize];
        // Half of what is on the way comes before the first of it has been held back for long enough.
        let slowest = if keeps > 4 { 1500 } else { 5000 };
        // Who is not busy when something comes acknowledges it at once, who is acknowledges more at once.
        let is_exact = draw.chance(50);
        let machines = [0, 1].map(|_: u64| Machine {
            makes: 100 + draw.below(slowest),
            takes: if is_exact { 0 } else { draw.below(slowest) },
            keeps,
        });
        let mut world = slow_world(seed, LONGEST, machines);
        world.latency = draw.below(10 * MILLI);
        for _ in 0..12 {
            let parts = 1 + draw.below(PARTS as u64) as usize;
            let length = parts * PART - draw.below(PART as u64) as usize;
            world.run(SECOND);
            let (before, frames) = (counted(&world), world.seen.len());
            assert_eq!(world.ask(0, 0, length, 5 * SECOND), world.expected(length));
            let what = (seed, machines, world.latency, parts);
            assert_eq!(for_nothing(&world), (0, 0), "{what:?}");
            assert_eq!(world.flooded, 0, "{what:?}");
            let mut expected = 2 * parts;
            for (now, before) in counted(&world).iter().zip(before) {
                assert_eq!((now.parts - before.parts).0, parts as u32, "{what:?}");
                let told = (now.acknowledgements - before.acknowledgements).0 as usize;
                let most = acknowledgements(parts, keeps);
                assert!(told == most || told < most && !is_exact, "{what:?}");
                expected += told;
            }
            assert_eq!(world.seen.len() - frames, expected, "{what:?}");
        }
    }
}

/// What the model of times between two nodes takes for granted (`docs/src/commands.md`): node, wire and node are at work at a
/// part each, so that behind the first part each takes as long as the slowest of them; the sender has begun no more than it may
/// that have not been taken, of which half are acknowledged at a time, and hears of them when the wire has carried another.
#[test]
fn a_message_in_parts_keeps_both_nodes_and_the_wire_at_work() {
    let paces = [
        (1000, 1000),
        (1000, 500),
        (500, 1000),
        (1000, 0),
        (100, 1000),
    ];
    let windows = [4, WINDOW as usize];
    let all = windows.map(|keeps| paces.map(|(node, carries)| (keeps, node, carries)));
    for (keeps, node, carries) in all.into_iter().flatten() {
        let machine = Machine {
            makes: node,
            takes: node,
            keeps,
        };
        let mut world = slow_world(7, LONGEST, [machine; 2]);
        (world.carries, world.latency) = (carries, 0);
        world.run(SECOND);
        let (begun, seen) = (world.now, world.seen.len());
        assert_eq!(
            world.ask(0, 0, LONGEST, 5 * SECOND),
            world.expected(LONGEST)
        );
        let took = world.now - begun;
        // Of a part on one way, with its share of what acknowledges.
        let bytes: usize = world.seen[seen..].iter().map(|it| it.1.len()).sum();
        let part = bytes as u64 / (2 * PARTS as u64);
        let (node, wire) = (part * node, part * carries);
        // When the last of three stages has taken each part.
        let mut taken = std::vec![];
        let mut free = [0; 3];
        for number in 0..PARTS {
            let mut at = number
                .checked_sub(keeps - keeps / 2 + 1)
                .map_or(0, |it: usize| taken[it] + wire);
            for (stage, free) in [node, wire, node].into_iter().zip(&mut free) {
                at = at.max(*free) + stage;
                *free = at;
            }
            taken.push(at);
        }
        let model = 2 * free[2];
        let all_by_itself = 2 * PARTS as u64 * (2 * node + wire);
        assert!(
            took.abs_diff(model) <= model / 8,
            "{keeps} at once: {took} ns, by the model {model}, and {all_by_itself} if nothing overlaps"
        );
    }
}

#[test]
fn a_frame_that_is_lost_has_one_part_sent_again_and_no_other() {
    const LENGTH: usize = 11 * PART;
    let frames = 2 * (11 + acknowledgements(11, 4));
    for lost in 0..frames {
        let mut world = slow_world(1, LONGEST, [USUAL; 2]);
        world.run(SECOND);
        let before = counted(&world);
        let number = world.seen.len() + lost;
        world.loses.push(number);
        let begun = world.now;
        assert_eq!(
            world.ask(0, 0, LENGTH, 5 * SECOND),
            world.expected(LENGTH),
            "{lost}"
        );
        let took = world.now - begun;
        assert!(took < 400 * MILLI, "frame {lost}: {took}");
        let after = counted(&world);
        let sent = |it: &[Counted; 2]| it[0].acknowledgements + it[1].acknowledgements;
        let told = (sent(&after) - sent(&before)).0;
        let (again, doubled) = for_nothing(&world);
        let is_part = world
            .seen
            .get(number)
            .is_some_and(|(_, it)| it.len() > PART);
        if is_part {
            assert_eq!((again, doubled), (1, 0), "frame {lost}");
        } else {
            // What the acknowledgement of all that is on the way said, only time tells.
            assert!(again <= 1 && doubled == again, "frame {lost}: {again}");
        }
        let usual = 2 * acknowledgements(11, 4) as u32;
        assert!(told <= usual + 4, "frame {lost}: {told} acknowledgements");
        world.run(SECOND);
        assert!(world.is_idle());
    }
}

#[test]
fn parts_that_are_lost_together_are_sent_again_once_each() {
    for (lost, parts) in [(1, 8), (2, 8), (3, 8), (4, 8), (4, 4), (2, 2)] {
        let mut world = slow_world(1, LONGEST, [USUAL; 2]);
        world.run(SECOND);
        let frames = world.seen.len();
        world.loses.extend(frames..frames + lost);
        let length = parts * PART;
        let begun = world.now;
        assert_eq!(
            world.ask(0, 0, length, 5 * SECOND),
            world.expected(length),
            "{lost}"
        );
        assert_eq!(for_nothing(&world), (lost as u32, 0), "{lost}");
        // That the first one is over is waited for, and no more.
        let took = world.now - begun;
        assert!(took < 300 * MILLI, "{lost}: {took}");
    }
}

#[test]
fn a_wire_that_becomes_slow_has_few_frames_sent_again() {
    for length in [32, 6 * PART] {
        let mut world = slow_world(1, LONGEST, [USUAL; 2]);
        for _ in 0..20 {
            assert_eq!(world.ask(0, 0, length, 5 * SECOND), world.expected(length));
        }
        assert_eq!(for_nothing(&world), (0, 0));
        // There and back takes three times as long as the shortest wait.
        world.latency = 75 * MILLI;
        for _ in 0..10 {
            assert_eq!(world.ask(0, 0, length, 5 * SECOND), world.expected(length));
        }
        let (again, _) = for_nothing(&world);
        assert!((1..20).contains(&again), "{again}");
        for _ in 0..20 {
            assert_eq!(world.ask(0, 0, length, 5 * SECOND), world.expected(length));
        }
        let (later, _) = for_nothing(&world);
        assert_eq!(later, again, "{length}");
    }
}

#[test]
fn messages_in_parts_share_what_the_other_node_takes_at_once() {
    // Beside the four that it takes at once, one of each.
    let mut world = slow_world(
        1,
        4 * PART,
        [Machine {
            takes: 5000,
            ..USUAL
        }; 2],
    );
    for machine in &mut world.machines {
        machine.keeps = 8;
    }
    world.run(SECOND);
    let records = [0; 4].map(|_| world.send(0, 0, 4 * PART, 5 * SECOND).unwrap());
    world.run(5 * SECOND);
    for record in records {
        let told = &world.records[record].told.as_ref().unwrap().1;
        assert!(matches!(told, Told::Reply(_, _)), "{told:?}");
    }
    assert_eq!(world.flooded, 0);
    assert_eq!(for_nothing(&world), (0, 0));
}

#[test]
fn a_lossy_wire_carries_the_longest_messages_all_the_same() {
    for seed in 1..40 {
        let mut world = slow_world(seed, LONGEST, [USUAL; 2]);
        world.faults.lost = 10;
        for _ in 0..5 {
            assert_eq!(
                world.ask(0, 0, LONGEST, 10 * SECOND),
                world.expected(LONGEST),
                "seed {seed}"
            );
        }
        world.faults.lost = 0;
        world.run(5 * SECOND);
        assert!(world.is_idle(), "seed {seed}");
    }
}
