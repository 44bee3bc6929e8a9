//! What the state before a step promises of timers: each is due as often as its times have come, never
//! before, and never again once it is stopped, ended, or its process is gone.

use riposte_abi::{MAX_TRIGGERS, call::number, notice, register};
use riposte_kernel::{Channel, Proxy, State, Timer};
use riposte_model::{Call, Machine, ThreadId};

use crate::step::Step;

/// A timer that is there.
#[derive(Clone, Copy)]
struct Set {
    at: Option<u64>,
    period: u64,
    proxy: Option<&'static Proxy>,
    bits: Option<(u8, u32)>,
}

impl Set {
    fn of(timer: &Timer) -> Option<Self> {
        timer.exists().then(|| Self {
            at: timer.deadline.at(),
            period: timer.period(),
            proxy: timer.proxy(),
            bits: timer.bits(),
        })
    }

    /// How often it is due by `now`, and when it is next.
    fn due(&self, now: u64) -> (u64, Option<u64>) {
        let Some(at) = self.at.filter(|at| *at <= now) else {
            return (0, self.at);
        };
        if self.period == 0 {
            return (1, None);
        }
        let mut times = 0;
        while at + times * self.period <= now {
            times += 1;
        }
        (times, Some(at + times * self.period))
    }
}

/// What is known before a step.
pub struct Timers {
    timers: Vec<Option<Set>>,
    counts: Vec<u16>,
    bits: Vec<u32>,
    waited: Vec<ThreadId>,
}

fn timers(machine: &Machine) -> impl Iterator<Item = &'static Timer> {
    let processes = machine.kernel.tables().processes.iter();
    processes.flat_map(|process| process.objects.timers)
}

fn proxies(machine: &Machine) -> impl Iterator<Item = &'static Proxy> {
    let processes = machine.kernel.tables().processes.iter();
    processes.flat_map(|process| process.objects.proxies)
}

/// Looks at the state before a step.
#[must_use]
pub fn before(machine: &Machine) -> Timers {
    let timers: Vec<_> = timers(machine).map(Set::of).collect();
    let (mut counts, mut bits, mut waited) = (Vec::new(), Vec::new(), Vec::new());
    if !timers.is_empty() {
        let tables = machine.kernel.tables();
        counts.extend(proxies(machine).map(Proxy::count));
        bits.extend(tables.channels.iter().map(Channel::bits));
        let waits = |thread: &ThreadId| machine.state(*thread) == State::ReceiveBlocked;
        waited.extend((0..tables.threads.len()).map(ThreadId).filter(waits));
    }
    Timers {
        timers,
        counts,
        bits,
        waited,
    }
}

impl Timers {
    /// Compares with the state after it.
    ///
    /// # Panics
    /// They do not agree.
    pub fn after(&self, machine: &Machine, step: &Step) {
        if self.timers.is_empty() {
            return;
        }
        match step {
            Step::Pass(_) | Step::Late(_) | Step::Alarm => {
                self.fired(machine, &self.timers, machine.now());
            }
            Step::Call { thread, call, .. } => self.called(machine, *thread, call),
            _ => self.kept(machine, &self.timers),
        }
    }

    /// Each timer is as it was, or gone with its process.
    fn kept(&self, machine: &Machine, expected: &[Option<Set>]) {
        for (timer, expected) in timers(machine).zip(expected) {
            let Some(now) = Set::of(timer) else { continue };
            let expected = expected.expect("it was there");
            assert_eq!(now.at, expected.at, "when it is due");
            // A timer that does not run has no period.
            let period = expected.at.map_or(0, |_| expected.period);
            assert_eq!(now.period, period);
            assert_eq!(now.bits, expected.bits);
        }
    }

    /// Every timer whose time has come has done what it is for as often as it was due.
    fn fired(&self, machine: &Machine, before: &[Option<Set>], now: u64) {
        let mut counts: Vec<u64> = self.counts.iter().map(|count| (*count).into()).collect();
        let mut bits = self.bits.clone();
        let mut next = before.to_vec();
        for timer in next.iter_mut().flatten() {
            let (times, at) = timer.due(now);
            let goal = timer
                .proxy
                .and_then(|own| proxies(machine).position(|proxy| core::ptr::eq(own, proxy)));
            match (goal, timer.bits) {
                (Some(goal), _) => counts[goal] += times,
                (_, Some((channel, some))) if times != 0 => bits[usize::from(channel)] |= some,
                _ => {}
            }
            let in_vain = times != 0 && goal.is_none() && timer.bits.is_none();
            timer.at = at.filter(|_| !in_vain);
        }
        self.kept(machine, &next);
        let exist = timers(machine).map(Timer::exists);
        assert!(exist.eq(before.iter().map(Option::is_some)), "none is gone");
        self.told(machine, &mut counts, &mut bits);
        let most = u64::from(MAX_TRIGGERS);
        let counted = proxies(machine).map(|proxy| u64::from(proxy.count()));
        assert!(
            counted.eq(counts.into_iter().map(|count| count.min(most))),
            "no time is lost or comes twice"
        );
        let channels = machine.kernel.tables().channels.iter();
        assert!(channels.map(Channel::bits).eq(bits), "bits are there");
    }

    /// Takes away what those have been told who do not wait any more.
    fn told(&self, machine: &Machine, counts: &mut [u64], bits: &mut [u32]) {
        for thread in &self.waited {
            let answer = machine.answer(*thread);
            let Some(kind) = answer.as_ref().and_then(|answer| answer.notice()) else {
                continue;
            };
            let channel = machine.thread(*thread).bound().index;
            if kind == notice::BITS {
                let told = answer.expect("it has one").words()[1];
                assert_eq!(std::mem::take(&mut bits[usize::from(channel)]), told);
            } else {
                let mut own = proxies(machine).zip(counts.iter_mut());
                let due = own.find(|(proxy, count)| proxy.channel() == channel && **count != 0);
                *due.expect("a proxy that was triggered").1 -= 1;
            }
        }
    }

    fn called(&self, machine: &Machine, thread: ThreadId, call: &Call) {
        let [number, word] = [register::CALL, register::WORD0].map(|i| call.registers[i]);
        let answer = machine.answer(thread);
        let failed = answer.as_ref().is_some_and(|it| it.error().is_some());
        let is_about = (number::TIMER_CREATE..=number::TIMER_CANCEL).contains(&number)
            || number == number::TIMER_DESTROY;
        if failed || !is_about {
            return self.kept(machine, &self.timers);
        }
        let own = machine.thread(thread).process.objects.timers;
        let slot = if number == number::TIMER_CREATE {
            answer.expect("its handle").word()
        } else {
            word
        };
        let handles = riposte_kernel::limits::HANDLES as u32;
        let is_it = |timer: &Timer| {
            let mut own = own
                .iter()
                .filter(|own| u32::from(own.slot) == slot % handles);
            own.any(|own| core::ptr::eq(own, timer))
        };
        let place = timers(machine).position(is_it).expect("it is its own");
        let timer = timers(machine).nth(place).expect("it is there");
        let mut expected = self.timers.clone();
        match number {
            number::TIMER_CREATE => {
                assert!(expected[place].is_none(), "there was one already");
                assert!(timer.deadline.at().is_none(), "it has not been set");
                expected[place] = Set::of(timer);
            }
            number::TIMER_SET => {
                let set = expected[place].as_mut().expect("one to set");
                let mut at = u64::from(call.extra[0]) | u64::from(call.extra[1]) << 32;
                set.period = u64::from(call.registers[register::WORD1]);
                // What has passed before the call counts once.
                while set.period != 0 && at + set.period <= machine.now() {
                    at += set.period;
                }
                set.at = Some(at);
                return self.set(machine, &expected, place);
            }
            number::TIMER_CANCEL => {
                let set = expected[place].as_mut().expect("one to stop");
                let ran = u32::from(set.at.take().is_some());
                assert_eq!(answer.expect("whether it ran").word(), ran);
            }
            _ => expected[place] = None,
        }
        assert_eq!(timer.exists(), expected[place].is_some());
        self.kept(machine, &expected);
    }

    /// A timer that is set for a time that has come is due at once; no other one is.
    fn set(&self, machine: &Machine, expected: &[Option<Set>], place: usize) {
        let others = expected.iter().enumerate();
        let early = others.filter(|(index, _)| *index != place);
        let mut early = early.filter_map(|(_, other)| other.as_ref()?.at);
        assert!(early.all(|at| at > machine.now()), "the clock is late");
        self.fired(machine, expected, machine.now());
    }
}
