//! What a server gives a client, together with its next receive.

use core::marker::PhantomData;

use riposte_abi::call::operation;
use riposte_abi::info;

use crate::trap::Range;
use crate::{Status, Token, words};

/// An answer that has not been given yet: [`crate::Channel::reply_and_receive`] gives it and waits
/// for the next message in one system call.
#[must_use = "the client waits until the answer is given"]
#[derive(Debug)]
pub struct Answer<'a> {
    pub(crate) call: Option<Call>,
    bytes: PhantomData<&'a [u8]>,
}

/// The registers of an answer, all but the channel's handle.
#[derive(Debug)]
pub(crate) struct Call {
    pub operation: u32,
    pub info: u32,
    pub generation: u32,
    pub words: [u32; 5],
    pub status: Option<u32>,
}

impl<'a> Answer<'a> {
    /// No answer: after a notice, or for a client that is answered later by its token.
    #[inline(always)]
    pub const fn later() -> Answer<'a> {
        Answer {
            call: None,
            bytes: PhantomData,
        }
    }

    #[inline(always)]
    fn new(token: Token, operation: u32, info: u32, words: [u32; 5]) -> Answer<'a> {
        Answer {
            call: Some(Call {
                operation,
                info: token.tag() | info,
                generation: token.generation(),
                words,
                status: None,
            }),
            bytes: PhantomData,
        }
    }

    /// Status 0 and `bytes`.
    #[inline(always)]
    pub fn bytes(token: Token, bytes: &'a [u8]) -> Answer<'a> {
        match words::pack(bytes) {
            Some(words) => Answer::new(token, operation::REPLY_RECEIVE, bytes.len() as u32, words),
            None => {
                let words = words::range(Range::of(bytes));
                Answer::new(token, operation::REPLY_BYTES_RECEIVE, 0, words)
            }
        }
    }

    /// Status 0 and `N` (at most five) words.
    #[inline(always)]
    pub fn words<const N: usize>(token: Token, words: [u32; N]) -> Answer<'a>
    where
        [u32; N]: crate::MessageWords,
    {
        Answer::new(
            token,
            operation::REPLY_RECEIVE,
            N as u32 * 4,
            words::pad(words),
        )
    }

    /// Status 0 and the bytes of `parts`, in order.
    #[inline(always)]
    pub fn vector(token: Token, parts: &'a [crate::Part<'a>]) -> Answer<'a> {
        let (operation, words) = crate::part::gather(
            parts,
            operation::REPLY_BYTES_RECEIVE,
            operation::REPLY_VECTOR_RECEIVE,
        );
        Answer::new(token, operation, 0, words)
    }

    /// An error status and no bytes.
    #[inline(always)]
    pub fn error(token: Token, status: Status) -> Answer<'a> {
        Answer::new(token, operation::REPLY_ERROR_RECEIVE, 0, [0; 5]).with_status(status)
    }

    /// Instead of giving it: the token of the client, for an answer at another time. None if there is no client. A
    /// server's loop keeps the clients so that wait, whatever the method of an interface returned.
    #[must_use]
    pub fn into_token(self) -> Option<Token> {
        let call = self.call?;
        Some(Token::of_answer(call.info, call.generation))
    }

    /// The same answer with this status.
    #[inline(always)]
    pub fn with_status(mut self, status: Status) -> Answer<'a> {
        if let Some(call) = &mut self.call {
            call.info |= info::STATUS;
            call.status = Some(status.0);
        }
        self
    }
}
