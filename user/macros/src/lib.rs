//! The attribute macros of the crate `riposte`, which documents them where it exports them.

mod entry;

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

/// Soon.
#[proc_macro_attribute]
pub fn interface(_arguments: TokenStream, item: TokenStream) -> TokenStream {
    item
}
