//! Owners that can be expected at pipes: each has a bit.

/// Most owners that can be expected.
pub const MOST_EXPECTED: usize = u32::BITS as usize;

/// Owners, by their bits.
pub struct Owners {
    all: [u32; MOST_EXPECTED],
    count: usize,
}

impl Owners {
    pub const fn new() -> Self {
        Self {
            all: [0; MOST_EXPECTED],
            count: 0,
        }
    }

    pub fn add(&mut self, owner: u32) {
        if let Some(place) = self.all.get_mut(self.count) {
            *place = owner;
            self.count += 1;
        }
    }

    /// The bit of an owner; 0 if it has none.
    pub fn bit(&self, owner: u32) -> u32 {
        let mut known = self.all.iter().take(self.count);
        known
            .position(|it| *it == owner)
            .map_or(0, |place| 1 << place)
    }
}
