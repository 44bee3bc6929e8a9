//! A round, played on the naive model.

use riposte_abi::call::{self, number, operation};
use riposte_abi::{info, register, signal};
use riposte_fuzz_script::draw::{BUFFER, PAGE_WORDS, Table, words_of_block};
use riposte_fuzz_script::plan::{PAGE, PAGES, PLAYERS, REAPER, SPARE, THREADS, THREADS_EACH};
use riposte_fuzz_script::record::WORDS;
use riposte_fuzz_script::world::{Moments, after, end_of, seed_of, start_of};
use riposte_fuzz_script::{Env, Kind, Place, Player, Step, World, absorb, note_signal};

use crate::memory::{self, Memory};
use crate::naive::Naive;

/// How the model divides time: it has none to save.
const MOMENTS: Moments = Moments {
    quantum: 10_000_000,
};

/// What a round came to.
pub struct Played {
    /// Every call, in the order in which they returned.
    pub records: Vec<[u32; WORDS]>,
    /// What each was.
    pub steps: Vec<Step>,
    /// What all threads were doing when each had returned, and at which priority.
    pub states: Vec<String>,
    /// All of them, hashed.
    pub hash: u32,
    /// Calls that have not returned: the thread, and what it waits for.
    pub waiting: Vec<(usize, Step)>,
}

/// What a handler does next.
enum Handler {
    /// It begins, with this signal and word.
    Begins(u32, u32),
    Plays(Player, Option<Step>),
}

/// What a thread's program does next.
enum Program {
    /// It has not started: its call so far of those before the script.
    Before(u32),
    Plays(Player, Option<Step>),
    Over,
}

struct Own<'a> {
    memory: &'a mut Memory,
    thread: usize,
    id: u32,
}

fn sum(words: impl Iterator<Item = u32>) -> u32 {
    words.fold(0, |sum: u32, word| sum.rotate_left(3).wrapping_add(word))
}

impl Own<'_> {
    fn fill_words(&mut self, address: u32, count: u32, seed: u32) {
        for index in 0..count {
            self.memory
                .set_word(address + index * 4, seed.wrapping_mul(index * 2 + 1));
        }
    }

    fn page(&self, page: usize) -> u32 {
        self.address(Place::Page(self.thread / THREADS_EACH, page as u32 * PAGE))
    }
}

impl Env for Own<'_> {
    fn address(&self, place: Place) -> u32 {
        memory::address(place, self.thread / THREADS_EACH)
    }

    fn time(&self, moment: u32) -> u64 {
        MOMENTS.time_of(0, moment)
    }

    fn moment(&self, time: u64) -> u32 {
        MOMENTS.moment_of(0, time)
    }

    fn load(&self, place: Place) -> u32 {
        self.memory.peek(self.address(place))
    }

    fn store(&mut self, place: Place, value: u32) {
        let address = self.address(place);
        self.memory.set_word(address, value);
    }

    fn set_part(&mut self, table: Table, index: usize, (address, length): (u32, u32)) {
        let at = self.address(Place::Table(self.thread, table)) + index as u32 * 8;
        self.memory.set_word(at, address);
        self.memory.set_word(at + 4, length);
    }

    fn fill(&mut self, seed: u32) {
        let address = memory::address(Place::Buffer(self.thread, 0), 0);
        self.fill_words(address, BUFFER / 4, seed);
    }

    fn sum(&self) -> u32 {
        sum(self.memory.buffer(self.thread).into_iter())
    }

    fn fill_page(&mut self, page: usize, seed: u32) {
        self.fill_at(self.page(page), seed);
    }

    fn page_sum(&self, page: usize) -> u32 {
        self.sum_at(self.page(page))
    }

    fn sum_at(&self, address: u32) -> u32 {
        let words = 0..PAGE_WORDS;
        sum(words.map(|index| self.memory.peek(address + index * 4)))
    }

    fn fill_at(&mut self, address: u32, seed: u32) {
        self.fill_words(address, PAGE_WORDS, seed);
    }

    fn region_sum(&self, address: u32) -> u32 {
        sum(words_of_block().map(|index| self.memory.peek(address + index * 4)))
    }

    fn fill_region(&mut self, address: u32, seed: u32) {
        for index in words_of_block() {
            let value = seed.wrapping_mul(index * 2 + 1);
            self.memory.set_word(address + index * 4, value);
        }
    }

    fn id(&self) -> u32 {
        self.id
    }
}

/// The call with which a handler ends.
const END_OF_HANDLER: Step = {
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = call::word(operation::SIGNAL, signal::number::RETURN);
    Step {
        kind: Kind::Nothing,
        registers,
        extra: [0; 5],
        computes: None,
    }
};

/// Plays round number `round` of a boot whose first seed is `first`.
#[must_use]
pub fn play(first: u32, round: u32) -> Played {
    let seed = seed_of(first, round);
    let mut world = World::NEW;
    world.begin(seed, round);
    let mut memory = Memory::default();
    let mut naive = Naive::new(MOMENTS.time_of(0, 0), memory.exchange.clone());
    let mut programs: Vec<Program> = (0..THREADS).map(|_| Program::Before(2)).collect();
    let mut handlers: Vec<Vec<Handler>> = (0..THREADS).map(|_| Vec::new()).collect();
    let mut steps = Vec::new();
    let mut states = Vec::new();
    // All are asleep until they start.
    for thread in 0..PLAYERS {
        if thread % THREADS_EACH != SPARE {
            naive.put_to_sleep(thread, before_the_script(seed, thread));
        }
    }
    loop {
        let Some(thread) = naive.running() else {
            if naive.pass_time(&mut memory, MOMENTS.time_of(0, after::LOOK)) {
                continue;
            }
            break;
        };
        if naive.goes_on(&mut memory) {
            continue;
        }
        if naive.take_start(thread) {
            programs[thread] = Program::Before(0);
            handlers[thread].clear();
        }
        let begun = naive.handlers(thread);
        let new = begun[handlers[thread].len()..].iter();
        let new = new.map(|(signal, word)| Handler::Begins(*signal, *word));
        handlers[thread].extend(new);
        let id = naive.id(thread);
        let mut own = Own {
            memory: &mut memory,
            thread,
            id,
        };
        let mut registers = [0; register::COUNT];
        let mut extra = [0; 5];
        if let Some(handler) = handlers[thread].last_mut() {
            own.id = world.ids[thread];
            let mut noted = None;
            match handler {
                Handler::Begins(signal, word) => {
                    noted = Some(END_OF_HANDLER);
                    note_signal(&mut world, thread, &own, (*signal, *word));
                    *handler = Handler::Plays(Player::of_handler(&world, thread), None);
                }
                Handler::Plays(player, pending) => {
                    if let Some(step) = pending.take() {
                        noted = Some(step);
                        absorb(&mut world, player, &own, &step, &naive.result(thread));
                    }
                }
            }
            if let Some(step) = noted.filter(|_| steps.len() < world.count as usize) {
                steps.push(step);
                states.push(naive.state());
            }
            let Handler::Plays(player, pending) = handler else {
                unreachable!("it has begun");
            };
            *pending = player.draw(&mut world, &mut own);
            let step = pending.unwrap_or(END_OF_HANDLER);
            if pending.is_none() {
                handlers[thread].pop();
            }
            naive.call(&mut memory, step.registers, step.extra);
            continue;
        }
        if let Program::Before(call) = programs[thread] {
            let main = thread.is_multiple_of(THREADS_EACH);
            let spare = thread % THREADS_EACH == SPARE;
            if main && call == 0 {
                registers[register::CALL] = number::START_THREADS;
                programs[thread] = Program::Before(1);
                naive.call(&mut memory, registers, extra);
                continue;
            }
            let process = thread / THREADS_EACH;
            if main && call == 1 && PAGES[process] > 0 {
                // It takes into use what has come home of its pages.
                let first = memory::address(Place::Page(process, 0), process);
                registers[register::CALL] = number::RECLAIM;
                registers[register::WORD0] = first;
                registers[register::WORD1] = PAGES[process] as u32 * PAGE;
                naive.call(own.memory, registers, extra);
                let all = naive.result(thread)[register::INFO] & info::ERROR == 0;
                world.have_pages(process, all);
                for page in 0..PAGES[process] {
                    if all {
                        own.fill_page(page, 0);
                    }
                }
                registers = [0; register::COUNT];
            }
            if !spare && call < 2 {
                registers[register::CALL] = number::SLEEP;
                let at = before_the_script(seed, thread);
                (extra[0], extra[1]) = (at as u32, (at >> 32) as u32);
                programs[thread] = Program::Before(2);
                if at > naive.now() || call == 0 {
                    naive.call(&mut memory, registers, extra);
                    continue;
                }
            }
            let player = Player::new(&mut world, thread, id);
            programs[thread] = Program::Plays(player, None);
        }
        if let Program::Plays(player, pending) = &mut programs[thread] {
            if let Some(step) = pending.take() {
                let before = world.count;
                absorb(&mut world, player, &own, &step, &naive.result(thread));
                if world.count > before {
                    steps.push(step);
                    states.push(naive.state());
                }
            }
            match player.draw(&mut world, &mut own) {
                Some(step) => {
                    *pending = Some(step);
                    match step.computes {
                        None => naive.call(&mut memory, step.registers, step.extra),
                        Some(time) => naive.compute(time),
                    }
                }
                None => programs[thread] = Program::Over,
            }
        }
        if let Program::Over = programs[thread] {
            registers[register::CALL] = number::SLEEP;
            let at = MOMENTS.time_of(0, after::REST);
            (extra[0], extra[1]) = (at as u32, (at >> 32) as u32);
            naive.call(&mut memory, registers, extra);
        }
    }
    let records = world.log[..world.count as usize].to_vec();
    let waiting = programs
        .iter()
        .enumerate()
        .filter_map(|(thread, program)| match program {
            Program::Plays(_, Some(step)) => Some((thread, *step)),
            _ => None,
        });
    Played {
        records,
        steps,
        states,
        hash: world.hash,
        waiting: waiting.collect(),
    }
}

fn before_the_script(seed: u32, thread: usize) -> u64 {
    if thread % THREADS_EACH == REAPER {
        MOMENTS.time_of(0, end_of(thread / THREADS_EACH))
    } else {
        MOMENTS.time_of(0, start_of(seed, thread))
    }
}
