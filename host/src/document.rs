//! TOML text to structs, with serde's complaints turned into refusals that name the next step.

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer};

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
    if error.message() == DUPLICATE {
        return duplicate(source, span);
    }
    let key = key_at(&source.text, span.start);
    if let Some(word) = unquoted(
        source.text.get(span.start..span.end).unwrap_or_default(),
        error.message(),
    ) {
        let message = format!("`{word}` is neither a number nor text");
        let help = match number_for(key) {
            Some(number) => number.into(),
            None => {
                format!("write text between quotation marks, as \"{word}\", and a number in digits")
            }
        };
        return source.refuse(span, message, help);
    }
    let (message, help) = header_at(&source.text, span.start)
        .and_then(|header| of_other_brackets(&header, error.message()))
        .unwrap_or_else(|| explain(error.message(), key));
    source.refuse(span, message, help)
}

/// The word in the place of a value that is none, by what the parser says: it guesses by the first letter.
fn unquoted<'t>(word: &'t str, message: &str) -> Option<&'t str> {
    let guesses = [
        "invalid boolean",
        "invalid float",
        "string values must be quoted",
    ];
    let is_word = word.starts_with(|it: char| it.is_alphanumeric()) && !word.contains('"');
    (is_word && guesses.iter().any(|it| message.starts_with(it))).then_some(word)
}

/// The key before the value that stands at the byte `at`, in its line.
fn key_at(text: &str, at: usize) -> &str {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    let key = line.trim_end().strip_suffix('=').unwrap_or_default();
    let key = key.trim_end().rsplit([' ', ',', '{', '\t']).next();
    key.unwrap_or_default()
}

/// What number the value of this key is, where all tables that have it agree.
fn number_for(key: &str) -> Option<&'static str> {
    ["priority", "priority_limit"].contains(&key).then_some(
        "write digits alone, such as 10: 1 to 31, unless [kernel] has other `priorities`; higher is more urgent",
    )
}

/// The line in which a table begins: `[path]`, or `[[path]]` for one of a list.
struct Header<'t> {
    path: &'t str,
    /// Of a list.
    listed: bool,
    /// Where the last key of the path stands.
    key: Place,
}

impl<'t> Header<'t> {
    /// The header in the line that begins at the byte `begin`.
    fn of_line(line: &'t str, begin: usize) -> Option<Header<'t>> {
        let one = line.trim_start().strip_prefix('[')?;
        let (inner, close) = match one.strip_prefix('[') {
            Some(inner) => (inner, "]]"),
            None => (one, "]"),
        };
        let path = inner.split_once(close)?.0.trim();
        let is_path = |it: char| it.is_alphanumeric() || "-_. ".contains(it);
        if !path.chars().all(is_path) {
            return None;
        }
        let last = path.rsplit('.').next()?.trim();
        let start = begin + (last.as_ptr() as usize - line.as_ptr() as usize);
        Some(Header {
            path,
            listed: close.len() == 2,
            key: Place {
                start,
                end: start + last.len(),
            },
        })
    }
}

/// The header in the line of the byte `at`, if it is one.
fn header_at(text: &str, at: usize) -> Option<Header<'_>> {
    let begin = text.get(..at)?.rfind('\n').map_or(0, |newline| newline + 1);
    Header::of_line(text[begin..].lines().next()?, begin)
}

/// All headers that end before the byte `end`.
fn headers_before(text: &str, end: usize) -> impl Iterator<Item = Header<'_>> {
    let lines = text[..end].split_inclusive('\n');
    let placed = lines.scan(0, |at, line| {
        let begin = *at;
        *at += line.len();
        Some((line, begin))
    });
    placed.filter_map(|(line, begin)| Header::of_line(line, begin))
}

/// A table where a list of such is wanted, or the other way round: what the parser says of it is of its values.
fn of_other_brackets(header: &Header<'_>, message: &str) -> Option<(String, String)> {
    let found = message.strip_prefix("invalid type: ")?;
    let path = header.path;
    if header.listed {
        let help = format!("write [{path}], in single brackets, and that once");
        return Some((format!("there is one table `{path}` only"), help));
    }
    (found == "map, expected a sequence").then(|| {
        let help = format!("write [[{path}]], in double brackets");
        (format!("of `{path}` there is a list of tables"), help)
    })
}

/// What the parser says of a key that stands twice in a table.
const DUPLICATE: &str = "duplicate key";

/// Refuses the key at `second`, and points to the one that was there.
fn duplicate(source: &Source, second: Place) -> Refusal {
    let name = &source.text[second.start..second.end];
    if let Some(refusal) = in_both_brackets(source, second) {
        return refusal;
    }
    let message = format!("the key `{name}` stands here a second time");
    let Some(first) = first_of(source, second) else {
        return source.refuse(second, message, "keep one of the two, and remove the other");
    };
    let line = source.line_of(first);
    let help =
        format!("keep one of the two: change line {line} and remove this, or remove line {line}");
    source
        .refuse(second, message, help)
        .label("again")
        .also(first, "the first")
}

/// Refuses the header at `second` if the same one stands before it in the other brackets.
fn in_both_brackets(source: &Source, second: Place) -> Option<Refusal> {
    let header = header_at(&source.text, second.start)?;
    let first = headers_before(&source.text, second.start)
        .find(|it| it.path == header.path && it.listed != header.listed)?;
    let path = header.path;
    let line = source.line_of(first.key);
    let message = format!("`{path}` stands in single brackets and in double ones");
    let help = if header.listed {
        format!(
            "of what there can be several, write [[{path}]] in line {line} too; of what there is one, keep one of the two"
        )
    } else {
        format!("write [[{path}]] here too, as in line {line}")
    };
    let refusal = source.refuse(header.key, message, help);
    Some(refusal.label("here").also(first.key, "there"))
}

/// The key of the same name before the one at `second`. The nearest that is written in the same way is that of the same table:
/// what comes between is of tables that are closed.
fn first_of(source: &Source, second: Place) -> Option<Place> {
    let name = source.text[second.start..second.end].trim_matches(['"', '\'']);
    let (table, _) = DeTable::parse_recoverable(&source.text);
    let mut keys = Vec::new();
    keys_of(table.get_ref(), name, &mut keys);
    let wanted = Writing::of(&source.text, second);
    // A table that is refused takes the first one with it.
    if let Some(header) = header_like(&source.text, second).filter(|_| wanted == Writing::Header) {
        return Some(header);
    }
    let before = keys.into_iter().filter(|it| it.start < second.start);
    before.max_by_key(|it| (Writing::of(&source.text, *it) == wanted, it.start))
}

/// The key of the first line that is the same as that of the key at `second`.
fn header_like(text: &str, second: Place) -> Option<Place> {
    let begin = |at: usize| text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let written = |at: usize| text[at..].lines().next().unwrap_or_default().trim();
    let header = written(begin(second.start));
    let lines = text[..begin(second.start)].split_inclusive('\n');
    let mut starts = lines.scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some(start)
    });
    let first = starts.find(|at| written(*at) == header)?;
    let start = first + text[first..].find(|it| it != '[' && it != ' ' && it != '\t')?;
    Some(Place {
        start,
        end: start + (second.end - second.start),
    })
}

/// How a key is written.
#[derive(PartialEq, Eq)]
enum Writing {
    /// As that of a table: `[key]`.
    Header,
    /// At the beginning of a line.
    Line,
    /// Within one.
    Within,
}

impl Writing {
    fn of(text: &str, key: Place) -> Writing {
        let before = text[..key.start].rsplit('\n').next().unwrap_or_default();
        match before.trim() {
            "" => Writing::Line,
            "[" | "[[" => Writing::Header,
            _ => Writing::Within,
        }
    }
}

/// The places of all keys of this name in a table and below it.
fn keys_of(table: &DeTable<'_>, name: &str, found: &mut Vec<Place>) {
    for (key, value) in table {
        if key.get_ref() == name {
            found.push(key.span().into());
        }
        keys_in(value.get_ref(), name, found);
    }
}

fn keys_in(value: &DeValue<'_>, name: &str, found: &mut Vec<Place>) {
    match value {
        DeValue::Table(table) => keys_of(table, name, found),
        DeValue::Array(values) => {
            for value in values {
                keys_in(value.get_ref(), name, found);
            }
        }
        _ => {}
    }
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

/// How a table within a line is written.
const TABLE: &str = "write it between braces: { key = value }";

/// A value of the wrong type: what is wanted instead, and how that is written.
fn of_another_type(message: &str, key: &str) -> Option<(String, String)> {
    let (found, expected) = message
        .strip_prefix("invalid type: ")?
        .split_once(", expected ")?;
    let (wanted, help) = match expected {
        "a string" => (
            "text",
            "write it between quotation marks; a time has a unit, too: \"100ms\"",
        ),
        "i64" | "u64" | "u32" => (
            "a whole number",
            number_for(key).unwrap_or("write digits alone, such as 100"),
        ),
        "a boolean" => ("a boolean", "write true or false"),
        "a sequence" => ("a list", "write it between brackets: [\"one\", \"two\"]"),
        "a map" => ("a table", TABLE),
        other if other.starts_with("struct ") => ("a table", TABLE),
        other => (other, SEE),
    };
    let found = match found {
        "map" => "a table",
        "sequence" => "a list",
        other => other,
    };
    Some((
        format!("{wanted} is wanted here, and this is {found}"),
        help.into(),
    ))
}

/// Serde says what it expected in prose; the names in it stand between backquotes.
fn explain(message: &str, key: &str) -> (String, String) {
    if let Some(explained) = of_another_type(message, key) {
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
