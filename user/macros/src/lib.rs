//! The attribute macros of the crate `riposte`, which documents them where it exports them.

mod entry;
mod hot;
mod interface;
mod shared;

use proc_macro::TokenStream;

/// Marks the function with which a program's main thread begins: `fn main()`. When it returns,
/// the process exits with status 0.
#[proc_macro_attribute]
pub fn main(arguments: TokenStream, item: TokenStream) -> TokenStream {
    entry::main(arguments.into(), item.into()).into()
}

/// Marks the function with which a further thread begins: `fn worker() -> !` is the
/// `[[process.thread]]` named `worker` (an underscore stands for a hyphen) in app.toml.
#[proc_macro_attribute]
pub fn thread(arguments: TokenStream, item: TokenStream) -> TokenStream {
    entry::thread(arguments.into(), item.into()).into()
}

/// Turns a trait into an interface between processes. Besides the trait, which a server
/// implements, there are a client with the same methods and a server that turns messages into
/// calls of them: for a trait `Lamp`, `LampClient` and `LampServer`.
///
/// - A method takes `&self` or `&mut self`. Parameters are scalars (`u8` to `u64`, `i8` to `i64`,
///   `usize`, `isize`, `bool`, `f32`), structures that derive zerocopy's `IntoBytes`, `FromBytes`
///   and `Immutable`, by value or by reference, tuples of those, slices of such structures and of numbers
///   (`&[T]`), and text (`&str`).
/// - The result is a scalar, a structure, a tuple of those, or nothing. What has any length is written into the
///   client's room, which is the last parameter: elements into `room: &mut [T]`, and the result, or the first
///   value of its tuple, says how many (`usize`); text into `text: &mut Text`.
/// - A method that can fail returns a `Result`; its error implements
///   `riposte::interface::ApplicationError`, which can be derived, and travels as the status.
/// - The client's methods block as long as it takes; each has a form `…_until` with a deadline.
/// - A request is the method's number, which is its position in the trait, then the arguments without gaps: a scalar
///   as words, a structure as its bytes, of a slice, a text or a room the number of elements. Slices and texts
///   follow, each at a multiple of its alignment, the first one at a multiple of the greatest of all. A reply
///   is the result's values, then what is filled of the room. A request of at most four words besides the number,
///   all of them scalars, and a reply of at most five travel in registers.
#[proc_macro_attribute]
pub fn interface(arguments: TokenStream, item: TokenStream) -> TokenStream {
    interface::interface(arguments.into(), item.into()).into()
}

/// Marks a function that runs in the course of every message: the program's code begins with all
/// such, which are never inlined. On boards whose cache is direct-mapped, the builder then keeps them
/// apart from the kernel's path and from what other programs mark; anywhere else it changes nothing.
/// Mark little: there is room for some 500 instructions in all programs together.
#[proc_macro_attribute]
pub fn hot(arguments: TokenStream, item: TokenStream) -> TokenStream {
    hot::hot(arguments.into(), item.into()).into()
}

/// Lets a structure lie in a region that processes have in common: `#[repr(C)]`, without parameters,
/// and all its fields are such types.
#[proc_macro_derive(Shared)]
pub fn shared(item: TokenStream) -> TokenStream {
    shared::shared(item.into()).into()
}

/// Lets an error of an interface travel as a status: an enumeration without fields, whose cases are
/// numbered from 1 on or as it says, or a structure without fields.
#[proc_macro_derive(ApplicationError)]
pub fn application_error(item: TokenStream) -> TokenStream {
    interface::failure(item.into()).into()
}
