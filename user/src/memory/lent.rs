//! Memory that a client lends until it is answered.

use core::marker::PhantomData;

use super::copy;
use super::held::Held;
use crate::view::{self, ViewError, Viewed, ViewedMut};
use crate::{Answer, ClientId, Error, MessageWords, Pages, Status, Token, words};

/// What both kinds of lent memory are made of.
#[derive(Debug)]
struct Loan<'a> {
    badge: u32,
    words: [u32; 3],
    token: Token,
    held: Held<'a>,
    /// The loan ends with the thread that has received it, so that no other thread may have it.
    _thread: PhantomData<*mut ()>,
}

/// Memory that a client lends for reading until it is answered.
///
/// [`Lent::with`] shows its bytes for the time of a call, and [`Lent::view`] a value in them. The kernel
/// takes the memory away when the client is answered, and when the thread that has received it ends. So
/// answering takes it, no other thread can have it, and no reference to its bytes can be kept. Dropping
/// it leaves the client waiting, as dropping a [`Token`] does, and its window taken.
///
/// ```
/// fn sum(lent: riposte::Lent<'_>) -> riposte::Answer<'_> {
///     let sum = lent.with(|bytes| bytes.iter().map(|byte| u32::from(*byte)).sum());
///     lent.answer_words([sum])
/// }
/// ```
#[derive(Debug)]
#[must_use = "the client waits for an answer"]
pub struct Lent<'a>(Loan<'a>);

/// Memory that a client lends for reading and writing until it is answered. It is as [`Lent`], and
/// [`LentMut::with_mut`] and [`LentMut::view_mut`] let it be changed.
#[derive(Debug)]
#[must_use = "the client waits for an answer"]
pub struct LentMut<'a>(Loan<'a>);

impl<'a> Loan<'a> {
    fn keep(self) -> Result<Loan<'static>, Loan<'a>> {
        let Loan {
            badge,
            words,
            token,
            held,
            _thread,
        } = self;
        match held.keep() {
            Ok(held) => Ok(Loan {
                badge,
                words,
                token,
                held,
                _thread,
            }),
            Err(held) => Err(Loan {
                badge,
                words,
                token,
                held,
                _thread,
            }),
        }
    }
}

/// What is the same for both.
macro_rules! loan {
    ($name:ident) => {
        impl<'a> $name<'a> {
            pub(super) fn new(badge: u32, words: [u32; 3], token: Token, held: Held<'a>) -> Self {
                $name(Loan {
                    badge,
                    words,
                    token,
                    held,
                    _thread: PhantomData,
                })
            }

            /// The badge of the connection through which it came.
            #[must_use]
            pub fn badge(&self) -> u32 {
                self.0.badge
            }

            /// The three words that came with it.
            #[must_use]
            pub fn words(&self) -> [u32; 3] {
                self.0.words
            }

            /// Which client it is, as a notice names it.
            #[must_use]
            pub fn client(&self) -> ClientId {
                self.0.token.client()
            }

            /// Whether it is a copy of the client's memory, which could not be opened to this
            /// process.
            #[must_use]
            pub fn is_copy(&self) -> bool {
                self.0.held.is_copy()
            }

            /// How many bytes it is.
            #[must_use]
            #[inline(always)]
            pub fn len(&self) -> usize {
                self.0.held.bytes().len()
            }

            /// Whether it is no bytes at all.
            #[must_use]
            #[inline(always)]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Shows `look` the bytes, for as long as it runs. What it returns.
            #[inline(always)]
            pub fn with<R>(&self, look: impl FnOnce(&[u8]) -> R) -> R {
                look(self.0.held.bytes())
            }

            /// Shows `look` the bytes as a `T`, if they can be one; what is beyond it is left out.
            /// What it returns.
            ///
            /// # Errors
            /// [`ViewError`] says why they can't.
            #[inline(always)]
            pub fn view<T: Viewed, R>(&self, look: impl FnOnce(&T) -> R) -> Result<R, ViewError> {
                view::of(self.0.held.bytes()).map(look)
            }

            /// The bytes, for layers whose own interface hands out references.
            ///
            /// # Safety
            /// Nobody uses them once the thread that has received the message has ended: not by way
            /// of a value that was leaked, either.
            #[must_use]
            #[inline(always)]
            pub unsafe fn bytes(&self) -> &[u8] {
                self.0.held.bytes()
            }

            /// Itself, independent of the buffer of the receive: to answer later, and use it
            /// meanwhile.
            ///
            /// # Errors
            /// Itself as it was, if it is a copy: that lies in the buffer.
            pub fn keep(self) -> Result<$name<'static>, Self> {
                self.0.keep().map($name).map_err($name)
            }
        }
    };
}

loan!(Lent);
loan!(LentMut);

impl Lent<'_> {
    /// The token, for any answer at any time. The memory is the client's alone from here on.
    pub fn into_token(self) -> Token {
        self.0.token
    }

    /// Answers at once with status 0 and `N` (at most five) words. Never blocks.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if the client no longer waits.
    pub fn reply_words<const N: usize>(self, words: [u32; N]) -> Result<(), Error>
    where
        [u32; N]: MessageWords,
    {
        self.0.token.reply_words(words)
    }

    /// Answers at once with an error status. Never blocks.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if the client no longer waits.
    pub fn reply_error(self, status: Status) -> Result<(), Error> {
        self.0.token.reply_error(status)
    }

    /// The answer with status 0 and `N` (at most five) words, to be given with the next receive.
    #[inline(always)]
    pub fn answer_words<'b, const N: usize>(self, words: [u32; N]) -> Answer<'b>
    where
        [u32; N]: MessageWords,
    {
        Answer::words(self.0.token, words)
    }

    /// The answer with an error status, to be given with the next receive.
    #[inline(always)]
    pub fn answer_error<'b>(self, status: Status) -> Answer<'b> {
        Answer::error(self.0.token, status)
    }
}

/// How memory goes back to its client.
enum Back<'a> {
    /// It was never away.
    Opened,
    /// With these bytes.
    Copied(&'a [u8]),
    /// With so many bytes of these pages.
    Fetched(Pages, usize),
}

fn bring_back(token: Token, pages: &[u8], length: usize) -> Result<(), Error> {
    token
        .reply(pages.get(..length).unwrap_or(pages))
        .map(|_| ())
}

impl<'a> LentMut<'a> {
    /// Lets `change` have the bytes, for as long as it runs. What it returns.
    #[inline(always)]
    pub fn with_mut<R>(&mut self, change: impl FnOnce(&mut [u8]) -> R) -> R {
        change(self.0.held.bytes_mut())
    }

    /// Lets `change` have the bytes as a `T`, if they can be one; what is beyond it is left out. What it
    /// returns.
    ///
    /// # Errors
    /// [`ViewError`] says why they can't.
    #[inline(always)]
    pub fn view_mut<T: ViewedMut, R>(
        &mut self,
        change: impl FnOnce(&mut T) -> R,
    ) -> Result<R, ViewError> {
        view::of_mut(self.0.held.bytes_mut()).map(change)
    }

    /// The bytes, to be changed, for layers whose own interface hands out references.
    ///
    /// # Safety
    /// As [`LentMut::bytes`].
    #[must_use]
    #[inline(always)]
    pub unsafe fn bytes_mut(&mut self) -> &mut [u8] {
        self.0.held.bytes_mut()
    }

    /// Answers at once with status 0 and `N` (at most five) words: the client has its memory back,
    /// as it is now. Never blocks.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if the client no longer waits.
    pub fn reply_words<const N: usize>(self, words: [u32; N]) -> Result<(), Error>
    where
        [u32; N]: MessageWords,
    {
        match self.into_parts(words) {
            (token, Back::Opened) => token.reply_words(words),
            (token, Back::Copied(bytes)) => token.reply(bytes).map(|_| ()),
            (token, Back::Fetched(pages, length)) => bring_back(token, &pages, length),
        }
    }

    /// Answers at once with an error status: the client has its memory back. What was written is
    /// there only if the memory was no copy. Never blocks.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if the client no longer waits.
    pub fn reply_error(self, status: Status) -> Result<(), Error> {
        self.0.token.reply_error(status)
    }

    /// The answer with status 0 and `N` (at most five) words, to be given with the next receive: the
    /// client then has its memory back, as it is now.
    #[inline(always)]
    pub fn answer_words<const N: usize>(self, words: [u32; N]) -> Answer<'a>
    where
        [u32; N]: MessageWords,
    {
        match self.into_parts(words) {
            (token, Back::Opened) => Answer::words(token, words),
            (token, Back::Copied(bytes)) => Answer::bytes(token, bytes),
            (token, Back::Fetched(pages, length)) => {
                // The pages are not kept until the next receive. A client that has left does not
                // miss them.
                let _ = bring_back(token, &pages, length);
                Answer::later()
            }
        }
    }

    /// The answer with an error status, to be given with the next receive; see
    /// [`LentMut::reply_error`].
    #[inline(always)]
    pub fn answer_error<'b>(self, status: Status) -> Answer<'b> {
        Answer::error(self.0.token, status)
    }

    /// The token, and what brings the memory back together with `words`.
    #[inline(always)]
    fn into_parts<const N: usize>(self, words: [u32; N]) -> (Token, Back<'a>) {
        let back = match self.0.held {
            Held::Window(_) => Back::Opened,
            Held::Copy(buffer) => {
                copy::answer(buffer, size_of_val(&words), words::pad(words));
                Back::Copied(buffer)
            }
            Held::Pages(mut pages, length) => {
                copy::answer(&mut pages, size_of_val(&words), words::pad(words));
                Back::Fetched(pages, length)
            }
        };
        (self.0.token, back)
    }
}
