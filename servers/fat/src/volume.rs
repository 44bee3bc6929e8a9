//! From what every server of files does to the volume.

use fat_volume::FatVolume;
use files_server::{FILES, Space, Volume, status_of};
use files_store::{File, NAME, Options, Refused, Stat, Whence};
use riposte::{Answer, Message};
use riposte_block::Card;
use riposte_files::protocol::LARGEST;

/// The volume, and where bytes are on their way between it and a client.
pub struct Served<'v, 'm> {
    volume: &'v mut FatVolume<'m, Card, FILES>,
    bytes: &'v mut [u8; LARGEST],
}

impl<'v, 'm> Served<'v, 'm> {
    pub fn new(
        volume: &'v mut FatVolume<'m, Card, FILES>,
        bytes: &'v mut [u8; LARGEST],
    ) -> Served<'v, 'm> {
        Served { volume, bytes }
    }
}

impl Volume for Served<'_, '_> {
    fn open(&mut self, client: usize, path: &[u8], options: Options) -> Result<File, Refused> {
        self.volume.open_file(client, path, options)
    }

    fn duplicate(&mut self, client: usize, file: File) -> Result<File, Refused> {
        self.volume.duplicate(client, file)
    }

    fn close(&mut self, client: usize, file: File) -> Result<(), Refused> {
        self.volume.close(client, file)
    }

    fn leave(&mut self, client: usize) {
        self.volume.leave(client);
    }

    fn read<'a>(
        &mut self,
        client: usize,
        file: File,
        most: usize,
        message: Message<'a>,
    ) -> Answer<'a> {
        let Served { volume, bytes } = self;
        let to = bytes.get_mut(..most).unwrap_or_default();
        match volume.read(client, file, to) {
            Ok(length) => {
                // One that has left reads nothing.
                let _ = message.reply(to.get(..length).unwrap_or_default());
                Answer::later()
            }
            Err(why) => message.answer_error(status_of(why)),
        }
    }

    fn write<'a>(
        &mut self,
        client: usize,
        file: File,
        head: usize,
        message: Message<'a>,
    ) -> Answer<'a> {
        let Served { volume, bytes } = self;
        let length = (message.offered() - head).min(LARGEST);
        let from = if message.accepted() == message.offered() {
            message.bytes().get(head..).unwrap_or_default()
        } else {
            let to = bytes.get_mut(..length).unwrap_or_default();
            match message.read(head as u32, to) {
                Ok(copied) if copied == length => to,
                // Nobody hears it.
                _ => return message.answer_error(status_of(Refused::Gone)),
            }
        };
        match volume.write(client, file, from) {
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
        self.volume.seek(client, file, offset, whence)
    }

    fn truncate(&mut self, client: usize, file: File, size: u64) -> Result<(), Refused> {
        self.volume.truncate(client, file, size)
    }

    fn sync(&mut self, client: usize, file: File) -> Result<(), Refused> {
        self.volume.sync(client, file)
    }

    fn stat(&mut self, client: usize, file: File) -> Result<Stat, Refused> {
        self.volume.stat(client, file)
    }

    fn stat_path(&mut self, path: &[u8]) -> Result<Stat, Refused> {
        self.volume.stat_path(path)
    }

    fn list(
        &mut self,
        client: usize,
        file: File,
        name: &mut [u8; NAME],
    ) -> Result<Option<(Stat, usize)>, Refused> {
        self.volume.list(client, file, name)
    }

    fn make_directory(&mut self, _client: usize, path: &[u8]) -> Result<(), Refused> {
        self.volume.make_directory(path)
    }

    /// FAT has none.
    fn make_fifo(&mut self, _client: usize, _path: &[u8]) -> Result<u32, Refused> {
        Err(Refused::NotSupported)
    }

    fn remove(&mut self, path: &[u8]) -> Result<(), Refused> {
        self.volume.remove(path)
    }

    fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), Refused> {
        self.volume.rename(from, to)
    }

    /// FAT knows no owners: what is free is whoever's comes first.
    fn space(&mut self, _client: usize) -> Result<Space, Refused> {
        let space = self.volume.space()?;
        Ok(Space {
            block: space.cluster,
            blocks: space.clusters,
            free: space.free,
            left: space.free,
            entries: u32::MAX,
        })
    }
}
