//! Makes frames brighter where they lie.
#![no_std]

use camera_api::{BUFFER, Frame, NOT_A_FRAME};
use riposte::{Answer, Buffer, Event, LentMut, Memory, ViewError};

#[riposte::main]
fn main() {
    let channel = riposte::channel("filter").unwrap();
    // Only for what can't be lent.
    let mut buffer = Buffer::<BUFFER>::new();
    let error = channel.serve(&mut buffer, |event| match event {
        Event::Message(message) => match message.into_memory() {
            Ok(Memory::LentMut(mut lent)) => match brighten(&mut lent) {
                Ok(means) => lent.answer_words(means),
                Err(_) => lent.answer_error(NOT_A_FRAME),
            },
            Ok(Memory::Lent(lent)) => lent.answer_error(NOT_A_FRAME),
            // Dropping what was given releases it.
            Ok(Memory::Moved(delivery)) => Answer::error(delivery.into_parts().1, NOT_A_FRAME),
            Err(message) => message.answer_error(NOT_A_FRAME),
        },
        // A client that wants its memory back gets it with the answer, which is never late.
        Event::Notice(_) => Answer::later(),
    });
    panic!("the filter's channel: {error}");
}

/// Adds the first word to every pixel; returns the means before and after.
fn brighten(lent: &mut LentMut<'_>) -> Result<[u32; 2], ViewError> {
    let [more, ..] = lent.words();
    lent.view_mut(|frame: &mut Frame| {
        let before = frame.mean();
        for pixel in frame.pixels.as_flattened_mut() {
            *pixel = pixel.saturating_add(more.min(255) as u8);
        }
        [before, frame.mean()]
    })
}
