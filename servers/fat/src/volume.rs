//! From what every server of files does to the volume.

use fat_volume::FatVolume;
use files_server::{FILES, Space, Volume, status_of};
use files_store::{File, NAME, Options, Refused, Stat, Whence};
use riposte::{Answer, Message};
use riposte_block::Card;
use riposte_files::protocol::LARGEST;

/// The volume.
pub struct Served<'v, 'm>(pub &'v mut FatVolume<'m, Card, FILES>);

impl Volume for Served<'_, '_> {
    fn open(&mut self, client: usize, path: &[u8], options: Options) -> Result<File, Refused> {
        self.0.open_file(client, path, options)
    }

    fn duplicate(&mut self, client: usize, file: File) -> Result<File, Refused> {
        self.0.duplicate(client, file)
    }

    fn close(&mut self, client: usize, file: File) -> Result<(), Refused> {
        self.0.close(client, file)
    }

    fn leave(&mut self, client: usize) {
        self.0.leave(client);
    }

    fn read<'a>(
        &mut self,
        client: usize,
        file: File,
        most: usize,
        message: Message<'a>,
    ) -> Answer<'a> {
        let (token, buffer) = message.into_parts();
        let to = buffer.get_mut(..most).unwrap_or_default();
        match self.0.read(client, file, to) {
            Ok(length) => Answer::bytes(token, to.get(..length).unwrap_or_default()),
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
        let from = message.bytes().get(head..).unwrap_or_default();
        let from = from.get(..LARGEST).unwrap_or(from);
        match self.0.write(client, file, from) {
            Ok(count) => message.answer_words([count as u32]),
            Err(why) => message.answer_error(status_of(why)),
        }
    }

    fn seek(
        &mut self,
        client: usize,
        file: File,
        offset: i64,
        whence: Whence,
    ) -> Result<u32, Refused> {
        self.0.seek(client, file, offset, whence)
    }

    fn truncate(&mut self, client: usize, file: File, size: u64) -> Result<(), Refused> {
        self.0.truncate(client, file, size)
    }

    fn sync(&mut self, client: usize, file: File) -> Result<(), Refused> {
        self.0.sync(client, file)
    }

    fn stat(&mut self, client: usize, file: File) -> Result<Stat, Refused> {
        self.0.stat(client, file)
    }

    fn stat_path(&mut self, path: &[u8]) -> Result<Stat, Refused> {
        self.0.stat_path(path)
    }

    fn list(
        &mut self,
        client: usize,
        file: File,
        name: &mut [u8; NAME],
    ) -> Result<Option<(Stat, usize)>, Refused> {
        self.0.list(client, file, name)
    }

    fn make_directory(&mut self, _client: usize, path: &[u8]) -> Result<(), Refused> {
        self.0.make_directory(path)
    }

    /// FAT has none.
    fn make_fifo(&mut self, _client: usize, _path: &[u8]) -> Result<u32, Refused> {
        Err(Refused::NotSupported)
    }

    fn remove(&mut self, path: &[u8]) -> Result<(), Refused> {
        self.0.remove(path)
    }

    fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), Refused> {
        self.0.rename(from, to)
    }

    /// FAT knows no owners: what is free is whoever's comes first.
    fn space(&mut self, _client: usize) -> Result<Space, Refused> {
        let space = self.0.space()?;
        Ok(Space {
            block: space.cluster,
            blocks: space.clusters,
            free: space.free,
            left: space.free,
            entries: u32::MAX,
        })
    }
}
