//! What a server receives.

use core::hint::cold_path;
use core::marker::PhantomData;

use riposte_abi::{Error, MESSAGE_BYTES, info, notice, register};
use zerocopy::IntoBytes;

use crate::trap::{self, Registers};
use crate::{Answer, ClientId, Memory, PartMut, ProxyId, Status, Token, failure, part, words};

/// What a channel delivers.
#[derive(Debug)]
pub enum Event<'a> {
    /// A client sent this and waits for the answer.
    Message(Message<'a>),
    /// The kernel tells something; nobody waits.
    Notice(Notice<'a>),
}

/// What the kernel tells a server that asked for it.
#[derive(Debug, PartialEq, Eq)]
pub enum Notice<'a> {
    /// The client behind the connection with this badge has died; if the channel has `client_names` and there are programs,
    /// also one that the manifest connects and that has not connected.
    ClientDied {
        /// The connection's badge.
        badge: u32,
        /// How often its process has ended by now, if that is a program whose connection is of the manifest, to a channel with
        /// `client_names`.
        ends: u32,
    },
    /// A client wants to leave: it stays until it is answered.
    Unblock {
        /// The connection's badge.
        badge: u32,
        /// A signal waits for it, which it handles when it is answered; else its deadline has passed.
        has_signal: bool,
        /// The client: [`Token::client`] of the token that came with its message is the same.
        client: ClientId,
    },
    /// This process has faulted; [`crate::fault_record`] says how.
    Fault {
        /// The process's index in the manifest.
        process: u32,
    },
    /// A proxy of this process was triggered, and this is one of the times.
    Proxy {
        /// Which one: [`crate::Proxy::id`].
        proxy: ProxyId,
        /// Its message, as far as it fitted in the buffer. That of a scattered receive lies in its
        /// parts, and is not shown here.
        bytes: &'a [u8],
        /// Bytes of the message that were accepted.
        accepted: usize,
        /// Bytes of the message.
        offered: usize,
    },
    /// Somebody has called [`crate::Channel::notify`] or [`crate::Connection::notify`], or a timer or
    /// an [`crate::Interrupt`] came.
    Bits {
        /// All bits that were set since the last such notice.
        bits: u32,
    },
    /// One that this library doesn't know.
    Other {
        /// Its number.
        kind: u32,
    },
}

/// A client's message. The client waits until the message is answered, or its [`Token`].
///
/// It is its thread's, as memory is that it may have brought ([`crate::Lent`]). Another thread can have the
/// token.
#[derive(Debug)]
#[must_use = "the client waits for an answer"]
pub struct Message<'a> {
    badge: u32,
    place: Place,
    accepted: usize,
    offered: usize,
    words: [u32; 5],
    token: Token,
    buffer: &'a mut [u8],
    /// Memory that it brought goes away with the thread that has received it, so that no other thread
    /// may open it.
    _thread: PhantomData<*mut ()>,
}

/// Where the bytes of a message are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In its words: they came in registers.
    Words,
    /// At the beginning of the buffer of the receive.
    Buffer,
    /// In the parts of the receive; or all of them with the client, if the receive had no room.
    Elsewhere,
    /// In the parts of the receive, and in its words, as they came.
    Parts,
}

/// A message of words alone, from a client that waits for the answer.
#[derive(Debug)]
#[must_use = "the client waits for an answer"]
pub struct Words {
    /// The badge of the connection through which it came.
    pub badge: u32,
    /// Its bytes, at most 20.
    pub len: usize,
    /// Its words; zero where the client sent nothing.
    pub words: [u32; 5],
    /// Who waits.
    pub token: Token,
}

/// What a server of words receives less often: an error, a notice, memory, or bytes that registers do
/// not hold. It costs nothing where it doesn't happen.
#[derive(Debug)]
#[must_use = "a client may wait for an answer"]
pub struct Rare(Registers, PhantomData<*mut ()>);

impl Rare {
    /// What these registers of a receive without a buffer say.
    #[inline(always)]
    pub(crate) fn of(registers: Registers) -> Rare {
        cold_path();
        Rare(registers, PhantomData)
    }

    /// It, as [`crate::Channel::receive_words`] gives it.
    ///
    /// # Errors
    /// As [`crate::Channel::reply_and_receive`].
    pub fn event(self) -> Result<Event<'static>, Error> {
        Event::decode(&self.0, &mut [])
    }

    /// The memory that a message brought in a window of this process: the shortest way to it, for a
    /// server that mostly gets such.
    ///
    /// # Errors
    /// Itself, if it is anything else.
    #[inline(always)]
    pub fn opened(self) -> Result<Memory<'static>, Rare> {
        match Event::decode(&self.0, &mut []) {
            Ok(Event::Message(message)) => message.opened().map_err(|_| self),
            _ => Err(self),
        }
    }
}

impl Words {
    /// What the registers of a receive without a buffer say.
    #[inline(always)]
    pub(crate) fn decode(registers: Registers) -> Result<Words, Rare> {
        // Flags and marks are greater than any length.
        let len = (registers[register::INFO] & !info::TAG_MASK) as usize;
        if len > MESSAGE_BYTES {
            cold_path();
            return Err(Rare(registers, PhantomData));
        }
        Ok(Words {
            badge: registers[register::CALL],
            len,
            words: words::of(&registers),
            token: Token::from_registers(&registers),
        })
    }
}

impl<'a> Event<'a> {
    /// What the registers of a receive say, whose buffer was `buffer`.
    #[inline(always)]
    pub(crate) fn decode(registers: &Registers, buffer: &'a mut [u8]) -> Result<Event<'a>, Error> {
        let info = registers[register::INFO];
        let badge = registers[register::CALL];
        let token = Token::from_registers(registers);
        let words = words::of(registers);
        // Bytes for a server that takes words only are as rare as errors and notices.
        let rare = info::ERROR | info::NOTICE | if buffer.is_empty() { info::BYTES } else { 0 };
        if info & rare != 0 {
            cold_path();
            failure::check_word(info, badge)?;
            if info & info::NOTICE != 0 {
                return Ok(Event::Notice(Notice::decode(registers, buffer)));
            }
            let [accepted, offered, ..] = words.map(|word| word as usize);
            return Ok(Event::Message(Message {
                badge,
                place: Place::Elsewhere,
                accepted,
                offered,
                words: [0; 5],
                token,
                buffer,
                _thread: PhantomData,
            }));
        }
        let (place, accepted, offered) = if info & info::BYTES != 0 {
            (Place::Buffer, words[0] as usize, words[1] as usize)
        } else {
            let length = ((info & info::LENGTH_MASK) as usize).min(MESSAGE_BYTES);
            (Place::Words, length, length)
        };
        Ok(Event::Message(Message {
            badge,
            place,
            accepted,
            offered,
            words,
            token,
            buffer,
            _thread: PhantomData,
        }))
    }

    /// As [`Event::decode`], of a receive into `parts`: a message that came in registers is put there, too.
    pub(crate) fn decode_parts(
        registers: &Registers,
        parts: &mut [PartMut<'_>],
    ) -> Result<Event<'static>, Error> {
        let mut event = Event::decode(registers, &mut []);
        if let Ok(Event::Message(message)) = &mut event
            && message.place == Place::Words
            && message.token.mark() as usize <= MESSAGE_BYTES
        {
            message.accepted = part::fill(parts, &message.words, message.offered);
            message.place = Place::Parts;
        }
        event
    }
}

impl<'a> Notice<'a> {
    #[inline(always)]
    fn decode(registers: &Registers, buffer: &'a [u8]) -> Notice<'a> {
        let badge = registers[register::CALL];
        match registers[register::WORD0] {
            notice::CLIENT_DIED => Notice::ClientDied {
                badge,
                ends: registers[register::WORD1],
            },
            notice::UNBLOCK => Notice::Unblock {
                badge,
                has_signal: registers[register::WORD1] == notice::unblock::SIGNAL,
                client: Token::from_registers(registers).client(),
            },
            notice::FAULT => Notice::Fault {
                process: registers[register::WORD1],
            },
            notice::BITS => Notice::Bits {
                bits: registers[register::WORD1],
            },
            notice::PROXY => {
                let accepted = registers[register::WORD1] as usize;
                Notice::Proxy {
                    proxy: ProxyId(badge),
                    bytes: buffer.get(..accepted).unwrap_or_default(),
                    accepted,
                    offered: registers[register::WORD2] as usize,
                }
            }
            kind => Notice::Other { kind },
        }
    }
}

impl<'a> Message<'a> {
    /// The badge of the connection through which it came: who sent it, by the manifest.
    #[inline(always)]
    #[must_use]
    pub fn badge(&self) -> u32 {
        self.badge
    }

    /// Whether the message came in registers: at most 20 bytes, and none of them in a buffer or in parts.
    #[inline(always)]
    #[must_use]
    pub fn is_in_registers(&self) -> bool {
        self.place == Place::Words
    }

    /// The bytes that the client offered.
    #[inline(always)]
    #[must_use]
    pub fn offered(&self) -> usize {
        self.offered
    }

    /// The bytes that were accepted: what [`Message::bytes`] holds.
    #[inline(always)]
    #[must_use]
    pub fn accepted(&self) -> usize {
        self.accepted
    }

    /// The bytes that were accepted. Those of a receive into parts lie there, and are not shown here.
    #[inline(always)]
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        let all = match self.place {
            Place::Words => self.words.as_bytes(),
            Place::Buffer => &*self.buffer,
            Place::Elsewhere | Place::Parts => &[],
        };
        all.get(..self.accepted).unwrap_or_default()
    }

    /// The first five words; zero where the client sent nothing, and of what [`Message::bytes`] does not show.
    #[inline(always)]
    #[must_use]
    pub fn words(&self) -> [u32; 5] {
        match self.place {
            Place::Buffer => words::prefix(self.bytes()),
            Place::Words | Place::Elsewhere => self.words,
            Place::Parts => [0; 5],
        }
    }

    /// Copies bytes of the client's message, from `offset` on, and returns how many: fewer than
    /// `buffer` takes at the message's end. Never blocks.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if the client no longer waits.
    pub fn read(&self, offset: u32, buffer: &mut [u8]) -> Result<usize, Error> {
        if self.place != Place::Words {
            return self.token.read(offset, buffer);
        }
        let rest = self.bytes().get(offset as usize..).unwrap_or_default();
        let copied = rest.len().min(buffer.len());
        buffer
            .iter_mut()
            .zip(rest)
            .for_each(|(to, from)| *to = *from);
        Ok(copied)
    }

    /// Copies `bytes` into the client's reply buffer, at `offset`, and returns how many fitted.
    /// Never blocks.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if the client no longer waits.
    pub fn write(&self, offset: u32, bytes: &[u8]) -> Result<usize, Error> {
        self.token.write(offset, bytes)
    }

    #[inline(always)]
    pub(crate) const fn token(&self) -> &Token {
        &self.token
    }

    /// The token, for what is to be known of it before it is used.
    pub(crate) fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }

    /// The token, for an answer at another time or from another thread of this process. Memory that was given with
    /// the message, and that nobody has taken, goes home: as it does with each answer.
    #[inline(always)]
    pub fn into_token(self) -> Token {
        self.into_parts().0
    }

    /// The token and the buffer with which the message was received.
    #[inline(always)]
    pub fn into_parts(self) -> (Token, &'a mut [u8]) {
        // Bytes bring no memory: who knows that they are there asks no more.
        if self.place == Place::Words && self.token.says_moved() {
            // By value: a message whose address is taken stays in no register.
            let [address, ..] = self.words;
            trap::give_up(address);
        }
        (self.token, self.buffer)
    }

    /// The token, and the bytes that were accepted in the buffer with which the message was
    /// received, wherever they came: a message in registers is copied there, as far as it fits.
    #[inline(always)]
    pub fn into_buffer(self) -> (Token, &'a mut [u8]) {
        let (token, buffer, length) = self.into_whole_buffer();
        (token, buffer.get_mut(..length).unwrap_or_default())
    }

    /// The token, the whole buffer with which the message was received, and how many bytes of the message are
    /// there: one in registers is copied there, as far as it fits.
    #[inline(always)]
    pub(crate) fn into_whole_buffer(mut self) -> (Token, &'a mut [u8], usize) {
        let kept = self.unpack();
        let (token, buffer) = self.into_parts();
        (token, buffer, kept)
    }

    /// Copies a message in registers to the buffer, as far as it fits. Returns how many bytes of the message are there.
    #[inline(always)]
    fn unpack(&mut self) -> usize {
        match self.place {
            Place::Words => words::unpack(&self.words, self.accepted, self.buffer),
            Place::Buffer => self.accepted,
            Place::Elsewhere | Place::Parts => 0,
        }
    }

    /// Answers at once with status 0 and `bytes`; returns how many the client accepted. Never blocks.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if the client no longer waits.
    #[inline(always)]
    pub fn reply(self, bytes: &[u8]) -> Result<usize, Error> {
        self.into_token().reply(bytes)
    }

    /// Answers at once with status 0 and words. Never blocks.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if the client no longer waits.
    #[inline(always)]
    pub fn reply_words<const N: usize>(self, words: [u32; N]) -> Result<(), Error>
    where
        [u32; N]: crate::MessageWords,
    {
        self.into_token().reply_words(words)
    }

    /// Answers at once with an error status and no bytes. Never blocks.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if the client no longer waits.
    pub fn reply_error(self, status: Status) -> Result<(), Error> {
        self.into_token().reply_error(status)
    }

    /// Answers at once and hands the client a connection; see [`Token::reply_handle`].
    ///
    /// # Errors
    /// As [`Token::reply_handle`].
    pub fn reply_handle(
        self,
        words: [u32; 4],
        connection: &crate::Connection,
    ) -> Result<(), Error> {
        self.into_token().reply_handle(words, connection)
    }

    /// Answers at once and hands the client a connection; see [`Token::try_reply_handle`].
    ///
    /// # Errors
    /// [`Error::NotPermitted`] if the message brought memory; and as [`Token::try_reply_handle`].
    pub fn try_reply_handle(
        &self,
        words: [u32; 4],
        connection: &crate::Connection,
    ) -> Result<(), Error> {
        self.lone_token()?.try_reply_handle(words, connection)
    }

    /// Answers at once and lets the client trigger a proxy; see [`Token::reply_proxy`].
    ///
    /// # Errors
    /// As [`Token::reply_proxy`].
    pub fn reply_proxy(self, words: [u32; 4], proxy: &crate::Proxy) -> Result<(), Error> {
        self.into_token().reply_proxy(words, proxy)
    }

    /// Answers at once and hands the client a region; see [`Token::try_reply_region`].
    ///
    /// # Errors
    /// [`Error::NotPermitted`] if the message brought memory; and as [`Token::try_reply_region`].
    pub fn try_reply_region(
        &self,
        words: [u32; 4],
        region: &crate::RegionHandle,
    ) -> Result<(), Error> {
        self.lone_token()?.try_reply_region(words, region)
    }

    /// The token, for an answer that leaves the message: memory could be opened behind that, or be given up by nobody.
    fn lone_token(&self) -> Result<&Token, Error> {
        if self.token.mark() as usize > MESSAGE_BYTES {
            return Err(Error::NotPermitted);
        }
        Ok(&self.token)
    }

    /// Hands the client on to another server, with what it has sent; see [`Token::try_relay`].
    ///
    /// # Errors
    /// As [`Token::try_relay`].
    pub fn try_relay(&self, connection: &crate::Connection) -> Result<(), Error> {
        let words = match self.place {
            Place::Words | Place::Parts => self.words.as_bytes().get(..self.offered),
            Place::Buffer | Place::Elsewhere => None,
        };
        let words = words.unwrap_or_default();
        self.token.try_relay(connection, words)
    }

    /// The answer with status 0 and `bytes`, to be given with the next receive.
    #[inline(always)]
    pub fn answer<'b>(self, bytes: &'b [u8]) -> Answer<'b> {
        Answer::bytes(self.into_token(), bytes)
    }

    /// The answer with status 0 and words, to be given with the next receive.
    #[inline(always)]
    pub fn answer_words<'b, const N: usize>(self, words: [u32; N]) -> Answer<'b>
    where
        [u32; N]: crate::MessageWords,
    {
        Answer::words(self.into_token(), words)
    }

    /// The answer with the first `length` bytes of the buffer that the message came in, wherever that came. What
    /// lies there behind the message is of earlier ones, and not for this client.
    #[inline(always)]
    pub fn answer_buffer(mut self, length: usize) -> Answer<'a> {
        self.unpack();
        let (token, buffer) = self.into_parts();
        let buffer: &'a [u8] = buffer;
        Answer::bytes(token, buffer.get(..length).unwrap_or(buffer))
    }

    /// The answer with an error status and no bytes, to be given with the next receive.
    #[inline(always)]
    pub fn answer_error<'b>(self, status: Status) -> Answer<'b> {
        Answer::error(self.into_token(), status)
    }
}
