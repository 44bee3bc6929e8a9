//! Requests in memory: the arguments' bytes one after the other, without gaps.

use zerocopy::FromBytes;

use super::Value;

/// Puts arguments into a buffer.
pub struct Writer<'a> {
    rest: &'a mut [u8],
}

impl<'a> Writer<'a> {
    /// Starts at the beginning of `buffer`, which the generated code makes long enough.
    pub fn new(buffer: &'a mut [u8]) -> Self {
        Writer { rest: buffer }
    }

    /// Appends the bytes of `value`.
    pub fn put<T: Value>(&mut self, value: &T) {
        let bytes = value.as_bytes();
        if let Some((to, rest)) = core::mem::take(&mut self.rest).split_at_mut_checked(bytes.len())
        {
            to.copy_from_slice(bytes);
            self.rest = rest;
        }
    }
}

/// Takes arguments out of a request.
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Starts at the beginning of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes }
    }

    /// The next value, or none if the request is too short for it.
    pub fn take<T: FromBytes>(&mut self) -> Option<T> {
        let (value, rest) = T::read_from_prefix(self.rest).ok()?;
        self.rest = rest;
        Some(value)
    }

    /// Whether everything has been taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::{Reader, Writer};

    #[test]
    fn arguments_are_taken_out_in_the_order_in_which_they_were_put_in() {
        let mut buffer = [0; 10];
        let mut writer = Writer::new(&mut buffer);
        writer.put(&7_u16);
        writer.put(&[1_u8, 2, 3]);
        writer.put(&0x1234_5678_u32);
        let mut reader = Reader::new(&buffer);
        assert_eq!(reader.take(), Some(7_u16));
        assert_eq!(reader.take(), Some([1_u8, 2, 3]));
        assert_eq!(reader.take(), Some(0x1234_5678_u32));
        assert_eq!(reader.take::<u32>(), None);
        assert!(!reader.is_empty());
        assert_eq!(reader.take(), Some(0_u8));
        assert!(reader.is_empty());
    }
}
