//! System calls as a thread makes them, and what comes back.

use riposte_abi::{
    Error,
    call::{self, number, operation},
    info, region, register, signal,
};

use crate::{ProcessId, code};

/// Names a client that waits for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    /// Thread index and the generation's high part, as in `INFO`.
    pub tag: u32,
    /// The generation's low part.
    pub generation: u32,
}

/// The registers of a system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// Message registers.
    pub registers: [u32; register::COUNT],
    /// Extra registers `x0` to `x4`.
    pub extra: [u32; 5],
}

fn padded(words: &[u32]) -> [u32; 5] {
    let mut padded = [0; 5];
    padded[..words.len()].copy_from_slice(words);
    padded
}

impl Call {
    fn new(word: u32, info: u32, words: [u32; 5]) -> Self {
        let mut registers = [0; register::COUNT];
        registers[register::CALL] = word;
        registers[register::INFO] = info;
        for (index, word) in register::WORDS.into_iter().zip(words) {
            registers[index] = word;
        }
        Self {
            registers,
            extra: [0; 5],
        }
    }

    /// A call without a handle, by its number.
    #[must_use]
    pub fn other(number: u32, words: &[u32]) -> Self {
        Self::new(number, 0, padded(words))
    }

    /// A call about signals, by its number.
    #[must_use]
    pub fn about_signals(number: u32, words: &[u32]) -> Self {
        Self::new(call::word(operation::SIGNAL, number), 0, padded(words))
    }

    /// A call about regions, by its number.
    fn about_regions(number: u32, words: &[u32]) -> Self {
        Self::new(call::word(operation::REGION, number), 0, padded(words))
    }

    /// Makes a region of the pool at this position.
    #[must_use]
    pub fn create_region(position: u32) -> Self {
        Self::about_regions(region::number::CREATE, &[position])
    }

    /// Maps a region, to be written with [`region::right::WRITE`].
    #[must_use]
    pub fn map_region(handle: u32, rights: u32) -> Self {
        Self::about_regions(region::number::MAP, &[handle, rights])
    }

    /// Makes another handle of a region, with these of its rights.
    #[must_use]
    pub fn copy_region(handle: u32, rights: u32) -> Self {
        Self::about_regions(region::number::COPY, &[handle, rights])
    }

    /// Closes a handle.
    #[must_use]
    pub fn close(handle: u32) -> Self {
        Self::other(number::CLOSE, &[handle])
    }

    /// The signals of the caller's process go to its code; while one is handled, these are masked.
    #[must_use]
    pub fn action(process: ProcessId, masked: u64) -> Self {
        let [low, high] = signal::words(masked);
        let words = [code(process.0).base + 1, low, high];
        Self::about_signals(signal::number::ACTION, &words)
    }

    /// Changes the caller's mask ([`riposte_abi::signal::how`]).
    #[must_use]
    pub fn mask(how: u32, set: u64) -> Self {
        let [low, high] = signal::words(set);
        Self::about_signals(signal::number::MASK, &[how, low, high])
    }

    /// Sends a signal to the process at this position.
    #[must_use]
    pub fn signal(position: u32, signal: u32, word: u32) -> Self {
        Self::about_signals(signal::number::SEND, &[position, signal, word])
    }

    /// Sends a signal to a thread of the caller's process, by its id.
    #[must_use]
    pub fn signal_thread(id: u32, signal: u32, word: u32) -> Self {
        let words = [signal::OWN, signal, word, id];
        Self::about_signals(signal::number::SEND, &words)
    }

    /// Waits with this mask until a signal has been handled.
    #[must_use]
    pub fn suspend(mask: u64) -> Self {
        Self::about_signals(signal::number::SUSPEND, &signal::words(mask))
    }

    /// Waits for a signal of this set.
    #[must_use]
    pub fn wait_signal(set: u64) -> Self {
        Self::about_signals(signal::number::WAIT, &signal::words(set))
    }

    /// Does nothing.
    #[must_use]
    pub fn null() -> Self {
        Self::other(number::NULL, &[])
    }

    /// Restarts the process at this position among those that the caller's process controls.
    #[must_use]
    pub fn restart(position: u32) -> Self {
        Self::other(number::PROCESS_RESTART, &[position])
    }

    /// Stops the process at this position among those that the caller's process controls.
    #[must_use]
    pub fn stop(position: u32) -> Self {
        Self::other(number::PROCESS_STOP, &[position])
    }

    /// Lets the next thread of the same priority run.
    #[must_use]
    pub fn give_way() -> Self {
        Self::other(number::YIELD, &[])
    }

    /// Makes a proxy that brings `length` bytes at `address` to a channel of the caller's own.
    #[must_use]
    pub fn create_proxy(channel: u32, address: u32, length: u32) -> Self {
        Self::other(number::PROXY_CREATE, &[channel, address, length])
    }

    /// Ends a proxy.
    #[must_use]
    pub fn destroy_proxy(proxy: u32) -> Self {
        Self::other(number::PROXY_DESTROY, &[proxy])
    }

    /// Triggers a proxy.
    #[must_use]
    pub fn trigger(proxy: u32) -> Self {
        Self::other(number::TRIGGER, &[proxy])
    }

    /// Makes a timer that triggers a proxy, or sets bits of a channel of the caller's own.
    #[must_use]
    pub fn create_timer(target: u32, bits: u32) -> Self {
        Self::other(number::TIMER_CREATE, &[target, bits])
    }

    /// Starts a timer.
    #[must_use]
    pub fn set_timer(timer: u32, first: u64, period: u64) -> Self {
        let words = [timer, period as u32, (period >> 32) as u32];
        Self::other(number::TIMER_SET, &words).at(first)
    }

    /// Stops a timer.
    #[must_use]
    pub fn cancel_timer(timer: u32) -> Self {
        Self::other(number::TIMER_CANCEL, &[timer])
    }

    /// Ends a timer.
    #[must_use]
    pub fn destroy_timer(timer: u32) -> Self {
        Self::other(number::TIMER_DESTROY, &[timer])
    }

    /// Sets notification bits of a channel of the caller's own, or of one that a connection leads to.
    #[must_use]
    pub fn notify(channel: u32, bits: u32) -> Self {
        Self::other(number::NOTIFY, &[channel, bits])
    }

    /// Waits at the word at `address` while it holds `expected`.
    #[must_use]
    pub fn futex_wait(address: u32, expected: u32) -> Self {
        Self::other(number::FUTEX_WAIT, &[address, expected])
    }

    /// Wakes at most this many who wait at the word at `address`.
    #[must_use]
    pub fn futex_wake(address: u32, most: u32) -> Self {
        Self::other(number::FUTEX_WAKE, &[address, most])
    }

    /// Gives a unit of the semaphore at `address`.
    #[must_use]
    pub fn futex_give(address: u32) -> Self {
        Self::other(number::FUTEX_GIVE, &[address])
    }

    /// Wakes some who wait at the word `from` while it holds `expected`, and moves some to `to`.
    #[must_use]
    pub fn futex_requeue(from: u32, expected: u32, wake: u32, to: u32, moved: u32) -> Self {
        Self::other(number::FUTEX_REQUEUE, &[from, expected, wake, to, moved])
    }

    /// Waits for the lock at `address`.
    #[must_use]
    pub fn lock(address: u32) -> Self {
        Self::other(number::FUTEX_LOCK, &[address])
    }

    /// Gives up the lock at `address`.
    #[must_use]
    pub fn unlock(address: u32) -> Self {
        Self::other(number::FUTEX_UNLOCK, &[address])
    }

    /// Attaches the interrupt of this position of the caller's process to its channel.
    #[must_use]
    pub fn attach(position: u32, channel: u32, bits: u32) -> Self {
        Self::other(number::INTERRUPT_ATTACH, &[position, channel, bits])
    }

    /// Acknowledges the interrupt with this handle, then waits.
    #[must_use]
    pub fn acknowledge_and_receive(channel: u32, interrupt: u32) -> Self {
        let mut call = Self::receive(channel);
        call.registers[register::INFO] |= info::ACKNOWLEDGE;
        call.registers[register::WORD3] = interrupt;
        call
    }

    /// Sleeps until a time.
    #[must_use]
    pub fn sleep(until: u64) -> Self {
        Self::other(number::SLEEP, &[]).at(until)
    }

    /// Starts a spare thread of the caller's process, in its code.
    #[must_use]
    pub fn create(process: ProcessId, argument: u32, priority: u8, policy: u32) -> Self {
        let entry = code(process.0).base + 1;
        let words = [entry, argument, priority.into(), policy, 0];
        Self::other(number::THREAD_CREATE, &words)
    }

    /// Ends the calling thread.
    #[must_use]
    pub fn exit_thread(value: u32) -> Self {
        Self::other(number::THREAD_EXIT, &[value])
    }

    /// Waits for a thread's end.
    #[must_use]
    pub fn join(id: u32) -> Self {
        Self::other(number::THREAD_JOIN, &[id])
    }

    /// Changes a thread's priority and policy.
    #[must_use]
    pub fn schedule(id: u32, priority: u32, policy: u32) -> Self {
        Self::other(number::THREAD_SCHEDULE, &[id, priority, policy])
    }

    /// Nobody will join a thread.
    #[must_use]
    pub fn detach(id: u32) -> Self {
        Self::other(number::THREAD_DETACH, &[id])
    }

    /// Sends words.
    #[must_use]
    pub fn send(handle: u32, words: &[u32]) -> Self {
        let word = call::word(operation::SEND, handle);
        Self::new(word, words.len() as u32 * 4, padded(words))
    }

    /// Sends `length` bytes at `address`.
    #[must_use]
    pub fn send_bytes(handle: u32, address: u32, length: u32) -> Self {
        let word = call::word(operation::SEND_BYTES, handle);
        Self::new(word, 0, padded(&[address, length]))
    }

    /// Sends what the `count` parts at `address` name.
    #[must_use]
    pub fn send_vector(handle: u32, address: u32, count: u32) -> Self {
        let word = call::word(operation::SEND_VECTOR, handle);
        Self::new(word, 0, padded(&[address, count]))
    }

    /// Lends `length` bytes at `address`, for reading.
    #[must_use]
    pub fn lend(handle: u32, address: u32, length: u32, words: &[u32; 3]) -> Self {
        Self::carry(operation::LEND, handle, address, length, words)
    }

    /// Lends them for reading and writing.
    #[must_use]
    pub fn lend_mut(handle: u32, address: u32, length: u32, words: &[u32; 3]) -> Self {
        Self::carry(operation::LEND_MUT, handle, address, length, words)
    }

    /// Moves them.
    #[must_use]
    pub fn give(handle: u32, address: u32, length: u32, words: &[u32; 3]) -> Self {
        Self::carry(operation::MOVE, handle, address, length, words)
    }

    fn carry(operation: u32, handle: u32, address: u32, length: u32, words: &[u32; 3]) -> Self {
        let [first, second, third] = *words;
        let word = call::word(operation, handle);
        Self::new(word, 0, [address, length, first, second, third])
    }

    /// Gives up moved memory.
    #[must_use]
    pub fn release(address: u32) -> Self {
        Self::other(number::RELEASE, &[address])
    }

    /// Takes what has come home back into use.
    #[must_use]
    pub fn reclaim(address: u32, length: u32) -> Self {
        Self::other(number::RECLAIM, &[address, length])
    }

    /// Waits for a message.
    #[must_use]
    pub fn receive(channel: u32) -> Self {
        Self::new(call::word(operation::RECEIVE, channel), 0, [0; 5])
    }

    /// Answers with words.
    #[must_use]
    pub fn reply(token: Token, words: &[u32]) -> Self {
        let info = words.len() as u32 * 4;
        Self::new(number::REPLY, info, padded(words)).to(token)
    }

    /// Answers with `length` bytes at `address`.
    #[must_use]
    pub fn reply_bytes(token: Token, address: u32, length: u32) -> Self {
        Self::new(number::REPLY_BYTES, 0, padded(&[address, length])).to(token)
    }

    /// Answers with what the `count` parts at `address` name.
    #[must_use]
    pub fn reply_vector(token: Token, address: u32, count: u32) -> Self {
        Self::new(number::REPLY_VECTOR, 0, padded(&[address, count])).to(token)
    }

    /// Answers with an error status.
    #[must_use]
    pub fn reply_error(token: Token, status: u32) -> Self {
        Self::new(number::REPLY_ERROR, 0, [0; 5])
            .to(token)
            .status(status)
    }

    /// Answers with four words and a handle.
    #[must_use]
    pub fn reply_handle(token: Token, words: &[u32; 4], handle: u32) -> Self {
        let [first, second, third, fourth] = *words;
        let words = [first, second, third, fourth, handle];
        Self::new(number::REPLY_HANDLE, 16, words).to(token)
    }

    /// Hands the client on to the server of a connection: with these words, if it has sent words.
    #[must_use]
    pub fn relay(handle: u32, token: Token, words: &[u32]) -> Self {
        let word = call::word(operation::RELAY, handle);
        Self::new(word, words.len() as u32 * 4, padded(words)).to(token)
    }

    /// Answers with words, then waits.
    #[must_use]
    pub fn reply_receive(channel: u32, token: Token, words: &[u32]) -> Self {
        let info = words.len() as u32 * 4;
        let word = call::word(operation::REPLY_RECEIVE, channel);
        Self::new(word, info, padded(words)).to(token)
    }

    /// Answers with bytes, then waits.
    #[must_use]
    pub fn reply_bytes_receive(channel: u32, token: Token, address: u32, length: u32) -> Self {
        let word = call::word(operation::REPLY_BYTES_RECEIVE, channel);
        Self::new(word, 0, padded(&[address, length])).to(token)
    }

    /// Answers with bytes in parts, then waits.
    #[must_use]
    pub fn reply_vector_receive(channel: u32, token: Token, address: u32, length: u32) -> Self {
        let word = call::word(operation::REPLY_VECTOR_RECEIVE, channel);
        Self::new(word, 0, padded(&[address, length])).to(token)
    }

    /// Answers with an error status, then waits.
    #[must_use]
    pub fn reply_error_receive(channel: u32, token: Token, status: u32) -> Self {
        let word = call::word(operation::REPLY_ERROR_RECEIVE, channel);
        Self::new(word, 0, [0; 5]).to(token).status(status)
    }

    /// Copies `length` bytes from `offset` of a waiting client's message to `address`.
    #[must_use]
    pub fn read(token: Token, address: u32, length: u32, offset: u32) -> Self {
        Self::new(number::READ, 0, padded(&[address, length, offset])).to(token)
    }

    /// Copies `length` bytes at `address` to `offset` of a waiting client's reply buffer.
    #[must_use]
    pub fn write(token: Token, address: u32, length: u32, offset: u32) -> Self {
        Self::new(number::WRITE, 0, padded(&[address, length, offset])).to(token)
    }

    fn to(mut self, token: Token) -> Self {
        self.registers[register::INFO] |= token.tag;
        self.registers[register::GENERATION] = token.generation;
        self
    }

    fn at(mut self, time: u64) -> Self {
        self.extra[0] = time as u32;
        self.extra[1] = (time >> 32) as u32;
        self
    }

    /// With a deadline.
    #[must_use]
    pub fn deadline(mut self, time: u64) -> Self {
        self.registers[register::INFO] |= info::DEADLINE;
        self.at(time)
    }

    /// With room for `capacity` bytes at `address`: a client's for its reply, a server's for its
    /// message.
    #[must_use]
    pub fn room(mut self, address: u32, capacity: u32) -> Self {
        self.extra[2] = address;
        self.extra[3] = capacity;
        self
    }

    /// With room as the `count` parts at `address` name it.
    #[must_use]
    pub fn room_in_parts(mut self, address: u32, count: u32) -> Self {
        self.registers[register::INFO] |= info::VECTOR;
        self.room(address, count)
    }

    /// With a status.
    #[must_use]
    pub fn status(mut self, status: u32) -> Self {
        self.registers[register::INFO] |= info::STATUS;
        self.extra[4] = status;
        self
    }

    /// The reply may bring a handle.
    #[must_use]
    pub fn accepting_handle(mut self) -> Self {
        self.registers[register::INFO] |= info::ACCEPT_HANDLE;
        self
    }

    /// Only from the connection with this badge.
    #[must_use]
    pub fn from_badge(mut self, badge: u32) -> Self {
        self.registers[register::INFO] |= info::SELECT;
        self.registers[register::WORD0] = info::select::BADGE;
        self.registers[register::WORD1] = badge;
        self
    }

    /// Only from the thread that had this token.
    #[must_use]
    pub fn from_token(mut self, token: Token) -> Self {
        self.registers[register::INFO] |= info::SELECT;
        self.registers[register::WORD0] = info::select::TOKEN;
        self.registers[register::WORD1] = token.tag;
        self.registers[register::WORD2] = token.generation;
        self
    }

    /// Operation of the call word.
    #[must_use]
    pub fn operation(&self) -> u32 {
        self.registers[register::CALL] >> call::OPERATION_SHIFT
    }

    /// Whether what comes back is to be looked at: a yield returns nothing.
    pub(crate) fn has_answer(&self) -> bool {
        !matches!(self.registers[register::CALL], number::YIELD | number::NULL)
    }
}

/// The message registers after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Answer {
    /// The registers.
    pub registers: [u32; register::COUNT],
}

impl Answer {
    /// The error, if the call failed.
    ///
    /// # Panics
    /// The kernel has given a number that is no error.
    #[must_use]
    pub fn error(&self) -> Option<Error> {
        let failed = self.info() & info::ERROR != 0;
        failed.then(|| Error::from_number(self.registers[register::CALL]).expect("a known error"))
    }

    /// The `INFO` register.
    #[must_use]
    pub fn info(&self) -> u32 {
        self.registers[register::INFO]
    }

    /// A client's: the status of the reply.
    #[must_use]
    pub fn status(&self) -> u32 {
        assert_eq!(self.error(), None);
        self.registers[register::CALL]
    }

    /// A server's: the badge of the message or notice.
    #[must_use]
    pub fn badge(&self) -> u32 {
        self.status()
    }

    /// Length in bytes of what came in registers.
    #[must_use]
    pub fn length(&self) -> u32 {
        assert_eq!(self.error(), None);
        self.info() & info::LENGTH_MASK
    }

    /// A server's: the memory that came with the message: the mark in `INFO`, address and length.
    #[must_use]
    pub fn memory(&self) -> Option<(u32, u32, u32)> {
        assert_eq!(self.error(), None);
        let mark = self.info() & (info::LENGTH_MASK | info::BYTES | info::NOTICE);
        let [address, length, ..] = self.words();
        (info::LENT..=info::MOVED)
            .contains(&mark)
            .then_some((mark, address, length))
    }

    /// A server's: the token of the message.
    #[must_use]
    pub fn token(&self) -> Token {
        assert_eq!(self.error(), None);
        Token {
            tag: self.info() & info::TAG_MASK,
            generation: self.registers[register::GENERATION],
        }
    }

    /// The message words, whatever the length.
    #[must_use]
    pub fn words(&self) -> [u32; 5] {
        assert_eq!(self.error(), None);
        register::WORDS.map(|index| self.registers[index])
    }

    /// The first message word.
    #[must_use]
    pub fn word(&self) -> u32 {
        self.words()[0]
    }

    /// If bytes were copied: how many of how many that were offered.
    #[must_use]
    pub fn bytes(&self) -> Option<(u32, u32)> {
        let [copied, offered, ..] = self.words();
        (self.info() & info::BYTES != 0).then_some((copied, offered))
    }

    /// A client's: bytes of its message that the server took.
    #[must_use]
    pub fn accepted(&self) -> u32 {
        self.registers[register::GENERATION]
    }

    /// A client's: the handle that the reply brought.
    #[must_use]
    pub fn handle(&self) -> Option<u32> {
        (self.info() & info::HANDLE != 0).then(|| self.words()[4])
    }

    /// A server's: the kind of notice that this is.
    #[must_use]
    pub fn notice(&self) -> Option<u32> {
        (self.error().is_none() && self.info() & info::NOTICE != 0).then(|| self.words()[0])
    }
}
