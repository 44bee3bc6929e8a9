//! `[[memory]]` of a suite: the memories that a simulated board is measured in, one after the other.

use serde::Deserialize;

use crate::board::{Board, Memory, Run, WrittenMemory};
use crate::source::{At, Refusal, Source};
use crate::suggest;

/// A memory as it is written; keys that are left out are the board's own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    name: At<String>,
    boards: At<Vec<At<String>>>,
    ram_latency: Option<At<Vec<i64>>>,
    ram_ports: Option<At<i64>>,
    l2: Option<At<i64>>,
}

/// A memory with a name.
#[derive(Clone, Debug)]
pub struct Model {
    name: String,
    boards: Vec<String>,
    memory: Memory,
}

impl Model {
    /// `board` with this memory around it; `None` if the model is not for it.
    #[must_use]
    pub fn around(&self, board: &Board) -> Option<Board> {
        if !self.boards.contains(&board.name) {
            return None;
        }
        let mut board = board.with_memory(&self.memory);
        if let Run::Simulator(simulator) = &mut board.run {
            simulator.model = Some(self.name.clone());
        }
        Some(board)
    }
}

/// The models; what is refused goes to `wrong`.
pub fn resolve(
    written: &[Written],
    source: &Source,
    boards: &[Board],
    wrong: &mut Vec<Refusal>,
) -> Vec<Model> {
    let mut models: Vec<Model> = Vec::new();
    for it in written {
        wrong.extend(wrong_name(&it.name, &models, source));
        wrong.extend(wrong_boards(&it.boards, source, boards));
        let memory = WrittenMemory {
            latency: it.ram_latency.as_ref(),
            ports: it.ram_ports.as_ref(),
            l2: it.l2.as_ref(),
        };
        models.push(Model {
            name: it.name.value.clone(),
            boards: it.boards.value.iter().map(|it| it.value.clone()).collect(),
            memory: memory.resolve(source, wrong),
        });
    }
    models
}

fn wrong_name(name: &At<String>, before: &[Model], source: &Source) -> Option<Refusal> {
    let (message, help) = if name.value.trim().is_empty() {
        ("this is no name", "write one, such as \"slow SRAM\"")
    } else if before.iter().any(|it| it.name == name.value) {
        ("another memory has this name", "write a name of its own")
    } else {
        return None;
    };
    Some(source.refuse(name.span, message, help))
}

fn wrong_boards(written: &At<Vec<At<String>>>, source: &Source, boards: &[Board]) -> Vec<Refusal> {
    let simulated = boards.iter().filter(|it| it.simulator().is_some());
    let simulated: Vec<&str> = simulated.map(|it| it.name.as_str()).collect();
    if written.value.is_empty() {
        let help = format!("write boards that are simulated: {}", simulated.join(", "));
        return vec![source.refuse(written.span, "a memory for no board", help)];
    }
    let other = |name: &&At<String>| !simulated.contains(&name.value.as_str());
    let refuse = |name: &At<String>| {
        let message = format!("`{}` is no simulated board", name.value);
        let help = suggest::help(&name.value, "simulated boards", simulated.iter().copied());
        source.refuse(name.span, message, help)
    };
    written.value.iter().filter(other).map(refuse).collect()
}

/// Refuses a `name` that none of the memories has.
pub fn unknown(name: &At<String>, written: &[Written], source: &Source) -> Option<Refusal> {
    let names = || written.iter().map(|it| it.name.value.as_str());
    if names().any(|it| it == name.value) {
        return None;
    }
    let message = format!("there is no memory `{}`", name.value);
    let help = suggest::help(&name.value, "memories", names());
    Some(source.refuse(name.span, message, help))
}
