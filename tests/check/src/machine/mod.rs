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

/// Flash and RAM are aligned to their size on every board, and the kernel lies first in each.
const MEMORY: u32 = 4 << 20;

/// Where processes see their memory on boards that translate addresses, or, with colours, some of these
/// bytes further on; elsewhere nothing is there.
const SEEN: u32 = 0xC000_0000;
const SEEN_SIZE: u32 = 256 << 20;
/// Where such boards have the kernel's code and its data, which no process sees.
const LYING: [u32; 2] = [0x8000_0000, 0x8040_0000];
/// How far the processes' data are from the kernel's there, at most.
const BEHIND_KERNEL: u32 = 2 << 20;

/// Whether this board translates addresses: `address` is one of a process's own memory.
#[must_use]
pub const fn is_translated(address: u32) -> bool {
    address.wrapping_sub(SEEN) < SEEN_SIZE
}

/// The kernel's code, by an address in the code of a process.
#[must_use]
pub const fn kernel_code(address: u32) -> u32 {
    if is_translated(address) {
        LYING[0]
    } else {
        beginning_of_memory(address)
    }
}

/// The kernel's data, by an address of data of a process.
#[must_use]
pub const fn kernel_data(address: u32) -> u32 {
    if is_translated(address) {
        LYING[1]
    } else {
        beginning_of_memory(address)
    }
}

/// Where data of another process lie that sees them at `address`. Where addresses are translated,
/// those of some process.
#[must_use]
pub const fn data_of_another(address: u32) -> u32 {
    if is_translated(address) {
        LYING[1] + BEHIND_KERNEL
    } else {
        address
    }
}

const fn beginning_of_memory(address: u32) -> u32 {
    address & !(MEMORY - 1)
}
