//! The client: a struct with a connection and the interface's methods.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use riposte_interface::{Argument, Interface, Kind, Method};
use syn::spanned::Spanned;

use super::values;

/// The client's struct.
pub fn generate(interface: &Interface) -> TokenStream {
    let Interface {
        visibility,
        name,
        methods,
        ..
    } = interface;
    let client = format_ident!("{name}Client");
    let documentation = format!("A client of [`{name}`].");
    let methods = methods
        .iter()
        .zip(0_u32..)
        .flat_map(|(method, number)| [false, true].map(|timed| call(method, number, timed)));
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

            /// The connection.
            #visibility fn connection(&mut self) -> &mut ::riposte::Connection {
                &mut self.connection
            }

            /// Opens the connection again after the server's death. Its next life answers, when it has begun:
            /// until then a call waits, or ends at its deadline. Never blocks.
            ///
            /// # Errors
            /// As `Connection::reconnect`.
            #visibility fn reconnect(&mut self) -> ::core::result::Result<(), ::riposte::Error> {
                self.connection.reconnect()
            }

            #(#methods)*
        }
    }
}

/// The method that makes a call; `timed` if it takes a deadline.
fn call(method: &Method, number: u32, timed: bool) -> TokenStream {
    let Method {
        name,
        arguments,
        result,
        error,
        ..
    } = method;
    let parameters = arguments
        .iter()
        .map(|Argument { name, written, .. }| quote! { #name: #written });
    let result = values::written(result);
    let error = match error {
        Some(error) => quote! { ::riposte::interface::CallError<#error> },
        None => quote! { ::riposte::interface::CallError },
    };
    let body = if method.sends_words() && method.replies_words() {
        in_words(method, number, timed)
    } else {
        in_bytes(method, number, timed)
    };
    let (name, deadline) = if timed {
        let deadline = quote! { __deadline: impl ::core::convert::Into<::riposte::Deadline> };
        (format_ident!("{name}_until"), Some(deadline))
    } else {
        (name.clone(), None)
    };
    let documentation = documentation(method, timed);
    quote! {
        #documentation
        #[inline]
        #[allow(clippy::too_many_arguments)]
        pub fn #name(
            &self, #(#parameters,)* #deadline
        ) -> ::core::result::Result<#result, #error> {
            #body
        }
    }
}

fn documentation(method: &Method, timed: bool) -> TokenStream {
    if timed {
        let text = format!(" As [`Self::{}`], until the deadline.", method.name);
        return quote! { #[doc = #text] };
    }
    let documentation = &method.documentation;
    quote! {
        #(#documentation)*
        ///
        /// Sends to the server and waits for the answer. Blocks.
    }
}

/// Refuses a status, and names the error's type where it stands.
fn check(method: &Method) -> TokenStream {
    match &method.error {
        Some(error) => quote_spanned! { error.span() =>
            ::riposte::interface::check::<#error>(__reply.status)?;
        },
        None => quote! {
            ::riposte::interface::check::<::core::convert::Infallible>(__reply.status)?;
        },
    }
}

/// Arguments and result in registers.
fn in_words(method: &Method, number: u32, timed: bool) -> TokenStream {
    let words = method.arguments.iter().flat_map(|argument| {
        let name = &argument.name;
        match &argument.kind {
            Kind::Value(value) => values::into_words(value, &quote! { #name }),
            _ => vec![],
        }
    });
    let words = quote! { [#number, #(#words),*] };
    let send = if timed {
        quote! { send_words_until(#words, __deadline) }
    } else {
        quote! { send_words(#words) }
    };
    let check = check(method);
    let size = values::reply_size(method);
    let result = values::from_words(&method.result, &quote! { __reply.words }, &mut 0);
    quote! {
        let __reply = self.connection.#send?;
        #check
        if __reply.offered != #size {
            return ::core::result::Result::Err(::riposte::interface::CallError::MALFORMED);
        }
        ::core::result::Result::Ok(#result)
    }
}

/// Arguments or result in memory.
fn in_bytes(method: &Method, number: u32, timed: bool) -> TokenStream {
    let request_size = values::request_size(method);
    let alignment = values::alignment(method);
    let puts = method.arguments.iter().map(put);
    let slices = slices(method);
    let deadline = if timed {
        quote! { __deadline.into() }
    } else {
        quote! { ::riposte::Deadline::None }
    };
    let check = check(method);
    let result = values::take(&method.result);
    let (reply, finish) = reply(method);
    quote! {
        const __REQUEST: usize =
            ::riposte::interface::aligned(#request_size, #alignment);
        let mut __request = [0_u8; __REQUEST];
        let mut __writer = ::riposte::interface::Writer::new(&mut __request);
        __writer.put::<u32>(&#number);
        #(#puts)*
        #reply
        let __reply = ::riposte::interface::exchange(
            &self.connection, &__request, #slices, &mut __head, __room, #deadline,
        )?;
        #check
        #[allow(unused_mut, unused_variables)]
        let mut __reader = ::riposte::interface::Reader::new(
            __head.get(..__reply.offered).unwrap_or(&__head),
        );
        let ::core::option::Option::Some(__result) = #result else {
            return ::core::result::Result::Err(::riposte::interface::CallError::MALFORMED);
        };
        #finish
        ::core::result::Result::Ok(__result)
    }
}

/// The slices and texts, each with the alignment of its elements.
fn slices(method: &Method) -> TokenStream {
    let slices = method.slices().map(|argument| {
        let name = &argument.name;
        match &argument.kind {
            Kind::Slice(ty) => quote_spanned! { ty.span() =>
                ::riposte::interface::Tail::of::<#ty>(#name)
            },
            _ => quote! { ::riposte::interface::Tail::of::<u8>(#name.as_bytes()) },
        }
    });
    quote! { [#(#slices),*] }
}

/// Room for the reply, and what is checked of it when its values are known.
fn reply(method: &Method) -> (TokenStream, TokenStream) {
    let size = values::reply_size(method);
    let Some(argument) = method.room() else {
        let room = quote! {
            let mut __head = [0_u8; #size];
            let __room = ::core::option::Option::None;
        };
        let finish = quote! {
            ::riposte::interface::whole(&__reply, #size)?;
        };
        return (room, finish);
    };
    let name = &argument.name;
    let element = values::element(&argument.kind);
    let (room, count) = match &argument.kind {
        Kind::TextRoom => (
            quote! { #name.room() },
            quote! {
                let __count = ::riposte::interface::take_word::<usize>(&mut __reader)
                    .unwrap_or_default();
            },
        ),
        _ => {
            let count = values::count(method);
            (
                quote_spanned! { argument.written.span() => ::riposte::interface::room_of::<#element>(#name) },
                quote! { let __count: usize = #count; },
            )
        }
    };
    let adopt = matches!(argument.kind, Kind::TextRoom).then(|| {
        quote! { #name.adopt(__count)?; }
    });
    let head = quote! {
        ::riposte::interface::aligned(#size, ::core::mem::align_of::<#element>())
    };
    let room = quote! {
        const __HEAD: usize = #head;
        let mut __head = [0_u8; __HEAD];
        let __room = ::core::option::Option::Some(#room);
    };
    let finish = quote! {
        #count
        ::riposte::interface::filled::<#element, _>(&__reply, __HEAD, __count)?;
        #adopt
    };
    (room, finish)
}

fn put(argument: &Argument) -> TokenStream {
    let name = &argument.name;
    match &argument.kind {
        Kind::Value(value) => values::put(value, &quote! { #name }, false),
        Kind::Reference(value) => values::put(value, &quote! { #name }, true),
        Kind::Slice(_) | Kind::Text | Kind::Room(_) => quote! {
            __writer.put::<u32>(&::riposte::interface::count(#name.len()));
        },
        Kind::TextRoom => quote! {
            __writer.put::<u32>(&::riposte::interface::count(#name.capacity()));
        },
    }
}
