//! Pipes that a server of files has besides, so that FIFOs are among its files.

use riposte::{Answer, Message, Notice};
use riposte_files::protocol::status;

/// What has the bytes of FIFOs. A FIFO is a node of a volume, told from all others that are there by a number; a request is
/// one of `riposte_pipe`.
pub(crate) trait Pipes {
    /// Whether there are any.
    const ARE_THERE: bool;
    /// Does what a client asks that names no FIFO.
    fn serve<'a>(&mut self, message: Message<'a>) -> Answer<'a>;
    /// Opens an end of the pipe that is a FIFO's, which the client with this badge has made.
    fn open<'a>(&mut self, message: Message<'a>, node: u32, maker: u32) -> Answer<'a>;
    /// A FIFO is no longer there, or was not before.
    fn forget(&mut self, node: u32);
    /// Bytes that a FIFO's pipe holds.
    fn capacity(&self) -> usize;
    /// Closes the ends of the dead, and lets go those who do not wait any more.
    fn hear(&mut self, notice: &Notice);
}

/// None.
pub(crate) struct NoPipes;

impl Pipes for NoPipes {
    const ARE_THERE: bool = false;

    fn serve<'a>(&mut self, message: Message<'a>) -> Answer<'a> {
        message.answer_error(status::NOT_SUPPORTED)
    }

    fn open<'a>(&mut self, message: Message<'a>, _node: u32, _maker: u32) -> Answer<'a> {
        self.serve(message)
    }

    fn forget(&mut self, _node: u32) {}

    fn capacity(&self) -> usize {
        0
    }

    fn hear(&mut self, _notice: &Notice) {}
}

#[cfg(feature = "pipes")]
impl Pipes for pipe_server::Server {
    const ARE_THERE: bool = true;

    fn serve<'a>(&mut self, message: Message<'a>) -> Answer<'a> {
        pipe_server::Server::serve(self, message)
    }

    fn open<'a>(&mut self, message: Message<'a>, node: u32, maker: u32) -> Answer<'a> {
        self.open_node(message, node, maker)
    }

    fn forget(&mut self, node: u32) {
        self.remove_node(node);
    }

    fn capacity(&self) -> usize {
        self.capacity_of_nodes()
    }

    #[inline(always)]
    fn hear(&mut self, notice: &Notice) {
        // To a notice there is no answer.
        let _ = pipe_server::Server::hear(self, notice);
    }
}
