//! A wire that loses, doubles, delays, changes and cuts, by seed, and nodes that begin anew in the middle.

use super::world::{Faults, MILLI, SECOND, Told, World};
use crate::Failure;
use crate::wire::PART;

/// Plays one seed: whatever the wire does, each request is served once at most, and answered once by its deadline, and nothing
/// is left in the end. Returns how many were answered by a server.
fn play(seed: u64, reboots: bool) -> usize {
    let mut world = World::new(seed, 4 * PART);
    world.serving.after = [0, 30 * MILLI];
    world.serving.dies = 3;
    world.draw_faults();
    for _ in 0..120 {
        let node = world.draw.below(2) as usize;
        let length = match world.draw.below(4) {
            0 => 4 * PART as u64,
            1 => 4 + world.draw.below(3000),
            _ => 4 + world.draw.below(60),
        };
        let time = 20 * MILLI + world.draw.below(2 * SECOND);
        let sent = world.send(node, 0, length as usize, time);
        if let (Some(record), true) = (sent, world.draw.chance(5)) {
            let wait = world.draw.below(20 * MILLI);
            world.run(wait);
            world.leave(record);
        }
        if world.draw.chance(3) {
            world.faults.cut = !world.faults.cut;
        }
        if reboots && world.draw.chance(2) {
            let node = world.draw.below(2) as usize;
            world.reboot(node);
        }
        let wait = world.draw.below(40 * MILLI);
        world.run(wait);
    }
    world.faults = Faults::default();
    world.serving.dies = 0;
    world.run(10 * SECOND);
    assert!(
        world.all_told(),
        "seed {seed}: somebody waits past the deadline"
    );
    assert!(world.is_idle(), "seed {seed}: something is left");
    for node in 0..2 {
        let mut told = world.ask(node, 0, 32, 5 * SECOND);
        if reboots && told == Told::Failed(Failure::NodeGone) {
            // Nobody has said anything since the other one began anew.
            told = world.ask(node, 0, 32, 5 * SECOND);
        }
        assert_eq!(told, world.expected(32), "seed {seed}, node {node}");
    }
    let is_reply = |told: &Option<(u64, Told)>| matches!(told, Some((_, Told::Reply(_, _))));
    world.records.iter().filter(|it| is_reply(&it.told)).count()
}

#[test]
fn a_bad_wire_has_nothing_served_twice_and_nobody_wait_past_a_deadline() {
    let answered: usize = (1..60).map(|seed| play(seed, false)).sum();
    assert!(answered > 59 * 40, "{answered}");
}

#[test]
fn nodes_that_begin_anew_on_a_bad_wire_serve_nothing_twice() {
    let answered: usize = (1000..1060).map(|seed| play(seed, true)).sum();
    assert!(answered > 60 * 20, "{answered}");
}
