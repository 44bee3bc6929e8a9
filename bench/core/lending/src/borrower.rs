//! The server: looks at the memory, or changes it, or releases it at once.

use riposte::{Answer, Event, Memory};

/// Answers the sum of the first and the last byte; adds one to the first if it may.
pub fn serve() -> ! {
    let channel = riposte::channel("borrower").unwrap();
    let error = channel.serve(&mut [], |event| {
        let Event::Message(message) = event else {
            return Answer::later();
        };
        match message.into_memory() {
            Ok(Memory::Lent(lent)) => {
                let sum = lent.with(ends);
                lent.answer_words([sum])
            }
            Ok(Memory::LentMut(mut lent)) => {
                let sum = lent.with(ends);
                lent.with_mut(|bytes| {
                    if let Some(first) = bytes.first_mut() {
                        *first = first.wrapping_add(1);
                    }
                });
                lent.answer_words([sum])
            }
            Ok(Memory::Moved(delivery)) => {
                let (memory, token) = delivery.into_parts();
                Answer::words(token, [ends(&memory)])
            }
            Err(message) => {
                let words = message.words();
                message.answer_words(words)
            }
        }
    });
    panic!("the borrower's channel: {error}");
}

#[inline(always)]
fn ends(bytes: &[u8]) -> u32 {
    match bytes {
        [first, .., last] => u32::from(*first) + u32::from(*last),
        _ => 0,
    }
}
