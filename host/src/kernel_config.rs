//! The kernel's configuration: Rust source generated from the plan.

use crate::plan::Plan;

/// The source that the board's crate includes.
#[must_use]
pub fn generate(plan: &Plan) -> String {
    format!("// {} on {}\n", plan.application, plan.board)
}
