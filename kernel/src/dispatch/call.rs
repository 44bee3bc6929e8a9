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
        thread.checked.set(0);
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
                self.start_threads(port, thread.process);
                thread.returns(0);
            }
            number::EXIT => return Ok(self.exit(port, thread, word)),
            number::SHUTDOWN if !thread.process.grants.shutdown => return Err(Error::NotPermitted),
            number::SHUTDOWN => {
                port.shutdown(word);
                thread.returns(0);
            }
            number::CONNECT => thread.returns(self.connect(thread, word)?),
            number::CLOSE => {
                self.close(port, thread, word)?;
                thread.returns(0);
            }
            number::REPLY => return self.reply(port, thread, Answer::Words),
            number::REPLY_BYTES => return self.reply(port, thread, Answer::Bytes),
            number::REPLY_VECTOR => return self.reply(port, thread, Answer::Vector),
            number::REPLY_ERROR => return self.reply(port, thread, Answer::Error),
            number::REPLY_HANDLE => return self.reply(port, thread, Answer::Handle),
            number::READ => return self.read(port, thread),
            number::WRITE => return self.write(port, thread),
            number::FAULT_RECORD => self.give_record(port, thread, word)?,
            number::RELEASE => {
                self.give_up(port, thread, word)?;
                thread.returns(0);
            }
            number::RECLAIM => return self.reclaim(port, thread),
            number::NOTIFY => {
                self.set_bits(port, thread, word, thread.register(register::WORD1))?;
            }
            number::FUTEX_WAIT if FUTEXES != 0 => return self.futex_wait(port, thread),
            number::FUTEX_WAKE if FUTEXES != 0 => self.futex_wake(port, thread)?,
            number::FUTEX_GIVE if FUTEXES != 0 => self.futex_give(port, thread)?,
            number::FUTEX_REQUEUE if FUTEXES != 0 => self.futex_requeue(port, thread)?,
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

    fn give_record(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        process: u32,
    ) -> Result<(), Error> {
        if !thread.process.grants.supervisor {
            return Err(Error::NotPermitted);
        }
        let process = self
            .tables
            .processes
            .get(process as usize)
            .ok_or(Error::BadArgument)?;
        let mut bytes = record_bytes(&process.record());
        let room = port.extra(thread, 3).min(bytes.len() as u32);
        let to = thread
            .process
            .writable(port.extra(thread, 2), room)
            .map_err(|_| Error::BadAddress)?;
        let bytes = Cell::from_mut(&mut bytes[..room as usize]);
        port.store(bytes.as_slice_of_cells(), to);
        thread.returns(room);
        Ok(())
    }
}

const RECORD_BYTES: usize = size_of::<Record>();

/// The record as it lies in memory: little-endian words, then the text.
fn record_bytes(record: &Record) -> [u8; RECORD_BYTES] {
    let mut bytes = [0; RECORD_BYTES];
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
    let (places, text) = bytes.split_at_mut(RECORD_BYTES - record.text.len());
    for (place, word) in places.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    text.copy_from_slice(&record.text);
    bytes
}
