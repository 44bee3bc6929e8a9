//! What a command prints for programs: JSON on the standard output, and nothing else there.

use miette::IntoDiagnostic;
use serde::Serialize;

/// Prints a result.
///
/// # Errors
/// If it has no JSON.
pub fn print(result: &impl Serialize) -> miette::Result<()> {
    let text = serde_json::to_string_pretty(result).into_diagnostic()?;
    println!("{text}");
    Ok(())
}
