//! Spawns and waits as it is told: an order is a word, and a child's name. The answer is a code, and a name.
#![no_std]

use riposte::signal::Signal;
use riposte::{Answer, Deadline, Event, Message};
use riposte_process::{Command, Pid, ProcessError, Processes};

fn code(error: ProcessError) -> u32 {
    match error {
        ProcessError::NoSuchProgram => 1,
        ProcessError::NotAllowed => 2,
        ProcessError::NoInstance => 3,
        ProcessError::TooManyChildren => 4,
        ProcessError::NoSuchChild => 5,
        ProcessError::NoSuchProcess => 6,
        ProcessError::TimedOut => 7,
        _ => 8,
    }
}

fn obey<'a>(processes: &Processes, message: Message<'a>) -> Answer<'a> {
    let [order, name, ..] = message.words();
    let pid = Pid(name);
    let spawn = |program: &str| processes.spawn(&Command::new(program).argument("sleep"));
    let outcome = match order {
        0 => spawn("worker").map(|pid| pid.0),
        1 => spawn("polite").map(|pid| pid.0),
        2 => processes
            .wait_until(pid, Deadline::Immediate)
            .map(|end| end.pid.0),
        3 => processes.kill(pid, Signal::TERMINATE).map(|()| 0),
        4 => processes
            .list(0)
            .map(|listed| listed.map_or(0, |it| it.pid.0)),
        _ => panic!("it was told to"),
    };
    match outcome {
        Ok(name) => message.answer_words([0, name]),
        Err(error) => message.answer_words([code(error), 0]),
    }
}

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let processes = Processes::connect().unwrap();
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => obey(&processes, message),
        Event::Notice(_) => Answer::later(),
    });
    panic!("the rival's channel: {error}");
}
