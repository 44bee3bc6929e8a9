//! `./riposte size`: where an application's memory goes.

use serde::Serialize;

use crate::board::Board;
use crate::build::{Image, elf::Linked, stack};
use crate::cli;
use crate::json;
use crate::lab::Lab;
use crate::manifest::{Process, rates};
use crate::plan::{Layout, Mapped, Plan, PlanPool, PlanRegion, Region};
use crate::stacks::Stacks;
use crate::table::{Align, Table};

/// Prints the table of an application.
///
/// # Errors
/// If it does not build.
pub fn size(lab: &Lab, asked: &cli::Size) -> miette::Result<()> {
    let application = lab.application(&asked.application.app)?;
    let board = lab.board_for(&application, asked.application.board.as_deref())?;
    let image = lab.build(&application, board)?;
    let depth = stack::depth(&image.kernel.file)?;
    let processes = application.on(board)?.processes;
    let share = rates::share_of_all(board, &processes);
    let stacks = Stacks::kept(&image);
    if asked.json {
        return json::print(&Sizes {
            application: &application.name,
            board: &board.name,
            parts: parts(&image),
            flash: Taken {
                taken: flash(&image),
                used: image.contents,
            },
            ram: ram(&image, board),
            kernel_stack: KernelStack {
                size: image.kernel.section(".stack").1,
                bound: depth.bytes,
                way: depth.way,
            },
            stacks,
            timers_and_interrupts_percent: rates::percent(share),
        });
    }
    println!("{} on {}, bytes\n", application.name, board.name);
    print!("{}\n{}", table(&image), alignment(&image, board));
    let way = depth
        .way
        .iter()
        .map(|(name, bytes)| format!("{name} {bytes}"));
    println!(
        "the kernel's stack has {} bytes; its deepest way and a fault of the kernel take {}: {}",
        image.kernel.section(".stack").1,
        depth.bytes,
        way.collect::<Vec<_>>().join(", ")
    );
    let stacks = stacks.lines();
    if !stacks.is_empty() {
        print!("bytes of the stacks used at most in the last run, as far as it told\n{stacks}");
    }
    print!("{}", programs(&processes));
    println!(
        "timers and interrupts can take {} % of the processor's time",
        rates::percent(share)
    );
    Ok(())
}

/// All of it, as data.
#[derive(Serialize)]
struct Sizes<'a> {
    application: &'a str,
    board: &'a str,
    parts: Vec<Part>,
    flash: Taken,
    ram: Taken,
    kernel_stack: KernelStack,
    /// What was used at most in the last run.
    stacks: Stacks,
    timers_and_interrupts_percent: String,
}

/// The kernel, a process or a region.
#[derive(Serialize)]
struct Part {
    name: String,
    #[serde(flatten)]
    bytes: Bytes,
    stacks: u32,
    pages: u32,
    flash: u32,
    ram: u32,
}

#[derive(Serialize)]
struct KernelStack {
    size: u32,
    bound: u32,
    way: Vec<(String, u32)>,
}

fn parts(image: &Image) -> Vec<Part> {
    let (flash, ram) = of_kernel(image);
    let kernel = Part {
        name: "kernel".into(),
        bytes: bytes(&image.kernel),
        stacks: 0,
        pages: 0,
        flash,
        ram,
    };
    let processes = image.plan.processes.iter().zip(&image.programs);
    let processes = processes.map(|(process, linked)| Part {
        name: process.name.clone(),
        bytes: bytes(linked),
        stacks: process.threads.iter().map(|thread| thread.stack.size).sum(),
        pages: process.lending.pages.size,
        flash: process.flash.seen.size,
        ram: process.ram.seen.size,
    });
    let regions = image.plan.regions.iter().map(|region| Part {
        name: region.name.clone(),
        bytes: Bytes::default(),
        stacks: 0,
        pages: 0,
        flash: 0,
        ram: region.memory.seen.size,
    });
    let pools = image.plan.pools.iter().map(|pool| Part {
        name: pool.name.clone(),
        bytes: Bytes::default(),
        stacks: 0,
        pages: 0,
        flash: 0,
        ram: pool.memory.size,
    });
    std::iter::once(kernel)
        .chain(processes)
        .chain(regions)
        .chain(pools)
        .collect()
}

/// How often each program can run at once, and how many children each process may have; nothing without programs.
#[must_use]
pub fn programs(processes: &[Process]) -> String {
    let names = processes.iter().filter_map(|it| it.instance_of.as_deref());
    let mut counts: Vec<(&str, u32)> = Vec::new();
    for name in names {
        match counts.last_mut() {
            Some((last, count)) if *last == name => *count += 1,
            _ => counts.push((name, 1)),
        }
    }
    let mut text = String::new();
    for (name, count) in counts {
        text += &format!("program `{name}`: {count} at once\n");
    }
    for process in processes.iter().filter(|it| !it.spawns.is_empty()) {
        let patterns: Vec<_> = process.spawns.iter().map(|it| it.value.as_str()).collect();
        text += &format!(
            "children of `{}`: {} at once, of {}\n",
            process.name.value,
            process.children,
            patterns.join(", ")
        );
    }
    text
}

/// Bytes of a linked file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bytes {
    /// Code.
    pub text: u32,
    /// Constants.
    pub constants: u32,
    /// Initialised data, in flash and in RAM.
    pub data: u32,
    /// Zeroed data.
    pub zeroed: u32,
}

/// Measures a linked file.
#[must_use]
pub fn bytes(linked: &Linked) -> Bytes {
    let of = |name: &str| linked.section(name).1;
    Bytes {
        text: of(".text") + of(".vector_table") + of(".vectors"),
        constants: of(".rodata"),
        data: of(".data") + of(".tdata") + of(".kernel"),
        zeroed: of(".bss") + of(".uninit") + of(".stack"),
    }
}

/// Bytes of the kernel's RAM that a thread takes: the thread itself, its place among the deadlines, and
/// what the port keeps of it. (Its protection image is in flash, unless it changes.)
#[must_use]
pub fn of_thread(image: &Image) -> u32 {
    let named = image.plan.processes.iter().map(|it| it.threads.len());
    let threads = named.sum::<usize>() as u32 + 1;
    let all = ["THREADS", "CONTEXTS", "SAVED"].map(|name| image.kernel.object(name));
    let place = size_of::<u32>() as u32;
    all.iter().sum::<u32>() / threads + place
}

fn table(image: &Image) -> String {
    let mut table = Table::new(&[
        ("", Align::Left),
        ("code", Align::Right),
        ("constants", Align::Right),
        ("data", Align::Right),
        ("zeroed", Align::Right),
        ("stacks", Align::Right),
        ("pages", Align::Right),
        ("flash", Align::Right),
        ("RAM", Align::Right),
    ]);
    let regions = image.plan.regions.len() + image.plan.pools.len();
    let parts = parts(image);
    for part in &parts[..parts.len() - regions] {
        table.row(row(part));
    }
    for region in &image.plan.regions {
        table.row(shared(image, region));
    }
    for (index, pool) in image.plan.pools.iter().enumerate() {
        table.row(blocks(image, index, pool));
    }
    table.to_string()
}

/// Bytes of flash and of RAM that the kernel takes, or that are set aside for it.
#[must_use]
pub fn of_kernel(image: &Image) -> (u32, u32) {
    let Layout {
        kernel_flash,
        kernel_text,
        kernel_ram,
        ..
    } = &image.layout;
    let apart = if kernel_text == kernel_flash {
        0
    } else {
        kernel_text.size
    };
    (kernel_flash.size + apart, kernel_ram.size)
}

/// What the whole takes of flash and of RAM, and how much of that it would not without the rules of the
/// protection unit.
fn alignment(image: &Image, board: &Board) -> String {
    let flash = flash(image);
    let ram = ram(image, board);
    let lost = if board.kernel.ram.size == 0 {
        "for alignment"
    } else {
        "for alignment or set aside for the kernel"
    };
    format!(
        "the image takes {flash} bytes of flash, {} of them {lost}; and {} of RAM, {} of them {lost}\n",
        flash - image.contents,
        ram.taken,
        ram.taken - ram.used,
    )
}

/// Bytes of flash that an image takes.
#[must_use]
pub fn flash(image: &Image) -> u32 {
    std::fs::metadata(&image.file).map_or(0, |file| file.len() as u32)
}

/// Bytes of a memory that an application takes, with what is lost between its parts, and that it uses.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Taken {
    /// Taken.
    pub taken: u32,
    /// Used.
    pub used: u32,
}

/// What an image takes of its board's RAM.
#[must_use]
pub fn ram(image: &Image, board: &Board) -> Taken {
    let Plan {
        processes,
        regions,
        pools,
        ..
    } = &image.plan;
    let placed = || {
        let regions = regions.iter().map(|region| region.memory);
        processes
            .iter()
            .map(|process| process.ram)
            .chain(regions)
            .map(Mapped::lies)
            .chain(pools.iter().map(|pool| pool.memory))
    };
    let kernel = bytes(&image.kernel);
    let kernel = kernel.data + kernel.zeroed + image.kernel.section(".idle_stack").1;
    let programs = processes
        .iter()
        .zip(&image.programs)
        .map(|(process, linked)| {
            let stacks: u32 = process.threads.iter().map(|thread| thread.stack.size).sum();
            let own = bytes(linked);
            stacks + own.data + own.zeroed + process.lending.pages.size
        });
    let regions = regions.iter().map(|region| region.memory.seen.size);
    let pools = pools.iter().map(|pool| pool.memory.size);
    let first = placed().map(|region| u64::from(region.base)).min();
    let last = placed().map(Region::end).max();
    let end = board.ram.end();
    let taken = if board.kernel.ram.size == 0 {
        u64::from(kernel) + (end - first.unwrap_or(end))
    } else {
        last.unwrap_or(board.kernel.ram.end()) - u64::from(board.ram.base)
    };
    Taken {
        taken: taken as u32,
        used: kernel + programs.chain(regions).chain(pools).sum::<u32>(),
    }
}

/// A region: its name with those of the processes that use it, and what it takes of RAM.
fn shared(image: &Image, region: &PlanRegion) -> Vec<String> {
    let users = image.plan.processes.iter().filter(|process| {
        let mut mappings = process.regions.iter();
        mappings.any(|mapping| image.plan.regions[mapping.region] == *region)
    });
    let users: Vec<&str> = users.map(|process| process.name.as_str()).collect();
    let mut row = vec![format!("{} ({})", region.name, users.join(", "))];
    row.resize(8, String::new());
    row.push(region.memory.seen.size.to_string());
    row
}

/// A pool: its name, its blocks with those who may make regions of them, and what it takes of RAM.
fn blocks(image: &Image, index: usize, pool: &PlanPool) -> Vec<String> {
    let makers = image.plan.processes.iter().filter_map(|process| {
        let quota = process.quotas.iter().find(|quota| quota.pool == index)?;
        Some(format!("{} {}", process.name, quota.most))
    });
    let makers: Vec<String> = makers.collect();
    let (count, size) = (pool.blocks(), pool.block);
    let mut row = vec![format!(
        "{} ({count} blocks of {size}: {})",
        pool.name,
        makers.join(", ")
    )];
    row.resize(8, String::new());
    row.push(pool.memory.size.to_string());
    row
}

fn row(part: &Part) -> Vec<String> {
    let Bytes {
        text,
        constants,
        data,
        zeroed,
    } = part.bytes;
    let numbers = [
        text,
        constants,
        data,
        zeroed,
        part.stacks,
        part.pages,
        part.flash,
        part.ram,
    ];
    std::iter::once(part.name.clone())
        .chain(numbers.map(|it| it.to_string()))
        .collect()
}
