//! A process whose threads play random programs: `riposte-fuzz-script` draws the calls.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use riposte::abi::call::number;
use riposte::abi::{MAX_PARTS, info, register};
use riposte_fuzz_script::draw::{BUFFER, PAGE_WORDS, PRIVATE, TABLES, Table, words_of_block};
use riposte_fuzz_script::plan::{BLOCK, PAGE, REAPER, SPARE, THREADS_EACH};
use riposte_fuzz_script::world::{Moments, Shared, after, end_of, start_of};
use riposte_fuzz_script::{Env, Place, Player, World, absorb, note_signal};

riposte::signal_entry!(begin_handler, handle);

const WORDS: usize = BUFFER as usize / 4;

/// What the threads' calls name: nobody but they and the kernel changes it.
static BUFFERS: [[AtomicU32; WORDS]; THREADS_EACH] =
    [const { [const { AtomicU32::new(0) }; WORDS] }; THREADS_EACH];
static PARTS: [[[AtomicU32; 2 * MAX_PARTS]; TABLES]; THREADS_EACH] =
    [const { [const { [const { AtomicU32::new(0) }; 2 * MAX_PARTS] }; TABLES] }; THREADS_EACH];
/// Where the stack of each thread begins, about, once it has run.
static STACKS: [AtomicU32; THREADS_EACH] = [const { AtomicU32::new(0) }; THREADS_EACH];
/// As many bytes as it has, about.
const STACK: u32 = 0xF00;
static OWN: [AtomicU32; PRIVATE as usize] = [const { AtomicU32::new(0) }; PRIVATE as usize];

#[riposte::main]
fn main() {
    play(0, riposte::current_thread().number());
}

#[riposte::thread]
fn first() -> ! {
    play(1, riposte::current_thread().number())
}

#[riposte::thread]
fn second() -> ! {
    play(2, riposte::current_thread().number())
}

/// Ends the process after the round, whatever its threads do.
#[riposte::thread]
fn reaper() -> ! {
    let process = process();
    let round = with(|world| world.round);
    sleep_until(moments().time_of(round, end_of(process)));
    riposte::exit(0)
}

/// Where the spare thread begins.
extern "C" fn spare(_: u32, _: u32, id: u32, _: u32) -> ! {
    play(SPARE, id)
}

/// Handles a signal: between a call and what its thread makes of that, since nothing else interrupts a thread here.
extern "C" fn handle(signal: u32, word: u32) {
    // The library does not know the spare thread, which no call of its own has started; nor has that one said where its
    // stack is, if it has not run yet.
    let here = (&raw const signal).addr() as u32;
    let is_here = |begin: &AtomicU32| begin.load(Relaxed).wrapping_sub(here) < STACK;
    let position = STACKS.iter().position(is_here).unwrap_or(SPARE);
    let process = process();
    let thread = process * THREADS_EACH + position;
    let (id, round) = with(|world| (world.ids[thread], world.round));
    let mut own = Own {
        process,
        position,
        id,
        round,
    };
    let mut player = with(|world| {
        note_signal(world, thread, &own, (signal, word));
        Player::of_handler(world, thread)
    });
    make_calls(&mut player, &mut own);
}

/// Makes the thread's calls, until there are no more.
fn make_calls(player: &mut Player, own: &mut Own) {
    while let Some(step) = with(|world| player.draw(world, own)) {
        let result = match step.computes {
            // SAFETY: what the calls name for writing is a buffer of atomics, or not the process's.
            None => unsafe { riposte::raw_call(step.registers, step.extra) },
            Some(time) => compute(time),
        };
        with(|world| absorb(world, player, own, &step, &result));
    }
}

/// Passes of a loop between two looks at the clock: few enough that nobody sees whether one more was made.
const BETWEEN_LOOKS: u32 = 2_000;

/// Computes for so many nanoseconds: what the call returned that told the time then.
fn compute(time: u64) -> [u32; register::COUNT] {
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = number::CLOCK;
    let mut end = None;
    loop {
        // SAFETY: no memory is named.
        let result = unsafe { riposte::raw_call(registers, [0; 5]) };
        let now = u64::from(result[register::WORD0]) | u64::from(result[register::WORD1]) << 32;
        if now >= *end.get_or_insert(now + time) {
            return result;
        }
        // An emulator takes longer for a call than for all of this.
        for pass in 0..BETWEEN_LOOKS {
            core::hint::black_box(pass);
        }
    }
}

fn process() -> usize {
    riposte::setting("process").unwrap() as usize
}

fn moments() -> Moments {
    Moments::of_setting(riposte::setting("quantum").unwrap())
}

fn shared() -> *mut Shared {
    riposte::region("world").unwrap().address() as usize as *mut Shared
}

/// Does something with the world.
fn with<R>(body: impl FnOnce(&mut World) -> R) -> R {
    // SAFETY: the region is as large and as aligned, and any words are a world. Nobody else looks at it
    // meanwhile: there is one processor, nobody makes a system call in here, and time, which might let
    // another thread run, only passes while all players wait.
    unsafe { body(&mut (*shared()).world) }
}

fn sleep_until(time: u64) {
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = number::SLEEP;
    // SAFETY: no memory is named.
    unsafe { riposte::raw_call(registers, [time as u32, (time >> 32) as u32, 0, 0, 0]) };
}

fn play(position: usize, id: u32) -> ! {
    debug_assert_ne!(position, REAPER);
    STACKS[position].store((&raw const position).addr() as u32, Relaxed);
    let process = process();
    let thread = process * THREADS_EACH + position;
    let round = with(|world| world.round);
    if position != SPARE {
        // By now the conductor has said which round it is.
        sleep_until(moments().time_of(round, 0));
        if position == 0 {
            take_pages(process);
        }
        let seed = with(|world| world.seed);
        sleep_until(moments().time_of(round, start_of(seed, thread)));
    }
    let mut own = Own {
        process,
        position,
        id,
        round,
    };
    let mut player = with(|world| {
        world.private[process] = own.address(Place::Private(process, 0));
        for (other, buffer) in BUFFERS.iter().enumerate() {
            let thread = process * THREADS_EACH + other;
            world.buffers[thread] = buffer.as_ptr().addr() as u32;
        }
        Player::new(world, thread, id)
    });
    make_calls(&mut player, &mut own);
    loop {
        sleep_until(moments().time_of(round, after::REST));
    }
}

/// Takes into use what has come home of the process's pages, as they were at first: nobody lends any yet.
fn take_pages(process: usize) {
    let Some((address, length)) = riposte::Pages::place() else {
        return;
    };
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = number::RECLAIM;
    registers[register::WORD0] = address;
    registers[register::WORD1] = length;
    // SAFETY: programs look at pages through `words_at` only.
    let result = unsafe { riposte::raw_call(registers, [0; 5]) };
    let all = result[register::INFO] & info::ERROR == 0;
    with(|world| world.have_pages(process, all));
    if all {
        for page in (address..address + length).step_by(PAGE as usize) {
            words_at(page)
                .iter()
                .for_each(|word| word.store(0, Relaxed));
        }
    }
}

/// The words of a page, or of what is in a window, that programs look at.
fn words_at(address: u32) -> &'static [AtomicU32; PAGE_WORDS as usize] {
    // SAFETY: the script names pages that the process has, and windows that are filled; both are aligned. If it were
    // wrong, the process would fault.
    unsafe { &*(address as usize as *const [AtomicU32; PAGE_WORDS as usize]) }
}

/// The words of a region that programs look at, with their numbers.
fn words_of(address: u32) -> impl Iterator<Item = (u32, &'static AtomicU32)> {
    const WORDS: usize = BLOCK as usize / 4;
    // SAFETY: the script names regions that the process has mapped; all are aligned, and as long. If it were wrong, the
    // process would fault.
    let words = unsafe { &*(address as usize as *const [AtomicU32; WORDS]) };
    words_of_block().map(|index| (index, &words[index as usize]))
}

fn fill(words: &[AtomicU32], seed: u32) {
    for (word, index) in words.iter().zip(0..) {
        word.store(seed.wrapping_mul(index * 2 + 1), Relaxed);
    }
}

fn sum<'a>(words: impl IntoIterator<Item = &'a AtomicU32>) -> u32 {
    words.into_iter().fold(0, |sum: u32, word| {
        sum.rotate_left(3).wrapping_add(word.load(Relaxed))
    })
}

/// Where the process's pages are.
fn pages() -> u32 {
    riposte::Pages::place().map_or(0, |(address, _)| address)
}

/// Where a neighbour's memory is; or, where each process has an address space of its own and would find its
/// own memory there, an address that is nobody's.
fn foreign(there: usize) -> usize {
    let spaces = riposte::setting("spaces").unwrap();
    if spaces == 0 { there } else { 0x8040_0000 }
}

/// Where a region ends; or, where the process's own memory may begin there, an address that is nobody's.
fn behind(region: usize) -> usize {
    /// As much as a process has, or all share.
    const MOST: usize = 0x1_0000;
    let end = region + BLOCK as usize;
    let own = [OWN.as_ptr().addr(), shared().addr()];
    let is_own = own.into_iter().any(|own| own.abs_diff(end) <= MOST);
    if is_own { 0x8040_0000 } else { end }
}

struct Own {
    process: usize,
    position: usize,
    id: u32,
    round: u32,
}

impl Own {
    fn word(&self, place: Place) -> &'static AtomicU32 {
        match place {
            Place::Private(_, index) => &OWN[index as usize],
            // SAFETY: the words of the region are words, and atomics.
            Place::Shared(index) => unsafe {
                AtomicU32::from_ptr(&raw mut (*shared()).words[index as usize])
            },
            // SAFETY: the script names words of regions that the process has mapped; all are aligned. If it were wrong,
            // the process would fault.
            Place::InRegion(address) => unsafe {
                AtomicU32::from_ptr(address as usize as *mut u32)
            },
            _ => unreachable!("no script looks elsewhere"),
        }
    }
}

impl Env for Own {
    fn address(&self, place: Place) -> u32 {
        let address = match place {
            Place::Shared(_) => self.word(place).as_ptr().addr(),
            Place::Private(process, _) if process == self.process => {
                self.word(place).as_ptr().addr()
            }
            Place::Private(process, index) => {
                let there = with(|world| world.private[process]) as usize;
                foreign(there) + index as usize * 4
            }
            Place::Buffer(thread, offset) => {
                let there = with(|world| world.buffers[thread]) as usize;
                let own = BUFFERS[thread % THREADS_EACH].as_ptr().addr();
                let is_own = thread / THREADS_EACH == self.process;
                (if is_own { own } else { foreign(there) }) + offset as usize
            }
            Place::Table(thread, table) => {
                PARTS[thread % THREADS_EACH][table as usize].as_ptr().addr()
            }
            Place::Page(_, offset) => pages() as usize + offset as usize,
            Place::Code | Place::Start => {
                let start = spare as extern "C" fn(u32, u32, u32, u32) -> ! as usize;
                if place == Place::Code {
                    start & !3
                } else {
                    start
                }
            }
            Place::Handler => (begin_handler as *const ()).addr(),
            Place::At(address) | Place::InRegion(address) => address as usize,
            Place::Theirs(address) => foreign(address as usize),
            Place::Behind(address) => behind(address as usize),
        };
        address as u32
    }

    fn time(&self, moment: u32) -> u64 {
        moments().time_of(self.round, moment)
    }

    fn moment(&self, time: u64) -> u32 {
        moments().moment_of(self.round, time)
    }

    fn load(&self, place: Place) -> u32 {
        self.word(place).load(Relaxed)
    }

    fn store(&mut self, place: Place, value: u32) {
        self.word(place).store(value, Relaxed);
    }

    fn set_part(&mut self, table: Table, index: usize, (address, length): (u32, u32)) {
        let table = &PARTS[self.position][table as usize];
        table[2 * index].store(address, Relaxed);
        table[2 * index + 1].store(length, Relaxed);
    }

    fn fill(&mut self, seed: u32) {
        fill(&BUFFERS[self.position], seed);
    }

    fn sum(&self) -> u32 {
        sum(&BUFFERS[self.position])
    }

    fn fill_page(&mut self, page: usize, seed: u32) {
        fill(words_at(pages() + page as u32 * PAGE), seed);
    }

    fn page_sum(&self, page: usize) -> u32 {
        sum(words_at(pages() + page as u32 * PAGE))
    }

    fn sum_at(&self, address: u32) -> u32 {
        sum(words_at(address))
    }

    fn fill_at(&mut self, address: u32, seed: u32) {
        fill(words_at(address), seed);
    }

    fn region_sum(&self, address: u32) -> u32 {
        sum(words_of(address).map(|(_, word)| word))
    }

    fn fill_region(&mut self, address: u32, seed: u32) {
        for (index, word) in words_of(address) {
            word.store(seed.wrapping_mul(index * 2 + 1), Relaxed);
        }
    }

    fn id(&self) -> u32 {
        self.id
    }
}
