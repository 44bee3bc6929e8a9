//! The manifest's JSON Schema, for editors.

use schemars::Schema;

/// The schema as JSON text. `docs/app.schema.json` is a copy of it.
#[must_use]
pub fn schema() -> String {
    as_text(&schemars::schema_for!(super::written::Manifest))
}

/// A schema as a file has it.
#[must_use]
pub fn as_text(schema: &Schema) -> String {
    let mut text = serde_json::to_string_pretty(schema).unwrap_or_default();
    text.push('\n');
    text
}
