//! A stand-in for the kernel's futexes, for real threads. It knows no priorities: those are tried on
//! boards.

use core::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use std::vec::Vec;

use riposte_abi::call::number;
use riposte_abi::lock::{OWNER_DIED, OWNER_MASK, WAITERS};
use riposte_abi::semaphore::MAX_UNITS;
use riposte_abi::{Error, info, register, thread};

use crate::testing::failed;
use crate::trap::hosted::{begin_thread_as, install, pointer};
use crate::trap::{Extra, Registers};

/// A thread that waits.
struct Waiter {
    id: u32,
    /// The word at which it waits.
    address: u32,
    /// Whether it waits for the lock there.
    locks: bool,
}

struct State {
    waiters: Vec<Waiter>,
    dead: Vec<u32>,
    calls: usize,
}

static STATE: Mutex<State> = Mutex::new(State {
    waiters: Vec::new(),
    dead: Vec::new(),
    calls: 0,
});
static CHANGED: Condvar = Condvar::new();
static NEXT: AtomicU32 = AtomicU32::new(1);

std::thread_local! {
    static CALLS: core::cell::Cell<usize> = const { core::cell::Cell::new(0) };
}

/// Makes the calling thread one of the system, with an id of its own.
pub fn enter() -> u32 {
    let id = thread::id(7, NEXT.fetch_add(1, SeqCst));
    begin_thread_as(id);
    install(move |registers, extra| {
        CALLS.set(CALLS.get() + 1);
        call(id, registers, extra)
    });
    id
}

/// The thread with this id has died.
pub fn die(id: u32) {
    state().dead.push(id);
}

/// How many calls the calling thread has made.
pub fn calls() -> usize {
    CALLS.get()
}

/// How many threads wait.
pub fn waiting(ids: &[u32]) -> usize {
    let state = state();
    let waits = |id: &&u32| state.waiters.iter().any(|waiter| waiter.id == **id);
    ids.iter().filter(waits).count()
}

/// Runs `work` in so many threads of the system at once, each with its number.
pub fn together(threads: u32, work: impl Fn(u32) + Sync) {
    std::thread::scope(|scope| {
        for number in 0..threads {
            let work = &work;
            scope.spawn(move || {
                enter();
                work(number);
            });
        }
    });
}

/// Runs `first` in a thread of the system; as soon as that waits, `then` in the calling one. What
/// `first` returns.
pub fn while_waiting<T: Send>(first: impl FnOnce() -> T + Send, then: impl FnOnce()) -> T {
    enter();
    let id = AtomicU32::new(0);
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            id.store(enter(), SeqCst);
            first()
        });
        while waiting(&[id.load(SeqCst)]) == 0 && !waiter.is_finished() {
            std::thread::yield_now();
        }
        then();
        waiter.join().unwrap()
    })
}

/// The moment so many milliseconds from now.
pub fn soon(milliseconds: u64) -> crate::Deadline {
    let now = BEGIN.with(Instant::elapsed).as_nanos() as u64;
    crate::Deadline::At(crate::Instant::from_nanos(now + milliseconds * 1_000_000))
}

std::thread_local! {
    /// Each thread measures time from here.
    static BEGIN: Instant = Instant::now();
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap()
}

fn call(id: u32, registers: Registers, extra: Extra) -> Registers {
    if registers[register::CALL] == number::CLOCK {
        let now = BEGIN.with(Instant::elapsed).as_nanos() as u64;
        let mut out = [0; register::COUNT];
        out[register::WORD0] = now as u32;
        out[register::WORD1] = (now >> 32) as u32;
        return out;
    }
    let [address, value] = [register::WORD0, register::WORD1].map(|word| registers[word]);
    // SAFETY: the word that the call under way names.
    let word = unsafe { &*pointer(address).cast::<AtomicU32>() };
    let deadline = (registers[register::INFO] & info::DEADLINE != 0)
        .then(|| u64::from(extra[0]) | u64::from(extra[1]) << 32);
    let mut state = state();
    state.calls += 1;
    let result = match registers[register::CALL] {
        number::FUTEX_WAIT if word.load(SeqCst) != value => Err(Error::WouldBlock),
        number::FUTEX_WAIT => wait(state, id, address, false, deadline).map(|()| 0),
        number::FUTEX_WAKE => Ok(wake(&mut state, address, value)),
        number::FUTEX_GIVE => give(&mut state, address, word),
        number::FUTEX_LOCK => lock(state, id, address, word, deadline),
        number::FUTEX_UNLOCK => unlock(&mut state, id, address, word),
        other => panic!("call {other}"),
    };
    match result {
        Ok(value) => {
            let mut out = [0; register::COUNT];
            out[register::WORD0] = value;
            out
        }
        Err(error) => failed(error),
    }
}

fn wait(
    mut state: MutexGuard<'_, State>,
    id: u32,
    address: u32,
    locks: bool,
    deadline: Option<u64>,
) -> Result<(), Error> {
    if deadline == Some(0) {
        return Err(Error::WouldBlock);
    }
    state.waiters.push(Waiter { id, address, locks });
    loop {
        if !state.waiters.iter().any(|waiter| waiter.id == id) {
            return Ok(());
        }
        let now = BEGIN.with(Instant::elapsed).as_nanos() as u64;
        let rest = deadline.map(|end| end.saturating_sub(now));
        if rest == Some(0) {
            state.waiters.retain(|waiter| waiter.id != id);
            return Err(Error::TimedOut);
        }
        let rest = Duration::from_nanos(rest.unwrap_or(u64::MAX).min(50_000_000));
        state = CHANGED.wait_timeout(state, rest).unwrap().0;
    }
}

fn wake(state: &mut State, address: u32, most: u32) -> u32 {
    let mut woken = 0;
    state.waiters.retain(|waiter| {
        let wakes = waiter.address == address && !waiter.locks && woken < most;
        woken += u32::from(wakes);
        !wakes
    });
    CHANGED.notify_all();
    woken
}

fn give(state: &mut State, address: u32, word: &AtomicU32) -> Result<u32, Error> {
    if wake(state, address, 1) == 1 {
        return Ok(1);
    }
    let more = |value: u32| Some(value & MAX_UNITS).filter(|units| *units < MAX_UNITS);
    word.fetch_update(SeqCst, SeqCst, |value| Some(more(value)? + 1))
        .map_or(Err(Error::WouldBlock), |_| Ok(0))
}

fn lock(
    state: MutexGuard<'_, State>,
    id: u32,
    address: u32,
    word: &AtomicU32,
    deadline: Option<u64>,
) -> Result<u32, Error> {
    loop {
        let value = word.load(SeqCst);
        let owner = value & OWNER_MASK;
        let died = owner != 0 && state.dead.contains(&owner);
        let new = match owner {
            0 => id | value & OWNER_DIED,
            _ if died => id | OWNER_DIED,
            _ if owner == id => return Err(Error::Deadlock),
            _ => value | WAITERS,
        };
        if word.compare_exchange(value, new, SeqCst, SeqCst).is_err() {
            continue;
        }
        if new & OWNER_MASK != id {
            wait(state, id, address, true, deadline)?;
        }
        return Ok(u32::from(word.load(SeqCst) & OWNER_DIED != 0));
    }
}

fn unlock(state: &mut State, id: u32, address: u32, word: &AtomicU32) -> Result<u32, Error> {
    let value = word.load(SeqCst);
    if value & OWNER_MASK != id {
        return Err(Error::NotPermitted);
    }
    let mut lockers = state.waiters.iter();
    let next = lockers.position(|waiter| waiter.address == address && waiter.locks);
    let next = next.map(|position| state.waiters.remove(position).id);
    let mut lockers = state.waiters.iter();
    let more = lockers.any(|waiter| waiter.address == address && waiter.locks);
    let waiters = if more { WAITERS } else { 0 };
    word.store(next.unwrap_or(0) | value & OWNER_DIED | waiters, SeqCst);
    CHANGED.notify_all();
    Ok(0)
}
