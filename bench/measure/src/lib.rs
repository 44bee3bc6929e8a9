//! What every benchmark program measures with: the board's timer, the marks between which the
//! host counts exceptions, and the line in which a case's figures reach it.
//!
//! Everything is in ticks of the timer; the host, which knows how long an instruction takes,
//! turns them into instructions.
#![no_std]

mod figures;
mod meter;

pub use figures::{Case, Figures};
pub use meter::{Benchmark, Clock, Counter, Meter, SAMPLES, measure};
