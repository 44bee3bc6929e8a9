//! An interrupt that the main thread raises, and its handler, a more urgent thread.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use measure::{Benchmark, Case, Clock, Counter, Figures, Meter, SAMPLES};
use riposte::Interrupt;
use riposte::abi::call::number;
use riposte::abi::register;

/// The handle of the interrupt: who attached it waits for it, and another thread raises it.
static HANDLE: AtomicU32 = AtomicU32::new(0);
/// How often it was handled.
static HANDLED: AtomicU32 = AtomicU32::new(0);
/// What the meter said when the handler began.
static BEGAN: AtomicU32 = AtomicU32::new(0);

#[riposte::thread]
fn handler() -> ! {
    let events = riposte::channel("events").unwrap();
    let interrupt = Interrupt::attach("software", &events, 1).unwrap();
    HANDLE.store(interrupt.handle(), Relaxed);
    let clock = Clock::of_board();
    loop {
        interrupt.wait().expect("an interrupt");
        BEGAN.store(clock.left(), Relaxed);
        // Nobody else writes.
        HANDLED.store(HANDLED.load(Relaxed) + 1, Relaxed);
    }
}

/// Raises it; the handler has run when this returns.
#[inline(always)]
fn raise(handle: u32) {
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = number::INTERRUPT_PEND;
    registers[register::WORD0] = handle;
    // SAFETY: the call names no memory.
    let _ = unsafe { riposte::raw_call(registers, [0; 5]) };
}

struct ToThread;

impl Benchmark for ToThread {
    fn run<C: Counter>(meter: Meter<C>) {
        let iterations = riposte::setting("iterations").unwrap();
        // The other thread, which is more urgent, begins when this one gives way for a moment.
        while HANDLE.load(Relaxed) == 0 {
            riposte::sleep(riposte::Duration::from_micros(10));
        }
        let handle = HANDLE.load(Relaxed);
        let before = HANDLED.load(Relaxed);
        let round = meter.measure(iterations, || raise(handle));
        let handled = HANDLED.load(Relaxed) - before;
        if handled != iterations + SAMPLES + 1 {
            riposte::println!("@fail irq-round: {handled} interrupts were handled");
        }
        report("irq-round", round);
        report("irq-to-thread", to_thread(meter, handle, iterations));
    }
}

/// From before the call that raises it to the handler's first instruction.
fn to_thread<C: Counter>(meter: Meter<C>, handle: u32, iterations: u32) -> Figures {
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
        raise(handle);
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
