//! An interrupt that the main thread raises, and its handler, a more urgent thread.
#![no_std]

use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering::Relaxed};

use measure::{Benchmark, Case, Clock, Counter, Figures, Meter, SAMPLES};
use riposte::Interrupt;

/// The interrupt: who attached it waits for it, and another thread raises it.
static INTERRUPT: AtomicPtr<Interrupt> = AtomicPtr::new(null_mut());
/// How often it was handled.
static HANDLED: AtomicU32 = AtomicU32::new(0);
/// What the meter said when the handler began.
static BEGAN: AtomicU32 = AtomicU32::new(0);

#[riposte::thread]
fn handler() -> ! {
    let events = riposte::channel("events").unwrap();
    let mut interrupt = Interrupt::attach("software", &events, 1).unwrap();
    INTERRUPT.store(&raw mut interrupt, Relaxed);
    let clock = Clock::of_board();
    loop {
        interrupt.wait().expect("an interrupt");
        BEGAN.store(clock.left(), Relaxed);
        // Nobody else writes.
        HANDLED.store(HANDLED.load(Relaxed) + 1, Relaxed);
    }
}

/// The interrupt, as soon as it is attached.
fn attached() -> &'static Interrupt {
    loop {
        // SAFETY: it lies on the stack of a thread that never ends, and nobody changes it.
        if let Some(interrupt) = unsafe { INTERRUPT.load(Relaxed).as_ref() } {
            return interrupt;
        }
        riposte::sleep(riposte::Duration::from_micros(10)).unwrap();
    }
}

struct ToThread;

impl Benchmark for ToThread {
    fn run<C: Counter>(meter: Meter<C>) {
        let iterations = riposte::setting("iterations").unwrap();
        let interrupt = attached();
        let before = HANDLED.load(Relaxed);
        let round = meter.measure(iterations, || interrupt.pend().unwrap());
        let handled = HANDLED.load(Relaxed) - before;
        if handled != iterations + SAMPLES + 1 {
            riposte::println!("@fail irq-round: {handled} interrupts were handled");
        }
        report("irq-round", round);
        report("irq-to-thread", to_thread(meter, interrupt, iterations));
    }
}

/// From before the call that raises it to the handler's first instruction.
fn to_thread<C: Counter>(meter: Meter<C>, interrupt: &Interrupt, iterations: u32) -> Figures {
    let clock = meter.clock();
    let reading = clock.time(|| {});
    let mut figures = Figures {
        iterations,
        operations: 1,
        ticks: 0,
        loop_ticks: reading * iterations,
        min_ticks: u32::MAX,
        max_ticks: 0,
    };
    meter.begin();
    for _ in 0..iterations {
        let before = clock.left();
        interrupt.pend().unwrap();
        let ticks = before.wrapping_sub(BEGAN.load(Relaxed));
        figures.ticks += ticks;
        figures.sample(ticks, reading);
    }
    meter.end();
    figures
}

fn report(name: &'static str, figures: Figures) {
    figures.report(Case {
        name,
        protected: true,
        bytes: 0,
    });
}

#[riposte::main]
fn main() {
    measure::measure::<ToThread>();
    riposte::println!("@done");
    let error = riposte::shutdown(0);
    panic!("shutdown: {error}");
}
