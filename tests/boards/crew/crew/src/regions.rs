//! A region is unmapped by a process that owns as many locks elsewhere, for which threads of many priorities wait, as
//! there can be.

use check::{equal, holds};
use riposte::sync::{Lock, Word};
use riposte::thread::{self, Settings};
use riposte::{Duration, futex};

use crate::SPARES;
use crate::driver::settle;

/// All threads but the one that has interrupts come.
const WAITING: usize = SPARES - 1;
/// So often: an interrupt comes at another place each time.
const TIMES: u32 = 40;

static LOCKS: [Lock; WAITING] = [const { Lock::new() }; WAITING];
static IS_OVER: Word = Word::new(0);

pub fn all() {
    let guards = LOCKS.each_ref().map(|lock| lock.lock().unwrap());
    let waiting: [_; WAITING] = core::array::from_fn(|number| {
        let priority = 1 + number as u8 % 9;
        thread::spawn(wait, number, Settings::new(priority)).unwrap()
    });
    settle();
    let ticks = thread::spawn(tick, 0, Settings::new(20)).unwrap();
    let pool = riposte::pool("rooms").unwrap();
    let mut named = 0;
    for _ in 0..TIMES {
        let region = pool.make().unwrap();
        let mapping = region.map().unwrap();
        named += u32::from(futex::wake(mapping.cast::<Word>().unwrap(), 1) == Ok(0));
        drop(mapping);
        region.close().unwrap();
    }
    equal(
        "rule_20_a_region_is_unmapped_beside_many_locks",
        named,
        TIMES,
    );
    IS_OVER.store(1);
    let over = ticks.join().is_ok();
    drop(guards);
    let ended = waiting.into_iter().filter_map(|it| it.join().ok()).count();
    holds(
        "rule_20_who_waits_elsewhere_gets_its_lock",
        over && ended == WAITING,
    );
}

fn wait(number: usize) -> u32 {
    drop(LOCKS[number].lock());
    0
}

/// An interrupt comes while the region is unmapped, and the next one before that is over.
fn tick(_: usize) -> u32 {
    while IS_OVER.load() == 0 {
        riposte::sleep(Duration::from_micros(1700)).unwrap();
    }
    0
}
