//! Text of bounded length, without a heap.

use core::fmt;
use core::mem::MaybeUninit;
use core::str::Utf8Error;

use riposte::serial::serde;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Text of at most `N` bytes.
#[derive(Clone, Copy)]
pub struct String<const N: usize> {
    /// The first `length` are initialised, and text; the others are never read.
    bytes: [MaybeUninit<u8>; N],
    /// At most `N`.
    length: u32,
}

impl<const N: usize> String<N> {
    /// No text.
    #[inline]
    #[must_use]
    pub const fn new() -> String<N> {
        String {
            bytes: [MaybeUninit::uninit(); N],
            length: 0,
        }
    }

    /// As much of `text` as fits, up to the end of a character.
    #[must_use]
    #[allow(
        clippy::should_implement_trait,
        reason = "the name in Xous; it cannot fail"
    )]
    pub fn from_str(text: impl AsRef<str>) -> String<N> {
        let mut string = String::new();
        let text = text.as_ref();
        let whole = text.floor_char_boundary(N);
        let _ = string.append(text.get(..whole).unwrap_or_default());
        string
    }

    /// The text.
    ///
    /// # Errors
    /// [`Utf8Error`] never, as only text gets in. (In Xous its bytes can be anything.)
    #[inline]
    pub fn as_str(&self) -> Result<&str, Utf8Error> {
        // SAFETY: `append` alone adds bytes, those of whole text.
        Ok(unsafe { core::str::from_utf8_unchecked(self.as_bytes()) })
    }

    /// Adds `text` at the end.
    ///
    /// # Errors
    /// It doesn't fit; nothing was added.
    #[inline]
    pub fn append(&mut self, text: &str) -> Result<(), fmt::Error> {
        let rest = self.bytes.get_mut(self.length as usize..);
        let room = rest.and_then(|rest| rest.get_mut(..text.len()));
        room.ok_or(fmt::Error)?.write_copy_of_slice(text.as_bytes());
        self.length += text.len() as u32;
        Ok(())
    }

    /// Bytes of the text.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.length as usize
    }

    /// Whether there is no text.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The bytes of the text.
    #[inline]
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        let bytes = self.bytes.get(..self.len()).unwrap_or_default();
        // SAFETY: so many are initialised.
        unsafe { bytes.assume_init_ref() }
    }

    /// Takes the text away.
    pub fn clear(&mut self) {
        *self = String::new();
    }
}

impl<const N: usize> Default for String<N> {
    fn default() -> String<N> {
        String::new()
    }
}

impl<const N: usize> PartialEq for String<N> {
    fn eq(&self, other: &String<N>) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<const N: usize> Eq for String<N> {}

impl<const N: usize> fmt::Write for String<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.append(text)
    }
}

impl<const N: usize> fmt::Display for String<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str().unwrap_or_default())
    }
}

impl<const N: usize> fmt::Debug for String<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str().unwrap_or_default(), f)
    }
}

/// As text: its bytes travel, and not the room that is left.
impl<const N: usize> Serialize for String<N> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str().unwrap_or_default())
    }
}

impl<'de, const N: usize> Deserialize<'de> for String<N> {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text<const N: usize>;

        impl<const N: usize> Visitor<'_> for Text<N> {
            type Value = String<N>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "text of at most {N} bytes")
            }

            #[inline]
            fn visit_str<E: de::Error>(self, text: &str) -> Result<String<N>, E> {
                let mut string = String::new();
                string
                    .append(text)
                    .map_err(|_| E::invalid_length(text.len(), &self))?;
                Ok(string)
            }
        }

        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use riposte::serial;

    use super::String;

    #[test]
    fn text_is_added_whole_or_not_at_all() {
        let mut string = String::<8>::new();
        assert_eq!(string.append("seven: "), Ok(()));
        assert!(string.append("ä").is_err());
        assert_eq!(string.as_str(), Ok("seven: "));
        assert_eq!(string.append("7"), Ok(()));
        assert_eq!((string.as_str(), string.len()), (Ok("seven: 7"), 8));
        string.clear();
        assert!(string.is_empty());
    }

    #[test]
    fn what_does_not_fit_is_cut_between_characters() {
        assert_eq!(String::<3>::from_str("aäo").as_str(), Ok("aä"));
        assert_eq!(String::<2>::from_str("aä").as_str(), Ok("a"));
    }

    #[test]
    fn text_travels_without_the_room_that_is_left() {
        let mut memory = [0; 16];
        let text = String::<512>::from_str("text");
        assert_eq!(serial::store(&text, &mut memory), Ok(5));
        assert_eq!(serial::load(&memory), Ok(text));
        assert!(serial::load::<String<3>>(&memory).is_err(), "too long");
        memory[1] = 0xFF;
        assert!(serial::load::<String<8>>(&memory).is_err(), "no text");
    }
}
