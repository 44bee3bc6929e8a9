//! Processes: protection domains, owners of handles.

use core::cell::Cell;

use riposte_abi::fault::Record;

use crate::{
    Access, Exchange, Notice, Objects, OutOfRange, Range, Readable, Source, Thread, Writable,
    limits, sched::spawn::IfStarted,
};

/// What happens to a process that faulted or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnEnd {
    /// It is started again.
    Restart,
    /// It stays stopped, and all that it had is gone.
    Stop,
    /// It stays stopped as it was, for a debugger.
    Hold,
}

/// What the manifest lets a process do beyond messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grants {
    /// Stop the machine.
    pub shutdown: bool,
    /// Read fault records.
    pub supervisor: bool,
}

state! {
/// A process.
pub struct Process {
    /// Index in the system.
    pub index: u8,
    /// Its memory; where its data and stacks lie comes first, since most ranges are there.
    pub memory: &'static [Range] as link,
    /// Index of its first thread; the main one.
    pub first_thread: u8,
    /// Number of its threads.
    pub threads: u8,
    /// What happens after a fault.
    pub on_fault: OnEnd,
    /// What happens when it ends.
    pub on_exit: OnEnd,
    /// Most restarts; `u32::MAX` for no limit.
    pub restart_limit: u32,
    /// Processes that are restarted with it, by index.
    pub restarts: &'static [u8] as link,
    /// Beyond messages.
    pub grants: Grants,
    /// The highest priority that it may give a thread.
    pub priority_limit: u8,
    /// Bytes of stack that each of its spare threads has.
    pub spare_stack: u32,
    /// Address of its [`riposte_abi::process_info`] table, as it sees it.
    pub info: u32,
    /// Where its code lies: what a return address points into.
    pub code: Range,
    /// What it has for messages that carry memory.
    pub exchange: &'static Exchange,
    /// Its proxies and timers.
    pub objects: &'static Objects,
    /// The first of its spare threads that are free.
    pub(crate) spares: IfStarted<Cell<Option<&'static Thread>>>,
    pub(crate) started: Cell<bool>,
    pub(crate) alive: Cell<bool>,
    /// Stopped as it was, for a debugger.
    pub(crate) held: Cell<bool>,
    /// It is to be started as soon as nothing of it is lent any more.
    pub(crate) waits: Cell<bool>,
    pub(crate) restarted: Cell<u32> where has_restart_limit,
    pub(crate) record: Cell<Record> as detail,
    pub(crate) fault: Notice,
}
}

/// What a process is, for [`Process::new`].
pub struct Settings {
    /// Index in the system.
    pub index: u8,
    /// Its memory.
    pub memory: &'static [Range],
    /// Index of its main thread.
    pub first_thread: u8,
    /// Number of its threads.
    pub threads: u8,
    /// After a fault.
    pub on_fault: OnEnd,
    /// After its end.
    pub on_exit: OnEnd,
    /// Most restarts.
    pub restart_limit: u32,
    /// Processes restarted with it.
    pub restarts: &'static [u8],
    /// Grants.
    pub grants: Grants,
    /// The highest priority that it may give a thread.
    pub priority_limit: u8,
    /// Bytes of stack of each spare thread.
    pub spare_stack: u32,
    /// Address of its information table.
    pub info: u32,
    /// Its code.
    pub code: Range,
    /// What it has for messages that carry memory; [`Exchange::NONE`] if nothing.
    pub exchange: &'static Exchange,
    /// Its proxies and timers; [`Objects::NONE`] if it has none.
    pub objects: &'static Objects,
}

impl Process {
    /// A process that has not started.
    #[must_use]
    pub const fn new(settings: Settings) -> Self {
        Self {
            index: settings.index,
            memory: settings.memory,
            first_thread: settings.first_thread,
            threads: settings.threads,
            on_fault: settings.on_fault,
            on_exit: settings.on_exit,
            restart_limit: settings.restart_limit,
            restarts: settings.restarts,
            grants: settings.grants,
            priority_limit: settings.priority_limit,
            spare_stack: settings.spare_stack,
            info: settings.info,
            code: settings.code,
            exchange: settings.exchange,
            objects: settings.objects,
            spares: [const { Cell::new(None) }; _],
            started: Cell::new(false),
            alive: Cell::new(false),
            held: Cell::new(false),
            waits: Cell::new(false),
            restarted: Cell::new(0),
            record: Cell::new(Record::EMPTY),
            fault: Notice::new(Source::Fault {
                process: settings.index,
            }),
        }
    }

    /// Whether both are the same process.
    #[must_use]
    #[inline]
    pub fn is(&self, other: &Process) -> bool {
        core::ptr::eq(self, other)
    }

    /// Whether it runs.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.alive.get()
    }

    /// Its last fault; `count` is 0 if it never had one.
    #[must_use]
    pub fn record(&self) -> Record {
        self.record.get()
    }

    /// Checks that the process may read these bytes: any address if there are none.
    ///
    /// # Errors
    /// Some of them are not in its memory, or are device registers.
    #[inline]
    pub fn readable(&self, address: u32, length: u32) -> Result<Readable, OutOfRange> {
        self.find(address, length, |range| range.access != Access::Device)
            .or_else(|| self.exchange.find(address, length, false))
            .map(|machine| Readable::new(machine, length))
            .ok_or(OutOfRange)
    }

    /// Checks that the process may write these bytes: any address if there are none.
    ///
    /// # Errors
    /// Some of them are not in its writable memory.
    #[inline]
    pub fn writable(&self, address: u32, length: u32) -> Result<Writable, OutOfRange> {
        self.find(address, length, |range| range.access.is_writable())
            .or_else(|| self.exchange.find(address, length, true))
            .map(|machine| Writable::new(machine, length))
            .ok_or(OutOfRange)
    }

    /// Whether these bytes, which are some, are in memory that other processes may write too.
    pub(crate) fn shares(&self, address: u32, length: u32) -> bool {
        let is_shared = |range: &Range| range.access == Access::Shared;
        limits::SHARED_MEMORY && self.find(address, length, is_shared).is_some()
    }

    /// Checks that the aligned word at `address` is the process's own to read, whatever others lend
    /// it, and however long it lives.
    #[inline]
    pub(crate) fn own_readable(&self, address: u32) -> Option<Readable> {
        self.find(address, 4, |range| range.access != Access::Device)
            .map(|machine| Readable::new(machine, 4))
    }

    /// As [`Process::own_readable`], to write.
    #[inline]
    pub(crate) fn own_writable(&self, address: u32) -> Option<Writable> {
        self.find(address, 4, |range| range.access.is_writable())
            .map(|machine| Writable::new(machine, 4))
    }

    /// Whether the word that the kernel sees at `machine` is the process's own to write.
    pub(crate) fn reaches(&self, machine: u32) -> bool {
        self.memory.iter().any(|range| {
            let offset = machine.wrapping_sub(range.machine(range.base));
            range.access.is_writable() && range.holds(range.base.wrapping_add(offset), 4)
        })
    }

    /// Where the kernel sees the bytes, all of which are in one range that is `allowed`. Of no bytes
    /// it is not known.
    #[inline]
    fn find(&self, address: u32, length: u32, allowed: impl Fn(&Range) -> bool) -> Option<u32> {
        if length == 0 {
            return Some(address);
        }
        let range = self
            .memory
            .iter()
            .find(|range| allowed(range) && range.holds(address, length));
        range.map(|range| range.machine(address))
    }
}
