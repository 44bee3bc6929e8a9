//! Bytes in the order in which they came.

/// At most `N` of them.
pub struct Ring<const N: usize> {
    bytes: [u8; N],
    first: usize,
    length: usize,
}

impl<const N: usize> Ring<N> {
    pub const fn new() -> Ring<N> {
        Ring {
            bytes: [0; N],
            first: 0,
            length: 0,
        }
    }

    /// Whether there is no room.
    pub fn is_full(&self) -> bool {
        self.length >= N
    }

    /// Puts a byte behind the others. Returns whether there was room.
    pub fn push(&mut self, byte: u8) -> bool {
        let has_room = !self.is_full();
        if has_room {
            self.bytes[(self.first + self.length) % N] = byte;
            self.length += 1;
        }
        has_room
    }

    /// The oldest byte.
    pub fn first(&self) -> Option<u8> {
        let first = self.bytes.get(self.first);
        first.filter(|_| self.length > 0).copied()
    }

    /// Takes the oldest byte.
    pub fn pop(&mut self) -> Option<u8> {
        let byte = self.first()?;
        self.first = (self.first + 1) % N;
        self.length -= 1;
        Some(byte)
    }
}
