//! What instructions of RV32IMAC do to the stack (The RISC-V Instruction Set Manual, volume I).

use super::{Code, Effect};

/// The stack pointer.
const SP: u32 = 2;
/// Registers that hold where to return to.
const LINKS: [u32; 2] = [1, 5];

/// What counts, and where.
pub fn effects(code: &Code<'_>) -> Vec<(u32, Effect)> {
    let mut effects = vec![];
    let mut address = code.base;
    let mut registers = Registers::default();
    while let Some(first) = code.half(address).map(u32::from) {
        if first & 3 == 3 {
            let second = code.half(address + 2).map_or(0, u32::from);
            let effect = long(address, first | second << 16, &mut registers);
            effects.extend(effect.map(|effect| (address, effect)));
            address += 4;
        } else {
            let effect = short(address, first, &mut registers.upper);
            effects.extend(effect.map(|effect| (address, effect)));
            address += 2;
        }
    }
    effects
}

/// What is known of registers.
#[derive(Default)]
struct Registers {
    /// What the last LUI or AUIPC has put into each.
    upper: [Option<u32>; 32],
    /// The one that holds some place further on, counted from where the function is: it jumps into
    /// instructions that are there many times.
    further_on: Option<u32>,
}

/// An instruction of 32 bits.
fn long(address: u32, word: u32, registers: &mut Registers) -> Option<Effect> {
    const RETURN_FROM_TRAP: u32 = 0x3020_0073;
    if word == RETURN_FROM_TRAP {
        return Some(Effect::Leave);
    }
    let Registers { upper, further_on } = registers;
    let [destination, source, other] = [7, 15, 20].map(|bit| word >> bit & 31);
    let function = word >> 12 & 7;
    let immediate = word.cast_signed() >> 20;
    let known = upper[source as usize];
    let to = |offset: i32| address.wrapping_add_signed(offset);
    let effect = match (word & 0x7F, function) {
        // LUI, AUIPC
        (0x37, _) => {
            upper[destination as usize] = Some(word & !0xFFF);
            return None;
        }
        (0x17, _) => {
            *further_on = (word >> 12 == 0).then_some(destination);
            upper[destination as usize] = Some(address.wrapping_add(word & !0xFFF));
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
        (0x67, 0) if known.is_none() && *further_on == Some(source) => None,
        (0x67, 0) => jump(destination, source, known, immediate),
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
        upper[destination as usize] = None;
        further_on.take_if(|it| *it == destination && word & 0x7F != 0x33);
    }
    effect
}

/// One of 16 bits.
fn short(address: u32, word: u32, upper: &mut [Option<u32>; 32]) -> Option<Effect> {
    let register = word >> 7 & 31;
    let known = upper[register as usize];
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
            upper[register as usize] = None;
            known.map(|known| Effect::Address(known.wrapping_add(signed)))
        }
        (1, 3) if register == SP => {
            let low = word >> 2 & 0x10 | word << 3 & 0x20 | word << 1 & 0x40 | word << 4 & 0x180;
            let sign = (word >> 12 & 1) * 0xFFFF_FE00;
            take(SP, (low | sign).cast_signed())
        }
        (1, 3) => {
            upper[register as usize] = Some(signed << 12);
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
            jump(link, register, known, 0)
        }
        (2, 4) if register == SP && word >> 12 & 1 == 1 => Some(Effect::TakeAnything),
        _ => {
            if word & 3 == 2 || word & 3 == 1 {
                upper[register as usize] = None;
            }
            None
        }
    }
}

/// The stack pointer becomes `immediate` more than what `source` holds.
fn take(source: u32, immediate: i32) -> Option<Effect> {
    (source == SP && immediate < 0).then(|| Effect::Take(immediate.unsigned_abs()))
}

/// To what a register says, or returns.
fn jump(destination: u32, source: u32, known: Option<u32>, immediate: i32) -> Option<Effect> {
    let is_call = LINKS.contains(&destination);
    match known {
        Some(known) => {
            let target = known.wrapping_add_signed(immediate);
            Some(match is_call {
                true => Effect::Call(target),
                false => Effect::Jump(target),
            })
        }
        None if is_call => Some(Effect::CallAnything),
        None if LINKS.contains(&source) => None,
        None => Some(Effect::JumpAnywhere),
    }
}
