//! Requests of peers that are served here.

use crate::parts::{Coming, Leaving};
use crate::{Blocks, FINE};

/// Where a request of a peer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Free,
    /// Parts of it have not come.
    Gathering,
    /// It is being served.
    Serving,
    /// The peer has not got all of the reply.
    Replying,
}

/// A request of a peer.
#[derive(Clone, Copy, Debug)]
pub struct Far {
    pub stage: Stage,
    pub peer: usize,
    pub circuit: usize,
    pub slot: u8,
    pub count: u32,
    pub priority: u8,
    pub deadline: u64,
    /// Nobody waits for it any more. Never of one that is free.
    pub is_over: bool,
    pub coming: Coming,
    pub leaving: Leaving,
    /// Of the reply.
    pub outcome: u8,
    pub status: u32,
    pub length: usize,
    /// The number of the proxy that it brings; 0 is none.
    pub proxy: u32,
    /// Those of the request, and those for the reply.
    pub request: Blocks,
    pub reply: Blocks,
}

impl Far {
    pub const FREE: Far = Far {
        stage: Stage::Free,
        peer: 0,
        circuit: 0,
        slot: 0,
        count: 0,
        priority: 0,
        deadline: 0,
        is_over: false,
        coming: Coming::new(0),
        leaving: Leaving::new(0),
        outcome: FINE,
        status: 0,
        length: 0,
        proxy: 0,
        request: Blocks::NONE,
        reply: Blocks::NONE,
    };

    /// Whether it is this request of this peer: not one that is over but still served, as a new life of the peer counts from the
    /// beginning.
    pub fn is(&self, peer: usize, slot: u8, count: u32) -> bool {
        let is_there = self.stage != Stage::Free && !self.is_over;
        is_there && self.peer == peer && self.slot == slot && self.count == count
    }
}

/// A request that is to be served.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// Whose it is.
    pub peer: usize,
    /// By which of its circuits it came.
    pub circuit: usize,
    /// At which priority it is served: the client's, within the peer's band.
    pub priority: u8,
    /// Until when.
    pub deadline: u64,
    /// Bytes of the request.
    pub length: usize,
    /// The blocks of the request.
    pub request: Blocks,
    /// The blocks for the reply.
    pub reply: Blocks,
}

impl Job {
    pub(crate) fn of(far: &Far, priority: u8) -> Job {
        Job {
            peer: far.peer,
            circuit: far.circuit,
            priority,
            deadline: far.deadline,
            length: far.coming.length,
            request: far.request,
            reply: far.reply,
        }
    }
}
