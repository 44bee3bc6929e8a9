//! The client of the published Xous benchmark: asks the tick-timer server for the time by a message
//! of words, and for the version by one of memory, as first written and optimised.
//!
//! The published figure is the time between two writes to the REPORT register around the call. Here
//! the board's counter is read around those writes; what reading and writing take by themselves is
//! subtracted.
#![no_std]

extern crate alloc;

mod eviction;

use alloc::string::String;

use measure::{Benchmark, Case, Counter, Figures, Meter};
use riposte::println;
use ticktimer::{OptimisedTicktimer, Ticktimer};
use xous::utralib::{CSR, utra};

xous::heap!(1024);

/// Calls before those that count, in the same loop.
const WARM_UP: u32 = 8;
/// Calls with cold caches.
const COLD: u32 = 16;

/// What the server tells as first written; optimised, too.
const VERSION: &str = "v0.9.11-152-g277d014f\nWed, 18 Jan 2023 19:19:24 +0800";

/// What a case checks of each call's result; why it is wrong.
type Check<T> = fn(&mut State, T) -> Result<(), &'static str>;

/// What is known of the results so far.
#[derive(Default)]
struct State {
    now: u64,
}

struct Bench<C> {
    meter: Meter<C>,
    core_csr: CSR,
    iterations: u32,
}

struct Xous;

impl Benchmark for Xous {
    fn run<C: Counter>(meter: Meter<C>) {
        let mut bench = Bench {
            meter,
            core_csr: CSR::report(),
            iterations: riposte::setting("iterations").unwrap(),
        };
        let tt = Ticktimer::new().unwrap();
        let optimised = OptimisedTicktimer::new().unwrap();
        let elapsed_ms = || tt.elapsed_ms();
        bench.case(
            "scalar",
            "scalar-cold",
            (0x1111_0000, 0x2222_0000),
            elapsed_ms,
            time,
        );
        let (reports, get_version) = ((0x3333_0000, 0x4444_0000), || tt.get_version());
        bench.case("memory", "memory-cold", reports, get_version, version);
        let get_version = || optimised.get_version();
        let (hot, cold) = ("memory-optimised", "memory-optimised-cold");
        bench.case(hot, cold, reports, get_version, version);
        if xous::copied_messages() != 0 {
            println!("@fail memory: it travelled as a copy");
        }
    }
}

#[riposte::main]
fn main() {
    measure::measure::<Xous>();
    println!("@done");
    let error = riposte::shutdown(0);
    panic!("shutdown: {error}");
}

/// Time doesn't go back, and is that of the kernel's clock, to a millisecond and what the call took.
fn time(state: &mut State, now: u64) -> Result<(), &'static str> {
    let clock = riposte::clock().nanoseconds() / 1_000_000;
    let plausible = now <= clock + 1 && clock <= now + 2;
    let rising = now >= state.now;
    state.now = now;
    if plausible && rising {
        Ok(())
    } else {
        Err("not the time")
    }
}

fn version(_: &mut State, version: String) -> Result<(), &'static str> {
    if version == VERSION {
        Ok(())
    } else {
        Err("not the version")
    }
}

impl<C: Counter> Bench<C> {
    /// Measures `call` with warm and with cold caches.
    #[inline(always)]
    fn case<T>(
        &mut self,
        hot: &'static str,
        cold: &'static str,
        reports: (u32, u32),
        call: impl Fn() -> T,
        check: Check<T>,
    ) {
        self.measure(hot, self.iterations, reports, &call, check, || {});
        self.measure(cold, COLD, reports, &call, check, eviction::evict);
    }

    #[inline(never)]
    fn measure<T>(
        &mut self,
        name: &'static str,
        iterations: u32,
        reports: (u32, u32),
        call: &impl Fn() -> T,
        check: Check<T>,
        before: fn(),
    ) {
        let mut state = State::default();
        let mut figures = Figures {
            iterations,
            operations: 1,
            ticks: 0,
            loop_ticks: 0,
            min_ticks: u32::MAX,
            max_ticks: 0,
        };
        // The shortest: the first one has cold caches, the calls that count do not.
        let readings = [(); 4].map(|()| self.time(reports, 0, &|| {}).0);
        let reading = readings.into_iter().min().unwrap_or_default();
        figures.loop_ticks = reading * iterations;
        for turn in 0..WARM_UP + iterations {
            if turn == WARM_UP {
                self.meter.begin();
            }
            before();
            let (ticks, result) = self.time(reports, turn.saturating_sub(WARM_UP), call);
            if turn >= WARM_UP {
                figures.ticks += ticks;
                figures.sample(ticks, reading);
            }
            if let Err(why) = check(&mut state, result) {
                println!("@fail {name}: {why}");
                return;
            }
        }
        self.meter.end();
        figures.report(Case {
            name,
            protected: true,
            bytes: 0,
        });
    }

    /// One call as published: its ticks, and what came of it.
    #[inline(always)]
    fn time<T>(&mut self, reports: (u32, u32), iter: u32, call: &impl Fn() -> T) -> (u32, T) {
        let core_csr = &mut self.core_csr;
        let mut result = None;
        let ticks = self.meter.time(|| {
            core_csr.wfo(utra::main::REPORT_REPORT, reports.0 + iter);
            result = Some(call());
            core_csr.wfo(utra::main::REPORT_REPORT, reports.1 + iter);
        });
        (ticks, result.unwrap())
    }
}
