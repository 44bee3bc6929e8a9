//! Calls that look at nothing but their own object.

use riposte::{Duration, Proxy, Timer};

use crate::crowd::MANY;
use crate::watch::Watch;

pub fn all(watch: Watch) {
    watch.time("null", "always", riposte::null_call);
    watch.time("clock", "always", riposte::Instant::now);
    watch.time("yield", "alone", riposte::yield_now);
    let doomed = watch.time("connect", "always", || riposte::connect("doomed").unwrap());
    watch.time("close", "always", || doomed.close().unwrap());
    watch.time("fault-record", "always", || {
        riposte::fault_record(0).unwrap()
    });
    proxies(watch);
    timers(watch);
}

fn proxies(watch: Watch) {
    let channel = riposte::channel("notices").unwrap();
    let message = [1; 100];
    let make = || Proxy::new(&channel, &message).unwrap();
    let first = make();
    let others: [Proxy; MANY - 1] = core::array::from_fn(|_| make());
    let last = watch.time("proxy-create", "the last of 33 places", make);
    watch.time("trigger", "nobody waits", || last.trigger().unwrap());
    watch.time("receive", "a proxy of 100 bytes", || {
        let mut buffer = [0; 100];
        channel.receive(&mut buffer).map(drop).unwrap();
    });
    watch.time("notify", "nobody waits", || channel.notify(1).unwrap());
    watch.time("receive", "bits", || {
        channel.receive(&mut []).map(drop).unwrap()
    });
    watch.time("proxy-destroy", "always", || last.destroy().unwrap());
    first.destroy().unwrap();
    for proxy in others {
        proxy.destroy().unwrap();
    }
}

/// A heap is as long as can be if each deadline is set before all others, and the first is cleared.
fn timers(watch: Watch) {
    let channel = riposte::channel("notices").unwrap();
    let make = || Timer::notifying(&channel, 1).unwrap();
    let others: [Timer; MANY] = core::array::from_fn(|_| make());
    let timer = watch.time("timer-create", "the last of 33 places", make);
    let later = riposte::Instant::now() + Duration::from_secs(1_000_000);
    for other in &others {
        other.at(later).unwrap();
    }
    let soon = riposte::Instant::now() + Duration::from_secs(100_000);
    watch.time("timer-set", "before 32 others", || timer.at(soon).unwrap());
    watch.time("timer-cancel", "the first of 33", || {
        timer.cancel().unwrap()
    });
    let soon = riposte::Instant::now() + Duration::from_millis(50);
    watch.time("sleep", "before 32 others", || {
        riposte::sleep_until(soon).unwrap()
    });
    watch.time("timer-destroy", "it does not run", || {
        timer.destroy().unwrap()
    });
    for other in others {
        other.destroy().unwrap();
    }
}
