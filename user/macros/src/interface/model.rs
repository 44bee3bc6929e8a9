//! What an interface's trait says, checked.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Attribute, Error, FnArg, GenericArgument, Ident, ItemTrait, Pat, PathArguments, Result,
    ReturnType, TraitItem, TraitItemFn, Type, Visibility,
};

/// Words of a message besides the method's number.
const ARGUMENT_WORDS: usize = 4;
/// Words of a reply.
const RESULT_WORDS: usize = 5;

/// The trait.
pub struct Interface {
    pub visibility: Visibility,
    pub name: Ident,
    pub methods: Vec<Method>,
}

/// A method; its number is its position.
pub struct Method {
    pub documentation: Vec<Attribute>,
    pub name: Ident,
    pub arguments: Vec<Argument>,
    /// What it gives; none for nothing.
    pub result: Option<Value>,
    /// Its own error, if it returns a `Result`.
    pub error: Option<Type>,
}

/// A parameter.
pub struct Argument {
    pub name: Ident,
    /// The parameter's type as written.
    pub written: Type,
    pub kind: Kind,
}

/// How a parameter travels.
pub enum Kind {
    /// By value.
    Value(Value),
    /// Behind a reference, by value.
    Reference(Value),
    /// Bytes of any length.
    Bytes,
}

/// A type that travels by value.
pub struct Value {
    pub ty: Type,
    /// Its words if it is a scalar, by its name; otherwise it is a zerocopy type.
    pub words: Option<usize>,
}

impl Interface {
    /// Reads the trait.
    pub fn of(item: &ItemTrait) -> Result<Interface> {
        if !item.generics.params.is_empty() {
            let message = "an interface can't be generic: its messages have one layout";
            return Err(Error::new_spanned(&item.generics, message));
        }
        let methods = item.items.iter().map(method).collect::<Result<_>>()?;
        Ok(Interface {
            visibility: item.vis.clone(),
            name: item.ident.clone(),
            methods,
        })
    }
}

impl Argument {
    /// The parameter's words, if it is a scalar.
    pub fn words(&self) -> Option<usize> {
        match &self.kind {
            Kind::Value(value) | Kind::Reference(value) => value.words,
            Kind::Bytes => None,
        }
    }
}

impl Value {
    /// Its size in a message in memory, in bytes.
    pub fn size(&self) -> TokenStream {
        match self.words {
            Some(words) => {
                let bytes = words * 4;
                quote! { #bytes }
            }
            None => {
                let ty = &self.ty;
                quote! { ::core::mem::size_of::<#ty>() }
            }
        }
    }

    /// Takes it out of `__reader`: an option.
    pub fn take(&self) -> TokenStream {
        let ty = &self.ty;
        match self.words {
            Some(1) => quote! { ::riposte::interface::take_word::<#ty>(&mut __reader) },
            Some(_) => quote! { ::riposte::interface::take_words::<#ty>(&mut __reader) },
            None => quote! { ::riposte::interface::take_value::<#ty>(&mut __reader) },
        }
    }
}

impl Method {
    /// Whether the arguments fit in the message words.
    pub fn sends_words(&self) -> bool {
        let words = self.arguments.iter().map(|argument| match &argument.kind {
            Kind::Value(value) => value.words,
            // A reference is for what is worth not to copy.
            Kind::Reference(_) | Kind::Bytes => None,
        });
        words
            .sum::<Option<usize>>()
            .is_some_and(|words| words <= ARGUMENT_WORDS)
    }

    /// Whether the result fits in the message words.
    pub fn replies_words(&self) -> bool {
        self.result
            .as_ref()
            .is_none_or(|value| value.words.is_some_and(|words| words <= RESULT_WORDS))
    }

    /// The parameter that takes bytes of any length, if there is one.
    pub fn bytes(&self) -> Option<&Argument> {
        self.arguments
            .iter()
            .find(|argument| matches!(argument.kind, Kind::Bytes))
    }
}

fn method(item: &TraitItem) -> Result<Method> {
    let TraitItem::Fn(function) = item else {
        return Err(Error::new_spanned(item, "an interface has methods only"));
    };
    let TraitItemFn {
        attrs,
        sig,
        default,
        ..
    } = function;
    if let Some(body) = default {
        return Err(Error::new_spanned(
            body,
            "an interface's method has no body: it is what a server does",
        ));
    }
    if !sig.generics.params.is_empty() {
        return Err(Error::new_spanned(
            &sig.generics,
            "an interface's method can't be generic",
        ));
    }
    if let Some(asyncness) = sig.asyncness {
        return Err(Error::new_spanned(
            asyncness,
            "an interface's method can't be async: a client waits for its answer",
        ));
    }
    let mut inputs = sig.inputs.iter();
    match inputs.next() {
        Some(FnArg::Receiver(receiver)) if receiver.reference.is_some() => {}
        _ => {
            return Err(Error::new_spanned(
                sig,
                "an interface's method takes `&self` or `&mut self`",
            ));
        }
    }
    let arguments = inputs.map(argument).collect::<Result<Vec<_>>>()?;
    let slices = arguments
        .iter()
        .position(|argument| matches!(argument.kind, Kind::Bytes));
    if let Some(position) = slices
        && position + 1 != arguments.len()
    {
        let message = "bytes of any length come last, and once";
        return Err(Error::new_spanned(&arguments[position].written, message));
    }
    let (result, error) = output(&sig.output)?;
    Ok(Method {
        documentation: attrs
            .iter()
            .filter(|attribute| attribute.path().is_ident("doc"))
            .cloned()
            .collect(),
        name: sig.ident.clone(),
        arguments,
        result,
        error,
    })
}

fn argument(input: &FnArg) -> Result<Argument> {
    let FnArg::Typed(typed) = input else {
        return Err(Error::new_spanned(input, "`self` comes first"));
    };
    let Pat::Ident(name) = &*typed.pat else {
        return Err(Error::new_spanned(
            &typed.pat,
            "a parameter of an interface has a plain name",
        ));
    };
    Ok(Argument {
        name: name.ident.clone(),
        written: (*typed.ty).clone(),
        kind: kind(&typed.ty)?,
    })
}

fn kind(ty: &Type) -> Result<Kind> {
    let Type::Reference(reference) = ty else {
        return value(ty).map(Kind::Value);
    };
    if reference.mutability.is_some() {
        let message = "the server can't change a client's variable: return the value";
        return Err(Error::new_spanned(ty, message));
    }
    match &*reference.elem {
        Type::Slice(slice) if is_named(&slice.elem, "u8") => Ok(Kind::Bytes),
        Type::Slice(slice) => Err(Error::new_spanned(
            slice,
            "only bytes have any length: `&[u8]`, or an array",
        )),
        inner if is_named(inner, "str") => {
            Err(Error::new_spanned(ty, "text travels as bytes: `&[u8]`"))
        }
        inner => value(inner).map(Kind::Reference),
    }
}

fn value(ty: &Type) -> Result<Value> {
    match ty {
        Type::Path(_) | Type::Array(_) => Ok(Value {
            ty: ty.clone(),
            words: words(ty),
        }),
        Type::Reference(_) => Err(Error::new_spanned(
            ty,
            "a result is a value: the server's memory is not the client's",
        )),
        _ => Err(Error::new_spanned(
            ty,
            "not a scalar, a zerocopy type, or bytes",
        )),
    }
}

/// The words of a scalar, by its name.
fn words(ty: &Type) -> Option<usize> {
    const ONE: [&str; 10] = [
        "u8", "u16", "u32", "usize", "i8", "i16", "i32", "isize", "bool", "f32",
    ];
    if ONE.iter().any(|name| is_named(ty, name)) {
        Some(1)
    } else {
        ["u64", "i64"]
            .iter()
            .any(|name| is_named(ty, name))
            .then_some(2)
    }
}

fn is_named(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.qself.is_none() && path.path.is_ident(name))
}

/// The result and the error of a method.
fn output(output: &ReturnType) -> Result<(Option<Value>, Option<Type>)> {
    let ReturnType::Type(_, ty) = output else {
        return Ok((None, None));
    };
    match fallible(ty) {
        Some((result, error)) => Ok((nothing_or(result)?, Some(error.clone()))),
        None => Ok((nothing_or(ty)?, None)),
    }
}

fn nothing_or(ty: &Type) -> Result<Option<Value>> {
    match ty {
        Type::Tuple(tuple) if tuple.elems.is_empty() => Ok(None),
        _ => value(ty).map(Some),
    }
}

/// The two types of a `Result`.
fn fallible(ty: &Type) -> Option<(&Type, &Type)> {
    let Type::Path(path) = ty else { return None };
    let last = path
        .path
        .segments
        .last()
        .filter(|segment| segment.ident == "Result")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    Some((types.next()?, types.next()?))
}
