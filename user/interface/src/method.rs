//! The methods of an interface.

use syn::{
    Attribute, Error, FnArg, GenericArgument, Ident, Pat, PathArguments, Result, ReturnType,
    Signature, TraitItem, TraitItemFn, Type,
};

use crate::value::is_named;
use crate::{ARGUMENT_WORDS, RESULT_WORDS, Value};

/// Slices and texts of a request: with the values and the gaps between them, they are the parts of one message.
const SLICES: usize = 7;

/// A method.
pub struct Method {
    /// Its documentation.
    pub documentation: Vec<Attribute>,
    /// Its name.
    pub name: Ident,
    /// Its parameters but for `self`.
    pub arguments: Vec<Argument>,
    /// What it gives.
    pub result: Value,
    /// Its own error, if it returns a `Result`.
    pub error: Option<Type>,
}

/// A parameter.
pub struct Argument {
    /// Its name.
    pub name: Ident,
    /// Its type as written.
    pub written: Type,
    /// How it travels.
    pub kind: Kind,
}

/// How a parameter travels.
pub enum Kind {
    /// By value.
    Value(Value),
    /// Behind a reference, by value.
    Reference(Value),
    /// Any number of elements.
    Slice(Type),
    /// UTF-8 of any length.
    Text,
    /// Room of the client for any number of elements, which the server fills.
    Room(Type),
    /// Room of the client for UTF-8.
    TextRoom,
}

impl Kind {
    /// Whether its number of elements travels among the values.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        !matches!(self, Kind::Value(_) | Kind::Reference(_))
    }

    /// Whether its elements follow the values of the request.
    #[must_use]
    pub fn follows(&self) -> bool {
        matches!(self, Kind::Slice(_) | Kind::Text)
    }

    /// Whether its elements follow the values of the reply.
    #[must_use]
    pub fn is_room(&self) -> bool {
        matches!(self, Kind::Room(_) | Kind::TextRoom)
    }
}

impl Method {
    /// Whether the request goes in registers.
    #[must_use]
    pub fn sends_words(&self) -> bool {
        let words = self.arguments.iter().map(|argument| match &argument.kind {
            Kind::Value(value) => value.words(),
            // A reference is for what is worth not to copy.
            _ => None,
        });
        words
            .sum::<Option<usize>>()
            .is_some_and(|words| words <= ARGUMENT_WORDS)
    }

    /// Whether the reply goes in registers.
    #[must_use]
    pub fn replies_words(&self) -> bool {
        let words = self.result.words();
        self.room().is_none() && words.is_some_and(|words| words <= RESULT_WORDS)
    }

    /// The parameter that is the client's room for what has any length, if there is one.
    #[must_use]
    pub fn room(&self) -> Option<&Argument> {
        self.arguments.last().filter(|it| it.kind.is_room())
    }

    /// Its slices and texts.
    pub fn slices(&self) -> impl Iterator<Item = &Argument> {
        self.arguments.iter().filter(|it| it.kind.follows())
    }

    pub(crate) fn of(item: &TraitItem) -> Result<Method> {
        let TraitItem::Fn(function) = item else {
            return Err(Error::new_spanned(item, "an interface has methods only"));
        };
        check_form(function)?;
        let inputs = function.sig.inputs.iter().skip(1);
        let arguments = inputs.map(argument).collect::<Result<Vec<_>>>()?;
        let (result, error) = output(&function.sig.output)?;
        let method = Method {
            documentation: crate::documentation(&function.attrs),
            name: function.sig.ident.clone(),
            arguments,
            result,
            error,
        };
        method.check_lengths(&function.sig)?;
        Ok(method)
    }

    /// What of any length goes where.
    fn check_lengths(&self, signature: &Signature) -> Result<()> {
        let last = self.arguments.len();
        let mut rooms = self.arguments.iter().take(last.saturating_sub(1));
        if let Some(room) = rooms.find(|it| it.kind.is_room()) {
            let message = "the client's room comes last, and once";
            return Err(Error::new_spanned(&room.written, message));
        }
        if self.slices().count() > SLICES {
            let message = format!("a method takes at most {SLICES} slices and texts");
            return Err(Error::new_spanned(&signature.inputs, message));
        }
        let counts = self.result.begins_with_a_count();
        match self.room() {
            Some(room) if matches!(room.kind, Kind::Room(_)) && !counts => {
                let message = "a method with a room says how many elements of it are filled: it returns \
                               `usize`, or a tuple that begins with it";
                Err(Error::new_spanned(signature, message))
            }
            _ => Ok(()),
        }
    }
}

/// A method takes `self` by reference and leaves the rest to a server.
fn check_form(function: &TraitItemFn) -> Result<()> {
    let signature = &function.sig;
    if let Some(body) = &function.default {
        return Err(Error::new_spanned(
            body,
            "an interface's method has no body: it is what a server does",
        ));
    }
    if !signature.generics.params.is_empty() {
        return Err(Error::new_spanned(
            &signature.generics,
            "an interface's method can't be generic",
        ));
    }
    if let Some(asyncness) = signature.asyncness {
        return Err(Error::new_spanned(
            asyncness,
            "an interface's method can't be async: a client waits for its answer",
        ));
    }
    match signature.inputs.first() {
        Some(FnArg::Receiver(receiver)) if receiver.reference.is_some() => Ok(()),
        _ => Err(Error::new_spanned(
            signature,
            "an interface's method takes `&self` or `&mut self`",
        )),
    }
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
        return Value::of(ty).map(Kind::Value);
    };
    let inner = &*reference.elem;
    match (inner, reference.mutability) {
        (Type::Slice(slice), None) => Ok(Kind::Slice((*slice.elem).clone())),
        (Type::Slice(slice), Some(_)) => Ok(Kind::Room((*slice.elem).clone())),
        (_, Some(_)) if is_text(inner) => Ok(Kind::TextRoom),
        (_, Some(_)) => Err(Error::new_spanned(
            ty,
            "the server can't change a client's variable: return the value. What has any length is \
             written into a room: `&mut [u8]`, `&mut Text`",
        )),
        (inner, None) if is_named(inner, "str") => Ok(Kind::Text),
        (inner, None) => Value::of(inner).map(Kind::Reference),
    }
}

/// Whether it is the library's `Text`, under whatever path.
fn is_text(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Text"))
}

/// The result and the error of a method.
fn output(output: &ReturnType) -> Result<(Value, Option<Type>)> {
    let ReturnType::Type(_, ty) = output else {
        return Ok((Value::nothing(), None));
    };
    match fallible(ty) {
        Some((result, error)) => Ok((Value::of(result)?, Some(error.clone()))),
        None => Ok((Value::of(ty)?, None)),
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
