//! Counts what happened between the markers of a benchmark, in the log of an emulator or a simulator.
//!
//! A benchmark marks the beginning and the end of its measured loop by a store to an address of
//! its timer where no register is; an emulator logs it in order with the exceptions, a simulator with the
//! instructions that were retired before.

use std::io::BufRead;

/// The store that begins a measured loop, as each board's emulator words it.
const BEGIN: [&str; 2] = [
    "timer write: bad offset 0x800",
    "rtc_write: offset 0x18 is UNIMP.",
];
/// The store that ends it.
const END: [&str; 2] = [
    "timer write: bad offset 0x804",
    "rtc_write: offset 0x20 is UNIMP.",
];
/// One exception taken.
const TAKEN: [&str; 2] = ["...taking pending", "riscv_cpu_do_interrupt: "];

/// A marker store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// That begins a measured loop.
    Begin,
    /// That ends it.
    End,
}

/// The marker store that a line of an emulator's log tells of.
#[must_use]
pub fn mark(line: &str) -> Option<Mark> {
    if BEGIN.iter().any(|text| line.ends_with(text)) {
        Some(Mark::Begin)
    } else if END.iter().any(|text| line.ends_with(text)) {
        Some(Mark::End)
    } else {
        None
    }
}

/// The exceptions of each measured loop, in order.
#[must_use]
pub fn exceptions(log: impl BufRead) -> Vec<u64> {
    let mut counts = Vec::new();
    let mut open: Option<u64> = None;
    for line in log.lines().map_while(Result::ok) {
        if TAKEN.iter().any(|text| line.starts_with(text)) {
            open = open.map(|count| count + 1);
            continue;
        }
        match mark(&line) {
            Some(Mark::Begin) => open = Some(0),
            Some(Mark::End) => counts.extend(open.take()),
            None => {}
        }
    }
    counts
}

/// The instructions of each measured loop, in order, in a simulator's log.
#[must_use]
pub fn retired(log: impl BufRead) -> Vec<u64> {
    let mut counts = Vec::new();
    let mut begun: Option<u64> = None;
    for line in log.lines().map_while(Result::ok) {
        let words: Vec<_> = line.split(' ').collect();
        let ["mark", _, count, what] = words[..] else {
            continue;
        };
        let count = count.parse().ok();
        match what {
            "begin" => begun = count,
            _ => counts.extend(begun.take().zip(count).map(|(begun, end)| end - begun)),
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simulator_counts_the_instructions_between_markers() {
        let log = "\
report 90 0x00000001
mark 100 40 begin
mark 250 140 end
mark 300 150 begin
mark 390 180 end
";
        assert_eq!(retired(log.as_bytes()), [100, 30]);
    }

    #[test]
    fn only_exceptions_between_markers_count() {
        let log = "\
...taking pending nonsecure exception 11
CMSDK APB timer write: bad offset 0x800
Taking exception 2 [SVC] on CPU 0
...taking pending nonsecure exception 11
...loading from element 11 of non-secure vector table at 0x2c
Taking exception 8 [QEMU v7M exception exit] on CPU 0
...successful exception return
...taking pending nonsecure exception 14
CMSDK APB timer write: bad offset 0x804
...taking pending nonsecure exception 11
CMSDK APB timer write: bad offset 0x800
CMSDK APB timer write: bad offset 0x804
";
        assert_eq!(exceptions(log.as_bytes()), [2, 0]);
    }

    #[test]
    fn a_risc_v_board_words_them_in_its_own_way() {
        let log = "\
goldfish_rtc_write: offset 0x18 is UNIMP.
riscv_cpu_do_interrupt: hart:0, async:0, cause:00000008, epc:0x800104c6, tval:0x00000000, desc=user_ecall
goldfish_rtc_write: offset 0x20 is UNIMP.
";
        assert_eq!(exceptions(log.as_bytes()), [1]);
    }
}
