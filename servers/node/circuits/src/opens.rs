//! Circuits that peers want to be opened.

use crate::{CIRCUITS, PEERS};

const _: () = assert!(CIRCUITS <= u16::BITS as usize);

/// Circuits that are to be opened. Peers take turns: one that asks for others again and again keeps nobody waiting.
#[derive(Clone, Copy, Debug)]
pub struct Opens {
    /// A bit for each circuit.
    all: [u16; PEERS],
    /// Whose turn it is.
    next: usize,
}

impl Default for Opens {
    fn default() -> Opens {
        Opens::new()
    }
}

impl Opens {
    /// None.
    #[must_use]
    pub const fn new() -> Opens {
        Opens {
            all: [0; PEERS],
            next: 0,
        }
    }

    /// A peer wants this one to be opened.
    pub fn add(&mut self, peer: usize, circuit: usize) {
        if let Some(circuits) = self.all.get_mut(peer).filter(|_| circuit < CIRCUITS) {
            *circuits |= 1 << circuit;
        }
    }

    /// A peer wants none any more.
    pub fn forget(&mut self, peer: usize) {
        if let Some(circuits) = self.all.get_mut(peer) {
            *circuits = 0;
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all == [0; PEERS]
    }

    /// The next one, its peer first. It is not wanted any more then.
    pub fn take(&mut self) -> Option<(usize, usize)> {
        let mut peers = (0..PEERS).map(|it| (self.next + it) % PEERS);
        let peer = peers.find(|it| self.all[*it] != 0)?;
        self.next = peer + 1;
        let circuits = &mut self.all[peer];
        let circuit = circuits.trailing_zeros() as usize;
        *circuits &= *circuits - 1;
        Some((peer, circuit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_that_opens_circuits_again_and_again_keeps_no_other_one_waiting() {
        let mut opens = Opens::new();
        assert!(opens.is_empty() && opens.take().is_none());
        (0..CIRCUITS).for_each(|circuit| opens.add(0, circuit));
        opens.add(2, 5);
        opens.add(3, 0);
        let mut taken = [(); 3].map(|()| {
            let next = opens.take().expect("there are some");
            opens.add(0, next.1);
            next
        });
        taken.sort_unstable();
        assert_eq!(taken, [(0, 0), (2, 5), (3, 0)]);
        opens.forget(0);
        assert!(opens.is_empty());
    }

    #[test]
    fn each_is_opened_once() {
        let mut opens = Opens::new();
        for peer in 0..PEERS {
            (0..CIRCUITS).for_each(|circuit| opens.add(peer, circuit));
        }
        let mut seen = [[false; CIRCUITS]; PEERS];
        while let Some((peer, circuit)) = opens.take() {
            assert!(!core::mem::replace(&mut seen[peer][circuit], true));
        }
        assert_eq!(seen, [[true; CIRCUITS]; PEERS]);
    }
}
