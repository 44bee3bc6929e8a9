//! Names, and the paths that lead to them.

/// Most bytes of a name.
pub const LONGEST: usize = 32;

/// Most parts of a name: each has two bytes at least.
const PARTS: usize = LONGEST / 2;

/// A name: `/` and a part, at least once, in at most 32 bytes. A part has letters, digits, `.`, `_` and `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    bytes: [u8; LONGEST],
    length: u8,
}

impl Name {
    pub(crate) const NONE: Name = Name {
        bytes: [0; LONGEST],
        length: 0,
    };

    /// The name, if it is one.
    #[must_use]
    pub fn new(name: &[u8]) -> Option<Name> {
        let parts = name.strip_prefix(b"/")?;
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
        let is_part = |part: &[u8]| !part.is_empty() && part.iter().all(is_letter);
        if !parts.split(|byte| *byte == b'/').all(is_part) {
            return None;
        }
        let mut bytes = [0; LONGEST];
        bytes.get_mut(..name.len())?.copy_from_slice(name);
        Some(Name {
            bytes,
            length: name.len() as u8,
        })
    }

    /// Its bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length.into()).unwrap_or_default()
    }

    pub(crate) fn hash(&self) -> u32 {
        self.as_bytes()
            .iter()
            .fold(START, |hash, byte| step(hash, *byte))
    }

    /// Whether a pattern says it: a name, or what ends in `/*`, all below one.
    pub(crate) fn is_said_by(&self, pattern: &str) -> bool {
        let pattern = pattern.as_bytes();
        match pattern.strip_suffix(b"*") {
            Some(folder) => self.as_bytes().starts_with(folder),
            None => self.as_bytes() == pattern,
        }
    }
}

/// FNV-1a, byte by byte: so that one pass gives the hashes of all folders of a path.
const START: u32 = 0x811C_9DC5;

fn step(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

/// The names that a path may lead to: itself, and each folder that it is below.
pub struct Prefixes {
    /// Length and hash.
    found: [(u8, u32); PARTS + 1],
    count: usize,
}

impl Prefixes {
    /// Those of a path, if it is one: it begins with `/`, and has no zero.
    pub fn of(path: &[u8]) -> Option<Prefixes> {
        let (first, rest) = path.split_first()?;
        if *first != b'/' {
            return None;
        }
        let mut prefixes = Prefixes {
            found: [(0, 0); PARTS + 1],
            count: 0,
        };
        let mut hash = step(START, b'/');
        for (byte, length) in rest.iter().zip(1_usize..) {
            match *byte {
                0 => return None,
                // Longer ones are no names.
                _ if length > LONGEST => continue,
                b'/' => prefixes.push(length, hash),
                _ => {}
            }
            hash = step(hash, *byte);
        }
        if path.len() <= LONGEST {
            prefixes.push(path.len(), hash);
        }
        Some(prefixes)
    }

    /// One that has no more parts than a name can have: what has more has an empty one, and is none.
    fn push(&mut self, length: usize, hash: u32) {
        if let Some(place) = self.found.get_mut(self.count) {
            *place = (length as u8, hash);
            self.count += 1;
        }
    }

    pub fn longest_first(&self) -> impl Iterator<Item = (usize, u32)> {
        let found = self.found.get(..self.count).unwrap_or_default();
        found
            .iter()
            .rev()
            .map(|(length, hash)| (usize::from(*length), *hash))
    }
}
