//! Server identifiers, and the names of the manifest behind them.

use core::fmt;

/// Bytes of an identifier.
const BYTES: usize = 16;

/// The 128-bit identifier of a server.
///
/// A server of Xous is reached by an identifier, which is a secret; here the manifest says who may
/// reach whom, so that an identifier is only a name: that of the server's channel, and of the
/// connections to it. A name of up to 16 bytes is its own identifier, padded with zeros; a longer
/// one is hashed ([`SID::from_name`]).
#[derive(Clone, Copy)]
#[allow(clippy::upper_case_acronyms, reason = "the name in Xous")]
pub struct SID {
    words: [u32; 4],
    /// The channel's handle in the process that has created the server, 0 elsewhere: the server's
    /// loop needs no look-up.
    pub(crate) channel: u32,
}

impl SID {
    /// The identifier of these words.
    #[must_use]
    pub const fn from_u32(word0: u32, word1: u32, word2: u32, word3: u32) -> SID {
        SID::from_array([word0, word1, word2, word3])
    }

    /// The identifier of these words.
    #[must_use]
    pub const fn from_array(words: [u32; 4]) -> SID {
        SID { words, channel: 0 }
    }

    /// The identifier of at most 16 bytes, padded with zeros; none for more.
    #[must_use]
    pub const fn from_bytes(bytes: &[u8]) -> Option<SID> {
        if bytes.len() > BYTES {
            return None;
        }
        let mut words = [0; 4];
        let mut position = 0;
        while position < bytes.len() {
            words[position / 4] |= (bytes[position] as u32) << (position % 4 * 8);
            position += 1;
        }
        Some(SID::from_array(words))
    }

    /// The identifier of a name of the manifest: its bytes, or, if there are more than 16 of them,
    /// their FNV-1a hash of 128 bits (draft-eastlake-fnv).
    #[must_use]
    pub const fn from_name(name: &str) -> SID {
        match SID::from_bytes(name.as_bytes()) {
            Some(sid) => sid,
            None => SID::from_hash(name.as_bytes()),
        }
    }

    const fn from_hash(bytes: &[u8]) -> SID {
        const BASIS: u128 = 0x6c62272e07bb014262b821756295c58d;
        const PRIME: u128 = 0x0000000001000000000000000000013B;
        let mut hash = BASIS;
        let mut position = 0;
        while position < bytes.len() {
            hash = (hash ^ bytes[position] as u128).wrapping_mul(PRIME);
            position += 1;
        }
        SID::from_array([
            hash as u32,
            (hash >> 32) as u32,
            (hash >> 64) as u32,
            (hash >> 96) as u32,
        ])
    }

    /// Its words.
    #[must_use]
    pub const fn to_array(&self) -> [u32; 4] {
        self.words
    }

    /// Its words.
    #[must_use]
    pub const fn to_u32(&self) -> (u32, u32, u32, u32) {
        let [word0, word1, word2, word3] = self.words;
        (word0, word1, word2, word3)
    }

    pub(crate) const fn with_channel(self, channel: u32) -> SID {
        SID { channel, ..self }
    }
}

impl PartialEq for SID {
    fn eq(&self, other: &SID) -> bool {
        self.words == other.words
    }
}

impl Eq for SID {}

impl fmt::Debug for SID {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [word0, word1, word2, word3] = self.words;
        write!(f, "SID([{word0:x}, {word1:x}, {word2:x}, {word3:x}])")
    }
}

/// Whether `published`, a name as programs for Xous write them ("_Root key server_"), is `name` of
/// the manifest, which has only small letters, digits and `-` ("root-key-server"): whatever else
/// stands between them becomes one `-`, at the ends nothing.
pub(crate) fn names(published: &str, name: &str) -> bool {
    let mut expected = name.bytes();
    let mut gap = false;
    let mut first = true;
    for byte in published.bytes() {
        if !byte.is_ascii_alphanumeric() {
            gap = !first;
            continue;
        }
        if core::mem::take(&mut gap) && expected.next() != Some(b'-') {
            return false;
        }
        if expected.next() != Some(byte.to_ascii_lowercase()) {
            return false;
        }
        first = false;
    }
    expected.next().is_none() && !first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_sixteen_bytes_is_its_own_identifier() {
        let sid = SID::from_name("ticktimer-server");
        assert_eq!(Some(sid), SID::from_bytes(b"ticktimer-server"));
        assert_eq!(sid.to_array()[0], u32::from_le_bytes(*b"tick"));
        assert_eq!(sid.to_array()[3], u32::from_le_bytes(*b"rver"));
        assert_ne!(sid, SID::from_name("ticktimer-serve"));
    }

    #[test]
    fn a_longer_name_is_hashed_and_is_no_bytes() {
        assert_eq!(SID::from_bytes(b"ticktimer-server-"), None);
        let sid = SID::from_name("ticktimer-server-");
        assert_eq!(sid, SID::from_name("ticktimer-server-"));
        assert_ne!(sid, SID::from_name("ticktimer-server+"));
    }

    #[test]
    fn the_hash_is_fnv_1a_of_128_bits() {
        // The vector of "foobar" in the draft.
        let words = 0x343e1662793c64bf6f0d3597ba446f18_u128;
        let sid = SID::from_hash(b"foobar");
        let [word0, word1, word2, word3] = sid.to_array().map(u128::from);
        assert_eq!(word0 | word1 << 32 | word2 << 64 | word3 << 96, words);
    }

    #[test]
    fn the_channel_that_an_identifier_remembers_is_no_part_of_it() {
        let sid = SID::from_u32(1, 2, 3, 4);
        assert_eq!(sid, sid.with_channel(7));
        assert_eq!(sid.with_channel(7).to_u32(), (1, 2, 3, 4));
    }

    #[test]
    fn a_published_name_is_a_name_of_the_manifest() {
        assert!(names("_Root key server_", "root-key-server"));
        assert!(names("ticktimer", "ticktimer"));
        assert!(!names("_Root key server_", "root-key"));
        assert!(!names("_Root key_", "root-key-server"));
        assert!(!names("rootkey", "root-key"));
        assert!(!names("__", ""));
    }
}
