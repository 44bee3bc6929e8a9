//! Numbers of pipes that have no names.

use core::fmt;
use core::str::FromStr;

/// The number of a pipe that has no name. As text it has eight hexadecimal digits: to be handed on as an argument, say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PipeId(u32);

impl PipeId {
    /// The pipe of this number.
    #[must_use]
    pub const fn from_number(number: u32) -> PipeId {
        PipeId(number)
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }
}

impl fmt::Display for PipeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

/// It is no number of a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPipeId;

impl fmt::Display for NoPipeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pipe's number has eight hexadecimal digits")
    }
}

impl core::error::Error for NoPipeId {}

impl FromStr for PipeId {
    type Err = NoPipeId;

    fn from_str(text: &str) -> Result<PipeId, NoPipeId> {
        let is_number = text.len() == 8 && text.bytes().all(|it| it.is_ascii_hexdigit());
        let text = Some(text).filter(|_| is_number).ok_or(NoPipeId)?;
        u32::from_str_radix(text, 16)
            .map(PipeId)
            .map_err(|_| NoPipeId)
    }
}
