//! The same between processes, one of which dies, and then is not honest any more.

use core::num::NonZeroU32;

use riposte::sync::{Flags, Word};
use riposte::{Deadline, Duration, Instant, Region, Shared};
use test_sync_shared::{Common, TIMES, Victim, order};

use crate::phase::{self, burn, log, logged, name, pause, settle};

/// How often the honest process uses what a stranger spoils.
const TURNS: u32 = 100;

pub fn judge() {
    let region: Region = riposte::region("common").expect("the manifest has it");
    let common: &Common = region.cast().expect("it is large enough");
    echo(common);
    count(common);
    inherit(common);
    die(common);
    die_waiting(common);
    spoil(common);
}

fn tell(common: &Common, order: u32) {
    common.orders.send(order).expect("there will be room");
}

fn echo(common: &Common) {
    tell(common, order::ECHO);
    let mut right = 0;
    let ahead = 3;
    for turn in 0..TIMES + ahead {
        if turn < TIMES {
            let sent = common.there.send([turn, 7, turn ^ 0xFF]);
            sent.expect("there will be room");
        }
        if let Some(turn) = turn.checked_sub(ahead) {
            let back = common.back.receive();
            right += u32::from(back == Ok([turn ^ 0xFF, 7, turn + 1]));
        }
    }
    check::equal("items pass between processes in order", right, TIMES);
}

fn count(common: &Common) {
    tell(common, order::COUNT);
    for _ in 0..TIMES {
        common.total.add(1);
        let guard = common.lock.lock().expect("it is given up");
        for counter in &common.counters {
            counter.store(counter.load() + 1);
        }
        drop(guard);
        if common.total.load().is_multiple_of(8) {
            // The peer is less urgent.
            pause();
        }
    }
    common.reached.take().expect("it is given");
    let sums = common.counters.each_ref().map(|counter| counter.load());
    check::equal(
        "what two processes add is all in a word",
        common.total.load(),
        2 * TIMES,
    );
    check::equal("one process at a time has a lock", sums, [2 * TIMES; 2]);
    common.counters[0].store(0);
}

fn inherit(common: &Common) {
    logged();
    tell(common, order::HOLD);
    common.reached.take().expect("it is given");
    phase::open(name::ACROSS);
    let guard = common.lock.lock().expect("it is given up");
    log(9);
    let worked = common.counters[0].swap(0) == 1;
    drop(guard);
    settle();
    settle();
    check::holds(
        "a process that holds a lock has the priority of who waits for it in another one",
        worked && logged() == 98,
    );
}

/// Burns time while a less urgent process holds the lock.
pub fn middle() {
    phase::wait(name::ACROSS);
    burn(Duration::from_micros(500));
    log(8);
}

fn die(common: &Common) {
    tell(common, order::DIE);
    common.reached.take().expect("it is given");
    let guard = common.lock.lock().expect("it comes back");
    check::holds(
        "who takes the lock of a process that died is told",
        guard.owner_died(),
    );
    check::equal("and finds what that has left", common.counters[0].load(), 1);
    guard.repaired();
    drop(guard);
    let told = common.lock.lock().map(|guard| guard.owner_died());
    check::equal("until it is repaired", told, Ok(false));
}

fn die_waiting(common: &Common) {
    let words = [
        count_of(&common.changed, 1),
        count_of(&common.flags, 2),
        count_of(&common.mailbox, 2),
    ];
    let change: [&dyn Fn(); 3] = [
        &|| common.changed.notify_one(),
        &|| common.flags.set(2),
        &|| assert!(common.mailbox.try_post(NonZeroU32::MIN)),
    ];
    let mut counted = [(0, 0); 3];
    for (each, counted) in counted.iter_mut().enumerate() {
        tell(common, order::DIE_WAITING[each]);
        common.reached.take().expect("it is given");
        // Its next life answers.
        tell(common, order::LIVE);
        common.reached.take().expect("it is given");
        let before = words[each].load();
        change[each]();
        *counted = (before, words[each].load() & 0xFFFF);
    }
    check::equal(
        "a process that ended while it waited is counted until the next change, and no longer",
        counted,
        [(1, 0); 3],
    );
}

/// How many wait for what this is, in its word of this number.
fn count_of<T: Shared>(object: &T, word: usize) -> &Word {
    // SAFETY: the object is longer, and made of words that several processes change.
    unsafe { &*core::ptr::from_ref(object).cast::<Word>().add(word) }
}

fn spoil(common: &Common) {
    tell(common, order::SPOIL);
    let begin = Instant::now();
    let mut sum = 0;
    for turn in 0..TURNS {
        sum += use_all(&common.victim, turn);
    }
    // What came of it is anything at all.
    core::hint::black_box(sum);
    let time = Instant::now() - begin;
    check::holds(
        "a process survives what a stranger writes to what it shares",
        time < Duration::from_millis(u64::from(TURNS) * 20),
    );
}

/// Uses each thing, whatever comes of it; how often it worked.
fn use_all(victim: &Victim, turn: u32) -> u32 {
    let soon = || Deadline::At(Instant::now() + Duration::from_micros(100));
    let mut buffer = [0; 16];
    let worked = [
        victim.queue.send_until(turn, soon()).is_ok(),
        victim.queue.receive_until(soon()).is_ok(),
        victim
            .bytes
            .send_until(&buffer[..turn as usize % 16], soon())
            .is_ok(),
        victim.bytes.receive_until(&mut buffer, soon()).is_ok(),
        victim.semaphore.give().is_ok(),
        victim.semaphore.take_until(soon()).is_ok(),
        victim.lock.lock_until(soon()).is_ok(),
        victim.mailbox.post_until(NonZeroU32::MIN, soon()).is_ok(),
        victim.mailbox.fetch_until(soon()).is_ok(),
        victim.barrier.wait_until(soon()).is_ok(),
        victim.once.call_until(|| {}, soon()).is_ok(),
        victim
            .flags
            .wait_until(Flags::any(1).clear(), soon())
            .is_ok(),
    ];
    victim.flags.set(turn);
    victim.condvar.notify_all();
    worked.into_iter().map(u32::from).sum()
}
