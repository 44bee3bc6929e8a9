//! What can be typed.

use core::fmt::Write;

use riposte::println;
use riposte_files::Files;
use shell_line::Words;

use crate::error::Failed;
use crate::out::{Out, Place};
use crate::{files, log, names, programs, threads, time};
use riposte_stdio::Output;

/// What a command does with its words, and where it says what comes of it.
type Run = for<'a> fn(&[&'a str], &mut Out<'_>) -> Result<(), Failed<'a>>;

/// A command.
pub struct Command {
    /// Its first word.
    pub name: &'static str,
    /// Its other words, as a person would write them.
    arguments: &'static str,
    /// What it does.
    does: &'static str,
    run: Run,
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
        "each thread: what it waits for, its priority, its stack",
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
        "kill",
        "PROCESS|PID [SIGNAL]",
        "sends it a signal: 15, to end, or another number",
        threads::kill,
    ),
    command(
        "spawn",
        "PROGRAM [WORD]...",
        "starts a program, and says its PID; so does &",
        programs::spawn,
    ),
    command(
        "wait",
        "[PID]",
        "waits for a program, or for all that run",
        programs::wait,
    ),
    command(
        "jobs",
        "",
        "programs that run, and who has started them",
        programs::list,
    ),
    command(
        "free",
        "",
        "programs that there are, and how many more can run",
        programs::free,
    ),
    command(
        "names",
        "[FOLDER]",
        "what can be found by name",
        names::list,
    ),
    command(
        "log",
        "[LEVEL]",
        "what processes have said, up to a level (1, an error, to 5)",
        log::show,
    ),
    command(
        "ls",
        "[PATH]",
        "a directory's entries, or a file, with bytes",
        files::list,
    ),
    command("cat", "PATH...", "what is in files", files::show),
    command("echo", "[WORD]...", "says it", echo),
    command(
        "cp",
        "FROM TO",
        "another file of the same bytes",
        files::copy,
    ),
    command(
        "mv",
        "FROM TO",
        "another name of the same file",
        files::rename,
    ),
    command(
        "rm",
        "PATH...",
        "removes files, and empty directories",
        files::remove,
    ),
    command("mkdir", "PATH", "makes a directory", files::make),
    command("df", "", "what there is of the disk", files::space),
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

/// How wide the columns of `help` are.
const NAME: usize = widest().0;
const ARGUMENTS: usize = widest().1;

const fn widest() -> (usize, usize) {
    let (mut name, mut arguments, mut at) = (0, 0, 0);
    while at < COMMANDS.len() {
        if COMMANDS[at].name.len() > name {
            name = COMMANDS[at].name.len();
        }
        if COMMANDS[at].arguments.len() > arguments {
            arguments = COMMANDS[at].arguments.len();
        }
        at += 1;
    }
    (name, arguments)
}

const fn command(
    name: &'static str,
    arguments: &'static str,
    does: &'static str,
    run: Run,
) -> Command {
    Command {
        name,
        arguments,
        does,
        run,
    }
}

/// Most words of a command.
pub const WORDS: usize = 16;

/// Does what a line says.
pub fn run(words: &Words) -> Ended {
    let mut room = [""; WORDS];
    let Some((name, arguments)) = list(words.command(0), &mut room).split_first() else {
        return Ended::Command;
    };
    let is_alone = words.commands() == 1 && words.input().is_none() && !words.is_in_background();
    if *name == "exit" && arguments.is_empty() && is_alone {
        return Ended::Shell;
    }
    match find(name).filter(|_| is_alone) {
        Some(command) => match perform_alone(words, command, arguments) {
            Ok(()) | Err(Failed::Told) => {}
            Err(failed) => println!("{name}: {failed}"),
        },
        None => match programs::run(words) {
            Ok(()) | Err(Failed::Told) => {}
            // It says which command of the line it is about.
            Err(failed) => println!("{failed}"),
        },
    }
    Ended::Command
}

/// Words as a list, in `room`.
pub fn list<'a, 'b>(
    words: impl Iterator<Item = &'a str>,
    room: &'b mut [&'a str; WORDS],
) -> &'b [&'a str] {
    let mut count = 0;
    for (place, word) in room.iter_mut().zip(words) {
        *place = word;
        count += 1;
    }
    room.get(..count).unwrap_or_default()
}

/// Does what the words of a command say, and puts the output where a redirection says.
fn perform_alone<'a>(
    words: &'a Words,
    command: &Command,
    arguments: &[&'a str],
) -> Result<(), Failed<'a>> {
    let Some((how, path)) = words.redirection() else {
        let out = Out::new(Output::console(), Place::Usual);
        return command.perform(arguments, out);
    };
    let files: Files = files::connect()?;
    let file = files::target(&files, how, path)?;
    let mut out = Out::new(Output::file(file), Place::File(path));
    let done = (command.run)(arguments, &mut out);
    let written = out
        .into_output()
        .finish()
        .map_err(|error| Failed::Stream(path, error));
    done.and(written)
}

impl Command {
    /// Does it; all that it says goes to `out`.
    pub fn perform<'a>(&self, arguments: &[&'a str], mut out: Out<'_>) -> Result<(), Failed<'a>> {
        let done = (self.run)(arguments, &mut out);
        // A reader that has had enough is no mistake.
        let _ = out.into_output().finish();
        done
    }
}

/// Says which command or program may be meant.
pub fn unknown(name: &str) -> Result<(), Failed<'static>> {
    let mut nearest = None;
    let mut see = |other: &str| {
        if let Some(distance) = shell_line::distance(name, other)
            && nearest.as_ref().is_none_or(|(least, _)| distance < *least)
        {
            nearest = Some((distance, programs::Name::new(other)));
        }
    };
    COMMANDS.iter().for_each(|command| see(command.name));
    programs::each_name(see);
    match nearest {
        Some((_, meant)) => println!("{name}: there is no such command; is it `{meant}`?"),
        None => println!("{name}: there is no such command; `help` says which there are"),
    }
    Err(Failed::Told)
}

/// The command of this name.
pub fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

fn help<'a>(arguments: &[&'a str], out: &mut Out<'_>) -> Result<(), Failed<'a>> {
    if let Some(name) = arguments.first()
        && find(name).is_none()
    {
        let mut is_program = false;
        programs::each_name(|program| is_program |= program == *name);
        if !is_program {
            return unknown(name);
        }
        let _ = writeln!(out, "{name}: a program");
    }
    let shown = |command: &&Command| arguments.first().is_none_or(|name| *name == command.name);
    for Command {
        name,
        arguments,
        does,
        ..
    } in COMMANDS.iter().filter(shown)
    {
        let _ = writeln!(out, "{name:NAME$} {arguments:ARGUMENTS$} {does}");
    }
    Ok(())
}

fn echo<'a>(words: &[&'a str], out: &mut Out<'_>) -> Result<(), Failed<'a>> {
    for (place, word) in words.iter().enumerate() {
        let _ = write!(out, "{}{word}", if place > 0 { " " } else { "" });
    }
    let _ = writeln!(out);
    Ok(())
}

fn timed<'a>(arguments: &[&'a str], out: &mut Out<'_>) -> Result<(), Failed<'a>> {
    let Some((name, rest)) = arguments.split_first() else {
        return Err(Failed::Usage("time COMMAND..."));
    };
    // Each more would take more of the stack, and say the same.
    if *name == "time" {
        return Err(Failed::Usage("time COMMAND..."));
    }
    time::measure(out, |out| match find(name) {
        Some(command) => (command.run)(rest, out),
        None => programs::run_alone(arguments, out.place()),
    })
}

/// Comes here with arguments only.
fn exit<'a>(_: &[&'a str], _: &mut Out<'_>) -> Result<(), Failed<'a>> {
    Err(Failed::Usage("exit"))
}

fn shutdown<'a>(_: &[&'a str], _: &mut Out<'_>) -> Result<(), Failed<'a>> {
    match riposte::shutdown(0) {
        riposte::Error::NotPermitted => Err(Failed::Missing {
            what: "not permitted",
            next: "grants = [\"shutdown\"]",
        }),
        error => Err(error.into()),
    }
}
