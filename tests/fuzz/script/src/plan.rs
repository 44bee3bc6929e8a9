//! The system that the rounds run in. `../board/app.toml` says the same to the image builder: where the two differ, so do
//! the board and the model.

/// Processes that play.
pub const PROCESSES: usize = 4;
/// Those that are there from the start. The last one is a program.
pub const RESIDENTS: usize = 3;
/// The program, which runs in some rounds only, when its manager says so.
pub const PROGRAM: usize = 3;
/// The manager of the program.
pub const MANAGER: usize = 1;
/// Indices of the processes in the manifest: programs are the last ones.
pub const INDICES: [u32; PROCESSES] = [0, 1, 2, 5];
/// Threads of each: three that play, one that ends the process after the round, and a spare one.
pub const THREADS_EACH: usize = 5;
/// Threads that play, or may.
pub const THREADS: usize = PROCESSES * THREADS_EACH;
/// Those of processes that are there from the start.
pub const PLAYERS: usize = RESIDENTS * THREADS_EACH;
/// Threads of other processes, before those of the program.
const OTHERS: u32 = 2;
/// Position of the thread that ends its process after each round.
pub const REAPER: usize = 3;
/// Position of the spare thread.
pub const SPARE: usize = 4;
/// The highest priority that a process may give to a thread.
pub const PRIORITY_LIMIT: u8 = 12;
/// Most bytes of a stack of the spare thread.
pub const SPARE_STACK: u32 = 4096;
/// Handle slots of each process.
pub const HANDLES: u32 = 32;
/// The longest chain of waiting threads.
pub const DEPTH: usize = 8;
/// Proxies, and timers, that each process can have.
pub const PROXIES: usize = 2;
/// See [`PROXIES`].
pub const TIMERS: usize = 2;

/// Bytes of a page, of a window, and of all memory that a process lends or moves here: what every board can express.
pub const PAGE: u32 = 4096;
/// Pages of each process.
pub const PAGES: [usize; PROCESSES] = [2, 0, 2, 0];
/// How many pieces of them can be away at once.
pub const GAPS: [usize; PROCESSES] = [1, 0, 2, 0];
/// How many messages with memory each process can hold.
pub const WINDOWS: [usize; PROCESSES] = [0, 2, 0, 0];

/// Bytes of a block of each pool: what boards with page tables have at least.
pub const BLOCK: u32 = 4096;
/// Blocks of each pool.
pub const BLOCKS: [usize; 2] = [4, 2];
/// Of which pools each process may make regions, by position, and of how many blocks at once.
pub const QUOTAS: [&[(usize, usize)]; PROCESSES] = [&[(0, 2), (1, 1)], &[(1, 2)], &[(0, 3)], &[]];
/// How many regions each process can have mapped.
pub const MAPPINGS: [usize; PROCESSES] = [2, 1, 1, 0];

/// How long the turn of a thread is that takes turns with its equals, in nanoseconds.
pub const SLICE: u64 = 2_000_000;
/// How often somebody computes in a round, for so many eighths of a slice, or so many and a whole one: no two of the sums that
/// come of these are equal, nor follow each other within what calls take; and all are less than from one moment to the next.
pub const SPELLS: [u64; 3] = [1, 2, 4];

/// Priorities of the threads of each process. The spare one gets its own when it starts.
pub const PRIORITIES: [[u8; THREADS_EACH - 1]; PROCESSES] =
    [[4, 4, 6, 31], [5, 8, 3, 31], [9, 4, 12, 31], [7, 5, 10, 31]];

/// A channel.
#[derive(Clone, Copy, Debug)]
pub struct Channel {
    /// Its name in the manifest.
    pub name: &'static str,
    /// The process that receives there.
    pub owner: usize,
    /// The priority of its servers, if it is fixed.
    pub fixed: Option<u8>,
    /// Messages wait in order of arrival.
    pub by_arrival: bool,
    /// Its servers are told of clients that died.
    pub client_died: bool,
    /// Its servers are told of clients whose deadline has passed.
    pub unblock: bool,
}

/// All channels.
pub const CHANNELS: [Channel; 6] = [
    channel("a-first", 0, None, false, true, false),
    channel("a-second", 0, Some(7), false, false, false),
    channel("b-first", 1, None, true, false, true),
    channel("b-second", 1, None, false, true, true),
    channel("g-first", 2, None, false, false, false),
    channel("b-ends", 1, None, false, true, true),
];

const fn channel(
    name: &'static str,
    owner: usize,
    fixed: Option<u8>,
    by_arrival: bool,
    client_died: bool,
    unblock: bool,
) -> Channel {
    Channel {
        name,
        owner,
        fixed,
        by_arrival,
        client_died,
        unblock,
    }
}

/// The badge of each process's connections: also the number of an interrupt line of somebody else, on one
/// board or another.
pub const BADGES: [u32; PROCESSES] = [30, 31, 95, 127];

/// Channels to which all have connections, in this order: the first ones. The program has one to its manager's, too.
pub const CONNECTED: usize = 5;
/// The channel at which its manager is told of the program's ends.
pub const ENDS: usize = 5;

/// How many connections a process has: their slots come first.
#[must_use]
pub const fn connections(process: usize) -> usize {
    if process == PROGRAM {
        CONNECTED + 1
    } else {
        CONNECTED
    }
}

/// The badge of the connection of this process to this channel.
#[must_use]
pub const fn badge(process: usize, channel: usize) -> u32 {
    if gives_badges(process, channel) || channel == ENDS {
        riposte_abi::process_badge(INDICES[process] as u8)
    } else {
        BADGES[process]
    }
}

/// The index of a thread among all of the system's.
#[must_use]
pub const fn index_of(thread: usize) -> u32 {
    let others = if thread < PLAYERS { 0 } else { OTHERS };
    thread as u32 + others
}

/// The thread of this index, if it plays.
#[must_use]
pub const fn thread_at(index: u32) -> Option<usize> {
    const FIRST: u32 = index_of(PLAYERS);
    let thread = match index {
        ..FIRST if index as usize >= PLAYERS => return None,
        ..FIRST => index as usize,
        _ => (index - OTHERS) as usize,
    };
    if thread < THREADS { Some(thread) } else { None }
}

/// Whether the connection of this process to this channel may be handed on.
#[must_use]
pub const fn may_transfer(process: usize, channel: usize) -> bool {
    channel != ENDS && !(process + channel).is_multiple_of(3)
}

/// Whether that connection has the badge of its process, and whoever gets it that of its own, and can only send.
#[must_use]
pub const fn gives_badges(process: usize, channel: usize) -> bool {
    may_transfer(process, channel) && (2 * process + channel).is_multiple_of(3)
}

/// Whether the connection of this process to this channel may set bits.
#[must_use]
pub const fn may_notify(process: usize, channel: usize) -> bool {
    channel != ENDS && !(process + channel).is_multiple_of(2)
}

/// How many signals with a word can wait in each process.
pub const SIGNAL_QUEUE: [usize; PROCESSES] = [2, 0, 3, 1];
/// To which processes each may send signals, by position.
pub const SIGNAL_TARGETS: [&[usize]; PROCESSES] = [&[1], &[2, 0, 3], &[], &[]];

/// Which processes may hand clients on to the servers of their connections.
pub const RELAYS: [bool; PROCESSES] = [true, true, false, false];

/// How many interrupts each process has.
pub const INTERRUPTS: [usize; PROCESSES] = [1, 1, 0, 0];

/// Which processes each may restart and stop, by position.
pub const CONTROLS: [&[usize]; PROCESSES] = [&[1], &[2, PROGRAM], &[0], &[]];

/// The channels of a process, in order.
pub fn channels_of(process: usize) -> impl Iterator<Item = usize> {
    (0..CHANNELS.len()).filter(move |channel| CHANNELS[*channel].owner == process)
}

/// The handle of channel number `nth` of a process: connections come before it.
#[must_use]
pub fn channel_handle(process: usize, nth: usize) -> u32 {
    let count = channels_of(process).count().max(1);
    riposte_abi::call::handle((connections(process) + nth % count) as u32, 1)
}
