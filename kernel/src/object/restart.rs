//! Whether and when a process is restarted after its end, and what one process may do to another.
//!
//! Restarts by the kernel itself are counted, come later and later, and end at a limit, all as the manifest
//! says ([`Restart`]). A process that has the right restarts or stops another one at once, in whatever state
//! that is: alive, held, stopped, or with its end half done. Such a restart does not count: with it the
//! count begins anew.

use core::cell::Cell;

use riposte_abi::{Error, MOST_DOUBLINGS, RESET_DELAY, call::number, fault::reason};

use crate::{
    Fault, Kernel, Known, OnEnd, Port, Process, Thread,
    dispatch::Next,
    fault::action_of,
    limits::{CONTROLS, DELAYS, RESETS},
    object::death::Death,
};

/// Whether and when a process is restarted, and which others it controls.
#[derive(Clone, Copy, Debug)]
pub struct Restart {
    /// Most restarts that count; `u32::MAX` for no limit.
    pub limit: u32,
    /// Whether the machine is reset when one more is due; otherwise the process stays stopped.
    pub resets: bool,
    /// Nanoseconds before its main thread begins after the first restart that counts. Each further one
    /// doubles them, [`riposte_abi::MOST_DOUBLINGS`] times at most.
    pub delay: u64,
    /// When it has run for so many nanoseconds, its restarts are counted from zero again; `u64::MAX` for
    /// never.
    pub window: u64,
    /// Processes that are restarted with it, by index.
    pub with: &'static [u8],
    /// Processes that it may restart and stop, by index.
    pub controls: &'static [u8],
}

impl Restart {
    /// Without limit, at once, alone; it controls nobody.
    pub const ALWAYS: Self = Self {
        limit: u32::MAX,
        resets: false,
        delay: 0,
        window: u64::MAX,
        with: &[],
        controls: &[],
    };

    /// Whether anything depends on how often it has been restarted.
    pub(crate) fn counts(&self) -> bool {
        self.limit != u32::MAX || self.delay != 0
    }
}

/// What there is once where restarts are delayed, or counted within a time, and not at all elsewhere.
pub(crate) type IfDelayed<T> = [T; DELAYS as usize];

state! {
/// When a process began.
pub(crate) struct Begun {
    at: Cell<u64> as time,
}
}

impl Begun {
    /// At no time yet.
    pub const fn never() -> Self {
        Self { at: Cell::new(0) }
    }
}

impl Process {
    /// One more restart is due. Whether the limit allows it, which counts it then.
    pub(crate) fn count_restart(&self, port: &impl Port) -> bool {
        if !self.restart.counts() {
            return true;
        }
        self.forget_old_restarts(port);
        let restarted = self.restarted.get();
        let allowed = restarted < self.restart.limit;
        if allowed {
            self.restarted.set(restarted.saturating_add(1));
        }
        allowed
    }

    /// It ends: if it has run for so long since it last began, its restarts are counted from zero again.
    pub(crate) fn forget_old_restarts(&self, port: &impl Port) {
        if let Some(begun) = self.begun.first()
            && port.now().saturating_sub(begun.at.get()) >= self.restart.window
        {
            self.restarted.set(0);
        }
    }

    /// It begins: at which time, if not now. The restarts that count have it come later each time.
    pub(crate) fn begin_at(&self, port: &impl Port) -> Option<u64> {
        let begun = self.begun.first()?;
        let often = self.restarted.get().checked_sub(1);
        let delay = often.map_or(0, |often| self.restart.delay << often.min(MOST_DOUBLINGS));
        let at = port.now().saturating_add(delay);
        begun.at.set(at);
        (delay != 0).then_some(at)
    }
}

impl Kernel {
    /// The caller restarts or stops the process at a position among those that it controls.
    pub(crate) fn control(
        &self,
        port: &impl Port,
        caller: &'static Thread,
        call: u32,
    ) -> Result<Next, Error> {
        let [position, ..] = caller.words();
        let controls = caller.process.restart.controls;
        let index = controls.get(position as usize).filter(|_| CONTROLS);
        let index = index.ok_or(Error::NotPermitted)?;
        let process = self.tables.processes.get(usize::from(*index));
        let process = process.ok_or(Error::NotPermitted)?;
        process.restarted.set(0);
        self.calm(process);
        let how = match call {
            number::PROCESS_RESTART => OnEnd::Restart,
            _ => OnEnd::Stop,
        };
        match process.death.get() {
            _ if process.is_alive() => self.end_by_right(port, caller, process, how),
            Some(death) => {
                self.note_control(caller, process, how, death.reported);
                process.death.set(Some(death.redirected(how)));
                self.hasten(process, caller.priority.get());
                self.hasten_beginning(process);
            }
            None if how == OnEnd::Stop => {
                if process.waits.take() {
                    self.note_control(caller, process, how, false);
                    self.begin_work(process, Death::of_waiting(), caller.priority.get());
                }
            }
            // It starts as soon as what it has lent is back.
            None if process.waits.get() => {}
            None => {
                // That a program begins is no news to its manager.
                let reported = !self.is_program(process);
                if reported {
                    self.note_control(caller, process, how, false);
                }
                let beginning = Death::of_stopped(reported);
                self.begin_work(process, beginning, caller.priority.get());
            }
        }
        if !caller.process.is_alive() {
            return Ok(Next::Blocked);
        }
        caller.returns(0);
        Ok(Next::Continue)
    }

    /// Ends `process`, which lives. Its record says by whom, and where its main thread was.
    fn end_by_right(
        &self,
        port: &impl Port,
        caller: &'static Thread,
        process: &'static Process,
        how: OnEnd,
    ) {
        let Some(main) = self.threads_of(process).first() else {
            return;
        };
        let mut fault = controlled_by(caller);
        fault.registers = Known::All;
        fault.stack_pointer = if main.has_frame() {
            port.stack_pointer(main)
        } else {
            main.frame.get() as u32
        };
        self.begin_end(port, process, Death::by_right(how, fault.stack_pointer));
        self.note_fault(main, fault, how, true);
    }

    /// Takes note of what becomes of `process`, which is dead: in the record of its end, if that has one.
    fn note_control(&self, caller: &Thread, process: &'static Process, how: OnEnd, recorded: bool) {
        if recorded {
            process.record.action.set(action_of(how, true));
        } else if let Some(main) = self.threads_of(process).first() {
            self.note_fault(main, controlled_by(caller), how, true);
        }
    }

    /// `process`, which has just died, has reached its limit: if that is to reset the machine, it does so
    /// when nobody has restarted the process, or stopped it once more, before this deadline of its main thread.
    pub(crate) fn escalate(&self, port: &impl Port, process: &Process) {
        if !RESETS || !process.restart.resets {
            return;
        }
        if let Some(main) = self.threads_of(process).first() {
            self.deadlines.remove(&main.deadline);
            let at = port.now().saturating_add(RESET_DELAY);
            self.deadlines.insert(&main.deadline, at);
        }
    }

    /// `process`, which is dead, is not to reset the machine.
    pub(crate) fn calm(&self, process: &Process) {
        let main = self.threads_of(process).first();
        if let Some(main) = main.filter(|main| main.resets()) {
            self.deadlines.remove(&main.deadline);
        }
    }
}

impl Thread {
    /// Whether its deadline, if it has one, resets the machine: it is the main thread of a process that is dead.
    pub(crate) fn resets(&self) -> bool {
        let process = self.process;
        let is_main = self.index == process.first_thread;
        RESETS && process.restart.resets && is_main && self.stopped.get() && !process.is_alive()
    }
}

/// That `caller` has restarted or stopped a process.
fn controlled_by(caller: &Thread) -> Fault {
    Fault::new(reason::CONTROLLED, Some(caller.process.index.into()))
}
