//! Programs of the manifest: alone, in the background, and joined by pipes.

use core::fmt::Write;
use core::ops::Range;

use riposte::signal::Signal;
use riposte::{Line, name_of_process, println};
use riposte_pipe::{PipeError, PipeId, Pipes};
use riposte_process::{Command, Ended, Pid, ProcessError, Processes};
use riposte_stdio::{INPUT, OUTPUT, Output};
use shell_line::{COMMANDS, Words};

use crate::command::{self, WORDS};
use crate::error::Failed;
use crate::out::{Out, Place};
use crate::{files, keys};

/// Bytes that a pipe between two commands holds.
const PIPE_BYTES: usize = 128;

/// The name of a program.
pub struct Name(Line<32>);

impl Name {
    pub fn new(name: &str) -> Name {
        let mut line = Line::new();
        line.push(name.as_bytes());
        Name(line)
    }

    pub fn as_str(&self) -> &str {
        str::from_utf8(self.0.bytes()).unwrap_or_default()
    }
}

impl core::fmt::Display for Name {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.as_str())
    }
}

/// The process manager of the manifest.
fn connect() -> Result<Processes, Failed<'static>> {
    Processes::connect().map_err(|error| match error {
        ProcessError::Connect(error) => Failed::connect(
            error,
            "no programs",
            "`spawns = [\"*\"]`, and the manifest a process manager",
        ),
        error => Failed::Process("", error),
    })
}

/// Shows `see` the name of each program that the shell may spawn.
pub fn each_name(mut see: impl FnMut(&str)) {
    // Whom nobody can ask has nothing to offer.
    let _ = try_each_name(|name| {
        see(name);
        true
    });
}

/// As [`each_name`], until `goes_on` says no.
fn try_each_name(mut goes_on: impl FnMut(&str) -> bool) -> Result<(), Failed<'static>> {
    let processes = match connect() {
        // A shell without programs has commands only.
        Err(Failed::Missing { .. }) => return Ok(()),
        connected => connected?,
    };
    let mut next = 0;
    let told = |error| Failed::Process("", error);
    while let Some(program) = processes.programs(next).map_err(told)? {
        if !goes_on(program.name()) {
            break;
        }
        next = program.next;
    }
    Ok(())
}

/// Whether there is a program of this name; nobody says that there is none while the process manager does not run.
fn is_program(name: &str) -> Result<bool, Failed<'static>> {
    let mut found = false;
    try_each_name(|program| {
        found = program == name;
        !found
    })?;
    Ok(found)
}

/// A pipe between two commands. It is gone when the shell does not need it any more, but for who has an end.
struct Between<'a> {
    pipes: &'a Pipes,
    id: PipeId,
}

impl Between<'_> {
    fn remove(&self) {
        // It may be gone already.
        let _ = self.pipes.remove_unnamed(self.id);
    }
}

impl Drop for Between<'_> {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Programs that have been spawned by one line: who is last in it comes first.
struct Job<'a> {
    processes: &'a Processes,
    pids: [Pid; COMMANDS],
    count: usize,
}

impl Job<'_> {
    fn pids(&self) -> &[Pid] {
        self.pids.get(..self.count).unwrap_or_default()
    }

    fn spawn(&mut self, command: &Command) -> Result<Pid, ProcessError> {
        let pid = self.processes.spawn(command)?;
        self.pids[self.count] = pid;
        self.count += 1;
        Ok(pid)
    }

    /// Ends all that run, since not all of the line can: nothing that they mask keeps them.
    fn give_up(&self) {
        for pid in self.pids() {
            if let Some(kill) = keys::KILL {
                let _ = self.processes.kill(*pid, kill);
            }
            let _ = self.processes.wait(*pid);
        }
    }

    /// Waits for all of them, and says of each that has not ended well.
    fn wait(&self, words: &Words) {
        for (place, pid) in self.pids().iter().enumerate() {
            let number = words.commands() - 1 - place;
            if let Err(error) = wait_for(self.processes, name_of(words, number), *pid) {
                println!("{error}");
            }
        }
    }
}

/// Waits for a program, and says so if it has not ended well.
fn wait_for(processes: &Processes, name: &str, pid: Pid) -> Result<(), Failed<'static>> {
    let end = processes.wait(pid);
    let end = end.map_err(|error| Failed::Process("", error))?;
    if !end.how.is_success() {
        println!("{name}: {}", end.how);
    }
    Ok(())
}

fn name_of(words: &Words, command: usize) -> &str {
    words.command(command).next().unwrap_or_default()
}

/// Does what a line with programs says.
pub fn run(words: &Words) -> Result<(), Failed<'_>> {
    let builtin = command::find(name_of(words, 0));
    let programs = usize::from(builtin.is_some())..words.commands();
    check(words, programs.clone())?;
    let processes = connect()?;
    let pipes = if words.commands() > 1 {
        Some(pipes()?)
    } else {
        None
    };
    // Nothing is emptied, nor begun, before all pipes are there.
    let between = all_between(words.commands(), pipes.as_ref())?;
    if let Some((how, path)) = words.redirection() {
        let files = files::connect()?;
        files::target(&files, how, path)?;
    }
    let mut job = Job {
        processes: &processes,
        pids: [Pid(0); COMMANDS],
        count: 0,
    };
    // Who reads comes first: nobody writes in vain.
    for number in programs.rev() {
        match job.spawn(&given(words, number, &between)) {
            Ok(pid) => expect(pid, number, &between),
            Err(error) => {
                job.give_up();
                return Err(Failed::Process(name_of(words, number), error));
            }
        }
    }
    if words.is_in_background() {
        // Its pipes are gone with the last one who was to come to them.
        between.into_iter().flatten().for_each(core::mem::forget);
        println!("{}", job.pids[0]);
        return Ok(());
    }
    keys::with_in_front(job.pids(), || match (builtin, &between[0]) {
        (Some(command), Some(pipe)) => {
            let mut room = [""; WORDS];
            let arguments = command::list(words.command(0).skip(1), &mut room);
            let written = write_into(pipe, |out| command.perform(arguments, out));
            job.wait(words);
            written
        }
        _ => {
            job.wait(words);
            Ok(())
        }
    })
}

/// Whether these commands of a line are programs, and what comes before them can be.
fn check(words: &Words, programs: Range<usize>) -> Result<(), Failed<'_>> {
    let first = name_of(words, 0);
    if programs.start > 0 && (words.input().is_some() || words.is_in_background()) {
        println!(
            "{first}: the shell does this itself: it reads nothing, and not in the background"
        );
        return Err(Failed::Told);
    }
    for number in programs {
        let name = name_of(words, number);
        if command::find(name).is_some() {
            println!("{name}: the shell does this itself: it reads nothing from a pipe");
            return Err(Failed::Told);
        }
        if !is_program(name)? {
            return command::unknown(name);
        }
    }
    Ok(())
}

/// A pipe behind each of so many commands but the last one.
fn all_between(
    commands: usize,
    pipes: Option<&Pipes>,
) -> Result<[Option<Between<'_>>; COMMANDS], Failed<'static>> {
    let mut between = [const { None }; COMMANDS];
    if let Some(pipes) = pipes {
        for place in between.iter_mut().take(commands - 1) {
            let id = pipes.make_unnamed(PIPE_BYTES);
            let id = id.map_err(|error| Failed::Stream("|", error.into()))?;
            *place = Some(Between { pipes, id });
        }
    }
    Ok(between)
}

fn pipes() -> Result<Pipes, Failed<'static>> {
    Pipes::connect("pipes").map_err(|error| match error {
        PipeError::Connect(error) => Failed::connect(
            error,
            "no pipes",
            "a [[connection]] `pipes` to a pipe server",
        ),
        error => Failed::Stream("|", error.into()),
    })
}

fn write_into<'a>(
    pipe: &Between,
    write: impl FnOnce(Out<'_>) -> Result<(), Failed<'a>>,
) -> Result<(), Failed<'a>> {
    match pipe.pipes.writer_of(pipe.id) {
        Ok(writer) => write(Out::new(Output::pipe(writer), Place::Pipe(pipe.id))),
        Err(error) => {
            // Who reads waits for nobody.
            pipe.remove();
            Err(Failed::Stream("|", error.into()))
        }
    }
}

/// What the program of a command is given.
fn given(words: &Words, number: usize, between: &[Option<Between>; COMMANDS]) -> Command {
    let mut all = words.command(number);
    let mut command = Command::new(all.next().unwrap_or_default());
    for word in all {
        command = command.argument(word);
    }
    let input = match (number.checked_sub(1), words.input()) {
        (Some(before), _) => behind(&between[before]),
        (None, Some(path)) => Place::File(path),
        (None, None) => Place::Usual,
    };
    let output = match (&between[number], words.redirection()) {
        (None, Some((_, path))) => Place::File(path),
        (pipe, _) => behind(pipe),
    };
    output.give(input.give(command, INPUT), OUTPUT)
}

/// The program of a command is to open its pipes, or to end: until then nobody at them finds the end.
fn expect(pid: Pid, number: usize, between: &[Option<Between>; COMMANDS]) {
    let before = number.checked_sub(1).and_then(|it| between[it].as_ref());
    // A pipe may be gone already, with both who were there.
    if let Some(it) = before {
        let _ = it.pipes.expect_reader(it.id, pid.0);
    }
    if let Some(it) = &between[number] {
        let _ = it.pipes.expect_writer(it.id, pid.0);
    }
}

fn behind<'a>(pipe: &Option<Between>) -> Place<'a> {
    pipe.as_ref()
        .map_or(Place::Usual, |pipe| Place::Pipe(pipe.id))
}

/// One program, which writes to this place.
pub fn run_alone<'a>(words: &[&'a str], output: Place<'_>) -> Result<(), Failed<'a>> {
    let Some(name) = words.first() else {
        return Ok(());
    };
    let processes = connect()?;
    let pid = begin(&processes, words, output)?;
    keys::with_in_front(&[pid], || wait_for(&processes, name, pid))
}

fn begin<'a>(
    processes: &Processes,
    words: &[&'a str],
    output: Place<'_>,
) -> Result<Pid, Failed<'a>> {
    let Some((name, arguments)) = words.split_first() else {
        return Err(Failed::Usage("spawn PROGRAM [WORD]..."));
    };
    if command::find(name).is_some() {
        println!("{name}: the shell does this itself, and not in the background");
        return Err(Failed::Told);
    }
    if !is_program(name)? {
        command::unknown(name)?;
    }
    let with = arguments
        .iter()
        .fold(Command::new(name), |command, word| command.argument(word));
    let pid = processes.spawn(&output.give(with, OUTPUT));
    pid.map_err(|error| Failed::Process(name, error))
}

/// `spawn`: in the background, and where a redirection says. The PID is for who typed it.
pub fn spawn<'a>(words: &[&'a str], out: &mut Out<'_>) -> Result<(), Failed<'a>> {
    if matches!(out.place(), Place::Pipe(_)) {
        println!("spawn: starts one program; `PROGRAM | PROGRAM &` starts both in the background");
        return Err(Failed::Told);
    }
    let pid = begin(&connect()?, words, out.place())?;
    println!("{pid}");
    Ok(())
}

/// `wait`: for a program, or for all.
pub fn wait<'a>(words: &[&'a str], out: &mut Out<'_>) -> Result<(), Failed<'a>> {
    let processes = connect()?;
    let mut tell = |pid: Pid, how: Ended| {
        let _ = writeln!(out, "{pid} {how}");
    };
    match *words {
        // Of its own line that is who reads what it says.
        [] if keys::have_in_front() => {
            println!("wait: who reads it would be waited for, too; `wait PID` waits for one");
            Err(Failed::Told)
        }
        [] => loop {
            let end = keys::with_in_front(&own(&processes), || processes.wait_any());
            match end {
                Ok(end) => tell(end.pid, end.how),
                Err(ProcessError::NoSuchChild) => return Ok(()),
                Err(error) => return Err(Failed::Process("", error)),
            }
        },
        [word] => {
            let pid = word.parse().map_err(|_| Failed::Usage("wait [PID]"))?;
            let end = keys::with_in_front(&[pid], || processes.wait(pid));
            let end = end.map_err(|error| Failed::Process(word, error))?;
            tell(pid, end.how);
            Ok(())
        }
        _ => Err(Failed::Usage("wait [PID]")),
    }
}

/// The shell's own children, as many as can be in front.
fn own(processes: &Processes) -> [Pid; COMMANDS] {
    let mut pids = [Pid(0); COMMANDS];
    let mut places = pids.iter_mut();
    let mut next = 0;
    while let Ok(Some(listed)) = processes.list(next) {
        let parent = listed.parent.and_then(name_of_process);
        if parent == Some(riposte::process_name())
            && !listed.has_ended
            && let Some(place) = places.next()
        {
            *place = listed.pid;
        }
        next = listed.next;
    }
    pids
}

/// Sends a signal to a program with a PID.
pub fn kill<'a>(pid: Pid, word: &'a str, signal: Signal) -> Result<(), Failed<'a>> {
    let sent = connect()?.kill(pid, signal);
    sent.map_err(|error| Failed::Process(word, error))
}

/// `jobs`: programs that run.
pub fn list<'a>(words: &[&'a str], out: &mut Out<'_>) -> Result<(), Failed<'a>> {
    if !words.is_empty() {
        return Err(Failed::Usage("jobs"));
    }
    let processes = connect()?;
    let _ = writeln!(out, "       PID  PROGRAM       STARTED BY");
    let mut next = 0;
    let told = |error| Failed::Process("", error);
    while let Some(listed) = processes.list(next).map_err(told)? {
        let parent = listed
            .parent
            .map(|parent| name_of_process(parent).unwrap_or("?"));
        let ended = if listed.has_ended { ", has ended" } else { "" };
        let _ = writeln!(
            out,
            "{:>10}  {:12}  {}{ended}",
            listed.pid,
            listed.program(),
            parent.unwrap_or("nobody who is left"),
        );
        next = listed.next;
    }
    Ok(())
}

/// `free`: programs that there are.
pub fn free<'a>(words: &[&'a str], out: &mut Out<'_>) -> Result<(), Failed<'a>> {
    if !words.is_empty() {
        return Err(Failed::Usage("free"));
    }
    let processes = connect()?;
    let _ = writeln!(out, "PROGRAM       FREE  OF");
    let mut next = 0;
    let told = |error| Failed::Process("", error);
    while let Some(program) = processes.programs(next).map_err(told)? {
        let _ = writeln!(
            out,
            "{:12}  {:4}  {:2}",
            program.name(),
            program.free,
            program.instances,
        );
        next = program.next;
    }
    Ok(())
}
