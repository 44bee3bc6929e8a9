//! Who takes signals, and who may send some to whom.

use super::Process;
use super::check::{Check, Names};
use super::written::ProcessTable;
use crate::plan::Signalling;
use crate::source::At;

/// What a process's table says of signals.
pub fn signals(check: &mut Check, processes: &Names, table: &ProcessTable) -> Signalling {
    let most = riposte_abi::signal::MAX_QUEUED as u32;
    let queue = table.signal_queue.as_ref();
    let queue = queue.map(|queue| check.in_range(queue, "number of queued signals", 0..=most));
    let own = &table.name.value;
    let message = format!("`{own}` cannot send signals to it");
    let mut targets = vec![];
    for name in &table.signals {
        if name.value == *own {
            let message = format!("`{own}` may send signals to itself anyway");
            check.refuse(name.span, message, "leave it out");
        } else if let Some(index) = processes.find(check, name, &message) {
            if targets.contains(&index) {
                let message = format!("`{}` stands here twice", name.value);
                check.refuse(name.span, message, "leave one of the two out");
            }
            targets.push(index);
        }
    }
    Signalling { targets, queue }
}

/// Refuses signals to a process that takes none.
pub fn targets(check: &mut Check, tables: &[At<ProcessTable>], processes: &[Process]) {
    for table in tables {
        for name in &table.value.signals {
            let target = processes.iter().find(|it| it.name.value == name.value);
            if target.is_some_and(|target| target.signals.queue.is_none()) {
                let message = format!("`{}` takes no signals", name.value);
                let help = format!("add signal_queue = 0 to `{}`, or leave it out", name.value);
                check.refuse(name.span, message, help);
            }
        }
    }
}
