//! Bytes as values, without a copy.

use core::fmt;

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A type that bytes can be, whatever they are, and that one can look at where they lie. Derive
/// zerocopy's traits, which the library exports:
///
/// ```
/// use riposte::zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};
///
/// #[derive(FromBytes, IntoBytes, KnownLayout, Immutable)]
/// #[zerocopy(crate = "riposte::zerocopy")]
/// #[repr(C)]
/// struct Frame {
///     number: u32,
///     pixels: [[u8; 64]; 48],
/// }
/// ```
pub trait Viewed: FromBytes + KnownLayout + Immutable {}

impl<T: FromBytes + KnownLayout + Immutable> Viewed for T {}

/// A type that one can change where its bytes lie: all that it can be are bytes again.
pub trait ViewedMut: Viewed + IntoBytes {}

impl<T: Viewed + IntoBytes> ViewedMut for T {}

/// Memory can't be looked at as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewError {
    /// There are fewer bytes than the value has.
    TooShort,
    /// Its address is no multiple of what the value needs. Lent and moved memory is always aligned;
    /// a copy lies as the buffer of the receive does.
    Alignment,
}

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ViewError::TooShort => "the memory is shorter than the value",
            ViewError::Alignment => "the memory is not aligned for the value",
        })
    }
}

impl core::error::Error for ViewError {}

impl<A, S, V> From<zerocopy::ConvertError<A, S, V>> for ViewError {
    fn from(error: zerocopy::ConvertError<A, S, V>) -> ViewError {
        match error {
            zerocopy::ConvertError::Alignment(_) => ViewError::Alignment,
            zerocopy::ConvertError::Size(_) | zerocopy::ConvertError::Validity(_) => {
                ViewError::TooShort
            }
        }
    }
}

/// The first bytes as a `T`.
#[inline]
pub(crate) fn of<T: Viewed>(bytes: &[u8]) -> Result<&T, ViewError> {
    let (value, _) = T::ref_from_prefix(bytes)?;
    Ok(value)
}

/// The first bytes as a `T`, to be changed.
#[inline]
pub(crate) fn of_mut<T: ViewedMut>(bytes: &mut [u8]) -> Result<&mut T, ViewError> {
    let (value, _) = T::mut_from_prefix(bytes)?;
    Ok(value)
}
