//! `[board.NAME]`: what differs on one board, written over what the rest of the manifest says.

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::check::Check;
use super::written::Manifest;
use crate::board::Board;
use crate::source::At;
use crate::suggest;

type Value<'a> = Spanned<DeValue<'a>>;

/// The tables that a manifest has several of, each with a name: one of them, and all.
const NAMED: [(&str, &str); 8] = [
    ("program", "programs"),
    ("process", "processes"),
    ("thread", "threads"),
    ("channel", "channels"),
    ("proxy", "proxies"),
    ("connection", "connections with a name"),
    ("region", "regions"),
    ("pool", "pools"),
];

/// Refuses tables of boards that there are not, or on which the application does not run.
pub fn boards(check: &mut Check, manifest: &Manifest, all: &[Board]) {
    let own = &manifest.application.boards.value;
    let own: Vec<&str> = own.iter().map(|name| name.value.as_str()).collect();
    for At { value: name, span } in manifest.board.keys() {
        if own.contains(&name.as_str()) {
            continue;
        }
        if all.iter().any(|board| board.name == *name) {
            let message = format!("the application does not run on `{name}`");
            let help = format!("add {name:?} to `boards`, or leave the table out");
            check.refuse(*span, message, help);
        } else {
            let message = format!("there is no board `{name}`");
            let help = suggest::help(name, "application's boards", own.iter().copied());
            check.refuse(*span, message, help);
        }
    }
}

/// The manifest as it is on `board`.
pub fn on<'a>(
    check: &mut Check,
    manifest: &Spanned<DeTable<'a>>,
    board: &str,
) -> Spanned<DeTable<'a>> {
    let mut there = manifest.clone();
    let tables = manifest.get_ref().get("board");
    let table = tables.and_then(|tables| tables.get_ref().get(board));
    if let Some(DeValue::Table(table)) = table.map(Spanned::get_ref) {
        write_over(check, there.get_mut(), table);
    }
    there
}

/// Tables are merged, key by key; everything else is replaced.
fn write_over<'a>(check: &mut Check, there: &mut DeTable<'a>, differs: &DeTable<'a>) {
    for (key, value) in differs {
        let name = key.get_ref().as_ref();
        let kind = NAMED.iter().find(|(kind, _)| *kind == name);
        match (there.get_mut(name), value.get_ref(), kind) {
            (None, DeValue::Table(tables), Some(kind)) => {
                named(check, *kind, &mut DeArray::default(), tables);
            }
            (None, ..) => {
                there.insert(key.clone(), value.clone());
            }
            (Some(before), _, kind) => one(check, kind, before, value),
        }
    }
}

fn one<'a>(
    check: &mut Check,
    kind: Option<&(&str, &str)>,
    there: &mut Value<'a>,
    differs: &Value<'a>,
) {
    match (there.get_mut(), differs.get_ref(), kind) {
        (DeValue::Table(there), DeValue::Table(differs), _) => write_over(check, there, differs),
        (DeValue::Array(there), DeValue::Table(differs), Some(kind)) => {
            named(check, *kind, there, differs);
        }
        (DeValue::Array(there), DeValue::Array(further), Some(_)) => {
            further.iter().for_each(|table| there.push(table.clone()));
        }
        _ => *there = differs.clone(),
    }
}

/// Each table of `differs` is written over the one that has its key as a name.
fn named<'a>(
    check: &mut Check,
    (kind, plural): (&str, &str),
    there: &mut DeArray<'a>,
    differs: &DeTable<'a>,
) {
    for (key, value) in differs {
        let wanted = key.get_ref().as_ref();
        let mut all = there.iter_mut();
        if let Some(table) = all.find(|table| name(table) == Some(wanted)) {
            one(check, None, table, value);
        } else {
            let message = format!("there is no {kind} `{wanted}` that could differ");
            let help = suggest::help(wanted, plural, there.iter().filter_map(name));
            check.refuse(key.span().into(), message, help);
        }
    }
}

fn name<'b>(table: &'b Value<'_>) -> Option<&'b str> {
    table.get_ref().get("name")?.get_ref().as_str()
}
