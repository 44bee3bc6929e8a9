//! `timer_rate` and `interrupt_rate`: how often the kernel works for a process of its own accord, whoever
//! runs; and whether a board can give all that.

use super::Process;
use super::application::Rates;
use super::check::Check;
use super::written::ProcessTable;
use crate::board::Board;
use crate::plan::Objects;
use crate::source::{At, Place};

/// Times a second that the periodic timers of a process are due if the manifest does not say: one timer of
/// a millisecond, the usual tick, or slower ones.
const TIMERS: u32 = 1000;
/// More than any board can give.
const MOST: u32 = 10_000_000;
/// Of the processor's time, in thousandths, the most that timers and interrupts together can be given: no
/// less is left to threads than to them.
const MOST_SHARE: u64 = 500;

/// What the manifest says of a process, or what goes without saying.
pub fn rates(check: &mut Check, table: &ProcessTable, objects: &Objects) -> Rates {
    let mut useless = |key: &str, of: &str, written: &At<i64>| {
        let message = format!("`{}` has no {of}", table.name.value);
        let help = format!("add {of}, or leave `{key}` out");
        check.warn(written.span, message, help);
    };
    if let (0, Some(rate)) = (objects.timers, &table.timer_rate) {
        useless("timer_rate", "timers", rate);
    }
    if let (true, Some(rate)) = (table.interrupts.is_empty(), &table.interrupt_rate) {
        useless("interrupt_rate", "interrupts", rate);
    }
    let mut number = |written: &At<i64>, what| {
        let rate = check.in_range(written, what, 1..=MOST);
        written.with(rate)
    };
    Rates {
        timers: match &table.timer_rate {
            Some(rate) => number(rate, "rate of timers"),
            None => table.name.with(TIMERS),
        },
        interrupts: table
            .interrupt_rate
            .as_ref()
            .map(|rate| number(rate, "rate of interrupts")),
    }
}

/// How often the kernel works for a process of its own accord in a second, at most; and where the
/// manifest says so. An interrupt without a rate is not counted: it comes once for each acknowledgement,
/// which takes its driver as long as it takes the kernel.
fn events(process: &Process) -> (u64, Place) {
    let rates = &process.rates;
    let timers = match process.objects.timers {
        0 => 0,
        _ => u64::from(rates.timers.value),
    };
    let Some(rate) = &rates.interrupts else {
        return (timers, rates.timers.span);
    };
    let interrupts = process.interrupts.len() as u64 * u64::from(rate.value);
    let span = match interrupts > timers {
        true => rate.span,
        false => rates.timers.span,
    };
    (timers + interrupts, span)
}

/// Thousandths of the processor's time that so many events take in a second, rounded up.
fn share(board: &Board, events: u64) -> u64 {
    let ticks = u128::from(events) * u128::from(board.clock.event);
    let share = (ticks * 1000).div_ceil(board.clock.hertz.into());
    u64::try_from(share).unwrap_or(u64::MAX)
}

/// Thousandths of the processor's time that the timers and interrupts of all processes can take.
#[must_use]
pub fn share_of_all(board: &Board, processes: &[Process]) -> u64 {
    let all = processes.iter().map(|process| events(process).0);
    share(board, all.sum())
}

/// The board can give what all processes together are promised.
pub fn fit(check: &mut Check, board: &Board, processes: &[Process]) {
    let of_all = share_of_all(board, processes);
    let most = processes.iter().max_by_key(|process| events(process).0);
    if let (true, Some(most)) = (of_all > MOST_SHARE, most) {
        let (own, span) = events(most);
        let message = format!(
            "timers and interrupts can take {} % of {}, more than {} %; those of `{}` take {} %",
            percent(of_all),
            board.name,
            percent(MOST_SHARE),
            most.name.value,
            percent(share(board, own)),
        );
        let all: u64 = processes.iter().map(|process| events(process).0).sum();
        let room = MOST_SHARE * board.clock.hertz / (board.clock.event * 1000);
        let help = format!(
            "they are due {all} times a second together, and {} has time for {room}: write smaller \
             rates, or take it out of `boards`",
            board.name
        );
        check.refuse(span, message, help);
    }
}

/// Thousandths as a person writes them.
#[must_use]
pub fn percent(thousandths: u64) -> String {
    match thousandths % 10 {
        0 => format!("{}", thousandths / 10),
        tenth => format!("{}.{tenth}", thousandths / 10),
    }
}
