//! Pipes between the programs of a line, in front and in the background, as long as these run.
//!
//! A program that ends before it has opened its end leaves who is at the other one waiting: of somebody who never came the
//! pipe server cannot tell the end. The shell knows who was to come, and does.

use riposte::sync::Mutex;
use riposte::{Deadline, Duration, Instant};
use riposte_pipe::{PipeError, PipeId, Pipes};
use riposte_process::{Pid, Processes};

/// As many as can be looked after.
const MOST: usize = 8;
/// How long an end waits to be told, at most.
const PAUSE: Duration = Duration::from_millis(20);

/// A pipe that somebody may still read.
#[derive(Clone, Copy)]
struct Joint {
    pipe: PipeId,
    /// Who writes, unless the shell does, or the end has been told.
    writer: Option<Pid>,
    reader: Pid,
}

static JOINTS: Mutex<[Option<Joint>; MOST]> = Mutex::new([None; MOST]);

/// Whether so many more can be looked after.
pub fn have_room(more: usize) -> bool {
    JOINTS
        .lock()
        .is_ok_and(|joints| joints.iter().filter(|place| place.is_none()).count() >= more)
}

/// From now on [`look`] tells the end of these.
pub fn add(pipe: PipeId, writer: Option<Pid>, reader: Pid) {
    let joint = Joint {
        pipe,
        writer,
        reader,
    };
    if let Ok(mut joints) = JOINTS.lock()
        && let Some(place) = joints.iter_mut().find(|place| place.is_none())
    {
        *place = Some(joint);
    }
}

/// Tells the ends that have come; when to look again, at the latest.
pub fn look() -> Deadline {
    let Ok(mut joints) = JOINTS.lock() else {
        return Deadline::None;
    };
    let mut is_left = false;
    for place in joints.iter_mut() {
        if let Some(joint) = place {
            match joint.tell() {
                true => *place = None,
                false => is_left = true,
            }
        }
    }
    if is_left {
        Deadline::At(Instant::now() + PAUSE)
    } else {
        Deadline::None
    }
}

impl Joint {
    /// Tells who is at one side that nobody is left at the other. Whether nothing more is to be told.
    fn tell(&mut self) -> bool {
        // With their server pipes end, too; but programs run on while the process manager does not.
        let Ok(pipes) = Pipes::connect("pipes") else {
            return true;
        };
        let Ok(processes) = Processes::connect() else {
            return false;
        };
        let has_ended = |pid| processes.is_running(pid) == Ok(false);
        if has_ended(self.reader) {
            // It may be gone already.
            let _ = pipes.remove_unnamed(self.pipe);
            return true;
        }
        if self.writer.is_some_and(has_ended) {
            // As if it had come and gone: what it has written stays for who reads later.
            match pipes.writer_of(self.pipe).map(drop) {
                Ok(()) | Err(PipeError::NoSuchPipe) => self.writer = None,
                // The shell has too many ends just now, or the server begins anew.
                Err(_) => {}
            }
        }
        false
    }
}
