//! What a command prints for programs: JSON on the standard output, and nothing else there.

use std::io::Write;

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

/// Prints one of several results, each a line of its own that is to be read at once.
///
/// # Errors
/// If it has no JSON.
pub fn line(result: &impl Serialize) -> miette::Result<()> {
    let text = serde_json::to_string(result).into_diagnostic()?;
    let mut to = std::io::stdout().lock();
    // Who closed the output wants no more of it.
    let _ = writeln!(to, "{text}").and_then(|()| to.flush());
    Ok(())
}
