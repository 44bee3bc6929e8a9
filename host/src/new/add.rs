//! `./riposte add`: a process more for an application that is there.

use std::path::{Path, PathBuf};

use miette::{IntoDiagnostic, WrapErr, miette};
use toml_edit::DocumentMut;

use super::{Files, all_or_nothing, c_program, name, program_manifest, read, rust_programs};
use crate::cli::Language;
use crate::manifest::Application;

/// A process that is to be added.
pub struct Addition<'a> {
    /// The application, whose manifest is right.
    pub application: &'a Application,
    /// The folder of its app.toml.
    pub folder: &'a Path,
    /// The process's name, and that of its program's folder.
    pub process: &'a str,
    /// The language of its program.
    pub language: Language,
}

/// Writes a program that prints a line, and adds its process to app.toml, with a connection to the console if there is
/// one. A program in Rust becomes a member of the application's workspace, and can use what the others share there.
/// Returns the files written; app.toml, which names all the others, comes last.
///
/// # Errors
/// The name is not possible or taken, the folder is there already, or a file cannot be read or written.
pub fn add(wanted: &Addition, root: &Path) -> miette::Result<Vec<PathBuf>> {
    let process = name(wanted.process)?;
    let folder = wanted.folder.join(&process);
    let mut others = wanted.application.processes.iter();
    if others.any(|other| other.name.value == process) {
        return Err(miette!(
            help = "each process needs a name of its own",
            "{} has a process `{process}` already",
            wanted.application.name
        ));
    }
    if folder.exists() {
        return Err(miette!(
            help = "choose another name, or remove it first",
            "{} is there already",
            folder.display()
        ));
    }
    let manifest = wanted.folder.join("app.toml");
    let text = read(&manifest)? + &tables(wanted, &process);
    if let Err(why) = text.parse::<DocumentMut>() {
        return Err(miette!(
            help = "write its processes and connections as [[process]] and [[connection]]",
            "{} cannot have one more table of these: {}",
            manifest.display(),
            why.message()
        ));
    }
    all_or_nothing(|files| {
        match wanted.language {
            Language::C => files.write(&folder.join("main.c"), &c_program("    return 0;"))?,
            Language::Rust => rust_program(files, wanted, root, &process)?,
        }
        files.write(&manifest, &text)
    })
}

/// What is added to app.toml.
fn tables(wanted: &Addition, process: &str) -> String {
    let text = include_str!("process.toml.template");
    let (table, connection) = text.split_once("\n# Without this, println!").expect("both");
    let mut text = table
        .replace("{{process}}", process)
        .replace("{{priority}}", "10")
        .replace("{{grants}}\n", "");
    let mut channels = wanted.application.channels.iter();
    if channels.any(|channel| channel.name.value == "console") {
        text += "\n# Without this, println!";
        text += &connection.replace("{{process}}", process);
    }
    match wanted.language {
        Language::C => text.replace("println!", "printf"),
        Language::Rust => text,
    }
}

fn rust_program(
    files: &mut Files,
    wanted: &Addition,
    root: &Path,
    process: &str,
) -> miette::Result<()> {
    let workspace = wanted.folder.join("Cargo.toml");
    if !workspace.exists() && !is_inside(wanted.folder, root) {
        // The first program in Rust of an application in C.
        let name = &wanted.application.name;
        return rust_programs(files, wanted.folder, root, name, &[process.to_owned()], "");
    }
    let mut document = None;
    if workspace.exists() {
        let text = read(&workspace)?;
        let parsed: Result<DocumentMut, _> = text.parse();
        let read = || format!("cannot read {}", workspace.display());
        document = Some(parsed.into_diagnostic().wrap_err_with(read)?);
    }
    let shared = document.as_ref().map(shared_crates).unwrap_or_default();
    let folder = wanted.folder.join(process);
    let manifest = program_manifest(process, shared.iter());
    files.write(&folder.join("Cargo.toml"), &manifest)?;
    let source = include_str!("main.rs.template").replace("{{end}}", "");
    files.write(&folder.join("src/main.rs"), &source)?;
    match document {
        Some(document) => files.write(&workspace, &with_member(document, &workspace, process)?),
        None => Ok(()),
    }
}

/// The text of a workspace that has this member too.
fn with_member(mut document: DocumentMut, file: &Path, member: &str) -> miette::Result<String> {
    let members = document
        .get_mut("workspace")
        .and_then(|workspace| workspace.get_mut("members"))
        .and_then(|members| members.as_array_mut())
        .ok_or_else(|| {
            miette!(
                help = "add `members = []` to its [workspace]",
                "{} has no list of members",
                file.display()
            )
        })?;
    // It has it already if an addition was interrupted, and its folder removed.
    if !members.iter().any(|it| it.as_str() == Some(member)) {
        members.push(member);
    }
    Ok(document.to_string())
}

/// The crates of the workspace that its programs share: what it depends on and has as a member.
fn shared_crates(workspace: &DocumentMut) -> Vec<String> {
    let table = workspace.get("workspace");
    let of = |key| table.and_then(|table| table.get(key));
    let members = of("members").and_then(|members| members.as_array());
    let is_member = |path: &str| {
        let mut members = members.into_iter().flatten();
        members.any(|member| member.as_str() == Some(path))
    };
    let dependencies = of("dependencies").and_then(|it| it.as_table_like());
    let dependencies = dependencies.into_iter().flat_map(|it| it.iter());
    dependencies
        .filter(|(_, it)| {
            it.get("path")
                .and_then(|it| it.as_str())
                .is_some_and(is_member)
        })
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// Whether the application is the repository's own, whose workspace has every program below it.
fn is_inside(folder: &Path, root: &Path) -> bool {
    match (folder.canonicalize(), root.canonicalize()) {
        (Ok(folder), Ok(root)) => folder.starts_with(root),
        _ => false,
    }
}
