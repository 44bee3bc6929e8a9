//! What Thumb instructions do to the stack (ARMv7-M Architecture Reference Manual, chapter A7).

use super::{Code, Effect};

/// The stack pointer.
const SP: u32 = 13;

/// What counts, and where.
pub fn effects(code: &Code<'_>) -> Vec<(u32, Effect)> {
    let mut effects = vec![];
    let mut address = code.base;
    // The last lower half that was moved to each register.
    let mut low = [0; 16];
    while let Some(first) = code.half(address).map(u32::from) {
        if code.data.holds(address) {
            address += 2;
        } else if first >> 11 < 0b11101 {
            effects.extend(short(address, first).map(|effect| (address, effect)));
            address += 2;
        } else {
            let second = code.half(address + 2).map_or(0, u32::from);
            let effect = long(address, first, second, &mut low);
            effects.extend(effect.map(|effect| (address, effect)));
            address += 4;
        }
    }
    effects
}

/// An instruction of 16 bits.
fn short(address: u32, word: u32) -> Option<Effect> {
    let jump = |offset: i32| Effect::Jump((address + 4).wrapping_add_signed(offset));
    match word {
        // PUSH
        _ if word >> 9 == 0b101_1010 => Some(Effect::Take((word & 0x1FF).count_ones() * 4)),
        // SUB SP, #
        _ if word >> 7 == 0b1_0110_0001 => Some(Effect::Take((word & 0x7F) * 4)),
        // B
        _ if word >> 11 == 0b11100 => Some(jump(extend(word << 1, 12))),
        // B<c>; the conditions 14 and 15 are other instructions
        _ if word >> 12 == 0b1101 && word >> 9 & 7 != 7 => Some(jump(extend(word << 1, 9))),
        // BLX
        _ if word >> 7 == 0b0_1000_1111 => Some(Effect::CallAnything),
        // BX, but for LR: that returns
        _ if word >> 7 == 0b0_1000_1110 && word >> 3 & 15 != 14 => Some(Effect::JumpAnywhere),
        // MOV PC; ADD PC
        _ if word & 0xFF87 == 0x4687 || word & 0xFF87 == 0x4487 => Some(Effect::JumpAnywhere),
        // ADD SP: by a register, so down or up
        _ if word & 0xFF87 == 0x4485 => Some(Effect::TakeAnything),
        _ => None,
    }
}

/// One of 32 bits.
fn long(address: u32, first: u32, second: u32, low: &mut [u32; 16]) -> Option<Effect> {
    let destination = second >> 8 & 15;
    match first & 0xFBF0 {
        // MOVW, MOVT
        0xF240 | 0xF2C0 => {
            let value =
                first << 12 & 0xF000 | first << 1 & 0x0800 | second >> 4 & 0x0700 | second & 0xFF;
            if first & 0xFBF0 == 0xF240 {
                low[destination as usize] = value;
                return None;
            }
            return Some(Effect::Address(low[destination as usize] | value << 16));
        }
        _ => {}
    }
    let immediate = || first << 1 & 0x800 | second >> 4 & 0x700 | second & 0xFF;
    // ADR: behind the instruction, or before it.
    match first & 0xFBFF {
        0xF20F => return Some(Effect::Address((address & !3) + 4 + immediate())),
        0xF2AF => return Some(Effect::Address((address & !3) + 4 - immediate())),
        _ => {}
    }
    match first {
        // LDR PC: only the ways out of the kernel have it; but POP {PC} returns
        _ if first & 0xFF70 == 0xF850 && second >> 12 == 15 && first & 15 != SP => {
            return Some(Effect::Leave);
        }
        // STMDB SP!
        0xE92D => return Some(Effect::Take(second.count_ones() * 4)),
        // STR [SP, #-]!
        0xF84D if second & 0xF00 == 0xD00 => return Some(Effect::Take(second & 0xFF)),
        // STRD [SP, #-]!
        0xE96D => return Some(Effect::Take((second & 0xFF) * 4)),
        // VPUSH
        0xED2D | 0xED6D => return Some(Effect::Take((second & 0xFF) * 4)),
        // SUB SP, SP, register
        0xEBAD | 0xEBBD if destination == SP => return Some(Effect::TakeAnything),
        _ => {}
    }
    match first & 0xFBFF {
        // SUB SP, SP, #
        0xF1AD | 0xF1BD if destination == SP => return Some(Effect::Take(expand(immediate()))),
        0xF2AD if destination == SP => return Some(Effect::Take(immediate())),
        _ => {}
    }
    branch(address, first, second)
}

fn branch(address: u32, first: u32, second: u32) -> Option<Effect> {
    if first >> 11 != 0b11110 || second >> 15 == 0 {
        return None;
    }
    let sign = first >> 10 & 1;
    let [one, two] = [13, 11].map(|bit| second >> bit & 1);
    let target = |offset: i32| (address + 4).wrapping_add_signed(offset);
    let far = || {
        let high = sign << 24 | (one ^ sign ^ 1) << 23 | (two ^ sign ^ 1) << 22;
        extend(high | (first & 0x3FF) << 12 | (second & 0x7FF) << 1, 25)
    };
    match second >> 12 & 0b101 {
        // BL
        0b101 => Some(Effect::Call(target(far()))),
        // B.W
        0b001 => Some(Effect::Jump(target(far()))),
        // B<c>.W; the conditions 14 and 15 are other instructions
        0b000 if first >> 7 & 7 != 7 => {
            let high = sign << 20 | two << 19 | one << 18;
            let offset = high | (first & 0x3F) << 12 | (second & 0x7FF) << 1;
            Some(Effect::Jump(target(extend(offset, 21))))
        }
        _ => None,
    }
}

/// A constant of 12 bits as the instruction set expands it, of those that can be added to SP.
fn expand(immediate: u32) -> u32 {
    let byte = immediate & 0xFF;
    match immediate >> 8 {
        0 => byte,
        1 => byte << 16 | byte,
        2 => byte << 24 | byte << 8,
        3 => byte * 0x0101_0101,
        _ => (0x80 | byte & 0x7F).rotate_right(immediate >> 7),
    }
}

/// The low `bits` of a number as a signed one.
fn extend(number: u32, bits: u32) -> i32 {
    (number << (32 - bits)).cast_signed() >> (32 - bits)
}
