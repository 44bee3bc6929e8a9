//! What can be typed.

use core::fmt::Write;

use riposte::println;
use shell_line::{Words, nearest};

use crate::error::Failed;
use crate::out::Out;
use crate::{log, threads, time};

/// A command.
pub struct Command {
    /// Its first word.
    pub name: &'static str,
    /// Its other words, as a person would write them.
    arguments: &'static str,
    /// What it does.
    does: &'static str,
    run: fn(&[&str], &mut Out) -> Result<(), Failed>,
}

/// Whether there is more to come.
pub enum Ended {
    /// The command.
    Command,
    /// The shell, too.
    Shell,
}

/// All commands, as `help` shows them.
pub const COMMANDS: &[Command] = &[
    command("help", "[COMMAND]", "what can be typed", help),
    command(
        "ps",
        "[PROCESS]",
        "each thread: what it does and waits for, its priority, its stack",
        threads::list,
    ),
    command(
        "top",
        "[SECONDS]",
        "who has the processor, from samples",
        threads::top,
    ),
    command(
        "restart",
        "PROCESS",
        "starts it again, whatever it does",
        threads::restart,
    ),
    command("stop", "PROCESS", "ends it", threads::stop),
    command(
        "log",
        "[LEVEL]",
        "what processes have said, up to a level (1, an error, to 5)",
        log::show,
    ),
    command("echo", "[WORD]...", "says it", echo),
    command("time", "COMMAND...", "how long a command takes", timed),
    command("sleep", "SECONDS", "waits", time::sleep),
    command(
        "uptime",
        "",
        "how long the system has been running",
        time::uptime,
    ),
    command("exit", "", "ends the shell", exit),
    command("shutdown", "", "stops the machine", shutdown),
];

const fn command(
    name: &'static str,
    arguments: &'static str,
    does: &'static str,
    run: fn(&[&str], &mut Out) -> Result<(), Failed>,
) -> Command {
    Command {
        name,
        arguments,
        does,
        run,
    }
}

/// Most words of a command.
const WORDS: usize = 16;

/// Does what these words say.
pub fn run(words: &Words) -> Ended {
    let mut list = [""; WORDS];
    let mut count = 0;
    for (place, word) in list.iter_mut().zip(words.iter()) {
        *place = word;
        count += 1;
    }
    let mut out = Out::console();
    match list[..count].split_first() {
        None => {}
        Some((&"exit", [])) => return Ended::Shell,
        Some((name, arguments)) => match perform(name, arguments, &mut out) {
            Ok(()) | Err(Failed::Told) => {}
            Err(failed) => {
                out.flush();
                println!("{name}: {failed}");
            }
        },
    }
    Ended::Command
}

fn perform(name: &str, arguments: &[&str], out: &mut Out) -> Result<(), Failed> {
    match find(name) {
        Some(command) => (command.run)(arguments, out),
        None => {
            let _ = write!(out, "{name}: there is no such command");
            let _ = match nearest(name, COMMANDS.iter().map(|command| command.name)) {
                Some(meant) => writeln!(out, "; is it `{meant}`?"),
                None => writeln!(out, "; `help` says which there are"),
            };
            Err(Failed::Told)
        }
    }
}

fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

fn help(arguments: &[&str], out: &mut Out) -> Result<(), Failed> {
    let shown = |command: &&Command| arguments.first().is_none_or(|name| *name == command.name);
    for Command {
        name,
        arguments,
        does,
        ..
    } in COMMANDS.iter().filter(shown)
    {
        let _ = writeln!(out, "{name:8} {arguments:12} {does}");
    }
    Ok(())
}

fn echo(words: &[&str], out: &mut Out) -> Result<(), Failed> {
    for (place, word) in words.iter().enumerate() {
        let _ = write!(out, "{}{word}", if place > 0 { " " } else { "" });
    }
    let _ = writeln!(out);
    Ok(())
}

fn timed(arguments: &[&str], out: &mut Out) -> Result<(), Failed> {
    let Some((name, rest)) = arguments.split_first() else {
        return Err(Failed::Usage("time COMMAND..."));
    };
    time::measure(out, |out| perform(name, rest, out))
}

/// Comes here with arguments only.
fn exit(_: &[&str], _: &mut Out) -> Result<(), Failed> {
    Err(Failed::Usage("exit"))
}

fn shutdown(_: &[&str], _: &mut Out) -> Result<(), Failed> {
    match riposte::shutdown(0) {
        riposte::Error::NotPermitted => Err(Failed::Missing {
            what: "not permitted",
            next: "grants = [\"shutdown\"]",
        }),
        error => Err(error.into()),
    }
}
