//! System calls: which handler serves which call, and how a call ends.
//!
//! The calls that programs make all the time have an entry of their own in [`Kernel::serve`]. Their handlers put
//! the common case first, and leave every other case to the general one beside it. All other calls share one.

use core::cell::Cell;

use riposte_abi::{
    Error,
    call::{OPERATION_SHIFT, number, operation},
    fault::Record,
    register,
};

use crate::{
    Kernel, Next, Port, Thread,
    ipc::reply::Answer,
    limits::{
        FUTEXES, INSPECTION, INTERRUPTS, MEMORY_MESSAGES, POOLS, PROXIES, RELAYS, SIGNALS, TIMERS,
    },
    object::record::PIECE,
};

/// Entries of the table of calls: one an operation, then one a number of the calls without a handle.
pub const CALLS: usize = FIRST_NUMBER + number::COUNT as usize;

/// The entry of number 0.
const FIRST_NUMBER: usize = 16;

/// The entry of the calls that there are not: so of the operation [`operation::OTHER`], whose calls have entries of
/// their own.
pub const NO_CALL: usize = operation::OTHER as usize;

/// The entry of a call word in the table of calls.
#[must_use]
#[inline(always)]
pub const fn entry(word: u32) -> usize {
    match word >> OPERATION_SHIFT {
        operation::OTHER if word < number::COUNT => FIRST_NUMBER + word as usize,
        operation => operation as usize,
    }
}

const fn numbered(number: u32) -> usize {
    FIRST_NUMBER + number as usize
}

/// Makes `$function::<ENTRY>` of each entry of the table of calls, in order.
#[macro_export]
macro_rules! table_of_calls {
    ($function:ident) => {
        $crate::table_of_calls!(@ $function
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37
            38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63)
    };
    (@ $function:ident $($entry:literal)*) => {
        [$($function::<$entry>),*]
    };
}

const _: () = assert!(CALLS == 64, "the macro has as many entries");

impl Kernel {
    /// Serves a call of `thread`, the running one, whose message registers are saved, and whose call word has this
    /// [`entry`]. Returns the thread to run.
    ///
    /// This is the table of calls: a port makes one function of each entry, and finds it by the call word.
    #[inline(always)]
    pub fn serve<const ENTRY: usize>(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> &'static Thread {
        const SEND: usize = operation::SEND as usize;
        const SEND_BYTES: usize = operation::SEND_BYTES as usize;
        const LEND: usize = operation::LEND as usize;
        const LEND_MUT: usize = operation::LEND_MUT as usize;
        const RECEIVE: usize = operation::RECEIVE as usize;
        const REPLY_RECEIVE: usize = operation::REPLY_RECEIVE as usize;
        const REPLY_BYTES_RECEIVE: usize = operation::REPLY_BYTES_RECEIVE as usize;
        const SIGNAL: usize = operation::SIGNAL as usize;
        const YIELD: usize = numbered(number::YIELD);
        const CLOCK: usize = numbered(number::CLOCK);
        const REPLY: usize = numbered(number::REPLY);
        const REPLY_BYTES: usize = numbered(number::REPLY_BYTES);
        const NOTIFY: usize = numbered(number::NOTIFY);
        const FUTEX_WAIT: usize = numbered(number::FUTEX_WAIT);
        const FUTEX_WAKE: usize = numbered(number::FUTEX_WAKE);
        const FUTEX_GIVE: usize = numbered(number::FUTEX_GIVE);
        const FUTEX_LOCK: usize = numbered(number::FUTEX_LOCK);
        const FUTEX_UNLOCK: usize = numbered(number::FUTEX_UNLOCK);
        const TRIGGER: usize = numbered(number::TRIGGER);
        const TIMER_SET: usize = numbered(number::TIMER_SET);
        const TIMER_CANCEL: usize = numbered(number::TIMER_CANCEL);
        const INTERRUPT_PEND: usize = numbered(number::INTERRUPT_PEND);
        self.trace_time(port);
        let next = match ENTRY {
            SEND => self.call_send(port, thread),
            SEND_BYTES => self.call_send_bytes(port, thread),
            LEND | LEND_MUT if MEMORY_MESSAGES => self.call_lend(port, thread),
            RECEIVE => self.call_receive(port, thread),
            REPLY_RECEIVE => self.call_reply_receive(port, thread),
            REPLY_BYTES_RECEIVE => self.call_reply_bytes_receive(port, thread),
            SIGNAL if SIGNALS => self.call_about_signals(port, thread),
            YIELD => self.call_yield(port, thread),
            CLOCK => self.call_clock(port, thread),
            REPLY | REPLY_BYTES => self.call_reply(port, thread),
            NOTIFY => self.call_notify(port, thread),
            FUTEX_WAIT if FUTEXES != 0 => self.call_futex_wait(port, thread),
            FUTEX_WAKE if FUTEXES != 0 => self.call_futex_wake(port, thread),
            FUTEX_GIVE if FUTEXES != 0 => self.call_futex_give(port, thread),
            FUTEX_LOCK if FUTEXES != 0 => self.call_lock(port, thread),
            FUTEX_UNLOCK if FUTEXES != 0 => self.call_unlock(port, thread),
            TRIGGER if PROXIES => self.call_trigger(port, thread),
            TIMER_SET if TIMERS => self.call_timer_set(port, thread),
            TIMER_CANCEL if TIMERS => self.call_timer_cancel(port, thread),
            INTERRUPT_PEND if INTERRUPTS => self.call_pend(port, thread),
            _ => self.call_rare(port, thread),
        };
        self.trace_switch(port, thread, next);
        next
    }

    /// The end of a call that `thread` has made: who runs next, or the error that it returns.
    #[inline(never)]
    pub(crate) fn complete(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        outcome: Result<Next, Error>,
    ) -> &'static Thread {
        if SIGNALS {
            self.end_repeat(port, thread, matches!(outcome, Ok(Next::Restart)));
        }
        self.refresh_stale(port);
        match outcome {
            Ok(next) => {
                if !matches!(next, Next::Restart) {
                    thread.forget_progress();
                }
                self.run(port, next)
            }
            Err(error) => self.refuse(port, thread, error),
        }
    }

    /// The end of a short call of `thread` that returns nothing, and after which it goes on, unless a more urgent thread is
    /// ready. Nothing is stale.
    #[inline(always)]
    pub(crate) fn complete_empty(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> &'static Thread {
        thread.returns_empty(port);
        self.run(port, Next::Continue)
    }

    /// The end of a call that has failed.
    #[inline(never)]
    fn refuse(&self, port: &impl Port, thread: &'static Thread, error: Error) -> &'static Thread {
        thread.forget_progress();
        thread.fails(error);
        self.run(port, Next::Continue)
    }

    /// Lets the next ready thread of the same priority run, if there is one. It returns nothing: the caller finds
    /// in its message registers what it called with.
    #[inline(always)]
    fn call_yield(&self, port: &impl Port, thread: &'static Thread) -> &'static Thread {
        match self.ready.rotate(thread) {
            None => thread,
            Some(next) => {
                if self.deadlines.replan.get() {
                    return self.work(port, next, true);
                }
                next
            }
        }
    }

    #[inline(always)]
    fn call_clock(&self, port: &impl Port, thread: &'static Thread) -> &'static Thread {
        let now = port.now();
        thread.set_registers(0, 0, [now as u32, (now >> 32) as u32, 0, 0, 0]);
        thread
    }

    #[inline(never)]
    pub(crate) fn call_rare(&self, port: &impl Port, thread: &'static Thread) -> &'static Thread {
        self.complete(port, thread, self.rare(port, thread))
    }

    /// The calls that no program is in a hurry for.
    #[inline]
    fn rare(&self, port: &impl Port, thread: &'static Thread) -> Result<Next, Error> {
        let word = thread.register(register::CALL);
        match word >> OPERATION_SHIFT {
            operation::OTHER => self.perform_other(port, thread, word),
            operation @ operation::SEND_VECTOR => self.send(port, thread, operation),
            operation @ operation::MOVE if MEMORY_MESSAGES => self.send(port, thread, operation),
            operation::LEND..=operation::MOVE => Err(Error::CannotLend),
            operation if Self::is_reply_receive(operation) => {
                self.reply_receive(port, thread, word)
            }
            operation::RELAY if RELAYS => self.relay(port, thread, word),
            operation if POOLS && operation == operation::REGION => {
                self.about_regions(port, thread)
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
            number::REPLY_VECTOR => return self.reply(port, thread, Answer::Vector),
            number::REPLY_ERROR => return self.reply(port, thread, Answer::Error),
            number::REPLY_HANDLE => return self.reply(port, thread, Answer::Handle),
            number::READ => return self.read(port, thread),
            number::WRITE => return self.write(port, thread),
            number::FAULT_RECORD => return self.give_record(port, thread, word),
            number::STACK_UNUSED => return self.stack_unused(port, thread),
            number::THREAD_STATE if INSPECTION => self.say_state(thread)?,
            number::RELEASE => return self.give_up(port, thread, word),
            number::RECLAIM => return self.reclaim(port, thread),
            number::FUTEX_REQUEUE if FUTEXES != 0 => return self.futex_requeue(port, thread),
            number::PROXY_CREATE | number::PROXY_DESTROY if PROXIES => {
                let done = self.perform_on_proxy(port, thread, call, word)?;
                return Ok(word_or_again(thread, done));
            }
            number::TIMER_CREATE..=number::TIMER_CANCEL | number::TIMER_DESTROY if TIMERS => {
                let done = self.perform_on_timer(port, thread, call, word)?;
                return Ok(word_or_again(thread, done));
            }
            number::THREAD_CREATE..=number::THREAD_DETACH => {
                return self.thread_call(port, thread, call);
            }
            number::PANIC => return self.panic(port, thread),
            number::PROCESS_RESTART | number::PROCESS_STOP => {
                return self.control(port, thread, call);
            }
            number::INTERRUPT_ATTACH..=number::INTERRUPT_MASK if INTERRUPTS => {
                let done = self.control_interrupt(port, thread, call)?;
                return Ok(word_or_again(thread, done));
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
        // Another fault meanwhile: all of it again.
        let which = process.record.count.get() << 8 | u32::from(process.index);
        let mut done = thread.begun_with(which);
        while done < room {
            let piece = to.part(done, PIECE as u32);
            let bytes = Cell::new(process.record.piece(done));
            let bytes = bytes.as_array_of_cells();
            port.store(&bytes[..piece.length() as usize], piece);
            done += piece.length();
            if done < room && port.interrupted() {
                thread.keep_progress_with(which, done);
                return Ok(Next::Restart);
            }
        }
        thread.returns(room);
        Ok(Next::Continue)
    }
}

/// The end of a call that returns a word; or that is to come again.
fn word_or_again(thread: &'static Thread, done: Option<u32>) -> Next {
    match done {
        Some(word) => {
            thread.returns(word);
            Next::Continue
        }
        None => Next::Restart,
    }
}
