//! What the boards must have: the boards themselves, peripherals, protection regions, an FPU.

use super::check::Check;
use super::{Process, Region, rates};
use crate::board::{Board, Peripheral};
use crate::plan::{Colour, space};
use crate::quantity::show;
use crate::source::At;
use crate::suggest;

/// The boards that the manifest names.
pub fn boards<'b>(
    check: &mut Check,
    written: &At<Vec<At<String>>>,
    boards: &'b [Board],
) -> Vec<&'b Board> {
    if written.value.is_empty() {
        let help = format!("name at least one of: {}", names(boards).join(", "));
        check.refuse(written.span, "the application runs on no board", help);
    }
    let mut found: Vec<&Board> = Vec::new();
    for name in &written.value {
        match boards.iter().find(|board| board.name == name.value) {
            Some(board) if found.iter().any(|other| other.name == board.name) => {
                let message = format!("board `{}` is there twice", name.value);
                check.refuse(name.span, message, "name each board once");
            }
            Some(board) => found.push(board),
            None => {
                let message = format!("there is no board `{}`", name.value);
                let help = suggest::help(&name.value, "boards", names(boards));
                check.refuse(name.span, message, help);
            }
        }
    }
    found
}

fn names(boards: &[Board]) -> Vec<&str> {
    boards.iter().map(|board| board.name.as_str()).collect()
}

/// Every process's peripherals, interrupts, regions and floating point.
pub fn processes(check: &mut Check, board: &Board, processes: &[Process], shared: &[Region]) {
    interrupts(check, board, processes);
    rates::fit(check, board, processes);
    let mut taken: Vec<(&At<String>, &Process)> = Vec::new();
    for process in processes {
        for name in &process.peripherals {
            let found = peripheral(check, board, process, name);
            let first = taken.iter().find(|(other, _)| other.value == name.value);
            let alone = found.is_some_and(|found| !found.shared);
            let own = process
                .peripherals
                .iter()
                .find(|other| other.value == name.value);
            if let Some(first) = own.filter(|first| first.span != name.span) {
                let message = format!(
                    "`{}` has peripheral `{}` twice",
                    process.name.value, name.value
                );
                let help = "name each peripheral once: another mention would take another protection region";
                check.refuse_second(name.span, message, help, first.span);
            } else if let (true, Some((first, owner))) = (alone, first) {
                let message = format!(
                    "`{}` cannot have peripheral `{}`: `{}` has it",
                    process.name.value, name.value, owner.name.value
                );
                let help = "let one process own it, and serve the others through a channel";
                let refusal = check.source.refuse(name.span, message, help);
                check.refusals.push(refusal.also(first.span, "given here"));
            }
            taken.push((name, process));
        }
        protection_regions(check, board, process, shared);
        places(check, board, process);
        floating_point(check, board, process);
    }
}

/// Every interrupt is there, and given once.
fn interrupts(check: &mut Check, board: &Board, processes: &[Process]) {
    let mut taken: Vec<(&At<String>, &Process)> = Vec::new();
    for process in processes {
        for name in &process.interrupts {
            if !board.interrupts.contains_key(&name.value) {
                let message = format!("board {} has no interrupt `{}`", board.name, name.value);
                let all = board.interrupts.keys().map(String::as_str);
                let help = suggest::help(&name.value, "interrupts", all);
                check.refuse(name.span, message, help + &otherwise(board, process));
            }
            let first = taken.iter().find(|(other, _)| other.value == name.value);
            if let Some((first, owner)) = first {
                let message = format!(
                    "interrupt `{}` is given twice: `{}` has it",
                    name.value, owner.name.value
                );
                let help = "let one process handle it, and tell the others through a channel";
                let refusal = check.source.refuse(name.span, message, help);
                check.refusals.push(refusal.also(first.span, "given here"));
            }
            taken.push((name, process));
        }
    }
}

/// Where the manifest can say that a process has something else on a board.
fn otherwise(board: &Board, process: &Process) -> String {
    let (board, process) = (&board.name, &process.name.value);
    format!("; what `{process}` has instead on {board} stands in [board.{board}.process.{process}]")
}

/// The device of this name that a process can have.
fn peripheral<'b>(
    check: &mut Check,
    board: &'b Board,
    process: &Process,
    name: &At<String>,
) -> Option<&'b Peripheral> {
    match board.peripherals.get(&name.value) {
        Some(peripheral) if peripheral.kernel => {
            let message = format!(
                "peripheral `{}` of {} is the kernel's own",
                name.value, board.name
            );
            let help = suggest::help(
                &name.value,
                "peripherals for processes",
                for_processes(board),
            );
            check.refuse(name.span, message, help);
            None
        }
        found @ Some(_) => found,
        None => {
            let message = format!("board {} has no peripheral `{}`", board.name, name.value);
            let help = suggest::help(&name.value, "peripherals", for_processes(board));
            check.refuse(name.span, message, help + &otherwise(board, process));
            None
        }
    }
}

fn for_processes(board: &Board) -> impl Iterator<Item = &str> {
    let free = board
        .peripherals
        .iter()
        .filter(|(_, peripheral)| !peripheral.kernel);
    free.map(|(name, _)| name.as_str())
}

/// Every region's size; where addresses are translated, all of them must have a place in what a process sees.
pub fn regions(check: &mut Check, board: &Board, regions: &[Region]) {
    let smallest = board.protection.smallest;
    for region in regions.iter().filter(|region| region.size.value < smallest) {
        let message = format!(
            "region `{}` of {} is too small for {}, where the least is {}",
            region.name.value,
            show(region.size.value.into()),
            board.name,
            show(smallest.into()),
        );
        let help = format!(
            "write {:?}, or take {} out of `boards`",
            show(smallest.into()),
            board.name
        );
        check.refuse(region.size.span, message, help);
    }
    let needed: u64 = regions.iter().map(|it| u64::from(it.size.value)).sum();
    let room = space::SHARED.size.into();
    let largest = regions.iter().max_by_key(|region| region.size.value);
    if let (true, Some(largest)) = (board.protection.translates() && needed > room, largest) {
        let message = format!(
            "the regions take {} together; on {} processes see {} of them",
            show(needed),
            board.name,
            show(room),
        );
        let help = format!("make them smaller, or take {} out of `boards`", board.name);
        check.refuse(largest.size.span, message, help);
    }
}

/// Code, RAM, each peripheral, each region, the guard of the running thread's stack, windows and gaps.
fn protection_regions(check: &mut Check, board: &Board, process: &Process, shared: &[Region]) {
    let guard = usize::from(board.always_guards() || process.threads.len() > 1);
    let lending = &process.lending;
    let lent = (lending.windows.value + lending.mappings.value + lending.gaps.value) as usize;
    let without = 2 + process.peripherals.len() + process.regions.len() + guard;
    if without + lent > board.protection.regions {
        let message = format!(
            "`{}` needs {} protection regions; {} has {}",
            process.name.value,
            without + lent,
            board.name,
            board.protection.regions
        );
        if let Some(last) = process.regions.last() {
            check.refuse(last.span, message, taken(process, guard, shared));
            return;
        }
        if without <= board.protection.regions {
            let written = [&lending.windows, &lending.mappings, &lending.gaps];
            let most = written.into_iter().max_by_key(|number| number.value);
            let left = board.protection.regions - without;
            let help = format!(
                "its memory, peripherals and guards take {without}: {left} are left for `windows`, \
                 `mappings` and `gaps` together"
            );
            check.refuse(most.unwrap_or(&lending.windows).span, message, help);
            return;
        }
        let most = board.protection.regions - 2 - guard;
        let help = format!("give it at most {most} peripherals, and the rest to another process");
        check.refuse(process.peripherals[most].span, message, help);
    }
}

/// What takes the protection regions of a process, in words.
fn taken(process: &Process, guard: usize, shared: &[Region]) -> String {
    let mut parts = vec!["code and RAM 2".to_owned()];
    let mut part = |count: usize, what: String| {
        if count > 0 {
            parts.push(format!("{what} {count}"));
        }
    };
    part(guard, "the guard below its stack".into());
    let names: Vec<&str> = process
        .peripherals
        .iter()
        .map(|it| it.value.as_str())
        .collect();
    part(names.len(), format!("peripherals ({})", names.join(", ")));
    let names = process
        .regions
        .iter()
        .map(|it| shared[it.region].name.value.as_str());
    let names: Vec<&str> = names.collect();
    part(names.len(), format!("regions ({})", names.join(", ")));
    part(process.lending.windows.value as usize, "windows".into());
    part(process.lending.mappings.value as usize, "mappings".into());
    part(process.lending.gaps.value as usize, "gaps".into());
    format!(
        "they go to: {}. Join regions, or give some of it to another process",
        parts.join(", ")
    )
}

/// Most bytes of a window, or of a region that is mapped in one, where addresses are translated: the kernel fills one, page by page, without a look for
/// interrupts (the figure for `virt-rv32-mmu` in `tests/bounds.toml`).
pub const LARGEST_WINDOW: u32 = 128 * 1024;

/// Where addresses are translated, all devices must have a place in what a process sees, and windows are filled
/// at one go.
fn places(check: &mut Check, board: &Board, process: &Process) {
    if !board.protection.translates() {
        return;
    }
    let name = &process.name.value;
    let windows = &process.lending.windows;
    let size = process.lending.window_size;
    if windows.value > 0 && size > LARGEST_WINDOW {
        let message = format!(
            "windows of `{name}` of {} are too large for {}, where each page of one is mapped by itself",
            show(size.into()),
            board.name,
        );
        let help = format!(
            "write `window_size = \"{}\"`, or take {} out of `boards`",
            show(LARGEST_WINDOW.into()),
            board.name
        );
        check.refuse(windows.span, message, help);
    }
    let devices = space::devices(process, board, Colour::default());
    let size = devices
        .iter()
        .map(|device| u64::from(device.seen.size.next_multiple_of(space::PAGE)));
    let all = u64::from(space::DEVICES.size);
    if let (true, Some(last)) = (size.sum::<u64>() > all, process.peripherals.last()) {
        let message = format!(
            "the peripherals of `{name}` take more than the {} that a process on {} has for them",
            show(space::DEVICES.size.into()),
            board.name,
        );
        check.refuse(last.span, message, "give some of them to another process");
    }
}

fn floating_point(check: &mut Check, board: &Board, process: &Process) {
    if board.target(process.fpu.value).is_none() {
        let message = format!(
            "`{}` cannot use floating point in hardware: {} has no FPU",
            process.name.value, board.name
        );
        let help = format!(
            "leave `fpu` out, so that it is computed in software, or take {} out of `boards`",
            board.name
        );
        check.refuse(process.fpu.span, message, help);
    }
}
