//! Values that know where they stand in the file.

use std::borrow::Cow;
use std::ops::Range;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

/// A value, and where it stands in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// Bytes of the file.
    pub span: Place,
}

/// A byte range of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// First byte.
    pub start: usize,
    /// First byte behind it.
    pub end: usize,
}

impl From<Range<usize>> for Place {
    fn from(range: Range<usize>) -> Self {
        Place {
            start: range.start,
            end: range.end,
        }
    }
}

impl<T> At<T> {
    /// `value` at the place of this one.
    pub fn with<U>(&self, value: U) -> At<U> {
        At {
            value,
            span: self.span,
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for At<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = toml::Spanned::<T>::deserialize(deserializer)?;
        let span = spanned.span().into();
        Ok(At {
            value: spanned.into_inner(),
            span,
        })
    }
}

impl<T: JsonSchema> JsonSchema for At<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
