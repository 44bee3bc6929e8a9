//! TOML text to structs, with serde's complaints turned into refusals that name the next step.

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, Deserializer};

use crate::source::{Place, Refusal, Source};
use crate::suggest;

/// Parses the whole file.
///
/// # Errors
/// It is not TOML, or not of the shape of `T`.
pub fn parse<T: DeserializeOwned>(source: &Source) -> Result<T, Refusal> {
    shaped(source, table(source)?)
}

/// The whole file as it is written; every key and value knows its place.
///
/// # Errors
/// It is not TOML.
pub fn table(source: &Source) -> Result<Spanned<DeTable<'_>>, Refusal> {
    DeTable::parse(&source.text).map_err(|error| refusal(source, &error))
}

/// What a table of the file says.
///
/// # Errors
/// It is not of the shape of `T`.
pub fn shaped<T: DeserializeOwned>(
    source: &Source,
    table: Spanned<DeTable<'_>>,
) -> Result<T, Refusal> {
    T::deserialize(Deserializer::from(table)).map_err(|error| refusal(source, &error))
}

fn refusal(source: &Source, error: &toml::de::Error) -> Refusal {
    let span = error.span().map_or(Place::default(), Place::from);
    if let Some(key) = key_without_value(&source.text, span.start) {
        let name = &source.text[key.start..key.end];
        let message = format!("the key `{name}` has no value");
        return source.refuse(key, message, "write one behind the `=`, or remove the line");
    }
    let (message, help) = explain(error.message());
    source.refuse(span, message, help)
}

/// The key in the line of the byte `at`, if nothing but a comment stands behind its `=`.
fn key_without_value(text: &str, at: usize) -> Option<Place> {
    let begin = text.get(..at)?.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[begin..].lines().next()?;
    let (key, value) = line.split_once('=')?;
    let value = value.trim_start();
    let is_key = |it: char| it.is_alphanumeric() || "-_.\"' ".contains(it);
    let (name, indent) = (key.trim(), key.len() - key.trim_start().len());
    let lacks = !name.is_empty() && name.chars().all(is_key);
    (lacks && (value.is_empty() || value.starts_with('#'))).then(|| Place {
        start: begin + indent,
        end: begin + indent + name.len(),
    })
}

/// What else could be done.
const SEE: &str = "see docs/src/manifest.md for what may stand here";

/// A value of the wrong type: what is wanted instead, and how that is written.
fn of_another_type(message: &str) -> Option<(String, String)> {
    let (found, expected) = message
        .strip_prefix("invalid type: ")?
        .split_once(", expected ")?;
    let (wanted, help) = match expected {
        "a string" => (
            "text",
            "write it between quotation marks; a time has a unit, too: \"100ms\"",
        ),
        "i64" | "u64" | "u32" => ("a whole number", "write digits alone, such as 100"),
        "a boolean" => ("a boolean", "write true or false"),
        "a sequence" => ("a list", "write it between brackets: [\"one\", \"two\"]"),
        other => (other, SEE),
    };
    Some((
        format!("{wanted} is wanted here, and this is {found}"),
        help.into(),
    ))
}

/// Serde says what it expected in prose; the names in it stand between backquotes.
fn explain(message: &str) -> (String, String) {
    if let Some(explained) = of_another_type(message) {
        return explained;
    }
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let [name, known @ ..] = names.as_slice() else {
        return (message.into(), SEE.into());
    };
    if message.starts_with("unknown field") {
        (
            format!("unknown key `{name}`"),
            suggest::help(name, "keys", known.iter().copied()),
        )
    } else if message.starts_with("unknown variant") {
        (
            format!("`{name}` is not possible here"),
            suggest::help(name, "choices", known.iter().copied()),
        )
    } else if message.starts_with("missing field") {
        (
            format!("the key `{name}` is missing"),
            format!("add a line `{name} = …` to this table"),
        )
    } else {
        (message.into(), SEE.into())
    }
}
