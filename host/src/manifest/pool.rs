//! `[[pool]]`, and the `mappings` of a process.

use super::application::{Pool, Process, Quota};
use super::check::{Check, Names};
use super::fit::LARGEST_WINDOW;
use super::lending::ROOM;
use super::region::SMALLEST;
use super::written::{PoolProcess, PoolTable};
use crate::board::Board;
use crate::quantity::show;
use crate::source::At;

/// Most blocks of a pool.
const MOST_BLOCKS: u32 = 256;
/// Most pools of a system.
const MOST_POOLS: usize = 256;

/// The pools. Each process gets the quotas that stand there for it.
pub fn pools(
    check: &mut Check,
    tables: &[At<PoolTable>],
    process_names: &Names,
    processes: &mut [Process],
) -> Vec<Pool> {
    let names = tables.iter().map(|table| &table.value.name);
    Names::collect(check, "pool", "pools", names);
    if let Some(table) = tables.get(MOST_POOLS) {
        let message = format!("there are {} pools", tables.len());
        let help = format!("a system has at most {MOST_POOLS}: join some of the same block size");
        check.refuse(table.value.name.span, message, help);
    }
    let resolve = |(index, table): (usize, &At<PoolTable>)| {
        let table = &table.value;
        let blocks = check.power_of_two(&table.blocks, "number of blocks", 1..=MOST_BLOCKS);
        grant(check, (index, blocks), table, process_names, processes);
        Pool {
            name: table.name.clone(),
            block: block(check, table),
            blocks,
        }
    };
    let pools = tables.iter().enumerate().map(resolve).collect::<Vec<_>>();
    without_effect(check, &pools, processes);
    pools
}

fn block(check: &mut Check, table: &PoolTable) -> At<u32> {
    let Some(size) = check.size(&table.block) else {
        return table.block.with(SMALLEST);
    };
    if size.value.is_power_of_two() && (SMALLEST..=ROOM).contains(&size.value) {
        return size;
    }
    let message = format!("a block of {} is not possible", show(size.value.into()));
    let next = size.value.clamp(SMALLEST, ROOM).next_power_of_two();
    let help = format!(
        "blocks are powers of two from {SMALLEST} bytes to {}: write {:?}",
        show(ROOM.into()),
        show(next.into())
    );
    check.refuse(size.span, message, help);
    size.with(SMALLEST)
}

/// Lets the processes that pool `index` names make regions of it.
fn grant(
    check: &mut Check,
    (index, blocks): (usize, u32),
    table: &PoolTable,
    process_names: &Names,
    processes: &mut [Process],
) {
    let name = &table.name.value;
    for written in &table.processes.value {
        let (process, most) = match &written.value {
            PoolProcess::Name(name) => (written.with(name.clone()), None),
            PoolProcess::Table(own) => (written.with(own.process.clone()), own.blocks),
        };
        let message = format!("pool `{name}` cannot be given to it");
        let Some(maker) = process_names.find(check, &process, &message) else {
            continue;
        };
        let most = most.map_or(blocks, |most| {
            check.in_range(&written.with(most), "number of blocks", 1..=blocks)
        });
        let quotas = &mut processes[maker].quotas;
        if let Some(first) = quotas.iter().find(|quota| quota.pool == index) {
            let message = format!("pool `{name}` is given to `{}` twice", process.value);
            check.refuse_second(process.span, message, "name each process once", first.span);
            continue;
        }
        quotas.push(Quota {
            pool: index,
            most,
            span: process.span,
        });
    }
    if table.processes.value.is_empty() {
        let message = format!("no process may make regions of pool `{name}`");
        let help = "name the processes that may, or leave the pool out";
        check.refuse(table.processes.span, message, help);
    }
}

/// Warns of what is of no use.
fn without_effect(check: &mut Check, pools: &[Pool], processes: &[Process]) {
    let maps = |process: &&Process| process.lending.mappings.value > 0;
    let mut mapping = processes.iter().filter(maps);
    match (pools.first(), mapping.next()) {
        (None, Some(process)) => {
            let name = &process.name.value;
            let message = format!("there is no [[pool]]: `{name}` has nothing to map");
            let help = "add a [[pool]], or leave `mappings` out";
            check.refuse(process.lending.mappings.span, message, help);
        }
        (Some(pool), None) => {
            let name = &pool.name.value;
            let message = format!("nobody can map a region of pool `{name}`");
            let help = "write mappings = 1 at each [[process]] that is to use some";
            check.warn(pool.name.span, message, help);
        }
        _ => {}
    }
}

/// What a board must have for the pools: blocks that it can protect; and where addresses are translated, room for them
/// in what processes see, and few pages of each.
pub fn fit(check: &mut Check, board: &Board, pools: &[Pool], processes: &[Process]) {
    let smallest = board.protection.smallest;
    let largest = if board.protection.translates() {
        LARGEST_WINDOW
    } else {
        ROOM
    };
    for pool in pools {
        let block = pool.block.value;
        if (smallest..=largest).contains(&block) {
            continue;
        }
        let kind = if block < smallest { "small" } else { "large" };
        let fitting = block.clamp(smallest, largest);
        let message = format!(
            "blocks of {} of pool `{}` are too {kind} for {}",
            show(block.into()),
            pool.name.value,
            board.name,
        );
        let help = format!(
            "write block = {:?}, or take {} out of `boards`",
            show(fitting.into()),
            board.name
        );
        check.refuse(pool.block.span, message, help);
    }
    if board.protection.translates() {
        room(check, board, pools, processes);
    }
}

/// All windows of a process are as large as the largest thing that appears in one of them.
fn room(check: &mut Check, board: &Board, pools: &[Pool], processes: &[Process]) {
    for process in processes {
        let lending = &process.lending;
        let places = lending.windows.value + lending.mappings.value;
        let size = place_size(process, pools);
        if lending.mappings.value == 0 || u64::from(places) * u64::from(size) <= ROOM.into() {
            continue;
        }
        let message = format!(
            "{} windows and mappings of {} are too large together for {}",
            places,
            show(size.into()),
            board.name
        );
        let help = format!(
            "they have {} of what a process sees: `{}` can have {} of them",
            show(ROOM.into()),
            process.name.value,
            ROOM / size
        );
        check.refuse(lending.mappings.span, message, help);
    }
}

/// Bytes that anything has that appears in a process: the largest message, or the largest block.
#[must_use]
pub fn place_size(process: &Process, pools: &[Pool]) -> u32 {
    let lending = &process.lending;
    let largest = pools.iter().map(|pool| pool.block.value).max();
    let largest = largest.filter(|_| lending.mappings.value > 0);
    largest.unwrap_or(0).max(lending.window_size)
}
