//! Random numbers that follow from a seed, on every board the same.

/// George Marsaglia's xorshift of 32 bits, its low bits dropped.
#[derive(Clone, Copy, Debug)]
pub struct Random(u32);

impl Random {
    /// The numbers that follow from this one.
    #[must_use]
    pub fn new(seed: u32) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9) ^ 0x6A09_E667);
        random.0 = random.0.max(1);
        random
    }

    /// The next one, of all but 0.
    pub fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// The next one below this bound.
    pub fn below(&mut self, bound: u32) -> u32 {
        (self.word().wrapping_mul(0x2545_F491) >> 8) % bound
    }
}
