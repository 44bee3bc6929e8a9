//! The same operations while there are more and more threads that wait: what they cost may not grow.
#![no_std]

mod crowd;

use measure::{Benchmark, Case, Counter, Figures, Meter, SAMPLES};
use riposte::println;
use riposte::sync::{Semaphore, Word};

/// How many threads the system has, and what is measured then.
const SERIES: [(u32, [&str; 2]); 4] = [
    (8, ["rt-1w@8-threads", "sem-pingpong@8-threads"]),
    (16, ["rt-1w@16-threads", "sem-pingpong@16-threads"]),
    (64, ["rt-1w@64-threads", "sem-pingpong@64-threads"]),
    (120, ["rt-1w@120-threads", "sem-pingpong@120-threads"]),
];

/// Threads of the manifest.
const FIXED: u32 = 8;

/// By so much, in percent, a figure may differ from that with the fewest threads.
const TOLERANCE: u32 = 2;

struct Growth;

impl Benchmark for Growth {
    fn run<C: Counter>(meter: Meter<C>) {
        let iterations = riposte::setting("iterations").unwrap();
        let mut fewest = None;
        for (threads, [message, semaphores]) in SERIES {
            crowd::grow_to(threads - FIXED);
            let [sent, waited] = [round_trip(meter, iterations), ping_pong(meter, iterations)];
            let [first_sent, first_waited] = *fewest.get_or_insert([sent, waited]);
            report(message, true, sent, first_sent);
            report(semaphores, false, waited, first_waited);
        }
    }
}

/// Fails if it is not what it was with the fewest threads.
fn report(name: &'static str, protected: bool, figures: Figures, fewest: Figures) {
    let [now, first] = [figures, fewest].map(|it| it.ticks - it.loop_ticks);
    if now.abs_diff(first) > first / 100 * TOLERANCE {
        println!("@fail {name}: {now} ticks, {first} with the fewest threads");
    }
    figures.report(Case {
        name,
        protected,
        bytes: 0,
    });
}

/// One word there and back, as `rt-1w`.
fn round_trip<C: Counter>(meter: Meter<C>, iterations: u32) -> Figures {
    let server = riposte::connect("words").unwrap();
    let mut word = 0;
    let figures = meter.measure(iterations, || match server.send_words([word]) {
        Ok(reply) => word = reply.words[0],
        Err(error) => panic!("send: {error}"),
    });
    if word != iterations + SAMPLES + 1 {
        println!("@fail rt-1w: wrong word {word}");
    }
    figures
}

static PING: Semaphore = Semaphore::new(0);
static PONG: Semaphore = Semaphore::new(0);
/// How often the other thread ran.
static TURNS: Word = Word::new(0);

/// Two semaphores between two threads, there and back, as `sem-pingpong`.
fn ping_pong<C: Counter>(meter: Meter<C>, iterations: u32) -> Figures {
    let before = TURNS.load();
    let figures = meter.measure(iterations, || {
        let _ = PING.give();
        let _ = PONG.take();
    });
    let turns = TURNS.load() - before;
    if turns != iterations + SAMPLES + 1 {
        println!("@fail sem-pingpong: the other thread ran {turns} times");
    }
    figures
}

#[riposte::thread]
fn pong() -> ! {
    loop {
        let _ = PING.take();
        TURNS.store(TURNS.load() + 1);
        let _ = PONG.give();
    }
}

#[riposte::main]
fn main() {
    match riposte::process_name() {
        "driver" => {
            measure::measure::<Growth>();
            println!("@done");
            let error = riposte::shutdown(0);
            panic!("shutdown: {error}");
        }
        "server" => core_echo::serve_words::<1>(riposte::channel("words").unwrap()),
        _ => crowd::serve(),
    }
}
