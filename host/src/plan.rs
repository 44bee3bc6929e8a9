//! The plan of an image: every process, thread, channel and connection with its final address.
//! Addresses are those that the process sees, unless they say otherwise ([`Mapped`]).
//!
//! The kernel's configuration is generated from a [`Plan`] and from nothing else.

mod allocate;
mod colour;
mod memory;
pub mod space;

pub use allocate::{IDLE_STACK, Layout, Placement, ProgramSizes, allocate};
pub use colour::Colour;
pub use memory::Wanted;

/// Everything that an image holds, with addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Name of the application.
    pub application: String,
    /// Name of the board.
    pub board: String,
    /// Priority levels, 0 (idle) included.
    pub levels: u32,
    /// Handle slots of each process.
    pub handles: u32,
    /// How many threads a thread may wait for, and how many may receive from one channel.
    pub depth: u32,
    /// Round-robin slice in nanoseconds.
    pub slice_ns: u64,
    /// Channel that is told of faults.
    pub supervisor: Option<usize>,
    /// Channel where the ends of programs are told.
    pub manager: Option<usize>,
    /// The first process that runs a program; so do all after it.
    pub first_program: usize,
    /// Processes, in manifest order.
    pub processes: Vec<PlanProcess>,
    /// Channels, in manifest order.
    pub channels: Vec<PlanChannel>,
    /// Proxies, in manifest order.
    pub proxies: Vec<PlanProxy>,
    /// Memory that processes have in common, in manifest order.
    pub regions: Vec<PlanRegion>,
    /// Memory of which processes make regions, in manifest order.
    pub pools: Vec<PlanPool>,
    /// Events that the kernel keeps of a trace; 0 if it is not traced.
    pub trace: u32,
    /// Whether the image measures the board's floor: the traps and switches without kernel logic.
    pub floor: bool,
}

/// Whether and when a process is restarted, and which others it controls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restart {
    /// How often at most; `None` is without limit.
    pub limit: Option<u32>,
    /// Whether the machine is reset when that is not enough.
    pub resets: bool,
    /// Nanoseconds before it begins again after the first restart.
    pub delay_ns: u64,
    /// Nanoseconds for which it has to run until its restarts are counted from zero again, if ever.
    pub window_ns: Option<u64>,
    /// Processes whose restart restarts this one too.
    pub with: Vec<usize>,
    /// Processes that it may restart and stop.
    pub controls: Vec<usize>,
}

/// What a process has for signals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signalling {
    /// Processes that it may send signals to.
    pub targets: Vec<usize>,
    /// How many signals with a word can wait in it, if it takes signals.
    pub queue: Option<u32>,
}

/// A process with its place in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanProcess {
    /// Name in the manifest.
    pub name: String,
    /// Code and constants.
    pub flash: Mapped,
    /// Stacks and data.
    pub ram: Mapped,
    /// Its part in memory messages.
    pub lending: PlanLending,
    /// Device registers that it may touch.
    pub peripherals: Vec<Mapped>,
    /// What it may use of [`Plan::regions`].
    pub regions: Vec<PlanMapping>,
    /// Of which pools it may make regions, and of how many blocks at once.
    pub quotas: Vec<PlanQuota>,
    /// Threads; the first is the main thread.
    pub threads: Vec<PlanThread>,
    /// Connections; the position is the handle slot. The process's own channels take the slots
    /// behind them, in manifest order, then its interrupts, then its own proxies and timers.
    pub connections: Vec<PlanConnection>,
    /// Its interrupts.
    pub interrupts: Vec<PlanInterrupt>,
    /// Its own proxies and timers.
    pub objects: Objects,
    /// What happens when it faults.
    pub on_fault: OnFault,
    /// What happens when it ends.
    pub on_exit: OnExit,
    /// Whether and when it is restarted.
    pub restart: Restart,
    /// What it has for signals.
    pub signals: Signalling,
    /// What it may do beyond its handles.
    pub grants: Grants,
    /// The highest priority that it may give a thread, if the manifest says.
    pub priority_limit: Option<u8>,
    /// Bytes of stack that each of its spare threads has, without the guard.
    pub spare_stack: u32,
    /// Whether it uses floating point in hardware.
    pub fpu: bool,
    /// Address of its [`riposte_abi::process_info::Header`].
    pub info: u32,
    /// First address of its code, and the first one behind it.
    pub text: (u32, u32),
    /// Its restartable sequences: where they begin, and their length in bytes; 0 if it has none.
    pub restartable: (u32, u32),
}

impl PlanProcess {
    /// The highest priority that it may give a thread.
    #[must_use]
    pub fn highest_priority(&self) -> u8 {
        let own = self.threads.iter().filter(|thread| !thread.spare);
        let highest = own.map(|thread| thread.priority).max();
        self.priority_limit.or(highest).unwrap_or(0)
    }

    /// A part of its RAM, by where it sees that.
    #[must_use]
    pub fn in_ram(&self, seen: Region) -> Mapped {
        Mapped {
            seen,
            machine: self.ram.machine_address(seen.base),
        }
    }

    /// Its code, without the constants.
    #[must_use]
    pub fn code(&self) -> Mapped {
        let (base, end) = self.text;
        Mapped {
            seen: Region {
                base,
                size: end - base,
            },
            machine: self.flash.machine_address(base),
        }
    }
}

/// What others lend or move to a process, and what it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanLending {
    /// Messages that it can hold at once.
    pub windows: u32,
    /// Most bytes of one.
    pub window_size: u32,
    /// Regions that it can map at once; their places follow those of messages.
    pub mappings: u32,
    /// Bytes from one place to the next where addresses are translated: of the largest message or block.
    pub place_size: u32,
    /// The end of its RAM, as it sees it, if it can have gaps; else empty.
    pub pages: Region,
    /// Ranges of it that can be away at once.
    pub gaps: u32,
}

impl PlanLending {
    /// Places where memory appears: of messages, and of regions.
    #[must_use]
    pub fn places(&self) -> u32 {
        self.windows + self.mappings
    }
}

/// Memory of which processes make regions: blocks of a power of two, aligned to their size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanPool {
    /// Name in the manifest.
    pub name: String,
    /// Where it lies.
    pub memory: Region,
    /// Bytes of a block.
    pub block: u32,
}

impl PlanPool {
    /// How many blocks it has.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.memory.size / self.block
    }
}

/// How much of a pool a process may have made regions of at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanQuota {
    /// The pool.
    pub pool: usize,
    /// Most blocks.
    pub most: u32,
}

/// Memory that processes have in common: a power of two, aligned to its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanRegion {
    /// Name in the manifest.
    pub name: String,
    /// Where all its processes see it, and where it lies.
    pub memory: Mapped,
}

/// A process's right to use a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanMapping {
    /// The region.
    pub region: usize,
    /// [`PlanRegion::memory`].
    pub memory: Mapped,
    /// Whether it may write there.
    pub writable: bool,
}

/// A thread with its stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanThread {
    /// Name in the manifest; `main` for the main thread.
    pub name: String,
    /// Address of its first instruction.
    pub entry: u32,
    /// Its stack; for all but the main thread the lowest bytes are the guard
    /// ([`crate::board::Protection::guard`]).
    pub stack: Region,
    /// Priority; higher is more urgent.
    pub priority: u8,
    /// How it shares its level.
    pub policy: Policy,
    /// Whether the program starts it, where and how it wants: a spare one.
    pub spare: bool,
    /// Where its thread-local storage is; 0 if the program has none.
    pub storage: u32,
}

/// Where a connection leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// To this channel, whose server sees this badge of the client.
    Channel {
        /// The channel.
        channel: usize,
        /// What the server sees of the client.
        badge: u32,
    },
    /// To this proxy.
    Proxy(usize),
}

/// A process's right to send to a channel, or to trigger a proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanConnection {
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
}

/// A canned message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanProxy {
    /// The channel at which it is received.
    pub channel: usize,
    /// What is received.
    pub message: Vec<u8>,
}

/// An interrupt that a process handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanInterrupt {
    /// How the interrupt controller numbers it.
    pub line: u16,
    /// Whether its device asks as long as it has a reason; else once for each.
    pub level: bool,
    /// Nanoseconds from one time that it is unmasked to the next at least; 0 if there is no limit.
    pub gap_ns: u64,
}

/// Where a server receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanChannel {
    /// Name in the manifest.
    pub name: String,
    /// Process that receives from it.
    pub owner: usize,
    /// Priority at which clients are served, if it is not the client's.
    pub fixed_priority: Option<u8>,
    /// Whether clients queue in order of arrival; else in order of priority.
    pub arrival: bool,
    /// Whether the owner is told that a client died.
    pub notify_client_died: bool,
    /// Whether the owner knows the processes that are its clients.
    pub knows_clients: bool,
    /// Whether the owner is told that a client it serves wants to leave.
    pub notify_unblock: bool,
}

/// A range of addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Region {
    /// First address.
    pub base: u32,
    /// Length in bytes.
    pub size: u32,
}

impl Region {
    /// First address behind the region. 64 bits, as a region may reach the end of the address
    /// space.
    #[must_use]
    pub fn end(self) -> u64 {
        u64::from(self.base) + u64::from(self.size)
    }

    /// Whether the two have a byte in common.
    #[must_use]
    pub fn overlaps(self, other: Region) -> bool {
        u64::from(self.base) < other.end() && u64::from(other.base) < self.end()
    }

    /// Whether every byte of `inner` is in this region.
    #[must_use]
    pub fn contains(self, inner: Region) -> bool {
        self.base <= inner.base && inner.end() <= self.end()
    }
}

/// Memory of a process: where the process sees it, and where it lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mapped {
    /// As the process sees it.
    pub seen: Region,
    /// Where its first byte lies.
    pub machine: u32,
}

impl Mapped {
    /// Memory that its process sees where it lies.
    #[must_use]
    pub fn plain(region: Region) -> Mapped {
        Mapped {
            seen: region,
            machine: region.base,
        }
    }

    /// Where it lies.
    #[must_use]
    pub fn lies(self) -> Region {
        Region {
            base: self.machine,
            size: self.seen.size,
        }
    }

    /// Where lies what the process sees at `address`.
    #[must_use]
    pub fn machine_address(self, address: u32) -> u32 {
        address
            .wrapping_sub(self.seen.base)
            .wrapping_add(self.machine)
    }
}

/// The proxies and timers of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Objects {
    /// Those of the manifest's proxies that are received at its channels. Their handle slots come
    /// first.
    pub fixed: Vec<usize>,
    /// Proxies that it can have beside them.
    pub proxies: u32,
    /// Timers that it can have.
    pub timers: u32,
    /// How often in a second its periodic timers together are due at most.
    pub timer_rate: u32,
}

impl Objects {
    /// Handle slots that they take.
    #[must_use]
    pub fn handles(&self) -> usize {
        self.fixed.len() + (self.proxies + self.timers) as usize
    }
}

/// What happens to a process that faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFault {
    /// It is started again.
    Restart,
    /// It stays stopped, and its memory is not used again.
    #[default]
    Stop,
    /// It stays as it was, for a debugger.
    Hold,
}

/// How a thread shares its priority level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// It runs until it blocks or yields.
    #[default]
    Fifo,
    /// After a slice the next one of its level runs.
    RoundRobin,
    /// As that, and it drops one level when it uses up its slice.
    Adaptive,
}

/// What happens to a process that ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnExit {
    /// It stays ended.
    #[default]
    Stop,
    /// It is started again.
    Restart,
}

/// What a process may do beyond its handles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// Stop the machine.
    pub shutdown: bool,
    /// Read fault records, and know the names of all processes.
    pub supervisor: bool,
    /// Ask what threads are doing, and know the names of all processes and channels.
    pub inspect: bool,
    /// Hand clients on to other servers.
    pub relay: bool,
}
