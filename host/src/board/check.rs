//! What the numbers of a `board.toml` must be: everything behind takes a board's memory, protection and devices for
//! what hardware can have, and a process's devices for nobody else's.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::{
    Architecture, Line, Peripheral, Protection, ProtectionKind, WrittenCache, WrittenClock,
    WrittenProtection,
};
use crate::plan::{Region, space};
use crate::quantity::{Size, show};
use crate::source::{At, Place, Refusal, Source};

/// Code, RAM and the guard of the running thread's stack.
const LEAST_REGIONS: usize = 3;

/// Most ticks of a clock in a second.
const FASTEST: u64 = u32::MAX as u64;
/// The largest shift that QEMU takes.
const MOST_SHIFT: u32 = 10;

/// Everything ends below this, so that also the first address behind it is one.
const ADDRESSES: u64 = 1 << 32;

/// What to do where a process would get more than its device.
const OF_ANOTHER: &str =
    "whoever has one would have the other too: let each have addresses of its own";

/// A part of the machine, and where the file says of it where it lies and how large it is.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) region: Region,
    pub(super) base: Place,
    pub(super) size: Place,
}

impl Part {
    pub(super) fn of(region: Region, base: &At<u32>, size: &At<Size>) -> Part {
        Part {
            region,
            base: base.span,
            size: size.span,
        }
    }
}

/// Looks at a board's file; what is refused goes to `wrong`.
pub(super) struct Check<'a> {
    pub(super) source: &'a Source,
    pub(super) wrong: &'a mut Vec<Refusal>,
}

impl Check<'_> {
    fn refuse(&mut self, place: Place, message: impl Into<String>, help: impl Into<String>) {
        self.wrong.push(self.source.refuse(place, message, help));
    }

    pub(super) fn clock(&mut self, clock: &WrittenClock) {
        let WrittenClock { hertz, event, .. } = clock;
        if hertz.value == 0 {
            let message = "a clock that does not tick tells no time";
            self.refuse(hertz.span, message, "write its ticks in a second");
        } else if hertz.value > FASTEST {
            let help = format!("write its ticks in a second: at most {FASTEST}");
            self.refuse(hertz.span, "no clock here ticks so fast", help);
        } else if !(1..=hertz.value).contains(&event.value) {
            let message = "an event takes a tick at least, and a second at most";
            let help = format!(
                "write the most ticks that the kernel takes for one timer or interrupt: 1 to {}, the ticks in a second",
                hertz.value
            );
            self.refuse(event.span, message, help);
        }
        for shift in [&clock.run_shift, &clock.bench_shift].into_iter().flatten() {
            if shift.value > MOST_SHIFT {
                let help = format!("write 0 to {MOST_SHIFT}");
                self.refuse(shift.span, "an emulator takes no such shift", help);
            }
        }
    }

    /// The kernel's port to a processor family knows the protection of that family only.
    pub(super) fn family(&mut self, kind: &At<ProtectionKind>, arch: Architecture) {
        let is_of_arm = kind.value == ProtectionKind::Mpu;
        let help = match arch {
            Architecture::Armv7m => "write \"mpu\", or another `arch`",
            Architecture::Riscv => "write \"pmp\" or \"sv32\", or another `arch`",
        };
        if is_of_arm != (arch == Architecture::Armv7m) {
            let message = "a processor of this family has no such memory protection";
            self.refuse(kind.span, message, help);
        }
    }

    /// Whose offsets are within a page, which is as large as the cache.
    pub(super) fn cache(&mut self, cache: &WrittenCache) {
        let WrittenCache {
            line,
            kernel_begins: begins,
            kernel_ends: ends,
        } = cache;
        if !line.value.is_power_of_two() || line.value > space::PAGE {
            let help = format!("write a power of two up to {}, a page", space::PAGE);
            self.refuse(line.span, "this is no size of a line of a cache", help);
        }
        if ends.value > space::PAGE || ends.value < begins.value {
            let help = format!(
                "write an offset from {:#x}, where that code begins, to {:#x}, the end of a page",
                begins.value,
                space::PAGE
            );
            self.refuse(ends.span, "this is no part of a page", help);
        }
    }

    pub(super) fn protection(&mut self, written: &WrittenProtection, ram: Region) {
        let smallest = &written.smallest;
        if !is_region(written.kind.value, smallest.value) {
            let message = "the memory protection has no region of this size";
            let help = match written.kind.value {
                ProtectionKind::Sv32 => format!("write {}, the bytes of a page", space::PAGE),
                kind => format!("write a power of two from {} on", least(kind)),
            };
            self.refuse(smallest.span, message, help);
        } else {
            self.guard(written, ram);
        }
        if let Some(regions) = written
            .regions
            .as_ref()
            .filter(|it| it.value < LEAST_REGIONS)
        {
            let message = "a process has code, RAM and a guard: this is too few";
            let help = "write how many regions a process can have at once";
            self.refuse(regions.span, message, help);
        }
    }

    fn guard(&mut self, written: &WrittenProtection, ram: Region) {
        let smallest = &written.smallest;
        let Some(guard) = &written.guard else {
            let default = Protection::smallest_guard();
            if default < smallest.value {
                let message = format!(
                    "a guard has {default} bytes if nothing is said, fewer than the smallest region"
                );
                let help = format!("add a line `guard = {}`", smallest.value);
                self.refuse(smallest.span, message, help);
            }
            return;
        };
        let possible = smallest.value..=ram.size;
        if !guard.value.is_power_of_two() || !possible.contains(&guard.value) {
            let help = format!(
                "write a power of two from {}, the smallest region, to what RAM has",
                smallest.value
            );
            self.refuse(guard.span, "this is no size of a guard", help);
        }
    }

    pub(super) fn memory(&mut self, flash: Part, ram: Part) {
        for part in [flash, ram] {
            self.within_addresses(part);
        }
        if flash.region.overlaps(ram.region) {
            let help = "where one memory is both, let flash end where RAM begins";
            let refusal = self.source.refuse(ram.base, "RAM and flash overlap", help);
            self.wrong.push(refusal.also(flash.base, "flash"));
        }
    }

    /// What is set aside in `memory` for the kernel, and whether that is a region of its own.
    pub(super) fn set_aside(
        &mut self,
        memory: Region,
        (kernel, place): (u32, Place),
        is_region: bool,
    ) {
        if kernel > memory.size {
            let help = format!("there are {}: write less", show(memory.size.into()));
            self.refuse(
                place,
                "more is set aside for the kernel than there is",
                help,
            );
        } else if is_region && !is_aligned(memory.base, kernel) {
            let message = "what is set aside for the kernel is a power of two, and the memory begins at a multiple of it";
            let help = format!(
                "write a power of two of which {:#x} is a multiple",
                memory.base
            );
            self.refuse(place, message, help);
        }
    }

    fn within_addresses(&mut self, part: Part) {
        if part.region.end() >= ADDRESSES {
            let left = ADDRESSES - u64::from(part.region.base);
            let help = format!("from {:#x} on there are {}", part.region.base, show(left));
            self.refuse(part.size, "this does not end below 4 GiB", help);
        }
    }

    /// A device that a process can have is what the protection can hold, and nothing else's.
    pub(super) fn devices(
        &mut self,
        devices: &[(String, Part, Peripheral)],
        protection: &Protection,
        (flash, ram): (Part, Part),
    ) {
        for (index, (name, part, device)) in devices.iter().enumerate() {
            self.within_addresses(*part);
            if !device.kernel {
                self.shape(*part, protection);
                self.apart((name, *part), "flash", flash, OF_ANOTHER);
                self.apart((name, *part), "RAM", ram, OF_ANOTHER);
            }
            for (other, place, beside) in &devices[..index] {
                let is_everybodys = device.shared && beside.shared;
                let help = if device.kernel && beside.kernel {
                    "one of them is written where it does not lie: each has addresses of its own"
                } else {
                    OF_ANOTHER
                };
                if !is_everybodys {
                    self.apart((name, *part), &format!("`{other}`"), *place, help);
                }
            }
        }
    }

    /// A process gets a device with all that the protection cannot tell from it.
    fn shape(&mut self, device: Part, protection: &Protection) {
        let message = "the memory protection cannot hold this device";
        let Region { base, size } = device.region;
        let smallest = protection.smallest;
        if protection.translates() {
            let help = format!("write whole pages of {smallest} bytes: a process gets no less");
            if size == 0 || !size.is_multiple_of(smallest) {
                self.refuse(device.size, message, help);
            } else if !base.is_multiple_of(smallest) {
                self.refuse(device.base, message, help);
            }
        } else if !size.is_power_of_two() || size < smallest {
            let help = format!("write a power of two from {smallest} on");
            self.refuse(device.size, message, help);
        } else if !base.is_multiple_of(size) {
            let help = format!("it begins at a multiple of its size, {}", show(size.into()));
            self.refuse(device.base, message, help);
        }
    }

    /// Each line is one that the controller of the family has, and nobody else's.
    pub(super) fn lines(&mut self, lines: &BTreeMap<String, Line>, arch: Architecture) {
        let possible = lines_of(arch);
        for (index, (name, line)) in lines.iter().enumerate() {
            let number = &line.number;
            if !possible.contains(&number.value) {
                let message = format!(
                    "no interrupt controller of this family has line {}",
                    number.value
                );
                let (first, last) = (possible.start(), possible.end());
                let help = format!("write a number from {first} to {last}");
                self.refuse(number.span, message, help);
            }
            let same = |(_, other): &(&String, &Line)| other.number.value == number.value;
            if let Some((other, first)) = lines.iter().take(index).find(same) {
                let message = format!("`{name}` is the same line as `{other}`");
                let help = "two processes could have it by its two names: leave one of them out";
                let refusal = self.source.refuse(number.span, message, help);
                self.wrong.push(refusal.also(first.number.span, other));
            }
        }
    }

    fn apart(&mut self, (device, part): (&str, Part), name: &str, other: Part, help: &str) {
        if !part.region.overlaps(other.region) {
            return;
        }
        let message = format!("`{device}` overlaps {name}");
        let refusal = self.source.refuse(part.base, message, help);
        self.wrong.push(refusal.also(other.base, name));
    }
}

/// Bytes of the smallest region that there can be.
fn least(kind: ProtectionKind) -> u32 {
    match kind {
        ProtectionKind::Mpu => 32,
        ProtectionKind::Pmp => 8,
        ProtectionKind::Sv32 => space::PAGE,
    }
}

/// The lines that a controller can have: of ARMv7-M; and of RISC-V's PLIC. That has no line 0, which stands for what a
/// board's port takes elsewhere.
fn lines_of(arch: Architecture) -> RangeInclusive<u16> {
    match arch {
        Architecture::Armv7m => 0..=495,
        Architecture::Riscv => 0..=1023,
    }
}

fn is_region(kind: ProtectionKind, bytes: u32) -> bool {
    match kind {
        ProtectionKind::Sv32 => bytes == space::PAGE,
        _ => bytes.is_power_of_two() && bytes >= least(kind),
    }
}

fn is_aligned(base: u32, size: u32) -> bool {
    size.is_power_of_two() && base.is_multiple_of(size)
}
