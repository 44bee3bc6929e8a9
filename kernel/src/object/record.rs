//! Fault records: what is known of a process that was stopped, kept until the next time.

use core::cell::Cell;

use riposte_abi::fault::{REGISTERS, Record, TEXT_BYTES, TRACE};

use crate::Known;

/// Bytes of a record that are taken or given before a look for interrupts.
pub(crate) const PIECE: usize = 64;
/// Pieces of the text.
const TEXT_PIECES: usize = TEXT_BYTES / PIECE;
/// Words before the text.
const WORDS: usize = (size_of::<Record>() - TEXT_BYTES) / 4;

const _: () = assert!(TEXT_PIECES * PIECE == TEXT_BYTES, "whole pieces");
const _: () = assert!(
    (WORDS * 4).is_multiple_of(PIECE),
    "the text begins with a piece"
);

state! {
/// A [`Record`], each part of which is set by itself: as a whole it would be copied over the kernel's stack.
pub(crate) struct Kept {
    pub count: Cell<u32>,
    pub process: Cell<u32>,
    pub thread: Cell<u32>,
    pub reason: Cell<u32>,
    pub action: Cell<u32>,
    pub address: Cell<u32>,
    pub address_valid: Cell<u32>,
    pub registers: Cell<[u32; REGISTERS]>,
    pub trace: Cell<[u32; TRACE]>,
    /// What is to be taken of the registers.
    pub known: Cell<Known>,
    pub text_length: Cell<u32>,
    pub text: [Cell<[u8; PIECE]>; TEXT_PIECES],
    /// Where the rest of the text is, in the memory of the process.
    pub text_from: Cell<u32>,
    /// Bytes of that rest.
    pub text_left: Cell<u32>,
}
}

impl Kept {
    /// No record.
    pub const fn new() -> Self {
        const fn zero() -> Cell<u32> {
            Cell::new(0)
        }
        Self {
            count: zero(),
            process: zero(),
            thread: zero(),
            reason: zero(),
            action: zero(),
            address: zero(),
            address_valid: zero(),
            registers: Cell::new([0; REGISTERS]),
            trace: Cell::new([0; TRACE]),
            known: Cell::new(Known::Nothing),
            text_length: zero(),
            text: [const { Cell::new([0; PIECE]) }; TEXT_PIECES],
            text_from: zero(),
            text_left: zero(),
        }
    }

    /// The piece of the [`Record`] that begins at byte `from`, a multiple of a piece: little-endian words, then
    /// the text.
    pub fn piece(&self, from: u32) -> [u8; PIECE] {
        let piece = from as usize / PIECE;
        if let Some(text) = piece.checked_sub(WORDS * 4 / PIECE) {
            return self.text.get(text).map_or([0; PIECE], Cell::get);
        }
        let mut bytes = [0; PIECE];
        for (index, place) in bytes.as_chunks_mut().0.iter_mut().enumerate() {
            *place = self.word(from as usize / 4 + index).to_le_bytes();
        }
        bytes
    }

    fn word(&self, at: usize) -> u32 {
        const FIRST_REGISTER: usize = 7;
        const FIRST_OF_TRACE: usize = FIRST_REGISTER + REGISTERS;
        const LENGTH: usize = FIRST_OF_TRACE + TRACE;
        let of = |words: &[Cell<u32>], at: usize| words.get(at).map_or(0, Cell::get);
        match at {
            0 => self.count.get(),
            1 => self.process.get(),
            2 => self.thread.get(),
            3 => self.reason.get(),
            4 => self.action.get(),
            5 => self.address.get(),
            6 => self.address_valid.get(),
            LENGTH => self.text_length.get(),
            FIRST_OF_TRACE.. => of(self.trace.as_array_of_cells(), at - FIRST_OF_TRACE),
            _ => of(self.registers.as_array_of_cells(), at - FIRST_REGISTER),
        }
    }

    /// All of it.
    pub fn whole(&self) -> Record {
        let mut text = [0; TEXT_BYTES];
        for (to, from) in text.as_chunks_mut().0.iter_mut().zip(&self.text) {
            *to = from.get();
        }
        Record {
            count: self.count.get(),
            process: self.process.get(),
            thread: self.thread.get(),
            reason: self.reason.get(),
            action: self.action.get(),
            address: self.address.get(),
            address_valid: self.address_valid.get(),
            registers: self.registers.get(),
            trace: self.trace.get(),
            text_length: self.text_length.get(),
            text,
        }
    }
}
