//! Faults: they stop their process alone, and the supervisor is told.

use riposte_abi::{
    Error,
    fault::{REGISTERS, Record, TEXT_BYTES, TRACE, action, reason},
};

use crate::{Kernel, OnEnd, Port, Thread, dispatch::Next};

/// Words of a stack that are looked at for return addresses.
const TRACE_WORDS: u32 = 96;

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
    text: [u8; TEXT_BYTES],
    text_length: u32,
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
            text: [0; TEXT_BYTES],
            text_length: 0,
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
        let trace = self.trace(port, thread, fault.stack_pointer);
        let restarted = self.end(port, process, how);
        process.record.set(Record {
            count: process.record.get().count.wrapping_add(1).max(1),
            process: u32::from(process.index),
            thread: u32::from(thread.index - process.first_thread),
            reason: fault.reason,
            action: match how {
                OnEnd::Restart if restarted => action::RESTARTED,
                OnEnd::Restart => action::LIMIT,
                OnEnd::Stop => action::STOPPED,
                OnEnd::Hold => action::HELD,
            },
            address: fault.address.unwrap_or(0),
            address_valid: u32::from(fault.address.is_some()),
            registers: fault.registers,
            trace,
            text_length: fault.text_length,
            text: fault.text,
        });
        if let Some(channel) = self
            .tables
            .supervisor
            .filter(|channel| channel.owner.is_alive())
        {
            self.notify(port, channel, &process.fault);
        }
        Next::Blocked
    }

    /// Words on the thread's stack that point into its code, as return addresses do.
    fn trace(&self, port: &impl Port, thread: &Thread, stack_pointer: u32) -> [u32; TRACE] {
        let mut trace = [0; TRACE];
        let mut found = 0;
        let begin = stack_pointer.max(thread.stack_base) & !3;
        for index in 0..TRACE_WORDS {
            let at = begin.wrapping_add(index * 4);
            if at >= thread.stack_top || found == TRACE {
                break;
            }
            let Ok(place) = thread.process.readable(at, 4) else {
                break;
            };
            let mut word = [0; 4];
            port.fetch(place, &mut word);
            let word = u32::from_le_bytes(word);
            let target = port.return_target(word);
            if target.is_some_and(|target| thread.process.code.holds(target, 1)) {
                trace[found] = word;
                found += 1;
            }
        }
        trace
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
        port.fetch(from, &mut fault.text[..length as usize]);
        fault.text_length = length;
        fault.registers = port.registers(thread);
        fault.stack_pointer = port.stack_pointer(thread);
        Ok(self.stop(port, fault, thread.process.on_fault))
    }
}
