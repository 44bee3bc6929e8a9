//! What all threads of a round know.

use crate::plan::{PLAYERS, PROCESSES, PROGRAM, THREADS, THREADS_EACH, thread_at};
use crate::record::{Record, WORDS};

/// Most calls of a round.
pub const MOST_CALLS: usize = 448;
/// How many handles and tokens are remembered.
pub const REMEMBERED: usize = 24;
/// Moments of a round, one quantum apart. No two things happen at the same one, and whatever a moment
/// sets off is over long before the next.
pub const MOMENTS: u32 = 62;

/// A handle that somebody got.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Held {
    /// Its value.
    pub value: u32,
    /// Whose it is.
    pub process: u32,
    /// What it is for: [`kind`].
    pub kind: u32,
}

/// What a handle is for.
pub mod kind {
    /// To send to a channel.
    pub const CONNECTION: u32 = 1;
    /// A proxy.
    pub const PROXY: u32 = 2;
    /// A timer.
    pub const TIMER: u32 = 3;
    /// An interrupt.
    pub const INTERRUPT: u32 = 4;
    /// It came in a reply.
    pub const GIVEN: u32 = 5;
    /// Whatever it was, its process has started again since.
    pub const STALE: u32 = 6;
    /// A region that is made at run time.
    pub const REGION: u32 = 7;
}

/// A token that somebody got.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Token {
    /// Its part in `INFO`.
    pub tag: u32,
    /// Its part in `GENERATION`.
    pub generation: u32,
    /// Whose it is.
    pub process: u32,
    /// 1: its client may still wait. 0: that one has been answered, or waits no more.
    pub open: u32,
}

/// Memory that came with a message, and is still in a window for all that anybody knows.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Opened {
    /// Where it is. 0: it is gone.
    pub address: u32,
    /// The thread that has received it.
    pub thread: u32,
    /// The token of the message.
    pub tag: u32,
    /// See `tag`.
    pub generation: u32,
    /// What it is: the mark of the message.
    pub mark: u32,
}

/// How many windows are remembered.
pub const OPENED: usize = 4;

/// A region that a process has mapped.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Mapped {
    /// Where it is. 0: it is not.
    pub address: u32,
    /// Whose it is.
    pub process: u32,
    /// 1: it may be written.
    pub writable: u32,
}

/// How many regions can be mapped: as many as all processes have places for.
pub const MAPPED: usize = 4;
/// How many addresses in regions a call can name.
pub const NAMED: usize = 4;

/// Nobody.
const NOBODY: u32 = 0xFF;

/// What all threads of a round know. On a board it lies in a region that they share; nobody interrupts a
/// thread that changes it, since time passes only while all wait.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct World {
    /// The round's seed.
    pub seed: u32,
    /// Which round of this boot it is.
    pub round: u32,
    /// How many calls have returned.
    pub count: u32,
    /// All records so far, hashed.
    pub hash: u32,
    /// Moments that are taken.
    pub taken: [u32; 2],
    /// How often each thread has started in this round.
    pub lives: [u32; THREADS],
    /// The id of each thread.
    pub ids: [u32; THREADS],
    /// Where the words of each process are.
    pub private: [u32; PROCESSES],
    /// Where the buffer of each thread is.
    pub buffers: [u32; THREADS],
    /// Handles, the oldest is overwritten.
    pub handles: [Held; REMEMBERED],
    /// How many handles there have been.
    pub handles_seen: u32,
    /// Tokens, the oldest is overwritten.
    pub tokens: [Token; REMEMBERED],
    /// How many tokens there have been.
    pub tokens_seen: u32,
    /// Pages of each process that it may not touch for all that it knows: a bit for each.
    pub away: [u32; PROCESSES],
    /// Who has sent each of its pages last.
    pub sender: [[u32; 2]; PROCESSES],
    /// What is in windows.
    pub opened: [Opened; OPENED],
    /// Which processes have said where their signals go: a bit for each.
    pub handles_signals: u32,
    /// Regions that are mapped.
    pub mapped: [Mapped; MAPPED],
    /// Where each process has given up a region last, if nothing can be there since; else 0.
    pub given_up: [u32; PROCESSES],
    /// Regions that the calls name which the threads are in: where each begins.
    pub named: [[u32; NAMED]; THREADS],
    /// What threads are giving up, as far as anybody knows: where each such region begins.
    pub releases: [u32; THREADS],
    /// What the answers to the threads bring, if they bring a handle: a kind.
    pub given: [u32; THREADS],
    /// Which processes have handed on regions: a bit for each.
    pub givers: u32,
    /// Handles of the channels at which the threads wait for messages; 0: they do not.
    pub receives: [u32; THREADS],
    /// Which processes do not run, for all that anybody knows: a bit for each.
    pub stopped: u32,
    /// How often somebody has computed.
    pub spells: u32,
    /// What each call came to, in order.
    pub log: [[u32; WORDS]; MOST_CALLS],
}

impl World {
    /// A world in which nothing has happened.
    pub const NEW: World = World {
        seed: 0,
        round: 0,
        count: 0,
        hash: 0,
        taken: [0; 2],
        lives: [0; THREADS],
        ids: [0; THREADS],
        private: [0; PROCESSES],
        buffers: [0; THREADS],
        handles: [Held {
            value: 0,
            process: 0,
            kind: 0,
        }; REMEMBERED],
        handles_seen: 0,
        tokens: [Token {
            tag: 0,
            generation: 0,
            process: 0,
            open: 0,
        }; REMEMBERED],
        tokens_seen: 0,
        away: [0; PROCESSES],
        sender: [[NOBODY; 2]; PROCESSES],
        opened: [Opened {
            address: 0,
            thread: 0,
            tag: 0,
            generation: 0,
            mark: 0,
        }; OPENED],
        handles_signals: 0,
        mapped: [Mapped {
            address: 0,
            process: 0,
            writable: 0,
        }; MAPPED],
        given_up: [0; PROCESSES],
        named: [[0; NAMED]; THREADS],
        releases: [0; THREADS],
        given: [kind::GIVEN; THREADS],
        givers: 0,
        receives: [0; THREADS],
        stopped: 1 << PROGRAM,
        spells: 0,
        log: [[0; WORDS]; MOST_CALLS],
    };

    /// The next round begins.
    pub fn begin(&mut self, seed: u32, round: u32) {
        (self.seed, self.round) = (seed, round);
        (self.count, self.hash) = (0, 0x811C_9DC5);
        // The first moments are the threads' starts.
        self.taken = [0; 2];
        for thread in 0..PLAYERS {
            let moment = start_of(seed, thread) as usize;
            self.taken[moment / 32] |= 1 << (moment % 32);
        }
        (self.lives, self.ids) = ([0; THREADS], [0; THREADS]);
        (self.handles_seen, self.tokens_seen) = (0, 0);
        self.handles = Self::NEW.handles;
        self.tokens = Self::NEW.tokens;
        self.opened = Self::NEW.opened;
        self.handles_signals = 0;
        self.mapped = Self::NEW.mapped;
        self.given_up = Self::NEW.given_up;
        self.named = Self::NEW.named;
        self.releases = Self::NEW.releases;
        self.given = Self::NEW.given;
        self.givers = 0;
        self.receives = [0; THREADS];
        self.stopped = Self::NEW.stopped;
        self.spells = 0;
        for process in 0..PROCESSES {
            self.have_pages(process, true);
        }
    }

    /// Whether there are signals in this round: in one of two.
    #[must_use]
    pub fn has_signals(&self) -> bool {
        self.seed >> 26 & 1 == 0
    }

    /// Whether regions are made in this round: in one of two.
    #[must_use]
    pub fn has_regions(&self) -> bool {
        self.seed >> 2 & 1 != 0
    }

    /// Whether threads take turns in this round: in those without signals, but not in the first ones of a boot, since once a
    /// thread has done so the kernel plans turns for good.
    #[must_use]
    pub fn has_slices(&self) -> bool {
        self.round >= 256 && !self.has_signals()
    }

    /// Whether processes are stopped and started in this round, and a program among them: in one of two.
    #[must_use]
    pub fn has_programs(&self) -> bool {
        self.seed >> 5 & 1 == self.seed >> 8 & 1
    }

    /// Whether clients are handed on in this round: in one of two.
    #[must_use]
    pub fn has_relays(&self) -> bool {
        self.seed >> 3 & 1 == self.seed >> 6 & 1
    }

    /// A process has mapped a region.
    pub fn map(&mut self, mapped: Mapped) {
        if let Some(free) = self.mapped.iter_mut().find(|it| it.address == 0) {
            *free = mapped;
        }
    }

    /// A thread is about to give up the region that its process has mapped there, if one is.
    pub fn unmap(&mut self, thread: usize, address: u32) {
        let process = thread / THREADS_EACH;
        for mapped in &mut self.mapped {
            if mapped.address == address && mapped.process as usize == process && address != 0 {
                mapped.address = 0;
                self.given_up[process] = address;
                self.releases[thread] = address;
            }
        }
    }

    /// A region that the process has mapped: one of several, by number.
    #[must_use]
    pub fn mapped_by(&self, process: usize, number: usize) -> Option<Mapped> {
        (0..MAPPED)
            .map(|step| self.mapped[(number + step) % MAPPED])
            .find(|it| it.address != 0 && it.process as usize == process)
    }

    /// Whether the process has mapped one region, and no other.
    #[must_use]
    pub fn mapped_alone(&self, process: usize) -> bool {
        let own = |it: &&Mapped| it.address != 0 && it.process as usize == process;
        self.mapped.iter().filter(own).count() == 1
    }

    /// Another process, which has mapped a region to be read alone.
    #[must_use]
    pub fn reader_beside(&self, process: usize) -> Option<usize> {
        let reads =
            |it: &&Mapped| it.address != 0 && it.writable == 0 && it.process as usize != process;
        self.mapped.iter().find(reads).map(|it| it.process as usize)
    }

    /// Whether a thread of the process is in a call that names a region which is not mapped any more, or gives one up:
    /// that call may be over but for what its thread makes of it, or come again and give up what is mapped there by then.
    /// Another one might come to be at that address, or not, as boards differ.
    #[must_use]
    pub fn names_given_up(&self, process: usize) -> bool {
        let threads = process * THREADS_EACH..(process + 1) * THREADS_EACH;
        let is_mapped = |address: u32| {
            (self.mapped.iter()).any(|it| it.address == address && it.process as usize == process)
        };
        let named = self.named[threads.clone()].iter().flatten();
        let mut names = named.chain(&self.releases[threads]);
        names.any(|address| *address != 0 && !is_mapped(*address))
    }

    /// The process is about to answer the client of this token, and to hand this on to it.
    pub fn give(&mut self, process: usize, value: u32, tag: u32) {
        let is_region = |held: &Held| {
            held.value == value && held.process as usize == process && held.kind == kind::REGION
        };
        let is_region = self.handles.iter().any(is_region);
        self.givers |= u32::from(is_region) << process;
        if let Some(client) = thread_of(tag)
            && let Some(given) = self.given.get_mut(client)
        {
            *given = if is_region { kind::REGION } else { kind::GIVEN };
        }
    }

    /// Whether the process has handed on regions since it started, or has tried to.
    #[must_use]
    pub fn has_given(&self, process: usize) -> bool {
        self.givers >> process & 1 != 0
    }

    /// The newest handle of the process for this.
    #[must_use]
    pub fn newest(&self, process: u32, kind: u32) -> Option<u32> {
        let seen = self.handles_seen as usize;
        let newest =
            (0..seen.min(REMEMBERED)).map(|back| self.handles[(seen - 1 - back) % REMEMBERED]);
        let mut newest = newest.filter(|held| held.process == process && held.kind == kind);
        newest.next().map(|held| held.value)
    }

    /// The process has closed this handle of a region.
    pub fn close_region(&mut self, process: usize, value: u32) {
        for held in &mut self.handles {
            let is_it = held.value == value && held.process as usize == process;
            if is_it && held.kind == kind::REGION {
                held.kind = kind::STALE;
            }
        }
    }

    /// A process starts, and has all of its pages, or not.
    pub fn have_pages(&mut self, process: usize, all: bool) {
        self.away[process] = if all { 0 } else { 3 };
        self.sender[process] = [NOBODY; 2];
    }

    /// The process has this page back, and nobody else is sending it.
    pub fn have_page(&mut self, process: usize, page: usize) {
        self.away[process] &= !(1 << page);
        self.sender[process][page] = NOBODY;
    }

    /// A thread is about to send a page. Whether it was away already.
    pub fn send_page(&mut self, process: usize, page: usize, thread: usize) -> bool {
        let was = self.away[process] >> page & 1 != 0;
        self.away[process] |= 1 << page;
        self.sender[process][page] = thread as u32;
        was
    }

    /// Whether the thread was the last that sent the page.
    #[must_use]
    pub fn has_sent(&self, process: usize, page: usize, thread: usize) -> bool {
        self.sender[process][page] == thread as u32
    }

    /// Memory has come.
    pub fn open(&mut self, opened: Opened) {
        if let Some(free) = self.opened.iter_mut().find(|it| it.address == 0) {
            *free = opened;
        }
    }

    /// What fits is in no window any more.
    pub fn shut(&mut self, fits: impl Fn(&Opened) -> bool) {
        for opened in &mut self.opened {
            if fits(opened) {
                opened.address = 0;
            }
        }
    }

    /// The round is over, and this is the next one: nobody draws a call until it begins.
    pub fn close(&mut self, next: u32) {
        self.round = next;
        self.count = MOST_CALLS as u32;
    }

    /// Whether the round has had its calls.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.count as usize >= MOST_CALLS - PLAYERS
    }

    /// Takes the moment `wished`, or the next one that nobody has taken.
    pub fn take_moment(&mut self, wished: u32) -> Option<u32> {
        let free = |moment: &u32| self.taken[*moment as usize / 32] >> (moment % 32) & 1 == 0;
        let moment = (wished..MOMENTS).find(free)?;
        self.taken[moment as usize / 32] |= 1 << (moment % 32);
        Some(moment)
    }

    /// Writes down what a call came to.
    pub fn write(&mut self, record: Record) {
        if let Some(place) = self.log.get_mut(self.count as usize) {
            *place = record.0;
            self.count += 1;
        }
        for word in record.0 {
            self.hash = (self.hash ^ word).wrapping_mul(0x0100_0193).rotate_left(5);
        }
    }

    /// Remembers a handle. Returns what it means to anybody: its slot, and which of those that are
    /// remembered it is, if it is one.
    pub fn see_handle(&mut self, value: u32, process: usize, kind: u32) -> u32 {
        let same = |held: &Held| held.value == value && held.process == process as u32;
        let known = self.handles.iter().position(same);
        if let Some(place) = known {
            self.handles[place].kind = kind;
        } else {
            let place = self.handles_seen as usize % REMEMBERED;
            self.handles[place] = Held {
                value,
                process: process as u32,
                kind,
            };
            self.handles_seen += 1;
        }
        meaning(value & riposte_abi::call::INDEX_MASK, known)
    }

    /// The client that a token names waits no more.
    pub fn close_token(&mut self, tag: u32, generation: u32) {
        for token in &mut self.tokens {
            if token.tag == tag && token.generation == generation {
                token.open = 0;
            }
        }
    }

    /// The call of a thread has returned: it waits for no answer.
    pub fn close_tokens_of(&mut self, thread: usize) {
        for token in &mut self.tokens {
            if thread_of(token.tag) == Some(thread) {
                token.open = 0;
            }
        }
    }

    /// Whether a thread waits for messages at this channel of a process.
    #[must_use]
    pub fn is_received_from(&self, process: usize, handle: u32) -> bool {
        let threads = &self.receives[process * THREADS_EACH..(process + 1) * THREADS_EACH];
        threads.contains(&handle)
    }

    /// The newest of the process's tokens whose clients may still wait, or the one before.
    #[must_use]
    pub fn open_token(&self, process: usize, before: bool) -> Option<Token> {
        let seen = self.tokens_seen as usize;
        let newest =
            (0..seen.min(REMEMBERED)).map(|back| self.tokens[(seen - 1 - back) % REMEMBERED]);
        let mut open = newest.filter(|token| token.process == process as u32 && token.open != 0);
        let first = open.next();
        if before { open.next().or(first) } else { first }
    }

    /// Whether the process has had a handle for this since it started.
    #[must_use]
    pub fn has_handle(&self, process: usize, kind: u32) -> bool {
        let fits = |held: &Held| held.process == process as u32 && held.kind == kind;
        self.handles.iter().any(fits)
    }

    /// A process has started again: what it had is gone.
    pub fn forget(&mut self, process: usize) {
        for held in &mut self.handles {
            if held.process == process as u32 && held.kind != 0 {
                held.kind = kind::STALE;
            }
        }
        for token in &mut self.tokens {
            if token.process == process as u32 {
                token.open = 0;
            }
        }
        let own = |opened: &Opened| opened.thread as usize / THREADS_EACH == process;
        self.shut(own);
        self.handles_signals &= !(1 << process);
        for mapped in &mut self.mapped {
            if mapped.process as usize == process {
                mapped.address = 0;
            }
        }
        self.given_up[process] = 0;
        self.givers &= !(1 << process);
        let threads = process * THREADS_EACH..(process + 1) * THREADS_EACH;
        self.named[threads.clone()].fill([0; NAMED]);
        self.releases[threads.clone()].fill(0);
        self.receives[threads].fill(0);
    }

    /// Remembers a token, as [`World::see_handle`] a handle.
    pub fn see_token(&mut self, tag: u32, generation: u32, process: usize) -> u32 {
        let same = |token: &Token| token.tag == tag && token.generation == generation;
        let known = self.tokens.iter().position(same);
        if known.is_none() {
            let place = self.tokens_seen as usize % REMEMBERED;
            self.tokens[place] = Token {
                tag,
                generation,
                process: process as u32,
                open: 1,
            };
            self.tokens_seen += 1;
        }
        let thread = tag >> riposte_abi::info::THREAD_SHIFT & 0xFF;
        meaning(thread, known)
    }
}

/// The thread that a token names.
fn thread_of(tag: u32) -> Option<usize> {
    thread_at(tag >> riposte_abi::info::THREAD_SHIFT & 0xFF)
}

/// Whether what [`World::see_token`] or [`World::see_handle`] has seen was seen for the first time.
pub(crate) fn is_new(meaning: u32) -> bool {
    meaning >> 8 == u32::from(u8::MAX)
}

fn meaning(index: u32, known: Option<usize>) -> u32 {
    index | known.map_or(0xFF, |place| place as u32) << 8
}

/// The moment at which a thread starts in the round of this seed: 1 to 15, each once; or 0, if it is the program's, which
/// starts when it is told to.
#[must_use]
pub fn start_of(seed: u32, thread: usize) -> u32 {
    if thread >= PLAYERS {
        return 0;
    }
    // Steps of 1, 2, 4, 7, 8, 11, 13 or 14 reach all of 15 places.
    let step = [1, 2, 4, 7, 8, 11, 13, 14][seed as usize % 8];
    let first = (seed >> 3) % PLAYERS as u32;
    1 + (first + thread as u32 * step) % PLAYERS as u32
}

/// Moments of a round's end, which nobody takes: the board says what the round came to; the processes end, each
/// at a moment of its own; and the next round is prepared.
pub mod after {
    /// The conductor looks at the round.
    pub const LOOK: u32 = 64;
    /// The first process ends, after the program.
    pub const REAP: u32 = 66;
    /// Those that have been stopped start again.
    pub const REVIVE: u32 = 69;
    /// The next round is prepared.
    pub const PREPARE: u32 = 70;
    /// Nothing more.
    pub const REST: u32 = 71;
    /// Moments from one round to the next.
    pub const ALL: u32 = 72;
}

/// The moment at which a process ends after each round: its manager is told of the end of a program, and ends later.
#[must_use]
pub fn end_of(process: usize) -> u32 {
    match process {
        PROGRAM => after::REAP - 1,
        _ => after::REAP + process as u32,
    }
}

/// Moments before the first round.
const LEAD: u64 = 20;

/// How time is divided. What a moment sets off must be over before the next one; but a board that cannot skip
/// the time in which all wait should have them close together.
#[derive(Clone, Copy, Debug)]
pub struct Moments {
    /// Nanoseconds from one to the next.
    pub quantum: u64,
}

impl Moments {
    /// Those of a board whose setting `quantum` says so many microseconds.
    #[must_use]
    pub fn of_setting(microseconds: u32) -> Self {
        Self {
            quantum: u64::from(microseconds) * 1000,
        }
    }

    /// When a moment of a round comes, in nanoseconds of monotonic time.
    #[must_use]
    pub fn time_of(self, round: u32, moment: u32) -> u64 {
        (LEAD + u64::from(round) * u64::from(after::ALL) + u64::from(moment)) * self.quantum
    }

    /// The last moment of a round by this time.
    #[must_use]
    pub fn moment_of(self, round: u32, time: u64) -> u32 {
        (time.saturating_sub(self.time_of(round, 0)) / self.quantum) as u32
    }
}

/// The seed of a round of a boot whose first seed is this.
#[must_use]
pub fn seed_of(first: u32, round: u32) -> u32 {
    let mixed = first.wrapping_add(round).wrapping_mul(0x9E37_79B1);
    (mixed ^ mixed >> 15).wrapping_mul(0x85EB_CA77)
}

/// What lies in the region that all share.
#[repr(C)]
pub struct Shared {
    /// What all know.
    pub world: World,
    /// Words to wait at.
    pub words: [u32; crate::draw::SHARED as usize],
}
