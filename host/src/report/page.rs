//! The page's parts, and how they become HTML.

use std::collections::BTreeMap;

use miette::IntoDiagnostic;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, context};
use serde::Serialize;
use serde_json::Value;

use super::between::Transfer;
use super::checked::Checked;
use super::trips::Trips;
use crate::results::Results;

/// All that the page shows.
pub struct Page {
    /// The files it was made of.
    pub sources: Vec<Source>,
    /// What stands first.
    pub trips: Vec<Trips>,
    /// And below it.
    pub claims: Vec<Claim>,
    /// What the tests have counted.
    pub checked: Checked,
    /// The rest.
    pub sections: Vec<Section>,
    /// How the measured systems were built.
    pub configurations: Vec<String>,
    /// The figures themselves.
    pub document: Data,
}

/// A file that the figures are from.
#[derive(Serialize)]
pub struct Source {
    file: String,
    commit: String,
    date: String,
    tools: BTreeMap<String, String>,
    figures: usize,
    pub remarks: Vec<String>,
}

impl Source {
    /// What is told of a file.
    pub fn of(results: &Results) -> Source {
        let name = results.file.file_name().unwrap_or_default();
        Source {
            file: name.to_string_lossy().into(),
            commit: results.commit.clone(),
            date: results.date.clone(),
            tools: results.tools.clone(),
            figures: results.entries.len(),
            remarks: results.remarks.clone(),
        }
    }

    /// What is to know of it, a line each.
    pub fn told(&self) -> impl Iterator<Item = String> {
        self.remarks.iter().map(|it| format!("{}: {it}", self.file))
    }
}

/// Figures of one publication, or beside the peers on one board.
#[derive(Serialize)]
pub struct Claim {
    pub title: String,
    pub place: String,
    pub rows: Vec<ClaimRow>,
    /// Why there are none.
    pub missing: Option<String>,
    /// Whether any of ours is in the files.
    pub is_measured: bool,
}

/// One figure beside another.
#[derive(Serialize)]
pub struct ClaimRow {
    pub what: String,
    pub theirs: String,
    pub ours: String,
    /// Theirs as a multiple of ours.
    pub ratio: Option<f64>,
}

/// A suite.
#[derive(Serialize)]
pub struct Section {
    /// Its place in the page.
    pub id: String,
    /// What leads there.
    pub name: String,
    pub title: String,
    /// Whose figures ours stand beside, and how they came about.
    pub about: Vec<String>,
    pub pictures: Vec<Picture>,
    pub tables: Vec<Table>,
}

/// A picture with its words, and what it was drawn from.
#[derive(Serialize)]
pub struct Picture {
    pub caption: String,
    pub svg: String,
    pub table: Table,
}

/// A table.
#[derive(Default, Serialize)]
pub struct Table {
    pub caption: String,
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// The figures as data, as they stand in the result file.
#[derive(Serialize)]
pub struct Data {
    json: String,
}

impl Data {
    /// Of all results, what the tests have counted, and transfers between nodes.
    pub fn of(results: &Results, checks: Value, transfers: &[Transfer]) -> Data {
        let mut document = results.document.clone();
        // Where several files were read, the entries are those that count.
        if !results.others.is_empty() {
            let entry = |it: &crate::results::Entry| {
                serde_json::json!({
                    "suite": it.suite, "case": it.case, "board": it.board, "metric": it.metric,
                    "value": it.value, "min": it.min, "max": it.max, "per": "operation",
                    "bytes": it.bytes, "iterations": it.iterations, "protected": it.protected,
                    "config": it.config, "method": it.method,
                })
            };
            document["results"] = Value::Array(results.entries.iter().map(entry).collect());
            // What the document says of itself is the first file's.
            document["others"] = results.others.clone().into();
        }
        document["checks"] = checks;
        if !transfers.is_empty() {
            document["between_nodes"] = serde_json::json!(transfers);
        }
        // Nothing in it ends the element that holds it.
        Data {
            json: document.to_string().replace('<', "\\u003c"),
        }
    }
}

/// The page as HTML.
///
/// # Errors
/// If the template is wrong.
pub fn render(page: &Page) -> miette::Result<String> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_filter("factor", |value: f64| format!("{value:.2}"));
    let template = environment
        .template_from_str(include_str!("page.html"))
        .into_diagnostic()?;
    let text = template.render(context! {
        style => include_str!("style.css"),
        script => include_str!("page.js"),
        sources => Serde(&page.sources),
        claims => Serde(&page.claims),
        trips => Serde(&page.trips),
        checked => Serde(&page.checked),
        sections => Serde(&page.sections),
        configurations => Serde(&page.configurations),
        data => page.document.json.as_str(),
    });
    text.into_diagnostic()
}
