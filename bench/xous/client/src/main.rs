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
use core::cell::Ref;
use core::ops::Deref;

use measure::{Benchmark, Case, Clock, Counter, Figures, Meter};
use riposte::println;
use ticktimer::{InPlaceTicktimer, OptimisedTicktimer, Ticktimer};
use xous::utralib::{CSR, utra};

xous::heap!(1024);

/// Calls before those that count, in the same loop.
const WARM_UP: u32 = 8;
/// Calls with cold caches.
const COLD: u32 = 16;

/// What the server tells as first written; optimised, too.
const VERSION: &str = "v0.9.11-152-g277d014f\nWed, 18 Jan 2023 19:19:24 +0800";

/// What a case checks of its results. What is done for each one is little, as it lies between two
/// calls whose caches are to stay warm.
trait Check<T> {
    /// Before the calls.
    fn begin() -> Self;

    /// Whether one call's result is right.
    fn is_right(&mut self, result: T) -> bool;

    /// Whether all of them were, as seen afterwards.
    fn were_right(&self) -> bool;
}

/// Time does not go back, nor ahead of the kernel's clock: the first is no earlier than that was
/// before the calls, each no earlier than the one before it, and the last is what the clock says
/// after them; to a millisecond and what a call takes.
struct Rising {
    last: u64,
}

impl Rising {
    /// Milliseconds of the kernel's clock.
    fn clock() -> u64 {
        riposte::Instant::now().as_nanos() / 1_000_000
    }
}

impl Check<u64> for Rising {
    fn begin() -> Rising {
        let last = Rising::clock().saturating_sub(1);
        Rising { last }
    }

    #[inline(always)]
    fn is_right(&mut self, now: u64) -> bool {
        let rising = now >= self.last;
        self.last = now;
        rising
    }

    fn were_right(&self) -> bool {
        let clock = Rising::clock();
        self.last <= clock + 1 && clock <= self.last + 2
    }
}

/// Each result is the version.
struct Version;

impl<T: Deref<Target = str>> Check<T> for Version {
    fn begin() -> Version {
        Version
    }

    #[inline(always)]
    fn is_right(&mut self, version: T) -> bool {
        *version == *VERSION
    }

    fn were_right(&self) -> bool {
        true
    }
}

/// What a call is measured with.
struct Instruments {
    clock: Clock,
    core_csr: CSR,
}

impl Instruments {
    /// One call as published, between its two writes to the REPORT register: its ticks, and what came
    /// of it.
    #[inline(always)]
    fn time<T>(&mut self, reports: (u32, u32), iter: u32, call: impl FnOnce() -> T) -> (u32, T) {
        let core_csr = &mut self.core_csr;
        let mut result = None;
        let ticks = self.clock.time(|| {
            core_csr.wfo(utra::main::REPORT_REPORT, reports.0 + iter);
            result = Some(call());
            core_csr.wfo(utra::main::REPORT_REPORT, reports.1 + iter);
        });
        (ticks, result.unwrap())
    }
}

/// What is measured: turn and instruments go in.
type Call<'a, T> = &'a dyn Fn(&mut Instruments, u32) -> (u32, T);

/// The writes alone.
#[inline(never)]
fn nothing(instruments: &mut Instruments) -> u32 {
    instruments.time((0x1111_0000, 0x2222_0000), 0, || ()).0
}

#[riposte::hot]
fn scalar(instruments: &mut Instruments, tt: &Ticktimer, iter: u32) -> (u32, u64) {
    instruments.time((0x1111_0000, 0x2222_0000), iter, || tt.elapsed_ms())
}

#[inline(never)]
fn memory(instruments: &mut Instruments, tt: &Ticktimer, iter: u32) -> (u32, String) {
    instruments.time((0x3333_0000, 0x4444_0000), iter, || tt.get_version())
}

/// Published with the words of [`memory`]; with words of their own, a log tells them apart.
#[inline(never)]
fn optimised(
    instruments: &mut Instruments,
    tt: &OptimisedTicktimer,
    reports: (u32, u32),
    iter: u32,
) -> (u32, String) {
    instruments.time(reports, iter, || tt.get_version())
}

/// Not published: the text is looked at in the page.
#[riposte::hot]
fn in_place<'a>(
    instruments: &mut Instruments,
    tt: &'a InPlaceTicktimer,
    iter: u32,
) -> (u32, Ref<'a, str>) {
    instruments.time((0x9999_0000, 0xAAAA_0000), iter, || tt.version())
}

/// What is done before a call whose caches are to stay warm.
#[riposte::hot]
fn stay() {}

struct Bench<C> {
    meter: Meter<C>,
    instruments: Instruments,
    iterations: u32,
}

struct Xous;

impl Benchmark for Xous {
    fn run<C: Counter>(meter: Meter<C>) {
        let mut bench = Bench {
            meter,
            instruments: Instruments {
                clock: meter.clock(),
                core_csr: CSR::report(),
            },
            iterations: riposte::setting("iterations").unwrap(),
        };
        bench.as_written();
        bench.optimised();
        bench.in_place();
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

impl<C: Counter> Bench<C> {
    #[inline(never)]
    fn as_written(&mut self) {
        let tt = Ticktimer::new().unwrap();
        self.case::<_, Rising>("scalar", "scalar-cold", &|with, iter| {
            scalar(with, &tt, iter)
        });
        self.case::<_, Version>("memory", "memory-cold", &|with, iter| {
            memory(with, &tt, iter)
        });
    }

    /// Apart, as each of these connections holds a page of the stack.
    #[inline(never)]
    fn optimised(&mut self) {
        let server = |name: &[u8]| xous::SID::from_bytes(name).unwrap();
        let optimised_tt = OptimisedTicktimer::new(server(b"ticktimer-opt")).unwrap();
        let bytewise_tt = OptimisedTicktimer::new(server(b"ticktimer-bytes")).unwrap();
        self.case::<_, Version>(
            "memory-optimised",
            "memory-optimised-cold",
            &|with, iter| optimised(with, &optimised_tt, (0x5555_0000, 0x6666_0000), iter),
        );
        self.case::<_, Version>(
            "memory-optimised-bytewise",
            "memory-optimised-bytewise-cold",
            &|with, iter| optimised(with, &bytewise_tt, (0x7777_0000, 0x8888_0000), iter),
        );
    }

    /// Apart, too.
    #[inline(never)]
    fn in_place(&mut self) {
        let server = xous::SID::from_bytes(b"ticktimer-place").unwrap();
        let tt = InPlaceTicktimer::new(server).unwrap();
        self.case::<_, Version>("memory-in-place", "memory-in-place-cold", &|with, iter| {
            in_place(with, &tt, iter)
        });
    }

    /// Measures `call` with warm and with cold caches.
    #[inline(always)]
    fn case<T, K: Check<T>>(&mut self, hot: &'static str, cold: &'static str, call: Call<'_, T>) {
        self.measure::<_, K>(hot, self.iterations, call, stay);
        self.measure::<_, K>(cold, COLD, call, eviction::evict);
    }

    #[inline(never)]
    fn measure<T, K: Check<T>>(
        &mut self,
        name: &'static str,
        iterations: u32,
        call: Call<'_, T>,
        before: fn(),
    ) {
        let mut figures = Figures {
            iterations,
            operations: 1,
            ticks: 0,
            loop_ticks: 0,
            min_ticks: u32::MAX,
            max_ticks: 0,
        };
        // The shortest: the first one has cold caches, the calls that count do not.
        let readings = [(); 4].map(|()| nothing(&mut self.instruments));
        let reading = readings.into_iter().min().unwrap_or_default();
        figures.loop_ticks = reading * iterations;
        let mut check = K::begin();
        for turn in 0..WARM_UP + iterations {
            if turn == WARM_UP {
                self.meter.begin();
            }
            before();
            let (ticks, result) = call(&mut self.instruments, turn.saturating_sub(WARM_UP));
            if turn >= WARM_UP {
                figures.ticks += ticks;
                figures.sample(ticks, reading);
            }
            if !check.is_right(result) {
                println!("@fail {name}: a wrong result");
                return;
            }
        }
        self.meter.end();
        if !check.were_right() {
            println!("@fail {name}: wrong results");
            return;
        }
        figures.report(Case {
            name,
            protected: true,
            bytes: 0,
        });
    }
}
