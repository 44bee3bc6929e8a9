//! `#[riposte::hot]`: a function at the beginning of the program's code.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, ItemFn, parse2};

/// Puts the function into its section.
pub fn hot(arguments: TokenStream, item: TokenStream) -> TokenStream {
    if !arguments.is_empty() {
        return Error::new_spanned(arguments, "`#[riposte::hot]` takes no arguments")
            .into_compile_error();
    }
    let function: ItemFn = match parse2(item) {
        Ok(function) => function,
        Err(error) => return error.into_compile_error(),
    };
    // The section is a program's, which the builder links.
    quote! {
        #[inline(never)]
        #[cfg_attr(target_os = "none", unsafe(link_section = ".text.hot"))]
        #function
    }
}
