//! The keys of a process that memory messages need: `windows`, `window_size`, `pages`, `gaps`; and `mappings`.

use super::application::{Channel, Lending, Process};
use super::check::Check;
use super::written::ProcessTable;
use crate::quantity::{Size, show, show_power};
use crate::source::At;

/// What every board can lend: the page of those that have pages.
pub const PAGE: u32 = 4096;
/// The windows of a process, and the regions that it maps, have so much room in its address space, on boards that translate.
pub const ROOM: u32 = 1 << 20;
/// Most windows and mappings together, and most gaps, of a process: the kernel looks through them for each part of a
/// message, and for four parts between two looks for interrupts.
const MOST: u32 = 16;

/// The process's part, as far as it stands on its own.
pub fn lending(check: &mut Check, table: &ProcessTable) -> Lending {
    let pages = pages(check, table);
    let windows = match &table.windows {
        Some(number) => number.with(check.in_range(number, "number of windows", 0..=MOST)),
        None => table.name.with(0),
    };
    let mappings = match &table.mappings {
        Some(number) => number.with(check.in_range(number, "number of mappings", 0..=MOST)),
        None => table.name.with(0),
    };
    let gaps = match &table.gaps {
        Some(number) => number.with(check.in_range(number, "number of gaps", 0..=MOST)),
        None => pages.with(u32::from(pages.value > 0)),
    };
    without_effect(check, table, &windows, &pages);
    let window_size = window_size(check, table.window_size.as_ref());
    room(check, &windows, window_size);
    places(check, &windows, &mappings);
    Lending {
        windows,
        window_size,
        mappings,
        pages,
        gaps,
    }
}

fn window_size(check: &mut Check, written: Option<&At<Size>>) -> u32 {
    let Some(size) = written.and_then(|written| check.size(written)) else {
        return PAGE;
    };
    if size.value.is_power_of_two() && (PAGE..=ROOM).contains(&size.value) {
        return size.value;
    }
    let message = format!("a window of {} is not possible", show(size.value.into()));
    let next = size.value.clamp(PAGE, ROOM).next_power_of_two();
    let help = format!(
        "windows are powers of two from {} to {}: write {:?}",
        show(PAGE.into()),
        show(ROOM.into()),
        show(next.into())
    );
    check.refuse(size.span, message, help);
    PAGE
}

fn room(check: &mut Check, windows: &At<u32>, size: u32) {
    if u64::from(windows.value) * u64::from(size) > ROOM.into() {
        let message = format!(
            "{} windows of {} are too large together",
            windows.value,
            show(size.into())
        );
        let help = format!(
            "the windows of a process have {} of its address space: write {}, or a smaller \
             `window_size`",
            show(ROOM.into()),
            ROOM / size
        );
        check.refuse(windows.span, message, help);
    }
}

fn places(check: &mut Check, windows: &At<u32>, mappings: &At<u32>) {
    let both = windows.value + mappings.value;
    if both > MOST {
        let message = format!("{both} windows and mappings together are too many");
        let left = MOST - windows.value;
        let help = format!("a process has at most {MOST} of both: {left} are left for `mappings`");
        check.refuse(mappings.span, message, help);
    }
}

fn pages(check: &mut Check, table: &ProcessTable) -> At<u32> {
    let written = table.pages.as_ref();
    let Some(size) = written.and_then(|written| check.size(written)) else {
        return table.name.with(0);
    };
    if size.value < PAGE || !size.value.is_power_of_two() {
        let message = format!("pages of {} are not possible", show(size.value.into()));
        let next = show_power(size.value.max(PAGE));
        let help = format!(
            "pages are a power of two, at least {}: write {next:?}, or leave `pages` out",
            show(PAGE.into())
        );
        check.refuse(size.span, message, help);
    }
    size
}

fn without_effect(check: &mut Check, table: &ProcessTable, windows: &At<u32>, pages: &At<u32>) {
    let name = &table.name.value;
    if let (Some(size), 0) = (&table.window_size, windows.value) {
        let message = format!("`{name}` has no windows: their size has no effect");
        check.warn(
            size.span,
            message,
            "add windows = 1, or leave `window_size` out",
        );
    }
    if let (Some(gaps), 0) = (&table.gaps, pages.value) {
        let message = format!("`{name}` has no pages: nothing of them can be away");
        check.warn(
            gaps.span,
            message,
            "add pages = \"4KiB\", or leave `gaps` out",
        );
    }
}

/// Refuses windows of processes that no memory message can reach: only channels whose server is
/// told of deadlines take them, as lent memory must not disappear under its hands.
pub fn reachable(check: &mut Check, processes: &[Process], channels: &[Channel]) {
    for (index, process) in processes.iter().enumerate() {
        let mut own = channels.iter().filter(|channel| channel.owner == index);
        let windows = &process.lending.windows;
        if windows.value == 0 || own.clone().any(|channel| channel.notify_unblock) {
            continue;
        }
        let name = &process.name.value;
        let message = format!("no memory message can reach the windows of `{name}`");
        let help = match own.next() {
            Some(channel) => format!(
                "add notify = [\"unblock\"] to channel `{}`: only such channels take them",
                channel.name.value
            ),
            None => format!(
                "add a [[channel]] with owner = {name:?} and notify = [\"unblock\"], or leave \
                 `windows` out"
            ),
        };
        check.refuse(windows.span, message, help);
    }
}
