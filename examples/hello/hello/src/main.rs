//! Prints a line on the console.
#![no_std]

use riposte::println;

#[riposte::main]
fn main() {
    println!("hello from {}", riposte::process_name());
    // Nothing else is to be done, so the machine stops, which app.toml permits; a real program would go on.
    let _ = riposte::shutdown(0);
}
