//! Riposte on ARMv7-M: traps, context switch, MPU, lazy FPU.
//!
//! The kernel runs in handler mode on the main stack, processes in unprivileged thread mode on
//! the process stack. System calls, the clock and all other interrupts that the kernel handles
//! have one priority, so that the kernel is never preempted; faults have a higher one.
//!
//! # A voluntary switch
//!
//! A call clobbers r4 to r11, so the trap stores one word: the stack pointer. r0 to r3, r12 and
//! the return address lie in the frame that the hardware has pushed to the process's own stack.
#![no_std]

mod copy;
mod eighths;
mod fault;
mod fpu;
mod global;
mod late;
mod machine;
pub mod mpu;
mod nvic;
pub mod registers;
mod start;
pub mod trap;
mod upcall;

pub use fpu::Saved;
pub use global::Global;
pub use machine::{Board, Machine};
pub use riposte_abi::place_data_armv7m as place_data;
pub use start::{Vectors, start};

/// `EXC_RETURN`: to thread mode, process stack, without a floating-point frame.
pub const PLAIN_RETURN: u32 = 0xFFFF_FFFD;

/// Bit of `EXC_RETURN` that is clear if the frame holds floating-point registers.
pub const NO_FLOATING_POINT: u32 = 1 << 4;
