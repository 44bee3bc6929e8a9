//! The other process: what it does with what it shares is what the judge says, honest or not.
#![no_std]

use core::num::NonZeroU32;

use riposte::sync::{Flags, Mailbox, Word};
use riposte::{Duration, Instant, Region};
use test_sync_shared::{Common, SPOILT, TIMES, Victim, order};

#[riposte::main]
fn main() {
    let region = region();
    let common: &Common = region.cast().expect("it is large enough");
    loop {
        match common.orders.receive() {
            Ok(order::ECHO) => echo(common),
            Ok(order::COUNT) => count(common),
            Ok(order::HOLD) => hold(common),
            Ok(order::DIE) => die(common),
            Ok(order::SPOIL) => spoil(&common.victim),
            Ok(order::LIVE) => common.reached.give().expect("far from its limit"),
            Ok(order) if order::DIE_WAITING.contains(&order) => die_waiting(common, order),
            other => panic!("order {other:?}"),
        }
    }
}

fn region() -> Region {
    riposte::region("common").expect("the manifest has it")
}

fn echo(common: &Common) {
    for _ in 0..TIMES {
        let [first, second, third] = common.there.receive().expect("it is sent");
        let sent = common.back.send([third, second, first + 1]);
        sent.expect("there will be room");
    }
}

fn count(common: &Common) {
    for _ in 0..TIMES {
        common.total.add(1);
        let _guard = common.lock.lock().expect("it is given up");
        for counter in &common.counters {
            counter.store(counter.load() + 1);
        }
    }
    common.reached.give().expect("far from its limit");
}

fn hold(common: &Common) {
    let guard = common.lock.lock().expect("it is free");
    common.reached.give().expect("far from its limit");
    let end = Instant::now() + Duration::from_millis(1);
    while Instant::now() < end {}
    common.counters[0].store(1);
    drop(guard);
}

fn die(common: &Common) {
    let guard = common.lock.lock().expect("it is free");
    common.counters[0].store(1);
    common.reached.give().expect("far from its limit");
    core::mem::forget(guard);
    riposte::exit(0);
}

/// What the other thread is to wait for, which is more urgent.
static WAIT: Mailbox = Mailbox::new();

fn die_waiting(common: &Common, order: u32) {
    let order = NonZeroU32::new(order).expect("it is an order");
    WAIT.post(order).expect("the other thread fetches it");
    common.reached.give().expect("far from its limit");
    riposte::exit(0);
}

#[riposte::thread]
fn waiter() -> ! {
    let region = region();
    let common: &Common = region.cast().expect("it is large enough");
    let order = WAIT.fetch().expect("it is posted").get();
    if order == order::DIE_WAITING[0] {
        let guard = common.lock.lock().expect("it is free");
        let _ = common.changed.wait(guard);
    } else if order == order::DIE_WAITING[1] {
        let _ = common.flags.wait(Flags::any(1));
    } else {
        let _ = common.mailbox.fetch();
    }
    panic!("the process ends before");
}

/// Nothing holds but that this is memory.
fn spoil(victim: &Victim) {
    let base = core::ptr::from_ref(victim).cast::<Word>();
    let words = size_of::<Victim>() / size_of::<Word>();
    let mut random = 1_u32;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        random
    };
    loop {
        for _ in 0..SPOILT {
            let place = next() as usize % words;
            let value = match next() % 4 {
                0 => next(),
                1 => next() % 16,
                2 => u32::MAX - next() % 16,
                // It is a lock that somebody holds who never lets it go.
                _ => riposte::current_thread().number(),
            };
            // SAFETY: it is within the victim, all of which several processes change.
            unsafe { &*base.add(place) }.store(value);
        }
        let _ = riposte::sleep(Duration::from_micros(u64::from(20 + next() % 100)));
    }
}
