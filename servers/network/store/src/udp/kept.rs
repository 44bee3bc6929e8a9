//! Datagrams that a port keeps, the oldest first.

use smoltcp::wire::{IpAddress, IpEndpoint};

/// Who is at the other end of a datagram, and where its bytes are.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    other: IpEndpoint,
    at: usize,
    length: usize,
}

impl Head {
    pub const EMPTY: Head = Head {
        other: IpEndpoint::new(IpAddress::v4(0, 0, 0, 0), 0),
        at: 0,
        length: 0,
    };
}

/// All that one port keeps, one way. Their bytes lie in the order of the datagrams, with gaps where some were removed.
#[derive(Debug, Default)]
pub struct Kept<'a> {
    heads: &'a mut [Head],
    bytes: &'a mut [u8],
    count: usize,
}

impl<'a> Kept<'a> {
    /// None, and room for as many as there are `heads`, and for so many bytes.
    pub fn new(heads: &'a mut [Head], bytes: &'a mut [u8]) -> Kept<'a> {
        Kept {
            heads,
            bytes,
            count: 0,
        }
    }

    fn heads(&self) -> &[Head] {
        self.heads.get(..self.count).unwrap_or_default()
    }

    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Keeps one behind all others. Whether there is room for it.
    pub fn put(&mut self, other: IpEndpoint, bytes: &[u8]) -> bool {
        let end = self.heads().last().map_or(0, |it| it.at + it.length);
        let at = match self.bytes.len() - end < bytes.len() {
            true => self.close_gaps(),
            false => end,
        };
        let to = self.bytes.get_mut(at..at + bytes.len());
        let (Some(to), Some(head)) = (to, self.heads.get_mut(self.count)) else {
            return false;
        };
        to.copy_from_slice(bytes);
        *head = Head {
            other,
            at,
            length: bytes.len(),
        };
        self.count += 1;
        true
    }

    /// Moves all bytes to the beginning. Where they end.
    fn close_gaps(&mut self) -> usize {
        let mut end = 0;
        for head in self.heads.iter_mut().take(self.count) {
            if head.at != end {
                self.bytes.copy_within(head.at..head.at + head.length, end);
                head.at = end;
            }
            end += head.length;
        }
        end
    }

    /// Whether there is room for one more, of this length.
    pub fn has_room(&self, length: usize) -> bool {
        let kept: usize = self.heads().iter().map(|it| it.length).sum();
        self.count < self.heads.len() && length <= self.bytes.len() - kept
    }

    /// One of them, 0 the oldest: who is at its other end, and its bytes.
    pub fn get(&self, which: usize) -> Option<(IpEndpoint, &[u8])> {
        let head = self.heads().get(which)?;
        let bytes = self.bytes.get(head.at..head.at + head.length)?;
        Some((head.other, bytes))
    }

    /// Who is at their other ends.
    pub fn others(&self) -> impl Iterator<Item = IpEndpoint> {
        self.heads().iter().map(|it| it.other)
    }

    /// The oldest one of this host.
    pub fn position(&self, host: IpAddress) -> Option<usize> {
        self.others().position(|it| it.addr == host)
    }

    /// Keeps those alone whose other end is one of these.
    pub fn retain(&mut self, mut is_kept: impl FnMut(IpEndpoint) -> bool) {
        let mut count = 0;
        for which in 0..self.count {
            let head = self.heads[which];
            if is_kept(head.other) {
                self.heads[count] = head;
                count += 1;
            }
        }
        self.count = count;
    }

    /// Forgets one.
    pub fn remove(&mut self, which: usize) {
        if which < self.count {
            self.heads.copy_within(which + 1..self.count, which);
            self.count -= 1;
        }
    }

    pub const fn clear(&mut self) {
        self.count = 0;
    }
}
