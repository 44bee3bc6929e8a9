//! `#[derive(ApplicationError)]`: an enumeration becomes statuses.

use proc_macro2::TokenStream;
use quote::quote;
use riposte_interface::{Case, Failure};
use syn::{DeriveInput, Error, Result, parse2};

/// The error's statuses, there and back.
pub fn failure(item: TokenStream) -> TokenStream {
    expand(item).unwrap_or_else(Error::into_compile_error)
}

fn expand(item: TokenStream) -> Result<TokenStream> {
    let item: DeriveInput = parse2(item)?;
    let Failure { name, cases } = Failure::of(&item)?;
    let values = cases.iter().map(|Case { name, .. }| match name {
        Some(name) => quote! { Self::#name },
        None => quote! { Self },
    });
    let values: Vec<_> = values.collect();
    let statuses: Vec<_> = cases.iter().map(|case| case.status).collect();
    Ok(quote! {
        impl ::riposte::interface::ApplicationError for #name {
            fn into_status(self) -> ::riposte::Status {
                ::riposte::Status(match self { #(#values => #statuses,)* })
            }

            fn from_status(status: ::riposte::Status) -> ::core::option::Option<Self> {
                match status.0 {
                    #(#statuses => ::core::option::Option::Some(#values),)*
                    _ => ::core::option::Option::None,
                }
            }
        }
    })
}
