//! Who makes pipes, and opens ends of its own and others' pipes.
#![no_std]

use riposte::{Deadline, Error};
use riposte_pipe::{PipeError, Pipes, Reader, Writer};
use soak_test_cast::{Story, late, run, soon, until_refused, waiters};

#[riposte::main]
fn main() {
    run(play, count)
}

const NAMES: [&str; 6] = ["common", "a", "b", "c", "d", "e"];
/// Bytes of a pipe, at most.
const CAPACITY: usize = 32;

fn may_be(error: &PipeError) -> bool {
    matches!(
        error,
        PipeError::NoSuchPipe
            | PipeError::TooManyEnds
            | PipeError::NoReader
            | PipeError::TimedOut
            | PipeError::Taken
            | PipeError::TooManyPipes
            | PipeError::NotYours
            | PipeError::BadEnd
            | PipeError::Kernel(Error::ServerDied)
    )
}

fn play(story: &mut Story) {
    let Ok(pipes) = Pipes::connect("pipes") else {
        return;
    };
    let (mut readers, mut writers) = ([const { None }; 3], [const { None }; 3]);
    for _ in 0..story.draw(40) {
        step(story, &pipes, &mut readers, &mut writers);
    }
    match story.draw(4) {
        0 => {}
        // It ends with them.
        1 | 2 => core::mem::forget((readers, writers)),
        _ => {
            if let Some(reader) = readers.iter().flatten().next() {
                let read = reader.read_until(&mut [0; 40], Deadline::None);
                story.meets(read, may_be);
            }
        }
    }
}

fn step<'a>(
    story: &mut Story,
    pipes: &'a Pipes,
    readers: &mut [Option<Reader<'a>>; 3],
    writers: &mut [Option<Writer<'a>>; 3],
) {
    let name = NAMES[story.draw(NAMES.len() as u32) as usize];
    let place = story.draw(3) as usize;
    match story.draw(8) {
        0 => {
            let capacity = story.draw(CAPACITY as u32) as usize + 1;
            story.meets(pipes.make(name, capacity), may_be);
        }
        1 => {
            let made = pipes.make_unnamed(story.draw(CAPACITY as u32) as usize + 1);
            if let Some(id) = story.meets(made, may_be) {
                writers[place] = story.meets(pipes.writer_of(id), may_be);
                if story.draw(2) == 0 {
                    readers[place] = story.meets(pipes.reader_of(id), may_be);
                }
            }
        }
        2 => {
            story.meets(pipes.remove(name), may_be);
        }
        3 => writers[place] = story.meets(pipes.writer(name), may_be),
        4 => readers[place] = story.meets(pipes.reader(name), may_be),
        5 | 6 => {
            let length = story.draw(2 * CAPACITY as u32) as usize;
            if let Some(writer) = &writers[place] {
                let written = writer.write_until(&[7; 64][..length], soon(story.draw(400)));
                let written = story.meets(written, may_be);
                story.tell(written.unwrap_or(0) as u32);
            }
        }
        _ => {
            if let Some(reader) = &readers[place] {
                let read = reader.read_until(&mut [0; 40], soon(story.draw(400)));
                let read = story.meets(read, may_be);
                story.tell(read.unwrap_or(0) as u32);
            }
        }
    }
}

/// Pipes, those of them that take as many bytes as they should, ends, and threads that wait.
fn count() -> [u32; 4] {
    let pipes = Pipes::connect("pipes").unwrap();
    let mut full = 0;
    let mut ids = [None; 8];
    let made = until_refused(|n| {
        let Ok(id) = pipes.make_unnamed(CAPACITY) else {
            return false;
        };
        ids[n as usize] = Some(id);
        let writer = pipes.writer_of(id).unwrap();
        full += u32::from(writer.try_write(&[1; CAPACITY]) == Ok(CAPACITY));
        true
    });
    for id in ids.into_iter().flatten() {
        pipes.remove_unnamed(id).unwrap();
    }
    let mut ends = [const { None }; 8];
    let opened = until_refused(|n| {
        let end = &mut ends[n as usize];
        *end = pipes.writer("common").ok();
        end.is_some()
    });
    drop(ends);
    let id = pipes.make_unnamed(1).unwrap();
    let reader = pipes.reader_of(id).unwrap();
    let wait = || reader.read_until(&mut [0; 4], late()) == Err(PipeError::TimedOut);
    let waiting = waiters(wait);
    [made, full, opened, waiting]
}
