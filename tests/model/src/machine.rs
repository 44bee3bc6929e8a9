//! Performs calls as a port's trap code does.

use riposte_abi::{
    Error,
    call::{number, operation},
    fault, info, lock, register, signal, thread,
};
use riposte_kernel::{
    Channel, Event, Fault, Kernel, Known, Process, Proxy, Purpose, State, Thread, Upcall, calls,
    limits::HANDLES, snapshot::Snapshot, words,
};

use crate::{
    Answer, Call, ChannelId, Connection, Host, InterruptId, Lines, POISON, ProcessId, ProxyId,
    ThreadId, Token, check, host::SAVED_WORDS, protection::Protection, system::System,
};

/// More interrupts of the clock than any test means.
const MOST_INTERRUPTS: usize = 100_000;

type Registers = [u32; register::COUNT];

/// Bytes of a handler's frame.
const FRAME: u32 = ((signal::frame::WORDS + SAVED_WORDS) * 4) as u32;

/// What a thread was doing when it last ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Doing {
    /// It computes, or has not begun.
    Computing,
    /// It was preempted with these registers, and must find them again.
    Preempted(Registers),
    /// It is in this call.
    Calling(Call),
    /// It is to execute this call again.
    Repeating(Call),
}

/// A handler that a thread runs, and what it did before.
#[derive(Clone, Copy, Debug)]
struct Handler {
    upcall: Upcall,
    interrupted: Doing,
}

/// The state of machine and kernel at one moment.
#[derive(Clone, Debug)]
pub struct Moment {
    handlers: Vec<Vec<Handler>>,
    /// Their frames, by address.
    frames: Vec<(u32, Vec<u8>)>,
    stack_pointers: Vec<u32>,
    kernel: Snapshot,
    cpu: Registers,
    doing: Vec<Doing>,
    extra: Vec<[u32; 5]>,
    protection: Protection,
    words: Vec<u32>,
    lines: Lines,
    now: u64,
    alarm: u64,
}

/// A processor that runs one system, its user threads' registers included.
pub struct Machine {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// Memory and clock.
    pub host: Host,
    fast: bool,
    cpu: Registers,
    doing: Vec<Doing>,
    /// The handlers that each thread runs, the innermost one last.
    handlers: Vec<Vec<Handler>>,
    answers: Vec<Option<Answer>>,
    log: Vec<(usize, Answer)>,
    logging: bool,
    calls_in_registers: u64,
    /// Addresses of words that decide about the future.
    words: Vec<u32>,
}

/// Runs a test with messages that stay in registers where they can, and with all calls served by the dispatcher.
/// Both must see the same answers in the same order.
///
/// # Panics
/// The two differ.
pub fn both_paths(system: &System, test: impl Fn(&mut Machine)) {
    let run = |fast| {
        let mut machine = system.start(fast);
        test(&mut machine);
        check::consistent(&machine);
        machine.log
    };
    let (with, without) = (run(true), run(false));
    assert_eq!(with, without, "with and without the ways in registers");
}

impl Machine {
    pub(crate) fn new(kernel: &'static Kernel, host: Host, fast: bool) -> Self {
        let threads = kernel.tables().threads.len();
        Self {
            kernel,
            host,
            fast,
            cpu: [0; register::COUNT],
            doing: vec![Doing::Computing; threads],
            handlers: vec![Vec::new(); threads],
            answers: vec![None; threads],
            log: Vec::new(),
            logging: true,
            calls_in_registers: 0,
            words: Vec::new(),
        }
    }

    /// Lets every thread open its process's connections, then makes all ready in order.
    pub(crate) fn boot(&mut self) {
        let first = self.kernel.dispatch(&self.host, Event::Start);
        self.kernel.current.set(first);
        self.load(first);
        let idle = self.idle();
        while self.current() != idle {
            let thread = self.current();
            if !self.prepare(thread) {
                self.call(thread, Call::sleep(1000 + thread.0 as u64));
            }
        }
        for thread in 0..idle.0 {
            self.advance_to(1000 + thread as u64);
        }
        self.log.clear();
        self.answers.fill(None);
    }

    /// The running thread opens its process's connections, then starts its other threads, which
    /// may run at once. False if nothing is left to do.
    pub fn prepare(&mut self, thread: ThreadId) -> bool {
        let process = self.thread(thread).process;
        if usize::from(process.first_thread) != thread.0 {
            return false;
        }
        for slot in 0..HANDLES {
            let handle = &self.kernel.tables().handles[usize::from(process.index)][slot];
            let is_connection = handle.purpose == Purpose::Connection;
            if is_connection && !handle.is_open() && handle.triggers().is_none() {
                self.call(thread, Call::other(number::CONNECT, &[slot as u32]));
            }
        }
        let has_others = process.threads > 1 && !process.has_started_threads();
        if has_others {
            self.call(thread, Call::other(number::START_THREADS, &[]));
        }
        has_others
    }

    /// The idle thread.
    #[must_use]
    pub fn idle(&self) -> ThreadId {
        ThreadId(self.kernel.tables().threads.len() - 1)
    }

    /// The running thread.
    #[must_use]
    pub fn current(&self) -> ThreadId {
        ThreadId(usize::from(self.kernel.current.get().index))
    }

    /// A thread.
    #[must_use]
    pub fn thread(&self, thread: ThreadId) -> &'static Thread {
        &self.kernel.tables().threads[thread.0]
    }

    /// The token of the message with which a thread waits for an answer.
    #[must_use]
    pub fn token_of(&self, client: ThreadId) -> Token {
        let (tag, generation) = self.thread(client).token();
        Token { tag, generation }
    }

    /// What a thread is doing.
    #[must_use]
    pub fn state(&self, thread: ThreadId) -> State {
        self.thread(thread).state()
    }

    /// A thread's effective priority.
    #[must_use]
    pub fn priority(&self, thread: ThreadId) -> u8 {
        self.thread(thread).priority()
    }

    /// A process.
    #[must_use]
    pub fn process(&self, process: ProcessId) -> &'static Process {
        &self.kernel.tables().processes[process.0]
    }

    /// A channel.
    #[must_use]
    pub fn channel(&self, channel: ChannelId) -> &'static Channel {
        &self.kernel.tables().channels[channel.0]
    }

    /// The handle by which the owner receives from a channel.
    #[must_use]
    pub fn receive_handle(&self, channel: ChannelId) -> u32 {
        self.channel(channel).handle
    }

    /// The handle that names a connection as it is now.
    #[must_use]
    pub fn handle(&self, connection: Connection) -> u32 {
        self.kernel.tables().handles[connection.process.0][connection.slot]
            .value(connection.slot as u32)
    }

    /// A proxy of the manifest.
    #[must_use]
    pub fn proxy(&self, proxy: ProxyId) -> &'static Proxy {
        &self.process(proxy.owner).objects.proxies[proxy.number]
    }

    /// The handle that names an interrupt as it is now.
    #[must_use]
    pub fn interrupt_handle(&self, interrupt: InterruptId) -> u32 {
        self.kernel.tables().handles[interrupt.process.0][interrupt.slot]
            .value(interrupt.slot as u32)
    }

    /// How many calls have kept their message in registers.
    #[must_use]
    pub fn calls_in_registers(&self) -> u64 {
        self.calls_in_registers
    }

    /// The call that a thread is in or has to execute again.
    #[must_use]
    pub fn pending(&self, thread: ThreadId) -> Option<Call> {
        match self.doing[thread.0] {
            Doing::Calling(call) | Doing::Repeating(call) => Some(call),
            Doing::Computing | Doing::Preempted(_) => None,
        }
    }

    /// The thread that runs, if it is to execute its call again.
    #[must_use]
    pub fn repeating(&self) -> Option<ThreadId> {
        let current = self.current();
        self.must_repeat(current).then_some(current)
    }

    /// Whether a thread has to execute its call again before it does anything else.
    #[must_use]
    pub fn must_repeat(&self, thread: ThreadId) -> bool {
        matches!(self.doing[thread.0], Doing::Repeating(_))
    }

    /// Lets `thread` run: those of its priority that run before it yield.
    ///
    /// # Panics
    /// It is not ready, or others are more urgent.
    pub fn run(&mut self, thread: ThreadId) {
        for _ in 0..self.doing.len() {
            if self.current() == thread {
                return;
            }
            let current = self.current();
            self.call(current, Call::give_way());
        }
        panic!(
            "thread {} ({:?} at {}) does not come to run after thread {} (at {})",
            thread.0,
            self.state(thread),
            self.priority(thread),
            self.current().0,
            self.priority(self.current()),
        );
    }

    /// Lets `thread` run, and perform this call; again, if it is interrupted.
    pub fn call(&mut self, thread: ThreadId, call: Call) {
        if self.call_once(thread, call) {
            return;
        }
        self.interrupt();
        while self.current() == thread && self.must_repeat(thread) {
            if !self.repeat(thread) {
                self.interrupt();
            }
        }
    }

    /// `client` sends these words.
    pub fn send(&mut self, client: ThreadId, link: Connection, words: &[u32]) {
        let call = Call::send(self.handle(link), words);
        self.call(client, call);
    }

    /// `server` receives.
    pub fn receive(&mut self, server: ThreadId, channel: ChannelId) {
        let call = Call::receive(self.receive_handle(channel));
        self.call(server, call);
    }

    /// Lets `thread` run, and perform a call that is refused.
    ///
    /// # Panics
    /// It is not, or something has changed.
    pub fn refused(&mut self, thread: ThreadId, call: Call) -> Error {
        self.run(thread);
        let before = self.shape();
        let answer = self.answer_to(thread, call);
        let error = answer.error().expect("an error");
        assert_eq!(self.current(), thread);
        assert!(
            self.shape() == before,
            "a refused call changes nothing: {call:x?}"
        );
        error
    }

    /// As [`Machine::call`], and the thread is not blocked: what the call returned.
    ///
    /// # Panics
    /// The thread is blocked.
    pub fn answer_to(&mut self, thread: ThreadId, call: Call) -> Answer {
        self.call(thread, call);
        self.answer(thread).expect("the call does not block")
    }

    /// Lets `thread` run, and perform this call once. False if it is interrupted in the middle, and
    /// has to be executed again.
    pub fn call_once(&mut self, thread: ThreadId, call: Call) -> bool {
        self.run(thread);
        assert!(!self.must_repeat(thread), "it has another call to finish");
        self.answers[thread.0] = None;
        self.execute(thread, call)
    }

    /// `thread` attaches an interrupt to its channel: the handle.
    ///
    /// # Panics
    /// That is refused.
    pub fn attach(
        &mut self,
        thread: ThreadId,
        interrupt: InterruptId,
        channel: ChannelId,
        bits: u32,
    ) -> u32 {
        let channel = self.receive_handle(channel);
        let attach = Call::attach(interrupt.position, channel, bits);
        self.answer_to(thread, attach).word()
    }

    /// `thread` attaches an interrupt to its channel, with bit 1, and waits for it: the call that acknowledges it and waits
    /// again.
    pub fn wait_for_interrupt(
        &mut self,
        thread: ThreadId,
        interrupt: InterruptId,
        channel: ChannelId,
    ) -> Call {
        let attached = self.attach(thread, interrupt, channel, 1);
        let wait = Call::acknowledge_and_receive(self.receive_handle(channel), attached);
        self.call(thread, wait);
        wait
    }

    /// Where a frame lies on its thread's stack, another thread of the process can change where that one goes on:
    /// `thread` does not execute the call again that was interrupted, but anything else.
    ///
    /// # Panics
    /// None was.
    pub fn divert(&mut self, thread: ThreadId) {
        assert!(self.must_repeat(thread));
        assert_ne!(self.current(), thread, "it would need its registers");
        self.doing[thread.0] = Doing::Computing;
    }

    /// Lets `thread` run, and execute again the call that was interrupted.
    ///
    /// # Panics
    /// None was.
    pub fn repeat(&mut self, thread: ThreadId) -> bool {
        self.run(thread);
        let Doing::Repeating(call) = self.doing[thread.0] else {
            panic!("thread {} has nothing to repeat", thread.0);
        };
        assert_eq!(self.cpu, call.registers, "the call's registers come back");
        self.execute(thread, call)
    }

    fn execute(&mut self, thread: ThreadId, call: Call) -> bool {
        let caller = self.thread(thread);
        self.cpu = call.registers;
        self.host.found_one.set(false);
        self.host.extra.borrow_mut()[thread.0] = call.extra;
        self.doing[thread.0] = Doing::Calling(call);
        let done = if self.fast && self.call_in_registers(caller) {
            self.calls_in_registers += 1;
            true
        } else {
            self.call_dispatcher(caller)
        };
        let ends_nothing = [number::NULL, number::YIELD, number::CLOCK];
        assert!(
            !done || !caller.repeats() || ends_nothing.contains(&call.registers[register::CALL]),
            "a call that is over comes again: {call:x?}"
        );
        self.host.interrupt_after.set(None);
        check::consistent(self);
        self.assert_that_one_comes();
        if self.kernel.has_work_left() {
            // The interrupt that cut the work short comes before any thread goes on.
            self.interrupt();
        }
        self.take_interrupts();
        done
    }

    /// A device asks for its interrupt once.
    pub fn raise(&mut self, line: usize) {
        self.host.change_lines(|lines| lines.pending |= 1 << line);
        self.take_interrupts();
    }

    /// A device begins to ask for its interrupt, or ends.
    pub fn assert_line(&mut self, line: usize, asks: bool) {
        self.host.change_lines(|lines| {
            if asks {
                lines.asserted |= 1 << line;
                lines.pending |= 1 << line;
            } else {
                lines.asserted &= !(1 << line);
            }
        });
        self.take_interrupts();
    }

    /// The interrupt controller.
    #[must_use]
    pub fn lines(&self) -> Lines {
        self.host.lines.get()
    }

    /// Before the next instruction of a thread, what is to interrupt does.
    fn take_interrupts(&mut self) {
        while let Some(line) = self.host.change_lines(Lines::take) {
            self.enter();
            let next = self.kernel.dispatch(&self.host, Event::Interrupt(line));
            // A device that still asks is heard again.
            self.host
                .change_lines(|lines| lines.pending |= lines.asserted & 1 << line);
            self.leave(next);
        }
    }

    /// The ways that keep a message in its registers. False if nothing has happened.
    fn call_in_registers(&mut self, caller: &'static Thread) -> bool {
        let Some((next, registers)) = words::attempt(caller, self.cpu) else {
            return false;
        };
        self.cpu = registers;
        self.kernel.current.set(next);
        self.arrive(next);
        true
    }

    /// The dispatcher. False if the call has to be executed again.
    fn call_dispatcher(&mut self, caller: &'static Thread) -> bool {
        self.save(caller);
        let next = serve(self.kernel, &self.host, caller);
        self.kernel.current.set(next);
        let repeats = self.host.repeats.take();
        for index in repeats.iter().map(|index| usize::from(*index)) {
            let thread = self.thread(ThreadId(index));
            let registers = thread.registers.each_ref().map(std::cell::Cell::get);
            let extra = self.host.extra.borrow()[index];
            self.doing[index] = Doing::Repeating(Call { registers, extra });
        }
        self.follow_upcalls();
        self.forget_reset();
        self.load(next);
        !repeats.contains(&caller.index)
    }

    fn save(&mut self, thread: &'static Thread) {
        for (cell, word) in thread.registers.iter().zip(self.cpu) {
            cell.set(word);
        }
    }

    fn load_registers(&mut self, thread: &'static Thread) {
        self.cpu = thread.registers.each_ref().map(|cell| cell.replace(POISON));
    }

    fn load(&mut self, thread: &'static Thread) {
        self.load_registers(thread);
        self.arrive(thread);
    }

    /// `thread` goes on with what the processor's registers hold.
    fn arrive(&mut self, thread: &'static Thread) {
        let index = usize::from(thread.index);
        match self.doing[index] {
            Doing::Computing => {}
            Doing::Repeating(call) => {
                assert_eq!(self.cpu, call.registers);
                return;
            }
            Doing::Preempted(registers) => {
                assert_eq!(
                    self.cpu, registers,
                    "thread {index} finds its registers again"
                );
            }
            Doing::Calling(call) if call.has_answer() => {
                let answer = Answer {
                    registers: self.cpu,
                };
                self.answers[index] = Some(answer);
                if self.logging {
                    self.log.push((index, defined(call, answer)));
                }
            }
            Doing::Calling(_) => {}
        }
        self.doing[index] = Doing::Computing;
    }

    /// Threads have begun handlers, and ended them.
    fn follow_upcalls(&mut self) {
        for (index, upcall) in self.host.upcalls.take() {
            let index = usize::from(index);
            let doing = match upcall {
                Some(upcall) => {
                    let interrupted = self.doing[index];
                    let handler = Handler {
                        upcall,
                        interrupted,
                    };
                    self.handlers[index].push(handler);
                    Doing::Computing
                }
                None => self.handlers[index].pop().expect("a handler").interrupted,
            };
            self.doing[index] = doing;
        }
    }

    /// The handler that a thread runs.
    #[must_use]
    pub fn handler(&self, thread: ThreadId) -> Option<Upcall> {
        self.handlers[thread.0].last().map(|handler| handler.upcall)
    }

    /// Whether no short way knows the handles of a thread's process.
    #[must_use]
    pub fn keeps_to_general_cases(&self, thread: ThreadId) -> bool {
        self.kernel.keeps_to_general_cases(self.thread(thread))
    }

    /// The signal that a thread handles.
    #[must_use]
    pub fn handles(&self, thread: ThreadId) -> Option<u32> {
        let [signal, _] = self.handler(thread)?.arguments;
        Some(signal)
    }

    /// Lets `thread` run, and end its handler.
    ///
    /// # Panics
    /// It handles nothing.
    pub fn end_handler(&mut self, thread: ThreadId) {
        let handler = self.handler(thread).expect("a handler");
        let words = [handler.stack_pointer];
        self.call(thread, Call::about_signals(signal::number::RETURN, &words));
    }

    /// Threads that begin anew, or have been stopped, are in no call any more.
    fn forget_reset(&mut self) {
        for index in self.host.resets.take() {
            self.handlers[usize::from(index)].clear();
            self.doing[usize::from(index)] = Doing::Computing;
            self.answers[usize::from(index)] = None;
        }
        for thread in self.kernel.tables().threads {
            if thread.state() == State::Stopped && !thread.process.is_held() {
                self.doing[usize::from(thread.index)] = Doing::Computing;
            }
        }
    }

    /// What the last call of a thread returned, if the thread is not blocked in it.
    #[must_use]
    pub fn answer(&self, thread: ThreadId) -> Option<Answer> {
        match self.doing[thread.0] {
            Doing::Calling(call) => {
                let ready = self.state(thread) == State::Ready && call.has_answer();
                ready.then(|| Answer {
                    registers: self
                        .thread(thread)
                        .registers
                        .each_ref()
                        .map(std::cell::Cell::get),
                })
            }
            _ => self.answers[thread.0],
        }
    }

    /// An interrupt of the clock, whatever the time.
    pub fn interrupt(&mut self) {
        self.enter();
        let next = self.kernel.dispatch(&self.host, Event::Clock);
        self.host.interrupt_after.set(None);
        self.leave(next);
        // A line that it has unmasked may have been asked for.
        self.take_interrupts();
    }

    /// An interrupt, a fault: the running thread is suspended as it is.
    fn enter(&mut self) {
        self.host.found_one.set(false);
        let current = self.kernel.current.get();
        let index = usize::from(current.index);
        if self.doing[index] == Doing::Computing {
            self.cpu[register::WORD0] = 0x1000 + index as u32;
            self.doing[index] = Doing::Preempted(self.cpu);
        }
        self.save(current);
    }

    fn leave(&mut self, next: &'static Thread) {
        self.kernel.current.set(next);
        self.follow_upcalls();
        self.forget_reset();
        self.load(next);
        check::consistent(self);
        self.assert_that_one_comes();
    }

    /// What has been put off until the interrupt that waits is put off for ever if none comes; and nothing is, unless one
    /// waited.
    fn assert_that_one_comes(&self) {
        assert!(
            !self.kernel.has_work_left() || self.host.one_comes(),
            "priorities are stale, a thread goes on, and no interrupt comes"
        );
        assert!(
            !self.kernel.has_work_left() || self.host.found_one.get(),
            "priorities are stale, and no interrupt was in the way"
        );
    }

    /// Time passes; the clock interrupts whenever it was asked to.
    ///
    /// # Panics
    /// It never stops interrupting.
    pub fn advance_to(&mut self, time: u64) {
        // What a test has let wait has come by then.
        self.host.interrupt_after.set(None);
        for _ in 0..MOST_INTERRUPTS {
            let alarm = self.host.alarm.get();
            self.host.now.set(time.min(alarm).max(self.host.now.get()));
            if alarm > time {
                self.host.now.set(time.max(self.host.now.get()));
                return;
            }
            self.interrupt();
        }
        panic!("the clock interrupts again and again");
    }

    /// Time passes as in a long call: what the clock was asked for meanwhile is late.
    pub fn leap_to(&mut self, time: u64) {
        self.host.now.set(time);
        self.advance_to(time);
    }

    /// Nanoseconds pass.
    pub fn advance(&mut self, nanoseconds: u64) {
        self.advance_to(self.now() + nanoseconds);
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.host.now.get()
    }

    /// When the clock is to interrupt.
    #[must_use]
    pub fn alarm(&self) -> u64 {
        self.host.alarm.get()
    }

    /// Sets the time and nothing else.
    pub fn set_now(&mut self, now: u64) {
        self.host.now.set(now);
    }

    /// Lets `thread` run, and touch what is not its own.
    pub fn fault(&mut self, thread: ThreadId) {
        self.run(thread);
        self.enter();
        let mut fault = Fault::new(fault::reason::MEMORY, Some(0xBAD0_0000));
        fault.registers = Known::All;
        fault.stack_pointer = riposte_kernel::Port::stack_pointer(&self.host, self.thread(thread));
        let next = self.kernel.dispatch(&self.host, Event::Fault(fault));
        self.leave(next);
    }

    /// The word at `address`, by which threads decide, is a part of the machine's moments.
    pub fn watch(&mut self, address: u32) {
        self.words.push(address);
    }

    fn words(&self) -> impl Iterator<Item = u32> + '_ {
        self.words
            .iter()
            .map(|address| self.host.peek_word(*address))
    }

    /// A word without what only tells old from new: the life of the thread whose id it holds.
    fn shape_of(&self, word: u32) -> u32 {
        let id = word & lock::OWNER_MASK;
        let mut threads = self.kernel.tables().threads.iter();
        let lives =
            |thread: &&'static Thread| thread.id() == id && thread.state() != State::Stopped;
        match threads.find(lives) {
            Some(thread) => word & !lock::OWNER_MASK | 0x100 | u32::from(thread.index),
            None if id <= thread::INDEX_MASK => word,
            None => word & !lock::OWNER_MASK | 0x200,
        }
    }

    /// Machine and kernel as they are now; memory is left out, but for the words that are watched.
    #[must_use]
    pub fn save_moment(&self) -> Moment {
        let handlers = self.handlers.iter().flatten();
        let frames = handlers.map(|handler| {
            let address = handler.upcall.stack_pointer;
            (address, self.host.peek(address, FRAME))
        });
        Moment {
            handlers: self.handlers.clone(),
            frames: frames.collect(),
            stack_pointers: self.host.stack_pointers(),
            kernel: self.kernel.save(),
            cpu: self.cpu,
            doing: self.doing.clone(),
            extra: self.host.extra.borrow().clone(),
            protection: self.host.protection.borrow().clone(),
            words: self.words().collect(),
            lines: self.host.lines.get(),
            now: self.host.now.get(),
            alarm: self.host.alarm.get(),
        }
    }

    /// Back to a moment.
    pub fn go_back(&mut self, moment: &Moment) {
        self.kernel.restore(&moment.kernel);
        self.cpu = moment.cpu;
        self.doing.clone_from(&moment.doing);
        self.handlers.clone_from(&moment.handlers);
        self.host.set_stack_pointers(&moment.stack_pointers);
        for (address, bytes) in &moment.frames {
            self.host.poke(*address, bytes);
        }
        self.host.extra.borrow_mut().clone_from(&moment.extra);
        let mut protection = self.host.protection.borrow_mut();
        protection.clone_from(&moment.protection);
        drop(protection);
        for (address, value) in self.words.iter().zip(&moment.words) {
            self.host.poke_word(*address, *value);
        }
        self.host.lines.set(moment.lines);
        self.host.now.set(moment.now);
        self.host.alarm.set(moment.alarm);
        self.host.interrupt_after.set(None);
        self.answers.fill(None);
    }

    /// What decides about the future, as bytes.
    #[must_use]
    pub fn shape(&self) -> Vec<u8> {
        let mut bytes = self.kernel.shape(self.now());
        let words = self.words().map(|word| self.shape_of(word));
        bytes.extend(words.flat_map(u32::to_le_bytes));
        for (index, doing) in self.doing.iter().enumerate() {
            let handlers = &self.handlers[index];
            bytes.push(handlers.len() as u8);
            for handler in handlers {
                let [signal, word] = handler.upcall.arguments;
                bytes.extend([signal as u8, word as u8]);
            }
            let waits = !matches!(self.state(ThreadId(index)), State::Ready | State::Stopped);
            let (kind, call) = match doing {
                Doing::Repeating(call) => (2, call),
                Doing::Calling(call) if waits => (1, call),
                _ => {
                    bytes.push(0);
                    continue;
                }
            };
            bytes.push(kind);
            let registers = call.registers;
            bytes.extend((registers[register::CALL] >> 28).to_le_bytes());
            let has_number = matches!(
                registers[register::CALL] >> 28,
                operation::OTHER | operation::SIGNAL
            );
            if has_number || kind == 2 {
                bytes.extend(registers[register::CALL].to_le_bytes());
            }
            bytes.extend((registers[register::INFO] & !info::TAG_MASK).to_le_bytes());
            bytes.extend(call.extra[2..].iter().flat_map(|word| word.to_le_bytes()));
        }
        let Lines {
            enabled,
            pending,
            asserted,
            mute: _,
        } = self.host.lines.get();
        for lines in [enabled, pending, asserted] {
            bytes.extend(lines.to_le_bytes());
        }
        bytes
    }

    /// Stops remembering what calls returned.
    pub fn stop_log(&mut self) {
        self.log.clear();
        self.logging = false;
    }
}

/// Serves a call by the entry that its call word has in the kernel's table.
fn serve(kernel: &Kernel, host: &Host, caller: &'static Thread) -> &'static Thread {
    fn call<const ENTRY: usize>(
        kernel: &Kernel,
        host: &Host,
        caller: &'static Thread,
    ) -> &'static Thread {
        kernel.serve::<ENTRY>(host, caller)
    }
    type Function = fn(&Kernel, &Host, &'static Thread) -> &'static Thread;
    static TABLE: [Function; calls::CALLS] = riposte_kernel::table_of_calls!(call);
    let word = caller.registers[register::CALL].get();
    TABLE[calls::entry(word)](kernel, host, caller)
}

/// The registers of an answer that mean something.
fn defined(call: Call, answer: Answer) -> Answer {
    let mut registers = answer.registers;
    let is_send = matches!(
        call.operation(),
        operation::SEND | operation::SEND_BYTES | operation::SEND_VECTOR
    );
    let in_words = call.operation() == operation::SEND;
    if is_send && in_words {
        registers[register::GENERATION] = 0;
    }
    if call.registers[register::CALL] == number::CLOCK {
        registers[register::GENERATION] = 0;
    }
    Answer { registers }
}
