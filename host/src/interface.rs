//! The interfaces of a crate as a header for programs in C: clients of them, and servers.

mod client;
mod layout;
mod names;
mod parameters;
mod server;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use riposte_interface::Interface;
use syn::Attribute;

use layout::{Layouts, Structure};
use names::{screaming, snake};
use parameters::Shape;
use source::{Crate, refused};

/// A header, and the name under which a program includes it.
pub struct Header {
    /// The crate's name, with `.h` behind it.
    pub name: String,
    /// What stands in it.
    pub text: String,
}

/// The header of the crate in `folder`.
///
/// # Errors
/// What can't be read, has no interface, or means nothing in C, and where it stands.
pub fn header(folder: &Path) -> miette::Result<Header> {
    let read = Crate::read(folder)?;
    let guard = format!("{}_H", screaming(&read.name));
    let mut text = format!(
        "/* The interfaces of the crate {}, made from its traits: change those. */\n\n\
         #ifndef {guard}\n#define {guard}\n\n#include <riposte/interface.h>\n",
        read.name
    );
    let mut written = BTreeMap::new();
    let mut names = BTreeSet::new();
    for interface in &read.interfaces {
        let interface = interface.as_ref().map_err(|error| read.refuse(error))?;
        let one = One::of(&read, interface)?;
        if let Some(name) = one.names().find(|name| !names.insert(name.clone())) {
            let message = format!("the header for C would have two things of the name `{name}`");
            return Err(read.refuse(&refused(&interface.name, message)));
        }
        text += &one.heading();
        text += &one.types(&mut written);
        text += &one.failures();
        text += &client::functions(&one);
        text += &server::functions(&one);
    }
    let _ = write!(text, "\n#endif\n");
    Ok(Header {
        name: format!("{}.h", read.name),
        text,
    })
}

/// One interface of the header.
struct One<'a> {
    /// What its names begin with.
    prefix: String,
    interface: &'a Interface,
    methods: Vec<Shape>,
    structures: Vec<Structure>,
    failures: Vec<(String, u32)>,
}

impl<'a> One<'a> {
    fn of(read: &'a Crate, interface: &'a Interface) -> miette::Result<One<'a>> {
        let prefix = snake(&interface.name.to_string());
        let mut layouts = Layouts::new(read, &prefix);
        let methods = interface.methods.iter().zip(0..);
        let methods = methods
            .map(|(method, number)| Shape::of(method, number, &mut layouts))
            .collect::<syn::Result<Vec<_>>>()
            .map_err(|error| read.refuse(&error))?;
        let errors = interface.methods.iter();
        let errors = errors.filter_map(|method| method.error.as_ref());
        let failures = read.statuses(&prefix, errors)?;
        Ok(One {
            structures: layouts.into_structures(),
            prefix,
            interface,
            methods,
            failures,
        })
    }

    /// All names that it has in the header.
    fn names(&self) -> impl Iterator<Item = String> {
        let own = ["dispatch", "serve", "server_t"].map(String::from);
        let methods = self.methods.iter().flat_map(|method| {
            let name = &method.name;
            [
                name.clone(),
                format!("{name}_until"),
                format!("private_{name}"),
            ]
        });
        let own = own.into_iter().chain(methods);
        let own = own.map(|name| format!("{}_{name}", self.prefix));
        let structures = self.structures.iter().map(|it| it.name.clone());
        let buffer = format!("{}_BUFFER", self.prefix.to_uppercase());
        let failures = self.failures.iter().map(|(name, _)| name.clone());
        own.chain(structures).chain([buffer]).chain(failures)
    }

    fn heading(&self) -> String {
        let title = format!("--- {} ---", self.interface.name);
        format!(
            "\n/* {title} */\n{}",
            comment("", &self.interface.documentation, "")
        )
    }

    /// Its structures. One that an interface before it has, too, is the same type by another name.
    fn types(&self, written: &mut BTreeMap<String, String>) -> String {
        let mut text = String::new();
        for structure in &self.structures {
            let known = written.get(&structure.rust);
            text += &match known {
                Some(other) => format!("typedef {other} {};\n", structure.name),
                None => structure.definition(),
            };
            let name = structure.name.clone();
            written.entry(structure.rust.clone()).or_insert(name);
        }
        text
    }

    /// The statuses as which its errors travel.
    fn failures(&self) -> String {
        let mut text = String::new();
        for (name, status) in &self.failures {
            let _ = writeln!(text, "#define {name} {status}u");
        }
        text
    }
}

/// Documentation as a comment, with `more` behind it.
fn comment(indent: &str, documentation: &[Attribute], more: &str) -> String {
    let lines = documentation.iter().filter_map(|attribute| {
        let syn::Meta::NameValue(value) = &attribute.meta else {
            return None;
        };
        match &value.value {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) => Some(text.value().replace("*/", "* /")),
            _ => None,
        }
    });
    let lines: Vec<String> = lines.collect();
    let more = (!more.is_empty()).then(|| format!(" {more}"));
    let text: Vec<String> = lines.into_iter().chain(more).collect();
    if text.is_empty() {
        return String::new();
    }
    let text = text.join(&format!("\n{indent} *"));
    format!("{indent}/*{text} */\n")
}

/// Parameters in as many lines as they need, and the parenthesis behind them.
fn wrapped(indent: &str, parameters: &[String]) -> String {
    let options = textwrap::Options::new(110)
        .initial_indent(indent)
        .subsequent_indent(indent);
    format!("(\n{})", textwrap::fill(&parameters.join(", "), options))
}
