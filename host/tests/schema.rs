//! The JSON Schema in the book is the one of this tool.

use riposte_host::manifest::schema;

#[test]
fn the_committed_schema_is_current() {
    let committed = std::fs::read_to_string("../docs/app.schema.json").unwrap_or_default();
    assert!(
        committed == schema(),
        "docs/app.schema.json is stale; run: ./riposte schema > docs/app.schema.json"
    );
}

#[test]
fn every_key_of_the_schema_is_described() {
    let schema: serde_json::Value = serde_json::from_str(&schema()).expect("JSON");
    let definitions = schema["$defs"].as_object().expect("definitions");
    let tables = definitions.values().chain([&schema]);
    for (key, property) in tables
        .filter_map(|table| table["properties"].as_object())
        .flatten()
    {
        assert!(
            property["description"].is_string(),
            "key `{key}` has no description"
        );
    }
}

#[test]
fn the_schema_admits_no_unknown_key() {
    let schema: serde_json::Value = serde_json::from_str(&schema()).expect("JSON");
    let definitions = schema["$defs"].as_object().expect("definitions");
    for table in definitions
        .values()
        .chain([&schema])
        .filter(|table| table["type"] == "object")
    {
        assert_eq!(table["additionalProperties"], false, "{table}");
    }
}
