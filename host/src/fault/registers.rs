//! What a processor family calls its registers, and how its calls look.

use crate::board::Architecture;
use crate::build::elf::Linked;

/// A processor family, as far as a fault report needs to know it.
pub(super) trait Family {
    /// Names of a record's registers, in its order.
    fn names(&self) -> Vec<String>;

    /// Positions of the stack pointer, the link register and the program counter.
    fn pointers(&self) -> [usize; 3];

    /// The address of the call before `return_address`, if there is one.
    fn call_before(&self, program: &Linked, return_address: u32) -> Option<u32>;

    /// An address in the code, without what else the word may say.
    fn code_address(&self, word: u32) -> u32;
}

/// What is known of a processor family.
pub(super) fn family(architecture: Architecture) -> &'static dyn Family {
    match architecture {
        Architecture::Armv7m => &Armv7m,
        Architecture::Riscv => &Riscv,
    }
}

struct Armv7m;

impl Family for Armv7m {
    fn names(&self) -> Vec<String> {
        let general = (0..13).map(|n| format!("r{n}"));
        let special = ["sp", "lr", "pc", "xpsr"].map(str::to_owned);
        general.chain(special).collect()
    }

    fn pointers(&self) -> [usize; 3] {
        [13, 14, 15]
    }

    fn call_before(&self, program: &Linked, return_address: u32) -> Option<u32> {
        if return_address & 1 == 0 {
            return None;
        }
        let target = return_address & !1;
        let narrow = half_word(program, target.checked_sub(2)?)?;
        if narrow & 0xFF87 == 0x4780 {
            return Some(target - 2);
        }
        let wide = half_word(program, target.checked_sub(4)?)?;
        (wide & 0xF800 == 0xF000 && narrow & 0xD000 == 0xD000).then_some(target - 4)
    }

    /// Bit 0 says that it is Thumb code.
    fn code_address(&self, word: u32) -> u32 {
        word & !1
    }
}

struct Riscv;

impl Family for Riscv {
    fn names(&self) -> Vec<String> {
        [
            "pc", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3",
            "a4", "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11",
            "t3", "t4", "t5", "t6",
        ]
        .map(str::to_owned)
        .into()
    }

    fn pointers(&self) -> [usize; 3] {
        [2, 1, 0]
    }

    /// `c.jal` and `c.jalr`, or `jal` and `jalr` that link to `ra`.
    fn call_before(&self, program: &Linked, return_address: u32) -> Option<u32> {
        if return_address & 1 != 0 {
            return None;
        }
        let last = half_word(program, return_address.checked_sub(2)?)?;
        let compressed_jal = last & 0xE003 == 0x2001;
        let compressed_jalr = last & 0xF07F == 0x9002 && last & 0x0F80 != 0;
        let first = half_word(program, return_address.checked_sub(4)?);
        let linking = |first: &u16| [0x00EF, 0x00E7].contains(&(first & 0x0FFF));
        if first.as_ref().is_some_and(linking) {
            return Some(return_address - 4);
        }
        (compressed_jal || compressed_jalr).then_some(return_address - 2)
    }

    fn code_address(&self, word: u32) -> u32 {
        word
    }
}

fn half_word(program: &Linked, address: u32) -> Option<u16> {
    program.pieces.iter().find_map(|piece| {
        let offset = address.checked_sub(piece.address)? as usize;
        let bytes = piece.bytes.get(offset..offset + 2)?;
        Some(u16::from_le_bytes([bytes[0], bytes[1]]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::elf::Piece;

    fn program(half_words: &[u16]) -> Linked {
        let bytes = half_words.iter().flat_map(|word| word.to_le_bytes());
        let mut program = Linked::default();
        program.pieces.push(Piece {
            address: 0x100,
            bytes: bytes.collect(),
        });
        program
    }

    #[test]
    fn a_risc_v_return_address_follows_a_call() {
        // c.nop; jal ra, 0; c.jalr a0; jalr ra, 0(a1); c.jal 0; c.nop
        let program = program(&[
            0x0001, 0x00EF, 0x0000, 0x9502, 0x80E7, 0x0005, 0x2001, 0x0001,
        ]);
        let call = |address| Riscv.call_before(&program, address);
        for (address, before) in [
            (0x106, 0x102),
            (0x108, 0x106),
            (0x10C, 0x108),
            (0x10E, 0x10C),
        ] {
            assert_eq!(call(address), Some(before), "{address:#x}");
        }
        for address in [0x102, 0x104, 0x107, 0x110, 0x2000, 0] {
            assert_eq!(call(address), None, "{address:#x}");
        }
    }

    #[test]
    fn every_register_of_a_record_has_a_name() {
        let [stack, link, counter] = Riscv.pointers();
        let names = Riscv.names();
        assert_eq!(names.len(), riposte_abi::fault::REGISTERS);
        assert_eq!(
            [&names[stack], &names[link], &names[counter]],
            ["sp", "ra", "pc"]
        );
        let [stack, link, counter] = Armv7m.pointers();
        let names = Armv7m.names();
        assert_eq!(
            [&names[stack], &names[link], &names[counter]],
            ["sp", "lr", "pc"]
        );
    }
}
