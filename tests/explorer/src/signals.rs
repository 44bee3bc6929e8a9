//! What the state before a call promises of proxies and notification bits: no trigger and no bit is
//! lost or comes twice, whoever sets them never blocks, and only with the right to.

use riposte_abi::{
    Error,
    call::{OPERATION_SHIFT, number, operation},
    info, notice, register,
};
use riposte_kernel::{Channel, Proxy, Purpose, State};
use riposte_model::{Answer, Call, Machine, ThreadId};

/// What is known before a call.
pub struct Signals {
    thread: ThreadId,
    number: u32,
    /// It may let an interrupt through, which sets bits in the same step.
    unmasks: bool,
    /// What a `TRIGGER` triggers, if it may.
    proxy: Option<&'static Proxy>,
    /// The channel whose bits a `NOTIFY` sets, if it may, and the bits.
    channel: Option<(&'static Channel, u32)>,
    counts: Vec<u16>,
    bits: Vec<u32>,
    waited: Vec<bool>,
}

fn proxies(machine: &Machine) -> impl Iterator<Item = &'static Proxy> {
    let processes = machine.kernel.tables().processes.iter();
    processes.flat_map(|process| process.objects.proxies)
}

fn counts(machine: &Machine) -> Vec<u16> {
    proxies(machine).map(Proxy::count).collect()
}

fn bits(machine: &Machine) -> Vec<u32> {
    let channels = machine.kernel.tables().channels.iter();
    channels.map(Channel::bits).collect()
}

fn waiting(machine: &Machine) -> Vec<bool> {
    let threads = machine.kernel.tables().threads.iter();
    threads
        .map(|thread| thread.state() == State::ReceiveBlocked)
        .collect()
}

/// Whether `call` may let an interrupt through.
fn unmasks(call: &Call) -> bool {
    let [number, flags] = [register::CALL, register::INFO].map(|index| call.registers[index]);
    match number >> OPERATION_SHIFT {
        operation::OTHER => [number::INTERRUPT_ACK, number::INTERRUPT_PEND].contains(&number),
        operation::RECEIVE => flags & info::ACKNOWLEDGE != 0,
        _ => false,
    }
}

/// Looks at the state before `thread` performs `call`.
#[must_use]
pub fn before(machine: &Machine, thread: ThreadId, call: &Call) -> Signals {
    let [number, word, bits_to_set] =
        [register::CALL, register::WORD0, register::WORD1].map(|index| call.registers[index]);
    let process = usize::from(machine.thread(thread).process.index);
    let handles = (0..).zip(&machine.kernel.tables().handles[process]);
    let named = handles
        .filter(|(slot, handle)| match handle.purpose {
            Purpose::Channel => handle.target().handle == word,
            _ => handle.value(*slot) == word,
        })
        .map(|(_, handle)| handle)
        .next();
    let proxy = named.filter(|_| number == number::TRIGGER);
    let notifies = named.filter(|_| number == number::NOTIFY);
    let notifies = notifies.filter(|handle| match handle.purpose {
        Purpose::Channel => true,
        _ => handle.is_open() && handle.may_notify(),
    });
    Signals {
        thread,
        number,
        unmasks: unmasks(call),
        proxy: proxy.and_then(|handle| handle.triggers()),
        channel: notifies.map(|handle| (handle.target(), bits_to_set)),
        counts: counts(machine),
        bits: bits(machine),
        waited: waiting(machine),
    }
}

impl Signals {
    /// Compares with the state after it.
    ///
    /// # Panics
    /// They do not agree.
    pub fn after(&self, machine: &Machine) {
        let answer = machine.answer(self.thread);
        let error = answer.and_then(|answer| answer.error());
        match self.number {
            number::TRIGGER => self.triggered(machine, error),
            number::NOTIFY => self.notified(machine, error),
            number::PROXY_DESTROY if error.is_none() => {}
            // What timers do at once is looked at with all that they do.
            number::EXIT | number::TIMER_SET | number::PROCESS_RESTART | number::PROCESS_STOP => {}
            _ if self.unmasks => {}
            _ => self.received(machine, answer),
        }
    }

    fn never_blocks(&self, machine: &Machine) {
        let state = machine.state(self.thread);
        assert_eq!(state, State::Ready, "who wakes somebody does not wait");
    }

    /// Whom the call has told of something of this kind: one, or none.
    fn told(&self, machine: &Machine, kind: u32) -> bool {
        let now = waiting(machine);
        let woken = (0..now.len()).filter(|index| self.waited[*index] && !now[*index]);
        let woken: Vec<_> = woken.map(ThreadId).collect();
        assert!(woken.len() <= 1, "several woke of one");
        let told = |thread: &ThreadId| {
            let answer = machine.answer(*thread).expect("it waits no more");
            assert_eq!(answer.notice(), Some(kind), "it was told something else");
        };
        woken.iter().for_each(told);
        !woken.is_empty()
    }

    fn triggered(&self, machine: &Machine, error: Option<Error>) {
        self.never_blocks(machine);
        assert_eq!(
            error.is_none(),
            self.proxy.is_some(),
            "a proxy that is there is triggered by those who may, and no other"
        );
        let told = self.told(machine, notice::PROXY);
        for ((proxy, before), after) in proxies(machine).zip(&self.counts).zip(counts(machine)) {
            let is_it = self.proxy.is_some_and(|it| core::ptr::eq(it, proxy));
            let counted = u16::from(is_it && !told);
            assert_eq!(after, before + counted, "it is counted, or received");
        }
    }

    fn notified(&self, machine: &Machine, error: Option<Error>) {
        self.never_blocks(machine);
        assert_eq!(
            error.is_none(),
            self.channel.is_some(),
            "bits are set by those who may, and no other"
        );
        let told = self.told(machine, notice::BITS);
        let mut expected = self.bits.clone();
        if let Some((channel, bits)) = self.channel {
            let all = &mut expected[usize::from(channel.index)];
            *all = if told { 0 } else { *all | bits };
        }
        assert_eq!(bits(machine), expected, "they are there, or received");
    }

    /// A call that is none of those takes at most one trigger, or all bits of one channel: what it says
    /// it has received.
    fn received(&self, machine: &Machine, answer: Option<Answer>) {
        let kind = answer.and_then(|answer| answer.notice());
        let kind = kind.filter(|_| self.number >> OPERATION_SHIFT != 0);
        let fewer = |(before, after): (&u16, u16)| before.checked_sub(after).expect("no more");
        let triggers: u16 = self.counts.iter().zip(counts(machine)).map(fewer).sum();
        assert_eq!(
            triggers,
            u16::from(kind == Some(notice::PROXY)),
            "each trigger is received once"
        );
        let bits = bits(machine);
        let taken = self.bits.iter().zip(&bits);
        let taken: Vec<_> = taken.filter(|(before, after)| before != after).collect();
        assert_eq!(taken.len(), usize::from(kind == Some(notice::BITS)));
        assert!(taken.iter().all(|(_, after)| **after == 0), "all at once");
    }
}
