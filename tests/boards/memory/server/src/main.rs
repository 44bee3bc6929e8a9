//! Does with memory what the first word of the message says.
#![no_std]

use riposte::{
    Buffer, Channel, Error, Event, Lent, Memory, Message, Moved, Notice, Status, Token, println,
};

/// Room for a copy of two pages.
const ROOM: usize = 8192 + Memory::COPY_HEADER;

/// Orders.
mod order {
    /// Answer only when the client wants its memory back.
    pub const WAIT: u32 = 1;
    /// End with the memory in hand.
    pub const DIE: u32 = 2;
    /// Without memory: drop what was kept.
    pub const DROP: u32 = 3;
    /// Without memory: give on what was kept.
    pub const GIVE_ON: u32 = 4;
}

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let mut kept: Option<Moved<'static>> = None;
    let mut buffer = Buffer::<ROOM>::new();
    loop {
        let result = match channel.receive(&mut buffer) {
            Ok(Event::Message(message)) => serve(channel, message, &mut kept),
            Ok(Event::Notice(_)) => Ok(()),
            Err(error) => Err(error),
        };
        if let Err(error) = result {
            println!("@fail {}: {error}", riposte::process_name());
        }
    }
}

/// Answers with the sum of the bytes, and whether they are a copy.
fn serve(
    channel: Channel,
    message: Message<'_>,
    kept: &mut Option<Moved<'static>>,
) -> Result<(), Error> {
    match message.into_memory() {
        Ok(Memory::Lent(lent)) => match lent.words()[0] {
            order::WAIT => wait(channel, lent),
            order::DIE => riposte::exit(1),
            _ => {
                let answer = [lent.with(sum), lent.is_copy().into()];
                lent.reply_words(answer)
            }
        },
        Ok(Memory::LentMut(mut lent)) => {
            let answer = [lent.with(sum), lent.is_copy().into()];
            let [order, value, _] = lent.words();
            lent.with_mut(|bytes| bytes.fill(value as u8));
            if order == order::DIE {
                riposte::exit(1);
            }
            lent.reply_words(answer)
        }
        Ok(Memory::Moved(delivery)) => {
            if delivery.words()[0] == order::DIE {
                riposte::exit(1);
            }
            let (memory, client) = delivery.into_parts();
            let answer = [sum(&memory), memory.is_copy().into()];
            *kept = memory.keep().ok();
            client.reply_words(answer)
        }
        Err(message) => {
            let order = message.words()[0];
            without_memory(order, message.into_token(), kept)
        }
    }
}

fn without_memory(
    order: u32,
    client: Token,
    kept: &mut Option<Moved<'static>>,
) -> Result<(), Error> {
    match (order, kept.take()) {
        (order::DROP, memory) => {
            drop(memory);
            client.reply_words([])
        }
        (order::GIVE_ON, Some(memory)) => {
            let next = riposte::connect("next").map_err(|_| Error::BadHandle)?;
            match next.give(memory, [0; 3]) {
                Ok(reply) => client.reply_words([reply.words[0], reply.words[1]]),
                Err(failure) => client.reply_error(Status(failure.error as u32)),
            }
        }
        (_, memory) => {
            let answer = memory.as_deref().map_or(0, sum);
            *kept = memory;
            client.reply_words([answer])
        }
    }
}

/// Keeps what is lent until a notice names its client; answers with its sum then, and 1 if it did.
fn wait(channel: Channel, lent: Lent<'_>) -> Result<(), Error> {
    let Ok(lent) = lent.keep() else {
        return Err(Error::BadArgument);
    };
    let named = match channel.receive(&mut [])? {
        Event::Notice(Notice::Unblock { client, .. }) => client == lent.client(),
        _ => false,
    };
    // The client's deadline has passed. It is still here, and so is its memory.
    let answer = [lent.with(sum), named.into()];
    lent.reply_words(answer)
}

fn sum(bytes: &[u8]) -> u32 {
    bytes.iter().map(|byte| u32::from(*byte)).sum()
}
