//! Faults: they stop their process alone, and the supervisor is told.

use riposte_abi::{
    Error,
    fault::{REGISTERS, TEXT_BYTES, TRACE, action, reason},
    trace::kind,
};

use crate::{
    Channel, Kernel, OnEnd, Port, Process, Room, Thread,
    dispatch::Next,
    limits::{GUARD, MEMORY_MESSAGES},
    object::{
        death::{Death, Step},
        record::PIECE,
    },
};

/// Words of a stack that are looked at for return addresses. A panic's text lies in front of them.
const TRACE_WORDS: u16 = 144;
/// As many, if the stack overflowed: the frame that was too much for it may take most of it.
const OVERFLOW_WORDS: u16 = 1024;
/// As many as a step looks at.
const TRACE_STEP: u16 = 16;

/// What a port knows of a fault.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// [`riposte_abi::fault::reason`].
    pub reason: u32,
    /// What was touched.
    pub address: Option<u32>,
    /// What is known of its registers.
    pub registers: Known,
    /// Where its stack begins to hold return addresses.
    pub stack_pointer: u32,
}

value! {
/// What is known of the registers of a thread that has stopped its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Nothing, or nothing more than the record says already.
    Nothing,
    /// What the kernel has saved itself: the processor could not store its part on the thread's stack.
    WithoutFrame,
    /// All.
    All,
}
}

impl Fault {
    /// A fault of which nothing else is known yet.
    #[must_use]
    pub const fn new(reason: u32, address: Option<u32>) -> Self {
        Self {
            reason,
            address,
            registers: Known::Nothing,
            stack_pointer: 0,
        }
    }
}

/// What a record says of how a process goes on, which a limit has `allowed` or not.
pub(crate) const fn action_of(how: OnEnd, allowed: bool) -> u32 {
    match how {
        OnEnd::Restart if allowed => action::RESTARTED,
        OnEnd::Restart => action::LIMIT,
        OnEnd::Stop => action::STOPPED,
        OnEnd::Hold => action::HELD,
    }
}

/// Bytes of what a processor stores of a suspended thread on its stack, where it stores anything.
const FRAME: u32 = 32;

impl Thread {
    /// Whether what the processor stores on a suspended thread's stack is its process's to read. It may have parted with
    /// that memory since; and who faulted because nothing could be stored is held with its stack pointer anywhere, also where no
    /// message carries memory. (Where the kernel keeps all, nobody reads there.)
    pub(crate) fn has_frame(&self) -> bool {
        self.process
            .readable(self.frame.get() as u32, FRAME)
            .is_ok()
    }

    /// Whether it can be made to execute a call again which it has made before others ran: the kernel keeps where it goes
    /// on, or that stands in memory which its process may still write.
    pub(crate) fn may_repeat(&self, port: &impl Port) -> bool {
        match port.room(self) {
            Room::OnStack(_) if MEMORY_MESSAGES => {
                let frame = self.process.writable(self.frame.get() as u32, FRAME);
                frame.is_ok()
            }
            Room::OnStack(_) | Room::Kept(..) => true,
        }
    }
}

impl Kernel {
    /// The running thread has faulted.
    pub(crate) fn fault(&self, port: &impl Port, fault: Fault) -> Next {
        self.stop(port, fault, self.current.get().process.on_fault)
    }

    /// Stops the running thread's process, tells the supervisor, and does what the manifest says.
    pub(crate) fn stop(&self, port: &impl Port, fault: Fault, how: OnEnd) -> Next {
        let thread = self.current.get();
        let process = thread.process;
        let restarted = self.end(port, process, how, Some(fault.stack_pointer));
        self.note_fault(thread, fault, how, restarted);
        Next::Blocked
    }

    /// Begins the record of the process of `thread`: what has stopped it, and `how` it is to go on, which a limit has
    /// `allowed` or not.
    pub(crate) fn note_fault(&self, thread: &Thread, fault: Fault, how: OnEnd, allowed: bool) {
        let process = thread.process;
        let record = &process.record;
        record.count.set(record.count.get().wrapping_add(1).max(1));
        record.process.set(process.index.into());
        record
            .thread
            .set((thread.index - process.first_thread).into());
        record.reason.set(fault.reason);
        record.action.set(action_of(how, allowed));
        record.address.set(fault.address.unwrap_or(0));
        record.address_valid.set(fault.address.is_some().into());
        record.known.set(fault.registers);
        record.registers.set([0; REGISTERS]);
        record.trace.set([0; TRACE]);
        record.text_length.set(0);
        record.text_left.set(0);
        self.trace_event(kind::FAULT, thread, || {
            (0, [record.reason.get(), record.address.get()])
        });
    }

    /// Tells who is to be told that `process` has faulted or ended.
    pub(crate) fn report(&self, port: &impl Port, process: &'static Process) {
        if let Some(told) = self.told_of(process) {
            self.notify(port, told, &process.fault);
        }
    }

    /// Where somebody is told that `process` has faulted: the manager of a program, else the supervisor; the witness,
    /// if it is the supervisor.
    pub(crate) fn told_of(&self, process: &'static Process) -> Option<&'static Channel> {
        if let Some(manager) = self.manager_of(process) {
            return Some(manager);
        }
        let supervisor = self.tables.supervisor?;
        let witness = self.tables.witness;
        Some(
            witness
                .filter(|_| supervisor.owner.is(process))
                .unwrap_or(supervisor),
        )
    }

    /// Takes the registers of the thread that has faulted, the text of one that has panicked, and looks for words on
    /// its stack that point into its code, as return addresses do.
    pub(crate) fn trace(
        &self,
        port: &impl Port,
        process: &'static Process,
        death: &mut Death,
    ) -> Step {
        let record = &process.record;
        let index = record.thread.get() as usize;
        let Some(thread) = self.threads_of(process).get(index) else {
            return Step::Over;
        };
        // Whoever has ended itself has been nowhere that anybody asks for.
        if record.reason.get() == reason::EXIT {
            return Step::Over;
        }
        // Nothing is kept in a guard: a small one is passed.
        let bottom = match GUARD > TRACE_WORDS as u32 * 4 {
            true => thread.stack().start,
            false => thread.stack_base,
        };
        let most = match death.stack_pointer < bottom {
            true => OVERFLOW_WORDS,
            false => TRACE_WORDS,
        };
        if !death.reported || death.cursor >= most {
            return Step::Over;
        }
        let known = record.known.replace(Known::Nothing);
        if known != Known::Nothing {
            let known = if thread.has_frame() {
                known
            } else {
                Known::WithoutFrame
            };
            port.registers(thread, known, record.registers.as_array_of_cells());
            return Step::More;
        }
        if self.take_text(port, process) {
            return Step::More;
        }
        let begin = death.stack_pointer.max(bottom) & !3;
        let at = begin.wrapping_add(u32::from(death.cursor) * 4);
        let words = (thread.stack_top.saturating_sub(at) / 4)
            .min((most - death.cursor).into())
            .min(TRACE_STEP.into());
        let stack = process.readable(at, words * 4);
        let trace = record.trace.as_array_of_cells();
        let mut free = trace.iter().filter(|word| word.get() == 0);
        // It ends where the stack does, where memory is lent, and when there is no room.
        death.cursor += words as u16;
        let Some(stack) = stack.ok().filter(|_| words != 0) else {
            death.cursor = most;
            return Step::More;
        };
        // A loop, since a closure would keep the address of the port: each call would then hand it on.
        for index in 0..words {
            let word = port.word(stack.part(index * 4, 4));
            let target = port.return_target(word);
            if !target.is_some_and(|target| process.code.holds(target, 1)) {
                continue;
            }
            match free.next() {
                Some(place) => place.set(word),
                None => {
                    death.cursor = most;
                    break;
                }
            }
        }
        Step::More
    }

    /// The running thread panics: a fault with a message.
    pub(crate) fn panic(&self, port: &impl Port, thread: &'static Thread) -> Result<Next, Error> {
        let [address, length, ..] = thread.words();
        let length = length.min(TEXT_BYTES as u32);
        let process = thread.process;
        process
            .readable(address, length)
            .map_err(|_| Error::BadAddress)?;
        let mut fault = Fault::new(reason::PANIC, None);
        fault.registers = Known::All;
        fault.stack_pointer = port.stack_pointer(thread);
        let next = self.stop(port, fault, process.on_fault);
        process.record.text_from.set(address);
        process.record.text_left.set(length);
        Ok(next)
    }

    /// Takes the next piece of the text that a thread of `process` has panicked with. Whether there was one.
    fn take_text(&self, port: &impl Port, process: &'static Process) -> bool {
        let record = &process.record;
        let (from, left) = (record.text_from.get(), record.text_left.get());
        if left == 0 {
            return false;
        }
        let length = left.min(PIECE as u32);
        let done = record.text_length.get();
        let place = record.text.get(done as usize / PIECE);
        let (Some(place), Ok(range)) = (place, process.readable(from, length)) else {
            return false;
        };
        let mut piece = [0; PIECE];
        port.fetch(range, &mut piece[..length as usize]);
        place.set(piece);
        record.text_length.set(done + length);
        record.text_from.set(from.wrapping_add(length));
        record.text_left.set(left - length);
        true
    }
}
