//! The shell: a person at the console sees who runs, and what they wait for.
#![no_std]

mod command;
mod error;
mod files;
mod keys;
mod log;
mod names;
mod out;
mod programs;
mod prompt;
mod threads;
mod time;

use command::{Ended, run};
use prompt::{Prompt, Typed};
use riposte::println;
use shell_line::Words;

#[riposte::main]
fn main() {
    if let Err(error) = keys::start() {
        println!("shell: {error}");
        return;
    }
    println!("riposte: `help` says what can be typed");
    let mut prompt = Prompt::new();
    loop {
        match prompt.read() {
            Ok(Typed::Line(line)) => match Words::of(line) {
                Ok(words) => {
                    if let Ended::Shell = keys::with_command(|| run(&words)) {
                        return;
                    }
                }
                Err(error) => println!("{error}"),
            },
            Ok(Typed::Nothing) => {}
            Ok(Typed::End) => return,
            Err(error) => {
                println!("shell: {error}");
                return;
            }
        }
    }
}
