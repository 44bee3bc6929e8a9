//! `#[riposte::interface]`: a trait becomes a client and a server's dispatcher.

mod client;
mod failure;
mod server;
mod values;

use proc_macro2::TokenStream;
use quote::quote;
use riposte_interface::Interface;
use syn::{Error, ItemTrait, Result, parse2};

pub use failure::failure;

/// The trait, with its client and server.
pub fn interface(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand(arguments, item.clone()).unwrap_or_else(|error| {
        // The trait stays, so that the only error shown is this one.
        let error = error.into_compile_error();
        quote! { #item #error }
    })
}

fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    if !arguments.is_empty() {
        return Err(Error::new_spanned(
            arguments,
            "`#[riposte::interface]` takes no arguments",
        ));
    }
    let item: ItemTrait = parse2(item)?;
    let interface = Interface::of(&item)?;
    let client = client::generate(&interface);
    let server = server::generate(&interface);
    Ok(quote! { #item #client #server })
}
