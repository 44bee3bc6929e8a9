//! A volume that is a store: what lies where is the store's, how bytes go there is its memory's.

use core::ops::Range;

use files_store::{File, Memory, NAME, Options, Refused, Stat, Store, Whence};
use riposte::{Answer, Message, Token};
use riposte_files::protocol::LARGEST;

use crate::clients::FILES;
use crate::server::status_of;
use crate::volume::{Space, Volume};

/// Most pieces of an answer.
const PARTS: usize = 16;
/// A read of at most so many bytes is answered from the server's buffer.
const SHORT: usize = 64;

/// A store's memory, from which bytes go to clients and to which they come.
pub trait Bytes: Memory {
    /// Bytes that are to go to a client.
    type Piece: Copy;
    /// None.
    fn nothing() -> Self::Piece;

    /// These, if they are there.
    fn piece(&self, bytes: Range<usize>) -> Option<Self::Piece>;
    /// Copies the bytes from a position on: as many as `to` has.
    fn read(&self, position: usize, to: &mut [u8]);
    /// Writes bytes from a position on.
    fn write(&mut self, position: usize, from: &[u8]);
    /// Answers a client with these pieces, by way of the buffer with which its request was received or without. A client
    /// that has left reads nothing.
    fn answer<'a>(&self, client: Token, buffer: &'a mut [u8], pieces: &[Self::Piece])
    -> Answer<'a>;
    /// Writes bytes of a client's message that were not received with it, from an offset on; whether they were there.
    fn take(&mut self, client: &Token, offset: usize, bytes: Range<usize>) -> bool;
    /// Whether all that was read and written is so; it returns when what was written is where it is kept.
    ///
    /// # Errors
    /// [`Refused::Damaged`] if something has failed since the memory was opened.
    fn settle(&mut self) -> Result<(), Refused>;
    /// After a failure: has what is kept now.
    ///
    /// # Errors
    /// [`Refused::Damaged`] if it can't be read.
    fn reopen(&mut self) -> Result<(), Refused>;
    /// What is there is of no use: it has failed.
    fn fail(&mut self);
}

/// The store.
pub struct Stored<M>(pub Store<M, FILES>);

impl<M: Bytes> Stored<M> {
    /// The store. If something has failed since, it is what its next life would find, and nothing is open any more.
    #[inline(always)]
    fn there(&mut self) -> Result<&mut Store<M, FILES>, Refused> {
        if self.0.memory_mut().settle().is_err() {
            self.again()?;
        }
        Ok(&mut self.0)
    }

    #[cold]
    fn again(&mut self) -> Result<(), Refused> {
        self.0.memory_mut().reopen()?;
        if self.0.remount().is_err() {
            self.0.memory_mut().fail();
        }
        self.0.memory_mut().settle()
    }

    /// What came of an operation, when it is where it is kept.
    fn settled<T>(&mut self, done: Result<T, Refused>) -> Result<T, Refused> {
        self.0.memory_mut().settle()?;
        done
    }
}

impl<M: Bytes> Volume for Stored<M> {
    fn open(&mut self, client: usize, path: &[u8], options: Options) -> Result<File, Refused> {
        let done = self.there()?.open_file(client, path, options);
        self.settled(done)
    }

    fn duplicate(&mut self, client: usize, file: File) -> Result<File, Refused> {
        self.there()?.duplicate(client, file)
    }

    fn close(&mut self, client: usize, file: File) -> Result<(), Refused> {
        let done = self.there()?.close(client, file);
        self.settled(done)
    }

    fn leave(&mut self, client: usize) {
        // Who comes next is told of a failure, behind which nothing is open.
        if let Ok(store) = self.there() {
            store.leave(client);
            let _ = store.memory_mut().settle();
        }
    }

    fn read<'a>(
        &mut self,
        client: usize,
        file: File,
        most: usize,
        message: Message<'a>,
    ) -> Answer<'a> {
        let (token, buffer) = message.into_parts();
        if let Err(why) = self.there() {
            return Answer::error(token, status_of(why));
        }
        if most > SHORT {
            let (mut pieces, mut count) = ([M::nothing(); PARTS], 0);
            let read = self.0.read(client, file, most, |memory, piece| {
                let place = pieces.get_mut(count);
                let (Some(place), Some(piece)) = (place, memory.piece(piece)) else {
                    return false;
                };
                *place = piece;
                count += 1;
                true
            });
            return match read {
                Ok(_) => {
                    let pieces = pieces.get(..count).unwrap_or_default();
                    self.0.memory().answer(token, buffer, pieces)
                }
                Err(why) => Answer::error(token, status_of(why)),
            };
        }
        let mut filled = 0;
        let read = self.0.read(client, file, most, |memory, piece| {
            let end = filled + piece.len();
            if let Some(to) = buffer.get_mut(filled..end) {
                memory.read(piece.start, to);
            }
            filled = end;
            true
        });
        match self.settled(read) {
            Ok(length) => Answer::bytes(token, buffer.get(..length).unwrap_or_default()),
            Err(why) => Answer::error(token, status_of(why)),
        }
    }

    fn write<'a>(
        &mut self,
        client: usize,
        file: File,
        head: usize,
        message: Message<'a>,
    ) -> Answer<'a> {
        let length = (message.offered() - head).min(LARGEST);
        if let Err(why) = self.there() {
            return message.answer_error(status_of(why));
        }
        if message.accepted() >= head + length {
            let bytes = message.bytes().get(head..).unwrap_or_default();
            let written = self.0.write(client, file, length, |memory, offset, piece| {
                let end = offset + piece.len();
                memory.write(piece.start, bytes.get(offset..end).unwrap_or_default());
                true
            });
            return match self.settled(written) {
                Ok(count) => message.answer_words([count as u32]),
                Err(why) => message.answer_error(status_of(why)),
            };
        }
        let token = message.into_token();
        let written = self.0.write(client, file, length, |memory, offset, piece| {
            memory.take(&token, head + offset, piece)
        });
        match self.settled(written) {
            Ok(count) => Answer::words(token, [count as u32]),
            Err(why) => Answer::error(token, status_of(why)),
        }
    }

    fn seek(
        &mut self,
        client: usize,
        file: File,
        offset: i64,
        whence: Whence,
    ) -> Result<u32, Refused> {
        self.there()?.seek(client, file, offset, whence)
    }

    fn truncate(&mut self, client: usize, file: File, size: u64) -> Result<(), Refused> {
        let done = self.there()?.truncate(client, file, size);
        self.settled(done)
    }

    /// All is where it is kept.
    fn sync(&mut self, client: usize, file: File) -> Result<(), Refused> {
        let done = self.there()?.stat(client, file).map(drop);
        self.settled(done)
    }

    fn stat(&mut self, client: usize, file: File) -> Result<Stat, Refused> {
        self.there()?.stat(client, file)
    }

    fn stat_path(&mut self, path: &[u8]) -> Result<Stat, Refused> {
        self.there()?.stat_path(path)
    }

    fn list(
        &mut self,
        client: usize,
        file: File,
        name: &mut [u8; NAME],
    ) -> Result<Option<(Stat, usize)>, Refused> {
        self.there()?.list(client, file, name)
    }

    fn make_directory(&mut self, client: usize, path: &[u8]) -> Result<(), Refused> {
        let done = self.there()?.make_directory(client, path);
        self.settled(done)
    }

    fn make_fifo(&mut self, client: usize, path: &[u8]) -> Result<u32, Refused> {
        let done = self.there()?.make_fifo(client, path);
        self.settled(done)
    }

    fn remove(&mut self, path: &[u8]) -> Result<(), Refused> {
        let done = self.there()?.remove(path);
        self.settled(done)
    }

    fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), Refused> {
        let done = self.there()?.rename(from, to);
        self.settled(done)
    }

    fn space(&mut self, client: usize) -> Result<Space, Refused> {
        let store = self.there()?;
        let share = store.share(client);
        let (entries, blocks) = store.used(client);
        let free = store.free_blocks();
        Ok(Space {
            block: M::BLOCK as u32,
            blocks: store.blocks(),
            free,
            left: share.blocks.saturating_sub(blocks).min(free),
            entries: share.entries.saturating_sub(entries),
        })
    }
}
