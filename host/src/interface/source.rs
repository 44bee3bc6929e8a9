//! What stands in the sources of a crate that has interfaces.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use miette::{IntoDiagnostic, WrapErr, miette};
use riposte_interface::{Failure, Interface};
use serde::Deserialize;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Fields, Item, Type};

use super::names::screaming;
use crate::document;
use crate::source::{Place, Source};

/// A crate.
pub struct Crate {
    /// Its package's name.
    pub name: String,
    /// Its interfaces, in order.
    pub interfaces: Vec<syn::Result<Interface>>,
    structures: BTreeMap<String, syn::ItemStruct>,
    failures: BTreeMap<String, syn::Result<Failure>>,
    constants: BTreeMap<String, usize>,
    defined: BTreeSet<String>,
    /// Names that mean one thing here and another one there, or under a condition.
    vague: BTreeSet<String>,
    sources: Vec<Source>,
}

#[derive(Deserialize)]
struct Manifest {
    package: Package,
}

#[derive(Deserialize)]
struct Package {
    name: String,
}

impl Crate {
    /// Reads the crate in `folder`.
    ///
    /// # Errors
    /// A file that can't be read, or is not Rust, or a crate without interfaces.
    pub fn read(folder: &Path) -> miette::Result<Crate> {
        let manifest = Source::read(&folder.join("Cargo.toml"))?;
        let Manifest { package } = document::parse(&manifest)?;
        let mut files = vec![];
        sources(&folder.join("src"), &mut files)?;
        let mut read = Crate {
            name: package.name,
            interfaces: vec![],
            structures: BTreeMap::new(),
            failures: BTreeMap::new(),
            constants: BTreeMap::new(),
            defined: BTreeSet::new(),
            vague: BTreeSet::new(),
            sources: vec![],
        };
        for file in files {
            read.add(Source::read(&file)?)?;
        }
        if read.interfaces.is_empty() {
            let help = "mark a trait of it: #[riposte::interface]";
            let folder = folder.display();
            return Err(miette!(
                help = help,
                "the crate in {folder} has no interface"
            ));
        }
        Ok(read)
    }

    fn add(&mut self, source: Source) -> miette::Result<()> {
        let parsed = syn::parse_file(&source.text);
        self.sources.push(source);
        let parsed = parsed.map_err(|error| self.refuse(&error))?;
        self.add_items(parsed.items, false);
        Ok(())
    }

    /// Adds what stands in a module, which is there under a condition if it `may_lack`.
    fn add_items(&mut self, items: Vec<Item>, may_lack: bool) {
        for item in items {
            match item {
                Item::Trait(it) if it.attrs.iter().any(is_interface) => {
                    self.interfaces.push(Interface::of(&it));
                }
                Item::Struct(it) => {
                    self.define(&it.ident, may_lack, &it.attrs);
                    if derives_a_status(&it.attrs) {
                        let failure = Failure::of(&it.clone().into());
                        self.failures.insert(it.ident.to_string(), failure);
                    }
                    self.structures.insert(it.ident.to_string(), it);
                }
                Item::Enum(it) => {
                    self.define(&it.ident, may_lack, &it.attrs);
                    if derives_a_status(&it.attrs) {
                        let name = it.ident.to_string();
                        self.failures.insert(name, Failure::of(&it.into()));
                    }
                }
                Item::Const(it) => {
                    self.define(&it.ident, may_lack, &it.attrs);
                    if let Some(value) = literal(&it.expr) {
                        self.constants.insert(it.ident.to_string(), value);
                    }
                }
                Item::Type(it) => self.define(&it.ident, may_lack, &it.attrs),
                Item::Mod(it) => {
                    let may_lack = may_lack || it.attrs.iter().any(is_condition);
                    if let Some((_, items)) = it.content {
                        self.add_items(items, may_lack);
                    }
                }
                _ => {}
            }
        }
    }

    fn define(&mut self, name: &syn::Ident, may_lack: bool, attributes: &[Attribute]) {
        let name = name.to_string();
        let is_vague = may_lack || attributes.iter().any(is_condition);
        if !self.defined.insert(name.clone()) || is_vague {
            self.vague.insert(name);
        }
    }

    /// Refuses a name that means several things.
    pub fn sure(&self, name: &str, place: &impl Spanned) -> syn::Result<()> {
        if !self.vague.contains(name) {
            return Ok(());
        }
        let message = format!(
            "`{name}` is defined more than once in this crate, or under a condition: a header for C has one meaning"
        );
        Err(refused(place, message))
    }

    /// The structure with this name, of those with fields.
    pub fn structure(&self, name: &str) -> Option<&syn::ItemStruct> {
        let found = self.structures.get(name);
        found.filter(|it| matches!(it.fields, Fields::Named(_)))
    }

    /// The number that an expression says: a literal, or a constant of the crate.
    pub fn number(&self, expression: &Expr) -> Option<usize> {
        match expression {
            Expr::Path(path) => {
                let name = path.path.segments.last()?.ident.to_string();
                self.constants.get(&name).copied()
            }
            other => literal(other),
        }
    }

    /// The names and numbers of these errors' cases, each error once.
    ///
    /// # Errors
    /// What a derive would refuse.
    pub fn statuses<'a>(
        &self,
        prefix: &str,
        errors: impl Iterator<Item = &'a Type>,
    ) -> miette::Result<Vec<(String, u32)>> {
        let mut statuses = vec![];
        for error in errors {
            let Type::Path(path) = error else { continue };
            let name = path.path.segments.last().map(|last| last.ident.to_string());
            let name = name.unwrap_or_default();
            let Some(found) = self.failures.get(&name) else {
                continue;
            };
            self.sure(&name, error)
                .map_err(|error| self.refuse(&error))?;
            let failure = found.as_ref().map_err(|error| self.refuse(error))?;
            for case in &failure.cases {
                let mut name = format!("{prefix}_{}", failure.name);
                if let Some(case) = &case.name {
                    name = format!("{name}_{case}");
                }
                let status = (screaming(&name), case.status);
                if !statuses.contains(&status) {
                    statuses.push(status);
                }
            }
        }
        Ok(statuses)
    }

    /// Refuses what an error of the parser says, where it stands.
    pub fn refuse(&self, error: &syn::Error) -> miette::Report {
        let text = error.span().source_text().unwrap_or_default();
        let range = error.span().byte_range();
        // Files are parsed one by one, each with places of its own.
        let stands = |source: &&Source| source.text.get(range.clone()) == Some(text.as_str());
        let found = self.sources.iter().rev().find(stands);
        let Some(source) = found.or(self.sources.last()) else {
            return miette!("{error}");
        };
        let help = "the header for C is made of this trait and of what it names in its crate";
        source
            .refuse(Place::from(range), error.to_string(), help)
            .into()
    }
}

/// Rust sources in `folder` and below, in order of name.
fn sources(folder: &Path, all: &mut Vec<PathBuf>) -> miette::Result<()> {
    let entries = std::fs::read_dir(folder)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read {}", folder.display()))?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            sources(&path, all)?;
        } else if path.extension().is_some_and(|it| it == "rs") {
            all.push(path);
        }
    }
    Ok(())
}

fn is_interface(attribute: &Attribute) -> bool {
    let path = attribute.path();
    path.is_ident("interface")
        || path.segments.len() == 2
            && path.segments[0].ident == "riposte"
            && path.segments[1].ident == "interface"
}

fn is_condition(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr")
}

fn derives_a_status(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let mut found = false;
        if attribute.path().is_ident("derive") {
            let _ = attribute.parse_nested_meta(|meta| {
                let last = meta.path.segments.last();
                found |= last.is_some_and(|last| last.ident == "ApplicationError");
                Ok(())
            });
        }
        found
    })
}

fn literal(expression: &Expr) -> Option<usize> {
    match expression {
        Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Int(number),
            ..
        }) => number.base10_parse().ok(),
        _ => None,
    }
}

/// A refusal of what stands at `place`.
pub fn refused(place: &impl Spanned, message: impl std::fmt::Display) -> syn::Error {
    syn::Error::new(place.span(), message)
}
