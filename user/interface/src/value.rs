//! What travels by value.

use syn::{Error, Result, Type};

/// A value: an argument, or a result.
pub enum Value {
    /// A number that travels as its words.
    Scalar(Scalar, Type),
    /// A type that travels as its bytes.
    Plain(Type),
    /// Several of them, one after the other. Nothing is the empty one.
    Tuple(Vec<Value>),
}

/// A number that travels as its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// One word of the type with this name.
    Word(&'static str),
    /// Two words, the low one first.
    Words(&'static str),
}

impl Scalar {
    const ALL: [Scalar; 12] = [
        Scalar::Word("u8"),
        Scalar::Word("u16"),
        Scalar::Word("u32"),
        Scalar::Word("usize"),
        Scalar::Word("i8"),
        Scalar::Word("i16"),
        Scalar::Word("i32"),
        Scalar::Word("isize"),
        Scalar::Word("bool"),
        Scalar::Word("f32"),
        Scalar::Words("u64"),
        Scalar::Words("i64"),
    ];

    /// The type's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Word(name) | Scalar::Words(name) => name,
        }
    }

    /// How many words it is.
    #[must_use]
    pub fn words(self) -> usize {
        match self {
            Scalar::Word(_) => 1,
            Scalar::Words(_) => 2,
        }
    }

    fn of(ty: &Type) -> Option<Scalar> {
        let mut all = Scalar::ALL.into_iter();
        all.find(|scalar| is_named(ty, scalar.name()))
    }
}

impl Value {
    /// The value of this type.
    ///
    /// # Errors
    /// If it is none.
    pub fn of(ty: &Type) -> Result<Value> {
        match ty {
            Type::Path(_) | Type::Array(_) => Ok(match Scalar::of(ty) {
                Some(scalar) => Value::Scalar(scalar, ty.clone()),
                None => Value::Plain(ty.clone()),
            }),
            Type::Tuple(tuple) => {
                let values = tuple.elems.iter().map(Value::of);
                values.collect::<Result<_>>().map(Value::Tuple)
            }
            Type::Reference(_) => Err(Error::new_spanned(
                ty,
                "a result is a value: the server's memory is not the client's. What has any length is \
                 written into the client's room, the last parameter: `room: &mut [u8]`, `text: &mut Text`",
            )),
            _ => Err(Error::new_spanned(
                ty,
                "not a number, a structure, or a tuple of such",
            )),
        }
    }

    /// No value.
    #[must_use]
    pub const fn nothing() -> Value {
        Value::Tuple(vec![])
    }

    /// Its words, if all of it are scalars.
    #[must_use]
    pub fn words(&self) -> Option<usize> {
        match self {
            Value::Scalar(scalar, _) => Some(scalar.words()),
            Value::Plain(_) => None,
            Value::Tuple(values) => values.iter().map(Value::words).sum(),
        }
    }

    /// Whether it is, or begins with, a `usize`.
    #[must_use]
    pub fn begins_with_a_count(&self) -> bool {
        match self {
            Value::Scalar(scalar, _) => scalar.name() == "usize",
            Value::Plain(_) => false,
            Value::Tuple(values) => values.first().is_some_and(Value::begins_with_a_count),
        }
    }
}

pub(crate) fn is_named(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.qself.is_none() && path.path.is_ident(name))
}
