//! What the state before a call promises of its outcome.

use riposte_abi::{
    Error,
    call::{OPERATION_SHIFT, number, operation, word},
    info, register, signal,
};
use riposte_kernel::{Channel, Form, Handle, Purpose, State, Thread, limits::HANDLES};
use riposte_model::{Call, Machine, ThreadId, Token};

/// Whether `client` waits for an answer from `server`'s process under this token.
#[must_use]
pub fn waits_for(machine: &Machine, client: ThreadId, server: ThreadId, token: Token) -> bool {
    let client = machine.thread(client);
    let own = machine.thread(server).process;
    client.state() == State::ReplyBlocked
        && client.token() == (token.tag, token.generation)
        && client.server().is_some_and(|server| server.process.is(own))
}

/// The last token of each thread, and whether it waits for an answer to it.
#[must_use]
pub fn tokens(machine: &Machine) -> Vec<((u32, u32), bool)> {
    let threads = machine.kernel.tables().threads.iter();
    threads
        .map(|thread| (thread.token(), thread.state() == State::ReplyBlocked))
        .collect()
}

/// Every message that was taken has a token that its sender never had before.
///
/// # Panics
/// One has not.
pub fn new_tokens(machine: &Machine, before: &[((u32, u32), bool)]) {
    for ((old, waited), (new, waits)) in before.iter().zip(tokens(machine)) {
        assert!(new >= *old, "tokens only grow");
        assert!(*waited || !waits || new > *old, "a token is used once");
    }
}

/// A process that has ended has nothing left, unless it is held.
///
/// # Panics
/// It has.
pub fn has_nothing_left(machine: &Machine, process: usize) {
    let tables = machine.kernel.tables();
    // Of what is still dying, whoever looks finds nothing: the model's tests see to that.
    if tables.processes[process].is_held() || tables.processes[process].is_dying() {
        return;
    }
    let mut windows = tables.processes[process].exchange.windows.iter();
    let empty = windows.all(|window| window.open().is_none());
    assert!(empty, "a window of its last life");
    let mut handles = tables.handles[process].iter();
    let none = handles.all(|handle| !handle.leads_to_region());
    assert!(none, "a region of its last life");
    let mut timers = tables.processes[process].objects.timers.iter();
    assert!(
        timers.all(|timer| !timer.exists()),
        "a timer of its last life"
    );
    let is_its = |thread: &Thread| usize::from(thread.process.index) == process;
    for thread in tables.threads {
        let sends = |channel: &Channel| usize::from(channel.owner.index) == process;
        assert!(!thread.sending().is_some_and(sends), "it was to be woken");
        assert!(!thread.server().is_some_and(is_its), "it was to be woken");
        assert!(!thread.selected().is_some_and(is_its), "it was to be woken");
        let began = matches!(thread.state(), State::Ready | State::Stopped);
        assert!(!is_its(thread) || began, "it goes on with its last life");
    }
    let open = tables
        .handles
        .iter()
        .flatten()
        .filter(|handle| handle.is_open());
    for handle in open.filter(|handle| handle.purpose != Purpose::Interrupt) {
        let goal = usize::from(handle.target().owner.index);
        assert_ne!(goal, process, "a connection to its last life");
    }
    let open = tables.handles[process]
        .iter()
        .filter(|handle| handle.is_open());
    assert_eq!(
        open.count(),
        0,
        "connections of process {process}'s last life"
    );
    for (holder, handles) in tables.handles.iter().enumerate() {
        let rights = handles.iter().filter_map(Handle::triggers);
        for proxy in rights.filter(|proxy| !proxy.is_fixed() || holder != process) {
            let goal = usize::from(proxy.process);
            assert_ne!(holder, process, "the right to trigger of its last life");
            assert_ne!(goal, process, "a proxy of its last life");
        }
    }
}

/// What is lent: index of the holder, and of the lender.
#[must_use]
pub fn loans(machine: &Machine) -> Vec<(u8, u8)> {
    let processes = machine.kernel.tables().processes.iter();
    let loans = processes.flat_map(|holder| {
        let windows = holder.exchange.windows.iter();
        let lenders = windows.filter_map(|window| window.lender());
        lenders.map(|lender| (holder.index, lender.index))
    });
    loans.collect()
}

/// What is lent to those who are not dying: what the dying hold goes home in steps.
#[must_use]
pub fn loans_to_the_living(machine: &Machine) -> Vec<(u8, u8)> {
    let processes = machine.kernel.tables().processes;
    let mut loans = loans(machine);
    loans.retain(|(holder, _)| !processes[usize::from(*holder)].is_dying());
    loans
}

/// What was lent stays with its holder until that one does something, or ends with somebody else.
///
/// # Panics
/// It does not.
pub fn loans_are_kept(machine: &Machine, before: &[(u8, u8)], actor: ThreadId) {
    let actor = machine.thread(actor).process;
    let after = loans(machine);
    for (holder, lender) in before.iter().filter(|loan| !after.contains(loan)) {
        let also = [actor.restart.with, actor.restart.controls].concat();
        let own = actor.index == *holder || also.contains(holder);
        assert!(own, "what thread {lender} had lent has disappeared");
    }
}

/// What is known before a call.
pub struct Expected {
    thread: ThreadId,
    call: Call,
    /// Whom the call answers, and whether that one waits for it.
    client: Option<(ThreadId, bool)>,
    /// Whether it sends, and may.
    sends: Option<bool>,
    /// Whether it answers a dead client that has left memory behind: it is refused, and yet that ends
    /// the loan.
    ends_loan: bool,
    /// Whether it receives, and finds messages with memory for which there is no window: their senders
    /// are told so, whatever else it finds.
    sends_away: bool,
}

/// Looks at the state before `thread` performs `call`.
#[must_use]
pub fn before(machine: &Machine, thread: ThreadId, call: &Call) -> Expected {
    let word = call.registers[register::CALL];
    let tag = call.registers[register::INFO] & info::TAG_MASK;
    let answers = match word >> OPERATION_SHIFT {
        operation::OTHER => {
            (number::REPLY..=number::REPLY_ERROR).contains(&word) || word == number::REPLY_HANDLE
        }
        operation::RELAY => true,
        operation => {
            (operation::REPLY_RECEIVE..=operation::REPLY_ERROR_RECEIVE).contains(&operation)
        }
    };
    let client = answers.then(|| {
        let client = ThreadId((tag >> info::THREAD_SHIFT & 0xFF) as usize);
        let generation = call.registers[register::GENERATION];
        let token = Token { tag, generation };
        (client, waits_for(machine, client, thread, token))
    });
    let operation = word >> OPERATION_SHIFT;
    let is_send =
        (operation::SEND..=operation::MOVE).contains(&operation) && operation != operation::RECEIVE;
    // While a death goes on, others may follow from it.
    let mut processes = machine.kernel.tables().processes.iter();
    let is_certain = !processes.any(|process| process.is_dying());
    let sends = (is_send && is_certain).then(|| {
        let process = usize::from(machine.thread(thread).process.index);
        machine.kernel.tables().handles[process][word as usize % HANDLES].is_open()
    });
    let ends_loan = client.is_some_and(|(client, waits)| {
        let client = machine.thread(client);
        let mut windows = machine.thread(thread).process.exchange.windows.iter();
        !waits && windows.any(|window| window.lender().is_some_and(|lender| lender.is(client)))
    });
    let process = machine.thread(thread).process;
    let windows = process.exchange.windows;
    let mut for_messages = windows.iter().filter(|it| !it.is_for_regions());
    let is_full = for_messages.all(|window| window.open().is_some());
    let carries =
        |client: &Thread| matches!(client.form(), Form::Lend | Form::LendMut | Form::Move);
    let channels = machine.kernel.tables().channels.iter();
    let mut own = channels.filter(|channel| channel.owner.is(process));
    let sends_away = operation == operation::RECEIVE
        && is_full
        && own.any(|channel| channel.senders().any(carries));
    Expected {
        thread,
        call: *call,
        client,
        sends,
        ends_loan,
        sends_away: sends_away || !is_certain,
    }
}

impl Expected {
    /// Compares with the state after it.
    ///
    /// # Panics
    /// They do not agree.
    pub fn after(&self, machine: &Machine, before: &[u8]) {
        let ends_handler = word(operation::SIGNAL, signal::number::RETURN);
        if self.call.registers[register::CALL] == ends_handler {
            // What is returned is the answer to the call that was interrupted.
            return;
        }
        let answer = machine.answer(self.thread);
        let error = answer.and_then(|answer| answer.error());
        if let Some((client, waits)) = self.client {
            assert_eq!(
                error == Some(Error::NoSuchClient),
                !waits,
                "a token is answered if its client waits, and only then"
            );
            let refused = matches!(
                error,
                Some(
                    Error::NotPermitted
                        | Error::NoHandles
                        | Error::BadHandle
                        | Error::ServerDied
                        | Error::Deadlock
                )
            );
            if waits && refused {
                let kept = machine.state(client) == State::ReplyBlocked;
                assert!(kept, "a reply that is refused leaves its client waiting");
            } else if waits && !machine.must_repeat(self.thread) {
                let [tag, generation] = [register::INFO, register::GENERATION];
                let token = Token {
                    tag: self.call.registers[tag] & info::TAG_MASK,
                    generation: self.call.registers[generation],
                };
                let waits = waits_for(machine, client, self.thread, token);
                assert!(!waits, "it was answered, or handed on");
            }
        }
        if let Some((client, _)) = self.client.filter(|_| self.ends_loan) {
            let index = machine.thread(client).index;
            let gone = loans(machine).iter().all(|(_, lender)| *lender != index);
            let refused = error != Some(Error::NoSuchClient);
            assert!(gone || refused, "the answer ends the loan");
        }
        if let Some(may) = self.sends {
            let refused = matches!(error, Some(Error::BadHandle | Error::ServerDied));
            assert_eq!(
                refused, !may,
                "a right is what the manifest and CONNECT gave"
            );
        }
        let [call, handle] = [register::CALL, register::WORD0].map(|i| self.call.registers[i]);
        let process = usize::from(machine.thread(self.thread).process.index);
        if call == number::CLOSE && error.is_none() {
            let handles = &machine.kernel.tables().handles[process];
            assert!(
                !handles[handle as usize % HANDLES].is_open(),
                "it is closed"
            );
        }
        if call == number::EXIT {
            has_nothing_left(machine, process);
        }
        if let number::PROCESS_RESTART | number::PROCESS_STOP = call {
            let controls = machine.kernel.tables().processes[process].restart.controls;
            let other = controls.get(handle as usize).expect("it has the right");
            assert_eq!(error, None, "who has the right is not refused");
            has_nothing_left(machine, usize::from(*other));
        }
        let answered = self
            .client
            .is_some_and(|(client, waits)| waits && machine.state(client) != State::ReplyBlocked);
        let unchanged = !answered && !self.ends_loan && !self.sends_away;
        if let Some(error) = error.filter(|_| machine.current() == self.thread && unchanged) {
            assert!(
                machine.shape() == before,
                "a call that returned {error:?} changed something: {:x?}",
                self.call.registers
            );
        }
    }
}
