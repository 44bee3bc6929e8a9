//! The Cargo.lock of a new application.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use miette::{IntoDiagnostic, WrapErr, miette};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table};

/// What every program of an application depends on.
const LIBRARY: &str = "riposte";

/// The text of a Cargo.lock with the library of the repository at `root` and what that needs, in the versions of the
/// repository's own, and nothing else: a build adds the application's packages.
///
/// # Errors
/// The repository's Cargo.lock or the library's Cargo.toml cannot be read.
pub fn of_the_library(root: &Path) -> miette::Result<String> {
    let mut lock = read(&root.join("Cargo.lock"))?;
    let manifest = read(&root.join("user/Cargo.toml"))?;
    let packages = lock
        .get_mut("package")
        .and_then(Item::as_array_of_tables_mut)
        .ok_or_else(|| miette!("the repository's Cargo.lock has no packages"))?;
    for library in packages.iter_mut().filter(|it| id(it).0 == LIBRARY) {
        let dependencies = library.get_mut("dependencies").and_then(Item::as_array_mut);
        if let Some(dependencies) = dependencies {
            dependencies.retain(|it| !is_for_tests(&manifest, it.as_str().unwrap_or_default()));
        }
    }
    let needed = needed(packages);
    packages.retain(|package| needed.contains(&id(package)));
    Ok(lock.to_string())
}

fn read(file: &Path) -> miette::Result<DocumentMut> {
    let why = || format!("cannot read {}", file.display());
    let text = fs::read_to_string(file)
        .into_diagnostic()
        .wrap_err_with(why)?;
    text.parse().into_diagnostic().wrap_err_with(why)
}

/// Whether a package depends on another one, as its lock file calls it, for its tests alone.
fn is_for_tests(manifest: &DocumentMut, dependency: &str) -> bool {
    let name = dependency.split(' ').next().unwrap_or_default();
    let has = |table: &str| manifest.get(table).is_some_and(|it| it.get(name).is_some());
    has("dev-dependencies") && !has("dependencies")
}

/// A package's name and version.
fn id(package: &Table) -> (String, String) {
    let text = |key| package.get(key).and_then(Item::as_str).unwrap_or_default();
    (text("name").to_owned(), text("version").to_owned())
}

/// The library and all that it depends on.
fn needed(packages: &ArrayOfTables) -> BTreeSet<(String, String)> {
    let mut needed = BTreeSet::new();
    // Each package is taken once, so that this ends.
    let mut open = vec![LIBRARY.to_owned()];
    while let Some(dependency) = open.pop() {
        // The version stands there only if there are several of a name.
        let mut words = dependency.split(' ');
        let (name, version) = (words.next(), words.next());
        let is_meant = |package: &&Table| {
            let (its_name, its_version) = id(package);
            name == Some(&its_name) && version.is_none_or(|version| version == its_version)
        };
        for package in packages.iter().filter(is_meant) {
            if needed.insert(id(package)) {
                let dependencies = package.get("dependencies").and_then(Item::as_array);
                let names = dependencies.into_iter().flatten();
                open.extend(names.filter_map(|it| it.as_str().map(str::to_owned)));
            }
        }
    }
    needed
}
