//! What the names server and the process manager have room for. They read the manifest when they start, and could then
//! do no more than give up.

use super::application::{Channel, Process};
use super::check::Check;
use crate::source::{At, Place};

/// Instances of all programs together, in the process manager.
pub const INSTANCES: usize = 32;
/// Patterns of `spawns` of all processes together.
const SPAWNS: usize = 64;
/// Processes with some: each has at least one place to wait in.
const PARENTS: usize = 32;

/// Channels that can be registered, in the names server.
const REGISTERED: usize = 64;
/// Processes that have names.
const CLIENTS: usize = 32;
/// Patterns of `registers` and `finds` of all processes together.
const NAMES: usize = 128;

/// Refuses the first one for which the process manager has no room.
pub fn manager(check: &mut Check, processes: &[Process]) {
    let instances = processes.iter().filter(|it| it.instance_of.is_some());
    let instances = instances.map(|it| it.name.span);
    let spawns = processes.iter().flat_map(|it| places(&it.spawns));
    let parents = processes.iter().filter_map(|it| places(&it.spawns).next());
    let refuse = &mut |what, most, all| refuse(check, "the process manager", what, most, all);
    refuse("instances of programs", INSTANCES, instances.collect());
    refuse("patterns of `spawns`", SPAWNS, spawns.collect());
    refuse("processes with `spawns`", PARENTS, parents.collect());
}

/// Refuses the first one for which the names server has no room.
pub fn names(check: &mut Check, channels: &[Channel], processes: &[Process]) {
    let registering = processes.iter().filter(|it| !it.registers.is_empty());
    let registered = registering.flat_map(|it| it.channels.iter());
    let registered = registered.map(|it| channels[*it].name.span);
    let patterns = |it: &Process| -> Vec<Place> {
        let both = places(&it.registers).chain(places(&it.finds));
        both.collect()
    };
    let clients = processes
        .iter()
        .filter_map(|it| patterns(it).first().copied());
    let refuse = &mut |what, most, all| refuse(check, "the names server", what, most, all);
    refuse(
        "channels of processes with `registers`",
        REGISTERED,
        registered.collect(),
    );
    refuse("processes with names", CLIENTS, clients.collect());
    let all = processes.iter().flat_map(patterns);
    refuse("patterns of `registers` and `finds`", NAMES, all.collect());
}

fn places(patterns: &[At<String>]) -> impl Iterator<Item = Place> {
    patterns.iter().map(|it| it.span)
}

fn refuse(check: &mut Check, server: &str, what: &str, most: usize, all: Vec<Place>) {
    if let Some(place) = all.get(most) {
        let message = format!("there are {} {what}", all.len());
        let help = format!("{server} has room for {most} together: leave some out");
        check.refuse(*place, message, help);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_what_the_servers_have() {
        for (file, constant, expected) in [
            ("process/store/src/lib.rs", "INSTANCES", INSTANCES),
            ("process/store/src/right.rs", "PATTERNS", SPAWNS),
            ("waiting/src/lib.rs", "MOST", PARENTS),
            ("names/src/provider.rs", "MOST", REGISTERED),
            ("names/store/src/lib.rs", "CLIENTS", CLIENTS),
            ("names/store/src/client.rs", "PATTERNS", NAMES),
        ] {
            let text = std::fs::read_to_string(format!("../servers/{file}")).unwrap();
            let line = format!("const {constant}: usize = {expected};");
            assert!(text.contains(&line), "{file}: {line}");
        }
    }
}
