//! Keeps the newest frames, and releases the older ones to the camera.
#![no_std]

use camera_api::{Frame, NOT_A_FRAME};
use riposte::{Answer, Event, Memory, Message, Moved, println};

/// Frames to keep. The manifest gives the process one window more, in which the next one arrives.
const KEPT: usize = 2;

#[riposte::main]
fn main() {
    let channel = riposte::channel("sink").unwrap();
    let mut frames = [const { None }; KEPT];
    // Room for a copied name, and not for a frame: who can't give it had better not send it.
    let error = channel.serve(&mut [0; 64], |event| match event {
        Event::Message(message) => serve(message, &mut frames),
        Event::Notice(_) => Answer::later(),
    });
    panic!("the sink's channel: {error}");
}

fn serve<'a>(message: Message<'a>, frames: &mut [Option<Moved<'static>>; KEPT]) -> Answer<'a> {
    match message.into_memory() {
        Ok(Memory::Moved(delivery)) => {
            let (memory, camera) = delivery.into_parts();
            let Ok(memory) = memory.keep() else {
                // A copy lies in the buffer of the receive, and can't be kept.
                return Answer::error(camera, NOT_A_FRAME);
            };
            if let Ok(frame) = memory.view::<Frame>() {
                println!(
                    "sink: frame {} of brightness {}",
                    frame.number,
                    frame.mean()
                );
            }
            frames.rotate_right(1);
            // The oldest one is dropped, which releases it.
            frames[0] = Some(memory);
            let kept = frames.iter().flatten().count() as u32;
            Answer::words(camera, [kept])
        }
        Ok(Memory::Lent(name)) => {
            name.with(|bytes| {
                let text = str::from_utf8(bytes).unwrap_or("(no text)");
                println!("sink: pictures of the {text}");
            });
            name.answer_words([])
        }
        Ok(Memory::LentMut(lent)) => lent.answer_error(NOT_A_FRAME),
        Err(message) => message.answer_error(NOT_A_FRAME),
    }
}
