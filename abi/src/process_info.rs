//! What a process is told at its start: the names that the manifest gives it.
//!
//! `r0` (`a0` on RISC-V) of a starting thread points to a [`Header`] in the process's read-only memory, followed
//! by `count` [`Entry`]s; `r1` (`a1`) is the thread's index within the process, `r2` (`a2`) its id
//! ([`crate::thread`]).

/// Marks a header: "RIP1".
pub const MAGIC: u32 = 0x3150_4952;

/// First words of the table.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// [`MAGIC`].
    pub magic: u32,
    /// Number of entries.
    pub count: u32,
    /// Index of the process in the manifest.
    pub process: u32,
    /// Address of the process's name, UTF-8.
    pub name: u32,
    /// Length of the process's name in bytes.
    pub name_length: u32,
}

/// What an entry names.
pub mod kind {
    /// A connection: `value` is the slot for [`crate::call::number::CONNECT`].
    pub const CONNECTION: u32 = 1;
    /// A channel of this process: `value` is its handle.
    pub const CHANNEL: u32 = 2;
    /// A peripheral of the board: `value` is its address.
    pub const PERIPHERAL: u32 = 3;
    /// A process of the system (told to supervisors, and to those who may inspect others): `value` is its index.
    pub const PROCESS: u32 = 4;
    /// A number from the process's `[process.settings]`: `value` is it.
    pub const SETTING: u32 = 5;
    /// What the peripheral at address `value` is: the name tells a driver.
    pub const DEVICE: u32 = 6;
    /// Where the process's pages begin: `value` is their address.
    pub const PAGES: u32 = 7;
    /// Length of the process's pages in bytes.
    pub const PAGES_SIZE: u32 = 8;
    /// How many threads the process has, if it has several.
    pub const THREADS: u32 = 9;
    /// A region that the process may read and write: `value` is its address.
    pub const REGION: u32 = 10;
    /// A region that the process may only read: `value` is its address.
    pub const READ_ONLY_REGION: u32 = 11;
    /// Length in bytes of the region of this name.
    pub const REGION_SIZE: u32 = 12;
    /// A proxy of the manifest, the process's own or one that it may trigger: `value` is the slot for
    /// [`crate::call::number::CONNECT`].
    pub const PROXY: u32 = 13;
    /// An interrupt of the process: `value` is its position for
    /// [`crate::call::number::INTERRUPT_ATTACH`].
    pub const INTERRUPT: u32 = 15;
    /// Bytes that the process may use of the peripheral of this name: `value` is how many.
    pub const PERIPHERAL_SIZE: u32 = 16;
    /// A process that this one controls: `value` is its position for
    /// [`crate::call::number::PROCESS_RESTART`] and [`crate::call::number::PROCESS_STOP`].
    pub const CONTROLLED: u32 = 17;
    /// A process with a connection to a channel of this one, or that may be handed one with a badge of its own, if the channel's `client_names` says so: `value` is the
    /// connection's badge.
    pub const CLIENT: u32 = 18;
    /// Names that a client of the names server, which alone is told, may register: `value` is the badge of the client,
    /// the name is a pattern, a path or one that ends in `/*`.
    pub const REGISTERS: u32 = 19;
    /// Names that a client of the names server may find, as in [`REGISTERS`].
    pub const FINDS: u32 = 20;
    /// A channel that can be registered (told to the names server): `value` is its owner's badge. Those of one owner are
    /// in the order in which it knows them itself, and each is followed by its [`PROVIDED`] and its [`PROVIDING`].
    pub const PROVIDER: u32 = 21;
    /// The names server's connection to the channel of the [`PROVIDER`] before it: `value` is the slot for
    /// [`crate::call::number::CONNECT`].
    pub const PROVIDED: u32 = 22;
    /// A channel of the system (told to those who may ask what threads are doing): `value` is its index.
    pub const ANY_CHANNEL: u32 = 23;
    /// A process that this one may send signals to: `value` is its position for
    /// [`crate::signal::number::SEND`].
    pub const SIGNALLED: u32 = 24;
    /// A process that runs a program at times (told to the process manager): `value` is its index, the name is the
    /// program's.
    pub const PROGRAM: u32 = 25;
    /// Programs that a client of the process manager, which alone is told, may spawn: the low eight bits of `value` are
    /// the index of its process, the next eight how many children it may have; the name is a pattern, a program's name
    /// or the beginning of some and `*`.
    pub const SPAWNS: u32 = 26;
    /// Where the region of this name lies for a device that reads or writes memory by itself (told to processes that have
    /// a peripheral): `value` is the address.
    pub const REGION_FOR_DEVICES: u32 = 27;
    /// The owner of the `PROVIDER` before it: `value` is the badge of its process, in a connection that has that.
    pub const PROVIDING: u32 = 28;
    /// A pool of which the process may make regions: `value` is its position for [`crate::region::number::CREATE`].
    pub const POOL: u32 = 29;
    /// The process of the `CLIENT` before it, where there are programs: `value` is its position in the manifest; `0xFFFFFFFF` if
    /// it has the connection by a name alone, so that its end is told only if it uses it.
    pub const CLIENT_PROCESS: u32 = 30;
}

/// One name.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it names ([`kind`]).
    pub kind: u32,
    /// Meaning by kind.
    pub value: u32,
    /// Address of the name, UTF-8.
    pub name: u32,
    /// Length of the name in bytes.
    pub name_length: u32,
}
