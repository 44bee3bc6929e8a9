//! Walks every interleaving of a small system through the real kernel, fast path and all.
//!
//! A *state* is all that decides about the future; two that differ only in counters are one. From
//! each state, every [`Step`] of the running thread and of the world around it is taken once; after
//! each, [`riposte_model::check`] looks at everything that must hold between two steps, and the
//! outcome of the call is compared with what the state before it promised.
//!
//! The search is breadth-first: the history of a failure is one of the shortest.
#![forbid(unsafe_code)]

mod expect;
mod signals;
mod step;
mod timers;
mod words;
mod world;

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

use riposte_model::{Machine, Moment};

pub use step::{Step, Steps};
pub use world::World;

/// What a walk has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Different states.
    pub states: usize,
    /// Steps that were taken.
    pub transitions: usize,
    /// Steps of the longest history.
    pub depth: usize,
    /// Whether there is nothing left to see: no state beyond that depth is new.
    pub complete: bool,
}

/// How a state was reached: from which one, by which of its steps.
#[derive(Clone, Copy)]
struct Origin {
    from: u32,
    step: u16,
}

/// A state that is still to be expanded.
struct Open {
    number: u32,
    moment: Moment,
}

/// Walks through all histories of at most `depth` steps.
///
/// # Panics
/// Something does not hold; the history that leads there is printed.
#[must_use]
pub fn explore(world: &World, depth: usize) -> Report {
    let mut machine = world.start();
    let mut known = HashSet::new();
    let mut origins = vec![Origin { from: 0, step: 0 }];
    known.insert(fingerprint(&machine));
    let mut layer = vec![Open {
        number: 0,
        moment: machine.save_moment(),
    }];
    let mut transitions = 0;
    for reached in 0..depth {
        let mut next_layer = Vec::new();
        for open in layer {
            machine.go_back(&open.moment);
            let steps = Steps::of(&machine, world);
            let before = machine.shape();
            for (index, step) in steps.iter().enumerate() {
                let walked = catch_unwind(AssertUnwindSafe(|| {
                    machine.go_back(&open.moment);
                    step::take(&mut machine, step, &before);
                    fingerprint(&machine)
                }));
                let fingerprint = walked.unwrap_or_else(|panic| {
                    eprintln!("{}: {}", world.name, history(world, &origins, open.number));
                    eprintln!("  and then {step}");
                    resume_unwind(panic);
                });
                transitions += 1;
                if known.insert(fingerprint) {
                    let number = origins.len() as u32;
                    origins.push(Origin {
                        from: open.number,
                        step: index as u16,
                    });
                    next_layer.push(Open {
                        number,
                        moment: machine.save_moment(),
                    });
                }
            }
        }
        if next_layer.is_empty() {
            return report(&known, transitions, reached, true);
        }
        layer = next_layer;
    }
    report(&known, transitions, depth, false)
}

fn report(known: &HashSet<u64>, transitions: usize, depth: usize, complete: bool) -> Report {
    Report {
        states: known.len(),
        transitions,
        depth,
        complete,
    }
}

fn fingerprint(machine: &Machine) -> u64 {
    let mut hasher = DefaultHasher::new();
    machine.shape().hash(&mut hasher);
    hasher.finish()
}

/// The steps that led to a state, one a line.
fn history(world: &World, origins: &[Origin], mut number: u32) -> String {
    let mut indices = Vec::new();
    while number != 0 {
        let origin = origins[number as usize];
        indices.push(origin.step);
        number = origin.from;
    }
    let mut machine = world.start();
    let mut text = format!("after {} steps", indices.len());
    for index in indices.into_iter().rev() {
        let steps = Steps::of(&machine, world);
        let step = &steps[usize::from(index)];
        text += &format!("\n  {step}");
        let before = machine.shape();
        step::take(&mut machine, step, &before);
    }
    text
}
