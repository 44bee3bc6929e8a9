//! Timers: at a time, or again and again, they trigger a proxy or set notification bits.

use core::cell::Cell;

use riposte_abi::{
    Error, LEAST_PERIOD, MAX_TRIGGERS,
    call::{HANDLE_MASK, number},
    register,
};

use crate::{
    Deadline, Due, Kernel, Port, Process, Proxy, Thread,
    dispatch::Next,
    limits::TIMERS,
    object::handle::{Object, Purpose},
};

/// What is only in a system with timers: then one, else none.
pub(crate) type IfTimers<T> = [T; TIMERS as usize];

/// Rates of timers are counted in times due in 2^36 ns, some 69 s, so that neither adding nor comparing
/// them takes a division.
const RATE_SPAN: u32 = 36;
/// Periods count in units of 2^4 ns, so that one division of 32 bits tells the rate.
const PERIOD_UNIT: u32 = RATE_SPAN - 32;

/// What [`crate::Objects::timer_rate`] is for so many times a second.
#[must_use]
pub const fn timer_rate(per_second: u32) -> u32 {
    let rate = ((per_second as u64) << RATE_SPAN) / 1_000_000_000;
    if rate > u32::MAX as u64 {
        u32::MAX
    } else {
        rate as u32
    }
}

/// How often a timer of this period is due, in the unit of [`timer_rate`]; 0 if it is due once. Rounded
/// down, so that timers whose rates add up to what is allowed all run.
pub(crate) fn rate_of(period: u64) -> u32 {
    if period == 0 {
        return 0;
    }
    let units = period.saturating_add((1 << PERIOD_UNIT) - 1) >> PERIOD_UNIT;
    u32::MAX / u32::try_from(units).unwrap_or(u32::MAX).max(1)
}

value! {
/// What a timer does when it is due.
#[derive(Clone, Copy)]
pub(crate) enum Aim {
    Nothing,
    /// Triggers the proxy, as long as this life of it goes on.
    Proxy(&'static Proxy, u32),
    /// Sets these bits of the channel of this index.
    Bits(u8, u32),
}
}

state! {
/// A place for a timer.
pub struct Timer {
    /// Its slot in the handle table of its process.
    pub slot: u8,
    /// What its owner calls it; 0 if there is none here now.
    pub(crate) handle: Cell<u32> as shape(exists),
    pub(crate) aim: Cell<Aim> as shape(present_aim),
    /// Nanoseconds from one time to the next; 0 if it is due once.
    pub(crate) period: Cell<u64>,
    /// When it is due, while it runs.
    pub deadline: Deadline,
}
}

impl Timer {
    /// A place for timer `number` of the process of index `process`.
    #[must_use]
    pub const fn new(process: u8, number: u8, slot: u8) -> Self {
        Self {
            slot,
            handle: Cell::new(0),
            aim: Cell::new(Aim::Nothing),
            period: Cell::new(0),
            deadline: Deadline::new(Due::Timer { process, number }),
        }
    }

    /// Whether there is one here.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.handle.get() != 0
    }

    /// Whether `process`, whose it is, may have it due again and again with this period: what runs of its
    /// own accord is paid for in advance, as a part of what the manifest allows. A timer that is due once
    /// is free: each time costs a call of the process's own.
    fn may_have(&self, process: &Process, period: u64) -> bool {
        let others = others(process, self.period.get());
        let rate = rate_of(period);
        let all = others.checked_add(rate);
        rate == 0 || all.is_some_and(|all| all <= process.objects.timer_rate)
    }

    /// Changes the period, and what the timers of `process` have together.
    fn set_period(&self, process: &Process, period: u64) {
        let others = others(process, self.period.replace(period));
        if let [used] = process.timer_rate.as_slice() {
            used.set(others.wrapping_add(rate_of(period)));
        }
    }

    /// How often it has been due by `now`, and when it is next, if ever. Times that have been missed
    /// count.
    fn times_due(&self, at: u64, now: u64) -> (u16, Option<u64>) {
        let period = self.period.get();
        if period == 0 {
            return (1, None);
        }
        let late = now.saturating_sub(at);
        let times = quotient(late, period) + 1;
        let next = period
            .checked_mul(times)
            .and_then(|ahead| at.checked_add(ahead));
        (times.min(MAX_TRIGGERS.into()) as u16, next)
    }
}

/// The timer that `word` names, if it counts for nothing in how often those of its process are due together.
#[inline(always)]
fn single_timer(thread: &'static Thread, word: u32) -> Option<&'static Timer> {
    let handle = thread.slot(word);
    let Object::Timer(timer) = handle.object() else {
        return None;
    };
    let named = timer.exists() && timer.handle.get() == word;
    (named && timer.period.get() == 0 && !thread.repeats()).then_some(timer)
}

/// How often the timers of `process` are due together, but for one of this period.
fn others(process: &Process, period: u64) -> u32 {
    let all = process.timer_rate.first().map_or(0, Cell::get);
    all.wrapping_sub(rate_of(period))
}

/// `dividend / divisor`, which is not 0, in as many steps as the result has digits: mostly none. (The
/// compiler's own division of 64 bits takes most of a kilobyte.)
fn quotient(dividend: u64, divisor: u64) -> u64 {
    let (mut rest, mut result) = (dividend, 0);
    let digits = (divisor.leading_zeros() + 1).saturating_sub(dividend.leading_zeros());
    let mut part = divisor << digits.saturating_sub(1);
    for _ in 0..digits {
        result <<= 1;
        if part <= rest {
            rest -= part;
            result |= 1;
        }
        part >>= 1;
    }
    result
}

#[cfg(any(debug_assertions, feature = "snapshot"))]
impl Timer {
    /// How often it is due, in the unit of [`crate::timer_rate`].
    #[must_use]
    pub fn rate(&self) -> u32 {
        crate::time::timer::rate_of(self.period.get())
    }
}

#[cfg(any(debug_assertions, feature = "snapshot"))]
impl Process {
    /// How often its timers are due together, as the kernel has counted.
    #[must_use]
    pub fn timer_rate(&self) -> u32 {
        self.timer_rate.first().map_or(0, Cell::get)
    }
}

impl Kernel {
    /// `TIMER_SET`: of a timer that is not due again and again, to a time to come, once.
    #[inline(always)]
    pub(crate) fn call_timer_set(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> &'static Thread {
        let [word, low, high, ..] = thread.words();
        let at = u64::from(port.extra(thread, 0)) | u64::from(port.extra(thread, 1)) << 32;
        if low | high == 0
            && let Some(timer) = single_timer(thread, word)
            && at > port.now()
        {
            self.deadlines.remove(&timer.deadline);
            self.deadlines.insert(&timer.deadline, at);
            return self.complete_empty(port, thread);
        }
        self.call_rare(port, thread)
    }

    /// `TIMER_CANCEL`: of a timer that is not due again and again.
    #[inline(always)]
    pub(crate) fn call_timer_cancel(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> &'static Thread {
        let Some(timer) = single_timer(thread, thread.register(register::WORD0)) else {
            return self.call_rare(port, thread);
        };
        thread.returns_here(port, timer.deadline.is_set().into());
        thread.forget_progress();
        self.deadlines.remove(&timer.deadline);
        self.run(port, Next::Continue)
    }

    /// Performs a call about the timer `word`, or that makes one. Returns a word; `None` if the call is to come again.
    pub(crate) fn perform_on_timer(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        call: u32,
        word: u32,
    ) -> Result<Option<u32>, Error> {
        let word = match call {
            number::TIMER_CREATE => return self.create_timer(port, thread),
            number::TIMER_SET => self.set_timer(port, thread).map(|()| 0),
            number::TIMER_CANCEL => self.cancel_timer(thread, word).map(u32::from),
            _ => self.destroy_timer(thread, word).map(|()| 0),
        };
        word.map(Some)
    }

    /// Makes a timer that triggers the proxy whose handle is `WORD0`, or sets the bits `WORD1` of the
    /// caller's channel of that handle. `None` if an interrupt waits before there is a place for it.
    fn create_timer(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> Result<Option<u32>, Error> {
        let [target, bits, ..] = thread.words();
        let aim = if self.slot(thread.process, target)?.purpose == Purpose::Channel {
            if bits == 0 {
                return Err(Error::BadArgument);
            }
            Aim::Bits(self.channel(thread, target)?.index, bits)
        } else {
            let proxy = self.proxy(thread, target)?;
            Aim::Proxy(proxy, proxy.life.get())
        };
        let process = thread.process;
        let handles = self.handles_of(process);
        let claim = |timer: &'static Timer, _| {
            let slot = handles.get(usize::from(timer.slot))?;
            let is_free = !timer.exists();
            is_free.then(|| (timer, slot.claim(timer.slot.into(), 1)))
        };
        let made = process
            .free_timers
            .take(port, process.objects.timers, claim);
        let Ok(made) = made else { return Ok(None) };
        let (timer, handle) = made.ok_or(Error::Exhausted)?;
        timer.handle.set(handle);
        timer.aim.set(aim);
        Ok(Some(handle))
    }

    /// Starts the timer `WORD0`, whether it runs or not: it is due at `x0`, `x1`, and then every
    /// `WORD1`, `WORD2` nanoseconds.
    fn set_timer(&self, port: &impl Port, thread: &'static Thread) -> Result<(), Error> {
        let [word, low, high, ..] = thread.words();
        let timer = self.timer(thread, word)?;
        let period = u64::from(low) | u64::from(high) << 32;
        if (1..LEAST_PERIOD).contains(&period) {
            return Err(Error::BadArgument);
        }
        if !timer.may_have(thread.process, period) {
            return Err(Error::Exhausted);
        }
        let at = u64::from(port.extra(thread, 0)) | u64::from(port.extra(thread, 1)) << 32;
        self.deadlines.remove(&timer.deadline);
        timer.set_period(thread.process, period);
        let now = port.now();
        if at <= now {
            // What has passed before this call counts once.
            let at = match period {
                0 => at,
                period => at + period * quotient(now - at, period),
            };
            self.fire(port, timer, (at, now), thread.process);
        } else {
            self.deadlines.insert(&timer.deadline, at);
        }
        Ok(())
    }

    /// Stops a timer. Whether it ran.
    fn cancel_timer(&self, thread: &'static Thread, word: u32) -> Result<bool, Error> {
        let timer = self.timer(thread, word)?;
        let ran = timer.deadline.is_set();
        self.stop_timer(timer, thread.process);
        Ok(ran)
    }

    /// Ends a timer.
    fn destroy_timer(&self, thread: &'static Thread, word: u32) -> Result<(), Error> {
        let timer = self.timer(thread, word)?;
        self.slot(thread.process, word)?.close(self.tables.nowhere);
        self.end_timer(timer, thread.process);
        if let Due::Timer { number, .. } = timer.deadline.due {
            thread.process.free_timers.note(number);
        }
        Ok(())
    }

    pub(crate) fn end_timer(&self, timer: &'static Timer, process: &Process) {
        self.stop_timer(timer, process);
        timer.handle.set(0);
        timer.aim.set(Aim::Nothing);
    }

    /// The timer does not run, and counts for nothing in what its process may have.
    fn stop_timer(&self, timer: &'static Timer, process: &Process) {
        self.deadlines.remove(&timer.deadline);
        timer.set_period(process, 0);
    }

    /// The timer of the caller's process that the low part of `word` names.
    fn timer(&self, thread: &'static Thread, word: u32) -> Result<&'static Timer, Error> {
        let handle = self.slot(thread.process, word)?;
        let Object::Timer(timer) = handle.object() else {
            return Err(handle.misused());
        };
        let named = handle.is_named_by(word & HANDLE_MASK) && timer.exists();
        named.then_some(timer).ok_or(Error::BadHandle)
    }

    /// The deadline of timer number `number` of the process of this index has come.
    pub(crate) fn expire_timer(&self, port: &impl Port, process: u8, number: u8, now: u64) {
        if let Some(timer) = self.timer_at(process, number)
            && let Some(process) = self.tables.processes.get(usize::from(process))
            && process.is_alive()
        {
            let at = timer.deadline.at.get();
            self.fire(port, timer, (at, now), process);
        }
    }

    /// Timer number `number` of the process of this index.
    #[inline(always)]
    pub(crate) fn timer_at(&self, process: u8, number: u8) -> Option<&'static Timer> {
        let process = self.tables.processes.get(usize::from(process))?;
        process.objects.timers.get(usize::from(number))
    }

    /// A timer of `process`, whose deadline is not set, is due since `at`.
    fn fire(
        &self,
        port: &impl Port,
        timer: &'static Timer,
        (at, now): (u64, u64),
        process: &Process,
    ) {
        let (times, next) = timer.times_due(at, now);
        match timer.aim.get() {
            Aim::Proxy(proxy, life) if proxy.is(life) => self.count(port, proxy, times),
            Aim::Bits(channel, bits) => {
                if let Some(channel) = self.tables.channels.get(usize::from(channel)) {
                    self.look_for_holder(channel);
                    self.add_bits(port, channel, bits);
                }
            }
            // What it was to trigger is gone, for ever.
            Aim::Proxy(..) | Aim::Nothing => return timer.set_period(process, 0),
        }
        match next {
            Some(next) => self.deadlines.insert(&timer.deadline, next),
            None => timer.set_period(process, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RATE_SPAN, quotient, rate_of, timer_rate};

    #[test]
    fn periods_that_make_up_a_rate_fit_it_and_a_shorter_one_does_not() {
        for count in 1..=255_u32 {
            for per_second in [1, 100, 1000, 10_000] {
                let period = u64::from(count) * 1_000_000_000 / u64::from(per_second);
                if period > 1 << RATE_SPAN {
                    continue;
                }
                let all = count * rate_of(period);
                assert!(all <= timer_rate(per_second), "{count} at {period} ns");
                // By a thousandth.
                let faster = count * rate_of(period - period / 1000);
                let is_measurable = rate_of(period) > 2000;
                assert!(
                    !is_measurable || faster > timer_rate(per_second),
                    "{count} at {per_second}"
                );
            }
        }
    }

    #[test]
    fn every_period_has_a_rate_and_no_period_has_none() {
        assert_eq!(rate_of(0), 0);
        for period in [1, 15, 16, 17, 1 << 36, u64::MAX] {
            assert!(rate_of(period) > 0, "{period}");
        }
        assert_eq!(timer_rate(u32::MAX), u32::MAX);
    }

    #[test]
    fn a_quotient_is_that_of_the_compiler() {
        let numbers = [
            1,
            2,
            3,
            7,
            99_999,
            100_000,
            1 << 32,
            3 << 40,
            u64::MAX / 3,
            u64::MAX,
        ];
        for dividend in numbers.into_iter().chain([0]) {
            for divisor in numbers {
                assert_eq!(
                    quotient(dividend, divisor),
                    dividend / divisor,
                    "{dividend} {divisor}"
                );
            }
        }
    }
}
