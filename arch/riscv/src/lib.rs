//! Riposte on RV32: traps, context switch, protection by PMP or by Sv32, as the board has it.
//!
//! The kernel runs in machine mode with interrupts off, processes in user mode. There is one trap
//! entry for system calls, faults and interrupts.
//!
//! # A voluntary switch
//!
//! A call clobbers everything but the stack pointer, `s0`, `s1`, `gp` and `tp`, so the trap stores
//! six words: stack pointer and program counter in the [`Thread`](riposte_kernel::Thread); `a2`,
//! `a3` (the buffer, which a reply needs later), `s0` and `s1` in the thread's [`Context`]. LLVM
//! keeps `s0` and `s1` for itself, so that every stub would have to save them; here it takes two
//! stores and takes the place of two clears.
//!
//! `gp` and `tp` are never saved: every time a thread runs they are what its context says.
//!
//! The message is in `s2` to `s9`, which Rust functions preserve: the kernel's fast functions are
//! called with the message in its registers.
#![no_std]

pub mod build;
mod clint;
mod context;
mod copy;
pub mod csr;
mod fault;
mod global;
mod machine;
mod memory;
mod plic;
#[cfg(not(sv32))]
pub mod pmp;
mod reset;
mod start;
#[cfg(sv32)]
pub mod sv32;
pub mod trap;
mod upcall;

#[cfg(not(sv32))]
use pmp as protection;
#[cfg(sv32)]
use sv32 as protection;

pub use clint::Clint;
pub use context::Context;
pub use global::Global;
pub use machine::{Board, Machine};
pub use plic::Plic;
pub use start::start;
