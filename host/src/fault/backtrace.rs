//! Which words of a stack are return addresses.

use super::Record;
use super::registers::Family;
use crate::build::elf::Linked;

/// Program counter, then the calls that led there, newest first, as addresses within the calling
/// instructions. A word counts as a return address only if it follows a call.
#[must_use]
pub(super) fn addresses(record: &Record, program: &Linked, family: &dyn Family) -> Vec<u32> {
    let [_, link, counter] = family.pointers().map(|position| record.register(position));
    let mut calls: Vec<u32> = Vec::new();
    for word in std::iter::once(&link).chain(&record.trace) {
        if let Some(call) = family.call_before(program, *word)
            && calls.last() != Some(&call)
        {
            calls.push(call);
        }
    }
    // The link register is stale once the function has called another: then its caller is on the
    // stack too.
    if let [first, rest @ ..] = &*calls
        && rest.contains(first)
    {
        calls.remove(0);
    }
    // A stack overflow while the processor saves the registers leaves none of them.
    let here = (counter != 0).then(|| family.code_address(counter));
    here.into_iter().chain(calls).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Architecture;
    use crate::build::elf::Piece;
    use crate::fault::registers::family;

    /// nop; bl +0; blx r3; nop at 0x100.
    fn program() -> Linked {
        let bytes = [0xBF00_u16, 0xF000, 0xF800, 0x4798, 0xBF00];
        let bytes = bytes.into_iter().flat_map(u16::to_le_bytes).collect();
        let mut program = Linked::default();
        program.pieces.push(Piece {
            address: 0x100,
            bytes,
        });
        program
    }

    fn record(link: u32, trace: &[u32]) -> Record {
        let mut registers = vec![0; 17];
        registers[14] = link;
        registers[15] = 0x108;
        Record {
            registers,
            trace: trace.to_vec(),
            ..Record::default()
        }
    }

    fn addresses(record: &Record, program: &Linked) -> Vec<u32> {
        super::addresses(record, program, family(Architecture::Armv7m))
    }

    #[test]
    fn only_a_word_behind_a_call_is_a_return_address() {
        let trace = [0x107, 0x109, 0x103, 0x106, 0xFFFF_FFFD, 0x2000_0001];
        assert_eq!(
            addresses(&record(0, &trace), &program()),
            [0x108, 0x102, 0x106]
        );
    }

    #[test]
    fn registers_that_could_not_be_saved_are_not_shown_as_a_place() {
        let mut record = record(0, &[0x107]);
        record.registers[15] = 0;
        assert_eq!(addresses(&record, &program()), [0x102]);
    }

    #[test]
    fn the_link_register_counts_once() {
        assert_eq!(
            addresses(&record(0x107, &[0x107]), &program()),
            [0x108, 0x102]
        );
        assert_eq!(
            addresses(&record(0x107, &[0x109, 0x107]), &program()),
            [0x108, 0x106, 0x102]
        );
    }
}
