//! The JSON Schemas in the book are the ones of this tool.

use riposte_host::{manifest, nodes};

/// Each with the file that is a copy of it, and what writes that.
fn schemas() -> [(String, &'static str, &'static str); 2] {
    [
        (manifest::schema(), "app.schema.json", "./riposte schema"),
        (
            nodes::schema(),
            "nodes.schema.json",
            "./riposte schema --nodes",
        ),
    ]
}

fn parsed() -> impl Iterator<Item = serde_json::Value> {
    schemas()
        .into_iter()
        .map(|(text, ..)| serde_json::from_str(&text).expect("JSON"))
}

#[test]
fn the_committed_schemas_are_current() {
    for (schema, file, command) in schemas() {
        let committed = std::fs::read_to_string(format!("../docs/{file}")).unwrap_or_default();
        assert!(
            committed == schema,
            "docs/{file} is stale; run: {command} > docs/{file}"
        );
    }
}

#[test]
fn every_key_of_the_schemas_is_described() {
    for schema in parsed() {
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
}

#[test]
fn the_schemas_admit_no_unknown_key() {
    for schema in parsed() {
        let definitions = schema["$defs"].as_object().expect("definitions");
        for table in definitions
            .values()
            .chain([&schema])
            .filter(|table| table["type"] == "object")
        {
            assert_eq!(table["additionalProperties"], false, "{table}");
        }
    }
}
