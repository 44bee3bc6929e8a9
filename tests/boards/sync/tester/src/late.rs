//! Nobody waits longer than until its deadline, or less.

use core::fmt::Debug;
use core::num::NonZeroU32;

use riposte::sync::{
    Barrier, ByteQueue, EventFlags, Flags, Mailbox, Mutex, Pool, Queue, RwLock, Semaphore,
};
use riposte::{Deadline, Duration, Error, Instant};

use crate::phase::{self, name, pause, settle};

static MUTEX: Mutex<()> = Mutex::new(());
static RWLOCK: RwLock<()> = RwLock::new(());

pub fn judge() {
    phase::open(name::LATE);
    settle();
    late("a mutex", |deadline| MUTEX.lock_until(deadline));
    late("a lock for reading", |deadline| RWLOCK.read_until(deadline));
    late("a lock for writing", |deadline| {
        RWLOCK.write_until(deadline)
    });
    phase::open(name::LATE_OVER);
    settle();
    let free = MUTEX.try_lock().is_ok() && RWLOCK.try_write().is_ok();
    check::holds("who waited too long keeps nobody out", free);

    let semaphore = Semaphore::new(0);
    late("a semaphore", |deadline| semaphore.take_until(deadline));
    let flags = EventFlags::new(1);
    let two = Flags::all(3).clear();
    late("event flags", |deadline| flags.wait_until(two, deadline));
    let mailbox = Mailbox::new();
    late("an empty mailbox", |deadline| mailbox.fetch_until(deadline));
    let posted = mailbox.try_post(NonZeroU32::MIN);
    late("a full mailbox", |deadline| {
        mailbox.post_until(NonZeroU32::MAX, deadline)
    });
    let queue = Queue::<u32, 1>::new();
    late("an empty queue", |deadline| queue.receive_until(deadline));
    let sent = queue.try_send(1).is_ok();
    late("a full queue", |deadline| {
        queue.send_until(2, deadline).map_err(|it| it.error)
    });
    let bytes = ByteQueue::<2>::new();
    late("an empty byte queue", |deadline| {
        bytes.receive_until(&mut [0; 4], deadline)
    });
    let bytes_sent = bytes.try_send(&[1]).is_ok();
    late("a full byte queue", |deadline| {
        bytes.send_until(&[2], deadline)
    });
    let pool = Pool::<u32, 1>::new();
    let block = pool.try_allocate(1);
    late("a pool", |deadline| {
        pool.allocate_until(2, deadline).map(drop)
    });
    let barrier = Barrier::new(2);
    late("a barrier", |deadline| barrier.wait_until(deadline));
    check::holds(
        "what was there before the deadline is there behind it",
        posted
            && sent
            && bytes_sent
            && block.is_ok_and(|block| *block == 1)
            && flags.get() == 1
            && mailbox.try_fetch() == Some(NonZeroU32::MIN)
            && queue.try_receive() == Ok(1)
            && bytes.try_receive(&mut [0]).is_ok(),
    );
}

/// Waits, which is to end at the deadline.
fn late<T: Debug>(what: &str, wait: impl Fn(Deadline) -> Result<T, Error>) {
    let at_once = wait(Deadline::Immediate).err();
    let end = Instant::now() + Duration::from_micros(300);
    let error = wait(Deadline::At(end)).err();
    let late = Instant::now() - end;
    let is = at_once == Some(Error::WouldBlock)
        && error == Some(Error::TimedOut)
        && Instant::now() >= end
        && late < Duration::from_millis(1);
    if !is {
        riposte::println!("{what}: {at_once:?}, {error:?}, {late:?}");
    }
    check::holds("a wait ends at its deadline", is);
}

pub fn low() {
    phase::wait(name::LATE);
    let mutex = MUTEX.lock().expect("it is free");
    let rwlock = RWLOCK.write().expect("it is free");
    while phase::is(name::LATE) {
        pause();
    }
    drop((mutex, rwlock));
}
