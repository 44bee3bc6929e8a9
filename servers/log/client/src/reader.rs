//! Reading the log from its beginning, and on as it grows.

use riposte::interface::CallError;
use riposte::{Connection, Deadline, Error, Instant, Text};

use crate::{LogReaderClient, NoSuchClient, ReadError, Record};

/// Reads the log, one record after the other.
#[derive(Debug)]
pub struct Reader {
    client: LogReaderClient,
    from: u64,
}

/// A record, and how many there were between it and the one before that are not kept any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The record.
    pub record: Record,
    /// How many others were there before it that nobody can read any more.
    pub lost: u64,
}

impl Reader {
    /// From the oldest record on. The connection's badge is [`crate::READER`] or greater: so the manifest says who may read.
    #[must_use]
    pub fn new(connection: Connection) -> Reader {
        Reader {
            client: LogReaderClient::new(connection),
            from: 0,
        }
    }

    /// The next record, if there is one, and its text, as far as there is room. Waits only for the server; one that was
    /// started again is found again.
    ///
    /// # Errors
    /// As the kernel has it; [`CallError::Refused`] if the connection's badge is none of a reader.
    pub fn try_next(&mut self, text: &mut Text<'_>) -> Result<Option<Entry>, CallError<ReadError>> {
        self.look(text, Deadline::None)
    }

    fn look(
        &mut self,
        text: &mut Text<'_>,
        deadline: Deadline,
    ) -> Result<Option<Entry>, CallError<ReadError>> {
        let record = match self.read(text, deadline) {
            Ok(record) => record,
            Err(CallError::Application(ReadError::NoRecord)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let lost = record.sequence.saturating_sub(self.from);
        self.from = record.sequence + 1;
        Ok(Some(Entry { record, lost }))
    }

    /// The next record, as soon as there is one. Blocks until then.
    ///
    /// # Errors
    /// As [`Reader::next_until`], but for the deadline.
    pub fn next(&mut self, text: &mut Text<'_>) -> Result<Entry, CallError<ReadError>> {
        self.next_until(text, Deadline::None)
    }

    /// As [`Reader::next`], until a deadline. One that has passed already lets it look once, as [`Reader::try_next`] does.
    ///
    /// # Errors
    /// [`Error::TimedOut`] at the deadline, also if the server does not answer; [`ReadError::TooManyWait`]; and as [`Reader::try_next`].
    pub fn next_until(
        &mut self,
        text: &mut Text<'_>,
        deadline: impl Into<Deadline>,
    ) -> Result<Entry, CallError<ReadError>> {
        let deadline = deadline.into();
        let mut patience = match deadline {
            Deadline::At(moment) if moment > Instant::now() => deadline,
            _ => Deadline::None,
        };
        loop {
            if let Some(entry) = self.look(text, patience)? {
                return Ok(entry);
            }
            if matches!(deadline, Deadline::Immediate) {
                return Err(CallError::Kernel(Error::TimedOut));
            }
            patience = deadline;
            match self.client.wait_until(self.from, deadline) {
                // The next look finds the next one.
                Ok(()) | Err(CallError::Kernel(Error::ServerDied)) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The name of the process whose record this is.
    ///
    /// # Errors
    /// [`NoSuchClient`], if it is of another system; and as the kernel has it.
    pub fn name(
        &mut self,
        record: &Record,
        name: &mut Text<'_>,
    ) -> Result<(), CallError<NoSuchClient>> {
        self.client.name(record.client, name)
    }

    fn read(
        &mut self,
        text: &mut Text<'_>,
        deadline: Deadline,
    ) -> Result<Record, CallError<ReadError>> {
        text.clear();
        let mut is_again = false;
        loop {
            match self.client.read_until(self.from, text, deadline) {
                Err(CallError::Kernel(Error::ServerDied)) if !is_again => {
                    self.client.reconnect()?;
                    is_again = true;
                }
                outcome => return outcome,
            }
        }
    }
}
