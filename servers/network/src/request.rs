//! A request that may have to wait.

use network_store::{Ping, Question};
use riposte::abi::{MESSAGE_BYTES, MESSAGE_WORDS};
use riposte::{Message, Token};
use riposte_network::protocol::{REQUEST, operation};

/// What a client asks: its process, and what it said.
pub struct Request {
    /// The operation, without [`operation::TRY`].
    pub what: u32,
    /// Whether it may wait.
    pub may_wait: bool,
    /// What it is about: a socket's number, or a port.
    pub about: u32,
    /// The name that is asked for, once somebody has been.
    pub question: Option<Question>,
    /// The echo that is waited for, once it has been asked for.
    pub ping: Option<Ping>,
    /// Bytes of all of it.
    offered: usize,
    /// What came in registers. Anything longer is still the client's.
    words: [u32; MESSAGE_WORDS],
}

impl Request {
    /// What a message says, which has at least [`REQUEST`] bytes.
    pub fn of(message: &Message<'_>) -> Request {
        let words = message.words();
        let [what, about, ..] = words;
        Request {
            what: what & !operation::TRY,
            may_wait: what & operation::TRY == 0,
            about,
            question: None,
            ping: None,
            offered: message.offered(),
            words,
        }
    }

    /// How many bytes are behind the operation and the number.
    pub fn length(&self) -> usize {
        self.offered - REQUEST
    }

    /// The word that is all there is behind the operation and the number.
    pub fn word(&self) -> Option<u32> {
        let [_, _, word, ..] = self.words;
        (self.length() == 4).then_some(word)
    }

    /// Copies what is behind the operation and the number, from `offset` on; how many bytes, none if the client has left.
    pub fn bytes(&self, token: &Token, offset: usize, to: &mut [u8]) -> usize {
        if self.offered > MESSAGE_BYTES {
            let offset = (REQUEST + offset) as u32;
            return token.read(offset, to).unwrap_or(0);
        }
        if token.read(0, &mut []).is_err() {
            return 0;
        }
        let bytes = self.words.iter().flat_map(|word| word.to_le_bytes());
        let bytes = bytes.take(self.offered).skip(REQUEST + offset);
        to.iter_mut().zip(bytes).fold(0, |count, (to, from)| {
            *to = from;
            count + 1
        })
    }
}
