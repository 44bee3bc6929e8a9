//! Timers: at a time, or again and again, they trigger a proxy or set notification bits.

use riposte_abi::Error;
use riposte_abi::call::number;

use crate::{Channel, Duration, Instant, Proxy, failure};

/// A timer of this process. It ends with the process, or by [`Timer::destroy`]; not when it is dropped.
#[derive(Debug, PartialEq, Eq)]
pub struct Timer {
    handle: u32,
}

impl Timer {
    /// A timer that triggers `proxy`, whosever that is. It does not run yet. Never blocks.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if the process has as many as the manifest's `timers` says;
    /// [`Error::ServerDied`] if the proxy is gone; [`Error::BadHandle`] if it is none.
    pub fn triggering(proxy: &Proxy) -> Result<Timer, Error> {
        Self::make(proxy.handle(), 0)
    }

    /// A timer that sets notification bits of `channel`, as [`Channel::notify`] does. It does not run
    /// yet. Never blocks.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if the process has as many as the manifest's `timers` says;
    /// [`Error::BadArgument`] if `bits` is 0; [`Error::BadHandle`] if the channel is not one.
    pub fn notifying(channel: &Channel, bits: u32) -> Result<Timer, Error> {
        Self::make(channel.handle(), bits)
    }

    fn make(target: u32, bits: u32) -> Result<Timer, Error> {
        let handle = failure::ask(number::TIMER_CREATE, target, bits)?;
        Ok(Timer { handle })
    }

    /// A timer from its raw handle, as another language keeps it.
    #[must_use]
    pub const fn from_handle(handle: u32) -> Timer {
        Timer { handle }
    }

    /// The handle, for calls that this library doesn't wrap.
    #[must_use]
    pub const fn handle(&self) -> u32 {
        self.handle
    }

    /// Starts it, whether it runs or not: it is due once, at `moment`, or at once if that has passed.
    /// Never blocks.
    ///
    /// # Errors
    /// [`Error::BadHandle`] if it is none.
    pub fn at(&self, moment: Instant) -> Result<(), Error> {
        self.set(moment, 0)
    }

    /// Starts it, whether it runs or not: it is due once, in `time` from now. Never blocks.
    ///
    /// # Errors
    /// As [`Timer::at`].
    pub fn after(&self, time: Duration) -> Result<(), Error> {
        self.at(Instant::now() + time)
    }

    /// Starts it, whether it runs or not: it is due at `first`, and then again after each `period`,
    /// without drift. Times that pass while interrupts are off are not lost: a proxy counts them. Never
    /// blocks.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if the period is shorter than 100 µs ([`crate::abi::LEAST_PERIOD`]) or
    /// longer than 64 bits of nanoseconds; [`Error::Exhausted`] if it would be due more often, together
    /// with the process's other periodic timers that run, than the manifest allows (`timer_rate`): it goes
    /// on as before; [`Error::BadHandle`] if it is none.
    pub fn every_from(&self, first: Instant, period: Duration) -> Result<(), Error> {
        match u64::try_from(period.as_nanos()) {
            Ok(period) if period > 0 => self.set(first, period),
            _ => Err(Error::BadArgument),
        }
    }

    /// As [`Timer::every_from`], for the first time one `period` from now.
    ///
    /// # Errors
    /// As [`Timer::every_from`].
    pub fn every(&self, period: Duration) -> Result<(), Error> {
        self.every_from(Instant::now() + period, period)
    }

    fn set(&self, first: Instant, period: u64) -> Result<(), Error> {
        let first = first.as_nanos();
        let [first, period] = [first, period].map(|it| [it as u32, (it >> 32) as u32]);
        let words = [self.handle, period[0], period[1]];
        failure::perform_at(number::TIMER_SET, 0, words, first).map(drop)
    }

    /// Stops it; returns whether it ran. What it has triggered and nobody has received yet stays. Never
    /// blocks.
    ///
    /// # Errors
    /// [`Error::BadHandle`] if it is none.
    pub fn cancel(&self) -> Result<bool, Error> {
        failure::ask(number::TIMER_CANCEL, self.handle, 0).map(|ran| ran != 0)
    }

    /// Ends it.
    ///
    /// # Errors
    /// [`Error::BadHandle`] if it is none.
    pub fn destroy(self) -> Result<(), Error> {
        failure::ask(number::TIMER_DESTROY, self.handle, 0).map(drop)
    }
}
