//! A record, and its words in a ring.

/// Levels of urgency, from 1, an error, to 5: those of the crate `log`.
pub const LEVELS: u32 = 5;
/// Most bytes of a record's text.
pub const LONGEST: usize = 160;

/// Words of a record before its text.
const HEADER: usize = 5;
/// Begins each record.
const MARK: u32 = 0xA5;

/// A record but for its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its position among all records of all clients, from 0 on.
    pub sequence: u64,
    /// When it was written: nanoseconds since the system's start.
    pub time: u64,
    /// How urgent it is, from 1 to [`LEVELS`].
    pub level: u32,
    /// Bytes of its text.
    pub length: usize,
}

impl Record {
    /// How many words it takes, its text included.
    pub(crate) const fn words(&self) -> usize {
        HEADER + self.length.div_ceil(4)
    }

    /// The words before and of its text.
    pub(crate) fn encode(&self, text: &[u8]) -> impl Iterator<Item = u32> {
        let halves = |value: u64| [value as u32, (value >> 32) as u32];
        let ([low, high], [early, late]) = (halves(self.sequence), halves(self.time));
        let first = MARK << 24 | self.level << 16 | self.length as u32;
        let text = text.chunks(4).map(|bytes| {
            let mut word = [0; 4];
            word.iter_mut()
                .zip(bytes)
                .for_each(|(to, from)| *to = *from);
            u32::from_le_bytes(word)
        });
        [first, low, high, early, late].into_iter().chain(text)
    }

    /// The record with these words before its text, if they are those of one.
    pub(crate) fn decode(word: impl Fn(usize) -> u32) -> Option<Record> {
        let first = word(0);
        let whole = |low: usize| u64::from(word(low)) | u64::from(word(low + 1)) << 32;
        let record = Record {
            sequence: whole(1),
            time: whole(3),
            level: first >> 16 & 0xFF,
            length: (first & 0xFFFF) as usize,
        };
        let is_one =
            first >> 24 == MARK && (1..=LEVELS).contains(&record.level) && record.length <= LONGEST;
        is_one.then_some(record)
    }

    /// Takes the text's bytes from where they lie. Returns how many there was room for.
    pub(crate) fn text(&self, word: impl Fn(usize) -> u32, room: &mut [u8]) -> usize {
        let length = self.length.min(room.len());
        let chunks = room.iter_mut().take(length).enumerate();
        chunks.for_each(|(n, byte)| *byte = word(HEADER + n / 4).to_le_bytes()[n % 4]);
        length
    }
}
