//! Code for the values of requests and replies.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use riposte_interface::{Argument, Kind, Method, Scalar, Value};
use syn::Index;
use syn::spanned::Spanned;

/// Its size in a message, in bytes.
pub fn size(value: &Value) -> TokenStream {
    match value {
        Value::Scalar(scalar, _) => {
            let bytes = scalar.words() * 4;
            quote! { #bytes }
        }
        Value::Plain(ty) => quote! { ::core::mem::size_of::<#ty>() },
        Value::Tuple(values) => {
            let sizes = values.iter().map(size);
            quote! { (0 #(+ #sizes)*) }
        }
    }
}

/// Its type.
pub fn written(value: &Value) -> TokenStream {
    match value {
        Value::Scalar(_, ty) | Value::Plain(ty) => quote! { #ty },
        Value::Tuple(values) => {
            let types = values.iter().map(written);
            quote! { (#(#types,)*) }
        }
    }
}

/// Takes it out of `__reader`: an option. What lacks a derive is told at its type.
pub fn take(value: &Value) -> TokenStream {
    match value {
        Value::Scalar(Scalar::Word(_), ty) => {
            quote! { ::riposte::interface::take_word::<#ty>(&mut __reader) }
        }
        Value::Scalar(Scalar::Words(_), ty) => {
            quote! { ::riposte::interface::take_words::<#ty>(&mut __reader) }
        }
        Value::Plain(ty) => {
            quote_spanned! { ty.span() => ::riposte::interface::take_value::<#ty>(&mut __reader) }
        }
        Value::Tuple(values) => {
            let takes = values.iter().map(take);
            quote! { (|| ::core::option::Option::Some((#(#takes?,)*)))() }
        }
    }
}

/// Puts what `place` says into `__writer`; `reference` if that is a reference to it.
pub fn put(value: &Value, place: &TokenStream, reference: bool) -> TokenStream {
    match value {
        Value::Scalar(scalar, _) => {
            let words = 0..scalar.words();
            let star = reference.then(|| quote! { * });
            quote! {
                #(__writer.put::<u32>(&::riposte::interface::Scalar::into_words(#star #place)[#words]);)*
            }
        }
        Value::Plain(ty) if reference => {
            quote_spanned! { ty.span() => __writer.put::<#ty>(#place); }
        }
        Value::Plain(ty) => quote_spanned! { ty.span() => __writer.put::<#ty>(&#place); },
        Value::Tuple(values) => {
            let puts = values.iter().enumerate().map(|(position, value)| {
                let position = Index::from(position);
                put(value, &quote! { (#place).#position }, false)
            });
            quote! { #(#puts)* }
        }
    }
}

/// The words of what `place` says, all of which are scalars.
pub fn into_words(value: &Value, place: &TokenStream) -> Vec<TokenStream> {
    match value {
        Value::Scalar(scalar, _) => {
            let words = 0..scalar.words();
            words
                .map(|word| quote! { ::riposte::interface::Scalar::into_words(#place)[#word] })
                .collect()
        }
        Value::Plain(_) => vec![],
        Value::Tuple(values) => {
            let values = values.iter().enumerate();
            let words = values.flat_map(|(position, value)| {
                let position = Index::from(position);
                into_words(value, &quote! { (#place).#position })
            });
            words.collect()
        }
    }
}

/// The value whose words begin at `position` of `words`; that is behind it then.
pub fn from_words(value: &Value, words: &TokenStream, position: &mut usize) -> TokenStream {
    match value {
        Value::Scalar(scalar, ty) => {
            let low = *position;
            *position += scalar.words();
            let high = match scalar {
                Scalar::Word(_) => quote! { 0 },
                Scalar::Words(_) => {
                    let high = low + 1;
                    quote! { #words[#high] }
                }
            };
            quote! { <#ty as ::riposte::interface::Scalar>::from_words([#words[#low], #high]) }
        }
        Value::Plain(_) => TokenStream::new(),
        Value::Tuple(values) => {
            let values: Vec<_> = values
                .iter()
                .map(|value| from_words(value, words, position))
                .collect();
            quote! { (#(#values,)*) }
        }
    }
}

/// Bytes of a request's number and values.
pub fn request_size(method: &Method) -> TokenStream {
    let sizes = method
        .arguments
        .iter()
        .map(|argument| match &argument.kind {
            Kind::Value(value) | Kind::Reference(value) => size(value),
            _ => quote! { 4 },
        });
    quote! { (4 #(+ #sizes)*) }
}

/// Bytes of a reply's values, among them the length of a text.
pub fn reply_size(method: &Method) -> TokenStream {
    let values = size(&method.result);
    match method.room().map(|room| &room.kind) {
        Some(Kind::TextRoom) => quote! { (#values + 4) },
        _ => values,
    }
}

/// The type of a slice's, a text's or a room's elements.
pub fn element(kind: &Kind) -> TokenStream {
    match kind {
        Kind::Slice(ty) | Kind::Room(ty) => quote! { #ty },
        _ => quote! { u8 },
    }
}

/// The greatest alignment of what follows the values of a request.
pub fn alignment(method: &Method) -> TokenStream {
    let elements = method.slices().map(|argument| element(&argument.kind));
    quote! { ::riposte::interface::greatest(&[1 #(, ::core::mem::align_of::<#elements>())*]) }
}

/// An argument under a name that no argument can hide.
pub fn variable(argument: &Argument) -> syn::Ident {
    format_ident!("__argument_{}", argument.name)
}

/// Where the result says how many elements of the room are filled.
pub fn count(method: &Method) -> TokenStream {
    let mut place = quote! { __result };
    let mut value = &method.result;
    while let Value::Tuple(values) = value {
        let Some(first) = values.first() else { break };
        place = quote! { #place.0 };
        value = first;
    }
    place
}
