//! Where the memory of a message lies.

use super::copy;
use crate::Pages;
use crate::trap::Window;

/// The memory of a message.
#[derive(Debug)]
pub(super) enum Held<'a> {
    /// In a window: it is the client's.
    Window(Window),
    /// In the buffer of the receive, behind the header: a copy.
    Copy(&'a mut [u8]),
    /// In pages of this process, behind the header: a copy of so many bytes, with the header.
    Pages(Pages, usize),
}

impl<'a> Held<'a> {
    pub fn is_copy(&self) -> bool {
        matches!(self, Held::Copy(_) | Held::Pages(..))
    }

    #[inline]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Held::Window(window) => window.span().bytes(),
            Held::Copy(buffer) => buffer.get(copy::HEADER..).unwrap_or_default(),
            Held::Pages(pages, length) => pages.get(copy::HEADER..*length).unwrap_or_default(),
        }
    }

    /// To be changed: not what is only lent.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Held::Window(window) => window.span_mut().bytes_mut(),
            Held::Copy(buffer) => buffer.get_mut(copy::HEADER..).unwrap_or_default(),
            Held::Pages(pages, length) => pages.get_mut(copy::HEADER..*length).unwrap_or_default(),
        }
    }

    /// Independent of the receive's buffer, if it is.
    pub fn keep(self) -> Result<Held<'static>, Held<'a>> {
        match self {
            Held::Window(window) => Ok(Held::Window(window)),
            Held::Pages(pages, length) => Ok(Held::Pages(pages, length)),
            copy @ Held::Copy(_) => Err(copy),
        }
    }
}
