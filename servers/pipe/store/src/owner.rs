//! Owners that can be expected at pipes: each has a bit.

/// Most owners that can be expected.
pub const MOST_EXPECTED: usize = u32::BITS as usize;

/// Owners, and the bit of each: one that goes by several numbers has one.
pub struct Owners {
    all: [(u32, u32); MOST_EXPECTED],
    count: usize,
}

impl Owners {
    pub const fn new() -> Self {
        Self {
            all: [(0, 0); MOST_EXPECTED],
            count: 0,
        }
    }

    /// Adds an owner; `same` is another number of its, of one that is there.
    pub fn add(&mut self, owner: u32, same: Option<u32>) {
        let known = same.map_or(0, |same| self.bit(same));
        if let Some(place) = self.all.get_mut(self.count) {
            let own = if known == 0 { 1 << self.count } else { known };
            *place = (owner, own);
            self.count += 1;
        }
    }

    /// The bit of an owner; 0 if it has none.
    pub fn bit(&self, owner: u32) -> u32 {
        let mut known = self.all.iter().take(self.count);
        known
            .find(|(it, _)| *it == owner)
            .map_or(0, |(_, bit)| *bit)
    }
}
