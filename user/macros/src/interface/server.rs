//! The server: from a message to the method, and from its result to the answer.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use riposte_interface::{Argument, Interface, Kind, Method};
use syn::spanned::Spanned;

use super::values;

/// The server's dispatcher.
pub fn generate(interface: &Interface) -> TokenStream {
    let Interface {
        visibility,
        name,
        methods,
        ..
    } = interface;
    let server = format_ident!("{name}Server");
    let documentation = format!("Serves [`{name}`].");
    let sizes = methods.iter().flat_map(longest);
    let arms = methods
        .iter()
        .zip(0_u32..)
        .map(|(method, number)| arm(name, method, number));
    quote! {
        #[doc = #documentation]
        #visibility struct #server;

        #[allow(dead_code)]
        impl #server {
            /// Bytes of the shortest buffer that holds every request and result but what has any
            /// length: that needs room besides. A room, and a result that does not go in registers,
            /// stands behind the slices and texts of its request.
            #visibility const BUFFER: usize =
                ::riposte::interface::greatest(&[0_usize #(, #sizes)*]);

            /// Serves for ever: each message is a call of one of `server`'s methods. `buffer`
            /// holds what does not fit in registers. Blocks; returns only when the channel can't be
            /// received from.
            #visibility fn serve<__Server: #name>(
                channel: &::riposte::Channel,
                server: &mut __Server,
                buffer: &mut [u8],
            ) -> ::riposte::Error {
                channel.serve(buffer, |event| match event {
                    ::riposte::Event::Message(message) => Self::dispatch(server, message),
                    ::riposte::Event::Notice(_) => ::riposte::Answer::later(),
                })
            }

            /// The answer to one message, for a server with a loop of its own, which may serve
            /// several interfaces and choose by the message's badge. Never blocks.
            #[inline]
            #[allow(unused_mut)]
            #visibility fn dispatch<'a, __Server: #name>(
                server: &mut __Server,
                message: ::riposte::Message<'a>,
            ) -> ::riposte::Answer<'a> {
                // The method's number stands first.
                if message.accepted() < 4 {
                    let cut = message.offered() > message.accepted();
                    return message.answer_error(if cut {
                        ::riposte::interface::refusal::TOO_LONG
                    } else {
                        ::riposte::interface::refusal::MALFORMED
                    });
                }
                let __words = message.words();
                match __words[0] {
                    #(#arms)*
                    _ => message.answer_error(::riposte::interface::refusal::NO_SUCH_METHOD),
                }
            }
        }
    }
}

/// The sizes of a method's request and result, if they go through the buffer.
fn longest(method: &Method) -> [TokenStream; 2] {
    let mut sizes = [quote! { 0 }, quote! { 0 }];
    if !method.sends_words() {
        sizes[0] = values::request_size(method);
    }
    if !method.replies_words() {
        sizes[1] = values::reply_size(method);
    }
    sizes
}

fn arm(interface: &syn::Ident, method: &Method, number: u32) -> TokenStream {
    let takes = if method.sends_words() {
        from_words(method)
    } else {
        from_bytes(method)
    };
    let name = &method.name;
    let arguments = method.arguments.iter().map(|argument| {
        let name = values::variable(argument);
        match argument.kind {
            Kind::Reference(_) => quote! { &#name },
            Kind::Room(_) => quote! { __room.elements() },
            Kind::TextRoom => quote! { &mut __text },
            Kind::Value(_) | Kind::Slice(_) | Kind::Text => quote! { #name },
        }
    });
    let call = quote! { #interface::#name(server, #(#arguments),*) };
    let answer = answer(method);
    let body = match &method.error {
        None => quote! {
            let __result = #call;
            #answer
        },
        Some(error) => {
            let status = quote_spanned! { error.span() =>
                <#error as ::riposte::interface::ApplicationError>::into_status(__error)
            };
            quote! {
                match #call {
                    ::core::result::Result::Ok(__result) => { #answer }
                    ::core::result::Result::Err(__error) => __call.refuse(#status),
                }
            }
        }
    };
    let fits = fits(method);
    quote! {
        #number => {
            #takes
            #fits
            #body
        }
    }
}

/// Arguments in registers, and nothing else.
fn from_words(method: &Method) -> TokenStream {
    let words = quote! { __words };
    let mut position = 1;
    let lets = method.arguments.iter().map(|argument| {
        let name = values::variable(argument);
        let value = match &argument.kind {
            Kind::Value(value) => values::from_words(value, &words, &mut position),
            _ => TokenStream::new(),
        };
        quote! { let #name = #value; }
    });
    let lets: Vec<_> = lets.collect();
    let bytes = position * 4;
    quote! {
        if message.offered() != #bytes {
            return message.answer_error(::riposte::interface::refusal::MALFORMED);
        }
        // Its rest was cut, or lies in the parts of a receive.
        if message.bytes().len() != #bytes {
            return message.answer_error(::riposte::interface::refusal::TOO_LONG);
        }
        #(#lets)*
        let __call = ::riposte::interface::Call::of(message);
    }
}

fn from_bytes(method: &Method) -> TokenStream {
    let values = method.arguments.iter().map(|argument| {
        let name = values::variable(argument);
        let take = match &argument.kind {
            Kind::Value(value) | Kind::Reference(value) => values::take(value),
            _ => quote! { __reader.take::<u32>() },
        };
        quote! {
            let ::core::option::Option::Some(#name) = #take else {
                return message.answer_error(::riposte::interface::refusal::MALFORMED);
            };
        }
    });
    let rest = if method.slices().next().is_none() {
        quote! {
            if !__reader.is_empty() {
                return message.answer_error(::riposte::interface::refusal::MALFORMED);
            }
            let mut __call = ::riposte::interface::Call::of(message);
        }
    } else {
        from_tail(method)
    };
    let room = method.room().map(|argument| room(method, argument));
    quote! {
        if message.accepted() < message.offered() {
            return message.answer_error(::riposte::interface::refusal::TOO_LONG);
        }
        let mut __reader = ::riposte::interface::Reader::new(message.bytes());
        let _ = __reader.take::<u32>();
        #(#values)*
        #rest
        #room
    }
}

/// Slices and texts, which lie where the request does.
fn from_tail(method: &Method) -> TokenStream {
    let slices = method.slices().map(|argument| {
        let name = values::variable(argument);
        let take = match &argument.kind {
            Kind::Slice(ty) => quote_spanned! { ty.span() => __tail.take::<#ty>(#name) },
            _ => quote! { __tail.take_text(#name) },
        };
        quote! {
            let ::core::option::Option::Some(#name) = #take else {
                return __call.refuse(::riposte::interface::refusal::MALFORMED);
            };
        }
    });
    let size = values::request_size(method);
    let alignment = values::alignment(method);
    quote! {
        let (mut __call, mut __tail) =
            match ::riposte::interface::Call::with_tail(message, #size, #alignment) {
                ::core::result::Result::Ok(both) => both,
                ::core::result::Result::Err(refusal) => return refusal,
            };
        #(#slices)*
        if !__tail.is_empty() {
            return __call.refuse(::riposte::interface::refusal::MALFORMED);
        }
    }
}

/// Room for what the method fills, as much as the client has and this server's buffer.
fn room(method: &Method, argument: &Argument) -> TokenStream {
    let wanted = values::variable(argument);
    let element = values::element(&argument.kind);
    let room = quote_spanned! { argument.written.span() =>
        __call.room::<#element>(__HEAD, #wanted)
    };
    let text = matches!(argument.kind, Kind::TextRoom).then(|| {
        quote! { let mut __text = ::riposte::Text::new(__room.elements()); }
    });
    let size = values::reply_size(method);
    quote! {
        const __HEAD: usize =
            ::riposte::interface::aligned(#size, ::core::mem::align_of::<#element>());
        let ::core::option::Option::Some(mut __room) = #room else {
            return __call.refuse(::riposte::interface::refusal::TOO_LONG);
        };
        #text
    }
}

/// The look whether the result will fit, before the method does anything. A room was looked for already.
fn fits(method: &Method) -> TokenStream {
    if method.replies_words() || method.room().is_some() {
        return TokenStream::new();
    }
    let size = values::reply_size(method);
    quote! {
        if !__call.holds(#size) {
            return __call.refuse(::riposte::interface::refusal::TOO_LONG);
        }
    }
}

fn answer(method: &Method) -> TokenStream {
    let result = quote! { __result };
    if method.replies_words() {
        let words = values::into_words(&method.result, &result);
        return quote! { __call.answer_words([#(#words),*]) };
    }
    let put = values::put(&method.result, &result, false);
    let Some(room) = method.room() else {
        let size = values::reply_size(method);
        return quote! {
            __call.answer(#size, |mut __writer| { #put })
        };
    };
    match room.kind {
        Kind::TextRoom => quote! {
            let __count = __text.as_str().len();
            __call.answer_room(__room, __count, |mut __writer| {
                #put
                __writer.put::<u32>(&::riposte::interface::count(__count));
            })
        },
        _ => {
            let count = values::count(method);
            quote! {
                let __count: usize = #count;
                __call.answer_room(__room, __count, |mut __writer| { #put })
            }
        }
    }
}
