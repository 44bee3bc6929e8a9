//! `#[riposte::main]` and `#[riposte::thread]`: a function under the name by which the image
//! finds it.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Error, ItemFn, Result, ReturnType, Type, parse2};

/// Exports the program's main function.
pub fn main(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand(arguments, item, "main", |function| {
        if !matches!(function.sig.output, ReturnType::Default) {
            return Err(Error::new_spanned(
                &function.sig.output,
                "main returns nothing; `riposte::exit(status)` ends the process with a status",
            ));
        }
        let name = &function.sig.ident;
        Ok(quote! {
            const _: () = {
                #[unsafe(no_mangle)]
                extern "C" fn riposte_main() {
                    #name()
                }
            };
        })
    })
}

/// Exports a thread's function.
pub fn thread(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand(arguments, item, "thread", |function| {
        let never = matches!(&function.sig.output, ReturnType::Type(_, ty) if matches!(**ty, Type::Never(_)));
        if !never {
            return Err(Error::new_spanned(
                &function.sig,
                "a thread never returns: its type is `fn() -> !`",
            ));
        }
        let name = &function.sig.ident;
        let symbol = format_ident!("riposte_thread_{name}");
        Ok(quote! {
            const _: () = {
                #[unsafe(no_mangle)]
                extern "C" fn #symbol(_: u32, index: u32, id: u32) -> ! {
                    // SAFETY: the kernel enters here, with these.
                    unsafe { ::riposte::begin_thread(index, id) };
                    #name()
                }
            };
        })
    })
}

fn expand(
    arguments: TokenStream,
    item: TokenStream,
    attribute: &str,
    export: impl FnOnce(&ItemFn) -> Result<TokenStream>,
) -> TokenStream {
    let exported = check(arguments, item.clone(), attribute).and_then(|function| {
        let export = export(&function)?;
        Ok(quote! { #function #export })
    });
    exported.unwrap_or_else(|error| {
        // The function stays, so that the only error shown is this one.
        let error = error.into_compile_error();
        quote! { #item #error }
    })
}

/// What both attributes ask of their function.
fn check(arguments: TokenStream, item: TokenStream, attribute: &str) -> Result<ItemFn> {
    if !arguments.is_empty() {
        let message = format!("`#[riposte::{attribute}]` takes no arguments");
        return Err(Error::new_spanned(arguments, message));
    }
    let function: ItemFn = parse2(item)?;
    let signature = &function.sig;
    if !signature.inputs.is_empty() {
        return Err(Error::new_spanned(
            &signature.inputs,
            "it takes no parameters",
        ));
    }
    if !signature.generics.params.is_empty() {
        return Err(Error::new_spanned(
            &signature.generics,
            "it can't be generic",
        ));
    }
    if let Some(asyncness) = signature.asyncness {
        return Err(Error::new_spanned(asyncness, "it can't be async"));
    }
    Ok(function)
}
