//! The system calls that the fast path leaves over.

use core::cell::Cell;

use riposte_abi::{
    Error,
    call::{OPERATION_SHIFT, number, operation},
    fault::Record,
    register,
};

use crate::{
    Kernel, Port, Thread,
    ipc::reply::Answer,
    ipc::transfer::CUT,
    kernel::Next,
    limits::{FUTEXES, INTERRUPTS, MEMORY_MESSAGES, PROXIES, TIMERS},
};

impl Kernel {
    /// Performs the call whose message registers the running thread has saved. Returns the thread
    /// to run; `None` if the running one is to execute the same call again, because an interrupt
    /// waits.
    pub fn call(&self, port: &impl Port) -> Option<&'static Thread> {
        let thread = self.current.get();
        let progress = thread.progress.get();
        if progress & CUT != 0 {
            thread.progress.set(progress & !CUT);
            return None;
        }
        self.settle();
        let next = match self.perform(port, thread) {
            Ok(Next::Restart) => return None,
            Ok(next) => next,
            Err(error) => {
                thread.fails(error);
                Next::Continue
            }
        };
        thread.progress.set(0);
        Some(self.dispatch(port, next))
    }

    #[inline]
    fn perform(&self, port: &impl Port, thread: &'static Thread) -> Result<Next, Error> {
        let word = thread.register(register::CALL);
        match word >> OPERATION_SHIFT {
            operation::OTHER => self.perform_other(port, thread, word),
            operation @ operation::SEND..=operation::SEND_VECTOR => {
                self.send(port, thread, operation)
            }
            operation::RECEIVE => self.receive(port, thread),
            operation @ operation::LEND..=operation::MOVE if MEMORY_MESSAGES => {
                self.send(port, thread, operation)
            }
            operation::LEND..=operation::MOVE => Err(Error::CannotLend),
            operation if Self::is_reply_receive(operation) => {
                self.reply_receive(port, thread, word)
            }
            _ => Err(Error::BadCall),
        }
    }

    fn perform_other(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        call: u32,
    ) -> Result<Next, Error> {
        let word = thread.register(register::WORD0);
        match call {
            number::NULL => thread.returns(0),
            number::YIELD => return Ok(self.give_way(thread)),
            number::CLOCK => {
                let now = port.now();
                thread.returns_words(0, 0, [now as u32, (now >> 32) as u32, 0, 0, 0]);
                return Ok(Next::Unchanged);
            }
            number::SLEEP => return Ok(self.sleep(port, thread)),
            number::START_THREADS => {
                if !self.start_threads(port, thread) {
                    return Ok(Next::Restart);
                }
                thread.returns(0);
            }
            number::EXIT => return Ok(self.exit(port, thread, word)),
            number::SHUTDOWN if !thread.process.grants.shutdown => return Err(Error::NotPermitted),
            number::SHUTDOWN => {
                port.shutdown(word);
                thread.returns(0);
            }
            number::CONNECT => thread.returns(self.connect(thread, word)?),
            number::CLOSE => return self.close(port, thread, word),
            number::REPLY => return self.reply(port, thread, Answer::Words),
            number::REPLY_BYTES => return self.reply(port, thread, Answer::Bytes),
            number::REPLY_VECTOR => return self.reply(port, thread, Answer::Vector),
            number::REPLY_ERROR => return self.reply(port, thread, Answer::Error),
            number::REPLY_HANDLE => return self.reply(port, thread, Answer::Handle),
            number::READ => return self.read(port, thread),
            number::WRITE => return self.write(port, thread),
            number::FAULT_RECORD => return self.give_record(port, thread, word),
            number::RELEASE => {
                self.give_up(port, thread, word)?;
                thread.returns(0);
            }
            number::RECLAIM => return self.reclaim(port, thread),
            number::NOTIFY => {
                self.set_bits(port, thread, word, thread.register(register::WORD1))?;
            }
            number::FUTEX_WAIT if FUTEXES != 0 => return self.futex_wait(port, thread),
            number::FUTEX_WAKE if FUTEXES != 0 => return self.futex_wake(port, thread),
            number::FUTEX_GIVE if FUTEXES != 0 => return self.futex_give(port, thread),
            number::FUTEX_REQUEUE if FUTEXES != 0 => return self.futex_requeue(port, thread),
            number::FUTEX_LOCK if FUTEXES != 0 => return self.lock(port, thread),
            number::FUTEX_UNLOCK if FUTEXES != 0 => self.unlock(port, thread)?,
            number::PROXY_CREATE..=number::TRIGGER if PROXIES => {
                thread.returns(self.perform_on_proxy(port, thread, call, word)?);
            }
            number::TIMER_CREATE..=number::TIMER_CANCEL | number::TIMER_DESTROY if TIMERS => {
                thread.returns(self.perform_on_timer(port, thread, call, word)?);
            }
            number::THREAD_CREATE..=number::THREAD_DETACH => {
                return self.thread_call(port, thread, call);
            }
            number::PANIC => return self.panic(port, thread),
            number::INTERRUPT_ATTACH..=number::INTERRUPT_PEND if INTERRUPTS => {
                thread.returns(self.control_interrupt(port, thread, call)?);
            }
            // Where nobody has any.
            number::PROXY_CREATE | number::TIMER_CREATE => return Err(Error::Exhausted),
            number::PROXY_DESTROY
            | number::TRIGGER
            | number::TIMER_SET
            | number::TIMER_CANCEL
            | number::TIMER_DESTROY => return Err(Error::BadHandle),
            _ => return Err(Error::BadCall),
        }
        Ok(Next::Continue)
    }

    /// Lets the next ready thread of the same priority run, if there is one.
    fn give_way(&self, thread: &'static Thread) -> Next {
        thread.returns(0);
        if self.ready.level(thread.priority.get()).first().is_none() {
            return Next::Continue;
        }
        self.make_ready(thread);
        Next::Blocked
    }

    fn sleep(&self, port: &impl Port, thread: &'static Thread) -> Next {
        thread.returns(0);
        let at = u64::from(port.extra(thread, 0)) | u64::from(port.extra(thread, 1)) << 32;
        if at <= port.now() {
            return Next::Continue;
        }
        thread.sleeping.set(true);
        self.limit(thread, Some(at));
        Next::Blocked
    }

    /// Copies the record of a process, a piece at a time.
    fn give_record(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        process: u32,
    ) -> Result<Next, Error> {
        if !thread.process.grants.supervisor {
            return Err(Error::NotPermitted);
        }
        let process = self
            .tables
            .processes
            .get(process as usize)
            .ok_or(Error::BadArgument)?;
        let room = port.extra(thread, 3).min(size_of::<Record>() as u32);
        let to = thread
            .process
            .writable(port.extra(thread, 2), room)
            .map_err(|_| Error::BadAddress)?;
        let record = process.record();
        let mut done = thread.progress.get();
        while done < room {
            let piece = to.part(done, PIECE);
            let bytes = Cell::new(record_piece(&record, done));
            let bytes = bytes.as_array_of_cells();
            port.store(&bytes[..piece.length() as usize], piece);
            done += piece.length();
            if done < room && port.interrupted() {
                thread.progress.set(done);
                return Ok(Next::Restart);
            }
        }
        thread.returns(room);
        Ok(Next::Continue)
    }
}

/// Bytes of a record that are copied before a look for interrupts.
const PIECE: u32 = 64;

/// A piece of a record as it lies in memory, from byte `from` on, which is a multiple of a piece:
/// little-endian words, then the text.
fn record_piece(record: &Record, from: u32) -> [u8; PIECE as usize] {
    let head = [
        record.count,
        record.process,
        record.thread,
        record.reason,
        record.action,
        record.address,
        record.address_valid,
    ];
    let words = head
        .into_iter()
        .chain(record.registers)
        .chain(record.trace)
        .chain([record.text_length]);
    const WORDS: usize = size_of::<Record>() - riposte_abi::fault::TEXT_BYTES;
    let mut bytes = [0; PIECE as usize];
    let from = from as usize;
    for (place, word) in bytes.chunks_exact_mut(4).zip(words.skip(from / 4)) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    let skipped = WORDS.saturating_sub(from).min(bytes.len());
    let text = record.text.iter().skip(from.saturating_sub(WORDS));
    for (place, byte) in bytes[skipped..].iter_mut().zip(text) {
        *place = *byte;
    }
    bytes
}
