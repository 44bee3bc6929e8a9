//! `[names]`, and who may register and find which names: `registers` and `finds` of a process.
//!
//! The wiring follows from them. Each process that has some gets a connection to the names server; the names server
//! gets one to each channel that can be registered, which it hands on.

use riposte_abi::process_badge;

use super::application::{Channel, Connection, Process};
use super::channel::{Connected, free_name, is_connected};
use super::check::{Check, Names};
use super::program::is_there_from_the_start;
use super::written::{NamesTable, ProcessTable};
use crate::plan::Goal;
use crate::source::At;
use crate::suggest;

/// Name of every process's connection to the names server.
const CONNECTION: &str = "names";

/// To whom that leads.
const WHOM: &str = "the names server";

/// Most bytes of a name, and of a pattern.
const LONGEST: usize = 32;

/// The patterns of `registers` and `finds`.
pub fn patterns(check: &mut Check, table: &ProcessTable) -> [Vec<At<String>>; 2] {
    [&table.registers, &table.finds].map(|written| {
        for pattern in written {
            if let Some(help) = mistake(&pattern.value) {
                let message = format!("`{}` is no pattern of names", pattern.value);
                check.refuse(pattern.span, message, help);
            }
        }
        written.clone()
    })
}

/// What is wrong with a pattern, as the next step.
fn mistake(pattern: &str) -> Option<String> {
    const RULE: &str = "a pattern is a path such as \"/dev/console\", or \"/dev/*\" for all below /dev, or \"//node/name\"";
    if pattern.len() > LONGEST {
        return Some(format!("a name has at most {LONGEST} bytes"));
    }
    let Some(path) = pattern.strip_prefix('/') else {
        return Some(format!("write \"/{pattern}\": {RULE}"));
    };
    // One of another node.
    let path = path.strip_prefix('/').unwrap_or(path);
    let path = if path == "*" {
        return None;
    } else {
        path.strip_suffix("/*").unwrap_or(path)
    };
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let is_segment = |segment: &str| !segment.is_empty() && segment.chars().all(is_letter);
    if path.split('/').all(is_segment) {
        return None;
    }
    let trimmed = path.trim_matches('/');
    if !trimmed.is_empty() && trimmed.split('/').all(is_segment) {
        return Some(format!("write \"/{trimmed}\": {RULE}"));
    }
    Some(format!(
        "{RULE}; its parts have letters, digits, `.`, `_` and `-`"
    ))
}

/// Whether a name can match both.
fn overlap(one: &str, other: &str) -> bool {
    let below = |pattern: &str, name: &str| {
        match pattern.strip_suffix('*') {
            // All of this node.
            Some("/") => !name.starts_with("//"),
            Some(folder) => name.starts_with(folder),
            None => false,
        }
    };
    one == other || below(one, other) || below(other, one)
}

/// Whether `process` may find something that `owner` may register.
pub fn may_find(process: &Process, owner: &Process) -> bool {
    let registers = &owner.registers;
    let mut finds = process.finds.iter();
    finds.any(|wanted| {
        let mut registers = registers.iter();
        registers.any(|it| overlap(&wanted.value, &it.value))
    })
}

/// The names server's channel, if there is one, and if it is what that needs.
pub fn server(
    check: &mut Check,
    table: &NamesTable,
    names: &Names,
    channels: &[Channel],
    processes: &[Process],
) -> Option<usize> {
    let index = names.find(check, &table.channel, "no names can be registered")?;
    let channel = channels
        .iter()
        .find(|channel| channel.name.value == table.channel.value)?;
    let name = &channel.name.value;
    if !(channel.notify_client_died && channel.notify_unblock) {
        let message =
            format!("the names server's channel `{name}` does not learn of its clients' ends");
        let help = format!(
            "add notify = [\"client-died\", \"unblock\"] to channel `{name}`: a name ends with its owner"
        );
        let refusal = check.source.refuse(table.channel.span, message, help);
        check
            .refusals
            .push(refusal.also(channel.name.span, "the channel"));
    }
    let owner = &processes[channel.owner];
    if !is_there_from_the_start(check, owner, table.channel.span, "the names server") {
        return None;
    }
    for pattern in owner.registers.iter().chain(&owner.finds) {
        let message = format!(
            "`{}` is the names server, and would wait for itself",
            owner.name.value
        );
        check.refuse(
            pattern.span,
            message,
            "leave it out: others register and find names",
        );
    }
    Some(index)
}

/// Refuses names in a manifest without a names server; warns of those that nobody can register.
pub fn usable(check: &mut Check, server: bool, processes: &[Process]) {
    let registered = processes.iter().flat_map(|it| &it.registers);
    let registered: Vec<&str> = registered.map(|pattern| pattern.value.as_str()).collect();
    for process in processes {
        let first = process.registers.iter().chain(&process.finds).next();
        if let (Some(pattern), false) = (first, server) {
            let message = format!("`{}` has names, but nobody keeps them", process.name.value);
            let help = "add [names] with channel = \"names\", a [[process]] with program = \"names\", and its [[channel]]";
            check.refuse(pattern.span, message, help);
            continue;
        }
        if let (Some(pattern), true) = (process.registers.first(), process.channels.is_empty()) {
            let message = format!("`{}` has no channel to register", process.name.value);
            let help = format!("add a [[channel]] with owner = \"{}\"", process.name.value);
            check.refuse(pattern.span, message, help);
        }
        for pattern in &process.finds {
            if !registered.iter().any(|it| overlap(it, &pattern.value)) {
                let message = format!(
                    "nobody may register what `{}` finds as `{}`",
                    process.name.value, pattern.value
                );
                let help = suggest::help(
                    &pattern.value,
                    "patterns of `registers`",
                    registered.iter().copied(),
                );
                check.warn(pattern.span, message, help);
            }
        }
    }
}

/// Connects everybody who has names with the names server, and the names server with all that can be registered.
pub fn connect(
    check: &mut Check,
    connected: &mut Connected,
    server: usize,
    channels: &[Channel],
    processes: &mut [Process],
) {
    let keeper = channels[server].owner;
    for process in processes.iter_mut() {
        let patterns = process.registers.iter().chain(&process.finds);
        let Some(span) = patterns.map(|pattern| pattern.span).next() else {
            continue;
        };
        if is_connected(check, process, server, CONNECTION, WHOM) {
            continue;
        }
        free_name(check, process, CONNECTION, WHOM);
        process.connections.push(Connection {
            name: CONNECTION.into(),
            goal: Goal::Channel {
                channel: server,
                badge: connected.free_badge(server),
            },
            transfer: false,
            notify: false,
            own_badge: false,
            for_names: false,
            span,
        });
    }
    let registered = (0..processes.len()).filter(|it| !processes[*it].registers.is_empty());
    let all: Vec<(usize, usize)> = registered
        .flat_map(|owner| processes[owner].channels.iter().map(move |it| (owner, *it)))
        .collect();
    for (owner, channel) in all {
        let span = processes[owner].registers[0].span;
        processes[keeper].connections.push(Connection {
            name: String::new(),
            goal: Goal::Channel {
                channel,
                badge: process_badge(keeper as u8),
            },
            transfer: true,
            notify: true,
            own_badge: true,
            for_names: true,
            span,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_paths_whose_last_part_may_be_a_star() {
        for right in [
            "/a",
            "/dev/console",
            "/dev/*",
            "/*",
            "/A.b_c-1",
            "//rome/counter",
            "//rome/*",
            "//*",
        ] {
            assert_eq!(mistake(right), None, "{right}");
        }
        for (wrong, help) in [
            ("", "\"/\""),
            ("/", "a pattern is"),
            ("dev", "write \"/dev\""),
            ("/dev/", "write \"/dev\""),
            ("///dev", "write \"/dev\""),
            ("//rome//dev", "a pattern is"),
            ("/d v", "letters"),
            ("/*/a", "letters"),
            ("/a*", "letters"),
            ("/a-name-of-more-than-32-bytes-here", "32"),
        ] {
            let found = mistake(wrong).expect(wrong);
            assert!(found.contains(help), "{wrong}: {found}");
        }
    }

    #[test]
    fn patterns_overlap_if_a_name_can_match_both() {
        for (one, other, expected) in [
            ("/a", "/a", true),
            ("/a", "/b", false),
            ("/a/*", "/a/b", true),
            ("/a/*", "/a", false),
            ("/a/*", "/ab", false),
            ("/a/*", "/a/b/*", true),
            ("/*", "/a/b", true),
            ("/*", "//rome/a", false),
            ("//*", "//rome/a", true),
            ("//rome/*", "//rome/a", true),
            ("/a/*", "/b/*", false),
        ] {
            assert_eq!(overlap(one, other), expected, "{one} {other}");
            assert_eq!(overlap(other, one), expected, "{other} {one}");
        }
    }
}
