//! Faults: they stop their process alone, and the supervisor is told.

use riposte_abi::{
    Error,
    fault::{REGISTERS, TEXT_BYTES, TRACE, action, reason},
};

use crate::{
    Kernel, OnEnd, Port, Process, Readable, Thread,
    dispatch::Next,
    object::death::{Death, Step},
};

/// Words of a stack that are looked at for return addresses.
const TRACE_WORDS: u16 = 96;
/// As many as a step looks at.
const TRACE_STEP: u16 = 12;

/// What a port knows of a fault.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// [`riposte_abi::fault::reason`].
    pub reason: u32,
    /// What was touched.
    pub address: Option<u32>,
    /// As [`Record::registers`].
    pub registers: [u32; REGISTERS],
    /// Where its stack begins to hold return addresses.
    pub stack_pointer: u32,
}

impl Fault {
    /// A fault of which nothing else is known yet.
    #[must_use]
    pub const fn new(reason: u32, address: Option<u32>) -> Self {
        Self {
            reason,
            address,
            registers: [0; REGISTERS],
            stack_pointer: 0,
        }
    }
}

impl Kernel {
    /// The running thread has faulted.
    pub(crate) fn fault(&self, port: &impl Port, fault: Fault) -> Next {
        self.stop(port, &fault, self.current.get().process.on_fault, None)
    }

    /// Stops the running thread's process, tells the supervisor, and does what the manifest says. A panic says `text`,
    /// which is not longer than what a record keeps.
    pub(crate) fn stop(
        &self,
        port: &impl Port,
        fault: &Fault,
        how: OnEnd,
        text: Option<Readable>,
    ) -> Next {
        let thread = self.current.get();
        let process = thread.process;
        let restarted = self.end(port, process, how, Some(fault.stack_pointer));
        // In place: it is long, and each copy of it is a part of how long an interrupt waits.
        let mut record = process.record.get();
        record.count = record.count.wrapping_add(1).max(1);
        record.process = u32::from(process.index);
        record.thread = u32::from(thread.index - process.first_thread);
        record.reason = fault.reason;
        record.action = match how {
            OnEnd::Restart if restarted => action::RESTARTED,
            OnEnd::Restart => action::LIMIT,
            OnEnd::Stop => action::STOPPED,
            OnEnd::Hold => action::HELD,
        };
        record.address = fault.address.unwrap_or(0);
        record.address_valid = u32::from(fault.address.is_some());
        record.registers = fault.registers;
        record.trace = [0; TRACE];
        let length = text.map_or(0, |text| text.length());
        record.text_length = length;
        let (said, rest) = record.text.split_at_mut(TEXT_BYTES.min(length as usize));
        rest.fill(0);
        if let Some(text) = text {
            port.fetch(text, said);
        }
        process.record.set(record);
        Next::Blocked
    }

    /// Tells the supervisor that `process` has faulted.
    pub(crate) fn report(&self, port: &impl Port, process: &'static Process) {
        if let Some(channel) = self.tables.supervisor {
            self.notify(port, channel, &process.fault);
        }
    }

    /// Looks for words on the stack of the thread that has faulted that point into its code, as return
    /// addresses do.
    pub(crate) fn trace(
        &self,
        port: &impl Port,
        process: &'static Process,
        death: &mut Death,
    ) -> Step {
        if !death.reported || death.cursor >= TRACE_WORDS {
            return Step::Over;
        }
        let mut record = process.record.get();
        let Some(thread) = self.threads_of(process).get(record.thread as usize) else {
            return Step::Over;
        };
        let begin = death.stack_pointer.max(thread.stack_base) & !3;
        for _ in 0..TRACE_STEP {
            let at = begin.wrapping_add(u32::from(death.cursor) * 4);
            let free = record.trace.iter_mut().find(|word| **word == 0);
            let (Some(free), Ok(place)) = (free, process.readable(at, 4)) else {
                death.cursor = TRACE_WORDS;
                break;
            };
            if at >= thread.stack_top || death.cursor >= TRACE_WORDS {
                death.cursor = TRACE_WORDS;
                break;
            }
            let word = port.word(place);
            let target = port.return_target(word);
            if target.is_some_and(|target| process.code.holds(target, 1)) {
                *free = word;
            }
            death.cursor += 1;
        }
        process.record.set(record);
        Step::More
    }

    /// The running thread panics: a fault with a message.
    pub(crate) fn panic(&self, port: &impl Port, thread: &'static Thread) -> Result<Next, Error> {
        let [address, length, ..] = thread.words();
        let length = length.min(TEXT_BYTES as u32);
        let from = thread
            .process
            .readable(address, length)
            .map_err(|_| Error::BadAddress)?;
        let mut fault = Fault::new(reason::PANIC, None);
        fault.registers = port.registers(thread);
        fault.stack_pointer = port.stack_pointer(thread);
        Ok(self.stop(port, &fault, thread.process.on_fault, Some(from)))
    }
}
