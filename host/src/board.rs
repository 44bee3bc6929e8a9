//! Boards: what `boards/<name>/board.toml` says of a memory map and of how to run it.

mod check;
mod simulator;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::plan::Region;
use crate::quantity::Size;
use crate::source::{At, Place, Refusals, Source};
use check::{Check, Part};

pub use simulator::{Core, Latency, Memory, Simulator, WrittenMemory};

/// A board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// Name: that of its directory.
    pub name: String,
    /// One line for a person.
    pub description: String,
    /// The processor family: which of `arch/` it is.
    pub arch: Architecture,
    /// The processor, as rustc's `target-cpu` names it.
    pub cpu: String,
    /// Rust target of the kernel.
    pub kernel_target: String,
    /// Rust target of the programs that use no floating point in hardware.
    pub program_target: String,
    /// Rust target of those that do, if the processor has an FPU.
    pub fpu_target: Option<String>,
    /// Flash, or what stands for it.
    pub flash: Region,
    /// RAM.
    pub ram: Region,
    /// The kernel's binary, and the memory it is given.
    pub kernel: KernelImage,
    /// The memory protection.
    pub protection: Protection,
    /// The caches, if they are direct-mapped and no larger than a page.
    pub cache: Option<Cache>,
    /// The clock.
    pub clock: Clock,
    /// How the processor finds its trap handler.
    pub traps: Traps,
    /// What runs an image.
    pub run: Run,
    /// Devices by name.
    pub peripherals: BTreeMap<String, Peripheral>,
    /// Interrupts for processes, by name.
    pub interrupts: BTreeMap<String, Interrupt>,
}

/// The kernel's binary on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelImage {
    /// Cargo package, whose binary has the same name.
    pub package: String,
    /// Template of the linker script.
    pub linker_script: PathBuf,
    /// The start of flash, which is set aside for it before anything is placed: all of its code, or only the
    /// vector table and what else has a fixed place.
    pub flash: Region,
    /// Where its code and constants lie: in `flash`, or where the processes leave room for them.
    pub text: Region,
    /// The start of RAM. Nothing is set aside where the kernel has what the processes leave.
    pub ram: Region,
}

/// A processor family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Architecture {
    /// ARMv7-M with its MPU.
    Armv7m,
    /// RV32 with PMP or Sv32.
    Riscv,
}

/// A kind of memory protection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProtectionKind {
    /// Regions of ARM's memory protection unit: powers of two, aligned to their size.
    Mpu,
    /// Regions of RISC-V's physical memory protection, of the same shape.
    Pmp,
    /// Pages of RISC-V's Sv32: addresses are translated, so that every process sees its memory at
    /// the same place.
    Sv32,
}

impl ProtectionKind {
    /// Its name, as a board writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ProtectionKind::Mpu => "mpu",
            ProtectionKind::Pmp => "pmp",
            ProtectionKind::Sv32 => "sv32",
        }
    }
}

/// What the memory protection can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protection {
    /// What it is.
    pub kind: ProtectionKind,
    /// Regions that a process can have at once. Pages have no such limit; but the kernel looks through them for each address
    /// that a call names.
    pub regions: usize,
    /// Bytes of the smallest region, or of a page.
    pub smallest: u32,
    /// Bytes of the no-access guard below the stack of every thread but the main one: a power of
    /// two, to which it is aligned.
    pub guard: u32,
    /// Whether every switch must write a PMP configuration too, for an emulator to notice that
    /// addresses have changed.
    pub refresh: bool,
    /// Whether the processor forgets all translations of Sv32 when `satp` is written; else it tells
    /// them apart by their number (ASID).
    pub flushes: bool,
}

/// How the processor finds its trap handler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Traps {
    /// Whether interrupts come to a table that begins with the entry of all exceptions (RISC-V's
    /// vectored mode); else to that entry.
    pub vectored: bool,
    /// Whether the processor has a mask of external interrupts of its own, as VexRiscv does.
    pub external_mask: bool,
}

impl Protection {
    /// A message of four parts, and their list, are looked for between two looks for interrupts.
    const MOST_OF_PAGES: usize = 24;

    /// Whether processes see their memory elsewhere than it lies.
    #[must_use]
    pub fn translates(&self) -> bool {
        self.kind == ProtectionKind::Sv32
    }

    /// The guard of a board that does not say.
    #[must_use]
    pub const fn smallest_guard() -> u32 {
        32
    }
}

/// A direct-mapped cache of instructions, and one of data. Memory at the same offset in different
/// pages takes the same place in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cache {
    /// Bytes of a line.
    pub line: u32,
    /// Offsets in a page where the code begins that every message runs in the kernel,
    pub kernel_begins: u32,
    /// and where it ends.
    pub kernel_ends: u32,
}

/// How the board tells the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Ticks in a second of what benchmarks measure with.
    pub hertz: u64,
    /// Whether the processor has counters that user mode may be allowed to read.
    pub counters: bool,
    /// On an emulator, an instruction takes 2^this virtual nanoseconds in `run` and `test`.
    pub run_shift: u32,
    /// On an emulator, an instruction takes 2^this virtual nanoseconds in `bench`.
    pub bench_shift: u32,
    /// Ticks that the kernel takes for one timer that is due, or one interrupt, at most: until whoever ran
    /// goes on. Measured; a test says when it is too little.
    pub event: u64,
}

impl Clock {
    /// The ticks of a time: one at least.
    #[must_use]
    pub fn ticks(&self, time: Duration) -> u64 {
        let ticks = time.as_nanos() * u128::from(self.hertz) / 1_000_000_000;
        u64::try_from(ticks).unwrap_or(u64::MAX).max(1)
    }
}

/// What runs an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Run {
    /// An emulator, which counts instructions.
    Emulator(Emulator),
    /// A cycle-accurate simulator.
    Simulator(Simulator),
}

/// The command that runs an image on an emulator.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Emulator {
    /// Program and arguments; `{shift}`, `{sleep}`, `{serial}` and `{image}` are filled in.
    pub command: Vec<String>,
    /// How it is given a card, if it can be.
    pub card: Option<CardSlot>,
    /// How it is given an Ethernet, if it can be.
    pub ethernet: Option<EthernetSlot>,
}

/// How an emulator is given the board's device `card`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardSlot {
    /// Further arguments; `{card}`, the image's file, is filled in.
    pub arguments: Vec<String>,
    /// Bytes of a card that is made.
    pub bytes: u64,
}

/// How an emulator is given the board's device `ethernet`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EthernetSlot {
    /// Further arguments; `{network}`, QEMU's network at the other end, and `{address}`, the device's own, are filled in.
    pub arguments: Vec<String>,
}

/// The device that is an Ethernet.
pub const ETHERNET: &str = "ethernet";

/// The device that is a card.
pub const CARD: &str = "card";

/// Where it says whether the emulator sleeps when the board does.
const SLEEP: &str = "{sleep}";

impl Emulator {
    /// The command that runs `image` at 2^`shift` virtual nanoseconds an instruction, with its
    /// console on QEMU's character device `serial` (such as `stdio` or `file:PATH`).
    #[must_use]
    pub fn command(&self, image: &Path, shift: u32, serial: &str) -> Vec<String> {
        self.filled_in(image, shift, serial, "off")
    }

    /// As [`Emulator::command`], but while the board sleeps its time is that of this machine, and not skipped.
    #[must_use]
    pub fn command_in_real_time(&self, image: &Path, shift: u32, serial: &str) -> Vec<String> {
        self.filled_in(image, shift, serial, "on")
    }

    fn filled_in(&self, image: &Path, shift: u32, serial: &str, sleep: &str) -> Vec<String> {
        let fill = |argument: &String| {
            argument
                .replace(SLEEP, sleep)
                .replace("{shift}", &shift.to_string())
                .replace("{serial}", serial)
                .replace("{image}", &image.to_string_lossy())
        };
        self.command.iter().map(fill).collect()
    }
}

/// A device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peripheral {
    /// One line for a person.
    pub description: String,
    /// What a driver must know of it, such as `ns16550`; empty if the board does not say.
    pub kind: String,
    /// Its registers.
    pub region: Region,
    /// Whether several processes may have it.
    pub shared: bool,
    /// Whether it is the kernel's own.
    pub kernel: bool,
}

/// An interrupt line that a process can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupt {
    /// One line for a person.
    pub description: String,
    /// How the interrupt controller numbers it.
    pub number: u16,
    /// When its device asks for it.
    pub trigger: Trigger,
}

/// When a device asks for its interrupt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trigger {
    /// As long as it has a reason.
    #[default]
    Level,
    /// Once for each reason.
    Edge,
}

impl Board {
    /// Whether a register tells a program which of its threads runs: `gp` on RISC-V.
    #[must_use]
    pub fn has_thread_register(&self) -> bool {
        self.protection.kind != ProtectionKind::Mpu
    }

    /// The Rust target of a program that uses floating point in hardware, or of one that does not.
    /// `None` if there is no FPU to use.
    #[must_use]
    pub fn target(&self, fpu: bool) -> Option<&str> {
        if fpu {
            self.fpu_target.as_deref()
        } else {
            Some(&self.program_target)
        }
    }

    /// Whether every process has a region for a guard, also where there is nothing to guard.
    #[must_use]
    pub fn always_guards(&self) -> bool {
        self.arch == Architecture::Riscv
    }

    /// The Rust targets that programs are built for.
    pub fn program_targets(&self) -> impl Iterator<Item = &str> {
        [false, true].into_iter().filter_map(|fpu| self.target(fpu))
    }

    /// The emulator's program, if an emulator runs the board.
    #[must_use]
    pub fn emulator(&self) -> Option<&str> {
        match &self.run {
            Run::Emulator(emulator) => emulator.command.first().map(String::as_str),
            Run::Simulator(_) => None,
        }
    }

    /// The board with another memory around its core, if a simulator runs it.
    #[must_use]
    pub fn with_memory(&self, memory: &Memory) -> Board {
        let mut board = self.clone();
        if let Run::Simulator(simulator) = &mut board.run {
            simulator.change(memory);
        }
        board
    }

    /// The simulator, if one runs the board.
    #[must_use]
    pub fn simulator(&self) -> Option<&Simulator> {
        match &self.run {
            Run::Emulator(_) => None,
            Run::Simulator(simulator) => Some(simulator),
        }
    }
}

/// Loads every board under `directory` (the repository's `boards/`), ordered by name.
///
/// # Errors
/// The directory cannot be read, or a `board.toml` is wrong.
pub fn load_all(directory: &Path) -> miette::Result<Vec<Board>> {
    let entries = std::fs::read_dir(directory)
        .map_err(|error| miette::miette!("cannot read {}: {error}", directory.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path().join("board.toml")))
        .filter(|file| file.is_file())
        .collect();
    files.sort();
    files.iter().map(|file| load(file)).collect()
}

/// Loads one `board.toml`.
///
/// # Errors
/// The file cannot be read, or is wrong.
pub fn load(file: &Path) -> miette::Result<Board> {
    let source = Source::read(file)?;
    let directory = file.parent().unwrap_or(Path::new("."));
    let name = directory
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let document: Document = crate::document::parse(&source)?;
    document.resolve(&source, name.unwrap_or_default(), directory)
}

/// `board.toml` as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    description: String,
    arch: Architecture,
    cpu: String,
    kernel_target: String,
    program_target: At<String>,
    fpu_target: Option<String>,
    flash: Extent,
    ram: Extent,
    kernel: Kernel,
    protection: WrittenProtection,
    cache: Option<WrittenCache>,
    #[serde(default)]
    traps: Traps,
    clock: WrittenClock,
    run: Option<At<Emulator>>,
    simulator: Option<At<simulator::Written>>,
    #[serde(default)]
    peripherals: BTreeMap<String, Device>,
    #[serde(default)]
    interrupts: BTreeMap<String, Line>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Extent {
    base: At<u32>,
    size: At<Size>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kernel {
    package: String,
    linker_script: String,
    flash: At<Size>,
    ram: Option<At<Size>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCache {
    line: At<u32>,
    kernel_begins: At<u32>,
    kernel_ends: At<u32>,
}

impl WrittenCache {
    fn cache(&self) -> Cache {
        Cache {
            line: self.line.value,
            kernel_begins: self.kernel_begins.value,
            kernel_ends: self.kernel_ends.value,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenProtection {
    kind: At<ProtectionKind>,
    regions: Option<At<usize>>,
    smallest: At<u32>,
    guard: Option<At<u32>>,
    #[serde(default)]
    refresh: bool,
    #[serde(default)]
    flushes: bool,
}

impl WrittenProtection {
    fn protection(&self) -> Protection {
        let (regions, guard) = (self.regions.as_ref(), self.guard.as_ref());
        Protection {
            kind: self.kind.value,
            regions: regions.map_or(Protection::MOST_OF_PAGES, |it| it.value),
            smallest: self.smallest.value,
            guard: guard.map_or(Protection::smallest_guard(), |it| it.value),
            refresh: self.refresh,
            flushes: self.flushes,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenClock {
    hertz: At<u64>,
    counters: Option<bool>,
    run_shift: Option<At<u32>>,
    bench_shift: Option<At<u32>>,
    event: At<u64>,
}

impl WrittenClock {
    fn clock(&self) -> Clock {
        let shift = |it: &Option<At<u32>>| it.as_ref().map_or(0, |it| it.value);
        Clock {
            hertz: self.hertz.value,
            counters: self.counters.unwrap_or(true),
            run_shift: shift(&self.run_shift),
            bench_shift: shift(&self.bench_shift),
            event: self.event.value,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Device {
    #[serde(default)]
    description: String,
    #[serde(default)]
    kind: String,
    base: At<u32>,
    size: At<Size>,
    #[serde(default)]
    shared: bool,
    #[serde(default)]
    kernel: bool,
}

impl Device {
    fn peripheral(self, region: Region) -> Peripheral {
        Peripheral {
            description: self.description,
            kind: self.kind,
            region,
            shared: self.shared,
            kernel: self.kernel,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    description: String,
    number: At<u16>,
    #[serde(default)]
    trigger: Trigger,
}

impl Line {
    fn interrupt(self) -> Interrupt {
        Interrupt {
            description: self.description,
            number: self.number.value,
            trigger: self.trigger,
        }
    }
}

impl Document {
    fn resolve(self, source: &Source, name: String, directory: &Path) -> miette::Result<Board> {
        let mut wrong = Vec::new();
        let mut region = |base: u32, size: &At<Size>| {
            let bytes = size.value.bytes().unwrap_or_else(|help| {
                wrong.push(source.refuse(size.span, "this is not a size", help));
                0
            });
            Region { base, size: bytes }
        };
        let flash = region(self.flash.base.value, &self.flash.size);
        let ram = region(self.ram.base.value, &self.ram.size);
        let kernel_flash = region(self.flash.base.value, &self.kernel.flash);
        let kernel_ram = Region { size: 0, ..ram };
        let kernel = KernelImage {
            package: self.kernel.package,
            linker_script: directory.join(self.kernel.linker_script),
            flash: kernel_flash,
            text: kernel_flash,
            ram: (self.kernel.ram.as_ref()).map_or(kernel_ram, |size| region(ram.base, size)),
        };
        let devices: Vec<(String, Part, Peripheral)> = (self.peripherals.into_iter())
            .map(|(name, device)| {
                let region = region(device.base.value, &device.size);
                let part = Part::of(region, &device.base, &device.size);
                (name, part, device.peripheral(region))
            })
            .collect();
        let protection = self.protection.protection();
        if wrong.is_empty() {
            let wrong = &mut wrong;
            let mut check = Check { source, wrong };
            let (flash, ram) = (
                Part::of(flash, &self.flash.base, &self.flash.size),
                Part::of(ram, &self.ram.base, &self.ram.size),
            );
            check.clock(&self.clock);
            check.memory(flash, ram);
            check.family(&self.protection.kind, self.arch);
            check.protection(&self.protection, ram.region);
            if let Some(cache) = &self.cache {
                check.cache(cache);
            }
            let is_region = self.kernel.ram.is_some();
            let in_flash = (kernel.flash.size, self.kernel.flash.span);
            check.set_aside(flash.region, in_flash, is_region);
            if let Some(written) = &self.kernel.ram {
                check.set_aside(ram.region, (kernel.ram.size, written.span), is_region);
            }
            check.devices(&devices, &protection, (flash, ram));
            check.lines(&self.interrupts, self.arch);
        }
        let peripherals = devices.into_iter().map(|(name, _, device)| (name, device));
        let interrupts = (self.interrupts.into_iter()).map(|(name, line)| (name, line.interrupt()));
        let around = simulator::Surroundings {
            target: &self.program_target,
            flash: (flash, self.flash.base.span),
            ram,
        };
        let run = match (self.run, self.simulator) {
            (Some(emulator), None) => Run::Emulator(emulator.value),
            (None, Some(written)) => {
                Run::Simulator(written.value.resolve(source, &around, &mut wrong))
            }
            (Some(_), Some(written)) => {
                let help = "leave out either [run], for an emulator, or [simulator]";
                let place = written.span;
                return Err(source.refuse(place, "the board is run twice", help).into());
            }
            (None, None) => {
                let help = "add a table [run] with the command of an emulator, or [simulator]";
                let place = Place::default();
                return Err(source.refuse(place, "nothing runs the board", help).into());
            }
        };
        let board = Board {
            name,
            description: self.description,
            arch: self.arch,
            cpu: self.cpu,
            kernel_target: self.kernel_target,
            program_target: self.program_target.value,
            fpu_target: self.fpu_target,
            flash,
            ram,
            kernel,
            protection,
            cache: self.cache.as_ref().map(WrittenCache::cache),
            traps: self.traps,
            clock: self.clock.clock(),
            run,
            peripherals: peripherals.collect(),
            interrupts: interrupts.collect(),
        };
        if wrong.is_empty() {
            Ok(board)
        } else {
            Err(Refusals::report(wrong))
        }
    }
}
