//! Places processes in flash and RAM.

use super::colour::{self, Colour};
use super::memory::{self, From, MayTouch, Wanted};
use super::{Mapped, Region, space};
use crate::board::{Board, ProtectionKind};
use crate::manifest::{Application, Process, stack_sizes};
use crate::quantity::show;
use crate::source::{Place, Refusal};

/// Bytes of RAM that no kernel could do without.
const LEAST_RAM: u32 = 1024;

/// Bytes of the idle thread's stack, at the end of the kernel's memory.
pub const IDLE_STACK: u32 = 64;

/// Bytes of a traced event.
const TRACED_EVENT: u32 = riposte_abi::trace::WORDS as u32 * 4;

/// What a linked program needs, as measured before it has its addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramSizes {
    /// Bytes of code, constants, the load image of `.data`, and the process-info table.
    pub flash: u32,
    /// Bytes of `.data` and `.bss`, without stacks.
    pub data: u32,
    /// Bytes at the beginning of the code that run in the course of every message.
    pub hot: u32,
}

/// Where everything lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Where the kernel begins, with its vector table.
    pub kernel_flash: Region,
    /// Its code and constants: in `kernel_flash`, or behind the processes.
    pub kernel_text: Region,
    /// The kernel's data and stack.
    pub kernel_ram: Region,
    /// Processes, in manifest order.
    pub processes: Vec<Placement>,
    /// Regions, in manifest order.
    pub regions: Vec<Mapped>,
    /// Where pools lie, in manifest order.
    pub pools: Vec<Region>,
}

impl Layout {
    /// `board`, with what its kernel is given.
    #[must_use]
    pub fn for_kernel(&self, board: &Board) -> Board {
        let mut board = board.clone();
        board.kernel.text = self.kernel_text;
        board.kernel.ram = self.kernel_ram;
        board
    }
}

/// Where a process lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Code and constants.
    pub flash: Mapped,
    /// Where they begin in it, as the process sees it.
    pub text: Region,
    /// Devices, in the order of the manifest.
    pub devices: Vec<Mapped>,
    /// Stacks, from the base up, then data.
    pub ram: Mapped,
    /// Stacks in the order of the threads, as the process sees them; all but the first begin with a
    /// guard.
    pub stacks: Vec<Region>,
    /// What stacks and pages leave of `ram`, as the process sees it: `.data` begins at its base,
    /// 32-aligned.
    pub data: Region,
    /// What can be lent and moved, at the end of `ram`: a power of two, aligned to its size, so that
    /// every naturally aligned power of two in it can be opened and hidden. Size 0 if there is none.
    pub pages: Region,
}

/// Places `application` on `board`: `sizes` are those of its processes, in manifest order.
///
/// Regions are what the protection unit can hold exactly: powers of two, aligned to their size; eighths of
/// such; or whole pages. Where they are placed in order of size, the largest first, the only gaps are the ones
/// that alignment to the kernel leaves, and smaller regions fill those.
///
/// No process lies directly above what it may write: its main thread's stack, which has no guard, faults there. Only above
/// another process, whose end it can be lent, it may lie if there is no room else.
///
/// Where regions can be eighths, the kernel has what they leave, so that nobody needs to know its size before it
/// is linked: its code lies behind them, and its data before them, at the beginning of RAM, below which its
/// stack cannot grow unnoticed.
///
/// # Errors
/// A region that does not fit, with the place in the manifest that asks for it.
pub fn allocate(
    application: &Application,
    board: &Board,
    sizes: &[ProgramSizes],
) -> miette::Result<Layout> {
    let measured = || application.processes.iter().zip(sizes);
    let hot: Vec<u32> = sizes.iter().map(|sizes| sizes.hot).collect();
    let colours = colour::all(board, application, &hot);
    let ram = measured()
        .zip(&colours)
        .map(|((process, sizes), colour)| {
            ram_size(application, board, process, *colour, sizes.data)
        })
        .collect::<Result<Vec<Wanted>, Refusal>>()?;
    let flash: Vec<Wanted> = sizes
        .iter()
        .zip(&colours)
        .map(|(sizes, colour)| Wanted {
            bytes: u64::from(colour.code + sizes.flash),
            whole: false,
        })
        .collect();

    let sizes_of =
        |wanted: &[Wanted]| -> Vec<u64> { wanted.iter().map(|it| it.size(board)).collect() };
    let ram_base = ram_base(application, board, &sizes_of(&flash), &sizes_of(&ram))?;
    let behind = board.protection.kind == ProtectionKind::Mpu;
    let set_aside = set_aside(application, board);
    let mut kernel_ram = set_aside;
    kernel_ram.size = kernel_ram.size.max(LEAST_RAM);
    let memories = [
        Memory {
            name: "flash",
            all: board.flash,
            kernel: board.kernel.flash,
            from: From::Bottom,
        },
        Memory {
            name: "RAM",
            all: board.ram,
            kernel: kernel_ram,
            from: if behind { From::Top } else { From::Bottom },
        },
    ];
    let place = |memory: &Memory, wanted: &[Wanted], may_touch: MayTouch| {
        let (all, taken) = (memory.all, memory.kernel.size);
        memory::place(board, all, taken, wanted, memory.from, may_touch)
            .map_err(|worst| memory.full(application, board, &sizes_of(wanted), worst))
    };
    let flash = place(&memories[0], &flash, &|_, _| true)?;
    let shared = application.regions.iter().map(|it| Wanted {
        bytes: it.size.value.into(),
        whole: true,
    });
    let pools = application.pools.iter().map(|it| Wanted {
        bytes: u64::from(it.block.value) * u64::from(it.blocks),
        whole: true,
    });
    let ram = ram.into_iter().chain(shared).chain(pools);
    let faults = |below: usize, above: usize| {
        let own = application.processes.get(above);
        // Where addresses are translated, a page of nothing is seen below.
        board.protection.translates() || own.is_none_or(|it| !may_write(application, it, below))
    };
    let ram = ram.collect::<Vec<_>>();
    // What it is lent of another process's end is below it where there is no room else.
    let is_lent = |below| below < application.processes.len();
    let mut ram = place(&memories[1], &ram, &faults).or_else(|_| {
        place(&memories[1], &ram, &|below, above| {
            is_lent(below) || faults(below, above)
        })
    })?;
    let (kernel_text, kernel_ram) = if behind {
        (behind_all(board, &flash), before_all(board, &ram))
    } else {
        (board.kernel.flash, set_aside)
    };
    let mut regions = ram.split_off(application.processes.len());
    let pools = regions.split_off(application.regions.len());
    let placements = application.processes.iter().zip(flash.into_iter().zip(ram));
    Ok(Layout {
        kernel_flash: board.kernel.flash,
        kernel_text,
        kernel_ram,
        processes: placements
            .zip(colours)
            .map(|((process, (flash, ram)), colour)| {
                let seen = see(process, board, ram_base, colour, flash, ram);
                divide(process, board, colour, seen)
            })
            .collect(),
        regions: space::regions(board, &regions),
        pools,
    })
}

/// Whether a process may write the end of another one's RAM, of a region or of a pool, or can be handed it so: of
/// processes, regions and pools, one after the other, the one at `index`. A main thread's stack, below which there is
/// no guard, would grow into that unnoticed.
fn may_write(application: &Application, process: &Process, index: usize) -> bool {
    let Some(region) = index.checked_sub(application.processes.len()) else {
        return process.lending.windows.value > 0;
    };
    if region >= application.regions.len() {
        return process.lending.mappings.value > 0;
    }
    let mut mappings = process.regions.iter();
    mappings.any(|mapping| mapping.region == region && mapping.writable)
}

/// What a board sets aside for the kernel's RAM, if it does, is for one that is not traced: the ring comes on top.
fn set_aside(application: &Application, board: &Board) -> Region {
    let mut ram = board.kernel.ram;
    if ram.size > 0 && application.kernel.trace > 0 {
        let ring = application.kernel.trace * TRACED_EVENT + riposte_abi::trace::HEADER as u32;
        ram.size = (ram.size + ring).next_power_of_two();
    }
    ram
}

/// What regions leave at the end of flash.
fn behind_all(board: &Board, regions: &[Region]) -> Region {
    let ends = regions.iter().map(|region| region.end());
    let base = ends.max().unwrap_or(board.kernel.flash.end()) as u32;
    Region {
        base,
        size: (board.flash.end() - u64::from(base)) as u32,
    }
}

/// What regions leave at the beginning of RAM. At its end lies the idle thread's stack, aligned to its size.
fn before_all(board: &Board, regions: &[Region]) -> Region {
    let bases = regions.iter().map(|region| u64::from(region.base));
    let end = bases.min().unwrap_or(board.ram.end()) & !u64::from(IDLE_STACK - 1);
    Region {
        base: board.ram.base,
        size: (end - u64::from(board.ram.base)) as u32,
    }
}

/// Where all processes see their RAM, if addresses are translated.
fn ram_base(
    application: &Application,
    board: &Board,
    flash: &[u64],
    ram: &[u64],
) -> Result<Option<u32>, Refusal> {
    if !board.protection.translates() {
        return Ok(None);
    }
    let largest = flash.iter().max().copied().unwrap_or_default();
    let least = colour::behind_code(board).saturating_sub(space::ram_base(0));
    let largest = largest.max(least.into());
    // With colours, code is seen that much farther, and RAM behind it.
    let apart = if board.cache.is_some() { 2 } else { 1 };
    let room = u64::from(space::PRIVATE.size - space::PAGE - apart * colour::FARTHEST);
    let left = room.saturating_sub(largest);
    let needed = |(process, size): (&Process, &u64)| size + u64::from(process.lending.pages.value);
    let too_large = application
        .processes
        .iter()
        .zip(ram)
        .position(|process| largest + needed(process) > room);
    let Some(worst) = too_large else {
        return Ok(Some(space::ram_base(largest as u32)));
    };
    let process = &application.processes[worst];
    let name = &process.name.value;
    let place = process
        .ram
        .as_ref()
        .map_or(process.name.span, |ram| ram.span);
    let message = format!(
        "`{name}` needs {} of RAM; on {} a process sees {}",
        show(ram[worst]),
        board.name,
        show(left),
    );
    let help = format!(
        "make it smaller, or the largest program, which takes {} of the {} that a process sees",
        show(largest),
        show(room),
    );
    Err(application.source.refuse(place, message, help))
}

/// What a process sees of its two regions, which lie where the machine has them. `ram_base` is where
/// it sees its RAM, if addresses are translated.
fn see(
    process: &Process,
    board: &Board,
    ram_base: Option<u32>,
    colour: Colour,
    flash: Region,
    ram: Region,
) -> (Mapped, Mapped) {
    let Some(ram_base) = ram_base else {
        return (Mapped::plain(flash), Mapped::plain(ram));
    };
    let at = |base, region: Region| Mapped {
        seen: Region { base, ..region },
        machine: region.base,
    };
    // Pages come last, and the size is a multiple of theirs.
    let alignment = process.lending.pages.value.max(1);
    let stack = stacks(process, board, colour)
        .first()
        .map_or(0, |(base, size)| base + size);
    let behind_own_code = space::ram_base(colour.seen + flash.size);
    let least = ram_base.max(behind_own_code);
    let ram_base = colour.ram_base(least, alignment, stack as u32);
    (
        at(space::PRIVATE.base + colour.place + colour.seen, flash),
        at(colour.place + ram_base, ram),
    )
}

/// The process's RAM region.
fn ram_size(
    application: &Application,
    board: &Board,
    process: &Process,
    colour: Colour,
    data: u32,
) -> Result<Wanted, Refusal> {
    let stacks = stacks(process, board, colour)
        .last()
        .map_or(0, |(base, size)| base + size);
    let pages = process.lending.pages.value;
    let needed = stacks + u64::from(data) + u64::from(pages);
    let Some(ram) = &process.ram else {
        let multiple = if board.protection.translates() {
            u64::from(pages.max(1))
        } else {
            1
        };
        // Pages are aligned to their size, at its end.
        return Ok(Wanted {
            bytes: needed.next_multiple_of(multiple),
            whole: pages > 0,
        });
    };
    let whole = |bytes| Wanted { bytes, whole: true };
    if needed <= u64::from(ram.value) && ram.value >= board.protection.smallest {
        return Ok(whole(ram.value.into()));
    }
    let lent = match pages {
        0 => String::new(),
        pages => format!(", pages {pages}"),
    };
    let message = format!(
        "`{}` needs {needed} bytes of RAM (stacks {stacks}, data {data}{lent}); its region has {}",
        process.name.value,
        show(ram.value.into()),
    );
    let enough = show(whole(needed).size(board));
    Err(application.source.refuse(
        ram.span,
        message,
        format!("write {enough:?}, or leave `ram` out"),
    ))
}

/// Offset and size of each stack in the process's RAM.
fn stacks(process: &Process, board: &Board, colour: Colour) -> Vec<(u64, u64)> {
    let sizes = stack_sizes(&process.threads, board.protection.guard);
    colour::stacks(colour, sizes)
}

/// Lays stacks, data and pages into a process's RAM.
fn divide(
    process: &Process,
    board: &Board,
    colour: Colour,
    (flash, ram): (Mapped, Mapped),
) -> Placement {
    let stacks: Vec<Region> = stacks(process, board, colour)
        .into_iter()
        .map(|(offset, size)| Region {
            base: ram.seen.base + offset as u32,
            size: size as u32,
        })
        .collect();
    let base = stacks
        .last()
        .map_or(ram.seen.base, |stack| stack.base + stack.size);
    let pages = process.lending.pages.value;
    let pages = Region {
        base: ram.seen.base + (ram.seen.size - pages),
        size: pages,
    };
    let data = Region {
        base,
        size: pages.base - base,
    };
    Placement {
        flash,
        text: Region {
            base: flash.seen.base + colour.code,
            size: flash.seen.size - colour.code,
        },
        devices: space::devices(process, board, colour),
        ram,
        stacks,
        data,
        pages,
    }
}

struct Memory {
    name: &'static str,
    all: Region,
    kernel: Region,
    from: From,
}

impl Memory {
    /// Refuses process `worst`, or the region or the pool that follows the processes, which has no place.
    fn full(
        &self,
        application: &Application,
        board: &Board,
        sizes: &[u64],
        worst: usize,
    ) -> Refusal {
        let processes = &application.processes;
        let regions = application
            .regions
            .iter()
            .map(|it| (&it.name.value, &it.size));
        let pools = application
            .pools
            .iter()
            .map(|it| (&it.name.value, &it.block));
        let shared: Vec<_> = regions.chain(pools).collect();
        let others = shared.iter().map(|(name, _)| *name);
        let names = processes.iter().map(|it| &it.name.value).chain(others);
        let names: Vec<&String> = names.collect();
        let message = format!(
            "`{}` does not fit: it needs {} of {} on {}, aligned to {}",
            names[worst],
            show(sizes[worst]),
            self.name,
            board.name,
            match board.protection.kind {
                ProtectionKind::Sv32 => "pages",
                ProtectionKind::Pmp => "its size",
                ProtectionKind::Mpu => "an eighth of a power of two",
            },
        );
        let taken = names.iter().zip(sizes);
        let taken: Vec<String> = taken
            .map(|(name, size)| format!("{name} {}", show(*size)))
            .collect();
        let help = format!(
            "{} has {} of {}: kernel {}{}, {}; make one of them smaller, or use another board",
            board.name,
            show(self.all.size.into()),
            self.name,
            show(self.kernel.size.into()),
            if board.protection.kind == ProtectionKind::Mpu {
                " and more"
            } else {
                ""
            },
            taken.join(", "),
        );
        let place = match processes.get(worst) {
            Some(process) => self.culprit(process),
            None => shared[worst - processes.len()].1.span,
        };
        application.source.refuse(place, message, help)
    }

    /// The place in the manifest that a person would change.
    fn culprit(&self, process: &Process) -> Place {
        match (&process.ram, self.name) {
            (_, "flash") => process.program.span,
            (Some(ram), _) => ram.span,
            // That of the name, if there are none.
            (None, _) => process.lending.pages.span,
        }
    }
}
