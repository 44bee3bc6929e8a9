//! An open file.

use embedded_io::SeekFrom;
use riposte::{Deadline, Error};

use crate::protocol::{LARGEST, operation, whence};
use crate::{FileError, Files, Stat, header, stat, whole};

/// An open file. It is closed when it is dropped.
#[derive(Debug)]
pub struct File<'a> {
    files: &'a Files,
    number: u32,
}

impl<'a> File<'a> {
    pub(crate) fn new(files: &'a Files, number: u32) -> File<'a> {
        File { files, number }
    }

    /// A request about it with `body` behind it; the length of the answer.
    pub(crate) fn call(
        &self,
        operation: u32,
        body: &[u8],
        answer: &mut [u8],
        deadline: Deadline,
    ) -> Result<usize, FileError> {
        let header = header(operation, self.number);
        self.files.call([&header, body], answer, deadline)
    }

    /// Reads on: as many bytes as `bytes` has, or as there are; how many. 0 is the end. More than
    /// [`LARGEST`](crate::protocol::LARGEST) bytes are read in pieces, between which others may write.
    ///
    /// # Errors
    /// [`FileError::BadFile`] if it is not open for that, [`FileError::IsDirectory`]; [`FileError::Kernel`] if the
    /// server can't be asked. What the server says of a piece but the first is told by the next read; a deadline, a signal
    /// or the server's end at once: then [`File::seek`] tells how far it has come.
    pub fn read(&self, bytes: &mut [u8]) -> Result<usize, FileError> {
        self.read_until(bytes, Deadline::None)
    }

    /// As [`File::read`], until a deadline.
    ///
    /// # Errors
    /// [`FileError::TimedOut`]; and as [`File::read`].
    pub fn read_until(
        &self,
        bytes: &mut [u8],
        deadline: impl Into<Deadline>,
    ) -> Result<usize, FileError> {
        let (deadline, mut done) = (deadline.into(), 0);
        while let Some(rest) = bytes.get_mut(done..).filter(|rest| !rest.is_empty()) {
            let count = rest.len().min(LARGEST);
            match self.files.read(self.number, &mut rest[..count], deadline) {
                Ok(0) => break,
                Ok(length) => done += length,
                Err(why) if done == 0 || why.is_uncertain() => return Err(why),
                Err(_) => break,
            }
        }
        Ok(done)
    }

    /// Writes on: all bytes, or as many as there is room for; how many. More than
    /// [`LARGEST`](crate::protocol::LARGEST) bytes are written in pieces, between which others may read and write.
    ///
    /// # Errors
    /// [`FileError::NoSpace`] if there is room for none, [`FileError::TooLarge`]; and as [`File::read`].
    pub fn write(&self, bytes: &[u8]) -> Result<usize, FileError> {
        self.write_until(bytes, Deadline::None)
    }

    /// As [`File::write`], until a deadline.
    ///
    /// # Errors
    /// [`FileError::TimedOut`]; and as [`File::write`].
    pub fn write_until(
        &self,
        bytes: &[u8],
        deadline: impl Into<Deadline>,
    ) -> Result<usize, FileError> {
        let (deadline, mut done) = (deadline.into(), 0);
        for piece in bytes.chunks(LARGEST) {
            let mut written = [0; 4];
            match self.call(operation::WRITE, piece, &mut written, deadline) {
                Ok(length) => whole(length == written.len())?,
                Err(why) if done == 0 || why.is_uncertain() => return Err(why),
                Err(_) => break,
            }
            let count = u32::from_le_bytes(written) as usize;
            whole(count <= piece.len())?;
            done += count;
            if count < piece.len() {
                // Those who write all go by it.
                whole(count > 0)?;
                break;
            }
        }
        Ok(done)
    }

    /// Moves the position; where it is now. Behind the end there is nothing to read; a write there leaves zeros
    /// between.
    ///
    /// # Errors
    /// [`FileError::Invalid`] if there is no such position, [`FileError::NoSeek`]; [`FileError::Kernel`] if the server
    /// can't be asked.
    pub fn seek(&self, to: SeekFrom) -> Result<u64, FileError> {
        self.seek_until(to, Deadline::None)
    }

    /// As [`File::seek`], until a deadline.
    ///
    /// # Errors
    /// [`FileError::TimedOut`]; and as [`File::seek`].
    pub fn seek_until(
        &self,
        to: SeekFrom,
        deadline: impl Into<Deadline>,
    ) -> Result<u64, FileError> {
        let (from, offset) = match to {
            SeekFrom::Start(position) => {
                let position = i64::try_from(position).map_err(|_| FileError::Invalid)?;
                (whence::START, position)
            }
            SeekFrom::Current(offset) => (whence::CURRENT, offset),
            SeekFrom::End(offset) => (whence::END, offset),
        };
        let operation = operation::SEEK | from << operation::SHIFT;
        let request = [operation, self.number, offset as u32, (offset >> 32) as u32];
        let [low, high] = self.files.ask(request, deadline.into())?;
        Ok(u64::from(high) << 32 | u64::from(low))
    }

    /// What it is.
    ///
    /// # Errors
    /// [`FileError::Kernel`] if the server can't be asked.
    pub fn stat(&self) -> Result<Stat, FileError> {
        self.stat_until(Deadline::None)
    }

    /// As [`File::stat`], until a deadline.
    ///
    /// # Errors
    /// [`FileError::TimedOut`]; and as [`File::stat`].
    pub fn stat_until(&self, deadline: impl Into<Deadline>) -> Result<Stat, FileError> {
        let request = [operation::STAT, self.number];
        self.files.ask(request, deadline.into()).map(stat)
    }

    /// Returns when all that was written is where it is kept.
    ///
    /// # Errors
    /// [`FileError::Kernel`] if the server can't be asked.
    pub fn sync(&self) -> Result<(), FileError> {
        self.sync_until(Deadline::None)
    }

    /// As [`File::sync`], until a deadline.
    ///
    /// # Errors
    /// [`FileError::TimedOut`]; and as [`File::sync`].
    pub fn sync_until(&self, deadline: impl Into<Deadline>) -> Result<(), FileError> {
        let [] = self
            .files
            .ask([operation::SYNC, self.number], deadline.into())?;
        Ok(())
    }

    /// Leaves the file so many bytes, or adds zeros. Positions stay.
    ///
    /// # Errors
    /// [`FileError::BadFile`] if it is not open to be written, [`FileError::NoSpace`], [`FileError::TooLarge`];
    /// [`FileError::Kernel`] if the server can't be asked.
    pub fn truncate(&self, size: u64) -> Result<(), FileError> {
        self.truncate_until(size, Deadline::None)
    }

    /// As [`File::truncate`], until a deadline.
    ///
    /// # Errors
    /// [`FileError::TimedOut`]; and as [`File::truncate`].
    pub fn truncate_until(
        &self,
        size: u64,
        deadline: impl Into<Deadline>,
    ) -> Result<(), FileError> {
        let (low, high) = (size as u32, (size >> 32) as u32);
        let request = [operation::TRUNCATE, self.number, low, high];
        let [] = self.files.ask(request, deadline.into())?;
        Ok(())
    }

    /// The same open file once more: both have one position.
    ///
    /// # Errors
    /// [`FileError::TooManyOpen`]; [`FileError::Kernel`] if the server can't be asked.
    pub fn try_clone(&self) -> Result<File<'a>, FileError> {
        self.try_clone_until(Deadline::None)
    }

    /// As [`File::try_clone`], until a deadline.
    ///
    /// # Errors
    /// [`FileError::TimedOut`]; and as [`File::try_clone`].
    pub fn try_clone_until(&self, deadline: impl Into<Deadline>) -> Result<File<'a>, FileError> {
        let request = [operation::DUPLICATE, self.number];
        let [number] = self.files.ask(request, deadline.into())?;
        Ok(File::new(self.files, number))
    }
}

impl Drop for File<'_> {
    fn drop(&mut self) {
        // A signal may have ended the call before the server had it. One that has ended has nothing open either.
        let request = [operation::CLOSE, self.number];
        let interrupted = Err(FileError::Kernel(Error::Interrupted));
        while self.files.ask::<2, 0>(request, Deadline::None) == interrupted {}
    }
}

impl embedded_io::ErrorType for File<'_> {
    type Error = FileError;
}

impl embedded_io::Read for File<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, FileError> {
        File::read(self, bytes)
    }
}

impl embedded_io::Write for File<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, FileError> {
        File::write(self, bytes)
    }

    fn flush(&mut self) -> Result<(), FileError> {
        self.sync()
    }
}

impl embedded_io::Seek for File<'_> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64, FileError> {
        File::seek(self, to)
    }
}
