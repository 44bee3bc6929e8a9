//! Device registers as the generated `utralib` of Xous names them: a block of registers is a [`CSR`],
//! and registers and fields are constants of [`utra`].
//!
//! Only what the published programs touch is here. Where a register lies depends on the board; what
//! a board has no device for is told by the kernel, or kept nowhere (see each block).

use core::cell::Cell;

use riposte::{DeviceWords, Peripheral};

/// A register: its offset in the block, in bytes; no block here has more than two.
#[derive(Clone, Copy, Debug)]
pub struct Register(u32);

/// All 32 bits of a register, as a field.
#[derive(Clone, Copy, Debug)]
pub struct Field(Register);

/// A block of registers of one device.
#[derive(Clone, Debug)]
pub struct CSR(Block);

#[derive(Clone, Debug)]
enum Block {
    /// In a device.
    Device(DeviceWords<8>),
    /// The kernel's clock in milliseconds, whose high word is kept when the low one is read.
    Clock(Cell<u32>),
    /// Nowhere.
    Missing,
}

/// The blocks.
pub mod utra {
    /// What is the board's as a whole.
    pub mod main {
        use super::super::{Field, Register};

        /// A word that says how far a program has come: shown in the waveform of a board that has
        /// it.
        pub const REPORT: Register = Register(0);
        /// All of it.
        pub const REPORT_REPORT: Field = Field(REPORT);
    }

    /// The counter of milliseconds.
    pub mod ticktimer {
        use super::super::Register;

        /// The low word.
        pub const TIME0: Register = Register(0);
        /// The high word.
        pub const TIME1: Register = Register(4);
    }
}

impl CSR {
    /// The block [`utra::main`] of the board, if the manifest gives this process the device that
    /// has it (`timer1` of a cycle-accurate board); else that of a device which takes a write
    /// without effect (`gpio0` of an emulated one), so that the program does the same work. With
    /// neither, what is written is lost.
    #[must_use]
    pub fn report() -> CSR {
        let meter = words("timer1", "sim-meter", 0x10);
        CSR(meter
            .or_else(|| words("gpio0", "", 0))
            .unwrap_or(Block::Missing))
    }

    /// The block [`utra::ticktimer`], if the board has a counter of milliseconds and the manifest
    /// gives it to this process (`ticktimer`); else milliseconds of the kernel's clock, a system call
    /// and a division each time the low word is read.
    #[must_use]
    pub fn ticktimer() -> CSR {
        let device = words("ticktimer", "sim-ticktimer", 0);
        CSR(device.unwrap_or(Block::Clock(Cell::new(0))))
    }

    /// Reads a register.
    #[inline(always)]
    #[must_use]
    pub fn r(&self, register: Register) -> u32 {
        match &self.0 {
            Block::Device(words) if register.0 == 0 => words.read::<0>(),
            Block::Device(words) => words.read::<4>(),
            Block::Clock(high) => clock(register, high),
            Block::Missing => 0,
        }
    }

    /// Writes a register. The clock cannot be written.
    #[inline(always)]
    pub fn wo(&mut self, register: Register, value: u32) {
        if let Block::Device(words) = &self.0 {
            match register.0 {
                0 => words.write::<0>(value),
                _ => words.write::<4>(value),
            }
        }
    }

    /// Writes a register whose one field this is.
    #[inline(always)]
    pub fn wfo(&mut self, field: Field, value: u32) {
        self.wo(field.0, value);
    }
}

/// The block at `offset` of a device, if the manifest gives it to this process, and it is of that kind;
/// of any kind if that is empty.
fn words(name: &'static str, kind: &str, offset: usize) -> Option<Block> {
    let device = Peripheral::take(name).ok()?;
    let is_right = kind.is_empty() || device.kind() == kind;
    let words = device.words(offset).ok()?;
    is_right.then_some(Block::Device(words))
}

#[cold]
#[inline(never)]
fn clock(register: Register, high: &Cell<u32>) -> u32 {
    if register.0 == utra::ticktimer::TIME1.0 {
        return high.get();
    }
    let milliseconds = riposte::Instant::now().as_nanos() / 1_000_000;
    high.set((milliseconds >> 32) as u32);
    milliseconds as u32
}
