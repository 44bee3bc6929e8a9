//! Measures, says so in the log, and dies of what it did not expect.
#![no_std]

use riposte::{Duration, Instant};
use riposte_log::log::{LevelFilter, debug, error, info, warn};

#[riposte::main]
fn main() {
    riposte_log::init("log", LevelFilter::Info).unwrap();
    info!("ready");
    for reading in [21, 22, 24, 29, 85, 130_u32] {
        debug!("nobody asked for {reading}");
        if reading > 80 {
            warn!("{reading} degrees");
        }
        let _ = riposte::sleep_until(Instant::now() + Duration::from_millis(1));
        if reading > 100 {
            error!("{reading} degrees: the probe is broken");
            panic!("no such temperature: {reading}");
        }
    }
}
