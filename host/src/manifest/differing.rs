//! Tables of `[board.NAME]` as an editor knows them. What they hold is read when it has been written over the rest
//! of the manifest.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

use super::written::ThreadTable;

/// A table that may lack any of its keys.
#[derive(Clone, Debug)]
pub struct Differing<T>(PhantomData<T>);

/// Such tables by their names, or a list of whole ones.
#[derive(Clone, Debug)]
pub struct Named<T>(PhantomData<T>);

impl<'de, T> Deserialize<'de> for Differing<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Differing(PhantomData))
    }
}

impl<'de, T> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Named(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Differing<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Differing{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        schema.remove("required");
        let properties = schema.get_mut("properties");
        if let Some(threads) = properties.and_then(|all| all.get_mut("thread")) {
            let named = Named::<ThreadTable>::json_schema(generator);
            let described = threads.get("description").cloned();
            *threads = named.to_value();
            threads["description"] = described.unwrap_or_default();
        }
        schema
    }
}

impl<T: JsonSchema> JsonSchema for Named<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Named{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let by_name = generator.subschema_for::<Differing<T>>();
        let whole = generator.subschema_for::<T>();
        json_schema!({
            "anyOf": [
                { "type": "object", "additionalProperties": by_name },
                { "type": "array", "items": whole },
            ]
        })
    }
}
