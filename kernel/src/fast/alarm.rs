//! The clock's alarm: a thread that waits for its timer runs at once.

use core::hint::cold_path;

use crate::{
    Due, Kernel, Port, Thread,
    fast::interrupt::{tell, waiting},
    limits::TIMERS,
    time::timer::Aim,
};

/// The clock interrupts, as [`Kernel::alarm`] says, which knows every case. Returns the thread to run,
/// its registers saved: the one that waits at the channel of the earliest timer, if that is due, sets
/// bits, and the thread is more urgent than the running one. What else is due comes the long way.
#[inline(always)]
pub fn alarm(kernel: &Kernel, port: &impl Port) -> Option<&'static Thread> {
    if !TIMERS {
        return None;
    }
    let deadline = kernel.deadlines.first()?;
    let Due::Timer { process, number } = deadline.due else {
        return None;
    };
    let timer = kernel.timer_at(process, number)?;
    let Aim::Bits(channel, bits) = timer.aim.get() else {
        return None;
    };
    let channel = kernel.tables.channels.get(usize::from(channel))?;
    let handler = waiting(kernel, channel)?;
    let at = deadline.at.get();
    let now = port.now();
    if now < at {
        return None;
    }
    match timer.period.get() {
        0 => kernel.deadlines.remove(deadline),
        period => {
            // A time that was missed, too, is counted elsewhere.
            let next = at.checked_add(period).filter(|next| now < *next)?;
            kernel.deadlines.put_off_first(deadline, next);
        }
    }
    tell(kernel, channel, handler, bits);
    let next = kernel.deadlines.earliest();
    if next <= now {
        cold_path();
        return Some(kernel.alarm(port));
    }
    kernel.alarm.set(next);
    port.set_alarm(next);
    Some(handler)
}
