//! `[[channel]]`, `[[connection]]` and `[supervisor]`.

use std::collections::HashMap;

use riposte_abi::{PROCESS_BADGES, is_process_badge, process_badge};

use super::application::{Channel, Connection, Process};
use super::check::{Check, Names};
use super::process::priority;
use super::program::is_there_from_the_start;
use super::written::{
    ChannelTable, ConnectionTable, Manifest, Notify, Right, ServicePriority, SupervisorTable,
};
use crate::plan::Goal;
use crate::source::{At, Place};

/// The channel, if it has an owner.
pub fn channel(
    check: &mut Check,
    levels: u32,
    processes: &Names,
    table: &ChannelTable,
) -> Option<Channel> {
    let message = format!("channel `{}` has no owner", table.name.value);
    let owner = processes.find(check, &table.owner, &message);
    let fixed_priority = table.priority.as_ref().and_then(|at| match &at.value {
        ServicePriority::Fixed(number) => Some(priority(check, &at.with(*number), levels)),
        ServicePriority::Word(word) => {
            if word != "inherit" {
                let message = format!("`{word}` is not a priority of a channel");
                let help = format!("write \"inherit\", or a number from 1 to {}", levels - 1);
                check.refuse(at.span, message, help);
            }
            None
        }
    });
    Some(Channel {
        name: table.name.clone(),
        owner: owner?,
        fixed_priority,
        order: table.order,
        notify_client_died: table.notify.contains(&Notify::ClientDied),
        notify_unblock: table.notify.contains(&Notify::Unblock),
        client_names: table.client_names,
    })
}

/// Gives each process its connections.
pub fn connections(
    check: &mut Check,
    tables: &[At<ConnectionTable>],
    names: (&Names, &Names, &Names),
    channels: &[Channel],
    processes: &mut [Process],
) -> Connected {
    let (process_names, channel_names, proxy_names) = names;
    let mut connected = Connected::default();
    for table in tables {
        let table = &table.value;
        let message = format!("the right to send to `{}` has no owner", table.to.value);
        let from = process_names.find(check, &table.from, &message);
        let goal = match proxy_names.get(&table.to.value) {
            Some(proxy) => {
                only_triggers(check, table);
                Some(Goal::Proxy(proxy))
            }
            None => {
                let channel = goal_channel(check, table, (process_names, channel_names), channels);
                let own = from.filter(|_| table.rights.contains(&Right::OwnBadge));
                channel.map(|channel| Goal::Channel {
                    channel,
                    badge: match own {
                        Some(process) => {
                            connected.count_one(channel);
                            own_badge(check, table, process)
                        }
                        None => connected.badge(check, table, channel),
                    },
                })
            }
        };
        if let (Some(from), Some(goal)) = (from, goal) {
            let connection = connected.connect(check, table, from, goal);
            processes[from].connections.push(connection);
        }
    }
    connected
}

/// The channel that a connection leads to; where a process stands in its place, the refusal names the channels of that one.
fn goal_channel(
    check: &mut Check,
    table: &ConnectionTable,
    names: (&Names, &Names),
    channels: &[Channel],
) -> Option<usize> {
    let (process_names, channel_names) = names;
    let to = &table.to.value;
    let refused = format!("`{}` cannot send to it", table.from.value);
    let process = process_names
        .get(to)
        .filter(|_| channel_names.get(to).is_none());
    let Some(process) = process else {
        return channel_names.find(check, &table.to, &refused);
    };
    let message = format!("{refused}: `{to}` is a process, and no channel");
    let own = channels.iter().filter(|it| it.owner == process);
    let own: Vec<String> = own.map(|it| format!("`{}`", it.name.value)).collect();
    let help = if own.is_empty() {
        format!("add a [[channel]] with owner = \"{to}\", and name that one")
    } else {
        format!("name a channel of it: {}", own.join(", "))
    };
    check.refuse(table.to.span, message, help);
    None
}

/// The badge of a connection that has that of its process.
fn own_badge(check: &mut Check, table: &ConnectionTable, process: usize) -> u32 {
    if let Some(badge) = &table.badge {
        let message = "a connection with the right \"own-badge\" has the badge of its process";
        let help = "leave `badge` out, or the right";
        check.refuse(badge.span, message, help);
    }
    process_badge(process as u8)
}

/// A badge that may stand in the manifest.
fn badge_of(check: &mut Check, written: &At<i64>) -> u32 {
    let badge = check.in_range(written, "badge", 1..=u32::MAX);
    if is_process_badge(badge) {
        let message = format!("badge {badge:#x} is that of a process");
        let help = format!("write one below {PROCESS_BADGES:#x}, or from 0x80000000 on");
        check.refuse(written.span, message, help);
    }
    badge
}

/// Refuses what only a connection to a channel can have.
fn only_triggers(check: &mut Check, table: &ConnectionTable) {
    let proxy = &table.to.value;
    if let Some(badge) = &table.badge {
        let message = format!("`{proxy}` is a proxy: its owner does not see who triggers it");
        check.refuse(badge.span, message, "leave `badge` out");
    }
    if table.rights.contains(&Right::OwnBadge) {
        let message = format!("`{proxy}` is a proxy: its owner does not see who triggers it");
        check.refuse(table.to.span, message, "leave the right \"own-badge\" out");
    }
    if table.rights.contains(&Right::Notify) {
        let message = format!("`{proxy}` is a proxy: it has no notification bits");
        let help = "write `to` with the channel, or leave the right \"notify\" out";
        check.refuse(table.to.span, message, help);
    }
}

/// What each channel and each process has seen of connections.
#[derive(Default)]
pub struct Connected {
    count: HashMap<usize, u32>,
    badges: HashMap<(usize, u32), Place>,
    names: HashMap<(usize, String), Place>,
}

impl Connected {
    fn connect(
        &mut self,
        check: &mut Check,
        table: &ConnectionTable,
        from: usize,
        goal: Goal,
    ) -> Connection {
        let name = table.name.as_ref().unwrap_or(&table.to);
        if table.name.is_some() {
            check.name(name);
        }
        if let Some(first) = self.names.insert((from, name.value.clone()), name.span) {
            let message = format!(
                "`{}` has two connections called `{}`",
                table.from.value, name.value
            );
            let help = "give one of them another `name`";
            check.refuse_second(name.span, message, help, first);
        }
        let transfer = table.rights.contains(&Right::Transfer);
        let own_badge = table.rights.contains(&Right::OwnBadge);
        if own_badge && !transfer {
            let message = format!("`{}` hands this connection to nobody", table.from.value);
            let help = "add the right \"transfer\", or leave \"own-badge\" out";
            check.refuse(table.to.span, message, help);
        }
        Connection {
            name: name.value.clone(),
            goal,
            transfer,
            notify: table.rights.contains(&Right::Notify),
            own_badge,
            for_names: false,
            span: table.to.span,
        }
    }

    /// The position of a connection among those to this channel, from 1.
    fn count_one(&mut self, to: usize) -> u32 {
        let count = self.count.entry(to).or_default();
        *count += 1;
        *count
    }

    /// A badge that no connection to this channel has.
    pub fn free_badge(&mut self, to: usize) -> u32 {
        loop {
            let badge = self.count_one(to);
            if !self.badges.contains_key(&(to, badge)) {
                return badge;
            }
        }
    }

    fn badge(&mut self, check: &mut Check, table: &ConnectionTable, to: usize) -> u32 {
        let count = self.count_one(to);
        let (badge, span) = match &table.badge {
            Some(badge) => {
                let refused = check.refusals.len();
                let number = badge_of(check, badge);
                if check.refusals.len() > refused {
                    // It stands for one that is none, and is nobody else's.
                    return number;
                }
                (number, badge.span)
            }
            None => (count, table.to.span),
        };
        if let Some(first) = self.badges.insert((to, badge), span) {
            let message = format!(
                "two connections to `{}` have the badge {badge}",
                table.to.value
            );
            let help = "give each a `badge` of its own: the server tells its clients apart by it";
            check.refuse_second(span, message, help, first);
        }
        badge
    }
}

/// Refuses that a connection of this name is written, which `process` has anyway: to `whom`.
pub fn free_name(check: &mut Check, process: &Process, name: &str, whom: &str) {
    if let Some(written) = process.connections.iter().find(|it| it.name == name) {
        let own = &process.name.value;
        let message = format!("`{own}` has two connections called `{name}`");
        let help = format!("give this one another `name`: `{own}` has that one to {whom}");
        check.refuse(written.span, message, help);
    }
}

/// Whether `process` has a written connection to the channel of `whom`, which it asks by its connection of this name: the first
/// one to that channel, by whose badge it is known, must be called so.
pub fn is_connected(
    check: &mut Check,
    process: &Process,
    channel: usize,
    name: &str,
    whom: &str,
) -> bool {
    let mut all = process.connections.iter();
    let Some(written) = all.find(|it| it.channel() == Some(channel)) else {
        return false;
    };
    if written.name != name {
        let own = &process.name.value;
        let message = format!(
            "`{own}` asks {whom} by `{name}`, and is known to it by `{}`",
            written.name
        );
        let help = format!(
            "write `name = \"{name}\"`, or leave this connection out: `{own}` has one without it"
        );
        check.refuse(written.span, message, help);
    }
    true
}

/// Refuses a badge that two processes have to channels of one owner that is told its clients' names: it looks a name up
/// by the badge alone, and would take one of them for the other.
pub fn told_apart(check: &mut Check, channels: &[Channel], processes: &[Process]) {
    let mut known: HashMap<(usize, u32), (usize, Place)> = HashMap::new();
    for (index, process) in processes.iter().enumerate() {
        for connection in process.connections.iter().filter(|it| !it.for_names) {
            let Goal::Channel { channel, badge } = connection.goal else {
                continue;
            };
            let channel = &channels[channel];
            if !channel.client_names {
                continue;
            }
            let first = *known
                .entry((channel.owner, badge))
                .or_insert((index, connection.span));
            if first.0 != index {
                let message = format!(
                    "`{}` and `{}` have the badge {badge} to channels whose `client_names` are told to `{}`",
                    processes[first.0].name.value,
                    process.name.value,
                    processes[channel.owner].name.value,
                );
                let help = "give one of the two connections a `badge` of its own: the server looks up by it who sends";
                check.refuse_second(connection.span, message, help, first.1);
            }
        }
    }
}

/// The supervisor's channel.
pub fn supervisor(
    check: &mut Check,
    table: &SupervisorTable,
    names: &Names,
    channels: &[Channel],
    processes: &[Process],
) -> Option<usize> {
    let index = names.find(check, &table.channel, "faults cannot be told")?;
    let channel = channels
        .iter()
        .find(|channel| channel.name.value == table.channel.value)?;
    let owner = &processes[channel.owner];
    if !is_there_from_the_start(check, owner, table.channel.span, "the supervisor") {
        return None;
    }
    if !owner.grants.supervisor {
        let message = format!(
            "the supervisor's channel `{}` belongs to `{}`, which has no `supervisor` grant",
            table.channel.value, owner.name.value,
        );
        let help = format!(
            "add grants = [\"supervisor\"] to process `{}`",
            owner.name.value
        );
        let refusal = check.source.refuse(table.channel.span, message, help);
        check
            .refusals
            .push(refusal.also(owner.name.span, "the owner"));
    }
    Some(index)
}

/// Warns of what comes by a channel to a process that has none.
pub fn missing(check: &mut Check, manifest: &Manifest, processes: &[Process]) {
    let tables = manifest.process.iter().map(|it| &it.value);
    for table in tables.filter(|it| it.instance_of.is_none()) {
        let name = &table.name.value;
        let mut all = processes.iter().filter(|it| it.name.value == *name);
        if all.any(|it| !it.channels.is_empty()) {
            continue;
        }
        let number = |written: &Option<At<i64>>| {
            written.as_ref().filter(|it| it.value > 0).map(|it| it.span)
        };
        let has = [
            ("timers", number(&table.timers)),
            ("proxies", number(&table.proxies)),
            ("interrupts", table.interrupts.first().map(|it| it.span)),
        ];
        for (key, span) in has {
            let Some(span) = span else { continue };
            let message = format!("`{name}` has {key}, and no channel by which they could come");
            let help = format!("add a [[channel]] with owner = \"{name}\", or leave `{key}` out");
            check.warn(span, message, help);
        }
    }
}

/// Warns of channels that nobody can use, and of sends that can only be refused.
pub fn unused(
    check: &mut Check,
    channels: &[Channel],
    processes: &[Process],
    supervisor: Option<usize>,
) {
    let all = || processes.iter().flat_map(|process| &process.connections);
    for (index, channel) in channels.iter().enumerate() {
        // It may be there for proxies, timers or interrupts.
        let owner = &processes[channel.owner];
        let has_others = owner.objects.handles() > 0 || !owner.interrupts.is_empty();
        let expected = supervisor == Some(index) || has_others;
        if !expected && !all().any(|connection| connection.channel() == Some(index)) {
            let name = &channel.name.value;
            let message = format!("nobody may send to channel `{name}`");
            let help =
                format!("add a [[connection]] with to = \"{name}\", or leave the channel out");
            check.warn(channel.name.span, message, help);
        }
    }
    for (index, process) in processes.iter().enumerate() {
        let own = process
            .connections
            .iter()
            .find_map(|c| Some((c, &channels[c.channel()?])).filter(|(_, to)| to.owner == index));
        if let (Some((own, to)), 1) = (own, process.threads.len()) {
            let message = format!(
                "`{}` sends to its own channel `{}`, but has only one thread",
                process.name.value, to.name.value,
            );
            check.warn(
                own.span,
                message,
                "add a [[process.thread]] that receives; else it deadlocks",
            );
        }
    }
}
