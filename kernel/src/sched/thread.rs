//! Threads.

use core::cell::Cell;

use riposte_abi::{Error, call::OPERATION_SHIFT, info, register, thread};

use crate::{
    Channel, Deadline, Due, Handle, Notice, Port, Process, Source,
    ipc::transfer::forget_copy,
    limits::{HANDLES, Line, MEMORY_MESSAGES, SIGNALS},
    memory::{range::Data, window::IfCarried},
    object::search::Doubt,
    sched::policy::{Level, Policy},
    sched::queue::{List, PriorityList},
    sched::spawn::{IfStarted, Start},
    signal::{IfSignals, OfThread},
    sync::futex::{IfFutexes, Place},
};

/// What a thread is doing. Derived from its links: no state can disagree with its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Running, or ready to.
    Ready,
    /// Its message has not been received yet.
    SendBlocked,
    /// Its message has been received and not answered.
    ReplyBlocked,
    /// Waiting for a message.
    ReceiveBlocked,
    /// Waiting at a word of memory, or for a lock.
    FutexBlocked,
    /// Waiting for a thread to end.
    Joining,
    /// Waiting for a time.
    Sleeping,
    /// Waiting for a signal.
    Signalled,
    /// Not started, ended, or stopped after a fault.
    Stopped,
}

value! {
/// In what form a thread has sent its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// In registers.
    Words,
    /// As bytes at an address.
    Bytes,
    /// As parts at an address.
    Vector,
    /// With memory that the server may read until it answers.
    Lend,
    /// With memory that the server may read and write until it answers.
    LendMut,
    /// With memory that the server is to have.
    Move,
}
}

impl Form {
    /// Whether its bytes are copied from the client's memory.
    pub(crate) fn is_copied(self) -> bool {
        self != Form::Words && !self.carries_memory()
    }

    /// What tells a server which memory came with the message.
    pub(crate) fn mark(self) -> u32 {
        match self {
            Form::Lend => info::LENT,
            Form::LendMut => info::LENT_MUT,
            _ => info::MOVED,
        }
    }

    /// Whether it carries memory that comes back with the answer.
    pub(crate) fn is_lent(self) -> bool {
        MEMORY_MESSAGES && matches!(self, Form::Lend | Form::LendMut)
    }

    /// Whether it carries memory.
    pub(crate) fn carries_memory(self) -> bool {
        self.is_lent() || MEMORY_MESSAGES && self == Form::Move
    }
}

value! {
/// What a blocked thread asked for beyond the message itself. A thread that runs has [`Request::NONE`].
#[derive(Clone, Copy)]
pub(crate) struct Request {
    /// `x2`, `x3` are parts.
    pub vector: bool,
    /// A reply may bring a handle.
    pub accepts_handle: bool,
    /// It has a deadline.
    pub limited: bool,
    /// Badge the server sees.
    pub badge: u32,
    /// Channel it was sent to, if the slow path sent it.
    pub channel: Option<&'static Channel>,
}
}

impl Request {
    pub const NONE: Request = Request {
        vector: false,
        accepts_handle: false,
        limited: false,
        badge: 0,
        channel: None,
    };
}

value! {
/// Whom a thread serves. Those that are a thread's only client ask for nothing beyond the message, and lend
/// their priority: the common case finds what it needs here, and nothing else has to be looked at.
#[derive(Clone, Copy)]
#[repr(u32)]
pub(crate) enum Serving {
    /// One client, which sent words. (It comes first, so that the way in registers compares with 0.)
    Words(&'static Thread),
    /// Nobody.
    Nobody,
    /// One client, which sent bytes, in one piece or in several.
    Bytes(&'static Thread),
    /// One client, which has filled the first window of the process with memory that it lends.
    Loan(&'static Thread),
    /// Whoever is in [`Thread::clients`].
    Listed,
}
}

value! {
/// Whom a selective receive waits for.
#[derive(Clone, Copy)]
pub(crate) enum Selection {
    Anyone,
    Badge(u32),
    Thread(&'static Thread),
}
}

/// Why a blocked thread is made ready, other than by a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// Its call has succeeded.
    Done,
    /// Its call has failed.
    Failed(Error),
}

state! {
/// A thread: what the scheduler runs, and what blocks.
///
/// The first fields are what a port's trap code and the fast path touch; ports take their offsets
/// with `offset_of!`.
#[repr(C)]
pub struct Thread {
    /// The message registers while it doesn't run (not touched by the fast path).
    pub registers: [Cell<u32>; register::COUNT] as detail,
    /// What follows is touched together.
    pub(crate) line: Line,
    /// The port's: where the rest of its context lies (its stack pointer on Cortex-M).
    pub frame: Cell<usize> as detail,
    /// The port's: its protection image.
    pub protection: *const (),
    /// Token: thread index and the generation's high part, as they stand in `INFO`.
    pub tag: Cell<u32> as detail,
    /// Token: the generation's low part. Counts this thread's sends.
    pub generation: Cell<u32> as detail,
    /// What it names by handles as the fast path knows it: nothing while it has dropped a level.
    pub(crate) handles: Cell<&'static [Handle; HANDLES]> as detail,
    /// Whom it serves.
    pub(crate) serving: Cell<Serving>,
    pub(crate) server: Cell<Option<&'static Thread>>,
    pub(crate) bound: Cell<&'static Channel>,
    /// Where its data lies: what the fast path takes messages from and puts them to.
    pub(crate) data: Data,
    pub(crate) priority: Cell<u8>,
    pub(crate) waiting: Cell<bool>,
    pub(crate) sleeping: Cell<bool>,
    pub(crate) stopped: Cell<bool>,
    /// Of those it has listed, it has received a message since it came to the channel at which it is.
    pub(crate) serves: Cell<bool>,
    /// Index in the system, as tokens name it.
    pub index: u8,
    /// Its own priority.
    pub base: Cell<u8>,
    /// What it was given, of which its own priority follows.
    pub(crate) level: Level,
    /// The port's: what it needs to resume the thread (`EXC_RETURN` on Cortex-M).
    pub resume: Cell<u32> as detail,
    /// It is the only thread of its process.
    pub(crate) alone: IfCarried<bool>,
    pub(crate) next: Cell<Option<&'static Thread>>,
    pub(crate) previous: Cell<Option<&'static Thread>>,
    /// What is below it in the tree of a [`crate::PriorityList`].
    pub(crate) branches: [Cell<Option<&'static Thread>>; 2] as detail,
    /// The listed clients that lend it their priority.
    pub(crate) clients: PriorityList,
    /// The listed clients of channels with a fixed priority: they lend nothing.
    pub(crate) guests: List,
    /// The next one of the receivers of the channel that it last received from.
    pub(crate) next_receiver: Cell<Option<&'static Thread>> as detail,
    pub(crate) sending: Cell<Option<&'static Channel>>,
    /// Form of the message it waits with; words while it runs.
    pub(crate) form: Cell<Form>,
    /// Somebody waits, or has waited, for a message of this thread alone.
    pub(crate) chosen: Cell<bool> as detail,
    /// The parts of buffers that its call has checked before an interrupt came
    /// ([`crate::ipc::transfer::Stage`]): its own, and those of its partner.
    pub(crate) checked: Cell<u8>,
    /// It waits for a badge that the dying process could send with: perhaps nobody else can. The search for somebody
    /// has come so far ([`crate::object::search::Doubt`]).
    pub(crate) doubt: Cell<Option<Doubt>>,
    pub(crate) request: Cell<Request>,
    pub(crate) selection: Cell<Selection>,
    pub(crate) deadline: Deadline,
    pub(crate) progress: Cell<u32>,
    /// Of which call that is progress: its call word and its first word.
    pub(crate) progress_of: [Cell<u32>; 2] as detail,
    /// The other side of a copy, or of the checks before one, that an interrupt has cut short.
    pub(crate) partner: Cell<Option<&'static Thread>>,
    /// It is the side that copies: its progress is how many bytes.
    pub(crate) copies: Cell<bool>,
    pub(crate) unblock: Notice,
    /// Counts its starts: [`Thread::id`].
    pub(crate) life: Cell<u32> as detail,
    /// The low part of the last generation of before this life.
    pub(crate) before: Cell<u32> as detail,
    /// What it has to do with words of memory.
    pub(crate) place: IfFutexes<Place>,
    /// What it has to do with threads that start and end at run time.
    pub(crate) start: IfStarted<Start>,
    /// What it has to do with signals.
    pub(crate) signals: IfSignals<OfThread>,
    /// The process it belongs to.
    pub process: &'static Process as link,
    /// Where it begins.
    pub entry: Cell<u32> as detail,
    /// First byte of its stack.
    pub stack_base: u32,
    /// End of its stack: where its stack pointer begins.
    pub stack_top: u32,
}
}

/// What a thread is, for [`Thread::new`].
pub struct Settings {
    /// Index in the system.
    pub index: u8,
    /// Base priority.
    pub priority: u8,
    /// How it shares its level.
    pub policy: Policy,
    /// It waits for a [`riposte_abi::call::number::THREAD_CREATE`].
    pub spare: bool,
    /// First instruction; of no meaning for a spare thread.
    pub entry: u32,
    /// First byte of its stack.
    pub stack_base: u32,
    /// Past the last byte of its stack.
    pub stack_top: u32,
    /// The port's protection image.
    pub protection: *const (),
}

impl Thread {
    /// A stopped thread of `process`, whose handles these are. `nowhere` is the channel that
    /// nothing belongs to ([`Channel::nowhere`]).
    #[must_use]
    pub const fn new(
        settings: Settings,
        process: &'static Process,
        handles: &'static [Handle; HANDLES],
        nowhere: &'static Channel,
    ) -> Self {
        Self {
            registers: [const { Cell::new(0) }; register::COUNT],
            line: Line,
            frame: Cell::new(0),
            protection: settings.protection,
            tag: Cell::new((settings.index as u32) << info::THREAD_SHIFT),
            generation: Cell::new(0),
            handles: Cell::new(handles),
            serving: Cell::new(Serving::Nobody),
            server: Cell::new(None),
            bound: Cell::new(nowhere),
            data: Data::first_of(process.memory),
            priority: Cell::new(settings.priority),
            waiting: Cell::new(false),
            sleeping: Cell::new(false),
            stopped: Cell::new(true),
            serves: Cell::new(false),
            index: settings.index,
            base: Cell::new(settings.priority),
            level: Level::new(settings.priority, settings.policy),
            resume: Cell::new(0),
            alone: [process.threads == 1; _],
            next: Cell::new(None),
            previous: Cell::new(None),
            branches: [const { Cell::new(None) }; 2],
            clients: PriorityList::new(),
            guests: List::new(),
            next_receiver: Cell::new(None),
            sending: Cell::new(None),
            form: Cell::new(Form::Words),
            checked: Cell::new(0),
            request: Cell::new(Request::NONE),
            selection: Cell::new(Selection::Anyone),
            deadline: Deadline::new(Due::Thread(settings.index)),
            progress: Cell::new(0),
            progress_of: [const { Cell::new(0) }; 2],
            partner: Cell::new(None),
            copies: Cell::new(false),
            unblock: Notice::new(Source::Unblock {
                thread: settings.index,
            }),
            chosen: Cell::new(false),
            doubt: Cell::new(None),
            before: Cell::new(0),
            life: Cell::new(0),
            place: [const { Place::new() }; _],
            start: [Start::new(settings.spare); _],
            signals: [const { OfThread::new() }; _],
            process,
            entry: Cell::new(settings.entry),
            stack_base: settings.stack_base,
            stack_top: settings.stack_top,
        }
    }

    /// Whether both are the same thread.
    #[must_use]
    #[inline]
    pub fn is(&self, other: &Thread) -> bool {
        core::ptr::eq(self, other)
    }

    /// Its effective priority. Out of date while it waits for a message.
    #[must_use]
    pub fn priority(&self) -> u8 {
        self.priority.get()
    }

    /// What it is doing.
    #[must_use]
    #[inline]
    pub fn state(&'static self) -> State {
        if self.stopped.get() {
            State::Stopped
        } else if self.server.get().is_some() {
            State::ReplyBlocked
        } else if self.sending.get().is_some() {
            State::SendBlocked
        } else if self.is_receiving() {
            State::ReceiveBlocked
        } else if self.wait().is_some() {
            State::FutexBlocked
        } else if self.is_joining() {
            State::Joining
        } else if self.sleeping.get() {
            State::Sleeping
        } else if self.waits_for_signals() {
            State::Signalled
        } else if self.process.is_halted() {
            State::Stopped
        } else {
            State::Ready
        }
    }

    /// Whether it has been started and has not ended. A thread of a dead process has, whatever it is
    /// still linked to.
    #[must_use]
    #[inline]
    pub fn lives(&self) -> bool {
        !self.stopped.get() && self.process.alive.get()
    }

    /// Who has received its message and not answered.
    #[must_use]
    pub fn server(&self) -> Option<&'static Thread> {
        self.server.get()
    }

    /// The channel at which its message waits to be received.
    #[must_use]
    pub fn sending(&self) -> Option<&'static Channel> {
        self.sending.get()
    }

    /// The channel from which it last received, or waits to.
    #[must_use]
    pub fn bound(&self) -> &'static Channel {
        self.bound.get()
    }

    /// The clients whose messages it has received and not answered.
    pub fn clients(&self) -> impl Iterator<Item = &'static Thread> + '_ {
        let listed = self.clients.iter().chain(self.guests.iter());
        self.only_client().into_iter().chain(listed)
    }

    /// Whether its current message lends its priority to whoever serves it.
    #[must_use]
    pub fn lends_priority(&self) -> bool {
        self.request
            .get()
            .channel
            .is_none_or(|channel| channel.fixed.is_none())
    }

    /// The deadline of the call it is blocked in, if it has one.
    #[must_use]
    pub fn deadline(&self) -> Option<u64> {
        self.deadline.at()
    }

    /// Whether the deadline of the message it waits with has passed: its server was asked to let it go.
    pub(crate) fn is_late(&self) -> bool {
        self.request.get().limited && !self.deadline.is_set()
    }

    /// How far the call has come that it makes: an interruption has kept it. What another call has kept, which it was
    /// led away from, is none of that.
    pub(crate) fn begun(&self) -> u32 {
        self.begun_with(self.register(register::WORDS[0]))
    }

    /// As [`Thread::begun`], of a call that another word than its first one tells from others of its kind.
    pub(crate) fn begun_with(&self, word: u32) -> u32 {
        let [call, kept] = &self.progress_of;
        let is_its = call.get() == self.register(register::CALL) && kept.get() == word;
        if is_its { self.progress.get() } else { 0 }
    }

    /// Whether the progress that is kept, if there is some, is that of such a call.
    pub(crate) fn progress_is_of(&self, call: u32) -> bool {
        self.progress_of[0].get() == call
    }

    /// Whether the call is such an operation in which it has copied what it goes on with.
    pub(crate) fn copies_in(&self, operation: u32) -> bool {
        self.copies.get() && self.progress_of[0].get() >> OPERATION_SHIFT == operation
    }

    /// Its call has come so far, and is to be executed again.
    pub(crate) fn keep_progress(&self, progress: u32) {
        self.keep_progress_with(self.register(register::WORDS[0]), progress);
    }

    /// As [`Thread::keep_progress`], for [`Thread::begun_with`]. What it has copied before is forgotten.
    pub(crate) fn keep_progress_with(&self, word: u32, progress: u32) {
        forget_copy(self);
        self.set_progress(word, progress);
    }

    /// It has copied so many bytes from or to its partner, and its call is to be executed again.
    pub(crate) fn keep_copied_bytes(&self, bytes: u32) {
        self.copies.set(true);
        self.set_progress(self.register(register::WORDS[0]), bytes);
    }

    fn set_progress(&self, word: u32, progress: u32) {
        let [call, kept] = &self.progress_of;
        call.set(self.register(register::CALL));
        kept.set(word);
        self.progress.set(progress);
    }

    /// Its call is over.
    #[inline(always)]
    pub(crate) fn forget_progress(&self) {
        self.progress.set(0);
        self.checked.set(0);
    }

    /// The five message words.
    #[inline(always)]
    pub(crate) fn words(&self) -> [u32; 5] {
        let [first, second, third, fourth, fifth] = register::WORDS;
        [
            self.register(first),
            self.register(second),
            self.register(third),
            self.register(fourth),
            self.register(fifth),
        ]
    }

    /// In what form it has sent the message that it waits with.
    #[must_use]
    #[inline(always)]
    pub fn form(&self) -> Form {
        self.form.get()
    }

    /// Its id in the life that it has now, as [`riposte_abi::thread`] has it.
    #[must_use]
    pub fn id(&self) -> u32 {
        thread::id(u32::from(self.index), self.life.get())
    }

    /// It begins a life in which nobody knows its ids and tokens of before.
    pub(crate) fn begin_life(&self) {
        self.life.set(self.life.get() % thread::MAX_LIFE + 1);
        self.before.set(self.generation.get());
    }

    /// Whether a token of this generation is of this life; of any, once the low part has come round.
    pub(crate) fn has_given(&self, generation: u32) -> bool {
        generation > self.before.get() || self.tag.get() >> info::HIGH_SHIFT != 0
    }

    /// Whether it has no unanswered client, and nobody waits for a lock of its or for its end.
    #[inline(always)]
    pub(crate) fn owes_nobody(&self) -> bool {
        matches!(self.serving.get(), Serving::Nobody)
            && !self.has_lockers()
            && self.joiner().is_none()
    }

    /// Whether the register ways may find it: as who serves one client, or waits for a message.
    #[inline(always)]
    pub(crate) fn is_known_to_register_ways(&'static self) -> bool {
        self.only_client().is_some() || self.is_waiting_receiver()
    }

    /// Somebody waits for it of whom the register ways know nothing: they leave it alone from now on.
    #[inline(never)]
    pub(crate) fn leave_register_ways(&'static self) {
        self.list_client();
        if self.is_waiting_receiver() {
            self.bound.get().list_receiver();
        }
    }

    /// Keeps its only client, if it has one, in the list, so that the general path replies to it.
    pub(crate) fn list_client(&self) {
        if let Some(only) = self.only_client() {
            if SIGNALS {
                only.note_channel(self.bound.get());
            }
            self.clients.insert(only);
            self.serving.set(Serving::Listed);
            self.serves.set(true);
        }
    }

    /// Its message came through this channel. An only client has no request but its badge.
    fn note_channel(&self, channel: &'static Channel) {
        let mut request = self.request.get();
        if request.channel.is_none() {
            request.channel = Some(channel);
            request.badge = self.noted_badge();
            self.request.set(request);
        }
    }

    /// Adds a client to those that the general path replies to.
    pub(crate) fn add_client(&self, client: &'static Thread) {
        self.list_client();
        if client.lends_priority() {
            self.clients.insert(client);
        } else {
            self.guests.push_back(client);
        }
        self.serving.set(Serving::Listed);
    }

    /// Removes a client, however it serves it. Whether its priority may follow: it does not if all that it serves
    /// and receives from is at a fixed one.
    pub(crate) fn remove_client(&self, client: &'static Thread) -> bool {
        let mut follows = true;
        if let Serving::Listed = self.serving.get() {
            if client.lends_priority() {
                self.clients.remove(client);
            } else {
                self.guests.remove(client);
                follows = self.bound.get().fixed.is_none();
            }
            if !self.clients.is_empty() || self.guests.first().is_some() {
                return follows;
            }
            self.serves.set(false);
        }
        self.serving.set(Serving::Nobody);
        follows
    }

    /// Its client, if it is the only one, and asks for nothing beyond its message.
    #[inline(always)]
    pub(crate) fn only_client(&self) -> Option<&'static Thread> {
        match self.serving.get() {
            Serving::Words(client) | Serving::Bytes(client) | Serving::Loan(client) => Some(client),
            Serving::Nobody | Serving::Listed => None,
        }
    }

    /// The handle slot that a call word names.
    #[inline(always)]
    pub(crate) fn slot(&self, call: u32) -> &'static Handle {
        &self.handles.get()[call as usize & (HANDLES - 1)]
    }

    /// Whether it is the only thread of its process, and may lend by the fast path.
    #[inline(always)]
    pub(crate) fn is_alone(&self) -> bool {
        self.alone.first().is_some_and(|alone| *alone)
    }

    #[inline]
    pub(crate) fn is_receiving(&'static self) -> bool {
        self.waiting.get() || self.is_waiting_receiver()
    }

    /// Whether the next short message may simply be handed to it.
    #[inline(always)]
    pub(crate) fn is_waiting_receiver(&'static self) -> bool {
        let waiting_receiver = self.bound.get().waiting_receiver.get();
        waiting_receiver.is_some_and(|waiting_receiver| waiting_receiver.is(self))
    }

    /// Its unused token: (tag, generation).
    #[must_use]
    pub fn token(&self) -> (u32, u32) {
        (self.tag.get(), self.generation.get())
    }

    #[inline(always)]
    pub(crate) fn register(&self, index: usize) -> u32 {
        self.registers[index].get()
    }

    /// The outcome of a call without a message: `word` in `WORD0`.
    #[inline(never)]
    pub(crate) fn returns(&self, word: u32) {
        let zero = hidden_zero();
        self.set_registers(0, 0, [word, zero, zero, zero, zero]);
        self.registers[register::GENERATION].set(zero);
    }

    /// As [`Thread::returns`], in a handler that is short.
    #[inline(always)]
    pub(crate) fn returns_here(&self, port: &impl Port, word: u32) {
        let zero = port.zero();
        self.set_registers(zero, zero, [word, zero, zero, zero, zero]);
        self.registers[register::GENERATION].set(zero);
    }

    /// Its call, which is short, is over, and returns nothing.
    #[inline(always)]
    pub(crate) fn returns_empty(&self, port: &impl Port) {
        self.returns_here(port, 0);
        self.forget_progress();
    }

    /// All message registers but `GENERATION`.
    #[inline(always)]
    pub(crate) fn set_registers(&self, call: u32, info: u32, words: [u32; 5]) {
        let registers = &self.registers;
        registers[register::CALL].set(call);
        registers[register::INFO].set(info);
        registers[register::WORDS[0]].set(words[0]);
        registers[register::WORDS[1]].set(words[1]);
        registers[register::WORDS[2]].set(words[2]);
        registers[register::WORDS[3]].set(words[3]);
        registers[register::WORDS[4]].set(words[4]);
    }

    /// As [`Thread::set_registers`], for all but the fast path.
    #[inline(never)]
    pub(crate) fn returns_words(&self, call: u32, info: u32, words: [u32; 5]) {
        self.set_registers(call, info, words);
    }

    /// The outcome of a call that failed.
    #[inline(never)]
    pub(crate) fn fails(&self, error: Error) {
        // Two, or the compiler makes a loop of it.
        let (zero, none) = (hidden_zero(), hidden_zero());
        self.set_registers(error as u32, info::ERROR, [zero, none, zero, none, zero]);
        self.registers[register::GENERATION].set(none);
    }
}

/// 0, where the compiler can't see that it is: it would clear the registers by a call of `memset`, which
/// takes 100 instructions for 20 bytes in a small kernel.
#[inline(always)]
fn hidden_zero() -> u32 {
    core::hint::black_box(0)
}
