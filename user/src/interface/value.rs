//! What travels as its bytes.

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A structure that travels through an interface as its bytes: any bytes are one, and it has no gaps. Derive
/// zerocopy's traits, which the library exports:
///
/// ```
/// use riposte::zerocopy::{FromBytes, Immutable, IntoBytes};
///
/// #[derive(FromBytes, IntoBytes, Immutable)]
/// #[zerocopy(crate = "riposte::zerocopy")]
/// #[repr(C)]
/// struct Reading {
///     place: u32,
///     celsius: i32,
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't travel through an interface: it lacks a derive",
    label = "travels as its bytes",
    note = "write above it, after `use riposte::zerocopy::{{FromBytes, Immutable, IntoBytes}};`\n\
            #[derive(FromBytes, IntoBytes, Immutable)]\n\
            #[zerocopy(crate = \"riposte::zerocopy\")]\n\
            #[repr(C)]"
)]
pub trait Value: FromBytes + IntoBytes + Immutable {}

#[diagnostic::do_not_recommend]
impl<T: FromBytes + IntoBytes + Immutable> Value for T {}
