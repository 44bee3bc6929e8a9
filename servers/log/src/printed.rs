//! Records on the console, as they come.

use riposte::console::Plain;
use riposte::println;

/// The levels' names, from 1 on.
const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

/// Prints a record in a line of its own; nothing happens without a connection `console`.
pub fn print(time: u64, name: &str, level: u32, text: &str) {
    let level = (level as usize).checked_sub(1);
    let level = level.and_then(|level| LEVELS.get(level)).unwrap_or(&"?");
    let (seconds, micros) = (time / 1_000_000_000, time / 1000 % 1_000_000);
    let text = Plain(text);
    println!("[{seconds:5}.{micros:06}] {name} {level}: {text}");
}
