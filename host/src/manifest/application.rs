//! An application whose manifest has been checked: names are indices, defaults are filled in.

use std::path::PathBuf;
use std::sync::Arc;

use super::naming::may_find;
use crate::board::Board;
use crate::plan::{Goal, Grants, Objects, OnExit, OnFault, Policy, Restart, Signalling};
use crate::source::{At, Place, Refusal, Refusals, Source};

/// An application on one of its boards, by the board's name, or all that is refused there.
pub type OnBoard = (String, Result<Application, Vec<Refusal>>);

/// A checked manifest: as it is on the first of its boards on which nothing is refused.
#[derive(Clone, Debug)]
pub struct Application {
    /// The file, for refusals that come later ([`Source::refuse`]).
    pub source: Source,
    /// The directory of the file.
    pub directory: PathBuf,
    /// What is probably not meant; to be shown, but no reason to stop.
    pub warnings: Vec<Refusal>,
    /// Name.
    pub name: String,
    /// One line for a person; may be empty.
    pub description: String,
    /// Boards that it runs on; the first is the default. At least one.
    pub boards: Vec<At<String>>,
    /// Whether the host types what its console asks for in a run that somebody attends, too.
    pub types: bool,
    /// Limits of the kernel.
    pub kernel: Kernel,
    /// Channel that is told of faults.
    pub supervisor: Option<usize>,
    /// Channel of the names server.
    pub names: Option<usize>,
    /// Channel of the process manager.
    pub manager: Option<usize>,
    /// The network that an emulator makes.
    pub network: Network,
    /// Processes, in the order of the file; then those that run programs.
    pub processes: Vec<Process>,
    /// Channels, in the order of the file.
    pub channels: Vec<Channel>,
    /// Proxies, in the order of the file.
    pub proxies: Vec<Proxy>,
    /// Regions, in the order of the file.
    pub regions: Vec<Region>,
    /// Pools, in the order of the file.
    pub pools: Vec<Pool>,
    /// What it is on each of its boards; of an application that is on one, nothing.
    pub(super) on_boards: Arc<[OnBoard]>,
}

impl Application {
    /// The application as it is on `board`.
    ///
    /// # Errors
    /// What is refused on this board.
    pub fn on(&self, board: &Board) -> miette::Result<Application> {
        let there = self.on_boards.iter().find(|(name, _)| *name == board.name);
        match there {
            Some((_, Ok(application))) => Ok(application.clone()),
            Some((_, Err(refusals))) => Err(Refusals::report(refusals.clone())),
            None => Ok(self.clone()),
        }
    }
}

impl Application {
    /// Whether a process uses this device of the board's.
    #[must_use]
    pub fn uses(&self, device: &str) -> bool {
        let mut all = self.processes.iter().flat_map(|it| &it.peripherals);
        all.any(|it| it.value == device)
    }

    /// The processes that `giver` may hand this connection of its own.
    pub fn handed<'a>(
        &'a self,
        giver: &'a Process,
        connection: &'a Connection,
    ) -> impl Iterator<Item = usize> + 'a {
        let processes = self.processes.iter().enumerate();
        let may = processes.filter(move |(_, process)| {
            connection.transfer
                && is_handed(process, giver, connection, &self.processes, &self.channels)
        });
        may.map(|(index, _)| index)
    }
}

/// Whether `process` may be handed `connection` by `giver`: as one of its clients; by the names server, if it may find it.
pub fn is_handed(
    process: &Process,
    giver: &Process,
    connection: &Connection,
    processes: &[Process],
    channels: &[Channel],
) -> bool {
    if connection.for_names {
        let owner = connection.channel().map(|channel| channels[channel].owner);
        return owner.is_some_and(|owner| may_find(process, &processes[owner]));
    }
    let mut own = process.connections.iter().filter_map(Connection::channel);
    own.any(|channel| giver.channels.contains(&channel))
}

/// The network that an emulator makes for the board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// TCP ports of the board that are to be reached from outside.
    pub tcp: Vec<u16>,
    /// As those, for UDP.
    pub udp: Vec<u16>,
    /// The TCP port of whoever says back what it is told.
    pub echo: Option<u16>,
}

/// Memory that processes have in common.
#[derive(Clone, Debug)]
pub struct Region {
    /// Name.
    pub name: At<String>,
    /// Bytes: a power of two.
    pub size: At<u32>,
}

/// Memory of which processes make regions while the system runs.
#[derive(Clone, Debug)]
pub struct Pool {
    /// Name.
    pub name: At<String>,
    /// Bytes of a block: a power of two.
    pub block: At<u32>,
    /// How many: a power of two.
    pub blocks: u32,
}

/// How much of a pool a process may have made regions of at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// The pool.
    pub pool: usize,
    /// Most blocks.
    pub most: u32,
    /// Where the file says so.
    pub span: Place,
}

/// A process's right to use a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The region.
    pub region: usize,
    /// Whether it may write there.
    pub writable: bool,
    /// Where the file says so.
    pub span: Place,
}

/// Limits of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Priority levels, 0 (idle) included.
    pub levels: u32,
    /// Handle slots of each process.
    pub handles: u32,
    /// How many threads a thread may wait for, and how many may receive from one channel.
    pub depth: u32,
    /// Round-robin slice in nanoseconds.
    pub slice_ns: u64,
    /// Events that it keeps of a trace; 0 if it is not traced.
    pub trace: u32,
    /// Whether the image measures the board's floor.
    pub floor: bool,
}

/// A process.
#[derive(Clone, Debug)]
pub struct Process {
    /// Name.
    pub name: At<String>,
    /// What it runs.
    pub program: At<Program>,
    /// Threads; the first is the main thread, named `main`.
    pub threads: Vec<Thread>,
    /// The highest priority that it may give a thread, if the manifest says.
    pub priority_limit: Option<u8>,
    /// Bytes of its RAM region, a power of two, if the manifest says.
    pub ram: Option<At<u32>>,
    /// Its part in memory messages.
    pub lending: Lending,
    /// What happens when it faults.
    pub on_fault: OnFault,
    /// What happens when it ends.
    pub on_exit: OnExit,
    /// Whether and when it is restarted.
    pub restart: Restart,
    /// What it has for signals.
    pub signals: Signalling,
    /// Devices, by their names on the board.
    pub peripherals: Vec<At<String>>,
    /// Regions that it has in common with others, in their order.
    pub regions: Vec<Mapping>,
    /// Pools of which it may make regions; the position is what it calls them.
    pub quotas: Vec<Quota>,
    /// Interrupts, by their names on the board; their handle slots follow those of the channels.
    pub interrupts: Vec<At<String>>,
    /// What it may do beyond its handles.
    pub grants: Grants,
    /// Whether it uses floating point in hardware; the place is the process's name if the file
    /// does not say.
    pub fpu: At<bool>,
    /// Patterns of the names that it may register.
    pub registers: Vec<At<String>>,
    /// Patterns of the names that it may find.
    pub finds: Vec<At<String>>,
    /// Patterns of the programs that it may spawn.
    pub spawns: Vec<At<String>>,
    /// How many children it may have at once.
    pub children: u32,
    /// The program whose instance it is.
    pub instance_of: Option<String>,
    /// Numbers for the program.
    pub settings: Vec<Setting>,
    /// Its connections; the position is the handle slot.
    pub connections: Vec<Connection>,
    /// The channels it owns; their handle slots follow those of the connections.
    pub channels: Vec<usize>,
    /// Its proxies and timers; their handle slots follow those of the channels.
    pub objects: Objects,
    /// How often its timers and interrupts come.
    pub rates: Rates,
}

/// How often the kernel works for a process of its own accord, in times a second. The place of a number that
/// the file does not say is that of the process's name.
#[derive(Clone, Debug)]
pub struct Rates {
    /// Its periodic timers together are due at most so often.
    pub timers: At<u32>,
    /// Each of its interrupts comes at most so often, if the manifest says.
    pub interrupts: Option<At<u32>>,
}

/// A process's part in memory messages: what others lend or move to it, and what it does. The place
/// of a number that the file does not say is that of the process's name, or that of what it follows
/// from.
#[derive(Clone, Debug)]
pub struct Lending {
    /// Messages that it can hold at once.
    pub windows: At<u32>,
    /// Most bytes of one: a power of two.
    pub window_size: u32,
    /// Regions that it can map at once.
    pub mappings: At<u32>,
    /// Bytes of its RAM that can have gaps: 0, or a power of two, at least 4096.
    pub pages: At<u32>,
    /// Ranges of them that can be away at once.
    pub gaps: At<u32>,
}

/// What a process runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// A package of the workspace.
    Package(String),
    /// The directory of a crate.
    Directory(PathBuf),
    /// The directory of a C program.
    C(PathBuf),
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Name; `main` for the main thread.
    pub name: String,
    /// Priority; higher is more urgent.
    pub priority: u8,
    /// How it shares its level.
    pub policy: Policy,
    /// Whether the program starts it, where and how it wants: a spare one.
    pub spare: bool,
    /// Bytes of its stack, without the guard; a multiple of 8.
    pub stack: At<u32>,
}

/// A number for a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Name.
    pub name: String,
    /// Its value; a negative one in two's complement.
    pub value: u32,
}

/// Where a server receives.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Name.
    pub name: At<String>,
    /// Process that receives from it.
    pub owner: usize,
    /// Priority at which clients are served, if it is not the client's.
    pub fixed_priority: Option<u8>,
    /// How clients queue.
    pub order: Order,
    /// Whether the owner is told that a client died.
    pub notify_client_died: bool,
    /// Whether the owner is told that a client it serves wants to leave.
    pub notify_unblock: bool,
    /// Whether the owner can look up its clients' names.
    pub client_names: bool,
}

pub use super::written::Order;

/// A canned message of a channel.
#[derive(Clone, Debug)]
pub struct Proxy {
    /// Name.
    pub name: At<String>,
    /// The channel at which it is received.
    pub channel: usize,
    /// What is received.
    pub message: Vec<u8>,
}

/// A process's right to send to a channel, or to trigger a proxy.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Name by which the process asks for it.
    pub name: String,
    /// Where it leads.
    pub goal: Goal,
    /// Whether it may be handed on in a reply.
    pub transfer: bool,
    /// Whether notification bits may be set through it.
    pub notify: bool,
    /// Whether who gets it in a reply can send only, with a badge of its own.
    pub own_badge: bool,
    /// Whether it is one that the names server hands to those who may find it, and has no name.
    pub for_names: bool,
    /// Where the file says so.
    pub span: Place,
}

impl Connection {
    /// The channel, if it leads to one.
    #[must_use]
    pub fn channel(&self) -> Option<usize> {
        match self.goal {
            Goal::Channel { channel, .. } => Some(channel),
            Goal::Proxy(_) => None,
        }
    }
}

impl Thread {
    /// The C symbol of its entry; none of a spare thread.
    #[must_use]
    pub fn symbol(&self) -> Option<String> {
        if self.spare {
            None
        } else if self.name == "main" {
            Some("_riposte_start".into())
        } else {
            Some(format!("riposte_thread_{}", self.name.replace('-', "_")))
        }
    }
}

impl Process {
    /// Bytes of stack that each of its spare threads has, without the guard.
    #[must_use]
    pub fn spare_stack(&self) -> u32 {
        let spare = self.threads.iter().find(|thread| thread.spare);
        spare.map_or(0, |thread| thread.stack.value)
    }

    /// Handle slot of the `n`th of its own channels.
    #[must_use]
    pub fn channel_slot(&self, n: usize) -> usize {
        self.connections.len() + n
    }

    /// Handle slot of the `n`th of its own proxies; its timers follow.
    #[must_use]
    pub fn object_slot(&self, n: usize) -> usize {
        self.connections.len() + self.channels.len() + self.interrupts.len() + n
    }
}
