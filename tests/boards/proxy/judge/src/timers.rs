//! Timers of this process. When they are due is never tested, only that they are not due before, and in
//! which order.

use check::{equal, holds};
use riposte::{Duration, Error, Event, Notice, Proxy, Timer};

use super::{is_quiet, mine, moment, next_proxy};

pub fn once() {
    let proxies = [(); 2].map(|()| Proxy::new(&mine(), b"").unwrap());
    let timers = proxies
        .each_ref()
        .map(|proxy| Timer::triggering(proxy).unwrap());
    equal(
        "22 a process has as many timers as the manifest says",
        Timer::triggering(&proxies[0]).map(drop),
        Err(Error::Exhausted),
    );
    let [near, far] = [moment(1000), moment(2000)];
    timers[0].at(far).unwrap();
    timers[1].at(near).unwrap();
    let first = (next_proxy(), riposte::Instant::now() >= near);
    equal(
        "22 a timer is due in its order, and not before",
        first,
        (Some(proxies[1].id()), true),
    );
    let second = (next_proxy(), riposte::Instant::now() >= far);
    equal(
        "22 the next timer is due in its order",
        second,
        (Some(proxies[0].id()), true),
    );
    equal(
        "22 a timer that was due once does not run",
        timers[0].cancel(),
        Ok(false),
    );
    timers[0].at(moment(5000)).unwrap();
    equal(
        "22 a timer that runs is cancelled",
        timers[0].cancel(),
        Ok(true),
    );
    riposte::sleep(Duration::from_millis(6)).unwrap();
    holds("22 a cancelled timer is not due", is_quiet());
    timers[0].at(moment(50_000)).unwrap();
    timers[0].at(riposte::Instant::from_nanos(1)).unwrap();
    equal(
        "22 a timer that is set again to a time that has passed is due at once",
        next_proxy(),
        Some(proxies[0].id()),
    );
    timers[0].after(Duration::from_millis(3)).unwrap();
    let old = timers
        .each_ref()
        .map(|timer| Timer::from_handle(timer.handle()));
    for timer in timers {
        timer.destroy().unwrap();
    }
    riposte::sleep(Duration::from_millis(4)).unwrap();
    holds("22 a destroyed timer is not due", is_quiet());
    let refused = old.iter().all(|old| old.cancel() == Err(Error::BadHandle));
    holds("22 a destroyed timer is none", refused);
    for proxy in proxies {
        proxy.destroy().unwrap();
    }
}

pub fn periodic() {
    const PERIOD: Duration = Duration::from_micros(400);
    let proxy = Proxy::new(&mine(), b"").unwrap();
    let timer = Timer::triggering(&proxy).unwrap();
    let mut due = moment(400);
    timer.every_from(due, PERIOD).unwrap();
    let mut kept = true;
    for _ in 0..5 {
        kept &= next_proxy() == Some(proxy.id()) && riposte::Instant::now() >= due;
        due += PERIOD;
    }
    holds(
        "22 a periodic timer is due again and again, and never before",
        kept,
    );
    timer.cancel().unwrap();
    // Of the past, all periods count once.
    let first = riposte::Instant::from_nanos(0);
    timer.every_from(first, PERIOD * 100).unwrap();
    timer.cancel().unwrap();
    let once = next_without_waiting(&proxy) && !next_without_waiting(&proxy);
    holds("22 what has passed before the call counts once", once);
    let too_short = Duration::from_nanos(riposte::abi::LEAST_PERIOD - 1);
    equal(
        "22 a period is not too short",
        timer.every(too_short),
        Err(Error::BadArgument),
    );
    timer.destroy().unwrap();
    proxy.destroy().unwrap();
}

fn next_without_waiting(proxy: &Proxy) -> bool {
    matches!(
        mine().try_receive(&mut []),
        Ok(Event::Notice(Notice::Proxy { proxy: id, .. })) if id == proxy.id()
    )
}

pub fn bits() {
    let timer = Timer::notifying(&mine(), 0b101).unwrap();
    let due = moment(300);
    timer.at(due).unwrap();
    let bits = match mine().receive(&mut []) {
        Ok(Event::Notice(Notice::Bits { bits })) => bits,
        _ => 0,
    };
    equal(
        "22 a timer sets notification bits, and not before",
        (bits, riposte::Instant::now() >= due),
        (0b101, true),
    );
    timer.destroy().unwrap();
    equal(
        "22 a timer sets some bits",
        Timer::notifying(&mine(), 0).map(drop),
        Err(Error::BadArgument),
    );
}
