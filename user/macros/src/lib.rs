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
///   `usize`, `isize`, `bool`, `f32`), types that implement zerocopy's `IntoBytes`, `FromBytes`
///   and `Immutable`, by value or by reference, and as the last one bytes of any length (`&[u8]`).
///   The result is nothing, a scalar or such a type. (The library exports zerocopy: derive with
///   `#[zerocopy(crate = "riposte::zerocopy")]`.)
/// - A method that can fail returns a `Result`; its error implements
///   `riposte::interface::ApplicationError` and travels as the status.
/// - A message begins with the method's number, which is its position in the trait. Scalars
///   travel in registers if all of them fit there (four words of arguments, five of the result);
///   everything else goes through memory, one value behind the other without gaps.
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
