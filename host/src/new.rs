//! `./riposte new`: an application that builds and runs; and [`add`]: one process more.

pub mod add;
mod lock;

use std::fs;
use std::path::{Component, Path, PathBuf};

use miette::{IntoDiagnostic, WrapErr, miette};
use serde_json::Value;

use crate::board::Board;
use crate::build;
use crate::cli::Language;
use crate::debug::{self, DEBUGGER};
use crate::manifest::{SHORTER, name_like, too_long};
use crate::toolchain::on_path;
use crate::whole;

/// Names that stand for something else: in the templates, in Rust, or, as `target`, which no repository has, for what cargo
/// makes. And those of the library's crates: a Cargo.lock can have no others of their names.
const TAKEN: [&str; 12] = [
    "alloc",
    "console",
    "core",
    "faults",
    "riposte",
    "riposte-abi",
    "riposte-interface",
    "riposte-macros",
    "std",
    "supervisor",
    "target",
    "test",
];

const RULE: &str = "names have small letters, digits and `-`, and begin with a letter";

/// An application that is to be made.
pub struct Wanted<'a> {
    /// Its folder, whose last part is its name.
    pub path: &'a Path,
    /// The language of its programs.
    pub language: Language,
    /// Its processes, of which the first one serves the others; none for one that is called as the application.
    pub processes: &'a [String],
}

/// Creates an application for the boards `boards`, with the library of the repository at `root`. Returns the files
/// written.
///
/// # Errors
/// A name is not possible, something is there already, or a file cannot be written.
pub fn create(wanted: &Wanted, root: &Path, boards: &[Board]) -> miette::Result<Vec<PathBuf>> {
    let path = wanted.path;
    // `.` and `/` have none.
    let written = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy();
    let name = name(&written)?;
    let processes = processes(wanted, &name)?;
    if path.exists() {
        return Err(miette!(
            help = "choose another name, or remove it first",
            "{} is there already",
            path.display()
        ));
    }
    let mut written = all_or_nothing(|files| {
        let manifest = manifest(&name, &processes, boards, wanted.language);
        files.write(&path.join("app.toml"), &manifest)?;
        match wanted.language {
            Language::Rust => {
                let end = include_str!("new/end.rs.template").trim_end();
                rust_programs(files, path, root, &name, &processes, end)?;
            }
            Language::C => {
                let source = path.join(&name).join("main.c");
                let end = include_str!("new/end.c.template").trim_end();
                files.write(&source, &c_program(end))?;
            }
        }
        for_editors(files, path, root, &name, boards)
    })?;
    written.sort();
    Ok(written)
}

/// Files that have been written.
#[derive(Default)]
struct Files(Vec<Written>);

struct Written {
    file: PathBuf,
    /// What was there.
    before: Option<Vec<u8>>,
    /// Folders that were made for it, the innermost first.
    folders: Vec<PathBuf>,
}

/// The files that `write` has written; if it fails, all is as it was.
fn all_or_nothing(
    write: impl FnOnce(&mut Files) -> miette::Result<()>,
) -> miette::Result<Vec<PathBuf>> {
    let mut files = Files::default();
    let written = write(&mut files);
    if written.is_err() {
        files.undo();
    }
    written.map(|()| files.0.into_iter().map(|it| it.file).collect())
}

impl Files {
    fn write(&mut self, file: &Path, text: &str) -> miette::Result<()> {
        let directory = file.parent().unwrap_or(Path::new("."));
        let new = directory.ancestors().take_while(|it| !it.exists());
        self.0.push(Written {
            file: file.to_owned(),
            before: fs::read(file).ok(),
            folders: new.map(Path::to_owned).collect(),
        });
        fs::create_dir_all(directory)
            .and_then(|()| whole::write(file, text))
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot write {}", file.display()))
    }

    /// What cannot be put back stays: there is nothing else to be done.
    fn undo(&self) {
        for Written {
            file,
            before,
            folders,
        } in self.0.iter().rev()
        {
            let _ = match before {
                Some(before) => whole::write(file, before),
                None => fs::remove_file(file),
            };
            for folder in folders {
                let _ = fs::remove_dir(folder);
            }
        }
    }
}

/// The names of the processes.
fn processes(wanted: &Wanted, name: &str) -> miette::Result<Vec<String>> {
    if wanted.processes.is_empty() {
        return Ok(vec![name.to_owned()]);
    }
    if wanted.language == Language::C {
        return Err(miette!(
            help = "leave --processes out, and add further ones to app.toml; or leave --lang out",
            "what several processes share is a trait in Rust"
        ));
    }
    let mut names = vec![];
    for written in wanted.processes {
        let process = self::name(written)?;
        if process == api(name) || names.contains(&process) {
            return Err(miette!(
                help = "each process needs a name of its own",
                "`{process}` is taken"
            ));
        }
        names.push(process);
    }
    Ok(names)
}

/// The crate with what the processes agree on.
fn api(name: &str) -> String {
    format!("{name}-api")
}

/// The text of app.toml.
fn manifest(name: &str, processes: &[String], boards: &[Board], language: Language) -> String {
    let (server, clients) = processes.split_first().expect("there is a process");
    let several = !clients.is_empty();
    let shuts_down = "grants = [\"shutdown\"] # it may stop the machine\n";
    let process = |process: &str, priority: usize, is_last: bool| {
        include_str!("new/process.toml.template")
            .replace("{{process}}", process)
            .replace("{{priority}}", &priority.to_string())
            .replace("{{grants}}\n", if is_last { shuts_down } else { "" })
    };
    // Who serves is the most urgent one, and each client ends before the next one begins.
    let mut text = process(server, 10 + clients.len(), !several);
    if several {
        text += &include_str!("new/channel.toml.template").replace("{{process}}", server);
    }
    for (index, client) in clients.iter().enumerate() {
        let is_last = index + 1 == clients.len();
        text += &process(client, 9 + clients.len() - index, is_last);
        text += &include_str!("new/connection.toml.template")
            .replace("{{process}}", client)
            .replace("{{server}}", server);
    }
    if language == Language::C {
        text = text.replace("println!", "printf");
    }
    include_str!("new/app.toml.template")
        .replace("{{processes}}", &text)
        .replace("{{name}}", name)
        .replace("{{boards}}", &board_list(boards))
}

/// Writes a workspace of programs, of which the last one does `end` in the end, and what they share if they are
/// several.
fn rust_programs(
    files: &mut Files,
    path: &Path,
    root: &Path,
    name: &str,
    processes: &[String],
    end: &str,
) -> miette::Result<()> {
    let api = api(name);
    let shared = (processes.len() > 1).then_some(&api);
    let members: Vec<String> = shared
        .into_iter()
        .chain(processes)
        .map(|member| format!("{member:?}"))
        .collect();
    let line = |shared: String| shared + "\n";
    let workspace = include_str!("new/workspace.toml.template")
        .replace("{{name}}", name)
        .replace("{{members}}", &members.join(", "))
        .replace("{{library}}", &library(path, root)?)
        .replace(
            "{{shared}}\n",
            &shared.map_or(String::new(), |api| {
                line(format!("{api} = {{ path = {api:?} }}"))
            }),
        )
        .replace("{{profile}}\n", &profile(root)?);
    for (index, process) in processes.iter().enumerate() {
        let folder = path.join(process);
        let manifest = program_manifest(process, shared.into_iter());
        files.write(&folder.join("Cargo.toml"), &manifest)?;
        let source = match (shared, index) {
            (None, _) => include_str!("new/main.rs.template"),
            (_, 0) => include_str!("new/server.rs.template"),
            _ => include_str!("new/client.rs.template"),
        };
        let is_last = index + 1 == processes.len();
        let end = if is_last { end } else { "" };
        let source = source
            .replace("{{api}}", &api.replace('-', "_"))
            .replace("{{name}}", name)
            .replace("{{end}}", end);
        files.write(&folder.join("src/main.rs"), &source)?;
    }
    if let Some(api) = shared {
        let folder = path.join(api);
        let fill = |template: &str| template.replace("{{name}}", name);
        files.write(
            &folder.join("Cargo.toml"),
            &fill(include_str!("new/api.toml.template")),
        )?;
        files.write(
            &folder.join("src/lib.rs"),
            &fill(include_str!("new/api.rs.template")),
        )?;
    }
    ignore_what_is_built(files, &path.join(".gitignore"))?;
    let locked = path.join("Cargo.lock");
    if !locked.exists() {
        // It is a workspace of its own, so its versions would differ without the repository's lock.
        files.write(&locked, &lock::of_the_library(root)?)?;
    }
    files.write(&path.join("Cargo.toml"), &workspace)
}

/// Adds to a .gitignore, which need not be there, what cargo makes.
fn ignore_what_is_built(files: &mut Files, file: &Path) -> miette::Result<()> {
    const BUILT: &str = include_str!("new/gitignore.template");
    let mut text = match file.exists() {
        true => read(file)?,
        false => String::new(),
    };
    let means = |line: &str| line.trim().trim_matches('/') == BUILT.trim_end().trim_matches('/');
    if text.lines().any(means) {
        return Ok(());
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    files.write(file, &(text + BUILT))
}

fn read(file: &Path) -> miette::Result<String> {
    fs::read_to_string(file)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read {}", file.display()))
}

/// The text of a program in C that does `end` in the end.
fn c_program(end: &str) -> String {
    include_str!("new/main.c.template").replace("{{end}}", end)
}

/// The text of the Cargo.toml of a program that uses these crates of its workspace.
fn program_manifest<'a>(process: &str, shared: impl Iterator<Item = &'a String>) -> String {
    let shared: String = shared
        .map(|it| format!("{it}.workspace = true\n"))
        .collect();
    include_str!("new/program.toml.template")
        .replace("{{process}}", process)
        .replace("{{shared}}\n", &shared)
}

/// The name that somebody has written, if it is one.
fn name(written: &str) -> miette::Result<String> {
    if let Some(message) = too_long(written) {
        return Err(miette!(help = SHORTER, "{message}"));
    }
    match name_like(written) {
        Some(name) if name == written && !TAKEN.contains(&name.as_str()) => Ok(name),
        Some(name) if name != written => Err(miette!(
            help = format!("{RULE}: `{name}`"),
            "`{written}` is not a name"
        )),
        Some(_) => Err(miette!(
            help = format!("these are taken: {}", TAKEN.join(", ")),
            "neither an application nor a process of one can be called `{written}`"
        )),
        None => Err(miette!(help = RULE, "`{written}` is not a name")),
    }
}

/// The debug information of a new application's programs: all of it.
const DEBUG: i64 = 2;

/// The board that comes first, and so is the default.
const DEFAULT_BOARD: &str = "mps2-an386";

fn board_list(boards: &[Board]) -> String {
    let mut names: Vec<&str> = boards.iter().map(|board| board.name.as_str()).collect();
    names.sort_by_key(|name| *name != DEFAULT_BOARD);
    let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    quoted.join(", ")
}

/// What an editor reads beside the programs: how they are debugged, with which of its extensions, and that breakpoints may be
/// set in Rust, which that extension does not name.
fn for_editors(
    files: &mut Files,
    path: &Path,
    root: &Path,
    name: &str,
    boards: &[Board],
) -> miette::Result<()> {
    let folder = path.join(".vscode");
    let launch = launch(path, root, name, boards)?;
    let extensions = serde_json::json!({ "recommendations": [EXTENSION] });
    let settings = serde_json::json!({ "debug.allowBreakpointsEverywhere": true });
    for (file, what) in [
        ("launch.json", launch),
        ("extensions.json", extensions),
        ("settings.json", settings),
    ] {
        let text = serde_json::to_string_pretty(&what).into_diagnostic()?;
        files.write(&folder.join(file), &(text + "\n"))?;
    }
    Ok(())
}

/// The extension of VS Code, and of the editors that are built like it, by which they have the type `gdbtarget`.
const EXTENSION: &str = "eclipse-cdt.cdt-gdb-vscode";
/// So long the editor waits for the server, in milliseconds: the first time everything is built.
const PATIENCE: u64 = 300_000;

/// What is in .vscode/launch.json: the editor starts `./riposte debug --server` on the default board, and gdb.
fn launch(path: &Path, root: &Path, name: &str, boards: &[Board]) -> miette::Result<Value> {
    // Simulators have no debugger's stub.
    let mut emulated = boards.iter().filter(|it| it.emulator().is_some());
    let board = emulated
        .clone()
        .find(|it| it.name == DEFAULT_BOARD)
        .or_else(|| emulated.next())
        .ok_or_else(|| miette!("no board can be debugged"))?;
    let root = root.canonicalize().into_diagnostic()?;
    let from_here = way_to(path, &root)?;
    let way = |file: &Path| Path::new(HERE).join(file).display().to_string();
    let kernel = build::folder_of(&root, path, board)?.join(build::kernel::FILE);
    let kernel = kernel.strip_prefix(&root).unwrap_or(&kernel);
    let debugger = on_path(DEBUGGER).unwrap_or_else(|| DEBUGGER.into());
    Ok(serde_json::json!({
        "version": "0.2.0",
        "configurations": [{
            "name": format!("{name} on {}", board.name),
            "type": "gdbtarget",
            "request": "launch",
            "cwd": HERE,
            "gdb": debugger,
            "program": way(&from_here.join(kernel)),
            "preConnectCommands": debug::SETTINGS,
            "target": {
                "type": "extended-remote",
                "server": way(&from_here.join("riposte")),
                "serverParameters": ["debug", HERE, "--board", board.name, "--server", "0"],
                "serverPortRegExp": format!("{} {HOST}:([0-9]+)", debug::WAITING),
                "portDetectionTimeout": PATIENCE,
                "host": HOST,
            },
        }],
    }))
}

/// Where the server listens.
const HOST: &str = "127.0.0.1";

/// The application's folder, as the editor calls it.
const HERE: &str = "${workspaceFolder}";

/// The path of the library, as TOML has text.
fn library(folder: &Path, root: &Path) -> miette::Result<String> {
    let library = way_to(folder, root)?.join("user");
    Ok(toml::Value::from(&*library.to_string_lossy()).to_string())
}

/// The way from an application to the repository. It is relative, so that whoever has both at the same places below
/// another folder can build it too.
fn way_to(folder: &Path, root: &Path) -> miette::Result<PathBuf> {
    let absolute = |path: &Path| {
        path.canonicalize()
            .into_diagnostic()
            .wrap_err_with(|| path.display().to_string())
    };
    let (folder, root) = (absolute(folder)?, absolute(root)?);
    let common = folder
        .components()
        .zip(root.components())
        .take_while(|(of_folder, of_root)| of_folder == of_root)
        .count();
    let up = folder
        .components()
        .skip(common)
        .map(|_| Component::ParentDir);
    Ok(up.chain(root.components().skip(common)).collect())
}

/// The `[profile.firmware]` of the repository, without what that says of its own programs. Whoever writes a program wants to
/// see its variables in a debugger.
fn profile(root: &Path) -> miette::Result<String> {
    let file = root.join("Cargo.toml");
    let text = read(&file)?;
    let manifest: toml::Table = text.parse().into_diagnostic()?;
    let mut firmware = manifest
        .get("profile")
        .and_then(|profiles| profiles.get("firmware")?.as_table().cloned())
        .ok_or_else(|| miette!("{} has no [profile.firmware]", file.display()))?;
    firmware.remove("package");
    firmware.insert("debug".into(), DEBUG.into());
    toml::to_string(&firmware).into_diagnostic()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_the_library_is_read_as_it_is_whatever_folders_are_called() {
        let home = tempfile::tempdir().expect("a folder");
        let application = home.path().join("blink");
        fs::create_dir(&application).expect("a folder");
        for called in [
            "plain",
            "two words",
            "it's \"\\",
            "e\u{301}tudes",
            "tab\t",
            "a\u{7f}",
        ] {
            let root = home.path().join(called);
            fs::create_dir(&root).expect("a folder");
            let library = library(&application, &root).expect("both are there");
            let written = format!("path = {library}");
            let read: toml::Table = written
                .parse()
                .unwrap_or_else(|why| panic!("{written}: {why}"));
            assert_eq!(read["path"].as_str(), Some(&*format!("../{called}/user")));
        }
    }
}
