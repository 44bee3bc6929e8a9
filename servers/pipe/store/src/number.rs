//! Numbers of pipes that have no names.

/// Draws numbers. None comes twice before all others have come, and the next one is far from those that came before.
pub struct Numbers {
    first: u32,
    second: u32,
    drawn: u32,
}

impl Numbers {
    /// Numbers in an order of their own for each key.
    pub const fn new(key: u64) -> Numbers {
        Numbers {
            first: key as u32,
            second: (key >> 32) as u32,
            drawn: 0,
        }
    }

    /// The next one. 0 is nobody's number.
    pub fn draw(&mut self) -> u32 {
        loop {
            self.drawn = self.drawn.wrapping_add(1);
            let number = mix(mix(self.drawn ^ self.first) ^ self.second);
            if number != 0 {
                return number;
            }
        }
    }
}

/// The last step of the hash MurmurHash3 (Appleby): each number becomes another one, and no two the same.
const fn mix(mut number: u32) -> u32 {
    number ^= number >> 16;
    number = number.wrapping_mul(0x85eb_ca6b);
    number ^= number >> 13;
    number = number.wrapping_mul(0xc2b2_ae35);
    number ^ number >> 16
}
