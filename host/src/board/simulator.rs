//! `[simulator]` of a board: which core of `sim/` it is, and the memory around it.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use clap::Args;
use serde::Deserialize;

use crate::plan::Region;
use crate::source::{At, Place, Refusal, Source};

/// Where the simulator's RAM begins.
pub const RAM: u32 = 0x8000_0000;

/// Cycles after which a run is stopped, unless the board says otherwise.
const MAX_CYCLES: u64 = 400_000_000;

/// A cycle-accurate simulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulator {
    /// The core.
    pub core: Core,
    /// The RAM's latency.
    pub latency: Latency,
    /// Ports of the RAM: 1, or 2 if instructions and data have one each.
    pub ports: u8,
    /// KiB of the second-level cache, if there is one.
    pub l2: Option<u32>,
    /// What a suite calls this memory, if it is one of its models.
    pub model: Option<String>,
    /// A run is stopped after as many cycles.
    pub max_cycles: u64,
    /// Bytes of RAM.
    pub ram: u32,
}

/// A core of `sim/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Core {
    /// Ibex, RV32IMC with PMP.
    Ibex,
    /// VexRiscv, RV32IMA with Sv32.
    Vexriscv,
}

impl Core {
    /// Its name, as `sim/build` knows it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Core::Ibex => "ibex",
            Core::Vexriscv => "vexriscv",
        }
    }

    /// The package that it comes in, and its version.
    #[must_use]
    pub fn package(self, root: &Path) -> Option<(String, String)> {
        let table = std::fs::read_to_string(root.join("sim/cores")).ok()?;
        let mut rows = table.lines().map(str::split_whitespace);
        let mut row = rows.find(|row| row.clone().next() == Some(self.name()))?;
        Some((row.nth(1)?.to_owned(), row.next()?.to_owned()))
    }

    /// Letters of the instruction-set extensions that it has.
    #[must_use]
    pub fn extensions(self) -> &'static str {
        match self {
            Core::Ibex => "imc",
            Core::Vexriscv => "ima",
        }
    }

    /// The Rust target of its programs.
    #[must_use]
    pub fn target(self) -> &'static str {
        match self {
            Core::Ibex => "riscv32imc-unknown-none-elf",
            Core::Vexriscv => "riscv32im-unknown-none-elf",
        }
    }

    /// The first extension among the single letters of `architecture` (such as `rv32imac`, or an
    /// ELF file's `rv32i2p1_m2p0_a2p1`) that the core does not have.
    #[must_use]
    pub fn lacks(self, architecture: &str) -> Option<char> {
        let isa = architecture.split("32").nth(1)?.split('-').next()?;
        let versioned = isa.contains(|c: char| c.is_ascii_digit());
        // A person may have written any letters.
        let single = |part: &&str| {
            let second = part.chars().nth(1);
            !versioned || second.is_some_and(|it| it.is_ascii_digit())
        };
        let parts = isa
            .split('_')
            .filter(|part| !part.is_empty())
            .filter(single);
        let letters =
            parts.flat_map(|part| part.chars().take(if versioned { 1 } else { part.len() }));
        letters
            .into_iter()
            .find(|it| !self.extensions().contains(*it))
    }
}

/// The RAM's latency in cycles, request and answer included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// Of the first word of a read.
    pub first: u16,
    /// Of each next word of a burst.
    pub next: u16,
    /// Of a write.
    pub write: u16,
}

impl Latency {
    const BLOCK_RAM: Latency = Latency {
        first: 2,
        next: 1,
        write: 2,
    };
    const EXPECTED: &str = "three numbers of cycles, of a first word, a next word of a burst, and a \
        write: the first and the last from 2 to 1000, the second from 1 to 1000, as in 2,1,2";

    fn of(numbers: &[i64]) -> Option<Latency> {
        let &[first, next, write] = numbers else {
            return None;
        };
        let within = |number: i64, least| {
            let number = u16::try_from(number).ok()?;
            (least..=1000).contains(&number).then_some(number)
        };
        Some(Latency {
            first: within(first, 2)?,
            next: within(next, 1)?,
            write: within(write, 2)?,
        })
    }
}

impl FromStr for Latency {
    type Err = String;

    fn from_str(text: &str) -> Result<Latency, String> {
        let numbers: Result<Vec<i64>, _> = text.split(',').map(str::parse).collect();
        let latency = numbers.ok().and_then(|numbers| Latency::of(&numbers));
        latency.ok_or_else(|| format!("write {}", Latency::EXPECTED))
    }
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Latency { first, next, write } = self;
        write!(f, "{first},{next},{write}")
    }
}

/// The memory that the command line or a suite asks for, as far as it differs from the board's.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// On a simulated board, cycles of a first word, a next word of a burst, and a write
    #[arg(long = "ram-latency", value_name = "F,N,W")]
    pub latency: Option<Latency>,
    /// On a simulated board, 1 if instructions and data share a port of the RAM, else 2
    #[arg(long = "ram-ports", value_name = "N", value_parser = clap::value_parser!(u8).range(1..=2))]
    pub ports: Option<u8>,
    /// On a simulated board, KiB of a second-level cache before the RAM
    #[arg(long, value_name = "KIB", value_parser = cache_size)]
    pub l2: Option<u32>,
}

impl Memory {
    /// Whether nothing is asked for.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Memory::default()
    }
}

fn cache_size(text: &str) -> Result<u32, String> {
    let size = text.parse().ok().filter(|size| is_cache_size(*size));
    size.ok_or_else(|| CACHE_SIZE.into())
}

fn is_cache_size(kib: u32) -> bool {
    kib.is_power_of_two() && kib <= 4096
}

const CACHE_SIZE: &str = "write KiB: a power of two up to 4096";

impl Simulator {
    /// Changes the memory as it is asked for.
    pub fn change(&mut self, memory: &Memory) {
        self.latency = memory.latency.unwrap_or(self.latency);
        self.ports = memory.ports.unwrap_or(self.ports);
        self.l2 = memory.l2.or(self.l2);
    }

    /// The simulator's arguments for a run of an image.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = vec![
            "--ram-latency".to_owned(),
            self.latency.to_string(),
            "--ram-ports".to_owned(),
            self.ports.to_string(),
            "--ram-size".to_owned(),
            (self.ram / 1024).to_string(),
            "--max-cycles".to_owned(),
            self.max_cycles.to_string(),
        ];
        if let Some(size) = self.l2 {
            arguments.extend(["--l2".to_owned(), size.to_string()]);
        }
        arguments
    }

    /// The memory, in words: it belongs to every figure.
    #[must_use]
    pub fn memory(&self) -> String {
        let name = self.model.as_ref();
        let name = name.map_or_else(String::new, |name| format!("{name}: "));
        let ports = match self.ports {
            1 => "one port",
            _ => "two ports",
        };
        let cache = self.l2.map_or_else(String::new, |size| {
            format!(", second-level cache of {size} KiB")
        });
        format!("{name}RAM latency {}, {ports}{cache}", self.latency)
    }
}

/// The keys of a memory as a file writes them, in `board.toml` as in a suite's `reference.toml`.
pub struct WrittenMemory<'a> {
    /// `ram_latency`
    pub latency: Option<&'a At<Vec<i64>>>,
    /// `ram_ports`
    pub ports: Option<&'a At<i64>>,
    /// `l2`
    pub l2: Option<&'a At<i64>>,
}

impl WrittenMemory<'_> {
    /// The memory; what is refused goes to `wrong`.
    pub fn resolve(&self, source: &Source, wrong: &mut Vec<Refusal>) -> Memory {
        let latency = self.latency.and_then(|written| {
            let latency = Latency::of(&written.value);
            if latency.is_none() {
                let help = format!("write {}", Latency::EXPECTED.replace("2,1,2", "[2, 1, 2]"));
                wrong.push(source.refuse(written.span, "this is not a latency", help));
            }
            latency
        });
        let one_or_two = |it| (1..=2).contains(&it);
        let ports = number(source, self.ports, one_or_two, "write 1 or 2", wrong);
        let is_size = |it| u32::try_from(it).is_ok_and(is_cache_size);
        let l2 = number(source, self.l2, is_size, CACHE_SIZE, wrong);
        Memory {
            latency,
            ports: ports.and_then(|it| it.try_into().ok()),
            l2: l2.and_then(|it| it.try_into().ok()),
        }
    }
}

/// The number that is written, if it is one that is possible there.
fn number(
    source: &Source,
    written: Option<&At<i64>>,
    possible: impl Fn(i64) -> bool,
    help: &str,
    wrong: &mut Vec<Refusal>,
) -> Option<i64> {
    let At { value, span } = written?;
    if !possible(*value) {
        wrong.push(source.refuse(*span, "this is not possible here", help));
        return None;
    }
    Some(*value)
}

/// `[simulator]` as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    core: Core,
    ram_latency: Option<At<Vec<i64>>>,
    ram_ports: Option<At<i64>>,
    l2: Option<At<i64>>,
    max_cycles: Option<At<i64>>,
}

/// What of the board the simulator must fit.
pub(super) struct Surroundings<'a> {
    pub(super) target: &'a At<String>,
    pub(super) flash: (Region, Place),
    pub(super) ram: Region,
}

impl Written {
    /// The simulator; what is refused goes to `wrong`.
    pub(super) fn resolve(
        &self,
        source: &Source,
        around: &Surroundings<'_>,
        wrong: &mut Vec<Refusal>,
    ) -> Simulator {
        let (flash, place) = around.flash;
        if flash.base != RAM {
            let help = format!("write base = {RAM:#x}");
            wrong.push(source.refuse(place, "the simulator's RAM does not begin here", help));
        }
        if let Some(letter) = self.core.lacks(&around.target.value) {
            let message = format!("the core has no extension `{letter}`");
            let help = format!("write \"{}\"", self.core.target());
            wrong.push(source.refuse(around.target.span, message, help));
        }
        let memory = WrittenMemory {
            latency: self.ram_latency.as_ref(),
            ports: self.ram_ports.as_ref(),
            l2: self.l2.as_ref(),
        };
        let memory = memory.resolve(source, wrong);
        let help = "write a number of cycles, such as 400_000_000";
        let max_cycles = number(source, self.max_cycles.as_ref(), |it| it > 0, help, wrong);
        Simulator {
            core: self.core,
            latency: memory.latency.unwrap_or(Latency::BLOCK_RAM),
            ports: memory.ports.unwrap_or(2),
            l2: memory.l2,
            model: None,
            max_cycles: max_cycles.map_or(MAX_CYCLES, i64::unsigned_abs),
            ram: around
                .ram
                .base
                .wrapping_sub(RAM)
                .wrapping_add(around.ram.size),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latency_is_three_numbers_that_hardware_can_have() {
        let slow = "8,5,7".parse::<Latency>().expect("a latency");
        assert_eq!(slow.to_string(), "8,5,7");
        for wrong in [
            "", "2,1", "2,1,2,2", "1,1,2", "2,0,2", "2,1,1", "2,x,2", "2,1,1001", "-2,1,2",
        ] {
            let error = wrong.parse::<Latency>().expect_err(wrong);
            assert!(error.contains("as in 2,1,2"), "{error}");
        }
    }

    #[test]
    fn a_core_lacks_what_it_was_not_built_with() {
        assert_eq!(Core::Ibex.lacks("riscv32imc-unknown-none-elf"), None);
        assert_eq!(Core::Ibex.lacks("rv32i2p1_m2p0_c2p0_zmmul1p0_zca1p0"), None);
        assert_eq!(
            Core::Ibex.lacks("rv32i2p1_m2p0_a2p1_c2p0_zaamo1p0"),
            Some('a')
        );
        assert_eq!(Core::Vexriscv.lacks("rv32i2p1_m2p0_a2p1"), None);
        assert_eq!(Core::Vexriscv.lacks("rv32i2p1_c2p0"), Some('c'));
        assert_eq!(
            Core::Vexriscv.lacks("riscv32imac-unknown-none-elf"),
            Some('c')
        );
        for none in ["rv32i2p1_é", "riscv32im2_😀", "riscv32"] {
            assert_eq!(Core::Ibex.lacks(none), None, "{none}");
        }
    }
}
