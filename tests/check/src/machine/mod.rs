//! What a test can say only in the processor's own instructions, and what they come to there.
//!
//! Which processor it is, is decided here and nowhere else in the tests.

#[cfg(all(target_arch = "arm", target_os = "none"))]
mod armv7m;
#[cfg(all(target_arch = "riscv32", target_os = "none"))]
mod riscv;

#[cfg(all(target_arch = "arm", target_os = "none"))]
pub use armv7m::*;
#[cfg(all(target_arch = "riscv32", target_os = "none"))]
pub use riscv::*;

/// Where the memory that holds `address` begins on every board: flash and RAM are aligned to their
/// size, and the kernel lies first in each.
#[must_use]
pub const fn beginning_of_memory(address: u32) -> u32 {
    const SIZE: u32 = 4 << 20;
    address & !(SIZE - 1)
}
