//! Names of objects.

/// Most bytes of a name.
pub const LONGEST: usize = 31;

/// A name: 1 to 31 bytes, none of them `/` or zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    bytes: [u8; LONGEST],
}

impl Name {
    /// The name, if it is one.
    #[must_use]
    pub fn new(text: &[u8]) -> Option<Name> {
        let mut bytes = [0; LONGEST];
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        let is_name = !text.is_empty() && !text.iter().any(|it| b"/\0".contains(it));
        is_name.then_some(Name { bytes })
    }
}
