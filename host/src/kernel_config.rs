//! The kernel's configuration: Rust source generated from the plan, which the board's crate
//! includes. It holds every kernel object as a static, so that nothing is sized or linked at run
//! time.

mod armv7m;
mod riscv;
mod sv32;

use crate::board::{Board, ProtectionKind};
use crate::plan::{
    Goal, IDLE_STACK, Mapped, Objects, OnExit, OnFault, Plan, PlanChannel, PlanConnection,
    PlanInterrupt, PlanLending, PlanPool, PlanProcess, PlanQuota, PlanThread, Policy, Region,
    Restart, Signalling,
};

/// Where the idle thread's code lies in the kernel's flash (see the board's linker script).
const IDLE_CODE: u32 = 0x200;
/// The supervisor's connection to the server that is told if the supervisor itself faults.
const WITNESS: &str = "console";

/// Protection regions that every switch of this plan writes.
#[must_use]
pub fn regions(plan: &Plan, board: &Board) -> usize {
    match board.protection.kind {
        ProtectionKind::Mpu => armv7m::regions(plan),
        ProtectionKind::Pmp => riscv::regions(plan, board),
        ProtectionKind::Sv32 => 1,
    }
}

/// The bases of the guards below all stacks, if no switch has to write them.
#[must_use]
pub fn fixed_guards(plan: &Plan, board: &Board) -> Option<Vec<u32>> {
    match board.protection.kind {
        ProtectionKind::Pmp => riscv::fixed_guards(plan, board),
        ProtectionKind::Mpu | ProtectionKind::Sv32 => None,
    }
}

/// Whether protection changes while the system runs.
#[must_use]
pub fn changes(plan: &Plan) -> bool {
    plan.processes.iter().any(lends)
}

/// Whether a process has proxies.
#[must_use]
pub fn has_proxies(process: &PlanProcess) -> bool {
    !process.objects.fixed.is_empty() || process.objects.proxies > 0
}

/// Whether a process may start threads, or change their priorities, while it runs.
#[must_use]
pub fn starts_threads(plan: &Plan) -> bool {
    plan.processes.iter().any(|process| {
        process.priority_limit.is_some() || process.threads.iter().any(|thread| thread.spare)
    })
}

/// Whether threads may take turns.
#[must_use]
pub fn takes_turns(plan: &Plan) -> bool {
    let mut threads = threads(plan);
    starts_threads(plan) || threads.any(|(_, _, thread)| thread.policy != Policy::Fifo)
}

/// Whether a thread may drop a level.
#[must_use]
pub fn drops_levels(plan: &Plan) -> bool {
    let mut threads = threads(plan);
    starts_threads(plan) || threads.any(|(_, _, thread)| thread.policy == Policy::Adaptive)
}

/// Whether a switch writes what may be done with each protection region, since that is not the same
/// in all threads, or not always.
#[must_use]
pub fn configures(plan: &Plan, board: &Board) -> bool {
    let mut mappings = plan.processes.iter().flat_map(|process| &process.regions);
    changes(plan)
        || board.protection.kind == ProtectionKind::Pmp && mappings.any(|mapping| !mapping.writable)
}

/// Trees of the words at which threads wait: one a thread or more, or none if no two threads have memory in
/// common, and no handler of a signal has any with the thread that it interrupts.
#[must_use]
pub fn futexes(plan: &Plan) -> usize {
    let counts = plan.processes.iter().map(|process| process.threads.len());
    let users = |region| {
        let mappings = plan.processes.iter().flat_map(|process| &process.regions);
        mappings.filter(|mapping| mapping.region == region).count()
    };
    let is_shared = |region| users(region) > 1;
    let map_at_run_time = |process: &&PlanProcess| process.lending.mappings > 0;
    let shares_at_run_time = plan.processes.iter().filter(map_at_run_time).count() > 1;
    let takes_signals = |process: &PlanProcess| process.signals.queue.is_some();
    if counts.clone().all(|threads| threads < 2)
        && !plan.processes.iter().any(takes_signals)
        && !shares_at_run_time
        && !(0..plan.regions.len()).any(is_shared)
    {
        return 0;
    }
    counts.sum::<usize>().next_power_of_two().max(2)
}

/// Whether a process handles interrupts.
#[must_use]
pub fn interrupts(plan: &Plan) -> bool {
    lines(plan).next().is_some()
}

/// Whether an interrupt is limited to a rate.
#[must_use]
pub fn limits_interrupts(plan: &Plan) -> bool {
    lines(plan).any(|interrupt| interrupt.gap_ns > 0)
}

fn lines(plan: &Plan) -> impl Iterator<Item = &PlanInterrupt> {
    plan.processes
        .iter()
        .flat_map(|process| &process.interrupts)
}

/// Whether a process that faults is held for a debugger.
#[must_use]
pub fn holds(plan: &Plan) -> bool {
    let mut processes = plan.processes.iter();
    processes.any(|process| process.on_fault == OnFault::Hold)
}

/// Whether anything may be handed on: a connection, or the right to trigger a proxy.
#[must_use]
pub fn hands_on(plan: &Plan) -> bool {
    let mut processes = plan.processes.iter();
    processes.any(|process| {
        let mut connections = process.connections.iter();
        has_proxies(process) || connections.any(|connection| connection.transfer)
    })
}

/// Whether a connection may be handed on with a badge of the process that gets it.
#[must_use]
pub fn gives_badges(plan: &Plan) -> bool {
    let connections = plan
        .processes
        .iter()
        .flat_map(|process| &process.connections);
    connections
        .into_iter()
        .any(|connection| connection.own_badge)
}

/// Whether a process has something that others have not, for messages that carry memory.
fn lends(process: &PlanProcess) -> bool {
    let lending = &process.lending;
    lending.places() > 0 || lending.pages.size > 0 || !process.quotas.is_empty()
}

/// The source that the board's crate includes.
#[must_use]
pub fn generate(plan: &Plan, board: &Board) -> String {
    let mut plan = plan.clone();
    plan.processes.push(idle(board));
    let port = match board.protection.kind {
        ProtectionKind::Mpu => armv7m::port(&plan, board),
        ProtectionKind::Pmp => riscv::port(&plan, board),
        ProtectionKind::Sv32 => sv32::port(&plan, board),
    };
    let writer = Writer {
        port: &port,
        plan: &plan,
    };
    [
        writer.head(),
        pools(&plan.pools),
        writer.exchanges(),
        writer.objects(),
        writer.signals(),
        writer.processes(),
        writer.channels(),
        writer.interrupts(),
        writer.handles(),
        writer.port.items.clone(),
        writer.threads(),
        trace(writer.plan.trace).into(),
        writer.kernel(),
    ]
    .join("\n")
}

/// The idle process, which the kernel needs and no manifest names. It comes last.
fn idle(board: &Board) -> PlanProcess {
    let code = Region {
        base: board.kernel.flash.base + IDLE_CODE,
        size: 32,
    };
    let stack = Region {
        base: board.kernel.ram.base + board.kernel.ram.size - IDLE_STACK,
        size: IDLE_STACK,
    };
    PlanProcess {
        name: "idle".into(),
        flash: Mapped::plain(code),
        ram: Mapped::plain(stack),
        lending: PlanLending::default(),
        peripherals: vec![],
        regions: vec![],
        quotas: vec![],
        threads: vec![PlanThread {
            name: "main".into(),
            entry: code.base,
            stack,
            priority: 0,
            policy: Policy::Fifo,
            spare: false,
            storage: 0,
        }],
        connections: vec![],
        objects: Objects::default(),
        interrupts: vec![],
        on_fault: OnFault::Stop,
        on_exit: OnExit::Stop,
        restart: Restart::default(),
        signals: Signalling::default(),
        grants: crate::plan::Grants::default(),
        priority_limit: None,
        spare_stack: 0,
        fpu: false,
        info: 0,
        text: (code.base, code.base + code.size),
        restartable: (0, 0),
    }
}

/// What the configuration says to a processor family alone.
struct Port {
    /// `use` declarations.
    imports: &'static str,
    /// Constants and statics.
    items: String,
    /// The static array whose element with the thread's index a thread's `protection` points to.
    protection: &'static str,
}

struct Writer<'p> {
    plan: &'p Plan,
    port: &'p Port,
}

/// Whether a process takes signals, or sends some to another one.
pub fn signals_are_sent(plan: &Plan) -> bool {
    let mut processes = plan.processes.iter();
    processes.any(|process| process.signals != Signalling::default())
}

/// What the process of this index has for signals.
fn signals(index: usize, signals: &Signalling) -> String {
    let count = signals.queue.unwrap_or(0);
    format!(
        "static SIGNALS_{index}: Global<riposte_kernel::Signalling> = Global(riposte_kernel::Signalling {{ \
         targets: &{targets:?}, queue: &QUEUE_{index}.0 }});\n\
         static QUEUE_{index}: Global<[Cell<riposte_kernel::Queued>; {count}]> = \
         Global([const {{ Cell::new(riposte_kernel::Queued::NONE) }}; {count}]);\n",
        targets = signals.targets,
    )
}

impl Writer<'_> {
    fn head(&self) -> String {
        format!(
            "// {} on {}: generated by the image builder.\n\
             use core::cell::Cell;\n\
             {}\n\
             use riposte_kernel::{{\n    Access, Channel, Deadline, Exchange, Grants, Handle, Inheritance, Interrupt, Kernel, OnEnd, Order, Policy, Process, Range, Rights, Tables,\n    Thread, settings,\n}};\n\n\
             pub const FLOOR: bool = {};\n",
            self.plan.application, self.plan.board, self.port.imports, self.plan.floor
        )
    }

    fn processes(&self) -> String {
        let mut first_thread = 0;
        let all = self
            .plan
            .processes
            .iter()
            .enumerate()
            .map(|(index, process)| {
                let text = self.process(index, process, first_thread);
                first_thread += process.threads.len();
                text
            });
        array("PROCESSES", "Process", &all.collect::<Vec<_>>())
    }

    fn process(&self, index: usize, process: &PlanProcess, first_thread: usize) -> String {
        let Mapped { seen, machine } = process.ram;
        let own = Mapped {
            seen: Region {
                size: seen.size - process.lending.pages.size,
                ..seen
            },
            machine,
        };
        // What threads may wait at comes first: a call looks at one range after the other.
        let shared = process.regions.iter().filter(|it| it.writable);
        let read = process.regions.iter().filter(|it| !it.writable);
        let memory: String = [range(own, "ReadWrite")]
            .into_iter()
            .chain(shared.map(|it| range(it.memory, "Shared")))
            .chain([range(process.flash, "Read")])
            .chain(process.peripherals.iter().map(|it| range(*it, "Device")))
            .chain(read.map(|it| range(it.memory, "Read")))
            .collect();
        let on_fault = match process.on_fault {
            OnFault::Restart => "Restart",
            OnFault::Stop => "Stop",
            OnFault::Hold => "Hold",
        };
        let on_exit = match process.on_exit {
            OnExit::Restart => "Restart",
            OnExit::Stop => "Stop",
        };
        format!(
            "// {name}\nProcess::new(settings::Process {{ index: {index}, memory: &[{memory}], first_thread: {first_thread}, threads: {threads}, \
             on_fault: OnEnd::{on_fault}, on_exit: OnEnd::{on_exit}, restart: &{restart}, \
             grants: Grants {{ shutdown: {shutdown}, supervisor: {supervisor}, inspect: {inspect}, relay: {relay} }}, priority_limit: {priority_limit}, spare_stack: {spare_stack}, info: {info:#x}, code: {code}, exchange: {exchange}, objects: {objects}, signals: {signals} }}),\n",
            name = process.name,
            threads = process.threads.len(),
            restart = self.restart(index, &process.restart),
            shutdown = process.grants.shutdown,
            supervisor = process.grants.supervisor,
            inspect = process.grants.inspect,
            relay = process.grants.relay,
            priority_limit = process.highest_priority(),
            spare_stack = process.spare_stack,
            info = process.info,
            code = range(process.code(), "Read").trim_end_matches(", "),
            exchange = if lends(process) {
                format!("&EXCHANGE_{index}.0")
            } else {
                "&Exchange::NONE".into()
            },
            objects = if process.objects.handles() > 0 {
                format!("&OBJECTS_{index}.0")
            } else {
                "&riposte_kernel::Objects::NONE".into()
            },
            signals = if process.signals == Signalling::default() {
                "&riposte_kernel::Signalling::NONE".into()
            } else {
                format!("&SIGNALS_{index}.0")
            },
        )
    }

    /// What processes have for messages that carry memory.
    fn exchanges(&self) -> String {
        let processes = self.plan.processes.iter().enumerate();
        processes
            .filter(|(_, process)| lends(process))
            .map(|(index, process)| exchange(index, process, !self.plan.pools.is_empty()))
            .collect()
    }

    /// The proxies and timers of processes.
    fn objects(&self) -> String {
        let processes = self.plan.processes.iter().enumerate();
        processes
            .filter(|(_, process)| process.objects.handles() > 0)
            .map(|(index, process)| self.objects_of(index, &process.objects))
            .collect()
    }

    fn objects_of(&self, index: usize, objects: &Objects) -> String {
        let first = self.first_own(index);
        let fixed = objects.fixed.iter().enumerate().map(|(number, proxy)| {
            let proxy = &self.plan.proxies[*proxy];
            format!(
                "riposte_kernel::Proxy::fixed({index}, {number}, {}, {}, &{:?}), ",
                first + number,
                proxy.channel,
                proxy.message
            )
        });
        let proxies = objects.fixed.len() + objects.proxies as usize;
        let made = (objects.fixed.len()..proxies).map(|number| {
            let slot = first + number;
            format!("riposte_kernel::Proxy::new({index}, {number}, {slot}), ")
        });
        let timers = (0..objects.timers as usize).map(|number| {
            let slot = first + proxies + number;
            format!("riposte_kernel::Timer::new({index}, {number}, {slot}), ")
        });
        format!(
            "static PROXIES_{index}: Global<[riposte_kernel::Proxy; {proxies}]> = Global([{}]);\n\
             static TIMERS_{index}: Global<[riposte_kernel::Timer; {}]> = Global([{}]);\n\
             static OBJECTS_{index}: Global<riposte_kernel::Objects> = Global(riposte_kernel::Objects {{ \
             proxies: &PROXIES_{index}.0, timers: &TIMERS_{index}.0, timer_rate: riposte_kernel::timer_rate({rate}) }});\n",
            fixed.chain(made).collect::<String>(),
            objects.timers,
            timers.collect::<String>(),
            rate = objects.timer_rate,
        )
    }

    /// What processes have for signals.
    fn signals(&self) -> String {
        let processes = self.plan.processes.iter().enumerate();
        let with = processes.filter(|(_, process)| process.signals != Signalling::default());
        with.map(|(index, process)| signals(index, &process.signals))
            .collect()
    }

    /// The handle slot of the first proxy or timer of the process of this index.
    fn first_own(&self, index: usize) -> usize {
        let channels = self.plan.channels.iter();
        let own = channels.filter(|channel| channel.owner == index);
        let process = &self.plan.processes[index];
        process.connections.len() + own.count() + process.interrupts.len()
    }

    /// The places of its own proxies and timers in a process's handle table.
    fn own(&self, index: usize, objects: &Objects) -> impl Iterator<Item = String> {
        let first = self.first_own(index);
        let proxies = objects.fixed.len() + objects.proxies as usize;
        (0..objects.handles()).map(move |n| {
            let object = if n < proxies {
                format!("Proxy(&PROXIES_{index}.0[{n}])")
            } else {
                format!("Timer(&TIMERS_{index}.0[{}])", n - proxies)
            };
            format!(
                "Handle::own({index}, {}, riposte_kernel::Object::{object}, &NOWHERE.0)",
                first + n
            )
        })
    }

    fn connection(&self, index: usize, slot: usize, connection: &PlanConnection) -> String {
        let rights = format!(
            "Rights {{ transfer: {}, notify: {} }}",
            connection.transfer, connection.notify
        );
        match connection.goal {
            Goal::Channel { channel, badge } => format!(
                "Handle::connection({index}, {slot}, &CHANNELS.0[{channel}], {badge:#x}, {rights})"
            ),
            Goal::Proxy(proxy) => {
                let owner = self.plan.channels[self.plan.proxies[proxy].channel].owner;
                let fixed = &self.plan.processes[owner].objects.fixed;
                let number = fixed.iter().position(|own| *own == proxy).unwrap_or(0);
                format!(
                    "Handle::to_proxy({index}, {slot}, &PROXIES_{owner}.0[{number}], {rights}, &NOWHERE.0)"
                )
            }
        }
    }

    /// Whether and when the process of this index is restarted.
    fn restart(&self, index: usize, restart: &Restart) -> String {
        let along = self.restarted_along(index);
        if *restart == Restart::default() && along.is_empty() {
            return "riposte_kernel::Restart::ALWAYS".into();
        }
        format!(
            "riposte_kernel::Restart {{ limit: {limit}, resets: {resets}, delay: {delay}, window: {window}, \
             with: &{along:?}, controls: &{controls:?} }}",
            limit = restart.limit.unwrap_or(u32::MAX),
            resets = restart.resets,
            delay = restart.delay_ns,
            window = restart.window_ns.unwrap_or(u64::MAX),
            controls = restart.controls,
        )
    }

    /// The processes that are restarted when this one is, directly or through others.
    fn restarted_along(&self, index: usize) -> Vec<usize> {
        let mut along = vec![];
        let mut open = vec![index];
        while let Some(cause) = open.pop() {
            for (other, process) in self.plan.processes.iter().enumerate() {
                if process.restart.with.contains(&cause)
                    && other != index
                    && !along.contains(&other)
                {
                    along.push(other);
                    open.push(other);
                }
            }
        }
        along
    }

    fn channels(&self) -> String {
        let idle = self.plan.processes.len() - 1;
        let all: Vec<_> = (0..)
            .zip(&self.plan.channels)
            .map(|(index, channel)| self.channel(index, channel))
            .collect();
        format!(
            "pub static NOWHERE: Global<Channel> = Global(Channel::nowhere(&PROCESSES.0[{idle}]));\n"
        ) + &array("CHANNELS", "Channel", &all)
    }

    fn channel(&self, index: usize, channel: &PlanChannel) -> String {
        let owner = channel.owner;
        let before = self.plan.channels[..index]
            .iter()
            .filter(|other| other.owner == owner)
            .count();
        let slot = self.plan.processes[owner].connections.len() + before;
        let inheritance = match channel.fixed_priority {
            None => "Inheritance::Client".to_owned(),
            Some(priority) => format!("Inheritance::Fixed({priority})"),
        };
        let order = if channel.arrival {
            "Arrival"
        } else {
            "Priority"
        };
        format!(
            "// {}\nChannel::new(settings::Channel {{ index: {index}, slot: {slot}, inheritance: {inheritance}, order: Order::{order}, \
             notify_client_died: {}, knows_clients: {}, notify_unblock: {} }}, &PROCESSES.0[{owner}]),\n",
            channel.name, channel.notify_client_died, channel.knows_clients, channel.notify_unblock
        )
    }

    /// All interrupts, then a table of them by number, then the numbers.
    fn interrupts(&self) -> String {
        let all: Vec<_> = lines(self.plan).collect();
        let objects: Vec<_> = all.iter().map(|it| interrupt(it)).collect();
        let count = all.iter().map(|interrupt| interrupt.line + 1).max();
        let by_number = (0..count.unwrap_or(0)).map(|number| {
            match all.iter().position(|interrupt| interrupt.line == number) {
                Some(index) => format!("Some(&INTERRUPTS.0[{index}]), "),
                None => "None, ".into(),
            }
        });
        let numbers: Vec<_> = all.iter().map(|interrupt| interrupt.line).collect();
        // Nothing would name one that is empty.
        let objects = match objects.is_empty() {
            true => String::new(),
            false => array("INTERRUPTS", "Interrupt", &objects),
        };
        objects
            + &array(
                "LINES",
                "Option<&'static Interrupt>",
                &by_number.collect::<Vec<_>>(),
            )
            + &format!(
                "pub const NUMBERS: [u16; {}] = {numbers:?};\n",
                numbers.len()
            )
    }

    fn handles(&self) -> String {
        let all: Vec<_> = self
            .plan
            .processes
            .iter()
            .enumerate()
            .map(|(index, process)| self.table(index, process))
            .collect();
        let slots = self.plan.handles;
        // A large system has tens of thousands of them, which take the compiler half a minute if each is written down.
        format!(
            "const fn spares(process: u8) -> [Handle; {slots}] {{\n\
             let mut all = [const {{ Handle::spare(0, 0, &NOWHERE.0) }}; {slots}];\n\
             let mut slot = 0;\n\
             while slot < {slots} {{ all[slot] = Handle::spare(process, slot as u8, &NOWHERE.0); slot += 1; }}\n\
             all\n}}\n"
        ) + &array("HANDLES", &format!("[Handle; {slots}]"), &all)
    }

    /// The handles of a process: the first ones are the manifest's, and the others spare.
    fn table(&self, index: usize, process: &PlanProcess) -> String {
        let connections = process.connections.iter().enumerate();
        let connections =
            connections.map(|(slot, connection)| self.connection(index, slot, connection));
        let first = process.connections.len();
        let owned = self
            .plan
            .channels
            .iter()
            .enumerate()
            .filter(|(_, channel)| channel.owner == index);
        let channels = owned.enumerate().map(|(position, (channel, _))| {
            format!(
                "Handle::channel({index}, {}, &CHANNELS.0[{channel}])",
                first + position
            )
        });
        let mut slots: Vec<String> = connections.chain(channels).collect();
        for PlanInterrupt { line, .. } in &process.interrupts {
            let slot = slots.len();
            slots.push(format!(
                "Handle::interrupt({index}, {slot}, &NOWHERE.0, {line})"
            ));
        }
        slots.extend(self.own(index, &process.objects));
        let slots = slots.into_iter().enumerate();
        let set = slots.map(|(slot, handle)| format!("all[{slot}] = {handle}; "));
        let set: String = set.collect();
        match set.is_empty() {
            true => format!("spares({index}),\n"),
            false => format!("{{ let mut all = spares({index}); {set}all }},\n"),
        }
    }

    fn threads(&self) -> String {
        let mut all = vec![];
        for (owner, process) in self.plan.processes.iter().enumerate() {
            for thread in &process.threads {
                all.push(self.thread(all.len(), owner, process, thread));
            }
        }
        let timers = self.plan.processes.iter();
        let timers: u32 = timers.map(|process| process.objects.timers).sum();
        let limited = lines(self.plan).filter(|line| line.gap_ns > 0);
        let count = all.len() + timers as usize + limited.count();
        array("THREADS", "Thread", &all)
            + &format!(
                "static DEADLINES: Global<[Cell<Option<&'static Deadline>>; {count}]> = Global([const {{ Cell::new(None) }}; {count}]);\n"
            )
    }

    fn thread(
        &self,
        index: usize,
        owner: usize,
        process: &PlanProcess,
        thread: &PlanThread,
    ) -> String {
        format!(
            "// {}, {}\nThread::new(settings::Thread {{ index: {index}, priority: {}, policy: Policy::{:?}, spare: {}, entry: {:#x}, stack_base: {:#x}, \
             stack_top: {:#x}, protection: (&raw const {}[{index}]).cast() }}, &PROCESSES.0[{owner}], &HANDLES.0[{owner}], &NOWHERE.0),\n",
            process.name,
            thread.name,
            thread.priority,
            thread.policy,
            thread.spare,
            thread.entry,
            thread.stack.base,
            thread.stack.end(),
            self.port.protection,
        )
    }

    /// The channel at which it is told that the supervisor itself has faulted: where its owner prints.
    fn witness(&self) -> Option<usize> {
        let channel = self.plan.channels.get(self.plan.supervisor?)?;
        let connections = &self.plan.processes.get(channel.owner)?.connections;
        let console = connections.iter().find(|it| it.name == WITNESS)?;
        match console.goal {
            Goal::Channel { channel, .. } => Some(channel),
            _ => None,
        }
    }

    fn kernel(&self) -> String {
        let threads: usize = self
            .plan
            .processes
            .iter()
            .map(|process| process.threads.len())
            .sum();
        let channel = |channel: Option<usize>| match channel {
            Some(channel) => format!("Some(&CHANNELS.0[{channel}])"),
            None => "None".into(),
        };
        let supervisor = channel(self.plan.supervisor);
        let witness = channel(self.witness());
        let programs = self.plan.manager.map(|manager| {
            let first = self.plan.first_program;
            format!("Some(riposte_kernel::Programs {{ manager: &CHANNELS.0[{manager}], first: {first} }})")
        });
        let programs = programs.unwrap_or_default();
        let trace = match self.plan.trace {
            0 => "",
            _ => "&TRACE.0",
        };
        let regions = self.plan.regions.iter();
        let regions = regions.map(|region| range(Mapped::plain(region.memory.lies()), "Shared"));
        let regions: String = regions.collect();
        let pools = match self.plan.pools[..] {
            [] => "",
            _ => "&POOLS.0",
        };
        format!(
            "#[unsafe(link_section = \".kernel\")]\n\
             pub static KERNEL: Global<Block> = Global(Block {{ kernel: Kernel::new(Tables {{ threads: &THREADS.0, processes: &PROCESSES.0, \
             channels: &CHANNELS.0, handles: &HANDLES.0, interrupts: &LINES.0, nowhere: &NOWHERE.0, regions: &[{regions}], pools: [{pools}], deadlines: &DEADLINES.0, supervisor: {supervisor}, witness: {witness}, programs: [{programs}], trace: [{trace}], slice: {}, \
             depth: {} }}, &THREADS.0[{}]), partners: Cell::new(0) }});\n",
            self.plan.slice_ns,
            self.plan.depth,
            threads - 1
        )
    }
}

/// What is traced goes here, if anything is.
fn trace(events: u32) -> &'static str {
    match events {
        0 => "",
        _ => {
            "static TRACE: Global<riposte_kernel::Trace> = Global(riposte_kernel::Trace::new());\n"
        }
    }
}

fn interrupt(interrupt: &PlanInterrupt) -> String {
    let PlanInterrupt {
        line,
        level,
        gap_ns,
    } = interrupt;
    let limited = match gap_ns {
        0 => String::new(),
        gap => format!(".limited({gap})"),
    };
    format!("Interrupt::new({line}, {level}){limited},\n")
}

/// Every thread of the plan, with its process and its index there.
fn threads(plan: &Plan) -> impl Iterator<Item = (&PlanProcess, usize, &PlanThread)> {
    plan.processes.iter().flat_map(|process| {
        let threads = process.threads.iter().enumerate();
        threads.map(move |(index, thread)| (process, index, thread))
    })
}

/// The statics of a process that lends or is lent to: its windows, its gaps, and the two together.
fn exchange(index: usize, process: &PlanProcess, has_pools: bool) -> String {
    let lending = &process.lending;
    let places = lending.windows..lending.places();
    let regions = places.map(|number| format!("riposte_kernel::Window::for_regions({number}), "));
    let windows: Vec<_> = (0..lending.windows)
        .map(|number| {
            let size = lending.window_size;
            format!("riposte_kernel::Window::new({number}, {size:#x}), ")
        })
        .chain(regions)
        .collect();
    let quotas = process.quotas.iter().enumerate();
    let quotas: Vec<_> = quotas
        .map(|(number, quota)| {
            let PlanQuota { pool, most } = quota;
            format!("riposte_kernel::Quota::new({index}, {number}, &POOLS.0[{pool}], {most}), ")
        })
        .collect();
    let (granted, named) = match has_pools {
        true => (
            format!(
                "static QUOTAS_{index}: Global<[riposte_kernel::Quota; {}]> = Global([{}]);\n",
                quotas.len(),
                quotas.concat()
            ),
            format!("&QUOTAS_{index}.0"),
        ),
        false => Default::default(),
    };
    let gaps: Vec<_> = (0..lending.gaps)
        .map(|number| format!("riposte_kernel::Gap::new({index}, {number}), "))
        .collect();
    format!(
        "static WINDOWS_{index}: Global<[riposte_kernel::Window; {}]> = Global([{}]);\n\
         static GAPS_{index}: Global<[riposte_kernel::Gap; {}]> = Global([{}]);\n\
         static EXCHANGE_{index}: Global<Exchange> = Global(Exchange {{ windows: &WINDOWS_{index}.0, \
         pages: {}, gaps: &GAPS_{index}.0, quotas: [{named}] }});\n{granted}",
        windows.len(),
        windows.concat(),
        gaps.len(),
        gaps.concat(),
        range(process.in_ram(lending.pages), "ReadWrite").trim_end_matches(", "),
    )
}

/// The statics of pools; nothing without pools.
fn pools(pools: &[PlanPool]) -> String {
    if pools.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    let mut all = Vec::new();
    for (number, pool) in pools.iter().enumerate() {
        let blocks = 0..pool.blocks();
        let items: Vec<_> = blocks
            .map(|block| format!("riposte_kernel::Block::new({number}, {block}), "))
            .collect();
        text += &array(&format!("BLOCKS_{number}"), "riposte_kernel::Block", &items);
        all.push(format!(
            "riposte_kernel::Pool::new({:#x}, {:#x}, &BLOCKS_{number}.0),\n",
            pool.memory.base, pool.block
        ));
    }
    text + &array("POOLS", "riposte_kernel::Pool", &all)
}

fn array(name: &str, item: &str, items: &[String]) -> String {
    format!(
        "pub static {name}: Global<[{item}; {}]> = Global([\n{}]);\n",
        items.len(),
        items.concat()
    )
}

fn range(memory: Mapped, access: &str) -> String {
    let Mapped { seen, machine } = memory;
    let place = if machine == seen.base {
        String::new()
    } else {
        format!(".at({machine:#x})")
    };
    format!(
        "Range::new({:#x}, {:#x}, Access::{access}){place}, ",
        seen.base, seen.size
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::board;
    use crate::plan::PlanMapping;

    /// The configuration of an application of one process.
    fn configuration(fpu: bool) -> String {
        configuration_on("mps2-an386", |process| process.fpu = fpu)
    }

    /// That of one that is changed so.
    fn configuration_on(board: &str, change: impl Fn(&mut PlanProcess)) -> String {
        let board = board::load(&Path::new("../boards").join(board).join("board.toml"));
        let board = board.expect("the board loads");
        let mut process = idle(&board);
        change(&mut process);
        let plan = Plan {
            application: "one".into(),
            board: board.name.clone(),
            levels: 32,
            handles: 4,
            depth: 8,
            slice_ns: 1_000_000,
            supervisor: None,
            manager: None,
            first_program: 0,
            processes: vec![process],
            channels: vec![],
            proxies: vec![],
            regions: vec![],
            pools: vec![],
            trace: 0,
            floor: false,
        };
        generate(&plan, &board)
    }

    #[test]
    fn the_kernel_keeps_the_fpu_off_if_no_process_uses_it() {
        let text = configuration(false);
        assert!(text.contains("pub const FPU: bool = false;"), "{text}");
        assert!(text.contains("pub static SAVED: [Saved; 0]"), "{text}");
    }

    #[test]
    fn the_kernel_saves_the_fpu_of_every_thread_if_a_process_uses_it() {
        let text = configuration(true);
        assert!(text.contains("pub const FPU: bool = true;"), "{text}");
        assert!(text.contains("pub static SAVED: [Saved; 2]"), "{text}");
    }

    #[test]
    fn a_process_has_the_rate_of_its_timers_and_an_interrupt_its_gap_if_it_has_one() {
        let text = configuration_on("mps2-an386", |process| {
            process.objects.timers = 2;
            process.objects.timer_rate = 30;
            let line = |line, gap_ns| PlanInterrupt {
                line,
                level: true,
                gap_ns,
            };
            process.interrupts = vec![line(3, 0), line(4, 500)];
        });
        for part in [
            "timer_rate: riposte_kernel::timer_rate(30)",
            "Interrupt::new(3, true),\nInterrupt::new(4, true).limited(500),",
            // Two threads, two timers in each process, and the line that may have to wait.
            "static DEADLINES: Global<[Cell<Option<&'static Deadline>>; 5]>",
        ] {
            assert!(text.contains(part), "no {part} in\n{text}");
        }
    }

    #[test]
    fn on_risc_v_every_thread_has_a_context_with_its_protection() {
        let text = configuration_on("virt-rv32", |_| {});
        assert!(
            text.contains("static CONTEXTS: Global<[Context; 2]>"),
            "{text}"
        );
        let image = "pmp::Image::new([\
            pmp::code(0x80000200, 0x20), pmp::data(0x8040ffc0, 0x40)])";
        assert!(text.contains(image), "{text}");
        assert!(
            text.contains("protection: (&raw const CONTEXTS.0[1]).cast()"),
            "{text}"
        );
    }

    #[test]
    fn on_risc_v_guards_are_fixed_as_long_as_there_are_entries_for_all() {
        let threads = |process: &mut PlanProcess, count| {
            process.threads = vec![process.threads[0].clone(); count];
        };
        // 16 entries: code, data, and the guards of all threads but the main one.
        let text = configuration_on("virt-rv32", |process| threads(process, 15));
        assert!(!text.contains("pmp::guard"), "{text}");
        let text = configuration_on("virt-rv32", |process| threads(process, 16));
        assert!(
            text.contains("pmp::Image::new([pmp::guard(0x80400000, 0x1000), pmp::code"),
            "{text}"
        );
    }

    /// 8 KiB of RAM, the second half of it pages; two windows and one gap.
    fn lending(process: &mut PlanProcess) {
        process.ram = Mapped::plain(Region {
            base: 0x2000_0000,
            size: 0x2000,
        });
        process.lending = PlanLending {
            windows: 2,
            window_size: 0x4000,
            mappings: 0,
            place_size: 0x4000,
            pages: Region {
                base: 0x2000_1000,
                size: 0x1000,
            },
            gaps: 1,
        };
    }

    #[test]
    fn a_process_that_lends_has_its_windows_and_gaps_and_no_pages_among_its_memory() {
        let text = configuration_on("mps2-an386", lending);
        for part in [
            "memory: &[Range::new(0x20000000, 0x1000, Access::ReadWrite), Range::new(0x200,",
            "static WINDOWS_0: Global<[riposte_kernel::Window; 2]> = Global([riposte_kernel::Window::new(0, 0x4000), ",
            "static GAPS_0: Global<[riposte_kernel::Gap; 1]> = Global([riposte_kernel::Gap::new(0, 0), ]);",
            "pages: Range::new(0x20001000, 0x1000, Access::ReadWrite)",
            "exchange: &EXCHANGE_0.0, ",
            "exchange: &Exchange::NONE, ",
        ] {
            assert!(text.contains(part), "no {part} in\n{text}");
        }
    }

    /// A region of 4 KiB, to be read or written.
    fn sharing(process: &mut PlanProcess, writable: bool) {
        process.regions = vec![PlanMapping {
            region: 0,
            memory: Mapped::plain(Region {
                base: 0x2000_8000,
                size: 0x1000,
            }),
            writable,
        }];
    }

    #[test]
    fn a_region_is_memory_of_its_processes_behind_their_data_or_to_be_read_behind_all() {
        let own = "Access::Read), Range::new(0x20008000, 0x1000, Access::Read), ]";
        let text = configuration_on("mps2-an386", |process| sharing(process, false));
        assert!(text.contains(own), "{text}");
        let shared = "Access::ReadWrite), Range::new(0x20008000, 0x1000, Access::Shared), ";
        let text = configuration_on("mps2-an386", |process| sharing(process, true));
        assert!(text.contains(shared), "{text}");
    }

    #[test]
    fn on_cortex_m_a_region_takes_one_of_the_unit() {
        let text = configuration_on("mps2-an386", |process| sharing(process, false));
        let region =
            "mpu::region(2, 0x20008000, 0x1000, mpu::Rights::ReadOnly), mpu::unused(3), ])";
        assert!(text.contains(region), "{text}");
        let text = configuration_on("mps2-an386", |process| sharing(process, true));
        assert!(
            text.contains("0x1000, mpu::Rights::Data), mpu::unused(3)"),
            "{text}"
        );
    }

    /// Entries whose configuration never changes can't be for reading in one thread alone: then a
    /// switch writes configurations, and the running thread's guard.
    #[test]
    fn on_risc_v_a_region_to_be_read_makes_switches_write_what_is_allowed() {
        let text = configuration_on("virt-rv32", |process| sharing(process, true));
        let image = "pmp::Image::new([pmp::code(0x80000200, 0x20), \
            pmp::data(0x8040ffc0, 0x40), pmp::data(0x20008000, 0x1000)])";
        assert!(text.contains(image), "{text}");
        let text = configuration_on("virt-rv32", |process| sharing(process, false));
        let image = "pmp::Image::new([pmp::guard(0x80400000, 0x1000), pmp::code(0x80000200, 0x20), \
            pmp::data(0x8040ffc0, 0x40), pmp::read_only(0x20008000, 0x1000)])";
        assert!(text.contains(image), "{text}");
        let unused = "pmp::data(0x8040ffc0, 0x40), pmp::OFF])";
        assert!(text.contains(unused), "{text}");
    }

    /// Of the regions that hold an address the last one counts: gaps follow data.
    #[test]
    fn on_cortex_m_gaps_follow_data_and_windows_come_last() {
        let text = configuration_on("mps2-an386", lending);
        assert!(
            text.contains("static IMAGES: Global<[mpu::Changing; 2]>"),
            "{text}"
        );
        let image = "mpu::Changing::new([mpu::region(0, 0x200, 0x20, mpu::Rights::Code), \
            mpu::region(1, 0x20000000, 0x2000, mpu::Rights::Data), mpu::unused(2), mpu::unused(3), \
            mpu::unused(4), mpu::unused(5), mpu::unused(6), mpu::unused(7), ])";
        assert!(text.contains(image), "{text}");
        assert!(configuration(false).contains("static IMAGES: [mpu::Image; 2]"));
    }

    /// Of the entries that hold an address the first one counts: gaps precede data.
    #[test]
    fn on_risc_v_gaps_precede_code_and_windows_come_last() {
        let text = configuration_on("virt-rv32", lending);
        let image = "pmp::Image::new([pmp::guard(0x80400000, 0x1000), pmp::OFF, \
            pmp::code(0x80000200, 0x20), pmp::data(0x20000000, 0x2000), pmp::OFF, pmp::OFF])";
        assert!(text.contains(image), "{text}");
    }
}
