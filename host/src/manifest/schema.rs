//! The manifest's JSON Schema, for editors.

/// The schema as JSON text. `docs/app.schema.json` is a copy of it.
#[must_use]
pub fn schema() -> String {
    let schema = schemars::schema_for!(super::written::Manifest);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}
