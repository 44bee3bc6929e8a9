//! `#[derive(Shared)]`: a structure that can lie in a region.

use proc_macro2::TokenStream;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::{Data, DeriveInput, Error, Meta, Result, Token, parse2};

/// The structure is `Shared` if all its fields are.
pub fn shared(item: TokenStream) -> TokenStream {
    expand(item).unwrap_or_else(Error::into_compile_error)
}

fn expand(item: TokenStream) -> Result<TokenStream> {
    let item: DeriveInput = parse2(item)?;
    let Data::Struct(structure) = &item.data else {
        return Err(Error::new_spanned(
            &item.ident,
            "only a structure can lie in a region: not any bytes are an enumeration or a union",
        ));
    };
    if !item.generics.params.is_empty() {
        return Err(Error::new_spanned(
            &item.generics,
            "what lies in a region has no parameters",
        ));
    }
    if !has_layout(&item)? {
        return Err(Error::new_spanned(
            &item.ident,
            "processes must agree on where its fields are: add #[repr(C)]",
        ));
    }
    let name = &item.ident;
    let fields = structure.fields.iter().map(|field| &field.ty);
    Ok(quote! {
        // SAFETY: its fields are such that they can lie in a region, and where they are is fixed.
        unsafe impl ::riposte::Shared for #name where #(#fields: ::riposte::Shared),* {}
    })
}

/// Whether its representation is C's: not packed, since fields must be aligned.
fn has_layout(item: &DeriveInput) -> Result<bool> {
    let mut found = false;
    let attributes = item.attrs.iter();
    for attribute in attributes.filter(|attribute| attribute.path().is_ident("repr")) {
        let words = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?;
        for word in words {
            if word.path().is_ident("C") || word.path().is_ident("transparent") {
                found = true;
            } else if word.path().is_ident("packed") {
                return Err(Error::new_spanned(word, "its fields must be aligned"));
            }
        }
    }
    Ok(found)
}
