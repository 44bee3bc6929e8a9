//! Joins manifest, layout and linked programs into the plan that the kernel is configured from.

use std::iter;

use riposte_abi::call;
use riposte_abi::process_info::kind;

use super::elf::{Linked, Piece, Storage};
use super::info_table::{self, Name};
use super::script::{RESTARTABLE, STORAGE};
use crate::board::{Board, Trigger};
use crate::manifest::{
    Application, Channel, Connection, Mapping, Order, Process, Proxy, place_size,
};
use crate::plan::{
    Goal, Layout, Mapped, Placement, Plan, PlanChannel, PlanConnection, PlanInterrupt, PlanLending,
    PlanMapping, PlanPool, PlanProcess, PlanProxy, PlanQuota, PlanRegion, PlanThread, Region,
};

/// A static channel's generation, before and after every restart.
const FIRST_GENERATION: u32 = 1;

/// The plan, and the process-info table of each process.
pub fn plan(
    application: &Application,
    board: &Board,
    layout: &Layout,
    programs: &[Linked],
) -> (Plan, Vec<Piece>) {
    let mut tables = Vec::new();
    let mut processes = Vec::new();
    for (index, (placement, linked)) in layout.processes.iter().zip(programs).enumerate() {
        let info = linked
            .load_end(placement.flash.seen.base)
            .next_multiple_of(4);
        let process = &application.processes[index];
        let mut names = names(application, board, process, &placement.devices);
        names.extend(pages(placement.pages));
        names.extend(regions(application, process, &layout.regions));
        let id = index_word(index);
        let bytes = info_table::bytes(info, id, &process.name.value, &names);
        tables.push(Piece {
            address: placement.flash.machine_address(info),
            bytes,
        });
        processes.push(plan_process(
            application,
            process,
            board,
            layout,
            placement,
            linked,
            info,
        ));
    }
    let plan = Plan {
        application: application.name.clone(),
        board: board.name.clone(),
        levels: application.kernel.levels,
        handles: application.kernel.handles,
        depth: application.kernel.depth,
        slice_ns: application.kernel.slice_ns,
        supervisor: application.supervisor,
        manager: application.manager,
        first_program: first_program(application),
        processes,
        channels: application.channels.iter().map(plan_channel).collect(),
        proxies: application.proxies.iter().map(plan_proxy).collect(),
        regions: plan_regions(application, layout),
        pools: plan_pools(application, layout),
        trace: application.kernel.trace,
        floor: application.kernel.floor,
    };
    (plan, tables)
}

/// Bytes of the process-info table of process `index`.
#[must_use]
pub fn table_size(application: &Application, board: &Board, index: usize) -> u32 {
    let process = &application.processes[index];
    let nowhere = vec![Mapped::default(); process.peripherals.len()];
    let mut names = names(application, board, process, &nowhere);
    names.extend(pages(Region {
        base: 0,
        size: process.lending.pages.value,
    }));
    let nowhere = vec![Mapped::default(); application.regions.len()];
    names.extend(regions(application, process, &nowhere));
    index_word(info_table::bytes(0, 0, &process.name.value, &names).len())
}

fn plan_process(
    application: &Application,
    process: &Process,
    board: &Board,
    layout: &Layout,
    placement: &Placement,
    linked: &Linked,
    info: u32,
) -> PlanProcess {
    let (text, text_size) = linked.section(".text");
    PlanProcess {
        name: process.name.value.clone(),
        flash: placement.flash,
        ram: placement.ram,
        lending: PlanLending {
            windows: process.lending.windows.value,
            window_size: process.lending.window_size,
            mappings: process.lending.mappings.value,
            place_size: place_size(process, &application.pools),
            pages: placement.pages,
            gaps: process.lending.gaps.value,
        },
        peripherals: placement.devices.clone(),
        regions: mappings(process, layout),
        quotas: quotas(process),
        threads: threads(process, placement, linked),
        connections: process
            .connections
            .iter()
            .map(|connection| PlanConnection {
                name: connection.name.clone(),
                goal: connection.goal,
                transfer: connection.transfer,
                notify: connection.notify,
                own_badge: connection.own_badge,
            })
            .collect(),
        objects: process.objects.clone(),
        interrupts: interrupts(process, board),
        on_fault: process.on_fault,
        on_exit: process.on_exit,
        restart: process.restart.clone(),
        signals: process.signals.clone(),
        grants: process.grants,
        priority_limit: process.priority_limit,
        spare_stack: process.spare_stack(),
        fpu: process.fpu.value,
        info,
        text: (text, text + text_size),
        restartable: restartable(linked),
    }
}

fn mappings(process: &Process, layout: &Layout) -> Vec<PlanMapping> {
    let mappings = process.regions.iter();
    mappings
        .map(|mapping| PlanMapping {
            region: mapping.region,
            memory: layout.regions[mapping.region],
            writable: mapping.writable,
        })
        .collect()
}

fn plan_regions(application: &Application, layout: &Layout) -> Vec<PlanRegion> {
    let regions = application.regions.iter().zip(&layout.regions);
    regions
        .map(|(region, memory)| PlanRegion {
            name: region.name.value.clone(),
            memory: *memory,
        })
        .collect()
}

fn quotas(process: &Process) -> Vec<PlanQuota> {
    let quotas = process.quotas.iter();
    quotas
        .map(|quota| PlanQuota {
            pool: quota.pool,
            most: quota.most,
        })
        .collect()
}

fn plan_pools(application: &Application, layout: &Layout) -> Vec<PlanPool> {
    let pools = application.pools.iter().zip(&layout.pools);
    pools
        .map(|(pool, memory)| PlanPool {
            name: pool.name.value.clone(),
            memory: *memory,
            block: pool.block.value,
        })
        .collect()
}

fn interrupts(process: &Process, board: &Board) -> Vec<PlanInterrupt> {
    let names = process.interrupts.iter();
    let found = names.filter_map(|name| board.interrupts.get(&name.value));
    let rate = process.rates.interrupts.as_ref();
    found
        .map(|interrupt| PlanInterrupt {
            line: interrupt.number,
            level: interrupt.trigger == Trigger::Level,
            gap_ns: rate.map_or(0, |rate| 1_000_000_000_u64.div_ceil(rate.value.into())),
        })
        .collect()
}

/// Where the restartable sequences of a program begin, and their bytes.
fn restartable(linked: &Linked) -> (u32, u32) {
    let [start, end] = RESTARTABLE.map(|symbol| linked.symbol(symbol).unwrap_or_default());
    (start, end - start)
}

fn threads(process: &Process, placement: &Placement, linked: &Linked) -> Vec<PlanThread> {
    let first = match linked.storage {
        Storage::NONE => 0,
        _ => linked.symbol(STORAGE).unwrap_or_default(),
    };
    let stride = linked.storage.stride();
    let threads = process.threads.iter().zip(&placement.stacks);
    (0..)
        .zip(threads)
        .map(|(index, (thread, stack))| PlanThread {
            name: thread.name.clone(),
            entry: thread
                .symbol()
                .and_then(|symbol| linked.symbol(&symbol))
                .unwrap_or_default(),
            stack: *stack,
            priority: thread.priority,
            policy: thread.policy,
            spare: thread.spare,
            storage: first + index * stride,
        })
        .collect()
}

fn plan_channel(channel: &Channel) -> PlanChannel {
    PlanChannel {
        name: channel.name.value.clone(),
        owner: channel.owner,
        fixed_priority: channel.fixed_priority,
        arrival: channel.order == Order::Arrival,
        notify_client_died: channel.notify_client_died,
        knows_clients: channel.client_names,
        notify_unblock: channel.notify_unblock,
    }
}

fn plan_proxy(proxy: &Proxy) -> PlanProxy {
    PlanProxy {
        channel: proxy.channel,
        message: proxy.message.clone(),
    }
}

/// What a process can look up: connections, its channels and proxies, devices and settings; and, if
/// it is a supervisor or inspects others, all processes, and all channels then.
fn names(
    application: &Application,
    board: &Board,
    process: &Process,
    devices: &[Mapped],
) -> Vec<Name> {
    let name = |kind, value, name: &str| Name {
        kind,
        value,
        name: name.into(),
    };
    let mut names = Vec::new();
    for (slot, connection) in process.connections.iter().enumerate() {
        if connection.for_names {
            continue;
        }
        let kind = match connection.goal {
            Goal::Channel { .. } => kind::CONNECTION,
            Goal::Proxy(_) => kind::PROXY,
        };
        names.push(name(kind, index_word(slot), &connection.name));
    }
    for (n, proxy) in process.objects.fixed.iter().enumerate() {
        let slot = index_word(process.object_slot(n));
        let proxy = &application.proxies[*proxy];
        names.push(name(kind::PROXY, slot, &proxy.name.value));
    }
    for (n, channel) in process.channels.iter().enumerate() {
        let slot = index_word(process.channel_slot(n));
        let handle = call::handle(slot, FIRST_GENERATION);
        names.push(name(
            kind::CHANNEL,
            handle,
            &application.channels[*channel].name.value,
        ));
    }
    for channel in &process.channels {
        names.extend(clients(application, *channel));
        if application.names == Some(*channel) {
            names.extend(kept_names(application, process, *channel));
        }
        if application.manager == Some(*channel) {
            names.extend(managed(application));
        }
    }
    for (peripheral, mapped) in process.peripherals.iter().zip(devices) {
        let base = mapped.seen.base;
        names.push(name(kind::PERIPHERAL, base, &peripheral.value));
        let size = mapped.seen.size;
        names.push(name(kind::PERIPHERAL_SIZE, size, &peripheral.value));
        let device = board.peripherals.get(&peripheral.value);
        if let Some(device) = device.filter(|device| !device.kind.is_empty()) {
            names.push(name(kind::DEVICE, base, &device.kind));
        }
    }
    for (position, interrupt) in process.interrupts.iter().enumerate() {
        let position = index_word(position);
        names.push(name(kind::INTERRUPT, position, &interrupt.value));
    }
    for (position, other) in process.restart.controls.iter().enumerate() {
        let other = &application.processes[*other].name.value;
        names.push(name(kind::CONTROLLED, index_word(position), other));
    }
    for (position, other) in process.signals.targets.iter().enumerate() {
        let other = &application.processes[*other].name.value;
        names.push(name(kind::SIGNALLED, index_word(position), other));
    }
    if process.grants.supervisor || process.grants.inspect {
        for (index, other) in application.processes.iter().enumerate() {
            names.push(name(kind::PROCESS, index_word(index), &other.name.value));
        }
    }
    if process.grants.inspect {
        for (index, channel) in application.channels.iter().enumerate() {
            let index = index_word(index);
            names.push(name(kind::ANY_CHANNEL, index, &channel.name.value));
        }
    }
    for (position, quota) in process.quotas.iter().enumerate() {
        let pool = &application.pools[quota.pool];
        names.push(name(kind::POOL, index_word(position), &pool.name.value));
    }
    if process.threads.len() > 1 {
        names.push(name(kind::THREADS, index_word(process.threads.len()), ""));
    }
    for setting in &process.settings {
        names.push(name(kind::SETTING, setting.value, &setting.name));
    }
    names
}

/// Who has a connection to a channel, or may be handed one with a badge of its own, if its owner is to know.
fn clients(application: &Application, channel: usize) -> Vec<Name> {
    if !application.channels[channel].client_names {
        return vec![];
    }
    let client = |process: usize, badge, known| {
        let name = |kind, value| Name {
            kind,
            value,
            name: application.processes[process].name.value.clone(),
        };
        let known = application.manager.map(|_| known);
        let known = known.map(|it| name(kind::CLIENT_PROCESS, it));
        iter::once(name(kind::CLIENT, badge)).chain(known)
    };
    let mut clients = Vec::new();
    for (index, process) in application.processes.iter().enumerate() {
        let own = process.connections.iter().filter(|it| !it.for_names);
        let badges = own.filter_map(|it| badge_at(it, channel));
        clients.extend(badges.flat_map(|badge| client(index, badge, index_word(index))));
    }
    let mut handed: Vec<usize> = Vec::new();
    for giver in &application.processes {
        let given = giver.connections.iter();
        let given = given.filter(|it| it.own_badge && it.channel() == Some(channel));
        handed.extend(given.flat_map(|it| application.handed(giver, it)));
    }
    handed.sort_unstable();
    handed.dedup();
    clients.extend(
        handed
            .into_iter()
            .flat_map(|index| client(index, riposte_abi::process_badge(index as u8), u32::MAX)),
    );
    clients
}

/// The badge of this connection, if it leads to that channel.
fn badge_at(connection: &Connection, to: usize) -> Option<u32> {
    match connection.goal {
        Goal::Channel { channel, badge } if channel == to => Some(badge),
        _ => None,
    }
}

/// Index of the first process that runs a program.
fn first_program(application: &Application) -> usize {
    let mut all = application.processes.iter();
    let first = all.position(|process| process.instance_of.is_some());
    first.unwrap_or(application.processes.len())
}

/// What the process manager knows: which processes run which program, and who may spawn what.
fn managed(application: &Application) -> Vec<Name> {
    let mut names = Vec::new();
    for (index, process) in application.processes.iter().enumerate() {
        let index = index_word(index);
        if let Some(program) = &process.instance_of {
            names.push(Name {
                kind: kind::PROGRAM,
                value: index,
                name: program.clone(),
            });
        }
        names.extend(process.spawns.iter().map(|pattern| Name {
            kind: kind::SPAWNS,
            value: index | process.children << 8,
            name: pattern.value.clone(),
        }));
    }
    names
}

/// What the names server knows: who may register and find what, and the channels that can be registered.
fn kept_names(application: &Application, server: &Process, channel: usize) -> Vec<Name> {
    let name = |kind, value, name: &str| Name {
        kind,
        value,
        name: name.into(),
    };
    let badge = |process: &Process| {
        let mut own = process.connections.iter();
        own.find_map(|it| badge_at(it, channel)).unwrap_or_default()
    };
    let mut names = Vec::new();
    for process in &application.processes {
        let kinds = [
            (kind::REGISTERS, &process.registers),
            (kind::FINDS, &process.finds),
        ];
        for (kind, patterns) in kinds {
            names.extend(
                patterns
                    .iter()
                    .map(|it| name(kind, badge(process), &it.value)),
            );
        }
    }
    for (slot, connection) in server.connections.iter().enumerate() {
        let to = connection.channel().filter(|_| connection.for_names);
        if let Some(to) = to.map(|to| &application.channels[to]) {
            let owner = badge(&application.processes[to.owner]);
            names.push(name(kind::PROVIDER, owner, &to.name.value));
            names.push(name(kind::PROVIDED, index_word(slot), &to.name.value));
            names.push(name(
                kind::PROVIDING,
                riposte_abi::process_badge(to.owner as u8),
                &to.name.value,
            ));
        }
    }
    names
}

/// Where the process's pages are, if it has some.
fn pages(pages: Region) -> Vec<Name> {
    let name = |kind, value| Name {
        kind,
        value,
        name: String::new(),
    };
    if pages.size == 0 {
        return vec![];
    }
    vec![
        name(kind::PAGES, pages.base),
        name(kind::PAGES_SIZE, pages.size),
    ]
}

/// Where the process's regions are, and how long; all regions lie at `placed`.
fn regions(application: &Application, process: &Process, placed: &[Mapped]) -> Vec<Name> {
    let names = |mapping: &Mapping| {
        let kind = if mapping.writable {
            kind::REGION
        } else {
            kind::READ_ONLY_REGION
        };
        let region = &application.regions[mapping.region];
        let Mapped { seen, machine } = placed[mapping.region];
        let mut words = vec![(kind, seen.base), (kind::REGION_SIZE, region.size.value)];
        if !process.peripherals.is_empty() {
            words.push((kind::REGION_FOR_DEVICES, machine));
        }
        let named = |(kind, value)| Name {
            kind,
            value,
            name: region.name.value.clone(),
        };
        words.into_iter().map(named).collect::<Vec<_>>()
    };
    process.regions.iter().flat_map(names).collect()
}

/// Indices and tables are small: the manifest's limits see to it.
fn index_word(index: usize) -> u32 {
    u32::try_from(index).expect("an index fits a word")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::source::Source;
    use crate::{board, manifest};

    /// A server that is told the names of its clients: of `near` by the manifest, and of `far`, which finds it by name.
    const TOLD: &str = r#"[application]
name = "told"
description = "two clients"
boards = ["mps2-an386"]

[names]
channel = "names"

[programs]
channel = "process"

[[process]]
name = "names"
program = "names"
priority = 14
stack = "3KiB"

[[process]]
name = "process"
program = "process"
priority = 14
stack = "5KiB"
grants = ["supervisor", "inspect"]

[[process]]
name = "server"
program = "server"
priority = 14
stack = "3KiB"
registers = ["/server"]

[[process]]
name = "parent"
program = "parent"
priority = 10
stack = "3KiB"
spawns = ["near", "far"]
children = 2

[[program]]
name = "near"
program = "child"
priority = 6
stack = "1KiB"

[[program]]
name = "far"
program = "child"
priority = 6
stack = "1KiB"
finds = ["/server"]

[[channel]]
name = "names"
owner = "names"
notify = ["client-died", "unblock"]

[[channel]]
name = "process"
owner = "process"
priority = 14
notify = ["client-died", "unblock"]

[[channel]]
name = "server"
owner = "server"
notify = ["client-died"]
client_names = true

[[connection]]
from = "near"
to = "server"
"#;

    #[test]
    fn a_client_that_finds_its_server_by_name_is_none_whose_every_end_is_told() {
        let source = Source {
            path: "app.toml".into(),
            text: TOLD.into(),
        };
        let boards = board::load_all(Path::new("../boards")).expect("the boards load");
        let application = manifest::resolve(source, ".".into(), &boards).expect("right");
        let place = |name| {
            let mut all = application.processes.iter();
            let place = all.position(|it| it.name.value.starts_with(name));
            index_word(place.expect("there"))
        };
        let mut channels = application.channels.iter();
        let channel = channels.position(|it| it.name.value == "server");
        let told = clients(&application, channel.expect("there"));
        let told: Vec<_> = told.iter().map(|it| (it.kind, it.value)).collect();
        let far = place("far");
        let expected = [
            (kind::CLIENT, 1),
            (kind::CLIENT_PROCESS, place("near")),
            (kind::CLIENT, riposte_abi::process_badge(far as u8)),
            (kind::CLIENT_PROCESS, u32::MAX),
        ];
        assert_eq!(told, expected);
    }
}
