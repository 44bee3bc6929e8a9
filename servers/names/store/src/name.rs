//! Names, and the paths that lead to them.

/// Most bytes of a name.
pub const LONGEST: usize = 32;

/// A name: `/` and a part, at least once, in at most 32 bytes. A part has letters, digits, `.`, `_` and `-`. One that begins
/// with `//` is another node's.
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
        let parts = parts.strip_prefix(b"/").unwrap_or(parts);
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

    /// Whether it is this one.
    #[inline(always)]
    pub(crate) fn is(&self, name: &[u8]) -> bool {
        // A few words and bytes: shorter than a call of `memcmp`.
        let (words, rest) = name.as_chunks::<4>();
        let own = self.bytes.as_chunks::<4>().0;
        usize::from(self.length) == name.len()
            && own.iter().zip(words).all(|(own, word)| own == word)
            && own
                .get(words.len())
                .is_none_or(|own| own.iter().zip(rest).all(|(own, byte)| own == byte))
    }

    pub(crate) fn hash(&self) -> u32 {
        self.as_bytes()
            .iter()
            .fold(START, |hash, byte| step(hash, *byte))
    }

    /// Whether a pattern says it: a name, or what ends in `/*`, all below one; `/*` is all of this node.
    pub(crate) fn is_said_by(&self, pattern: &str) -> bool {
        let pattern = pattern.as_bytes();
        match pattern.strip_suffix(b"*") {
            Some(b"/") => !self.as_bytes().starts_with(b"//"),
            Some(folder) => self.as_bytes().starts_with(folder),
            None => self.as_bytes() == pattern,
        }
    }
}

/// FNV-1a, byte by byte: so that one pass gives the hashes of all folders of a path.
const START: u32 = 0x811C_9DC5;

#[inline(always)]
fn step(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

/// Shows `look` the length and the hash of each name that a path may lead to, each folder that it is below and itself, the
/// shortest first. Whether it is a path: it begins with `/`, and has no zero.
#[inline(always)]
pub fn each_folder(path: &[u8], mut look: impl FnMut(usize, u32)) -> bool {
    let Some((b'/', rest)) = path.split_first() else {
        return false;
    };
    // Longer ones are no names.
    let (near, far) = rest.split_at(rest.len().min(LONGEST - 1));
    let mut hash = step(START, b'/');
    for (before, byte) in near.iter().enumerate() {
        // One look at most bytes.
        if *byte <= b'/' {
            match *byte {
                0 => return false,
                b'/' => look(before + 1, hash),
                _ => {}
            }
        }
        hash = step(hash, *byte);
    }
    if matches!(far.first(), None | Some(b'/')) {
        look(near.len() + 1, hash);
    }
    far.iter().all(|byte| *byte != 0)
}
