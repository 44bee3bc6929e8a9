//! Processes: protection domains, owners of handles.

use core::cell::Cell;

use riposte_abi::fault::Record;

use crate::{
    Exchange, Notice, Objects, Range, Source, Thread,
    limits::HOLDS,
    object::{
        death::Death,
        hold::Holding,
        record::Kept,
        restart::{Begun, IfDelayed, Restart},
        vacancy::Vacancy,
    },
    sched::spawn::IfStarted,
    signal::{IfSignals, OfProcess, Signalling},
    time::timer::IfTimers,
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
    /// Ask what threads are doing.
    pub inspect: bool,
    /// Hand clients on to other servers.
    pub relay: bool,
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
    /// Whether and when it is restarted.
    pub restart: &'static Restart,
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
    /// How often its periodic timers that run are due together: at most [`Objects::timer_rate`].
    pub(crate) timer_rate: IfTimers<Cell<u32>>,
    pub(crate) signals: IfSignals<OfProcess>,
    /// Of its handle slots, those that can take what a reply brings.
    pub(crate) free_slots: Vacancy,
    pub(crate) free_proxies: Vacancy,
    pub(crate) free_timers: Vacancy,
    pub(crate) started: Cell<bool>,
    pub(crate) alive: Cell<bool>,
    /// How far its end has come, from its death until all that it had is gone.
    pub(crate) death: Cell<Option<Death>>,
    /// The main thread of the process with which it is restarted, and whose end waits for its own.
    pub(crate) taken_over: Cell<Option<&'static Thread>>,
    /// Stopped as it was, for a debugger.
    pub(crate) held: Cell<bool>,
    /// How far that has come, until all is done.
    pub(crate) holding: Cell<Option<Holding>>,
    /// It is to be started as soon as nothing of it is lent any more.
    pub(crate) waits: Cell<bool>,
    /// Its restarts that count.
    pub(crate) restarted: Cell<u32> where counts_restarts,
    /// When it began.
    pub(crate) begun: IfDelayed<Begun>,
    pub(crate) record: Kept as detail,
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
    /// Whether and when it is restarted; [`Restart::ALWAYS`] if the manifest says no more than that.
    pub restart: &'static Restart,
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
    /// What it has for signals; [`Signalling::NONE`] if nothing.
    pub signals: &'static Signalling,
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
            restart: settings.restart,
            grants: settings.grants,
            priority_limit: settings.priority_limit,
            spare_stack: settings.spare_stack,
            info: settings.info,
            code: settings.code,
            exchange: settings.exchange,
            objects: settings.objects,
            spares: [const { Cell::new(None) }; _],
            timer_rate: [const { Cell::new(0) }; _],
            signals: [OfProcess::new(settings.signals); _],
            free_slots: Vacancy::new(),
            free_proxies: Vacancy::new(),
            free_timers: Vacancy::new(),
            started: Cell::new(false),
            alive: Cell::new(false),
            death: Cell::new(None),
            taken_over: Cell::new(None),
            held: Cell::new(false),
            holding: Cell::new(None),
            waits: Cell::new(false),
            restarted: Cell::new(0),
            begun: [const { Begun::never() }; _],
            record: Kept::new(),
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

    /// Nothing that it could make or be given is there.
    pub(crate) fn forget_objects(&self) {
        let all = [&self.free_slots, &self.free_proxies, &self.free_timers];
        all.iter().for_each(|free| free.note(0));
    }

    /// Whether it runs.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.alive.get()
    }

    /// Whether it has died, and not all that it had is gone yet.
    #[must_use]
    pub fn is_dying(&self) -> bool {
        self.death.get().is_some()
    }

    /// Whether it is alive, or dead and not all of it is gone.
    #[must_use]
    pub fn leaves_traces(&self) -> bool {
        self.alive.get() || self.is_dying()
    }

    /// Whether none of its threads may run: it is dead, or held for a debugger.
    #[inline(always)]
    pub(crate) fn is_halted(&self) -> bool {
        !self.alive.get() || HOLDS && self.held.get()
    }

    /// Its last fault; `count` is 0 if it never had one.
    #[must_use]
    pub fn record(&self) -> Record {
        self.record.whole()
    }
}
