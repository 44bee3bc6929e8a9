//! `[programs]` and `[[program]]`, and who may spawn which: `spawns` of a process.
//!
//! An instance of a program is a process that does not start with the system. The wiring follows from `spawns`: who may
//! spawn, and each instance, has a connection to the process manager, which controls all instances.

use riposte_abi::{is_process_badge, process_badge};

use super::application::{Channel, Connection, Process};
use super::channel::{free_name, is_connected};
use super::check::{Check, Names};
use super::room::INSTANCES;
use super::written::{Manifest, OnExit, OnFault, ProcessTable, ProgramsTable};
use crate::plan::Goal;
use crate::source::{At, Place};
use crate::suggest;

/// Name of the connection to the process manager.
const CONNECTION: &str = "process";
/// To whom that leads.
const WHOM: &str = "the process manager";
const MOST_CHILDREN: u32 = 64;
const CHILDREN: u32 = 4;
/// Most bytes of a program's name: so many are told of it.
const LONGEST: usize = 32;

/// How many instances each program has, by its name.
pub fn instances(check: &mut Check, manifest: &Manifest) -> Vec<(String, u32)> {
    for table in &manifest.process {
        if let Some(written) = &table.value.instances {
            let message = format!("`{}` is no program", table.value.name.value);
            let help = "make it a [[program]], which is spawned, or write `copies`";
            check.refuse(written.span, message, help);
        }
    }
    let programs = manifest.program.iter();
    programs
        .map(|table| {
            let table = &table.value;
            of_processes_only(check, table);
            short_name(check, &table.name);
            let written = table.instances.as_ref();
            let count = written.map_or(1, |count| {
                check.in_range(count, "number of instances", 1..=INSTANCES as u32)
            });
            (table.name.value.clone(), count)
        })
        .collect()
}

fn short_name(check: &mut Check, name: &At<String>) {
    let length = name.value.len();
    if length > LONGEST {
        let message = format!("the name of a program has {length} bytes");
        let help = format!("leave it {LONGEST} at most: who asks for it is told no more");
        check.refuse(name.span, message, help);
    }
}

/// The tables of programs as those of processes.
pub fn tables(programs: &[At<ProcessTable>]) -> Vec<At<ProcessTable>> {
    let marked = programs.iter().map(|table| {
        let name = table.value.name.value.clone();
        table.with(ProcessTable {
            instance_of: Some(name),
            ..table.value.clone()
        })
    });
    marked.collect()
}

/// Refuses what has no meaning for a program: when it ends, that is its parent's business.
fn of_processes_only(check: &mut Check, table: &ProcessTable) {
    let name = &table.name;
    let keys = [
        ("copies", table.copies.as_ref().map(|it| it.span)),
        (
            "restart_limit",
            table.restart_limit.as_ref().map(|it| it.span),
        ),
        (
            "restart_delay",
            table.restart_delay.as_ref().map(|it| it.span),
        ),
        (
            "restart_window",
            table.restart_window.as_ref().map(|it| it.span),
        ),
        ("on_limit", table.on_limit.as_ref().map(|it| it.span)),
        ("restart_with", table.restart_with.first().map(|it| it.span)),
        (
            "on_fault",
            (table.on_fault != OnFault::Stop).then_some(name.span),
        ),
        (
            "on_exit",
            (table.on_exit != OnExit::Stop).then_some(name.span),
        ),
    ];
    for (key, span) in keys {
        let Some(span) = span else { continue };
        let message = format!("`{}` is a program, and has no `{key}`", name.value);
        let help = match key {
            "copies" => "write `instances`",
            _ => "leave it out: who has spawned it waits for its end, and may spawn it again",
        };
        check.refuse(span, message, help);
    }
}

/// How many children a process may have at once.
pub fn children(check: &mut Check, table: &ProcessTable) -> u32 {
    let Some(written) = &table.children else {
        return CHILDREN;
    };
    if table.spawns.is_empty() {
        let message = format!("`{}` spawns nothing", table.name.value);
        let help = "add spawns = [\"*\"], say, or leave `children` out";
        check.refuse(written.span, message, help);
    }
    check.in_range(written, "number of children", 1..=MOST_CHILDREN)
}

/// Refuses that anybody but the process manager starts or stops an instance.
pub fn left_to_manager(check: &mut Check, tables: &[At<ProcessTable>], processes: &[Process]) {
    for table in tables {
        let table = &table.value;
        for name in table.controls.iter().chain(&table.restart_with) {
            let other = processes.iter().find(|it| it.name.value == name.value);
            let program = other.and_then(|other| other.instance_of.as_ref());
            if let Some(program) = program {
                let message = format!("`{program}` is a program: its manager alone controls it");
                let help = format!(
                    "leave it out; with spawns = [\"{program}\"], `{}` spawns it and ends it",
                    table.name.value
                );
                check.refuse(name.span, message, help);
                break;
            }
        }
    }
}

/// Refuses that a program is `what`, of which there is one, and which others need.
pub fn is_there_from_the_start(
    check: &mut Check,
    owner: &Process,
    span: Place,
    what: &str,
) -> bool {
    let is_program = owner.instance_of.is_some();
    if is_program {
        let message = format!("`{}` is a program, and cannot be {what}", owner.name.value);
        let help = "make it a [[process]]: who is needed by others is there from the start";
        check.refuse(span, message, help);
    }
    !is_program
}

/// The process manager's channel, if it is what that needs.
pub fn manager(
    check: &mut Check,
    table: &ProgramsTable,
    names: &Names,
    channels: &[Channel],
    processes: &[Process],
) -> Option<usize> {
    let index = names.find(check, &table.channel, "nobody can start programs")?;
    let channel = channels
        .iter()
        .find(|channel| channel.name.value == table.channel.value)?;
    let owner = &processes[channel.owner];
    let own = &owner.name.value;
    if !is_there_from_the_start(check, owner, table.channel.span, "the process manager") {
        return None;
    }
    let name = &channel.name.value;
    if !(channel.notify_client_died && channel.notify_unblock) {
        let message =
            format!("the process manager's channel `{name}` does not learn of its clients' ends");
        let help = format!(
            "add notify = [\"client-died\", \"unblock\"] to channel `{name}`: a child outlives its parent"
        );
        let refusal = check.source.refuse(table.channel.span, message, help);
        check
            .refusals
            .push(refusal.also(channel.name.span, "the channel"));
    }
    if !(owner.grants.supervisor && owner.grants.inspect) {
        let message = format!("the process manager `{own}` does not learn how programs end");
        let help = format!("add grants = [\"supervisor\", \"inspect\"] to process `{own}`");
        let refusal = check.source.refuse(table.channel.span, message, help);
        check
            .refusals
            .push(refusal.also(owner.name.span, "the process"));
    }
    if let Some(pattern) = owner.spawns.first() {
        let message = format!("`{own}` is the process manager, and would wait for itself");
        check.refuse(pattern.span, message, "leave it out: others spawn programs");
    }
    Some(index)
}

/// Refuses programs, and `spawns`, without a process manager; and patterns that no program has a name for.
pub fn usable(check: &mut Check, manifest: &Manifest, processes: &[Process]) {
    let programs = manifest.program.iter().map(|it| &it.value.name);
    let first = programs.clone().next();
    let patterns = processes.iter().flat_map(|it| &it.spawns);
    if manifest.programs.is_none() {
        let places = first.iter().map(|it| it.span);
        for span in places.chain(patterns.map(|it| it.span)).take(1) {
            let help = "add [programs] with channel = \"process\", a [[process]] with program = \"process\", and its [[channel]]";
            check.refuse(span, "there are programs, but nobody who starts them", help);
        }
        return;
    }
    for process in processes {
        for pattern in &process.spawns {
            if !programs
                .clone()
                .any(|it| matches(&pattern.value, &it.value))
            {
                let message = format!("there is no program `{}` to spawn", pattern.value);
                let names = programs.clone().map(|it| it.value.as_str());
                let help = suggest::help(&pattern.value, "programs", names);
                check.refuse(pattern.span, message, help);
            }
        }
    }
}

/// Whether a pattern of `spawns` means the program of this name.
#[must_use]
pub fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern,
    }
}

/// Connects everybody who spawns, and each instance, with the process manager, which controls all instances and may
/// send signals to those that take some, and to who spawns: that a child has ended.
pub fn connect(check: &mut Check, manager: usize, channels: &[Channel], processes: &mut [Process]) {
    known_to_manager(check, manager, processes);
    let keeper = channels[manager].owner;
    for (index, process) in processes.iter_mut().enumerate() {
        let span = match process.spawns.first() {
            Some(pattern) => pattern.span,
            None if process.instance_of.is_some() => process.name.span,
            None => continue,
        };
        if is_connected(check, process, manager, CONNECTION, WHOM) {
            continue;
        }
        free_name(check, process, CONNECTION, WHOM);
        process.connections.push(Connection {
            name: CONNECTION.into(),
            goal: Goal::Channel {
                channel: manager,
                badge: process_badge(index as u8),
            },
            transfer: false,
            notify: false,
            own_badge: false,
            for_names: false,
            span,
        });
    }
    let places = |is_one: fn(&Process) -> bool| -> Vec<usize> {
        let all = processes.iter().enumerate();
        all.filter(|(_, it)| is_one(it)).map(|it| it.0).collect()
    };
    let controlled = places(|it| it.instance_of.is_some());
    let mut told = places(|it| {
        it.signals.queue.is_some() && (it.instance_of.is_some() || !it.spawns.is_empty())
    });
    let keeper_of_all = &mut processes[keeper];
    keeper_of_all.restart.controls.extend(controlled);
    let targets = &mut keeper_of_all.signals.targets;
    told.retain(|index| *index != keeper && !targets.contains(index));
    targets.extend(told);
}

/// Refuses connections to the process manager by which it would not know who asks.
fn known_to_manager(check: &mut Check, manager: usize, processes: &[Process]) {
    for process in processes {
        let to_manager = |it: &&Connection| {
            matches!(it.goal, Goal::Channel { channel, badge }
                if channel == manager && !is_process_badge(badge))
        };
        if let Some(connection) = process.connections.iter().find(to_manager) {
            let own = &process.name.value;
            let message = format!("the process manager would not know `{own}` by this badge");
            let help =
                "leave the connection out: who `spawns`, and each program, has one without it";
            check.refuse(connection.span, message, help);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_name_or_the_beginning_of_some() {
        for (pattern, name, expected) in [
            ("count", "count", true),
            ("count", "counts", false),
            ("count*", "counts", true),
            ("count*", "count", true),
            ("*", "count", true),
            ("b*", "count", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
