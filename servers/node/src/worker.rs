//! Serving requests of peers: one thread for each that is served at once.

use heapless::Vec;
use node_circuits::{Failure, Job, Node, PARTS};
use riposte::abi::MESSAGE_BYTES;
use riposte::{Connection, Deadline, Error, Instant, Proxy};
use riposte_node::protocol::RESERVED;

use crate::exports::{self, Asked};
use crate::links::Lead;
use crate::state::{Memory, Program, State, Worker, state};
use crate::{signals, wire};

/// Serves the requests that have this place, for ever.
pub fn serve(place: usize) -> u32 {
    signals::allow();
    let thread = riposte::current_thread();
    let priority = riposte::thread::priority(thread).unwrap_or(1);
    state().program.workers[place] = Some(Worker { thread, priority });
    loop {
        // A signal that comes late changes nothing.
        if wire::JOBS[place].take().is_ok() {
            serve_one(place);
            wire::act(wire::now());
        }
    }
}

fn serve_one(place: usize) {
    let mut state_now = state();
    let State {
        node,
        program,
        links,
        ..
    } = &mut *state_now;
    let job = node.job(place);
    let link = job.and_then(|job| links.enter(job.peer, job.circuit));
    let (Some(job), Some((link, lead))) = (job, link) else {
        // It came while the circuit was open, whose server another request has found dead since; or which was open for
        // a life of the peer's that is over.
        if let Some(job) = job {
            node.lost(job.peer, job.circuit);
        }
        node.served(place, Err(Failure::ServerDied));
        return;
    };
    program.sends[place] = true;
    let result = match &lead {
        Lead::Server(connection) => {
            drop(state_now);
            ask(&job, connection)
        }
        Lead::Process => {
            let asked = state_now.asked(job.peer, job.circuit);
            drop(state_now);
            signal(&job, &asked)
        }
    };
    let mut state = state();
    let State {
        node,
        program,
        links,
        ..
    } = &mut *state;
    program.sends[place] = false;
    let leads_there = links.leave(link);
    let result = result.and_then(|(result, brought)| {
        keep(node, program, place, brought)?;
        Ok(result)
    });
    // By now the circuit may lead to the server's next life.
    if result == Err(Failure::ServerDied) && matches!(lead, Lead::Server(_)) && leads_there {
        links.end(job.peer, Some(job.circuit));
        node.lost(job.peer, job.circuit);
    }
    node.served(place, result);
}

/// Keeps what an answer brings for the peer, if that is the right to trigger a proxy.
fn keep(
    node: &mut Node,
    program: &mut Program,
    place: usize,
    brought: Option<u32>,
) -> Result<(), Failure> {
    let Some(handle) = brought else {
        return Ok(());
    };
    // Only who has made a proxy can destroy it: the refusal says that it is one.
    if Proxy::from_handle(handle).destroy() != Err(Error::NotPermitted) {
        give_back(handle);
        return Err(Failure::NotCarried);
    }
    match node.brought(place) {
        Some(right) => program.keep_right(right, Proxy::from_handle(handle)),
        // Nobody waits for the answer.
        None => give_back(handle),
    }
    Ok(())
}

/// Closes what an answer brings, and nobody gets.
fn give_back(handle: u32) {
    let _ = Connection::from_handle(handle).close();
}

/// What a server has answered: its status and the bytes of the reply, which are in its blocks; and the handle that it brings.
type Answered = ((u32, usize), Option<u32>);

/// Sends a process the signal that a request asks for.
fn signal(job: &Job, asked: &Asked) -> Result<Answered, Failure> {
    let target = exports::process(asked, deadline(job))?;
    let mut request = [0; 8];
    let request = request.get_mut(..job.length).unwrap_or_default();
    let mut memory = Memory::new();
    memory.add(job.request);
    memory.read(request);
    Ok(((signals::send(target, request)?, 0), None))
}

/// Until when a request's client waits.
fn deadline(job: &Job) -> Deadline {
    Deadline::At(Instant::from_nanos(job.deadline))
}

/// Sends the request to its server.
fn ask(job: &Job, connection: &Connection) -> Result<Answered, Failure> {
    let (mut request, mut reply) = (Memory::new(), Memory::new());
    request.add(job.request);
    reply.add(job.reply);
    let mut rooms = Vec::<_, PARTS>::new();
    rooms.extend(reply.rooms());
    let deadline = deadline(job);
    // A server of words finds words.
    let answer = if job.length <= MESSAGE_BYTES {
        let mut short = [0; MESSAGE_BYTES];
        let short = &mut short[..job.length];
        request.read(short);
        connection.send_scattered_for_handle_until(short, &mut rooms, deadline)
    } else {
        let mut parts = Vec::<_, PARTS>::new();
        parts.extend(request.parts(job.length));
        connection.send_vector_for_handle_until(&parts, &mut rooms, deadline)
    };
    match answer {
        Ok((answer, brought)) if answer.status.0 >= RESERVED => {
            if let Some(handle) = brought {
                give_back(handle);
            }
            Err(Failure::Reserved)
        }
        Ok((answer, handle)) => Ok(((answer.status.0, answer.offered), handle)),
        Err(Error::ServerDied) => Err(Failure::ServerDied),
        Err(Error::TimedOut | Error::WouldBlock | Error::Interrupted) => Err(Failure::TimedOut),
        Err(_) => Err(Failure::ServerDied),
    }
}
