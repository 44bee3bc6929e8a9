//! The simulator's log: lines `report` and `mode`. Probes are not of interest here.

use std::io::BufRead;

use miette::{IntoDiagnostic, miette};

/// How much an instruction may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privilege {
    /// A process.
    User,
    /// The kernel.
    Machine,
}

/// A line of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A program stored a word in REPORT.
    Report {
        /// When.
        cycle: u64,
        /// The word.
        value: u32,
    },
    /// The mode changed.
    Mode {
        /// The first cycle in the new mode.
        cycle: u64,
        /// Its privilege.
        privilege: Privilege,
        /// satp: the address space.
        space: u32,
        /// The instruction that retired last before.
        from: u32,
        /// The instruction that retired first after.
        to: u32,
    },
}

/// All entries, in order.
///
/// # Errors
/// A line that is none, with its number.
pub fn read(log: impl BufRead) -> miette::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for (index, line) in log.lines().enumerate() {
        let line = line.into_diagnostic()?;
        if line.starts_with("probe ") {
            continue;
        }
        let number = index + 1;
        let entry = entry(&line).ok_or_else(|| {
            miette!("line {number} of the simulator's log makes no sense: {line}")
        })?;
        entries.push(entry);
    }
    Ok(entries)
}

fn entry(line: &str) -> Option<Entry> {
    let words: Vec<&str> = line.split(' ').collect();
    match words[..] {
        ["report", cycle, value] => Some(Entry::Report {
            cycle: cycle.parse().ok()?,
            value: hexadecimal("", value)?,
        }),
        ["mode", cycle, privilege, space, from, to] => Some(Entry::Mode {
            cycle: cycle.parse().ok()?,
            privilege: match privilege {
                "0" => Privilege::User,
                "3" => Privilege::Machine,
                _ => return None,
            },
            space: hexadecimal("satp=", space)?,
            from: hexadecimal("from=", from)?,
            to: hexadecimal("to=", to)?,
        }),
        _ => None,
    }
}

fn hexadecimal(name: &str, word: &str) -> Option<u32> {
    u32::from_str_radix(word.strip_prefix(name)?.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_entries_and_probes_are_left_out() {
        let log = "report 7 0x0000002a\nprobe 8 here satp=0x00000000\n\
                   mode 9 0 satp=0x80000001 from=0x00000010 to=0x00000020\n";
        let mode = Entry::Mode {
            cycle: 9,
            privilege: Privilege::User,
            space: 0x8000_0001,
            from: 0x10,
            to: 0x20,
        };
        let report = Entry::Report {
            cycle: 7,
            value: 42,
        };
        assert_eq!(read(log.as_bytes()).unwrap(), [report, mode]);
    }

    #[test]
    fn a_line_that_makes_no_sense_is_named() {
        for line in [
            "mode 9 1 satp=0x0 from=0x0 to=0x0",
            "report 7",
            "mode 9 0 satp=0x0",
        ] {
            let log = format!("report 1 0x1\n{line}\n");
            let error = read(log.as_bytes()).unwrap_err().to_string();
            assert!(
                error.starts_with("line 2 ") && error.ends_with(line),
                "{error}"
            );
        }
    }
}
