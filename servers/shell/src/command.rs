//! What can be typed.

use core::fmt::Write;

use riposte::println;
use riposte_files::{Files, Options};
use shell_line::{Redirection, Words, nearest};

use crate::error::Failed;
use crate::out::Out;
use crate::{files, log, names, threads, time};

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
        "PROCESS [SIGNAL]",
        "sends it a signal: 15, to end, or another number",
        threads::kill,
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
const WORDS: usize = 16;

/// Does what these words say.
pub fn run(words: &Words) -> Ended {
    let mut list = [""; WORDS];
    let mut count = 0;
    for (place, word) in list.iter_mut().zip(words.iter()) {
        *place = word;
        count += 1;
    }
    let Some((name, arguments)) = list[..count].split_first() else {
        if words.redirection().is_some() {
            println!("there is no command before >");
        }
        return Ended::Command;
    };
    if *name == "exit" && arguments.is_empty() {
        return Ended::Shell;
    }
    match redirected(words, name, arguments) {
        Ok(()) | Err(Failed::Told) => {}
        Err(failed) => println!("{name}: {failed}"),
    }
    Ended::Command
}

/// Does what the words before a redirection say, and puts the output where that says.
fn redirected<'a>(
    words: &'a Words,
    name: &'a str,
    arguments: &[&'a str],
) -> Result<(), Failed<'a>> {
    let Some((how, path)) = words.redirection() else {
        let mut out = Out::console();
        let done = perform(name, arguments, &mut out);
        let _ = out.finish();
        return done;
    };
    let files: Files = files::connect()?;
    let options = Options::new().write().create();
    let options = match how {
        Redirection::Replace => options.truncate(),
        Redirection::Append => options.append(),
    };
    // A command that there is not empties no file.
    if find(name).is_none() {
        return unknown(name);
    }
    let file = files.open(path, options).map_err(files::at(path))?;
    let mut out = Out::file(file);
    let done = perform(name, arguments, &mut out);
    let written = out.finish().map_err(files::at(path));
    done.and(written)
}

fn perform<'a>(name: &str, arguments: &[&'a str], out: &mut Out<'_>) -> Result<(), Failed<'a>> {
    match find(name) {
        Some(command) => (command.run)(arguments, out),
        None => unknown(name),
    }
}

/// Says which command may be meant.
fn unknown(name: &str) -> Result<(), Failed<'static>> {
    match nearest(name, COMMANDS.iter().map(|command| command.name)) {
        Some(meant) => println!("{name}: there is no such command; is it `{meant}`?"),
        None => println!("{name}: there is no such command; `help` says which there are"),
    }
    Err(Failed::Told)
}

fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

fn help<'a>(arguments: &[&'a str], out: &mut Out<'_>) -> Result<(), Failed<'a>> {
    let shown = |command: &&Command| arguments.first().is_none_or(|name| *name == command.name);
    for Command {
        name,
        arguments,
        does,
        ..
    } in COMMANDS.iter().filter(shown)
    {
        let _ = writeln!(out, "{name:8} {arguments:16} {does}");
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
    time::measure(out, |out| perform(name, rest, out))
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
