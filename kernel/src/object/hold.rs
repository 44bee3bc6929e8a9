//! Holding a process for a debugger: its threads stop where they are, and whoever waits for it goes on waiting.
//!
//! It is held at one instant ([`Process::is_halted`](crate::Process)): from then on none of its threads runs or becomes
//! ready. What is said of them elsewhere follows in steps, as after a death ([`crate::dispatch::pending`]): the thread
//! that faulted stands in the ready queue for them. Meanwhile no path knows a waiting receiver or an only client
//! without a look at its process.

use crate::{
    Channel, Kernel, Port, Process, State, Thread,
    limits::HOLDS,
    object::death::{Death, Step},
};

value! {
/// How far it has come that a process is held.
#[derive(Clone, Copy)]
pub(crate) struct Holding {
    /// The thread that faulted, or has ended the process.
    pub worker: &'static Thread,
    /// Where it keeps return addresses, if it has faulted: the supervisor is to be told.
    pub faulted: Option<u32>,
    /// So many words of its stack have been looked at.
    pub traced: u16,
    /// So many threads have been put away.
    pub threads: u16,
    /// The priority of the worker, which stands for the steps at that of the supervisor if it is to be told.
    pub priority: u8,
}
}

/// Threads that a step puts away.
const THREADS: u16 = 6;

#[cfg(debug_assertions)]
impl Process {
    /// Whether it is held, and not all that follows from that is done.
    pub(crate) fn is_being_held(&self) -> bool {
        self.holding.get().is_some()
    }
}

impl Kernel {
    /// The process of the running thread is held from now on. If it has faulted, its stack is looked at from `faulted`
    /// on, and the supervisor is told when all is over: nobody less urgent than it runs before.
    pub(crate) fn hold(&self, process: &'static Process, faulted: Option<u32>) {
        process.held.set(true);
        let worker = self.current.get();
        let priority = worker.priority.get();
        let told = faulted.and_then(|_| self.told_of(process));
        let main = told.and_then(|channel| self.threads_of(channel.owner).first());
        worker.raise_to(main.map_or(0, |main| main.base.get()));
        process.holding.set(Some(Holding {
            worker,
            faulted,
            traced: 0,
            threads: 0,
            priority,
        }));
        self.count_unfinished(self.unfinished.get() + 1);
        self.ready.push_front(worker);
    }

    /// A step of what follows for the process of `worker`. Whether that was the last one.
    pub(crate) fn hold_on(&self, port: &impl Port, worker: &'static Thread) -> bool {
        let process = worker.process;
        let Some(mut holding) = process.holding.get() else {
            return true;
        };
        let done = self.hold_step(port, process, &mut holding);
        process.holding.set((!done).then_some(holding));
        if done {
            worker.priority.set(holding.priority);
            self.count_unfinished(self.unfinished.get() - 1);
            if holding.faulted.is_some() {
                self.report(port, process);
            }
        }
        done
    }

    fn hold_step(
        &self,
        port: &impl Port,
        process: &'static Process,
        holding: &mut Holding,
    ) -> bool {
        if let Some(stack_pointer) = holding.faulted {
            let mut death = Death::of_fault(stack_pointer);
            death.cursor = holding.traced;
            let step = self.trace(port, process, &mut death);
            holding.traced = death.cursor;
            if step == Step::More {
                return false;
            }
        }
        let threads = self.threads_of(process);
        let rest = threads.get(holding.threads.into()..).unwrap_or(&[]);
        for thread in rest.iter().take(THREADS.into()) {
            self.put_away(thread);
        }
        holding.threads += THREADS;
        rest.len() <= THREADS.into()
    }

    /// Neither the ready queue, nor a message, nor an answer resumes a thread of a process that is held.
    fn put_away(&self, thread: &'static Thread) {
        if thread.state() == State::Stopped && self.ready.contains(thread) {
            self.ready.remove(thread);
            self.trace_stop(thread);
        }
        if let Some(server) = thread.server.get() {
            server.list_client();
        }
        if thread.is_waiting_receiver() {
            thread.bound.get().list_receiver();
        }
        self.dismiss(thread);
    }

    /// The process has died: it is not to be held any more.
    pub(crate) fn let_go(&self, process: &'static Process) {
        if let Some(holding) = process.holding.take().filter(|_| HOLDS) {
            self.ready.remove(holding.worker);
            holding.worker.priority.set(holding.priority);
            self.count_unfinished(self.unfinished.get() - 1);
        }
    }

    /// Something is about to be given to the waiting receiver of `channel`, without a look at its process: there is
    /// none from now on if that is held.
    pub(crate) fn look_for_holder(&self, channel: &Channel) {
        if HOLDS && channel.owner.held.get() {
            channel.list_receiver();
        }
    }
}
