//! Timers: at a time, or again and again, they trigger a proxy or set notification bits.

use core::cell::Cell;

use riposte_abi::{
    Error, LEAST_PERIOD, MAX_TRIGGERS,
    call::{HANDLE_MASK, number},
};

use crate::{
    Deadline, Due, Kernel, Port, Process, Proxy, Thread,
    limits::TIMERS,
    object::handle::{Object, Purpose},
};

value! {
/// What a timer does when it is due.
#[derive(Clone, Copy)]
pub(crate) enum Aim {
    Nothing,
    /// Triggers the proxy, as long as that is the one that its owner called so.
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
    pub(crate) period: Cell<u64> where exists,
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

impl Kernel {
    /// Performs a call about the timer `word`, or that makes one. Returns a word.
    pub(crate) fn perform_on_timer(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        call: u32,
        word: u32,
    ) -> Result<u32, Error> {
        match call {
            number::TIMER_CREATE => self.create_timer(thread),
            number::TIMER_SET => self.set_timer(port, thread).map(|()| 0),
            number::TIMER_CANCEL => self.cancel_timer(thread, word).map(u32::from),
            _ => self.destroy_timer(thread, word).map(|()| 0),
        }
    }

    /// Makes a timer that triggers the proxy whose handle is `WORD0`, or sets the bits `WORD1` of the
    /// caller's channel of that handle.
    fn create_timer(&self, thread: &'static Thread) -> Result<u32, Error> {
        let [target, bits, ..] = thread.words();
        let aim = if self.slot(thread.process, target)?.purpose == Purpose::Channel {
            if bits == 0 {
                return Err(Error::BadArgument);
            }
            Aim::Bits(self.channel(thread, target)?.index, bits)
        } else {
            let proxy = self.proxy(thread, target)?;
            Aim::Proxy(proxy, proxy.handle.get())
        };
        let timers = thread.process.objects.timers.iter();
        let handles = self.handles_of(thread.process);
        let claim = |timer: &Timer| {
            handles
                .get(usize::from(timer.slot))?
                .claim(timer.slot.into())
        };
        let made = timers
            .filter(|timer| !timer.exists())
            .find_map(|timer| Some((timer, claim(timer)?)));
        let (timer, handle) = made.ok_or(Error::Exhausted)?;
        timer.handle.set(handle);
        timer.aim.set(aim);
        Ok(handle)
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
        let at = u64::from(port.extra(thread, 0)) | u64::from(port.extra(thread, 1)) << 32;
        self.deadlines.remove(&timer.deadline);
        timer.period.set(period);
        let now = port.now();
        if at <= now {
            self.fire(port, timer, at, now);
        } else {
            self.deadlines.insert(&timer.deadline, at);
        }
        Ok(())
    }

    /// Stops a timer. Whether it ran.
    fn cancel_timer(&self, thread: &'static Thread, word: u32) -> Result<bool, Error> {
        let timer = self.timer(thread, word)?;
        let ran = timer.deadline.is_set();
        self.deadlines.remove(&timer.deadline);
        Ok(ran)
    }

    /// Ends a timer.
    fn destroy_timer(&self, thread: &'static Thread, word: u32) -> Result<(), Error> {
        let timer = self.timer(thread, word)?;
        self.slot(thread.process, word)?.close(self.tables.nowhere);
        self.end_timer(timer);
        Ok(())
    }

    /// The timers of a process that has died are gone.
    pub(crate) fn end_timers(&self, process: &'static Process) {
        if TIMERS {
            for timer in process.objects.timers {
                self.end_timer(timer);
            }
        }
    }

    fn end_timer(&self, timer: &'static Timer) {
        self.deadlines.remove(&timer.deadline);
        timer.handle.set(0);
        timer.aim.set(Aim::Nothing);
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
        if let Some(timer) = self.timer_at(process, number) {
            self.fire(port, timer, timer.deadline.at.get(), now);
        }
    }

    /// Timer number `number` of the process of this index.
    #[inline(always)]
    pub(crate) fn timer_at(&self, process: u8, number: u8) -> Option<&'static Timer> {
        let process = self.tables.processes.get(usize::from(process))?;
        process.objects.timers.get(usize::from(number))
    }

    /// A timer, whose deadline is not set, is due since `at`.
    fn fire(&self, port: &impl Port, timer: &'static Timer, at: u64, now: u64) {
        let (times, next) = timer.times_due(at, now);
        match timer.aim.get() {
            Aim::Proxy(proxy, life) if proxy.is(life) => self.count(port, proxy, times),
            Aim::Bits(channel, bits) => {
                if let Some(channel) = self.tables.channels.get(usize::from(channel)) {
                    self.add_bits(port, channel, bits);
                }
            }
            // What it was to trigger is gone, for ever.
            Aim::Proxy(..) | Aim::Nothing => return,
        }
        if let Some(next) = next {
            self.deadlines.insert(&timer.deadline, next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::quotient;

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
