//! Requests of this node's clients.

use crate::pace::{MILLI, Pace};
use crate::parts::{Coming, Leaving};
use crate::{Blocks, PEERS};

/// How long a node waits for a reply before it asks whether there is one.
const ASK: u64 = 500 * MILLI;

/// Where a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Free,
    /// Its circuit is not open: nothing of it has been sent, or what was sent last was refused.
    Opening,
    /// Parts of it are not acknowledged.
    Sending,
    /// All of it has come there.
    Waiting,
    /// Parts of the reply have come.
    Receiving,
    /// The client does not wait any more, and the other node is to learn that.
    Cancelling,
    /// The client has its answer, and the other node is to learn that.
    Done,
}

/// What is to be done for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Send(usize),
    Ask,
    Cancel,
    Taken,
}

/// A place of a request.
#[derive(Clone, Copy, Debug)]
pub struct Near {
    pub stage: Stage,
    pub peer: usize,
    pub circuit: usize,
    /// Its number: how often the place has been used for this peer.
    pub count: u32,
    /// The same of each peer. (Of all together, one that is asked seldom would take the next number for an old one.)
    counts: [u32; PEERS],
    pub length: usize,
    pub priority: u8,
    pub begun: u64,
    pub deadline: u64,
    pub leaving: Leaving,
    /// Of several frames one was refused: which of them, nobody can tell, and another one may have begun it.
    is_doubtful: bool,
    pub coming: Coming,
    ask_at: u64,
    asks: u32,
    /// Those for its reply, if that comes in several parts.
    pub blocks: Blocks,
}

impl Near {
    pub const FREE: Near = Near {
        stage: Stage::Free,
        peer: 0,
        circuit: 0,
        count: 0,
        counts: [0; PEERS],
        length: 0,
        priority: 0,
        begun: 0,
        deadline: 0,
        leaving: Leaving::new(0),
        is_doubtful: false,
        coming: Coming::new(0),
        ask_at: 0,
        asks: 0,
        blocks: Blocks::NONE,
    };

    /// A request begins in this place. The answer to the last one there is acknowledged with it.
    pub fn begin(&mut self, to: [usize; 2], length: usize, priority: u8, times: [u64; 2]) {
        let [peer, circuit] = to;
        let [begun, deadline] = times;
        if let Some(count) = self.counts.get_mut(peer) {
            // 0 is no request's.
            *count = count.wrapping_add(1).max(1);
            self.count = *count;
        }
        (self.peer, self.circuit) = (peer, circuit);
        (self.length, self.priority) = (length, priority);
        (self.begun, self.deadline) = (begun, deadline);
        // What is sent and asked begins with its stage.
        (self.stage, self.is_doubtful) = (Stage::Opening, false);
        self.coming = Coming::new(0);
    }

    /// Nothing is left of the request, which has no blocks any more, but its number.
    pub fn free(&mut self) {
        debug_assert_eq!(self.blocks, Blocks::NONE);
        self.stage = Stage::Free;
    }

    /// How well the place fits a new request to this peer, the best being 0; not at all if a client waits. What was answered is
    /// acknowledged with that, and what was cancelled ended by it. What is not told so ends there at its deadline.
    pub fn rank_for(&self, peer: usize) -> Option<u8> {
        match self.stage {
            Stage::Done if self.peer == peer => Some(0),
            Stage::Free => Some(1),
            Stage::Cancelling if self.peer == peer => Some(2),
            Stage::Done | Stage::Cancelling => Some(3),
            Stage::Opening | Stage::Sending | Stage::Waiting | Stage::Receiving => None,
        }
    }

    /// Whether its client waits.
    pub fn is_wanted(&self) -> bool {
        matches!(
            self.stage,
            Stage::Opening | Stage::Sending | Stage::Waiting | Stage::Receiving
        )
    }

    /// Whether the other node may have begun it.
    pub fn is_sent(&self) -> bool {
        self.is_doubtful || self.stage != Stage::Opening && self.leaving.is_begun()
    }

    /// Its circuit is open, or is not any more.
    pub fn set_open(&mut self, is_open: bool) {
        match (self.stage, is_open) {
            (Stage::Opening, true) => self.stage = Stage::Sending,
            (Stage::Sending, false) => {
                self.stage = Stage::Opening;
                self.is_doubtful |= self.leaving.is_repeated();
            }
            _ => return,
        }
        self.leaving = Leaving::new(self.length);
    }

    /// All of it has come there.
    pub fn wait(&mut self, now: u64) {
        self.stage = Stage::Waiting;
        self.heard(now);
    }

    /// The other node has said something of it.
    pub fn heard(&mut self, now: u64) {
        self.asks = 0;
        self.ask_at = now + ASK;
    }

    /// The client does not wait any more.
    pub fn cancel(&mut self, now: u64) {
        self.stage = Stage::Cancelling;
        self.asks = 0;
        self.ask_at = now;
    }

    /// The client has its answer; or the other node does not know that it has.
    pub fn done(&mut self) {
        self.stage = Stage::Done;
    }

    /// Another session has begun: what was on the way does not come.
    pub fn hurry(&mut self, now: u64) {
        self.ask_at = now;
        if self.stage == Stage::Sending {
            self.leaving.hold(now);
        }
    }

    /// What is to be done, and when; `has_room` as of [`Leaving::next`].
    pub fn next(&self, has_room: bool) -> Option<(u64, Action)> {
        match self.stage {
            Stage::Free | Stage::Opening => None,
            Stage::Sending => {
                let (at, part) = self.leaving.next(has_room)?;
                Some((at, Action::Send(part)))
            }
            Stage::Waiting => Some((self.ask_at, Action::Ask)),
            Stage::Receiving => match self.coming.tell_at() {
                Some(at) if at <= self.ask_at => Some((at, Action::Taken)),
                _ => Some((self.ask_at, Action::Ask)),
            },
            Stage::Cancelling => Some((self.ask_at, Action::Cancel)),
            Stage::Done => Some((self.coming.tell_at()?, Action::Taken)),
        }
    }

    /// It is asked or cancelled: when it is again. Whether it was before, in vain.
    pub fn asked(&mut self, now: u64, pace: &Pace) -> bool {
        self.asks += 1;
        let wait = pace.wait_after(self.asks);
        let least = if self.stage == Stage::Cancelling {
            0
        } else {
            ASK
        };
        self.ask_at = now + wait.max(least);
        self.asks > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_its_requests_to_each_peer_alone() {
        let mut near = Near::FREE;
        let mut ask = |peer| {
            near.begin([peer, 0], 4, 3, [0, 1]);
            let count = near.count;
            near.free();
            count
        };
        assert_eq!([0, 1, 1, 1, 0, 1].map(&mut ask), [1, 1, 2, 3, 2, 4]);
    }
}
