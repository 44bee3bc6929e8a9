//! The client: a struct with a connection and the interface's methods.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::model::{Argument, Interface, Kind, Method, Value};

/// The client's struct.
pub fn generate(interface: &Interface) -> TokenStream {
    let Interface {
        visibility,
        name,
        methods,
    } = interface;
    let client = format_ident!("{name}Client");
    let documentation = format!("A client of [`{name}`].");
    let methods = methods
        .iter()
        .zip(0_u32..)
        .map(|(method, number)| call(method, number));
    quote! {
        #[doc = #documentation]
        #[derive(Debug)]
        #visibility struct #client {
            connection: ::riposte::Connection,
        }

        #[allow(dead_code)]
        impl #client {
            /// A client that sends through `connection`.
            #[must_use]
            #visibility fn new(connection: ::riposte::Connection) -> Self {
                Self { connection }
            }

            /// The connection, for example to open it again after the server's restart.
            #visibility fn connection(&mut self) -> &mut ::riposte::Connection {
                &mut self.connection
            }

            #(#methods)*
        }
    }
}

fn call(method: &Method, number: u32) -> TokenStream {
    let Method {
        documentation,
        name,
        arguments,
        result,
        error,
    } = method;
    let parameters = arguments
        .iter()
        .map(|Argument { name, written, .. }| quote! { #name: #written });
    let result = result
        .as_ref()
        .map_or(quote! { () }, |Value { ty, .. }| quote! { #ty });
    let error = match error {
        Some(error) => quote! { ::riposte::interface::CallError<#error> },
        None => quote! { ::riposte::interface::CallError },
    };
    let body = if method.sends_words() && method.replies_words() {
        in_words(method, number, &error)
    } else {
        in_bytes(method, number, &error)
    };
    quote! {
        #(#documentation)*
        ///
        /// Sends to the server and waits for the answer. Blocks.
        #[inline]
        pub fn #name(&self, #(#parameters),*) -> ::core::result::Result<#result, #error> {
            #body
        }
    }
}

/// Arguments and result in registers.
fn in_words(method: &Method, number: u32, error: &TokenStream) -> TokenStream {
    let words = method.arguments.iter().flat_map(|argument| {
        let name = &argument.name;
        (0..argument.words().unwrap_or_default()).map(move |word| {
            quote! { ::riposte::interface::Scalar::into_words(#name)[#word] }
        })
    });
    let result = match &method.result {
        None => quote! { () },
        Some(Value { words: Some(2), .. }) => {
            quote! { ::riposte::interface::Scalar::from_words([__reply.words[0], __reply.words[1]]) }
        }
        Some(_) => quote! { ::riposte::interface::Scalar::from_words([__reply.words[0], 0]) },
    };
    quote! {
        let __reply = self.connection.send_words([#number, #(#words),*])?;
        <#error>::check(__reply.status)?;
        ::core::result::Result::Ok(#result)
    }
}

/// Arguments or result in memory.
fn in_bytes(method: &Method, number: u32, error: &TokenStream) -> TokenStream {
    let sizes = method
        .arguments
        .iter()
        .map(|argument| match &argument.kind {
            Kind::Value(value) | Kind::Reference(value) => value.size(),
            Kind::Bytes => quote! { 0 },
        });
    let puts = method.arguments.iter().map(put);
    let tail = match method.bytes() {
        Some(Argument { name, .. }) => quote! { ::core::option::Option::Some(#name) },
        None => quote! { ::core::option::Option::None },
    };
    let reply_size = method.result.as_ref().map_or(quote! { 0 }, Value::size);
    let result = match &method.result {
        None => quote! { ::core::option::Option::Some(()) },
        Some(value) => value.take(),
    };
    quote! {
        let mut __request = [0_u8; 4 #(+ #sizes)*];
        let mut __writer = ::riposte::interface::Writer::new(&mut __request);
        __writer.put::<u32>(&#number);
        #(#puts)*
        let mut __buffer = [0_u8; #reply_size];
        let __reply =
            ::riposte::interface::exchange(&self.connection, &__request, #tail, &mut __buffer)?;
        <#error>::check(__reply.status)?;
        #[allow(unused_mut, unused_variables)]
        let mut __reader = ::riposte::interface::Reader::new(
            __buffer.get(..__reply.len).unwrap_or_default(),
        );
        let __result = #result;
        __result.ok_or(::riposte::interface::CallError::Refused(
            ::riposte::interface::refusal::MALFORMED,
        ))
    }
}

fn put(argument: &Argument) -> TokenStream {
    let name = &argument.name;
    match (&argument.kind, argument.words()) {
        (Kind::Bytes, _) => TokenStream::new(),
        (Kind::Value(_), Some(words)) => {
            let words = 0..words;
            quote! {
                #(__writer.put::<u32>(&::riposte::interface::Scalar::into_words(#name)[#words]);)*
            }
        }
        (Kind::Reference(_), Some(words)) => {
            let words = 0..words;
            quote! {
                #(__writer.put::<u32>(&::riposte::interface::Scalar::into_words(*#name)[#words]);)*
            }
        }
        (Kind::Value(_), None) => quote! { __writer.put(&#name); },
        (Kind::Reference(_), None) => quote! { __writer.put(#name); },
    }
}
