//! Starts all timers that it can, as fast as it can, and receives nothing of what they trigger.
#![no_std]

use riposte::{Channel, Duration, Proxy, Timer};

/// Its timers, and how often they may be due in a second together.
const TIMERS: usize = 16;
const RATE: u32 = 10_000;

fn timers(own: &Channel) -> [Timer; TIMERS] {
    core::array::from_fn(|_| Timer::triggering(&Proxy::new(own, b"").unwrap()).unwrap())
}

#[riposte::main]
fn main() {
    let own = riposte::channel("own").unwrap();
    let reports = riposte::connect("reports").unwrap();
    let timers = timers(&own);
    let fastest = Duration::from_nanos(riposte::abi::LEAST_PERIOD);
    let greedy = timers.iter().filter(|it| it.every(fastest).is_ok());
    reports
        .send_words([greedy.count() as u32, 0, 0, 0, 0])
        .unwrap();
    timers
        .iter()
        .for_each(|timer| assert!(timer.cancel().is_ok()));
    let fair = Duration::from_secs(TIMERS as u64) / RATE;
    let modest = timers.iter().filter(|it| it.every(fair).is_ok());
    reports
        .send_words([modest.count() as u32, 0, 0, 0, 0])
        .unwrap();
    loop {
        let _ = riposte::sleep(Duration::from_secs(1));
    }
}
