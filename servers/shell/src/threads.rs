//! Who runs, and what they wait for.

use core::fmt::{self, Write};

use riposte::signal::{self, Signal};
use riposte::thread::Policy;
use riposte::{
    Doing, Duration, Error, ThreadState, name_of_channel, name_of_process, stack_unused,
    thread_state,
};
use shell_line::nearest;

use crate::error::Failed;
use crate::out::Out;
use crate::{keys, programs};

/// What `ps` and `top` need.
const INSPECT: Failed<'static> = Failed::Missing {
    what: "not permitted",
    next: "grants = [\"inspect\"]",
};
/// How often `top` looks in a second.
const SAMPLES: u32 = 100;
/// Most processes that `top` can tell apart.
const PROCESSES: usize = 64;

/// The names of all processes.
pub fn processes() -> impl Iterator<Item = &'static str> {
    (0..).map_while(name_of_process)
}

/// The states of the threads of a process, each with its place there.
fn threads(process: u32) -> impl Iterator<Item = Result<(u32, ThreadState), Failed<'static>>> {
    (0..).map_while(move |thread| match thread_state(process, thread) {
        Ok(state) => Some(Ok((thread, state))),
        Err(Error::BadArgument) => None,
        Err(Error::NotPermitted | Error::BadCall) => Some(Err(INSPECT)),
        Err(error) => Some(Err(error.into())),
    })
}

/// `ps`: a line a thread.
pub fn list<'a>(arguments: &[&'a str], out: &mut Out<'_>) -> Result<(), Failed<'a>> {
    let only = match *arguments {
        [] => None,
        [name] => Some(find(name)?),
        _ => return Err(Failed::Usage("ps [PROCESS]")),
    };
    let _ = writeln!(
        out,
        "PROCESS      THREAD  PRIORITY  POLICY       STACK USED  DOES"
    );
    for (process, name) in (0..).zip(processes()) {
        if only.is_some_and(|only| only != process) {
            continue;
        }
        for thread in threads(process) {
            let (thread, state) = thread?;
            let unused = stack_unused(process, thread)?;
            let _ = writeln!(
                out,
                "{name:12} {thread:6}  {:8}  {:11}  {:>10}  {}",
                Priority(&state).text().as_str(),
                policy(state.policy),
                Used(state.stack.saturating_sub(unused), state.stack)
                    .text()
                    .as_str(),
                Does(state.doing),
            );
        }
    }
    Ok(())
}

/// `top`: who would have had the processor, so often a second.
pub fn top<'a>(arguments: &[&'a str], out: &mut Out<'_>) -> Result<(), Failed<'a>> {
    let usage = || Failed::Usage("top [SECONDS]");
    let seconds: u32 = match *arguments {
        [] => 1,
        [seconds] => seconds
            .parse()
            .ok()
            .filter(|it| (1..=60).contains(it))
            .ok_or_else(usage)?,
        _ => return Err(usage()),
    };
    let own = processes().position(|name| name == riposte::process_name());
    let mut counts = [0_u32; PROCESSES];
    let mut idle = 0;
    let samples = seconds * SAMPLES;
    for _ in 0..samples {
        keys::sleep(Duration::from_millis(1000 / u64::from(SAMPLES)))?;
        match busiest(own)? {
            Some(process) if process < PROCESSES => counts[process] += 1,
            Some(_) => {}
            None => idle += 1,
        }
    }
    for (name, count) in processes().zip(counts).filter(|(_, count)| *count > 0) {
        let _ = writeln!(out, "{:3} %  {name}", count * 100 / samples);
    }
    let _ = writeln!(out, "{:3} %  nobody", idle * 100 / samples);
    Ok(())
}

/// The process with the most urgent thread that is ready, but for this one.
fn busiest(own: Option<usize>) -> Result<Option<usize>, Failed<'static>> {
    let mut most: Option<(u8, usize)> = None;
    for (process, _) in processes()
        .enumerate()
        .filter(|(process, _)| Some(*process) != own)
    {
        for thread in threads(process as u32) {
            let (_, state) = thread?;
            if state.doing == Doing::Ready && most.is_none_or(|(most, _)| state.priority > most) {
                most = Some((state.priority, process));
            }
        }
    }
    Ok(most.map(|(_, process)| process))
}

/// `restart`.
pub fn restart<'a>(arguments: &[&'a str], _: &mut Out<'_>) -> Result<(), Failed<'a>> {
    let &[name] = arguments else {
        return Err(Failed::Usage("restart PROCESS"));
    };
    controlled(name)?.restart();
    Ok(())
}

/// `stop`.
pub fn stop<'a>(arguments: &[&'a str], _: &mut Out<'_>) -> Result<(), Failed<'a>> {
    let &[name] = arguments else {
        return Err(Failed::Usage("stop PROCESS"));
    };
    controlled(name)?.stop();
    Ok(())
}

/// `kill`.
pub fn kill<'a>(arguments: &[&'a str], _: &mut Out<'_>) -> Result<(), Failed<'a>> {
    let (name, number) = match *arguments {
        [name] => (name, Some(Signal::TERMINATE)),
        [name, number] => (name, number.parse().ok().and_then(Signal::from_number)),
        _ => ("", None),
    };
    let Some(signal) = number else {
        return Err(Failed::Usage("kill PROCESS|PID [SIGNAL], 1 to 63"));
    };
    if let Ok(pid) = name.parse() {
        return programs::kill(pid, name, signal);
    }
    let target = signal::target(known(name)?).map_err(|_| Failed::Missing {
        what: "not permitted",
        next: "the process among its `signals`",
    })?;
    Ok(target.send(signal, 0)?)
}

/// The process of this name, which the shell may restart and stop.
fn controlled(name: &str) -> Result<riposte::Process, Failed<'static>> {
    riposte::process(known(name)?).map_err(|_| Failed::Missing {
        what: "not permitted",
        next: "the process among its `controls`",
    })
}

/// The manifest's own text of a process's name, which lasts.
fn known(name: &str) -> Result<&'static str, Failed<'static>> {
    let place = find(name)?;
    Ok(name_of_process(place).unwrap_or_default())
}

/// The index of the process of this name; or it is said which ones there are.
fn find(name: &str) -> Result<u32, Failed<'static>> {
    if let Some(process) = processes().position(|it| it == name) {
        return Ok(process as u32);
    }
    if processes().next().is_none() {
        return Err(INSPECT);
    }
    match nearest(name, processes()) {
        Some(meant) => riposte::println!("there is no process `{name}`; is it `{meant}`?"),
        None => riposte::println!("there is no process `{name}`; `ps` shows those that there are"),
    }
    Err(Failed::Told)
}

fn policy(policy: Policy) -> &'static str {
    match policy {
        Policy::Fifo => "fifo",
        Policy::RoundRobin => "round-robin",
        Policy::Adaptive => "adaptive",
    }
}

/// A short text that is made of numbers.
struct Short(riposte::Line<16>);

impl Short {
    fn as_str(&self) -> &str {
        core::str::from_utf8(self.0.bytes()).unwrap_or_default()
    }
}

/// What has a short text, to be put into a column.
trait Column: fmt::Display {
    fn text(&self) -> Short {
        let mut line = riposte::Line::new();
        let _ = write!(line, "{self}");
        Short(line)
    }
}

/// At which priority a thread runs, and its own if that is another one. What waits for a message has its own.
struct Priority<'a>(&'a ThreadState);

impl Column for Priority<'_> {}

impl fmt::Display for Priority<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ThreadState {
            priority,
            own_priority,
            doing,
            ..
        } = *self.0;
        match doing {
            Doing::Receiving { .. } | Doing::Stopped => write!(f, "{own_priority}"),
            _ if priority == own_priority => write!(f, "{own_priority}"),
            _ => write!(f, "{priority} ({own_priority})"),
        }
    }
}

/// Bytes of a stack that were used, of all.
struct Used(u32, u32);

impl Column for Used {}

impl fmt::Display for Used {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0, self.1)
    }
}

/// What a thread does, in words.
struct Does(Doing);

impl fmt::Display for Does {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let process = |index| name_of_process(index).unwrap_or("?");
        let channel = |index| name_of_channel(index).unwrap_or("?");
        match self.0 {
            Doing::Stopped => f.write_str("stopped"),
            Doing::Ready => f.write_str("ready"),
            Doing::Sending {
                process: owner,
                channel: to,
            } => {
                write!(f, "sends to {} of {}", channel(to), process(owner))
            }
            Doing::WaitingForReply {
                process: server,
                thread,
            } => {
                write!(f, "waits for {}/{thread} to reply", process(server))
            }
            Doing::Receiving { channel: at } => write!(f, "waits for a message at {}", channel(at)),
            Doing::WaitingAtWord => f.write_str("waits at a word or for a lock"),
            Doing::Joining => f.write_str("waits for the end of a thread"),
            Doing::Sleeping => f.write_str("sleeps"),
            Doing::WaitingForSignal => f.write_str("waits for a signal"),
        }
    }
}
