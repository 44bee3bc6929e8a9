//! The server: from a message to the method, and from its result to the answer.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::model::{Argument, Interface, Kind, Method, Value};

/// The server's dispatcher.
pub fn generate(interface: &Interface) -> TokenStream {
    let Interface {
        visibility,
        name,
        methods,
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
            /// Bytes of the shortest buffer that holds every request and result but bytes of any
            /// length, which need room besides.
            #visibility const BUFFER: usize = {
                let sizes = [0_usize #(, #sizes)*];
                let mut longest = 0;
                let mut position = 0;
                while position < sizes.len() {
                    if sizes[position] > longest {
                        longest = sizes[position];
                    }
                    position += 1;
                }
                longest
            };

            /// Serves for ever: each message is a call of one of `server`'s methods. `buffer`
            /// holds requests and results of more than five words. Blocks; returns only when the
            /// channel can't be received from.
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

            /// The answer to one message, for a server with a loop of its own. Never blocks.
            #[inline]
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
    let sizes = method
        .arguments
        .iter()
        .map(|argument| match &argument.kind {
            Kind::Value(value) | Kind::Reference(value) => value.size(),
            Kind::Bytes => quote! { 0 },
        });
    let result = method.result.as_ref().map_or(quote! { 0 }, Value::size);
    [quote! { 4 #(+ #sizes)* }, result]
}

fn arm(interface: &syn::Ident, method: &Method, number: u32) -> TokenStream {
    let takes = if method.sends_words() {
        from_words(method)
    } else {
        from_bytes(method)
    };
    let name = &method.name;
    let arguments = method.arguments.iter().map(|argument| {
        let name = variable(argument);
        match argument.kind {
            Kind::Reference(_) => quote! { &#name },
            Kind::Value(_) | Kind::Bytes => quote! { #name },
        }
    });
    let call = quote! { #interface::#name(server, #(#arguments),*) };
    let answer = answer(method);
    let body = match method.error {
        None => quote! {
            let __result = #call;
            #answer
        },
        Some(_) => quote! {
            match #call {
                ::core::result::Result::Ok(__result) => #answer,
                ::core::result::Result::Err(__error) => message
                    .answer_error(::riposte::interface::ApplicationError::into_status(__error)),
            }
        },
    };
    quote! {
        #number => {
            #takes
            #body
        }
    }
}

/// Parameters under names that no parameter can hide.
fn variable(argument: &Argument) -> syn::Ident {
    format_ident!("__argument_{}", argument.name)
}

fn from_words(method: &Method) -> TokenStream {
    let mut position = 0_usize;
    let lets = method.arguments.iter().map(|argument| {
        let name = variable(argument);
        let low = position + 1;
        position += argument.words().unwrap_or_default();
        let high = if position > low {
            quote! { __words[#position] }
        } else {
            quote! { 0 }
        };
        quote! {
            let #name = ::riposte::interface::Scalar::from_words([__words[#low], #high]);
        }
    });
    quote! { #(#lets)* }
}

fn from_bytes(method: &Method) -> TokenStream {
    let lets = method.arguments.iter().map(|argument| {
        let name = variable(argument);
        let take = match &argument.kind {
            Kind::Bytes => return quote! { let #name = __reader.rest(); },
            Kind::Value(value) | Kind::Reference(value) => value.take(),
        };
        quote! {
            let ::core::option::Option::Some(#name) = #take else {
                return message.answer_error(::riposte::interface::refusal::MALFORMED);
            };
        }
    });
    quote! {
        if message.accepted() < message.offered() {
            return message.answer_error(::riposte::interface::refusal::TOO_LONG);
        }
        let mut __reader = ::riposte::interface::Reader::new(message.bytes());
        let _ = __reader.take::<u32>();
        #(#lets)*
    }
}

fn answer(method: &Method) -> TokenStream {
    match &method.result {
        None => quote! {{
            let () = __result;
            message.answer_words([])
        }},
        Some(Value { words: Some(1), .. }) => quote! {{
            let [__low, _] = ::riposte::interface::Scalar::into_words(__result);
            message.answer_words([__low])
        }},
        Some(Value { words: Some(_), .. }) => quote! {
            message.answer_words(::riposte::interface::Scalar::into_words(__result))
        },
        Some(_) => quote! { ::riposte::interface::answer_value(message, &__result) },
    }
}
