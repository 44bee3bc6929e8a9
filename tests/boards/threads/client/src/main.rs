//! Starts threads and watches them.
#![no_std]

use core::cell::Cell;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use check::{equal, holds};
use riposte::sync::{Mutex, RwLock};
use riposte::thread::{self, JoinHandle, Policy, Settings};
use riposte::{Answer, Deadline, Duration, Error, Event, Instant, ThreadLocal, current_thread};

/// What is said last by whoever runs.
static SAID: AtomicU32 = AtomicU32::new(0);
static STOP: AtomicU32 = AtomicU32::new(0);
static COUNT: ThreadLocal<Cell<u32>, 5> = ThreadLocal::new(|| Cell::new(100));

#[riposte::main]
fn main() {
    starting();
    identity();
    own_data();
    ending();
    leaked_guards();
    exhaustion();
    priorities();
    adaptive();
    scopes();
    overflow();
    check::done();
}

fn spawn(body: fn(usize) -> u32, argument: usize, priority: u8) -> JoinHandle {
    thread::spawn(body, argument, Settings::new(priority)).unwrap()
}

fn value(thread: &JoinHandle) -> u32 {
    thread.join().unwrap()
}

fn say(value: usize) -> u32 {
    SAID.store(value as u32, Relaxed);
    value as u32 + 1
}

fn starting() {
    let urgent = spawn(say, 6, 11);
    equal(
        "15 a more urgent thread runs at once",
        SAID.load(Relaxed),
        6,
    );
    equal("15 its value is there when it has ended", value(&urgent), 7);
    let later = spawn(say, 8, 9);
    equal("15 a less urgent one does not", SAID.load(Relaxed), 6);
    equal("15 it is waited for", value(&later), 9);
    equal("15 it has run by then", SAID.load(Relaxed), 8);
}

fn own_id(_: usize) -> u32 {
    current_thread().number()
}

fn identity() {
    let main = current_thread();
    let thread = spawn(own_id, 0, 9);
    let id = thread.thread().number();
    equal("a started thread knows its id", value(&thread), id);
    let again = spawn(own_id, 0, 9);
    let other = again.thread().number();
    equal("it knows it in its next life too", value(&again), other);
    equal("its place is the same", other & 0xFF, id & 0xFF);
    equal("its life is another one", other >> 8, (id >> 8) + 1);
    let second = riposte::connect("second").unwrap();
    let reply = second.send_words([]).unwrap();
    equal(
        "a thread of the manifest knows its id",
        reply.words[0] & 0xFF,
        (main.number() & 0xFF) + 1,
    );
    equal("the main thread's life is its first", main.number() >> 8, 1);
    holds("an id stays", current_thread() == main);
}

#[riposte::thread]
fn second() -> ! {
    let channel = riposte::channel("second").unwrap();
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => message.answer_words([current_thread().number(), count(0)]),
        Event::Notice(_) => Answer::later(),
    });
    panic!("the channel: {error}");
}

fn count(_: usize) -> u32 {
    COUNT.with(|count| {
        count.set(count.get() + 1);
        count.get()
    })
}

fn own_data() {
    count(0);
    let before = riposte::connect("second")
        .unwrap()
        .send_words([])
        .unwrap()
        .words[1];
    equal("a thread's data is its own", [count(0), before], [102, 102]);
    let threads = [spawn(count, 0, 9), spawn(count, 0, 9)];
    let values = threads.map(|thread| value(&thread));
    equal("so is that of started threads", values, [101, 101]);
    equal(
        "a later life finds it fresh",
        value(&spawn(count, 0, 9)),
        101,
    );
}

fn wait(_: usize) -> u32 {
    while STOP.load(Relaxed) == 0 {
        let _ = riposte::sleep(Duration::from_micros(100));
    }
    1
}

fn ending() {
    STOP.store(0, Relaxed);
    let thread = spawn(wait, 0, 9);
    let soon = Deadline::At(riposte::Instant::now() + Duration::from_micros(500));
    equal(
        "23 a join has a deadline",
        thread.join_until(soon),
        Err(Error::TimedOut),
    );
    let now = thread.try_join();
    equal("23 or does not block", now, Err(Error::WouldBlock));
    STOP.store(1, Relaxed);
    equal("and can be tried again", value(&thread), 1);
    let twice = thread.join();
    equal("an id names one life only", twice, Err(Error::BadHandle));
    let early = spawn(exit_early, 33, 11);
    equal("a thread ends where it likes", value(&early), 33);
}

fn exit_early(value: usize) -> u32 {
    // SAFETY: nobody knows of anything on this thread's stack.
    unsafe { thread::exit(value as u32) }
}

static LEFT_LOCKED: Mutex<u32> = Mutex::new(1);
static LEFT_WRITTEN: RwLock<u32> = RwLock::new(1);

/// Ends with both.
fn leak_guards(_: usize) -> u32 {
    core::mem::forget(LEFT_LOCKED.lock().unwrap());
    core::mem::forget(LEFT_WRITTEN.write().unwrap());
    0
}

fn leaked_guards() {
    value(&spawn(leak_guards, 0, 11));
    let died = Some(Error::PeerDied);
    equal(
        "a value whose thread has ended with its guard is nobody's",
        [
            LEFT_LOCKED.lock().err(),
            LEFT_LOCKED.try_lock().err(),
            LEFT_WRITTEN.read().err(),
            LEFT_WRITTEN.try_write().err(),
        ],
        [died; 4],
    );
    // SAFETY: the guards were forgotten, and nothing was borrowed from them.
    let recovered = unsafe { (LEFT_LOCKED.recover(), LEFT_WRITTEN.recover()) };
    holds(
        "but for who knows that nothing was borrowed",
        recovered.0.is_ok() && recovered.1.is_ok(),
    );
    drop(recovered);
    equal(
        "and then everybody's again",
        LEFT_LOCKED.lock().map(|value| *value),
        Ok(1),
    );
    holds("in both", LEFT_WRITTEN.try_read().is_ok());
}

fn exhaustion() {
    STOP.store(0, Relaxed);
    let threads = [0; 3].map(|_| spawn(wait, 0, 9));
    let none = thread::spawn(say, 0, Settings::new(9));
    let error = none.err().map(thread::SpawnError::error);
    equal(
        "there are as many as the manifest says",
        error,
        Some(Error::Exhausted),
    );
    threads.into_iter().for_each(JoinHandle::detach);
    STOP.store(1, Relaxed);
    riposte::sleep(Duration::from_millis(2)).unwrap();
    equal(
        "detached ones leave their places",
        value(&spawn(say, 1, 11)),
        2,
    );
    let large = thread::spawn(say, 0, Settings::new(9).stack(1537));
    let error = large.err().map(thread::SpawnError::error);
    equal(
        "a stack is as large as the manifest says",
        error,
        Some(Error::BadArgument),
    );
    let fits = thread::spawn(say, 2, Settings::new(9).stack(1536)).unwrap();
    equal("and no smaller", value(&fits), 3);
}

fn priorities() {
    let above = thread::spawn(say, 0, Settings::new(13));
    let error = above.err().map(thread::SpawnError::error);
    equal(
        "15 no thread is above the limit",
        error,
        Some(Error::NotPermitted),
    );
    let thread = spawn(say, 20, 9);
    equal(
        "15 a priority can be changed",
        thread::set_priority(thread.thread(), 11),
        Ok(9),
    );
    equal("15 and counts at once", SAID.load(Relaxed), 20);
    let over = thread::set_priority(thread.thread(), 9);
    equal(
        "15 that of one that has ended can't",
        over,
        Err(Error::BadHandle),
    );
    let own = current_thread();
    equal(
        "15 nor above the limit",
        thread::set_priority(own, 13),
        Err(Error::NotPermitted),
    );
    let waiting = spawn(say, 30, 5);
    equal("15 one's own can", thread::set_priority(own, 4), Ok(10));
    equal("15 and the more urgent run", SAID.load(Relaxed), 30);
    equal("15 and it comes back", thread::set_priority(own, 10), Ok(4));
    equal("15 the value waits", value(&waiting), 31);
}

/// Computes for this long, or until it is to stop.
fn compute(milliseconds: usize) -> u32 {
    let end = riposte::Instant::now() + Duration::from_millis(milliseconds as u64);
    while riposte::Instant::now() < end {
        if SAID.load(Relaxed) == 77 {
            return 1;
        }
    }
    0
}

fn adaptive() {
    SAID.store(0, Relaxed);
    let settings = Settings::new(6).policy(Policy::Adaptive);
    let hog = thread::spawn(compute, 200, settings).unwrap();
    let low = spawn(say, 77, 5);
    // Whoever waits for a thread's end lends it its priority: so both end before that.
    riposte::sleep(Duration::from_millis(500)).unwrap();
    equal("15 an adaptive thread drops a level", value(&hog), 1);
    equal("15 so that the next one runs", value(&low), 78);
    SAID.store(0, Relaxed);
    let hog = spawn(compute, 5, 6);
    let low = spawn(say, 77, 5);
    equal("15 another one does not", value(&hog), 0);
    equal("15 and is the only one to run", value(&low), 78);
    let own = thread::set_policy(current_thread(), Policy::RoundRobin);
    equal("15 a policy can be changed", own, Ok(Policy::Fifo));
    let back = thread::set_policy(current_thread(), Policy::Fifo);
    equal("15 and changed back", back, Ok(Policy::RoundRobin));
}

fn scopes() {
    let words = [AtomicU32::new(0), AtomicU32::new(0)];
    let [first, second] = &words;
    let bodies = (|| set(first, 3), || set(second, 4));
    thread::scope(|scope| {
        scope.spawn(&bodies.0, Settings::new(9)).unwrap();
        scope.spawn(&bodies.1, Settings::new(5)).unwrap();
    });
    let values = words.map(AtomicU32::into_inner);
    equal("threads of a scope borrow, and end with it", values, [3, 4]);

    let (mutex, seen) = (Mutex::new(()), AtomicU32::new(0));
    let held = mutex.lock().unwrap();
    let wait = || {
        let late = mutex.lock_until(Instant::now() + Duration::from_millis(10));
        set(&seen, late.map_or_else(|error| error as u32, |_| 0))
    };
    thread::scope(|scope| {
        scope.spawn(&wait, Settings::new(11)).unwrap();
    });
    equal(
        "a scope ends though one of its threads waited for its own one, until a deadline",
        seen.load(Relaxed),
        Error::TimedOut as u32,
    );
    drop(held);
}

fn set(word: &AtomicU32, value: u32) -> u32 {
    word.store(value, Relaxed);
    0
}

fn overflow() {
    let mortal = riposte::connect("mortal").unwrap();
    let first = mortal.send_words([1]).map(|reply| reply.words[1]);
    equal("27 its threads run", first, Ok(6));
    let died = mortal.send_words([0]).map(drop);
    equal(
        "27 one that overflows its stack ends its process",
        died,
        Err(Error::ServerDied),
    );
    let mortal = riposte::connect("mortal").unwrap();
    let again = mortal.send_words([1]).map(|reply| reply.words[1]);
    equal(
        "27 which starts again with all of its threads",
        again,
        Ok(6),
    );
}
