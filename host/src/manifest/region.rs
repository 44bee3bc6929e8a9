//! `[[region]]`.

use super::application::{Mapping, Process, Region};
use super::check::{Check, Names};
use super::written::{RegionAccess, RegionProcess, RegionTable};
use crate::quantity::{show, show_power};
use crate::source::At;

/// The smallest that any protection unit can tell from its surroundings.
pub const SMALLEST: u32 = 32;

/// The regions. Each process gets those that it may use.
pub fn regions(
    check: &mut Check,
    tables: &[At<RegionTable>],
    process_names: &Names,
    processes: &mut [Process],
) -> Vec<Region> {
    let names = tables.iter().map(|table| &table.value.name);
    Names::collect(check, "region", "regions", names);
    let resolve = |(index, table): (usize, &At<RegionTable>)| {
        let table = &table.value;
        map(check, index, table, process_names, processes);
        Region {
            name: table.name.clone(),
            size: size(check, table),
        }
    };
    tables.iter().enumerate().map(resolve).collect()
}

fn size(check: &mut Check, table: &RegionTable) -> At<u32> {
    let Some(size) = check.size(&table.size) else {
        return table.size.with(SMALLEST);
    };
    if size.value.is_power_of_two() && size.value >= SMALLEST {
        return size;
    }
    let message = format!("a region of {} is not possible", show(size.value.into()));
    let next = show_power(size.value.max(SMALLEST));
    let help = format!("regions are powers of two, at least {SMALLEST} bytes: write {next:?}");
    check.refuse(size.span, message, help);
    size.with(SMALLEST)
}

/// Gives region `index` to the processes that it names.
fn map(
    check: &mut Check,
    index: usize,
    table: &RegionTable,
    process_names: &Names,
    processes: &mut [Process],
) {
    let name = &table.name.value;
    let mut writers = 0;
    for written in &table.processes.value {
        let (process, writable) = user(written);
        let message = format!("region `{name}` cannot be given to it");
        let Some(user) = process_names.find(check, &process, &message) else {
            writers += 1;
            continue;
        };
        let user = &mut processes[user];
        let first = user.regions.iter().find(|mapping| mapping.region == index);
        if let Some(first) = first {
            let message = format!("region `{name}` is given to `{}` twice", process.value);
            check.refuse_second(process.span, message, "name each process once", first.span);
            continue;
        }
        writers += u32::from(writable);
        user.regions.push(Mapping {
            region: index,
            writable,
            span: process.span,
        });
    }
    if table.processes.value.is_empty() {
        let message = format!("no process may use region `{name}`");
        let help = "name the processes that may, or leave the region out";
        check.refuse(table.processes.span, message, help);
    } else if writers == 0 {
        let message = format!("nobody may write region `{name}`: it is zero for ever");
        let help = "give one of the processes access = \"read-write\"";
        check.warn(table.processes.span, message, help);
    }
}

/// The name of the process, and whether it may write.
fn user(written: &At<RegionProcess>) -> (At<String>, bool) {
    match &written.value {
        RegionProcess::Name(name) => (written.with(name.clone()), true),
        RegionProcess::Table(table) => (
            written.with(table.process.clone()),
            table.access == RegionAccess::ReadWrite,
        ),
    }
}
