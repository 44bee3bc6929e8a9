//! Triggers of peers' proxies by clients of this node, and of this node's proxies by peers.

use super::Node;
use crate::peer::is_later;
use crate::proxies::{ENTRY, MOST, PROXIES, Remote, TIMES, number_of, place_of};
use crate::wire::{BODY, Body, FRAME, HEAD, what};
use crate::{Answer, Ends, Failure};

impl Node {
    /// Gives up after so many nanoseconds what of a peer's proxies was triggered and has not come there.
    pub fn set_patience(&mut self, patience: u64) {
        self.patience = patience;
    }

    /// Has clients trigger so many proxies of peers at once at most, of the first places of [`PROXIES`].
    pub fn set_proxies(&mut self, most: usize) {
        self.remotes.set_most(most);
    }

    /// A client has triggered a peer's proxy, which has this place: as [`Answer::Proxy`] has told.
    #[inline(never)]
    pub fn trigger(&mut self, now: u64, proxy: usize) {
        self.looked = None;
        let peer = self.remotes.peer_of(proxy);
        let remote = peer.and_then(|peer| self.remotes.get(peer, proxy));
        let (Some(peer), Some(remote)) = (peer, remote.filter(|it| it.waiting < MOST)) else {
            self.counted.lost += 1;
            return;
        };
        remote.waiting += 1;
        self.make_batch(now, peer);
        self.want(peer);
    }

    /// The answer to a request that is being served brings a proxy: the place of the right to trigger it. What had that place
    /// before is not needed any more. None if nobody waits for the answer.
    #[inline(never)]
    pub fn brought(&mut self, far: usize) -> Option<usize> {
        self.looked = None;
        let far = self.far.get_mut(far)?;
        if far.stage != crate::far::Stage::Serving || far.is_over {
            return None;
        }
        let (place, _) = self.rights.add(far.peer, far.circuit, 0)?;
        let number = number_of(place, self.rights.births());
        far.proxy = number;
        *self.rights.get(far.peer, place)? = number;
        Some(place)
    }

    /// An answer has come that brings a proxy.
    #[inline(never)]
    pub(super) fn take_proxy(
        &mut self,
        place: usize,
        number: u32,
        bytes: &[u8],
        ends: &mut impl Ends,
    ) {
        let near = &self.near[place];
        let remote = Remote {
            number,
            ..Remote::NONE
        };
        let Some((proxy, before)) = self.remotes.add(near.peer, near.circuit, remote) else {
            self.fail(place, Failure::NotCarried, ends);
            return;
        };
        if let Some(before) = before {
            self.counted.lost += before.waiting + before.sent;
            ends.end_proxy(proxy);
        }
        if !ends.answer(place, Answer::Proxy { bytes, proxy }) {
            self.remotes.remove(proxy);
        }
    }

    /// Makes a batch of what waits for a peer, if none is on the way.
    #[inline(never)]
    fn make_batch(&mut self, now: u64, peer: usize) {
        let Some(Some(it)) = self.peers.get_mut(peer) else {
            return;
        };
        if it.batches.out.is_some() {
            return;
        }
        let mut has_some = false;
        for place in 0..PROXIES {
            if let Some(remote) = self.remotes.get(peer, place) {
                remote.sent = remote.waiting.min(TIMES);
                remote.waiting -= remote.sent;
                has_some |= remote.sent > 0;
            }
        }
        if has_some {
            it.batches.make(now, now.saturating_add(self.patience));
        }
    }

    /// Writes the batch that is on the way to a peer; its bytes.
    #[inline(never)]
    pub(super) fn write_batch(&self, peer: usize, out: &mut [u8; FRAME]) -> usize {
        let sent = self.remotes.of(peer).filter(|(_, it)| it.sent > 0);
        let bytes = sent.flat_map(|(place, it)| {
            let [a, b, c, d] = it.number.to_le_bytes();
            let [e, f, ..] = it.sent.to_le_bytes();
            [a, b, c, d, e, f, place as u8, 0]
        });
        let mut length = 0;
        for (to, byte) in out.iter_mut().skip(HEAD + BODY).zip(bytes) {
            *to = byte;
            length += 1;
        }
        length
    }

    /// Nothing is left of the batch that is on the way to a peer: all its proxies have lost their places. The next one
    /// does not wait for it.
    #[inline(never)]
    pub(super) fn end_batch(&mut self, now: u64, peer: usize) {
        if let Some(Some(it)) = self.peers.get_mut(peer) {
            it.batches.out = None;
        }
        self.make_batch(now, peer);
    }

    /// A batch of a peer has come.
    #[inline(never)]
    pub(super) fn take_batch(
        &mut self,
        peer: usize,
        body: Body,
        bytes: &[u8],
        ends: &mut impl Ends,
    ) {
        let (entries, rest) = bytes.as_chunks::<ENTRY>();
        let Some(Some(it)) = self.peers.get_mut(peer) else {
            return;
        };
        if !rest.is_empty() || entries.is_empty() || entries.len() > PROXIES {
            self.counted.strange += 1;
            return;
        }
        if !is_later(body.count, it.batches.latest) {
            // Of an older one nothing is to be said: its sender has given it up.
            it.batches.owed |= it.batches.latest == Some(body.count);
            self.counted.doubled += 1;
            return;
        }
        it.batches.latest = Some(body.count);
        it.batches.owed = true;
        let mut gone = 0;
        for &[a, b, c, d, e, f, place, _] in entries {
            let number = u32::from_le_bytes([a, b, c, d]);
            let times = u32::from(u16::from_le_bytes([e, f])).min(TIMES);
            let right = place_of(number);
            let is_there = self.rights.get(peer, right).is_some_and(|it| *it == number);
            if is_there && ends.trigger(right, times) {
                self.counted.triggered += times;
                continue;
            }
            gone |= 1 << (place % PROXIES as u8);
            if is_there {
                self.rights.remove(right);
                ends.forget(right);
            }
        }
        if let Some(Some(it)) = self.peers.get_mut(peer) {
            it.batches.gone = gone;
        }
    }

    /// A peer says that a batch has come.
    #[inline(never)]
    pub(super) fn take_triggered(
        &mut self,
        now: u64,
        peer: usize,
        body: Body,
        ends: &mut impl Ends,
    ) {
        let Some(Some(it)) = self.peers.get_mut(peer) else {
            return;
        };
        if it.batches.out.is_none() || it.batches.count != body.count {
            return;
        }
        it.batches.out = None;
        for place in 0..PROXIES {
            let Some(remote) = self.remotes.get(peer, place).filter(|it| it.sent > 0) else {
                continue;
            };
            let lost = remote.sent + remote.waiting;
            remote.sent = 0;
            if body.mask & 1 << place != 0 {
                self.counted.lost += lost;
                self.remotes.remove(place);
                ends.end_proxy(place);
            }
        }
        self.make_batch(now, peer);
    }

    /// What was triggered of a peer's proxies is lost if its time is over: what waits behind it, too.
    pub(super) fn expire_batches(&mut self, now: u64) {
        for peer in 0..self.peers.len() {
            let Some(Some(it)) = self.peers.get_mut(peer) else {
                continue;
            };
            if it.batches.out.is_some_and(|out| out.deadline <= now) {
                it.batches.out = None;
                for place in 0..PROXIES {
                    if let Some(remote) = self.remotes.get(peer, place) {
                        self.counted.lost += remote.sent + remote.waiting;
                        (remote.sent, remote.waiting) = (0, 0);
                    }
                }
            }
        }
    }

    /// A peer has begun a new life: its proxies are no more, and its clients trigger none of this node's.
    #[inline(never)]
    pub(super) fn end_proxies(&mut self, peer: usize, ends: &mut impl Ends) {
        for place in 0..PROXIES {
            if let Some(remote) = self.remotes.get(peer, place) {
                self.counted.lost += remote.sent + remote.waiting;
                self.remotes.remove(place);
                ends.end_proxy(place);
            }
            if self.rights.get(peer, place).is_some() {
                self.rights.remove(place);
                ends.forget(place);
            }
        }
        if let Some(Some(it)) = self.peers.get_mut(peer) {
            it.batches.out = None;
        }
    }

    /// What a batch, or the answer to one, begins with.
    pub(super) fn batch_body(what: u8, count: u32, mask: u16) -> Body {
        debug_assert!(matches!(what, what::TRIGGER | what::TRIGGERED));
        Body {
            what,
            count,
            mask,
            ..Body::default()
        }
    }
}
