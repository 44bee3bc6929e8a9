//! Restarts that follow restarts must end.

use super::Process;
use super::check::Check;
use super::written::ProcessTable;
use crate::source::At;

/// Refuses a cycle of `restart_with`, once, at the name that closes it.
pub fn cycles(check: &mut Check, tables: &[At<ProcessTable>], processes: &[Process]) {
    let mut search = Search {
        processes,
        done: vec![false; processes.len()],
        path: Vec::new(),
    };
    let Some(cycle) = (0..processes.len()).find_map(|start| search.cycle_from(start)) else {
        return;
    };
    let name = |index: &usize| processes[*index].name.value.as_str();
    let path: Vec<&str> = cycle.iter().chain(cycle.first()).map(name).collect();
    let first = name(&cycle[0]);
    let last = &tables[cycle[cycle.len() - 1]].value;
    let closing = last
        .restart_with
        .iter()
        .find(|written| written.value == first);
    let message = format!("restarts go round in a circle: {}", path.join(" → "));
    let help = format!(
        "take `{first}` out of the restart_with of `{}`, or break the circle elsewhere",
        last.name.value
    );
    check.refuse(
        closing.map_or(last.name.span, |written| written.span),
        message,
        help,
    );
}

/// Depth first; what is done leads to no cycle.
struct Search<'a> {
    processes: &'a [Process],
    done: Vec<bool>,
    path: Vec<usize>,
}

impl Search<'_> {
    fn cycle_from(&mut self, process: usize) -> Option<Vec<usize>> {
        if let Some(start) = self.path.iter().position(|on_path| *on_path == process) {
            return Some(self.path[start..].to_vec());
        }
        if self.done[process] {
            return None;
        }
        self.path.push(process);
        let processes = self.processes;
        let cycle = processes[process]
            .restart_with
            .iter()
            .find_map(|next| self.cycle_from(*next));
        self.path.pop();
        self.done[process] = true;
        cycle
    }
}
