//! By how much a timer's thread is late when everything else goes on, beside when nothing does.

use core::hint::black_box;

use measure::{Clock, Figures};
use riposte::sync::{Lock, Semaphore, Word};
use riposte::{Connection, Deadline, Duration, Event, Timer};

/// Bytes of the largest message of the load, there and back.
pub const BYTES: usize = core_echo::LARGEST;
/// Wakes of the timer's thread, after a first one that finds the system idle.
const WAKES: usize = 256;
/// The period, in times that reading the clock takes: long enough for all that the thread does.
const PERIOD: u32 = 64;
/// Of so many rounds of the load, one has the largest message: it takes as long as many of the others.
const LARGE: u32 = 16;
/// The shortest period, in any case.
const LEAST: Duration = Duration::from_nanos(riposte::abi::LEAST_PERIOD);

static START: Semaphore = Semaphore::new(0);
static BEGUN: Semaphore = Semaphore::new(0);
static FINISHED: Semaphore = Semaphore::new(0);
/// What the meter said at each wake.
static TIMES: [Word; WAKES + 1] = [const { Word::new(0) }; WAKES + 1];

/// The timer's thread.
pub fn tick() -> ! {
    let ticks = riposte::channel("ticks").unwrap();
    let timer = Timer::notifying(&ticks, 1).unwrap();
    let clock = Clock::of_board();
    // Once, for the runs that are compared: where there are caches it is never the same twice.
    let before = riposte::Instant::now();
    let period = (riposte::Instant::now() - before) * PERIOD;
    loop {
        START.take().unwrap();
        timer.every(period.max(LEAST)).unwrap();
        for (number, time) in TIMES.iter().enumerate() {
            let event = ticks.receive(&mut []);
            time.store(clock.left());
            assert!(matches!(event, Ok(Event::Notice(_))));
            if number == 0 {
                BEGUN.give().unwrap();
            }
        }
        timer.cancel().unwrap();
        FINISHED.give().unwrap();
    }
}

/// How many ticks after the first wake each of the others was.
fn times() -> [u32; WAKES] {
    let [first, others @ ..] = &TIMES;
    core::array::from_fn(|number| first.load().wrapping_sub(others[number].load()))
}

/// What lies between the least and the most that a wake was later, or earlier, than when nothing else
/// ran; and how many rounds of the load went on meanwhile.
pub fn measure(buffers: &mut [[u8; BYTES]; 2]) -> (Figures, u32) {
    START.give().unwrap();
    BEGUN.take().unwrap();
    FINISHED.take().unwrap();
    let idle = times();
    let server = riposte::connect("server").unwrap();
    START.give().unwrap();
    BEGUN.take().unwrap();
    let mut rounds = 0;
    while FINISHED.units() == 0 {
        load(&server, buffers, rounds % LARGE == 0);
        rounds += 1;
    }
    FINISHED.take().unwrap();
    let late = |(busy, idle): (u32, u32)| busy.wrapping_sub(idle) as i32;
    let late = times().into_iter().zip(idle).map(late);
    let [least, most] = [late.clone().min(), late.max()].map(Option::unwrap_or_default);
    let jitter = most.abs_diff(least);
    let figures = Figures {
        iterations: 1,
        operations: 1,
        ticks: jitter,
        loop_ticks: 0,
        min_ticks: jitter,
        max_ticks: jitter,
    };
    (figures, rounds)
}

/// One of each of the other operations; the largest message if it is to be.
fn load(server: &Connection, [sent, received]: &mut [[u8; BYTES]; 2], is_large: bool) {
    static UNITS: Semaphore = Semaphore::new(0);
    static LOCK: Lock = Lock::new();
    riposte::null_call();
    riposte::yield_now();
    black_box(riposte::Instant::now());
    server.send(&sent[..32], &mut received[..32]).unwrap();
    if is_large {
        let reply = server.send(sent, received).unwrap();
        assert!(reply.accepted == BYTES, "it was copied");
    }
    UNITS.give().unwrap();
    UNITS.take().unwrap();
    drop(LOCK.lock().unwrap());
    let soon = riposte::Instant::now() + Duration::from_nanos(1);
    let _ = UNITS.take_until(Deadline::At(soon));
}
