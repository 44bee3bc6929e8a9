//! The client of the published Xous benchmark.
#![no_std]

use measure::{Case, Figures, Meter};
use riposte::println;
use ticktimer::Ticktimer;
use xous::utralib::{CSR, utra};

#[riposte::main]
fn main() {
    let meter = Meter::start();
    let iterations = riposte::setting("iterations").unwrap();
    let tt = Ticktimer::new().unwrap();
    let mut core_csr = CSR::report();
    scalar(meter, &mut core_csr, iterations, &tt);
    println!("@done");
    let error = riposte::shutdown(0);
    panic!("shutdown: {error}");
}

#[inline(never)]
fn scalar(meter: Meter, core_csr: &mut CSR, iterations: u32, tt: &Ticktimer) {
    let mut figures = Figures {
        iterations,
        operations: 1,
        ticks: 0,
        loop_ticks: 0,
        min_ticks: u32::MAX,
        max_ticks: 0,
    };
    let reading = meter.time(|| {
        core_csr.wfo(utra::main::REPORT_REPORT, 0x1111_0000);
        core_csr.wfo(utra::main::REPORT_REPORT, 0x2222_0000);
    });
    figures.loop_ticks = reading * iterations;
    tt.elapsed_ms();
    meter.begin();
    for iter in 0..iterations {
        let mut now = 0;
        let ticks = meter.time(|| {
            core_csr.wfo(utra::main::REPORT_REPORT, 0x1111_0000 + iter);
            now = tt.elapsed_ms();
            core_csr.wfo(utra::main::REPORT_REPORT, 0x2222_0000 + iter);
        });
        figures.ticks += ticks;
        figures.sample(ticks, reading);
        core::hint::black_box(now);
    }
    meter.end();
    figures.report(Case {
        name: "scalar",
        protected: true,
        bytes: 20,
    });
}
