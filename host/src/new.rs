//! `./riposte new`: an application that builds and runs.

use std::fs;
use std::path::{Path, PathBuf};

use miette::{IntoDiagnostic, WrapErr, miette};

use crate::board::Board;
use crate::cli::Language;
use crate::manifest::name_like;

/// Names that the templates, or Rust, uses for something else.
const TAKEN: [&str; 6] = ["alloc", "console", "core", "riposte", "std", "test"];

const RULE: &str = "names have small letters, digits and `-`, and begin with a letter";

/// Creates an application at `path`, whose last part is its name, for the boards `boards`, in
/// `language`, with the library of the repository at `root`. Returns the files written.
///
/// # Errors
/// The name is not possible, something is there already, or a file cannot be written.
pub fn create(
    path: &Path,
    root: &Path,
    boards: &[Board],
    language: Language,
) -> miette::Result<Vec<PathBuf>> {
    let name = name(path)?;
    if path.exists() {
        return Err(miette!(
            help = "choose another name, or remove it first",
            "{} is there already",
            path.display()
        ));
    }
    let fill = |template: &str| {
        template
            .replace("{{name}}", &name)
            .replace("{{boards}}", &board_list(boards))
    };
    let manifest = path.join("app.toml");
    write(&manifest, &fill(include_str!("new/app.toml.template")))?;
    let mut files = vec![manifest];
    let program = path.join(&name);
    match language {
        Language::Rust => {
            let ignored = path.join(".gitignore");
            write(&ignored, include_str!("new/gitignore.template"))?;
            files.push(ignored);
            rust_program(&program, root, fill, &mut files)?;
        }
        Language::C => {
            let source = program.join("main.c");
            write(&source, include_str!("new/main.c.template"))?;
            files.push(source);
        }
    }
    files.sort();
    Ok(files)
}

/// Writes the crate `program`, and adds its files to `files`.
fn rust_program(
    program: &Path,
    root: &Path,
    fill: impl Fn(&str) -> String,
    files: &mut Vec<PathBuf>,
) -> miette::Result<()> {
    let (source, manifest) = (program.join("src/main.rs"), program.join("Cargo.toml"));
    write(&source, include_str!("new/main.rs.template"))?;
    let text = fill(include_str!("new/Cargo.toml.template"))
        .replace("{{library}}", &library(program, root)?)
        .replace("{{profile}}", &profile(root)?);
    write(&manifest, &text)?;
    files.extend([source, manifest]);
    // The crate is its own workspace, so its versions would differ without the repository's lock.
    let lock = program.join("Cargo.lock");
    if fs::copy(root.join("Cargo.lock"), &lock).is_ok() {
        files.push(lock);
    }
    Ok(())
}

fn name(path: &Path) -> miette::Result<String> {
    let written = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let written = written.unwrap_or_default();
    match name_like(&written) {
        Some(name) if name == written && !TAKEN.contains(&name.as_str()) => Ok(name),
        Some(name) if name != written => Err(miette!(
            help = format!("{RULE}: `{name}`"),
            "`{written}` is not a name"
        )),
        Some(_) => Err(miette!(
            help = format!("these are taken: {}", TAKEN.join(", ")),
            "an application cannot be called `{written}`"
        )),
        None => Err(miette!(help = RULE, "`{written}` is not a name")),
    }
}

/// The board that comes first, and so is the default.
const DEFAULT_BOARD: &str = "mps2-an386";

fn board_list(boards: &[Board]) -> String {
    let mut names: Vec<&str> = boards.iter().map(|board| board.name.as_str()).collect();
    names.sort_by_key(|name| *name != DEFAULT_BOARD);
    let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    quoted.join(", ")
}

/// The path of the library: relative inside the repository, so that it can be moved as a whole.
fn library(program: &Path, root: &Path) -> miette::Result<String> {
    let absolute = |path: &Path| {
        path.canonicalize()
            .into_diagnostic()
            .wrap_err_with(|| path.display().to_string())
    };
    let (program, root) = (absolute(program)?, absolute(root)?);
    let library = match program.strip_prefix(&root) {
        Ok(inside) => inside
            .components()
            .map(|_| "..")
            .collect::<PathBuf>()
            .join("user"),
        Err(_) => root.join("user"),
    };
    Ok(format!("{:?}", library.to_string_lossy()))
}

/// The `[profile.firmware]` of the repository.
fn profile(root: &Path) -> miette::Result<String> {
    let file = root.join("Cargo.toml");
    let text = fs::read_to_string(&file)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read {}", file.display()))?;
    let manifest: toml::Table = text.parse().into_diagnostic()?;
    let firmware = manifest
        .get("profile")
        .and_then(|profiles| profiles.get("firmware"))
        .ok_or_else(|| miette!("{} has no [profile.firmware]", file.display()))?;
    toml::to_string(firmware).into_diagnostic()
}

fn write(file: &Path, text: &str) -> miette::Result<()> {
    let directory = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)
        .and_then(|()| fs::write(file, text))
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write {}", file.display()))
}
