//! `app.toml` as it is written: one struct a table. The JSON Schema and the manifest's reference
//! come from these comments.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::differing::{Differing, Named};
use crate::quantity::{Duration, Size};
use crate::source::At;

/// A Riposte application: processes, the channels they serve, and who may send to them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// What the application is, and where it runs.
    pub application: ApplicationTable,
    /// Limits of the kernel. Every key has a default.
    #[serde(default)]
    pub kernel: KernelTable,
    /// Who is told of faults. Without it, a fault is still handled as `on_fault` says. If the one who is told
    /// faults itself, the server of its connection `console` gets the notice.
    pub supervisor: Option<SupervisorTable>,
    /// Who keeps the names by which processes find each other: `registers` and `finds` of a process.
    pub names: Option<NamesTable>,
    /// Who starts programs, and is told of their ends.
    pub programs: Option<ProgramsTable>,
    /// The network that an emulator makes for an application that uses the board's device `ethernet`.
    #[serde(default)]
    pub network: NetworkTable,
    /// A program that is not there from the start, but is spawned while the system runs, by the processes whose `spawns`
    /// say so. It has the keys of a process; each instance is one, called `NAME-1` and so on.
    #[serde(default)]
    pub program: Vec<At<ProcessTable>>,
    /// A protection domain that runs one program. At least one.
    #[serde(default)]
    pub process: Vec<At<ProcessTable>>,
    /// A place where a process receives messages.
    #[serde(default)]
    pub channel: Vec<At<ChannelTable>>,
    /// A canned message of a channel, triggered without blocking.
    #[serde(default)]
    pub proxy: Vec<At<ProxyTable>>,
    /// A process's right to send to a channel, or to trigger a proxy. What is not listed here is not
    /// possible.
    #[serde(default)]
    pub connection: Vec<At<ConnectionTable>>,
    /// Memory that the processes it names have in common.
    #[serde(default)]
    pub region: Vec<At<RegionTable>>,
    /// Memory of which processes make regions while the system runs.
    #[serde(default)]
    pub pool: Vec<At<PoolTable>>,
    /// What differs on one of the boards, by the board's name.
    #[serde(default)]
    pub board: BTreeMap<At<String>, BoardTable>,
}

/// What differs on one board. Its tables look as the others of the manifest, but need no key: those that
/// they have are written over what the rest says, lists as a whole.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoardTable {
    /// Limits of the kernel that differ.
    pub kernel: Option<Differing<KernelTable>>,
    /// Another channel that is told of faults.
    pub supervisor: Option<Differing<SupervisorTable>>,
    /// Processes that differ, by their names: `[board.NAME.process.NAME]`. As a list,
    /// `[[board.NAME.process]]`, those that only this board has; so of all that follow.
    pub process: Option<Named<ProcessTable>>,
    /// Programs that differ, by their names.
    pub program: Option<Named<ProcessTable>>,
    /// Channels that differ, by their names.
    pub channel: Option<Named<ChannelTable>>,
    /// Proxies that differ, by their names.
    pub proxy: Option<Named<ProxyTable>>,
    /// Connections that differ, by the `name` that they have.
    pub connection: Option<Named<ConnectionTable>>,
    /// Regions that differ, by their names.
    pub region: Option<Named<RegionTable>>,
    /// Pools that differ, by their names.
    pub pool: Option<Named<PoolTable>>,
}

/// What the application is, and where it runs.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApplicationTable {
    /// Name: small letters, digits and `-`, a letter first. All names in a manifest are so.
    pub name: At<String>,
    /// One line for a person.
    pub description: Option<String>,
    /// Boards that it runs on; the first is the default. `./riposte boards` lists them.
    pub boards: At<Vec<At<String>>>,
    /// Whether the host types in each run what its console asks for in lines `@type`, and not in unattended tests alone:
    /// it obeys whoever prints, or whose file is shown. Default false.
    #[serde(default)]
    pub types: bool,
}

/// Limits of the kernel. Its tables are as large as these say, and no larger.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KernelTable {
    /// Priority levels: a power of two from 32 to 256. Threads use 1 to this less 1; higher is
    /// more urgent. Level 0 is the idle one. Default 32.
    pub priorities: Option<At<i64>>,
    /// Handle slots of each process: a power of two from 4 to 256. Default: the smallest that
    /// holds every process's connections, channels, and what servers may hand to it.
    pub handles: Option<At<i64>>,
    /// How many threads a thread may wait for, counting those that wait for others in turn, before a
    /// send, lock or join is refused with `Deadlock`; and how many threads may receive from one channel
    /// (the next one's receive is refused with `Exhausted`); 1 to 255. Default 8.
    pub depth: Option<At<i64>>,
    /// How long a round-robin thread runs before the next one of its level: 10us to 1s. Default
    /// 1ms.
    pub slice: Option<At<Duration>>,
    /// How many events of a trace the kernel keeps: a power of two from 64 to 65536. A traced kernel is
    /// slower; `./riposte trace` makes one of any application. Default: it is not traced.
    pub trace: Option<At<i64>>,
    /// For measurements: calls that answer and wait only switch between the first two threads, the
    /// least that any kernel costs on the board. Default false.
    #[serde(default)]
    pub floor: bool,
}

/// Who is told of faults.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SupervisorTable {
    /// The channel that gets a notice of each fault. Its owner needs the `supervisor` grant.
    pub channel: At<String>,
}

/// Who keeps the names by which processes find each other.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamesTable {
    /// The channel of the names server, with `notify = ["client-died", "unblock"]`. Each process that has `registers`
    /// or `finds` has a connection to it, called `names`, without a `[[connection]]`. It has room
    /// for 32 such processes, for 128 patterns of theirs, and for 64 channels of those that register.
    pub channel: At<String>,
}

/// Who starts programs, and is told of their ends.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramsTable {
    /// The channel of the process manager, with `notify = ["client-died", "unblock"]`. Its owner needs the grants
    /// `supervisor` and `inspect`; it controls all programs, and may send signals to them and to who spawns them. Each
    /// program, and each process that has `spawns`, has a connection to it, called `process`, without a
    /// `[[connection]]`. It has room for 32 instances of all programs together, and for 64 patterns of `spawns`.
    pub channel: At<String>,
}

/// The network that an emulator makes for an application that uses the board's device `ethernet`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkTable {
    /// TCP ports of the board that can be reached from the machine on which it is emulated, each at a free port of that,
    /// which `./riposte run` prints. Default: none.
    #[serde(default)]
    pub tcp: Vec<At<i64>>,
    /// As `tcp`, for UDP. Default: none.
    #[serde(default)]
    pub udp: Vec<At<i64>>,
    /// The TCP port of 10.0.2.100 at which the network says back what it is told: for tests. Default: none.
    pub echo: Option<At<i64>>,
}

/// A protection domain that runs one program.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProcessTable {
    /// Name, once in the manifest.
    pub name: At<String>,
    /// What it runs: the directory of a crate, or of C sources, if it begins with `./` or `../`,
    /// relative to the manifest; else a package of the workspace.
    pub program: At<String>,
    /// How many such processes there are: 2 to 254, called `NAME-1` and so on, each with memory and
    /// threads of its own. Where another table names the process, it means each of them. Default: one,
    /// of the name itself.
    pub copies: Option<At<i64>>,
    /// How many times a `[[program]]` can run at once: 1 to 32, those of all programs together, each with memory and
    /// threads of its own. Where another table names the program, it means each of them. Default 1. Only of a program.
    pub instances: Option<At<i64>>,
    /// The program whose instance it is: not written, but what a `[[program]]` becomes.
    #[serde(skip)]
    pub instance_of: Option<String>,
    /// Priority of its main thread: 1 to `kernel.priorities` less 1; higher is more urgent.
    pub priority: At<i64>,
    /// How its main thread shares its level. Default `fifo`.
    #[serde(default)]
    pub policy: Policy,
    /// Stack of its main thread: at least 256 bytes, at most 16 MiB, a multiple of 8.
    pub stack: At<Size>,
    /// Threads that its program can start beyond those of the manifest: 0 to 64. Default 0.
    pub threads_spare: Option<At<i64>>,
    /// Stack of each of them: at least 256 bytes, at most 16 MiB, a multiple of 8. A guard of 32 bytes is
    /// added below it. Default 1KiB.
    pub spare_stack: Option<At<Size>>,
    /// The highest priority that its program may give to a thread while it runs. Default: the highest
    /// of those that stand here for its threads.
    pub priority_limit: Option<At<i64>>,
    /// RAM for all its stacks and data: a power of two. Default: the smallest that fits.
    pub ram: Option<At<Size>>,
    /// Memory messages that it can hold at once: 0 to 16. Each takes a protection region, where
    /// the board has such. It needs a channel with `notify = ["unblock"]`: others take none.
    /// Default 0.
    pub windows: Option<At<i64>>,
    /// Most bytes of a memory message to it: a power of two from 4KiB to 1MiB, which all its windows
    /// together may not exceed (128KiB for one of them on boards with page tables). Default 4KiB.
    pub window_size: Option<At<Size>>,
    /// Regions that were made at run time that it can map at once: 0 to 16. Each takes a protection region, where the
    /// board has such. Default 0.
    pub mappings: Option<At<i64>>,
    /// Memory at the end of its RAM that it can lend while its other threads run, or move: a
    /// power of two, at least 4KiB. Nothing else lies there, and nothing is initialised. Default: none.
    pub pages: Option<At<Size>>,
    /// Ranges of its `pages` that can be away at once: 0 to 16. Each takes a protection region,
    /// where the board has such. Default 1 if it has `pages`, else 0.
    pub gaps: Option<At<i64>>,
    /// Proxies that it can have at once beside those of the manifest: 0 to 255. Each takes a handle
    /// slot. Default 0.
    pub proxies: Option<At<i64>>,
    /// Timers that it can have at once: 0 to 255. Each takes a handle slot. Default 0.
    pub timers: Option<At<i64>>,
    /// How often in a second its periodic timers together are due, at most: 1 to 10,000,000. Starting one
    /// that is beyond this is refused. Boards can give so much to all processes together as takes half of
    /// their time. Default 1000: one timer of a millisecond, or several slower ones.
    pub timer_rate: Option<At<i64>>,
    /// What happens when it faults. Default `stop`.
    #[serde(default)]
    pub on_fault: OnFault,
    /// What happens when its main function returns, or it calls exit. Default `stop`.
    #[serde(default)]
    pub on_exit: OnExit,
    /// How often it is restarted at most. Default: without limit.
    pub restart_limit: Option<At<i64>>,
    /// How long it waits before it begins again after the first restart: 1us to 3600s. Each further restart doubles
    /// the time, at most six times. Messages to it wait meanwhile. Default: not at all.
    pub restart_delay: Option<At<Duration>>,
    /// When it has run for so long since it last began, 1us to 3600000s, its restarts are counted from zero again.
    /// Default: never.
    pub restart_window: Option<At<Duration>>,
    /// What happens when one more restart than `restart_limit` is due. Default `stop`.
    pub on_limit: Option<At<OnLimit>>,
    /// Processes whose restart restarts this one too. There can be no cycle.
    #[serde(default)]
    pub restart_with: Vec<At<String>>,
    /// Processes that it may restart and stop, whatever state they are in.
    #[serde(default)]
    pub controls: Vec<At<String>>,
    /// Processes that it may send signals to. They take signals: `signal_queue` says so.
    #[serde(default)]
    pub signals: Vec<At<String>>,
    /// It takes signals, and so many of those that bring a word can wait in it: 0 to 32. Default: it takes none.
    pub signal_queue: Option<At<i64>>,
    /// Devices that it drives, by their names on the board. Most can be given to one process only.
    #[serde(default)]
    pub peripherals: Vec<At<String>>,
    /// Interrupts that it handles, by their names on the board. Each takes a handle slot, and can be
    /// given to one process only.
    #[serde(default)]
    pub interrupts: Vec<At<String>>,
    /// How often in a second each of its interrupts comes, at most: 1 to 10,000,000. One that is
    /// acknowledged sooner stays masked meanwhile. Default: as often as it is acknowledged.
    pub interrupt_rate: Option<At<i64>>,
    /// Names that it may register, for its channels: paths such as `/dev/console`, or `/dev/*` for all names below
    /// `/dev`. It needs [`[names]`](#names).
    #[serde(default)]
    pub registers: Vec<At<String>>,
    /// Names that it may find, as in `registers`.
    #[serde(default)]
    pub finds: Vec<At<String>>,
    /// Programs that it may spawn, by their names: `"count"`, or `"count*"` for all that begin so; 32
    /// processes may have some. It needs [`[programs]`](#programs).
    #[serde(default)]
    pub spawns: Vec<At<String>>,
    /// How many children it may have at once: programs that it has spawned, and for whose end it has not waited yet; 1
    /// to 64. Default 4.
    pub children: Option<At<i64>>,
    /// What it may do beyond its handles.
    #[serde(default)]
    pub grants: Vec<Grant>,
    /// Whether its program is compiled for the processor's floating-point unit. Each of its threads
    /// that uses the unit then traps once after every system call. Default false: floating point is
    /// computed in software.
    pub fpu: Option<At<bool>>,
    /// Numbers that the program asks for by name: whole ones of 32 bits. An address of the Internet is written as text: `"10.0.2.15"`
    /// is one number, `"fd00::1"` four of them, whose names end with `-0`, the highest, to `-3`.
    #[serde(default)]
    pub settings: BTreeMap<At<String>, At<SettingValue>>,
    /// A further thread of the process.
    #[serde(default)]
    pub thread: Vec<At<ThreadTable>>,
}

/// What a setting is.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a whole number or an address is wanted here")]
pub enum SettingValue {
    /// A number of 32 bits.
    Number(i64),
    /// An address of the Internet.
    Address(String),
}

/// A further thread of a process.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThreadTable {
    /// Name, once in the process: that of its function marked `#[riposte::thread]`, with `-` for
    /// `_`. Not `main`.
    pub name: At<String>,
    /// Priority: 1 to `kernel.priorities` less 1; higher is more urgent.
    pub priority: At<i64>,
    /// How it shares its level. Default `fifo`.
    #[serde(default)]
    pub policy: Policy,
    /// Its stack: at least 256 bytes, at most 16 MiB, a multiple of 8. A guard of 32 bytes is added below it.
    pub stack: At<Size>,
}

/// How a thread shares its priority level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// It runs until it blocks or yields.
    #[default]
    Fifo,
    /// After a slice the next one of its level runs.
    RoundRobin,
    /// As `round-robin`, and a thread that uses up its slice drops one level until it blocks.
    Adaptive,
}

/// What happens to a process that faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnFault {
    /// It is started again, with fresh memory.
    Restart,
    /// It stays stopped.
    #[default]
    Stop,
    /// It stays as it was, for a debugger.
    Hold,
}

/// What happens to a process that ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnExit {
    /// It stays ended.
    #[default]
    Stop,
    /// It is started again, with fresh memory.
    Restart,
}

/// What happens when a process has been restarted as often as it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnLimit {
    /// It stays stopped.
    Stop,
    /// The machine is reset a second later, unless a process that controls it restarts or stops it before.
    Reset,
}

/// What a process may do beyond its handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Grant {
    /// Stop the machine.
    Shutdown,
    /// Read fault records, and know the names of all processes.
    Supervisor,
    /// Ask what the threads of all processes are doing, what they wait for, and what they have used of their stacks;
    /// and know the names of all processes and channels.
    Inspect,
    /// Hand clients on to the servers of its own connections, which answer them in its place.
    Relay,
}

/// A place where a process receives messages.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelTable {
    /// Name, once in the manifest.
    pub name: At<String>,
    /// How many such channels there are: 2 to 255, called `NAME-1` and so on. Where a connection names
    /// the channel, it means each of them. Default: one, of the name itself; or one for each copy of its
    /// owner.
    pub copies: Option<At<i64>>,
    /// The process that receives from it.
    pub owner: At<String>,
    /// At which priority its clients are served: `"inherit"` (that of the client, the default),
    /// or a fixed one.
    pub priority: Option<At<ServicePriority>>,
    /// How its clients queue. Default `priority`.
    #[serde(default)]
    pub order: Order,
    /// What the owner is told of its clients. Default: nothing.
    #[serde(default)]
    pub notify: Vec<Notify>,
    /// Whether the owner can look up the names of the processes that have a connection to it, by their badges. Two
    /// processes may not have one badge to such channels of one owner, which looks up by it who sends. Where there are
    /// programs, `client-died` is also said of a process that has a `[[connection]]` and has never connected.
    #[serde(default)]
    pub client_names: bool,
}

/// At which priority the clients of a channel are served.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "\"inherit\" or a priority is wanted here")]
pub enum ServicePriority {
    /// A fixed one.
    Fixed(i64),
    /// As the word says: `inherit`.
    Word(String),
}

/// How the clients of a channel queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The most urgent first; in order of arrival within a priority.
    #[default]
    Priority,
    /// In order of arrival.
    Arrival,
}

/// What a channel's owner is told of its clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Notify {
    /// A process with a connection to the channel died.
    ClientDied,
    /// A client's deadline has passed while it is being served: it waits until it is answered.
    Unblock,
}

/// A canned message of a channel, triggered without blocking.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProxyTable {
    /// Name, once in the manifest, and no channel's. Its owner, who is that of the channel, asks for
    /// it by this name.
    pub name: At<String>,
    /// The channel at which it is received.
    pub channel: At<String>,
    /// What is received: at most 100 bytes. Default: nothing but which proxy it is.
    #[serde(default)]
    pub message: Option<At<String>>,
}

/// A process's right to send to a channel, or to trigger a proxy.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConnectionTable {
    /// The process that has the right.
    pub from: At<String>,
    /// The channel or the proxy.
    pub to: At<String>,
    /// Name by which the process asks for it, once in the process. Default: the channel's or proxy's.
    pub name: Option<At<String>>,
    /// What the server sees of the client: 1 to 4294967295, once in the channel, but not one of the 256 badges from
    /// 0x7FFFFF00 on, which are for `own-badge`. Default: the position among the channel's connections, from 1. Not for
    /// a proxy.
    pub badge: Option<At<i64>>,
    /// What the connection allows. Sending, or triggering a proxy, is always allowed.
    #[serde(default)]
    pub rights: Vec<Right>,
}

/// What a connection allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Right {
    /// Send messages.
    Send,
    /// Hand the connection on, in a reply.
    Transfer,
    /// The connection has the badge of its process: 0x7FFFFF00 and its position among the processes, from 0. With
    /// `transfer`: whoever gets it has a badge of its own process, and can send, and no more.
    OwnBadge,
    /// Set notification bits of the channel.
    Notify,
}

/// Memory that the processes it names have in common. It is zero when the system starts, and keeps
/// what it holds when a process ends or is restarted.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegionTable {
    /// Name, once in the manifest: by it the processes ask for the region.
    pub name: At<String>,
    /// Its size: a power of two, at least 32 bytes, and at least 4KiB on boards with page tables.
    pub size: At<Size>,
    /// The processes that may read and write it: their names, or `{ process = "name", access =
    /// "read" }` for one that may only read. It takes a protection region of each, where the board
    /// has such.
    pub processes: At<Vec<At<RegionProcess>>>,
}

/// A process that may use a region.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum RegionProcess {
    /// It may read and write.
    Name(String),
    /// It may do what is said.
    Table(RegionProcessTable),
}

impl<'de> Deserialize<'de> for RegionProcess {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameOr {
            table: "{ process = \"name\", access = \"read\" }",
            of_name: RegionProcess::Name,
            of_table: RegionProcess::Table,
        })
    }
}

/// A process, and what it may do with a region.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegionProcessTable {
    /// Its name.
    pub process: String,
    /// What it may do. Default `read-write`.
    #[serde(default)]
    pub access: RegionAccess,
}

/// What a process may do with a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RegionAccess {
    /// Read it and write it.
    #[default]
    ReadWrite,
    /// Read it only.
    Read,
}

/// Memory in equal blocks, of which processes make regions while the system runs: a block each. They hand them over in
/// replies, and map what they were handed.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PoolTable {
    /// Name, once in the manifest: by it the processes ask for the pool.
    pub name: At<String>,
    /// Size of a block: a power of two from 32 bytes to 1MiB (from 4KiB to 128KiB on boards with page tables).
    pub block: At<Size>,
    /// How many blocks: a power of two, at most 256.
    pub blocks: At<i64>,
    /// The processes that may make regions of it: their names, or `{ process = "name", blocks = 2 }` for one whose
    /// regions are that many blocks at most, whoever has them.
    pub processes: At<Vec<At<PoolProcess>>>,
}

/// A process that may make regions of a pool.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum PoolProcess {
    /// Of all its blocks.
    Name(String),
    /// Of as many as is said.
    Table(PoolProcessTable),
}

impl<'de> Deserialize<'de> for PoolProcess {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameOr {
            table: "{ process = \"name\", blocks = 2 }",
            of_name: PoolProcess::Name,
            of_table: PoolProcess::Table,
        })
    }
}

/// A process, and how much of a pool it may have made regions of.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PoolProcessTable {
    /// Its name.
    pub process: String,
    /// Most blocks. Default: all.
    pub blocks: Option<i64>,
}

/// Reads a name, or a table in its place, of which a mistake is told where it stands: serde's untagged enums forget that.
struct NameOr<P, T> {
    /// How the table is written.
    table: &'static str,
    of_name: fn(String) -> P,
    of_table: fn(T) -> P,
}

impl<'de, P, T: Deserialize<'de>> Visitor<'de> for NameOr<P, T> {
    type Value = P;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the name of a process, or {},", self.table)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<P, E> {
        Ok((self.of_name)(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<P, A::Error> {
        T::deserialize(MapAccessDeserializer::new(table)).map(self.of_table)
    }
}
