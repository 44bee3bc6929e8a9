//! Start, end and restart of processes, and what their end means to others.

use riposte_abi::{Error, fault::reason};

use crate::{
    Fault, Kernel, OnEnd, Port, Process, State, Thread, Wake,
    dispatch::Next,
    limits::{INTERRUPTS, MEMORY_MESSAGES},
    object::handle::Purpose,
    sched::thread::Selection,
};

impl Kernel {
    pub(crate) fn start_process(&self, port: &impl Port, process: &'static Process) {
        process.alive.set(true);
        process.waits.set(false);
        process.held.set(false);
        process.started.set(false);
        self.begin_proxies(process);
        let threads = self.threads_of(process);
        threads.iter().for_each(Thread::reset_level);
        process.take_back_all(threads);
        if let Some(main) = threads.first() {
            self.start_thread(port, main);
        }
    }

    /// Makes the process's other threads ready, the first time.
    pub(crate) fn start_threads(&self, port: &impl Port, process: &'static Process) {
        if process.started.replace(true) {
            return;
        }
        for thread in self.threads_of(process).iter().skip(1) {
            if thread.is_spare() {
                break;
            }
            self.start_thread(port, thread);
        }
    }

    pub(crate) fn start_thread(&self, port: &impl Port, thread: &'static Thread) {
        thread.stopped.set(false);
        thread.priority.set(thread.base.get());
        thread.begin();
        port.reset(thread);
        self.make_ready(thread);
    }

    /// The running thread's process ends itself.
    pub(crate) fn exit(&self, port: &impl Port, thread: &'static Thread, status: u32) -> Next {
        let process = thread.process;
        if status != 0 {
            return self.stop(
                port,
                Fault::new(reason::EXIT, Some(status)),
                process.on_exit,
            );
        }
        self.end(port, process, process.on_exit);
        Next::Blocked
    }

    /// Ends a process, then starts it again or doesn't. Whether it was started.
    pub(crate) fn end(&self, port: &impl Port, process: &'static Process, how: OnEnd) -> bool {
        let again = how == OnEnd::Restart && process.restarted.get() < process.restart_limit;
        if how == OnEnd::Hold {
            self.hold(process);
            return false;
        }
        self.end_process(port, process);
        if again {
            process
                .restarted
                .set(process.restarted.get().saturating_add(1));
            self.restart(port, process);
            for index in process.restarts {
                self.restart_along(port, *index);
            }
        }
        again
    }

    fn restart_along(&self, port: &impl Port, index: u8) {
        if let Some(process) = self.tables.processes.get(usize::from(index)) {
            self.end_process(port, process);
            self.restart(port, process);
        }
    }

    /// Starts a process again: as soon as all that it had lent is back.
    fn restart(&self, port: &impl Port, process: &'static Process) {
        if !MEMORY_MESSAGES || !self.lends(process) {
            self.start_process(port, process);
        } else {
            process.waits.set(true);
        }
    }

    /// Stops the threads of a process where they are; whoever waits for it goes on waiting.
    fn hold(&self, process: &'static Process) {
        process.held.set(true);
        for thread in self.threads_of(process) {
            if thread.state() == State::Stopped && self.ready.contains(thread) {
                self.ready.remove(thread);
            }
            // Neither a wake nor an answer must resume it.
            thread.set_special();
            if let Some(server) = thread.server.get() {
                server.list_client();
            }
        }
        for channel in self
            .tables
            .channels
            .iter()
            .filter(|channel| channel.owner.is(process))
        {
            channel.list_receiver();
        }
    }

    /// Takes away all that a process has, and tells everybody who waits for it.
    fn end_process(&self, port: &impl Port, process: &'static Process) {
        process.alive.set(false);
        for thread in self.threads_of(process) {
            self.end_thread(port, thread);
        }
        for channel in self
            .tables
            .channels
            .iter()
            .filter(|channel| channel.owner.is(process))
        {
            while let Some(client) = channel.senders.first() {
                self.wake(port, client, Wake::Failed(Error::ServerDied));
            }
            while channel.notices.pop().is_some() {}
            channel.bits.set(0);
            channel.update_idle();
        }
        self.end_timers(process);
        self.end_proxies(process);
        if INTERRUPTS {
            self.detach_all(port, process);
        }
        self.empty_windows(port, process);
        self.break_connections_to(process);
        self.close_handles_of(port, process);
        self.end_selections(port);
    }

    pub(crate) fn end_thread(&self, port: &impl Port, thread: &'static Thread) {
        Self::leave_loan(thread);
        self.unlink(port, thread);
        while let Some(client) = thread.clients().next() {
            self.wake(port, client, Wake::Failed(Error::ServerDied));
        }
        thread.stopped.set(true);
        thread.chosen.set(false);
        self.end_slice_of(thread);
        self.forget_drop(thread);
        self.abandon_locks(port, thread);
        self.unbind(thread);
        thread.priority.set(thread.base.get());
        thread.progress.set(0);
    }

    fn break_connections_to(&self, process: &'static Process) {
        let handles = self.tables.handles.iter().flatten();
        for handle in
            handles.filter(|handle| handle.is_open() && handle.target.get().owner.is(process))
        {
            handle.break_off();
        }
    }

    fn close_handles_of(&self, port: &impl Port, process: &'static Process) {
        for handle in self
            .handles_of(process)
            .iter()
            .filter(|handle| handle.purpose != Purpose::Channel)
        {
            let channel = handle.target.get();
            if handle.is_open() && channel.notify_client_died && channel.owner.is_alive() {
                self.notify(port, channel, &handle.died);
            }
            handle.close(self.tables.nowhere);
        }
    }

    /// Wakes those who wait for a message that nobody can send any more.
    pub(crate) fn end_selections(&self, port: &impl Port) {
        for thread in self.tables.threads {
            let lives = match thread.selection.get() {
                Selection::Anyone => true,
                Selection::Badge(badge) => self.badge_lives(thread.bound.get(), badge),
                Selection::Thread(client) => client.state() != State::Stopped,
            };
            if !lives && thread.state() == State::ReceiveBlocked {
                self.wake(port, thread, Wake::Failed(Error::PeerDied));
            }
        }
    }
}
