//! FIFOs: a volume has their names, [`Pipes`] has their bytes.

use files_store::{Kind, Refused, Stat};
use riposte::{Answer, Message};
use riposte_files::protocol::{READER, REQUEST};
use riposte_pipe::protocol::{operation, status};

use crate::pipes::Pipes;
use crate::server::Server;
use crate::volume::Volume;

impl<V: Volume> Server<V> {
    /// Does what a client asks of pipes. A name is the path of a FIFO.
    #[inline(never)]
    pub(crate) fn serve_pipes<'a, P: Pipes>(
        &mut self,
        pipes: &mut P,
        message: Message<'a>,
        client: usize,
    ) -> Answer<'a> {
        let [request, number, ..] = message.words();
        let asked = request & !operation::TRY;
        let names = matches!(
            asked,
            operation::OPEN_READ
                | operation::OPEN_WRITE
                | operation::MAKE
                | operation::REMOVE
                | operation::LOOK
        );
        if !names || (message.offered() == REQUEST && asked != operation::MAKE) {
            return pipes.serve(message);
        }
        if message.accepted() < message.offered() {
            return message.answer_error(status::BAD_NAME);
        }
        let path = message.bytes().get(REQUEST..).unwrap_or_default();
        let may_change = message.badge() < READER;
        let fifo = self.fifo_at(pipes, path);
        let done = match (asked, fifo) {
            _ if asked != request && asked != operation::OPEN_WRITE => Err(status::BAD_REQUEST),
            (operation::OPEN_WRITE | operation::MAKE | operation::REMOVE, _) if !may_change => {
                Err(status::NOT_YOURS)
            }
            (operation::MAKE, _) if !(1..=pipes.capacity()).contains(&(number as usize)) => {
                Err(status::BAD_CAPACITY)
            }
            (operation::MAKE, _) => self.make(pipes, client, path).map_err(|why| match why {
                Refused::Exists => status::TAKEN,
                Refused::NoSpace => status::TOO_MANY_PIPES,
                _ => status::BAD_NAME,
            }),
            (_, None) => Err(status::NO_SUCH_PIPE),
            (operation::LOOK, _) => {
                let capacity = pipes.capacity() as u32;
                return message.answer_words([capacity]);
            }
            (operation::REMOVE, _) => {
                let removed = self.remove(pipes, path);
                removed.map_err(|_| status::NO_SUCH_PIPE)
            }
            (_, Some(Stat { entry, owner, .. })) => {
                let maker = self.clients.badge(owner.into());
                return pipes.open(message, entry, maker);
            }
        };
        match done {
            Ok(()) => message.answer_words([]),
            Err(status) => message.answer_error(status),
        }
    }

    /// Makes a FIFO.
    pub(crate) fn make(
        &mut self,
        pipes: &mut impl Pipes,
        client: usize,
        path: &[u8],
    ) -> Result<(), Refused> {
        let node = self.volume.make_fifo(client, path)?;
        // Whatever had this number has not been there since.
        pipes.forget(node);
        Ok(())
    }

    /// Removes what a path leads to.
    pub(crate) fn remove(&mut self, pipes: &mut impl Pipes, path: &[u8]) -> Result<(), Refused> {
        let fifo = self.fifo_at(pipes, path);
        let done = self.volume.remove(path);
        self.forget(pipes, fifo, path);
        done
    }

    /// Gives another name.
    pub(crate) fn rename(
        &mut self,
        pipes: &mut impl Pipes,
        from: &[u8],
        to: &[u8],
    ) -> Result<(), Refused> {
        let replaced = self.fifo_at(pipes, to);
        let done = self.volume.rename(from, to);
        self.forget(pipes, replaced, to);
        done
    }

    /// The FIFO of this path, if it leads to one.
    fn fifo_at<P: Pipes>(&mut self, _pipes: &P, path: &[u8]) -> Option<Stat> {
        if !P::ARE_THERE {
            return None;
        }
        let found = self.volume.stat_path(path).ok()?;
        (found.kind == Kind::Fifo).then_some(found)
    }

    /// What was a FIFO of this path is none any more, unless it still is: what has failed can have been done, and of a volume
    /// that can't be looked at nothing is open any more.
    fn forget(&mut self, pipes: &mut impl Pipes, fifo: Option<Stat>, path: &[u8]) {
        if let Some(Stat { entry, .. }) = fifo
            && self.fifo_at(pipes, path).map(|now| now.entry) != Some(entry)
        {
            pipes.forget(entry);
        }
    }
}
