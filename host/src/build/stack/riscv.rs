//! What instructions of RV32IMAC do to the stack (The RISC-V Instruction Set Manual, volume I).

use std::collections::BTreeSet;

use super::{Code, Effect};

/// The stack pointer.
const SP: u32 = 2;
/// Registers that hold where to return to.
const LINKS: [u32; 2] = [1, 5];

/// What counts, and where.
pub fn effects(code: &Code<'_>) -> Vec<(u32, Effect)> {
    // Where branches lead does not depend on registers, and more addresses than are made are no harm.
    let reached = walk(code, code.reached).into_iter();
    let reached = reached.filter_map(|(_, effect)| match effect {
        Effect::Jump(target) | Effect::Address(target) => Some(target),
        _ => None,
    });
    walk(code, &reached.chain(code.reached.iter().copied()).collect())
}

/// The instructions in their order, of which some are `reached` from elsewhere.
fn walk(code: &Code<'_>, reached: &BTreeSet<u32>) -> Vec<(u32, Effect)> {
    let mut effects = vec![];
    let mut address = code.base;
    let mut registers = Registers::UNKNOWN;
    while let Some(first) = code.half(address).map(u32::from) {
        if code.begins(address) {
            registers = Registers::UNKNOWN;
        } else if reached.contains(&address) {
            registers.held = Registers::UNKNOWN.held;
        }
        let (effect, length) = if first & 3 == 3 {
            let second = code.half(address + 2).map_or(0, u32::from);
            (long(address, first | second << 16, &mut registers), 4)
        } else {
            (short(address, first, &mut registers), 2)
        };
        // What comes behind a jump is reached from elsewhere, and a call changes registers.
        if effect.is_some_and(|it| it.goes_elsewhere()) {
            registers.held = Registers::UNKNOWN.held;
        }
        let effect = effect.filter(|it| *it != Effect::Return);
        effects.extend(effect.map(|effect| (address, effect)));
        address += length;
    }
    effects
}

/// What a register certainly holds, wherever the instruction is reached from.
#[derive(Clone, Copy)]
enum Held {
    Anything,
    /// This number.
    Number(u32),
    /// This address, and something more.
    Beyond(u32),
    /// A word of a table at this address.
    WordOf(u32),
}

/// What is known of registers.
struct Registers {
    /// What the last LUI or AUIPC has put into each.
    upper: [Option<u32>; 32],
    held: [Held; 32],
    /// The one that holds some place further on, counted from where the function is: it jumps into
    /// instructions that are there many times.
    further_on: Option<u32>,
}

impl Registers {
    const UNKNOWN: Registers = Registers {
        upper: [None; 32],
        held: [Held::Anything; 32],
        further_on: None,
    };

    /// LUI or AUIPC.
    fn put(&mut self, register: u32, value: u32) {
        self.upper[register as usize] = Some(value);
        self.held[register as usize] = Held::Number(value);
    }

    /// Something else is in it now.
    fn set(&mut self, register: u32, held: Held) {
        self.upper[register as usize] = None;
        self.held[register as usize] = held;
    }

    /// The sum of a register and a number.
    fn more(&self, register: u32, number: i32) -> Held {
        match self.held[register as usize] {
            Held::Number(known) => Held::Number(known.wrapping_add_signed(number)),
            _ => Held::Anything,
        }
    }

    /// The sum of two registers.
    fn sum(&self, one: u32, other: u32) -> Held {
        let known = [one, other].map(|it| self.held[it as usize]);
        match known {
            [Held::Number(known), _] | [_, Held::Number(known)] => Held::Beyond(known),
            _ => Held::Anything,
        }
    }

    /// The word that is so far from where a register points.
    fn word(&self, register: u32, offset: i32) -> Held {
        match self.held[register as usize] {
            Held::Beyond(known) => Held::WordOf(known.wrapping_add_signed(offset)),
            _ => Held::Anything,
        }
    }
}

/// An instruction of 32 bits.
fn long(address: u32, word: u32, registers: &mut Registers) -> Option<Effect> {
    const RETURN_FROM_TRAP: u32 = 0x3020_0073;
    if word == RETURN_FROM_TRAP {
        return Some(Effect::Leave);
    }
    let [destination, source, other] = [7, 15, 20].map(|bit| word >> bit & 31);
    let function = word >> 12 & 7;
    let immediate = word.cast_signed() >> 20;
    let known = registers.upper[source as usize];
    let to = |offset: i32| address.wrapping_add_signed(offset);
    let effect = match (word & 0x7F, function) {
        // LUI, AUIPC
        (0x37, _) => {
            registers.put(destination, word & !0xFFF);
            return None;
        }
        (0x17, _) => {
            registers.further_on = (word >> 12 == 0).then_some(destination);
            registers.put(destination, address.wrapping_add(word & !0xFFF));
            return None;
        }
        // ADDI
        (0x13, 0) if destination == SP => take(source, immediate),
        (0x13, 0) => known.map(|known| Effect::Address(known.wrapping_add_signed(immediate))),
        // ADD, SUB
        (0x33, 0) if destination == SP && [source, other].contains(&SP) => {
            Some(Effect::TakeAnything)
        }
        // JAL
        (0x6F, _) => {
            let offset = word >> 20 & 0x7FE | word >> 9 & 0x800 | word & 0xF_F000;
            let offset = offset.cast_signed() | (word.cast_signed() >> 31) << 20;
            let target = to(offset);
            Some(match LINKS.contains(&destination) {
                true => Effect::Call(target),
                false => Effect::Jump(target),
            })
        }
        // JALR
        (0x67, 0) if known.is_none() && registers.further_on == Some(source) => None,
        (0x67, 0) => jump(
            destination,
            source,
            registers.held[source as usize],
            immediate,
        ),
        // Branches
        (0x63, _) => {
            let offset = word >> 7 & 0x1E | word >> 20 & 0x7E0 | word << 4 & 0x800;
            let offset = offset.cast_signed() | (word.cast_signed() >> 31) << 12;
            Some(Effect::Jump(to(offset)))
        }
        _ => None,
    };
    // A store or a branch has no destination.
    if ![0x23, 0x63].contains(&(word & 0x7F)) {
        let held = match (word & 0x7F, function) {
            (0x13, 0) => registers.more(source, immediate),
            (0x33, 0) if word >> 25 == 0 => registers.sum(source, other),
            (0x03, 2) => registers.word(source, immediate),
            _ => Held::Anything,
        };
        registers.set(destination, held);
        let further_on = &mut registers.further_on;
        further_on.take_if(|it| *it == destination && word & 0x7F != 0x33);
    }
    effect
}

/// One of 16 bits.
fn short(address: u32, word: u32, registers: &mut Registers) -> Option<Effect> {
    let register = word >> 7 & 31;
    let known = registers.upper[register as usize];
    let signed = (word >> 2 & 31) | ((word >> 12 & 1) * 0xFFFF_FFE0);
    let to = |offset: i32| address.wrapping_add_signed(offset);
    // Each bit of the word goes to its place in the offset, whose highest one is its sign.
    let offset = |sign: u32, bits: &[(u32, u32)]| {
        let offset: u32 = bits.iter().map(|(from, at)| (word >> from & 1) << at).sum();
        (offset << (31 - sign)).cast_signed() >> (31 - sign)
    };
    match (word & 3, word >> 13) {
        // C.ADDI, C.ADDI16SP, C.LUI
        (1, 0) if register == SP => take(SP, signed.cast_signed()),
        (1, 0) => {
            let held = registers.more(register, signed.cast_signed());
            registers.set(register, held);
            known.map(|known| Effect::Address(known.wrapping_add(signed)))
        }
        (1, 3) if register == SP => {
            let low = word >> 2 & 0x10 | word << 3 & 0x20 | word << 1 & 0x40 | word << 4 & 0x180;
            let sign = (word >> 12 & 1) * 0xFFFF_FE00;
            take(SP, (low | sign).cast_signed())
        }
        (1, 3) => {
            registers.put(register, signed << 12);
            None
        }
        // C.JAL, C.J
        (1, 1 | 5) => {
            let bits = [
                (12, 11),
                (11, 4),
                (10, 9),
                (9, 8),
                (8, 10),
                (7, 6),
                (6, 7),
                (5, 3),
                (4, 2),
                (3, 1),
                (2, 5),
            ];
            let target = to(offset(11, &bits));
            Some(match word >> 13 {
                1 => Effect::Call(target),
                _ => Effect::Jump(target),
            })
        }
        // C.BEQZ, C.BNEZ
        (1, 6 | 7) => {
            let bits = [
                (12, 8),
                (11, 4),
                (10, 3),
                (6, 7),
                (5, 6),
                (4, 2),
                (3, 1),
                (2, 5),
            ];
            Some(Effect::Jump(to(offset(8, &bits))))
        }
        // C.JR, C.JALR; with a second register they are C.MV and C.ADD
        (2, 4) if word >> 2 & 31 == 0 && register != 0 => {
            let link = word >> 12 & 1;
            jump(link, register, registers.held[register as usize], 0)
        }
        (2, 4) if register == SP && word >> 12 & 1 == 1 => Some(Effect::TakeAnything),
        // C.LW
        (0, 2) => {
            let offset = word >> 7 & 0x38 | word >> 4 & 4 | word << 1 & 0x40;
            let held = registers.word(8 + (word >> 7 & 7), offset.cast_signed());
            registers.set(8 + (word >> 2 & 7), held);
            None
        }
        // C.ADDI4SPN, and other loads
        (0, ..=4) => {
            registers.set(8 + (word >> 2 & 7), Held::Anything);
            None
        }
        // C.SRLI to C.AND
        (1, 4) => {
            registers.set(8 + (word >> 7 & 7), Held::Anything);
            None
        }
        // The stores
        (0, _) | (2, 5..) => None,
        // C.MV, C.ADD
        (2, 4) => {
            let other = word >> 2 & 31;
            let held = match word >> 12 & 1 {
                0 => registers.held[other as usize],
                _ => registers.sum(register, other),
            };
            registers.set(register, held);
            None
        }
        _ => {
            registers.set(register, Held::Anything);
            None
        }
    }
}

/// The stack pointer becomes `immediate` more than what `source` holds.
fn take(source: u32, immediate: i32) -> Option<Effect> {
    (source == SP && immediate < 0).then(|| Effect::Take(immediate.unsigned_abs()))
}

/// To what a register says, or returns.
fn jump(destination: u32, source: u32, held: Held, immediate: i32) -> Option<Effect> {
    let is_call = LINKS.contains(&destination);
    match held {
        Held::Number(known) => {
            let target = known.wrapping_add_signed(immediate);
            Some(match is_call {
                true => Effect::Call(target),
                false => Effect::Jump(target),
            })
        }
        _ if is_call => Some(Effect::CallAnything),
        _ if LINKS.contains(&source) => Some(Effect::Return),
        Held::WordOf(table) if immediate == 0 => Some(Effect::JumpBy(table)),
        _ => Some(Effect::JumpAnywhere),
    }
}
