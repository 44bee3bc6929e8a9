//! Describes a small system, as a manifest does.

mod needs;

use std::{array, cell::Cell, collections::BTreeMap};

use riposte_kernel::{
    Access, Block, Channel, Exchange, Gap, Grants, Handle, Inheritance, Interrupt, Kernel, Object,
    Objects, OnEnd, Order, Policy, Pool, Process, Programs, Proxy, Queued, Quota, Range, Restart,
    Rights, Signalling, Tables, Thread, Timer, Window, limits::HANDLES, settings, timer_rate,
};

use crate::{
    Host, Machine, code, device,
    host::{POOL_SIZE, POOLS, pool},
    pages,
    protection::Protection,
    ram, shared,
};

/// A pool of a [`System`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolId(pub usize);

/// A process of a [`System`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProcessId(pub usize);

/// A thread of a [`System`]: its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(pub usize);

/// A channel of a [`System`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChannelId(pub usize);

/// An interrupt of a [`System`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InterruptId {
    /// The machine's number.
    pub line: usize,
    /// Whose it is.
    pub process: ProcessId,
    /// Its position among those of the process.
    pub position: u32,
    /// The slot of the process's handle table.
    pub slot: usize,
}

/// How a device asks for an interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineKind {
    /// Once for each reason.
    Edge,
    /// As long as it has one.
    Level,
    /// As [`LineKind::Edge`], but software cannot.
    Mute,
}

/// A connection of a [`System`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Connection {
    /// Who may send.
    pub process: ProcessId,
    /// The slot of its handle table.
    pub slot: usize,
}

/// A proxy of a [`System`], one of the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProxyId {
    /// Whose it is.
    pub owner: ProcessId,
    /// Its number there.
    pub number: usize,
}

/// Where a connection leads.
#[derive(Clone, Copy)]
enum Goal {
    /// To a channel, with this badge.
    Channel(usize, u32),
    Proxy(ProxyId),
}

struct ProcessPlan {
    on_fault: OnEnd,
    on_exit: OnEnd,
    restart: Restart,
    /// Processes that are restarted with it, and those that it controls.
    restarts: Vec<u8>,
    controls: Vec<u8>,
    grants: Grants,
    threads: Vec<(u8, Policy)>,
    /// How many further threads it may start.
    spares: usize,
    /// The highest priority that it may give a thread, if it is not that of its threads.
    priority_limit: Option<u8>,
    /// Connections in slots from 0 on.
    connections: Vec<(Goal, Rights)>,
    /// Channels in the slots after them.
    channels: Vec<usize>,
    /// Channels and messages of the proxies that the manifest gives it; these and what it makes itself
    /// take the last slots.
    proxies: Vec<(usize, Vec<u8>)>,
    /// Places for proxies and timers that it makes itself.
    spare: (usize, usize),
    /// Number and size of its windows.
    windows: (u8, u32),
    /// Places for regions that it maps.
    mappings: u8,
    /// Pools of which it may make regions, and how many blocks at most.
    quotas: Vec<(usize, u16)>,
    /// Number of gaps in its pages, if it has some.
    gaps: Option<u8>,
    /// What it may do with the memory that is shared.
    shared: Option<Access>,
    /// How often its periodic timers together may be due in a second, if that is limited.
    timer_rate: Option<u32>,
    /// Its interrupts' lines, in the last slots; from slot 0 on if nothing else is in its table, as a manifest has
    /// it.
    interrupts: Vec<usize>,
    /// Processes that it may send signals to.
    signals: Vec<u8>,
    /// How many signals with a word may wait in it.
    queue: usize,
}

impl ProcessPlan {
    /// The slot of its first interrupt.
    fn first_interrupt(&self) -> usize {
        if self.connections.is_empty() && self.channels.is_empty() {
            0
        } else {
            HANDLES - FEW
        }
    }

    /// The first slot of its own objects.
    fn first_own(&self) -> usize {
        HANDLES - self.proxies.len() - self.spare.0 - self.spare.1
    }

    fn objects(&self, process: usize) -> &'static Objects {
        let (index, first) = (process as u8, self.first_own());
        let fixed = self.proxies.len();
        let proxy = |number: usize| {
            let slot = (first + number) as u8;
            match self.proxies.get(number) {
                Some((channel, message)) => {
                    Proxy::fixed(index, number as u8, slot, *channel as u8, message)
                }
                None => Proxy::new(index, number as u8, slot),
            }
        };
        let proxies = fixed + self.spare.0;
        let timer =
            |number: usize| Timer::new(index, number as u8, (first + proxies + number) as u8);
        Box::leak(Box::new(Objects {
            proxies: leak((0..proxies).map(proxy).collect()),
            timers: leak((0..self.spare.1).map(timer).collect()),
            timer_rate: self.timer_rate.map_or(u32::MAX, timer_rate),
        }))
    }

    fn signalling(&self) -> &'static Signalling {
        let places = (0..self.queue).map(|_| Cell::new(Queued::NONE));
        Box::leak(Box::new(Signalling {
            targets: leak(self.signals.clone()),
            queue: leak(places.collect()),
        }))
    }

    fn priority_limit(&self) -> u8 {
        let highest = self.threads.iter().map(|(priority, _)| *priority).max();
        self.priority_limit.or(highest).unwrap_or(0)
    }

    fn memory(&self, index: usize) -> Vec<Range> {
        let shared = self.shared.map(|access| shared(index, access));
        let own = [ram(index), code(index), device(index)];
        own.into_iter().chain(shared).collect()
    }

    fn exchange(&self, index: usize, pools: &'static [Pool]) -> &'static Exchange {
        let (count, size) = self.windows;
        let messages = (0..count).map(|number| Window::new(number, size));
        let regions = (count..count + self.mappings).map(Window::for_regions);
        let quotas = (0..).zip(&self.quotas);
        let quotas = quotas
            .map(|(number, (pool, most))| Quota::new(index as u8, number, &pools[*pool], *most));
        let gaps = 0..self.gaps.unwrap_or(0);
        Box::leak(Box::new(Exchange {
            windows: leak(messages.chain(regions).collect()),
            pages: self.gaps.map_or(Range::NONE, |_| pages(index)),
            gaps: leak(gaps.map(|number| Gap::new(index as u8, number)).collect()),
            quotas: array::from_fn(|_| leak(quotas.clone().collect())),
        }))
    }
}

struct ChannelPlan {
    owner: usize,
    slot: usize,
    inheritance: Inheritance,
    order: Order,
    notify_client_died: bool,
    knows_clients: bool,
    notify_unblock: bool,
}

impl ChannelPlan {
    fn is_fixed(&self) -> bool {
        matches!(self.inheritance, Inheritance::Fixed(_))
    }
}

/// What a system consists of. Processes come in order, each with its connections, channels and
/// threads; connections lead to channels that come later or earlier.
pub struct System {
    processes: Vec<ProcessPlan>,
    channels: Vec<ChannelPlan>,
    /// The pools: bytes of a block, and how many.
    pools: Vec<(u32, u8)>,
    /// The kind of each line.
    lines: Vec<LineKind>,
    /// Nanoseconds between two interrupts of those lines that are limited.
    gaps: BTreeMap<usize, u64>,
    supervisor: Option<usize>,
    witness: Option<usize>,
    /// The manager's channel, and the first process that is a program.
    programs: Option<(usize, usize)>,
    slice: u64,
    depth: u8,
}

impl Default for System {
    fn default() -> Self {
        Self::new()
    }
}

/// Bytes of stack that each spare thread has.
const SPARE_STACK: u32 = 0x3E0;
/// Handle slots for the interrupts of a process.
const FEW: usize = 2;

fn leak<T>(items: Vec<T>) -> &'static [T] {
    Vec::leak(items)
}

impl System {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            processes: Vec::new(),
            channels: Vec::new(),
            pools: Vec::new(),
            lines: Vec::new(),
            gaps: BTreeMap::new(),
            supervisor: None,
            witness: None,
            programs: None,
            slice: 1000,
            depth: 8,
        }
    }

    /// A process that stays stopped when it ends.
    pub fn process(&mut self) -> ProcessId {
        self.processes.push(ProcessPlan {
            on_fault: OnEnd::Stop,
            on_exit: OnEnd::Stop,
            restart: Restart::ALWAYS,
            restarts: Vec::new(),
            controls: Vec::new(),
            grants: Grants {
                shutdown: false,
                supervisor: false,
                inspect: false,
                relay: true,
            },
            threads: Vec::new(),
            spares: 0,
            priority_limit: None,
            connections: Vec::new(),
            channels: Vec::new(),
            proxies: Vec::new(),
            spare: (0, 0),
            windows: (0, 0),
            mappings: 0,
            quotas: Vec::new(),
            gaps: None,
            shared: None,
            timer_rate: None,
            interrupts: Vec::new(),
            signals: Vec::new(),
            queue: 0,
        });
        ProcessId(self.processes.len() - 1)
    }

    /// What happens when a process faults or exits.
    pub fn on_end(&mut self, process: ProcessId, what: OnEnd) {
        self.processes[process.0].on_fault = what;
        self.processes[process.0].on_exit = what;
    }

    /// How often a process is restarted.
    pub fn restart_limit(&mut self, process: ProcessId, limit: u32) {
        self.processes[process.0].restart.limit = limit;
    }

    /// When a process is restarted, and what follows from its limit: all of `how` but its lists.
    pub fn restart(&mut self, process: ProcessId, how: Restart) {
        self.processes[process.0].restart = how;
    }

    /// `process` may restart and stop `other`, by the position that is returned.
    pub fn control(&mut self, process: ProcessId, other: ProcessId) -> u32 {
        let controls = &mut self.processes[process.0].controls;
        controls.push(other.0 as u8);
        controls.len() as u32 - 1
    }

    /// `process` may send signals to `other`, by the position that is returned.
    pub fn signal(&mut self, process: ProcessId, other: ProcessId) -> u32 {
        let signals = &mut self.processes[process.0].signals;
        signals.push(other.0 as u8);
        signals.len() as u32 - 1
    }

    /// So many signals with a word may wait in a process.
    pub fn signal_queue(&mut self, process: ProcessId, count: usize) {
        self.processes[process.0].queue = count;
    }

    /// `other` is restarted when `process` is.
    pub fn restart_with(&mut self, other: ProcessId, process: ProcessId) {
        self.processes[process.0].restarts.push(other.0 as u8);
    }

    /// What a process may do beyond messages.
    pub fn grant(&mut self, process: ProcessId, grants: Grants) {
        self.processes[process.0].grants = grants;
    }

    /// A process has this many windows for messages of at most so many bytes.
    pub fn windows(&mut self, process: ProcessId, count: u8, size: u32) {
        self.processes[process.0].windows = (count, size);
    }

    /// A pool of so many blocks of so many bytes.
    pub fn pool(&mut self, size: u32, blocks: u8) -> PoolId {
        assert!(size * u32::from(blocks) <= POOL_SIZE && self.pools.len() < POOLS);
        self.pools.push((size, blocks));
        PoolId(self.pools.len() - 1)
    }

    /// A process may make regions of so many blocks of a pool, which is at the position that is returned.
    pub fn quota(&mut self, process: ProcessId, pool: PoolId, most: u16) -> u32 {
        let quotas = &mut self.processes[process.0].quotas;
        quotas.push((pool.0, most));
        quotas.len() as u32 - 1
    }

    /// A process can map so many regions at once.
    pub fn mappings(&mut self, process: ProcessId, count: u8) {
        self.processes[process.0].mappings = count;
    }

    /// A process has [`crate::pages`], with at most this many gaps in them.
    pub fn pages(&mut self, process: ProcessId, gaps: u8) {
        self.processes[process.0].gaps = Some(gaps);
    }

    /// A process may use [`crate::shared`] memory.
    pub fn share(&mut self, process: ProcessId, access: Access) {
        self.processes[process.0].shared = Some(access);
    }

    /// A thread of `process`. All those of a process come before those of the next.
    pub fn thread(&mut self, process: ProcessId, priority: u8) -> ThreadId {
        self.thread_with(process, priority, Policy::Fifo)
    }

    /// A thread that takes turns.
    pub fn round_robin_thread(&mut self, process: ProcessId, priority: u8) -> ThreadId {
        self.thread_with(process, priority, Policy::RoundRobin)
    }

    /// A thread that drops a level when it uses up its slice.
    pub fn adaptive_thread(&mut self, process: ProcessId, priority: u8) -> ThreadId {
        self.thread_with(process, priority, Policy::Adaptive)
    }

    /// A process may start so many further threads: after all of its own, before those of the next
    /// process. Returns the first.
    pub fn spare_threads(&mut self, process: ProcessId, count: usize) -> ThreadId {
        self.processes[process.0].spares = count;
        ThreadId(self.threads() - count)
    }

    /// The highest priority that a process may give its threads.
    pub fn priority_limit(&mut self, process: ProcessId, limit: u8) {
        self.processes[process.0].priority_limit = Some(limit);
    }

    fn threads(&self) -> usize {
        let counts = self.processes.iter();
        counts
            .map(|process| process.threads.len() + process.spares)
            .sum()
    }

    fn thread_with(&mut self, process: ProcessId, priority: u8, policy: Policy) -> ThreadId {
        let later = &self.processes[process.0 + 1..];
        assert!(
            later.iter().all(|later| later.threads.is_empty())
                && self.processes[process.0].spares == 0,
            "threads come process by process"
        );
        self.processes[process.0].threads.push((priority, policy));
        ThreadId(self.threads() - 1)
    }

    /// A channel whose server inherits priority.
    pub fn channel(&mut self, owner: ProcessId) -> ChannelId {
        let slots = &mut self.processes[owner.0].channels;
        let slot = HANDLES / 2 + slots.len();
        slots.push(self.channels.len());
        self.channels.push(ChannelPlan {
            owner: owner.0,
            slot,
            inheritance: Inheritance::Client,
            order: Order::Priority,
            notify_client_died: false,
            knows_clients: false,
            notify_unblock: false,
        });
        ChannelId(self.channels.len() - 1)
    }

    /// The channel's servers run at this priority.
    pub fn fixed_priority(&mut self, channel: ChannelId, priority: u8) {
        self.channels[channel.0].inheritance = Inheritance::Fixed(priority);
    }

    /// The channel's messages are taken in the order in which they came.
    pub fn arrival_order(&mut self, channel: ChannelId) {
        self.channels[channel.0].order = Order::Arrival;
    }

    /// The channel's servers are told when a client dies.
    pub fn notify_client_died(&mut self, channel: ChannelId) {
        self.channels[channel.0].notify_client_died = true;
    }

    /// The channel's servers are told when a client dies, whether it has connected or not.
    pub fn knows_clients(&mut self, channel: ChannelId) {
        self.notify_client_died(channel);
        self.channels[channel.0].knows_clients = true;
    }

    /// The channel's servers are told when a client's deadline passes.
    pub fn notify_unblock(&mut self, channel: ChannelId) {
        self.channels[channel.0].notify_unblock = true;
    }

    /// Faults are told here.
    pub fn supervisor(&mut self, channel: ChannelId) {
        self.supervisor = Some(channel.0);
    }

    /// The process `first` and all after it are programs, whose ends are told at this channel.
    pub fn programs(&mut self, manager: ChannelId, first: ProcessId) {
        self.programs = Some((manager.0, first.0));
    }

    /// A fault of the supervisor itself is told here.
    pub fn witness(&mut self, channel: ChannelId) {
        self.witness = Some(channel.0);
    }

    /// A connection.
    pub fn connection(&mut self, from: ProcessId, to: ChannelId, badge: u32) -> Connection {
        self.connect(from, Goal::Channel(to.0, badge), Rights::NONE)
    }

    /// A connection that may be handed on.
    pub fn transferable(&mut self, from: ProcessId, to: ChannelId, badge: u32) -> Connection {
        let rights = Rights {
            transfer: true,
            ..Rights::NONE
        };
        self.connect(from, Goal::Channel(to.0, badge), rights)
    }

    /// A connection with the badge of its process, which may be handed on with the badge of whoever gets it.
    pub fn giver(&mut self, from: ProcessId, to: ChannelId) -> Connection {
        let rights = Rights {
            transfer: true,
            notify: true,
        };
        let badge = riposte_abi::process_badge(from.0 as u8);
        self.connect(from, Goal::Channel(to.0, badge), rights)
    }

    /// A connection through which notification bits may be set.
    pub fn notifier(&mut self, from: ProcessId, to: ChannelId, badge: u32) -> Connection {
        let rights = Rights {
            notify: true,
            ..Rights::NONE
        };
        self.connect(from, Goal::Channel(to.0, badge), rights)
    }

    /// A proxy of the owner of `channel`.
    pub fn proxy(&mut self, channel: ChannelId, message: &[u8]) -> ProxyId {
        let owner = self.channels[channel.0].owner;
        let proxies = &mut self.processes[owner].proxies;
        proxies.push((channel.0, message.to_vec()));
        ProxyId {
            owner: ProcessId(owner),
            number: proxies.len() - 1,
        }
    }

    /// The right to trigger a proxy, and to hand that on if `transfer`.
    pub fn trigger(&mut self, from: ProcessId, proxy: ProxyId, transfer: bool) -> Connection {
        let rights = Rights {
            transfer,
            ..Rights::NONE
        };
        self.connect(from, Goal::Proxy(proxy), rights)
    }

    /// A process can make so many proxies and timers.
    pub fn objects(&mut self, process: ProcessId, proxies: usize, timers: usize) {
        self.processes[process.0].spare = (proxies, timers);
    }

    fn connect(&mut self, process: ProcessId, goal: Goal, rights: Rights) -> Connection {
        let connections = &mut self.processes[process.0].connections;
        connections.push((goal, rights));
        let slot = connections.len() - 1;
        assert!(slot < HANDLES / 2);
        Connection { process, slot }
    }

    /// An interrupt of `process`.
    pub fn interrupt(&mut self, process: ProcessId, kind: LineKind) -> InterruptId {
        let line = self.lines.len();
        self.lines.push(kind);
        let plan = &mut self.processes[process.0];
        let position = plan.interrupts.len();
        plan.interrupts.push(line);
        InterruptId {
            line,
            process,
            position: position as u32,
            // The positions are counted from the first slot on.
            slot: plan.first_interrupt() + position,
        }
    }

    /// A line is unmasked once in so many nanoseconds at most.
    pub fn limit_interrupt(&mut self, interrupt: InterruptId, gap: u64) {
        self.gaps.insert(interrupt.line, gap);
    }

    /// How often the periodic timers of a process together may be due in a second.
    pub fn timer_rate(&mut self, process: ProcessId, per_second: u32) {
        self.processes[process.0].timer_rate = Some(per_second);
    }

    /// Length of a turn.
    pub fn slice(&mut self, nanoseconds: u64) {
        self.slice = nanoseconds;
    }

    /// Longest chain of waiting clients.
    pub fn depth(&mut self, depth: u8) {
        self.depth = depth;
    }

    /// Starts the system: every thread has run once, its process's connections are open, and all
    /// are ready, in the order of their description. With `fast`, calls take the fast path first.
    #[must_use]
    pub fn start(&self, fast: bool) -> Machine {
        let lacks = self.lacks();
        assert!(lacks.is_empty(), "the kernel is compiled without {lacks:?}");
        let idle_process = self.processes.len();
        let pools = self.build_pools();
        let processes = self.build_processes(pools);
        let nowhere: &'static Channel =
            Box::leak(Box::new(Channel::nowhere(&processes[idle_process])));
        let channels = self.build_channels(processes);
        let handles = self.build_handles(processes, channels, nowhere);
        let threads = self.build_threads(processes, handles, nowhere);
        let timers: usize = self.processes.iter().map(|plan| plan.spare.1).sum();
        let places = (0..threads.len() + timers + self.gaps.len()).map(|_| Cell::new(None));
        let places = leak(places.collect());
        let programs = self.programs.map(|(manager, first)| Programs {
            manager: &channels[manager],
            first: first as u8,
        });
        let tables = Tables {
            threads,
            processes,
            channels,
            handles,
            interrupts: self.build_interrupts(),
            nowhere,
            regions: &[],
            pools: array::from_fn(|_| pools),
            deadlines: places,
            supervisor: self.supervisor.map(|index| &channels[index]),
            witness: self.witness.map(|index| &channels[index]),
            trace: [],
            programs: array::from_fn(|_| programs),
            slice: self.slice,
            depth: self.depth,
        };
        let idle = &threads[threads.len() - 1];
        let kernel: &'static Kernel = Box::leak(Box::new(Kernel::new(tables, idle)));
        let with_pages = self.processes.iter().enumerate();
        let with_pages = with_pages.filter(|(_, plan)| plan.gaps.is_some());
        let protection = Protection::new(with_pages.map(|(index, _)| index).collect());
        let host = Host::new(processes.len(), threads.len(), protection);
        let mute = self.lines.iter().enumerate();
        let mute = mute.filter(|(_, kind)| **kind == LineKind::Mute);
        let mute = mute.map(|(line, _)| 1 << line).sum();
        host.change_lines(|lines| lines.mute = mute);
        let mut machine = Machine::new(kernel, host, fast);
        machine.boot();
        machine
    }

    fn build_pools(&self) -> &'static [Pool] {
        let pools = self.pools.iter().enumerate();
        let pools = pools.map(|(number, (size, blocks))| {
            let blocks = (0..*blocks).map(|block| Block::new(number as u8, block));
            Pool::new(pool(number), *size, leak(blocks.collect()))
        });
        leak(pools.collect())
    }

    fn build_processes(&self, pools: &'static [Pool]) -> &'static [Process] {
        let idle = ProcessPlan {
            on_fault: OnEnd::Stop,
            on_exit: OnEnd::Stop,
            restart: Restart::ALWAYS,
            restarts: Vec::new(),
            controls: Vec::new(),
            grants: Grants {
                shutdown: false,
                supervisor: false,
                inspect: false,
                relay: true,
            },
            threads: vec![(0, Policy::Fifo)],
            spares: 0,
            priority_limit: None,
            connections: Vec::new(),
            channels: Vec::new(),
            proxies: Vec::new(),
            spare: (0, 0),
            windows: (0, 0),
            mappings: 0,
            quotas: Vec::new(),
            gaps: None,
            shared: None,
            timer_rate: None,
            interrupts: Vec::new(),
            signals: Vec::new(),
            queue: 0,
        };
        let mut first_thread = 0;
        let mut processes = Vec::new();
        for (index, plan) in self.processes.iter().chain([&idle]).enumerate() {
            let threads = (plan.threads.len() + plan.spares) as u8;
            processes.push(Process::new(settings::Process {
                index: index as u8,
                memory: leak(plan.memory(index)),
                first_thread,
                threads,
                on_fault: plan.on_fault,
                on_exit: plan.on_exit,
                restart: Box::leak(Box::new(Restart {
                    with: leak(plan.restarts.clone()),
                    controls: leak(plan.controls.clone()),
                    ..plan.restart
                })),
                grants: plan.grants,
                priority_limit: plan.priority_limit(),
                spare_stack: SPARE_STACK,
                info: 0,
                code: code(index),
                exchange: plan.exchange(index, pools),
                objects: plan.objects(index),
                signals: plan.signalling(),
            }));
            first_thread += threads;
        }
        leak(processes)
    }

    fn build_channels(&self, processes: &'static [Process]) -> &'static [Channel] {
        let channels = self.channels.iter().enumerate().map(|(index, plan)| {
            Channel::new(
                settings::Channel {
                    index: index as u8,
                    slot: plan.slot as u8,
                    inheritance: plan.inheritance,
                    order: plan.order,
                    notify_client_died: plan.notify_client_died,
                    knows_clients: plan.knows_clients,
                    notify_unblock: plan.notify_unblock,
                },
                &processes[plan.owner],
            )
        });
        leak(channels.collect())
    }

    fn build_interrupts(&self) -> &'static [Option<&'static Interrupt>] {
        let lines = self.lines.iter().enumerate().map(|(line, kind)| {
            let level = *kind == LineKind::Level;
            let interrupt = Interrupt::new(line as u16, level);
            let interrupt = match self.gaps.get(&line) {
                Some(gap) => interrupt.limited(*gap),
                None => interrupt,
            };
            let interrupt: &'static Interrupt = Box::leak(Box::new(interrupt));
            Some(interrupt)
        });
        leak(lines.collect())
    }

    fn build_handles(
        &self,
        processes: &'static [Process],
        channels: &'static [Channel],
        nowhere: &'static Channel,
    ) -> &'static [[Handle; HANDLES]] {
        let slot = |process: usize, slot: usize| {
            let (index, place) = (process as u8, slot as u8);
            let plan = self.processes.get(process);
            let connection = plan.and_then(|plan| plan.connections.get(slot));
            match connection {
                Some((Goal::Channel(channel, badge), rights)) => {
                    let channel = &channels[*channel];
                    return Handle::connection(index, place, channel, *badge, *rights);
                }
                Some((Goal::Proxy(proxy), rights)) => {
                    let proxy = &processes[proxy.owner.0].objects.proxies[proxy.number];
                    return Handle::to_proxy(index, place, proxy, *rights, nowhere);
                }
                None => {}
            }
            let objects = processes[process].objects;
            let own = slot.checked_sub(plan.map_or(HANDLES, ProcessPlan::first_own));
            let proxy = own.and_then(|own| objects.proxies.get(own));
            let timer =
                own.and_then(|own| objects.timers.get(own.checked_sub(objects.proxies.len())?));
            let own = proxy.map(Object::Proxy).or(timer.map(Object::Timer));
            if let Some(object) = own {
                return Handle::own(index, place, object, nowhere);
            }
            let own = plan.and_then(|plan| plan.channels.get(slot.checked_sub(HANDLES / 2)?));
            let interrupt = plan.and_then(|plan| {
                plan.interrupts
                    .get(slot.checked_sub(plan.first_interrupt())?)
            });
            if let Some(line) = interrupt {
                return Handle::interrupt(index, place, nowhere, *line as u16);
            }
            match own {
                Some(channel) => Handle::channel(index, place, &channels[*channel]),
                None => Handle::spare(index, place, nowhere),
            }
        };
        let table = |process| std::array::from_fn(|place| slot(process, place));
        leak((0..=self.processes.len()).map(table).collect())
    }

    fn build_threads(
        &self,
        processes: &'static [Process],
        handles: &'static [[Handle; HANDLES]],
        nowhere: &'static Channel,
    ) -> &'static [Thread] {
        let spare = (0, Policy::Fifo, true);
        let plans = self.processes.iter().map(|plan| {
            let own = plan.threads.iter();
            let own = own.map(|(priority, policy)| (*priority, *policy, false));
            own.chain(vec![spare; plan.spares]).collect()
        });
        let idle: Vec<_> = vec![(0, Policy::Fifo, false)];
        let mut threads = Vec::new();
        for (process, plans) in plans.chain([idle]).enumerate() {
            for (number, (priority, policy, spare)) in plans.iter().enumerate() {
                let top = ram(process).base + 0x400 * (number as u32 + 1);
                threads.push(Thread::new(
                    settings::Thread {
                        index: threads.len() as u8,
                        priority: *priority,
                        policy: *policy,
                        spare: *spare,
                        entry: code(process).base,
                        stack_base: top - 0x400,
                        stack_top: top,
                        protection: std::ptr::null(),
                    },
                    &processes[process],
                    &handles[process],
                    nowhere,
                ));
            }
        }
        leak(threads)
    }
}
