//! Draws the calls of a thread.

mod program;
mod relay;
mod slice;

use riposte_abi::call::{self, number, operation};
use riposte_abi::lock::{OWNER_MASK, WAITERS};
use riposte_abi::{MAX_PARTS, info, region, register, signal, thread::policy};

use crate::plan::{
    BLOCK, CHANNELS, CONTROLS, HANDLES, PAGE, PAGES, PLAYERS, PROGRAM, QUOTAS, RESIDENTS, SPARE,
    SPARE_STACK, THREADS_EACH, channel_handle, connections,
};
use crate::world::{Held, MAPPED, MOMENTS, Mapped, NAMED, OPENED, Opened, REMEMBERED, World, kind};

/// Bytes of a thread's buffer.
pub const BUFFER: u32 = 64;
/// Words that all processes share: the first are locks, the others semaphores.
pub const SHARED: u32 = 5;
/// How many of them are locks.
pub const LOCKS: u32 = 2;
/// Words of a page, or of what is in a window, that programs look at: the first ones.
pub const PAGE_WORDS: u32 = 16;
/// Where rooms lie in a region. Messages lie before that, and at its end: so no copy has both ends in the same bytes.
const ROOM: u32 = 64;
/// Where a region has words to wait at: where no copy is, since ids of threads differ from board to board.
const REGION_WORDS_AT: u32 = BLOCK / 2;
/// How many they are: a lock, and semaphores.
const REGION_WORDS: u32 = 3;
/// Words of each process of its own: a lock and a semaphore.
pub const PRIVATE: u32 = 2;
/// Signals that are sent: two that only wait, and two that bring a word. A handler masks its own, so that no more are
/// interrupted by each other.
const SIGNALS: [u32; 4] = [3, 7, 33, 40];
/// Calls of a thread's life.
const CALLS: u32 = 28;

/// The words of a region that programs look at: where messages and rooms are, and the last ones.
pub fn words_of_block() -> impl Iterator<Item = u32> {
    (0..2 * ROOM / 4).chain(BLOCK / 4 - 4..BLOCK / 4)
}

/// What a thread's table of parts is for: both stay as they are while it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// A message or an answer.
    Message,
    /// Room for one.
    Room,
}

/// Tables of a thread.
pub const TABLES: usize = 2;

/// Somewhere in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A word that all share.
    Shared(u32),
    /// A word of the process of this index.
    Private(usize, u32),
    /// So many bytes into the buffer of this thread.
    Buffer(usize, u32),
    /// A table of parts of this thread.
    Table(usize, Table),
    /// So many bytes into the pages of this process.
    Page(usize, u32),
    /// The beginning of the process's code.
    Code,
    /// Where the spare thread starts.
    Start,
    /// Where the process handles signals.
    Handler,
    /// An address that is nobody's, the same everywhere.
    At(u32),
    /// Where another process has mapped a region that this one has not.
    Theirs(u32),
    /// A word of a region that the process has mapped.
    InRegion(u32),
    /// Behind the end of a region, the only one that the process has mapped: what is there is not the process's.
    Behind(u32),
}

/// What a thread's program does besides its calls.
pub trait Env {
    /// Where a place is.
    fn address(&self, place: Place) -> u32;
    /// When a moment of this round comes, in nanoseconds.
    fn time(&self, moment: u32) -> u64;
    /// The last moment by this time.
    fn moment(&self, time: u64) -> u32;
    /// A word that is the process's to read.
    fn load(&self, place: Place) -> u32;
    /// Changes a word that is the process's to write.
    fn store(&mut self, place: Place, value: u32);
    /// Writes a part of one of the thread's own tables.
    fn set_part(&mut self, table: Table, index: usize, part: (u32, u32));
    /// Fills the thread's own buffer.
    fn fill(&mut self, seed: u32);
    /// A sum over the thread's own buffer.
    fn sum(&self) -> u32;
    /// Fills the words of a page of the process that programs look at. It must have it.
    fn fill_page(&mut self, page: usize, seed: u32);
    /// A sum over these words.
    fn page_sum(&self, page: usize) -> u32;
    /// A sum over so many words in a window of the process.
    fn sum_at(&self, address: u32) -> u32;
    /// Fills these words.
    fn fill_at(&mut self, address: u32, seed: u32);
    /// A sum over the words of a region that programs look at ([`words_of_block`]). The process must have it mapped.
    fn region_sum(&self, address: u32) -> u32;
    /// Fills these words.
    fn fill_region(&mut self, address: u32, seed: u32);
    /// The id of the thread itself.
    fn id(&self) -> u32;
}

/// Random numbers, the same everywhere.
#[derive(Clone, Copy, Debug)]
pub struct Random(u32);

impl Random {
    /// Numbers that follow from these.
    #[must_use]
    pub fn new(seed: u32, stream: u32) -> Self {
        let mut random = Self(seed ^ stream.wrapping_mul(0x9E37_79B9) ^ 0x6A09_E667);
        if random.0 == 0 {
            random.0 = 1;
        }
        for _ in 0..4 {
            random.next();
        }
        random
    }

    /// Where it stands.
    #[must_use]
    pub fn state(&self) -> u32 {
        self.0
    }

    fn next(&mut self) -> u32 {
        let mut x = self.0;
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        self.0 = x;
        x.wrapping_mul(0x2545_F491) >> 3
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.next() % bound
    }

    fn one_in(&mut self, bound: u32) -> bool {
        self.below(bound) == 0
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }
}

/// How to read what a call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It returns nothing that counts.
    Nothing,
    /// So many words.
    Words(usize),
    /// The time.
    Clock,
    /// A handle of this [`kind`].
    Handle(u32),
    /// The id of a thread.
    Thread,
    /// What a thread is doing.
    State,
    /// The handle of a new region, and its bytes.
    Region,
    /// Where a region is mapped, and its bytes.
    Mapped,
    /// An answer; to bytes, or to words.
    Client {
        /// The message was bytes.
        bytes: bool,
    },
    /// A message or a notice.
    Server,
}

/// A call.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// How to read what it returns.
    pub kind: Kind,
    /// The message registers.
    pub registers: [u32; register::COUNT],
    /// The extra registers.
    pub extra: [u32; 5],
    /// It is no call: the thread computes for so many nanoseconds, and knows the time then.
    pub computes: Option<u64>,
}

/// A thread of a round.
#[derive(Clone, Copy, Debug)]
pub struct Player {
    /// Its index.
    pub thread: usize,
    /// How often it has started in this round, from 1.
    pub life: u32,
    /// Its random numbers.
    pub random: Random,
    left: u32,
    /// Its last call, without a handle.
    last: u32,
    /// It handles a signal.
    handles: bool,
    /// The page that its call sends, and whether that was away already.
    pub(crate) sent: Option<(usize, bool)>,
    /// The page that its call takes back into use.
    pub(crate) reclaims: Option<usize>,
}

impl Player {
    /// The thread of this index starts.
    #[must_use]
    pub fn new(world: &mut World, thread: usize, id: u32) -> Self {
        world.lives[thread] += 1;
        world.ids[thread] = id;
        world.releases[thread] = 0;
        let life = world.lives[thread];
        Self {
            thread,
            life,
            random: Random::new(world.seed, (thread as u32) << 8 | life),
            left: CALLS,
            last: 0,
            handles: false,
            sent: None,
            reclaims: None,
        }
    }

    /// A handler of the thread of this index begins: it makes a call, or none.
    #[must_use]
    pub fn of_handler(world: &World, thread: usize) -> Self {
        let life = world.lives[thread];
        let stream = (thread as u32) << 8 | life;
        let mut random = Random::new(world.seed ^ world.count << 16, stream);
        Self {
            thread,
            life,
            left: random.below(2),
            random,
            last: 0,
            handles: true,
            sent: None,
            reclaims: None,
        }
    }

    fn process(&self) -> usize {
        self.thread / THREADS_EACH
    }

    /// Draws the next call. `None`: the thread has made all of its.
    pub fn draw(&mut self, world: &mut World, env: &mut impl Env) -> Option<Step> {
        if self.left == 0 || world.is_over() {
            return None;
        }
        self.left -= 1;
        world.named[self.thread] = [0; NAMED];
        let mut draw = Draw {
            player: self,
            world,
            env,
            step: Step {
                kind: Kind::Words(0),
                registers: [0; register::COUNT],
                extra: [0; 5],
                computes: None,
            },
        };
        if draw.player.handles {
            draw.call_of_handler();
        } else {
            draw.call();
        }
        draw.foresee();
        let step = draw.step;
        self.last = step.registers[register::CALL];
        Some(step)
    }
}

struct Draw<'a, E> {
    player: &'a mut Player,
    world: &'a mut World,
    env: &'a mut E,
    step: Step,
}

/// What calls name by a handle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Connection,
    Proxy,
    Timer,
    Interrupt,
    Region,
}

/// Set in a generation, it makes one that no handle has.
const NEVER: u32 = 1 << 27;

impl<E: Env> Draw<'_, E> {
    fn below(&mut self, bound: u32) -> u32 {
        self.player.random.below(bound)
    }

    fn one_in(&mut self, bound: u32) -> bool {
        self.player.random.one_in(bound)
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        self.player.random.of(all)
    }

    fn set(&mut self, place: usize, value: u32) {
        self.step.registers[place] = value;
    }

    fn call(&mut self) {
        let opened = (self.world.handles.iter()).any(|held| {
            held.process as usize == self.player.process() && held.kind == kind::CONNECTION
        });
        if !opened && !self.one_in(3) {
            return self.connect();
        }
        if self.world.has_signals() && self.plays_signals() {
            return;
        }
        if self.world.has_regions() && self.plays_regions() {
            return;
        }
        if self.world.has_slices() && self.plays_slices() {
            return;
        }
        if self.world.has_programs() && self.plays_programs() {
            return;
        }
        if self.world.has_relays() && self.plays_relays() {
            return;
        }
        // Who has just woken somebody waits.
        let woke = matches!(
            self.player.last,
            number::FUTEX_WAKE
                | number::FUTEX_GIVE
                | number::TRIGGER
                | number::NOTIFY
                | number::REPLY
        );
        if woke && self.one_in(3) {
            return self.wait_simply();
        }
        if self.owns_lock() {
            return;
        }
        if self.keeps_house() {
            return;
        }
        // Without a client nobody can be answered.
        let serves = self
            .world
            .open_token(self.player.process(), false)
            .is_some();
        let place = match self.below(100) {
            34..55 if !serves && !self.one_in(5) => self.below(34),
            0..34 if serves && self.one_in(3) => 34 + self.below(21),
            place => place,
        };
        match place {
            0..18 => self.send(),
            18..34 => self.receive(),
            34..42 => self.reply(),
            42..50 => self.reply_receive(),
            50..55 => self.read_or_write(),
            55..59 => self.connect(),
            59..61 => self.close(),
            61..64 => self.notify(),
            64..76 => self.futex(),
            76..80 => self.proxy(),
            80..84 => self.timer(),
            84..89 => self.interrupt(),
            89..94 => self.thread(),
            94..96 => self.sleep(),
            96..98 => {
                self.number(number::YIELD);
                self.step.kind = Kind::Nothing;
            }
            _ => self.rare(),
        }
    }

    fn number(&mut self, number: u32) {
        self.set(register::CALL, number);
    }

    /// Does something with signals, if it is time to. Whether it has drawn a call.
    fn plays_signals(&mut self) -> bool {
        let handles = self.world.handles_signals >> self.player.process() & 1 != 0;
        let odds = match handles {
            false => 3,
            // Until then it masks all.
            true if self.player.left + 8 > CALLS => 2,
            true => 5,
        };
        if !self.one_in(odds) {
            return false;
        }
        let place = self.below(16);
        match place {
            _ if !handles && place < 12 => self.set_action(),
            0 => self.set_action(),
            1..4 => self.change_mask(),
            4 | 5 if self.player.left + 8 > CALLS => self.change_mask(),
            4..11 => self.send_signal(),
            11..13 => {
                self.signal_call(signal::number::WAIT);
                let set = self.set_of_signals();
                let bad = u64::from(self.one_in(10));
                self.signals(0, set | bad);
                self.deadline();
                self.step.kind = Kind::Words(2);
            }
            13 | 14 => {
                self.signal_call(signal::number::SUSPEND);
                let set = if self.one_in(2) {
                    0
                } else {
                    self.set_of_signals()
                };
                self.signals(0, set);
                self.deadline();
            }
            _ if self.one_in(2) => {
                self.signal_call(signal::number::STACK);
                let place = self.bad_place();
                let address = self.env.address(place);
                self.set(register::WORD0, address);
                self.set(register::WORD1, 8);
            }
            _ => self.signal_call(signal::number::WAIT + 1),
        }
        if self.one_in(40) {
            self.step.registers[register::INFO] |= 4;
        }
        true
    }

    /// What a handler does beside writing down that it runs. It unmasks nothing, so that it is not interrupted without
    /// end; and it sends no memory, since what it has interrupted may have done so.
    fn call_of_handler(&mut self) {
        match self.below(16) {
            0..7 => self.send_signal(),
            7..10 => self.futex(),
            10..12 => self.notify(),
            12 => {
                self.number(number::YIELD);
                self.step.kind = Kind::Nothing;
            }
            13 => self.sleep(),
            _ => {
                let exits = self.one_in(3);
                let number = if exits {
                    number::EXIT
                } else {
                    number::THREAD_EXIT
                };
                let ends = self.one_in(4);
                self.end(ends, number, 3);
            }
        }
    }

    /// Does something with regions, if it is time to. Whether it has drawn a call.
    fn plays_regions(&mut self) -> bool {
        if let Some(mapped) = self.mapped().filter(|it| it.writable != 0)
            && self.one_in(4)
        {
            let seed = self.player.random.next();
            self.env.fill_region(mapped.address, seed);
        }
        let process = self.player.process();
        let has = self.world.has_handle(process, kind::REGION);
        let serves = self.world.open_token(process, false).is_some();
        // What becomes of rights is seen where copies are copied, mapped and handed on.
        let copied = self.player.last == call::word(operation::REGION, region::number::COPY);
        if self.world.has_given(process) && self.one_in(16) {
            // It dies, and what it has made is with others.
            self.number(number::EXIT);
            return true;
        }
        if copied && !self.one_in(3) {
            match self.below(3) {
                0 => self.copy_region(),
                1 if serves => self.hand_on(Some(Wanted::Region)),
                _ => self.map_region(),
            }
            return true;
        }
        if !self.one_in(3) {
            return false;
        }
        match self.below(20) {
            place if !has && place < 12 => self.create_region(),
            0..3 => self.create_region(),
            3..8 => self.map_region(),
            11..13 if self.world.mapped_by(process, 0).is_none() && !self.one_in(4) => {
                return false;
            }
            8..11 => self.copy_region(),
            11..13 => self.unmap_region(),
            13..15 => {
                self.number(number::CLOSE);
                let handle = self.handle(Wanted::Region);
                self.set(register::WORD0, handle);
            }
            15..19 if serves => self.hand_on(Some(Wanted::Region)),
            19 if self.one_in(3) => {
                let number = self.of(&[3, 4, 0x0FFF_FFFF]);
                self.region_call(number);
            }
            _ => return false,
        }
        true
    }

    fn region_call(&mut self, number: u32) {
        self.set(register::CALL, call::word(operation::REGION, number));
    }

    fn create_region(&mut self) {
        self.region_call(region::number::CREATE);
        let own = QUOTAS[self.player.process()].len().max(1) as u32;
        let position = match self.below(12) {
            0 => self.of(&[2, 3, u32::MAX]),
            _ => self.below(own),
        };
        self.set(register::WORD0, position);
        self.step.kind = Kind::Region;
    }

    fn copy_region(&mut self) {
        self.region_call(region::number::COPY);
        let handle = self.handle(Wanted::Region);
        self.set(register::WORD0, handle);
        let all = region::right::ALL;
        let transfer = region::right::TRANSFER;
        let kept = self.of(&[
            all,
            all,
            all & !region::right::WRITE,
            region::right::WRITE,
            transfer,
            transfer | region::right::ONWARD,
            transfer | region::right::WRITE,
            transfer | region::right::WRITE,
            0,
            8,
            u32::MAX,
        ]);
        self.set(register::WORD1, kept);
        self.step.kind = Kind::Handle(kind::REGION);
    }

    fn map_region(&mut self) {
        if self.world.names_given_up(self.player.process()) {
            // Boards differ in what would be where a call names a region that is gone.
            return self.unmap_region();
        }
        self.region_call(region::number::MAP);
        let handle = self.handle(Wanted::Region);
        self.set(register::WORD0, handle);
        let write = region::right::WRITE;
        let wanted = match self.below(12) {
            0 => self.of(&[2, 3, 4, u32::MAX]),
            1..4 => 0,
            _ => write,
        };
        self.set(register::WORD1, wanted);
        self.step.kind = Kind::Mapped;
    }

    /// Gives up a region that is mapped, or what is none.
    fn unmap_region(&mut self) {
        self.number(number::RELEASE);
        let mapped = self.mapped().map_or(0, |it| it.address);
        let address = match self.below(10) {
            0 => match self.of(&[1, 4, BLOCK / 2, BLOCK, 0u32.wrapping_sub(4)]) {
                // Another one that it has mapped may begin there, or not, as boards differ.
                BLOCK if !self.world.mapped_alone(self.player.process()) => mapped + 1,
                offset => mapped.wrapping_add(offset),
            },
            1 => self.world.given_up[self.player.process()],
            2 => {
                let place = self.bad_place();
                self.env.address(place)
            }
            3 => self.env.address(Place::Buffer(self.player.thread, 0)),
            _ => mapped,
        };
        self.set(register::WORD0, address);
    }

    /// A region that the process has mapped.
    fn mapped(&mut self) -> Option<Mapped> {
        let number = self.below(MAPPED as u32) as usize;
        self.world.mapped_by(self.player.process(), number)
    }

    /// Somewhere in a region, which is mapped; or was, or is by another process while nothing is by this one. Nothing is
    /// mapped in the process until the call has returned, if the address is nobody's by then.
    fn in_region(&mut self, length: u32, write: bool) -> Option<u32> {
        let process = self.player.process();
        let place = (self.world.named[self.player.thread].iter()).position(|it| *it == 0)?;
        let mapped = self.mapped();
        let address = match (mapped, self.below(8)) {
            (Some(mapped), 1..) => mapped.address,
            (None, 0..4) => {
                let mut theirs = self.world.mapped.iter();
                let theirs = theirs.find(|it| it.address != 0)?;
                self.env.address(Place::Theirs(theirs.address))
            }
            _ => self.world.given_up[process],
        };
        if address == 0 {
            return None;
        }
        let offset = match self.below(8) {
            0 if !write => BLOCK - 16,
            0 if length > 4 => BLOCK - 4,
            _ => self.below(8) * 4 + if write { ROOM } else { 0 },
        };
        let askew = if self.one_in(6) { 1 + self.below(3) } else { 0 };
        self.world.named[self.player.thread][place] = address;
        Some(address + offset + askew)
    }

    fn signal_call(&mut self, number: u32) {
        self.set(register::CALL, call::word(operation::SIGNAL, number));
    }

    /// Puts a set in the word of this index, and the one after it.
    fn signals(&mut self, first: usize, set: u64) {
        for (place, word) in register::WORDS[first..].iter().zip(signal::words(set)) {
            self.set(*place, word);
        }
    }

    fn set_of_signals(&mut self) -> u64 {
        let all = SIGNALS.iter().fold(0, |set, signal| set | 1 << signal);
        let one = 1 << self.of(&SIGNALS);
        self.of(&[all, all, one, one, all & !one, u64::MAX, 0])
    }

    /// The process says where its signals go; or where they cannot.
    fn set_action(&mut self) {
        self.signal_call(signal::number::ACTION);
        let place = match self.below(8) {
            0 => Place::At(0),
            1 => Place::Shared(0),
            _ => Place::Handler,
        };
        let address = self.env.address(place);
        self.set(register::WORD0, address);
        let set = self.set_of_signals();
        self.signals(1, set);
    }

    fn change_mask(&mut self) {
        self.signal_call(signal::number::MASK);
        let how = self.of(&[
            signal::how::UNBLOCK,
            signal::how::UNBLOCK,
            signal::how::UNBLOCK,
            signal::how::BLOCK,
            signal::how::SET,
            9,
        ]);
        self.set(register::WORD0, how);
        let set = self.set_of_signals();
        self.signals(1, set);
        self.step.kind = Kind::Words(4);
    }

    /// To its own process, or to one of its threads, or to another process.
    fn send_signal(&mut self) {
        self.signal_call(signal::number::SEND);
        let position = self.of(&[signal::OWN, signal::OWN, 0, 0, 1, 2]);
        self.set(register::WORD0, position);
        let signal = match self.below(16) {
            0 => self.of(&[0, signal::MAX + 1, u32::MAX]),
            _ => self.of(&SIGNALS),
        };
        self.set(register::WORD1, signal);
        let word = self.below(1 << 16);
        self.set(register::WORD2, word);
        let directed = if position == signal::OWN { 2 } else { 12 };
        if self.one_in(directed) {
            let id = self.id();
            self.set(register::WORD3, id);
        }
    }

    /// Takes pages back into use, gives up what was moved, or changes what is in a window. Whether it has drawn a call.
    fn keeps_house(&mut self) -> bool {
        let process = self.player.process();
        if PAGES[process] > 0 && self.world.away[process] != 0 && self.one_in(10) {
            let page = self.below(PAGES[process] as u32);
            let address = self.env.address(Place::Page(process, page * PAGE));
            self.number(number::RECLAIM);
            self.set(register::WORD0, address);
            self.set(register::WORD1, PAGE);
            self.player.reclaims = Some(page as usize);
            return true;
        }
        if PAGES[process] > 0 && self.world.away[process] != 0 && self.one_in(20) {
            // It dies, and what it has lent is with another process.
            self.number(number::EXIT);
            return true;
        }
        let Some(opened) = self.opened() else {
            return false;
        };
        if opened.mark != info::LENT
            && opened.thread as usize == self.player.thread
            && self.one_in(2)
        {
            let seed = self.player.random.next();
            self.env.fill_at(opened.address, seed);
        }
        if self.one_in(if opened.mark == info::MOVED { 6 } else { 40 }) {
            // What is only lent cannot be given up.
            if opened.mark == info::MOVED {
                self.number(number::RELEASE);
                self.set(register::WORD0, opened.address);
                return true;
            }
        }
        false
    }

    /// Something in a window of the process.
    fn opened(&mut self) -> Option<Opened> {
        let process = self.player.process();
        let begin = self.below(OPENED as u32) as usize;
        (0..OPENED)
            .map(|step| self.world.opened[(begin + step) % OPENED])
            .find(|it| it.address != 0 && it.thread as usize / THREADS_EACH == process)
    }

    /// Somewhere in the process's pages, or in a window: perhaps it may not go there now.
    fn exchanged(&mut self) -> Option<u32> {
        let process = self.player.process();
        let offset = self.below(8) * 4;
        if PAGES[process] == 0 {
            return self.opened().map(|opened| opened.address + offset);
        }
        let page = self.below(PAGES[process] as u32);
        Some(self.env.address(Place::Page(process, page * PAGE + offset)))
    }

    /// What becomes of locks is seen only if their owners die while others wait, and others come afterwards. Whether
    /// it has drawn such a call.
    fn owns_lock(&mut self) -> bool {
        let mapped = match self.world.has_regions() && !self.one_in(3) {
            true => self.mapped(),
            false => None,
        };
        let place = match mapped {
            Some(mapped) => Place::InRegion(mapped.address + REGION_WORDS_AT),
            None => Place::Shared(self.below(LOCKS)),
        };
        if mapped.is_some_and(|it| it.writable != 0)
            && let Some(reader) = self.world.reader_beside(self.player.process())
            && self.one_in(2)
        {
            // Who can look at the lock, if it is in the same region, has not written that.
            let thread = reader * THREADS_EACH + self.below(3) as usize;
            self.env.store(place, self.world.ids[thread]);
        }
        let value = self.env.load(place);
        let owner = value & OWNER_MASK;
        if owner == 0 {
            return false;
        }
        if owner == self.env.id() {
            let odds = if value & WAITERS == 0 { 24 } else { 3 };
            if !self.one_in(odds) {
                return false;
            }
            if let Some(mapped) = mapped
                && self.one_in(2)
            {
                // It owns the lock no longer.
                self.number(number::RELEASE);
                self.set(register::WORD0, mapped.address);
                return true;
            }
            // A main thread takes its process along, and now and then another one does.
            let exits = self.one_in(4);
            self.number(if exits {
                number::EXIT
            } else {
                number::THREAD_EXIT
            });
            let value = self.below(3);
            self.set(register::WORD0, value);
            return true;
        }
        // A lock of somebody who lives, or has died.
        if !self.one_in(if mapped.is_some() { 2 } else { 12 }) {
            return false;
        }
        let address = self.env.address(place);
        self.number(number::FUTEX_LOCK);
        self.set(register::WORD0, address);
        self.deadline();
        self.step.kind = Kind::Words(1);
        true
    }

    /// What is over as soon as the call is made, whatever comes of it.
    fn foresee(&mut self) {
        let word = self.step.registers[register::CALL];
        let own = self.player.thread;
        let is_main = own.is_multiple_of(THREADS_EACH);
        match word {
            number::REPLY_HANDLE => {
                let tag = self.step.registers[register::INFO] & info::TAG_MASK;
                let handle = self.step.registers[register::WORD4];
                self.world.give(self.player.process(), handle, tag);
                self.answers();
            }
            number::EXIT => self.forget_own(),
            number::PROCESS_RESTART | number::PROCESS_STOP => self.control(word),
            number::THREAD_EXIT if is_main => self.forget_own(),
            number::THREAD_EXIT => {
                // Its clients have what they have lent.
                (self.world).shut(|it| it.thread as usize == own && it.mark != info::MOVED);
            }
            number::RELEASE => {
                let address = self.step.registers[register::WORD0];
                let process = self.player.process();
                (self.world).shut(|it| {
                    it.address == address && it.thread as usize / THREADS_EACH == process
                });
                self.world.unmap(own, address);
            }
            _ if self.step.kind == Kind::Server => {
                self.world.receives[own] = word & call::HANDLE_MASK;
                if crate::record::answers(&self.step) {
                    self.answers();
                }
            }
            _ if self.step.kind == Kind::Mapped => {
                self.world.given_up[self.player.process()] = 0;
            }
            _ if crate::record::answers(&self.step) => self.answers(),
            _ => {}
        }
    }

    /// Its process ends. A program does not start again by itself.
    fn forget_own(&mut self) {
        let process = self.player.process();
        self.world.forget(process);
        if process == PROGRAM {
            self.world.stopped |= 1 << PROGRAM;
        }
    }

    /// The call starts, restarts or stops a process, if it may.
    fn control(&mut self, call: u32) {
        let position = self.step.registers[register::WORD0] as usize;
        let Some(process) = CONTROLS[self.player.process()].get(position) else {
            return;
        };
        self.world.forget(*process);
        if call == number::PROCESS_STOP {
            self.world.stopped |= 1 << process;
        } else {
            self.world.stopped &= !(1 << process);
        }
    }

    /// The call answers a client: what that has lent is its own again.
    fn answers(&mut self) {
        let tag = self.step.registers[register::INFO] & info::TAG_MASK;
        let generation = self.step.registers[register::GENERATION];
        (self.world)
            .shut(|it| it.tag == tag && it.generation == generation && it.mark != info::MOVED);
    }

    /// The call that ends something with one of so many values, or nothing.
    fn end(&mut self, ends: bool, number: u32, values: u32) {
        if ends {
            self.number(number);
            let value = self.below(values);
            self.set(register::WORD0, value);
        } else {
            self.number(number::NULL);
        }
    }

    fn rare(&mut self) {
        match self.below(9) {
            0 => self.number(number::NULL),
            1 | 2 => {
                self.number(number::CLOCK);
                self.step.kind = Kind::Clock;
            }
            3 => self.number(number::START_THREADS),
            4 => {
                let number = self.of(&[
                    number::COUNT,
                    number::COUNT + 1,
                    0xFF,
                    0x100,
                    number::CLOCK | 0x100,
                    operation::REGION << 28 | 9,
                    0xF000_0001,
                    14 << 28 | 7,
                ]);
                self.number(number);
            }
            5 => self.number(self.of_forbidden()),
            7 => {
                // Another process ends, and starts again.
                let position = self.of(&[0, 0, 1, u32::MAX]);
                self.number(number::PROCESS_RESTART);
                self.set(register::WORD0, position);
            }
            6 => {
                // Its process ends, and starts again.
                let ends = self.one_in(3);
                self.end(ends, number::EXIT, 2);
            }
            _ => {
                let number = self.of(&[number::RELEASE, number::RECLAIM, number::PANIC]);
                self.number(number);
                let place = self.bad_place();
                let address = self.env.address(place);
                self.set(register::WORD0, address);
                self.set(register::WORD1, 8);
            }
        }
    }

    fn of_forbidden(&self) -> u32 {
        let all = [
            number::SHUTDOWN,
            number::FAULT_RECORD,
            number::STACK_UNUSED,
            number::THREAD_STATE,
        ];
        all[self.world.count as usize % all.len()]
    }

    // Deadlines.

    /// A moment of its own, mostly in the future.
    fn moment(&mut self) -> Option<u32> {
        let wished = 16 + self.below(MOMENTS - 18);
        self.world.take_moment(wished)
    }

    fn set_time(&mut self, time: u64) {
        (self.step.extra[0], self.step.extra[1]) = (time as u32, (time >> 32) as u32);
    }

    /// Gives a call that may wait a deadline, or none.
    fn deadline(&mut self) {
        let moment = match self.below(12) {
            0..5 => return,
            5 | 6 => None,
            7 => Some(0),
            _ => match self.moment() {
                Some(moment) => Some(moment),
                None => return,
            },
        };
        self.step.registers[register::INFO] |= info::DEADLINE;
        let time = moment.map_or(0, |moment| self.env.time(moment));
        self.set_time(time);
    }

    fn sleep(&mut self) {
        self.number(number::SLEEP);
        let moment = if self.one_in(6) {
            Some(0)
        } else {
            self.moment()
        };
        let time = self.env.time(moment.unwrap_or(0));
        self.set_time(time);
    }

    // Handles.

    /// A handle to be used as this.
    fn handle(&mut self, wanted: Wanted) -> u32 {
        let own = self.player.process() as u32;
        let wanted = match wanted {
            Wanted::Connection => kind::CONNECTION,
            Wanted::Proxy => kind::PROXY,
            Wanted::Timer => kind::TIMER,
            Wanted::Interrupt => kind::INTERRUPT,
            Wanted::Region => kind::REGION,
        };
        let begin = self.below(REMEMBERED as u32) as usize;
        let handles = self.world.handles;
        let around = |fits: &dyn Fn(u32, u32) -> bool| {
            (0..REMEMBERED)
                .map(|step| handles[(begin + step) % REMEMBERED])
                .find(|held| held.value != 0 && fits(held.process, held.kind))
                .map(|held| held.value)
        };
        let fitting = around(&|process, kind| process == own && kind == wanted);
        let given = around(&|process, kind| process == own && kind == kind::GIVEN);
        match self.below(24) {
            0 => around(&|process, _| process == own).unwrap_or(0),
            // As it is it could be one of the process's own by accident: generations differ from boot to
            // boot.
            1 => around(&|process, _| process != own).unwrap_or(0) | NEVER,
            2 => channel_handle(self.player.process(), begin),
            3 => NEVER | self.below(HANDLES + 2),
            4 => fitting.unwrap_or(0) ^ NEVER,
            5 => call::word(operation::SEND, fitting.unwrap_or(1)),
            6 => {
                // A connection where another thing is wanted, as its call word.
                let connection =
                    around(&|process, kind| process == own && kind == kind::CONNECTION);
                call::word(operation::SEND, connection.unwrap_or(1))
            }
            7 => self.of(&[0, 0xFFFF_FFFF, 0x0FFF_FFFF, HANDLES - 1]),
            8..10 => given.or(fitting).unwrap_or(0),
            10..12 if wanted == kind::REGION => given.or(fitting).unwrap_or(0),
            12..20 if wanted == kind::REGION => self.world.newest(own, kind::REGION).unwrap_or(0),
            _ => fitting.or(given).unwrap_or(0),
        }
    }

    /// Whether the process has had a handle for this, but for one time in eight.
    fn has(&mut self, kind: u32) -> bool {
        self.world.has_handle(self.player.process(), kind) || self.one_in(8)
    }

    fn connection(&mut self) -> u32 {
        self.handle(Wanted::Connection) & call::HANDLE_MASK
    }

    fn channel(&mut self) -> u32 {
        let nth = self.below(2) as usize;
        if self.one_in(16) {
            return self.handle(Wanted::Connection) & call::HANDLE_MASK;
        }
        channel_handle(self.player.process(), nth)
    }

    /// A token, as `INFO` and `GENERATION` have it.
    fn token(&mut self) -> (u32, u32) {
        let own = self.player.process() as u32;
        let begin = self.below(REMEMBERED as u32) as usize;
        let tokens = self.world.tokens;
        let before = self.one_in(4);
        let newest = self.world.open_token(own as usize, before);
        let token = match self.below(24) {
            0 => tokens[begin],
            1 => {
                let mut token = newest.unwrap_or_default();
                token.generation ^= 1 << 30;
                token
            }
            2 => {
                // The name of a thread on it that sends nothing.
                let mut token = newest.unwrap_or_default();
                token.tag = (token.tag & !0xFF00) | (self.of(&[0x10, 0x0F, 0x20, 0xFF]) << 8);
                token
            }
            _ => newest.unwrap_or_default(),
        };
        (token.tag & info::TAG_MASK, token.generation)
    }

    // Memory.

    /// A place that is not the process's.
    fn bad_place(&mut self) -> Place {
        let other = (self.player.process() + 1 + self.below(2) as usize) % RESIDENTS;
        match self.below(6) {
            0 => Place::At(0),
            1 => Place::At(0xFFFF_FFF0),
            2 => Place::At(0x2000_0000),
            3 => Place::At(0x8040_0000),
            4 => Place::Private(other, 0),
            _ => Place::Buffer(other * THREADS_EACH, 0),
        }
    }

    /// Address and length of bytes; `write`: to be written.
    fn range(&mut self, write: bool) -> (u32, u32) {
        let offset = self.below(8) * 4;
        let length = self.of(&[0, 1, 4, 7, 12, 16, 20, 21, 24, 31, 32]);
        let own = Place::Buffer(self.player.thread, offset);
        if self.world.has_regions()
            && self.one_in(3)
            && let Some(address) = self.in_region(length, write)
        {
            return (address, length);
        }
        if self.one_in(12)
            && let Some(address) = self.exchanged()
        {
            return (address, length);
        }
        match self.below(14) {
            0 => {
                let place = self.bad_place();
                (self.env.address(place), length)
            }
            1 => (
                self.env.address(own),
                self.of(&[0xFFFF_FFFF, 0x8000_0000, 0x7FFF_FFFC]),
            ),
            2 if write => (self.env.address(Place::Code), length),
            3 => (self.env.address(own) + 1, length),
            _ => (self.env.address(own), length),
        }
    }

    /// Room for a reply or a message: perhaps none.
    fn room(&mut self) {
        let (address, length) = match self.below(6) {
            0 | 1 => (0, 0),
            2 => {
                self.step.registers[register::INFO] |= info::VECTOR;
                self.parts(Table::Room)
            }
            _ => self.range(true),
        };
        (self.step.extra[2], self.step.extra[3]) = (address, length);
    }

    /// Address and length of a table of parts.
    fn parts(&mut self, table: Table) -> (u32, u32) {
        let own = self.env.address(Place::Table(self.player.thread, table));
        let count = self.of(&[0, 1, 1, 2, 2, 3, 3, 4, 5, 9, MAX_PARTS as u32]);
        for index in 0..count as usize {
            let length = self.of(&[0, 0, 1, 2, 3, 4, 4, 5, 8, 13]);
            let offset = self.below(BUFFER - length);
            let buffer = Place::Buffer(self.player.thread, offset);
            let mut part = (self.env.address(buffer), length);
            if self.world.has_regions()
                && self.one_in(6)
                && let Some(address) = self.in_region(length, table == Table::Room)
            {
                part.0 = address;
            }
            self.env.set_part(table, index, part);
        }
        match self.below(16) {
            0..2 if count > 0 => {
                let part = self.bad_part(table);
                let index = self.below(count) as usize;
                self.env.set_part(table, index, part);
            }
            2 => return (own + 1 + self.below(3), count),
            3 => {
                let place = self.bad_place();
                return (self.env.address(place), count);
            }
            4 => return (own, self.of(&[17, 0x2000_0001, 0xFFFF_FFFF])),
            _ => {}
        }
        (own, count)
    }

    /// A part that is not the process's, unless it is empty.
    fn bad_part(&mut self, table: Table) -> (u32, u32) {
        let own = self
            .env
            .address(Place::Buffer(self.player.thread, 4 * self.player.life % 16));
        match self.below(4) {
            0 => (own, self.of(&[0xFFFF_FFFF, 0x8000_0000, 0x7FFF_FFFC])),
            1 if table == Table::Room => (self.env.address(Place::Code), 4),
            _ => {
                let place = self.bad_place();
                (self.env.address(place), self.of(&[0, 1, 8]))
            }
        }
    }

    /// A word to wait at or a lock, and whether it can be read.
    fn word(&mut self, lock: bool) -> (u32, Option<Place>) {
        let own = self.player.process();
        if self.world.has_regions()
            && !self.one_in(3)
            && let Some(word) = self.word_of_region(lock)
        {
            return word;
        }
        let shared = if lock {
            self.below(LOCKS)
        } else {
            LOCKS + self.below(SHARED - LOCKS)
        };
        let place = match self.below(12) {
            0 => {
                if let Some(address) = self.exchanged() {
                    return (address, None);
                }
                self.bad_place()
            }
            1 => Place::At(0),
            2 | 3 => Place::Private(own, u32::from(!lock)),
            4 => {
                let address = self.env.address(Place::Shared(shared));
                return (address + 1 + self.below(3), None);
            }
            _ => Place::Shared(shared),
        };
        let readable = match place {
            Place::Shared(_) => true,
            Place::Private(process, _) => process == own,
            _ => false,
        };
        (self.env.address(place), readable.then_some(place))
    }

    /// A word of a region that is mapped, or was, or is by another process while nothing is by this one; or what is behind
    /// its end. Whether it can be read and written, too.
    fn word_of_region(&mut self, lock: bool) -> Option<(u32, Option<Place>)> {
        let process = self.player.process();
        let offset = self.offset_in_region(lock);
        let Some(mapped) = self.mapped() else {
            let theirs = self.world.mapped.iter().find(|it| it.address != 0);
            let address = match (self.world.given_up[process], theirs) {
                (0, theirs) => self.env.address(Place::Theirs(theirs?.address)),
                (given_up, _) => given_up,
            };
            return self.one_in(4).then_some((address + offset, None));
        };
        let address = mapped.address + offset;
        match self.below(16) {
            0 if self.world.given_up[process] != 0 => {
                Some((self.world.given_up[process] + offset, None))
            }
            // Another one might begin there.
            1 if self.world.mapped_alone(process) => {
                Some((self.env.address(Place::Behind(mapped.address)), None))
            }
            2 => Some((address + 1 + self.below(3), None)),
            _ if mapped.writable == 0 => Some((address, None)),
            _ => Some((address, Some(Place::InRegion(address)))),
        }
    }

    /// Where a lock or a semaphore is in a region.
    fn offset_in_region(&mut self, lock: bool) -> u32 {
        let number = if lock {
            0
        } else {
            1 + self.below(REGION_WORDS - 1)
        };
        REGION_WORDS_AT + number * 4
    }

    // Calls.

    fn words(&mut self, count: usize) {
        for place in register::WORDS.into_iter().take(count) {
            let word = self.of(&[0, 1, 2, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x1234_5678]);
            self.set(place, word);
        }
    }

    fn message(&mut self) {
        let words = self.below(6) as usize;
        let mut length = words as u32 * 4;
        if length > 0 && self.one_in(4) {
            length -= 1;
        }
        if self.one_in(24) {
            length = self.of(&[21, 24, 31]);
        }
        self.words(words);
        self.step.registers[register::INFO] |= length;
    }

    fn bytes(&mut self) {
        let seed = self.player.random.next();
        self.env.fill(seed);
        let (address, length) = self.range(false);
        self.set(register::WORD0, address);
        self.set(register::WORD1, length);
    }

    /// Bytes in several parts.
    fn vector(&mut self) {
        let seed = self.player.random.next();
        self.env.fill(seed);
        let (address, count) = self.parts(Table::Message);
        self.set(register::WORD0, address);
        self.set(register::WORD1, count);
    }

    /// Lends or moves a page, or what cannot be.
    fn send_memory(&mut self) {
        let process = self.player.process();
        let operation = self.of(&[
            operation::LEND,
            operation::LEND_MUT,
            operation::LEND_MUT,
            operation::MOVE,
        ]);
        let takes = |held: &Held| {
            let slot = held.value & call::INDEX_MASK;
            held.process as usize == process
                && held.kind == kind::CONNECTION
                && CHANNELS.get(slot as usize).is_some_and(|it| it.unblock)
        };
        let begin = self.below(REMEMBERED as u32) as usize;
        let around = (0..REMEMBERED).map(|step| self.world.handles[(begin + step) % REMEMBERED]);
        let taker = { around }.find(takes).map(|held| held.value);
        let handle = match taker {
            Some(taker) if !self.one_in(8) => taker & call::HANDLE_MASK,
            _ => self.connection(),
        };
        self.set(register::CALL, call::word(operation, handle));
        self.words(5);
        self.deadline();
        if self.one_in(2) {
            self.step.registers[register::INFO] |= info::ACCEPT_HANDLE;
        }
        self.step.kind = Kind::Client { bytes: false };
        let own = Place::Buffer(self.player.thread, 0);
        let room = self.env.address(own);
        (self.step.extra[2], self.step.extra[3]) = (room, self.of(&[0, 8, 24]));
        let page = self.below(PAGES[process].max(1) as u32);
        let (address, length) = match self.below(24) {
            _ if PAGES[process] == 0 => match self.opened() {
                Some(opened) => (opened.address, PAGE),
                None => (room, 24),
            },
            0 => {
                self.step.extra[3] = 0;
                let place = self.bad_place();
                (self.env.address(place), PAGE)
            }
            // Not in its pages, and what it may only read.
            1 => (self.env.address(Place::Buffer(self.player.thread, 32)), 32),
            2 => (self.env.address(Place::Code), 4),
            3 => (self.env.address(Place::Shared(0)), 4),
            4 => {
                let odd = self.of(&[(0, 0), (0, 2 * PAGE), (0, 100), (2048, PAGE), (4, 64)]);
                let place = Place::Page(process, odd.0);
                (self.env.address(place), odd.1)
            }
            5 => (self.env.address(Place::Page(process, PAGE)), 2 * PAGE),
            6 => {
                // The room for the reply lies there, or is in parts.
                let place = Place::Page(process, page * PAGE);
                self.step.extra[2] = self.env.address(place) + 8;
                (self.env.address(place), PAGE)
            }
            7 => {
                self.step.registers[register::INFO] |= self.of(&[info::VECTOR, 4]);
                (self.env.address(Place::Page(process, page * PAGE)), PAGE)
            }
            _ => (self.env.address(Place::Page(process, page * PAGE)), PAGE),
        };
        self.set(register::WORD0, address);
        self.set(register::WORD1, length);
        let page = page as usize;
        if PAGES[process] > 0 && length == PAGE {
            let first = self.env.address(Place::Page(process, 0));
            if address == first + page as u32 * PAGE {
                if self.world.away[process] >> page & 1 == 0 {
                    let seed = self.player.random.next();
                    self.env.fill_page(page, seed);
                }
                let was_away = self.world.send_page(process, page, self.player.thread);
                self.player.sent = Some((page, was_away));
            }
        }
    }

    fn send(&mut self) {
        let odds = if PAGES[self.player.process()] > 0 {
            4
        } else {
            20
        };
        if self.one_in(odds) {
            return self.send_memory();
        }
        let handle = self.connection();
        let bytes = self.one_in(3) != self.world.has_relays();
        if bytes && self.one_in(3) {
            self.set(register::CALL, call::word(operation::SEND_VECTOR, handle));
            self.vector();
        } else if bytes {
            self.set(register::CALL, call::word(operation::SEND_BYTES, handle));
            self.bytes();
        } else {
            self.set(register::CALL, call::word(operation::SEND, handle));
            self.message();
        }
        if self.one_in(2) || self.world.has_regions() && self.one_in(2) {
            self.step.registers[register::INFO] |= info::ACCEPT_HANDLE;
        }
        if self.one_in(40) {
            self.step.registers[register::INFO] |= 1 << 9;
        }
        self.deadline();
        self.room();
        self.step.kind = Kind::Client { bytes };
    }

    fn receive(&mut self) {
        if self.player.process() == PROGRAM && !self.one_in(8) {
            // It has no channel.
            return self.send();
        }
        let channel = self.channel();
        self.set(register::CALL, call::word(operation::RECEIVE, channel));
        self.deadline();
        let interrupts = self.has(kind::INTERRUPT);
        if self.one_in(if interrupts { 3 } else { 40 }) {
            self.step.registers[register::INFO] |= info::ACKNOWLEDGE;
            let interrupt = self.handle(Wanted::Interrupt);
            self.set(register::WORD3, interrupt);
        } else if self.one_in(10) {
            self.step.registers[register::INFO] |= info::SELECT;
            self.set(register::WORD0, info::select::TOKEN);
            let (tag, generation) = if self.one_in(3) {
                (self.below(PLAYERS as u32 + 2) << info::THREAD_SHIFT, 0)
            } else {
                self.token()
            };
            self.set(register::WORD1, tag);
            self.set(register::WORD2, generation);
        } else if self.one_in(10) {
            self.step.registers[register::INFO] |= info::SELECT;
            let how = if self.one_in(12) {
                self.below(4)
            } else {
                info::select::BADGE
            };
            self.set(register::WORD0, how);
            let badge = self.of(&[
                crate::plan::BADGES[0],
                crate::plan::BADGES[1],
                crate::plan::BADGES[2],
                0,
                riposte_abi::process_badge(0),
            ]);
            self.set(register::WORD1, badge);
        }
        self.room();
        self.step.kind = Kind::Server;
    }

    /// What answers: sets the token, and what to say. Returns which form: 0 words, 1 bytes, 2 an error, 3 bytes in
    /// parts.
    fn answer(&mut self) -> u32 {
        let (tag, generation) = self.token();
        self.step.registers[register::INFO] |= tag;
        self.set(register::GENERATION, generation);
        let form = self.of(&[0, 0, 0, 1, 1, 2, 3]);
        match form {
            0 => self.message(),
            1 => self.bytes(),
            3 => self.vector(),
            _ => {}
        }
        if self.one_in(3) || form == 2 {
            self.step.registers[register::INFO] |= info::STATUS;
            self.step.extra[4] = 1 + self.below(100);
        }
        form
    }

    fn reply(&mut self) {
        if self.one_in(5) {
            return self.hand_on(None);
        }
        let has = self.world.has_handle(self.player.process(), kind::REGION);
        if self.world.has_regions() && has && self.one_in(2) {
            return self.hand_on(Some(Wanted::Region));
        }
        let form = self.answer();
        let number = [
            number::REPLY,
            number::REPLY_BYTES,
            number::REPLY_ERROR,
            number::REPLY_VECTOR,
        ][form as usize];
        self.set(register::CALL, number);
        if self.one_in(40) {
            self.step.registers[register::INFO] |= info::VECTOR;
        }
        // How much of its bytes the client took.
        self.step.kind = Kind::Words(form as usize % 2);
    }

    /// Answers with a handle: of what is wanted, or of a proxy or a connection.
    fn hand_on(&mut self, wanted: Option<Wanted>) {
        let (tag, generation) = self.token();
        self.set(register::CALL, number::REPLY_HANDLE);
        let words = self.below(5) as usize;
        self.words(words);
        let handle = match wanted {
            Some(wanted) => self.handle(wanted),
            None if self.one_in(3) => self.handle(Wanted::Proxy),
            None => self.handle(Wanted::Connection),
        };
        self.set(register::WORD4, handle);
        self.set(register::INFO, tag | (words as u32 * 4));
        self.set(register::GENERATION, generation);
    }

    fn reply_receive(&mut self) {
        let channel = self.channel();
        let form = self.answer();
        let operation = [
            operation::REPLY_RECEIVE,
            operation::REPLY_BYTES_RECEIVE,
            operation::REPLY_ERROR_RECEIVE,
            operation::REPLY_VECTOR_RECEIVE,
        ][form as usize];
        self.set(register::CALL, call::word(operation, channel));
        self.deadline();
        self.room();
        self.step.kind = Kind::Server;
    }

    fn read_or_write(&mut self) {
        let (tag, generation) = self.token();
        self.set(register::INFO, tag);
        self.set(register::GENERATION, generation);
        let write = self.one_in(2);
        if write {
            self.bytes();
        } else {
            let (address, length) = self.range(true);
            self.set(register::WORD0, address);
            self.set(register::WORD1, length);
        }
        let offset = self.of(&[0, 0, 4, 8, 16, 40, 0xFFFF_FFF0]);
        self.set(register::WORD2, offset);
        self.set(
            register::CALL,
            if write { number::WRITE } else { number::READ },
        );
        self.step.kind = Kind::Words(1);
    }

    fn connect(&mut self) {
        self.number(number::CONNECT);
        let slot = if self.one_in(12) {
            self.below(HANDLES + 3)
        } else {
            self.below(connections(self.player.process()) as u32)
        };
        self.set(register::WORD0, slot);
        self.step.kind = Kind::Handle(kind::CONNECTION);
    }

    fn close(&mut self) {
        self.number(number::CLOSE);
        let wanted = self.of(&[
            Wanted::Connection,
            Wanted::Connection,
            Wanted::Proxy,
            Wanted::Timer,
        ]);
        let handle = self.handle(wanted);
        self.set(register::WORD0, handle);
    }

    fn notify(&mut self) {
        self.number(number::NOTIFY);
        let handle = if self.one_in(2) {
            self.channel()
        } else {
            self.handle(Wanted::Connection)
        };
        self.set(register::WORD0, handle);
        let bits = self.of(&[1, 2, 4, 0x8000_0000, 0]);
        self.set(register::WORD1, bits);
    }

    fn futex(&mut self) {
        let which = self.below(12);
        let lock = match which {
            0..2 => false,
            6..11 => true,
            _ => self.one_in(3),
        };
        let (address, place) = self.word(lock);
        self.set(register::WORD0, address);
        // What the program itself does with the word first.
        if let Some(place) = place {
            self.prepare(place, lock);
        }
        match which {
            0 | 1 => {
                self.number(number::FUTEX_GIVE);
                self.step.kind = Kind::Words(1);
            }
            2..4 => {
                self.number(number::FUTEX_WAIT);
                let expected = self.expected(place);
                self.set(register::WORD1, expected);
                self.deadline();
            }
            4 => {
                self.number(number::FUTEX_WAKE);
                let most = self.of(&[0, 1, 2, 0xFFFF_FFFF]);
                self.set(register::WORD1, most);
                self.step.kind = Kind::Words(1);
            }
            5 => self.requeue(place, lock),
            6..9 => {
                self.number(number::FUTEX_LOCK);
                self.deadline();
                self.step.kind = Kind::Words(1);
            }
            9 | 10 => self.number(number::FUTEX_UNLOCK),
            _ => {
                self.number(number::FUTEX_WAIT);
                let expected = self.expected(place);
                self.set(register::WORD1, expected);
            }
        }
        if self.one_in(30) {
            self.step.registers[register::INFO] |= info::STATUS;
        }
    }

    /// Waits at a word without a deadline, as a short way would have it.
    fn wait_simply(&mut self) {
        let (address, place) = match self.below(3) {
            0 => (self.env.address(Place::At(0)), None),
            _ => self.word(false),
        };
        self.number(number::FUTEX_WAIT);
        self.set(register::WORD0, address);
        let expected = self.expected(place);
        self.set(register::WORD1, expected);
    }

    fn requeue(&mut self, place: Option<Place>, lock: bool) {
        self.number(number::FUTEX_REQUEUE);
        let expected = self.expected(place);
        self.set(register::WORD1, expected);
        let most = self.below(3);
        self.set(register::WORD2, most);
        let to = match place {
            Some(Place::InRegion(from)) if !self.one_in(4) => {
                from - from % BLOCK + self.offset_in_region(lock)
            }
            _ => self.word(lock).0,
        };
        self.set(register::WORD3, to);
        let moved = self.of(&[0, 1, 2, 0xFFFF_FFFF]);
        self.set(register::WORD4, moved);
        self.step.kind = Kind::Words(2);
    }

    /// What a futex call expects at a word.
    fn expected(&mut self, place: Option<Place>) -> u32 {
        let value = place.map_or(0, |place| self.env.load(place));
        if self.one_in(8) {
            value ^ 0x2000_0000
        } else {
            value
        }
    }

    /// A program changes its words without the kernel.
    fn prepare(&mut self, place: Place, lock: bool) {
        let value = self.env.load(place);
        let changed = if lock {
            match self.below(10) {
                // As the library locks and unlocks.
                0..2 if value == 0 => self.env.id(),
                2 if value == self.env.id() => 0,
                // As nobody should.
                3 => {
                    let thread = self.below(PLAYERS as u32) as usize;
                    self.world.ids[thread] | self.of(&[0, 0x8000_0000, 0x4000_0000])
                }
                4 => 0,
                _ => return,
            }
        } else {
            match self.below(6) {
                0 => 0x8000_0000,
                1 => 1,
                2 => 0x7FFF_FFFF,
                _ => return,
            }
        };
        self.env.store(place, changed);
    }

    fn proxy(&mut self) {
        let which = if self.has(kind::PROXY) || self.has(kind::GIVEN) {
            self.below(6)
        } else {
            0
        };
        match which {
            0 | 1 => {
                self.number(number::PROXY_CREATE);
                let channel = self.channel();
                self.set(register::WORD0, channel);
                let seed = self.player.random.next();
                self.env.fill(seed);
                let (address, length) = self.range(false);
                self.set(register::WORD1, address);
                self.set(register::WORD2, length);
                self.step.kind = Kind::Handle(kind::PROXY);
            }
            2 => {
                self.number(number::PROXY_DESTROY);
                let handle = self.handle(Wanted::Proxy);
                self.set(register::WORD0, handle);
            }
            _ => {
                self.number(number::TRIGGER);
                let handle = self.handle(Wanted::Proxy);
                self.set(register::WORD0, handle);
            }
        }
    }

    fn timer(&mut self) {
        let which = if self.has(kind::TIMER) {
            self.below(6)
        } else {
            0
        };
        if which < 2 {
            self.number(number::TIMER_CREATE);
            let target = if self.one_in(2) {
                self.channel()
            } else {
                self.handle(Wanted::Proxy)
            };
            self.set(register::WORD0, target);
            let bits = self.of(&[1, 0x10, 0x100, 0]);
            self.set(register::WORD1, bits);
            self.step.kind = Kind::Handle(kind::TIMER);
            return;
        }
        let timer = self.handle(Wanted::Timer);
        self.set(register::WORD0, timer);
        match which {
            4 => {
                self.number(number::TIMER_CANCEL);
                self.step.kind = Kind::Words(1);
            }
            5 => self.number(number::TIMER_DESTROY),
            _ => {
                self.number(number::TIMER_SET);
                let moment = if self.one_in(4) {
                    Some(0)
                } else {
                    self.moment()
                };
                let time = self.env.time(moment.unwrap_or(0));
                self.set_time(time);
                // Once; too often; or so seldom that the round is over before.
                let period = self.of(&[(0, 0), (0, 0), (1, 0), (99_999, 0), (0, 1 << 10)]);
                self.set(register::WORD1, period.0);
                self.set(register::WORD2, period.1);
            }
        }
    }

    fn interrupt(&mut self) {
        let which = if self.has(kind::INTERRUPT) {
            self.below(10)
        } else {
            0
        };
        if which < 2 {
            self.number(number::INTERRUPT_ATTACH);
            let position = self.of(&[0, 0, 0, 1]);
            self.set(register::WORD0, position);
            let channel = self.channel();
            self.set(register::WORD1, channel);
            let bits = self.of(&[1, 8, 0x40, 0]);
            self.set(register::WORD2, bits);
            self.step.kind = Kind::Handle(kind::INTERRUPT);
            return;
        }
        let handle = self.handle(Wanted::Interrupt);
        self.set(register::WORD0, handle);
        let number = [
            number::INTERRUPT_ACK,
            number::INTERRUPT_ACK,
            number::INTERRUPT_ACK,
            number::INTERRUPT_PEND,
            number::INTERRUPT_PEND,
            number::INTERRUPT_PEND,
            number::INTERRUPT_MASK,
            number::INTERRUPT_DETACH,
        ][which as usize - 2];
        self.number(number);
    }

    /// The id of a thread, perhaps of one that is not the process's, or not any more.
    fn id(&mut self) -> u32 {
        let first = self.player.process() * THREADS_EACH;
        let own = first + self.below(THREADS_EACH as u32) as usize;
        match self.below(12) {
            0 => 0,
            1 => self.env.id(),
            2 => {
                let any = self.below(PLAYERS as u32) as usize;
                self.world.ids[any]
            }
            3 if self.world.ids[own] != 0 => {
                let stale = self.world.ids[own].wrapping_sub(1 << riposte_abi::thread::LIFE_SHIFT);
                if stale == 0 { 1 } else { stale }
            }
            4 => self.of(&[0xFFFF_FFFF, 0x3FFF_FF00, 1]),
            5..8 => self.world.ids[first + SPARE],
            _ => self.world.ids[own],
        }
    }

    fn thread(&mut self) {
        match self.below(12) {
            0..4 => {
                self.number(number::THREAD_CREATE);
                let place = self.of(&[
                    Place::Start,
                    Place::Start,
                    Place::Start,
                    Place::Start,
                    Place::At(0),
                    Place::Shared(0),
                ]);
                let start = self.env.address(place);
                self.set(register::WORD0, start);
                self.set(register::WORD1, 0x5EED);
                let priority = self.of(&[2, 3, 4, 5, 8, 12, 0, 13, 256]);
                self.set(register::WORD2, priority);
                let policy = self.of(&[policy::FIFO, policy::FIFO, policy::SAME, 7]);
                self.set(register::WORD3, policy);
                // Signals may be handled on it.
                let stack = self.of(&[0, SPARE_STACK, SPARE_STACK, SPARE_STACK + 1]);
                self.set(register::WORD4, stack);
                self.step.kind = Kind::Thread;
            }
            4..6 => {
                self.number(number::THREAD_JOIN);
                let id = self.id();
                self.set(register::WORD0, id);
                self.deadline();
                self.step.kind = Kind::Words(1);
            }
            6 => {
                self.number(number::THREAD_DETACH);
                let id = self.id();
                self.set(register::WORD0, id);
            }
            7 => {
                // The main thread's end is its process's: not too often.
                let ends = !self.player.thread.is_multiple_of(THREADS_EACH) || self.one_in(4);
                self.end(ends, number::THREAD_EXIT, 3);
            }
            _ => {
                self.number(number::THREAD_SCHEDULE);
                let id = self.id();
                // The thread that ends the round keeps its priority.
                let thread = crate::plan::thread_at(id & 0xFF).unwrap_or(0);
                let reaper = thread % THREADS_EACH == crate::plan::REAPER;
                self.set(register::WORD0, if reaper { 0 } else { id });
                let priority = self.of(&[0, 2, 3, 4, 5, 6, 8, 9, 11, 12, 13, 300]);
                self.set(register::WORD1, priority);
                let policy = self.of(&[policy::FIFO, policy::SAME, policy::SAME, 9]);
                self.set(register::WORD2, policy);
                self.step.kind = Kind::Words(2);
            }
        }
    }
}
