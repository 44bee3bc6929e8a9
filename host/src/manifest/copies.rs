//! `copies`: a process or a channel that is there several times, written out as if the file had a table
//! for each; and programs, whose instances are processes. Whatever names it means each of them.

use std::collections::HashMap;

use super::check::Check;
use super::program;
use super::written::{
    ChannelTable, ConnectionTable, Manifest, PoolProcess, PoolProcessTable, ProcessTable,
    RegionProcess,
};
use crate::source::At;

/// More than this would be more threads or channels than there can be.
const MOST_PROCESSES: u32 = 254;
const MOST_CHANNELS: u32 = 255;

/// How often what is called so is there, if it says `copies`.
type Copied = HashMap<String, u32>;

/// The manifest in which nothing says `copies`, and all is called by its own name.
pub fn written_out(check: &mut Check, mut manifest: Manifest) -> Manifest {
    let processes = manifest.process.iter();
    let mut processes: Copied = processes
        .filter_map(|table| {
            let table = &table.value;
            let count = check.in_range(table.copies.as_ref()?, "copies", 2..=MOST_PROCESSES);
            Some((table.name.value.clone(), count))
        })
        .collect();
    processes.extend(program::instances(check, &manifest));
    let channels = copied_channels(check, &manifest.channel, &processes);
    if processes.is_empty() && channels.is_empty() {
        return manifest;
    }
    manifest
        .process
        .append(&mut program::tables(&manifest.program));
    manifest.process = each(&manifest.process, |table| process(&table.value, &processes));
    manifest.channel = each(&manifest.channel, |table| {
        channel(&table.value, &channels, &processes)
    });
    manifest.connection = each(&manifest.connection, |table| {
        connection(&table.value, &processes, &channels)
    });
    for region in &mut manifest.region {
        let users = &mut region.value.processes.value;
        *users = each(users, |user| mapping(&user.value, &processes));
    }
    for pool in &mut manifest.pool {
        let makers = &mut pool.value.processes.value;
        *makers = each(makers, |maker| quota(&maker.value, &processes));
    }
    manifest
}

fn copied_channels(check: &mut Check, tables: &[At<ChannelTable>], processes: &Copied) -> Copied {
    let mut copied = Copied::new();
    for table in tables {
        let table = &table.value;
        let written = table.copies.as_ref();
        let owners = processes.get(&table.owner.value);
        if let (Some(written), Some(owners)) = (written, owners) {
            let message = format!("`{}` has {owners} owners already", table.name.value);
            let help = "leave `copies` out: each copy of the owner has one such channel";
            check.refuse(written.span, message, help);
        }
        let count = written.map(|count| check.in_range(count, "copies", 2..=MOST_CHANNELS));
        if let Some(count) = owners.copied().or(count) {
            copied.insert(table.name.value.clone(), count);
        }
    }
    copied
}

/// What becomes of all tables, each in the place of the one that it comes from.
fn each<T>(tables: &[At<T>], copies: impl Fn(&At<T>) -> Vec<T>) -> Vec<At<T>> {
    let copies = |table| copies(table).into_iter().map(|it| table.with(it));
    tables.iter().flat_map(copies).collect()
}

/// The names that `name` stands for.
fn names(name: &At<String>, copied: &Copied) -> Vec<At<String>> {
    match copied.get(&name.value) {
        Some(count) => (1..=*count)
            .map(|number| name.with(format!("{}-{number}", name.value)))
            .collect(),
        None => vec![name.clone()],
    }
}

fn process(table: &ProcessTable, processes: &Copied) -> Vec<ProcessTable> {
    let each_of = |list: &[At<String>]| -> Vec<_> {
        list.iter()
            .flat_map(|name| names(name, processes))
            .collect()
    };
    let (restart_with, controls) = (each_of(&table.restart_with), each_of(&table.controls));
    let signals = each_of(&table.signals);
    let copy = |name| ProcessTable {
        name,
        copies: None,
        instances: None,
        restart_with: restart_with.clone(),
        controls: controls.clone(),
        signals: signals.clone(),
        ..table.clone()
    };
    names(&table.name, processes)
        .into_iter()
        .map(copy)
        .collect()
}

fn channel(table: &ChannelTable, channels: &Copied, processes: &Copied) -> Vec<ChannelTable> {
    let owners = names(&table.owner, processes).into_iter().cycle();
    let copy = |(name, owner)| ChannelTable {
        name,
        copies: None,
        owner,
        ..table.clone()
    };
    let own = names(&table.name, channels).into_iter();
    own.zip(owners).map(copy).collect()
}

fn connection(
    table: &ConnectionTable,
    processes: &Copied,
    channels: &Copied,
) -> Vec<ConnectionTable> {
    let mut all = vec![];
    for from in names(&table.from, processes) {
        for (number, to) in (1..).zip(names(&table.to, channels)) {
            let mut copy = table.clone();
            if let Some(name) = copy
                .name
                .as_mut()
                .filter(|_| channels.contains_key(&table.to.value))
            {
                name.value = format!("{}-{number}", name.value);
            }
            (copy.from, copy.to) = (from.clone(), to);
            all.push(copy);
        }
    }
    all
}

fn mapping(user: &RegionProcess, processes: &Copied) -> Vec<RegionProcess> {
    let (RegionProcess::Name(name)
    | RegionProcess::Table(super::written::RegionProcessTable { process: name, .. })) = user;
    let Some(count) = processes.get(name) else {
        return vec![user.clone()];
    };
    let copy = |number| {
        let name = format!("{name}-{number}");
        match user {
            RegionProcess::Name(_) => RegionProcess::Name(name),
            RegionProcess::Table(table) => {
                let mut table = table.clone();
                table.process = name;
                RegionProcess::Table(table)
            }
        }
    };
    (1..=*count).map(copy).collect()
}

fn quota(maker: &PoolProcess, processes: &Copied) -> Vec<PoolProcess> {
    let (name, blocks) = match maker {
        PoolProcess::Name(name) => (name, None),
        PoolProcess::Table(own) => (&own.process, own.blocks),
    };
    let Some(count) = processes.get(name) else {
        return vec![maker.clone()];
    };
    let copy = |number| {
        PoolProcess::Table(PoolProcessTable {
            process: format!("{name}-{number}"),
            blocks,
        })
    };
    (1..=*count).map(copy).collect()
}
