//! Applications that a test makes.

use std::fs;
use std::path::{Path, PathBuf};

use riposte_host::cli::Language;
use riposte_host::lab::Lab;
use riposte_host::new;
use tempfile::TempDir;

use super::{Running, Tool, remove_images};

/// A new application `name` in `folder`, as `./riposte new` makes it.
pub fn fresh(lab: &Lab, folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    new::create(
        &new::Wanted {
            path: &path,
            language: Language::Rust,
            processes: &[],
        },
        &lab.root,
        &lab.boards,
    )
    .expect("created");
    path
}

/// An application whose only program does something of its own.
pub struct Program {
    pub lab: Lab,
    _folder: TempDir,
    pub path: PathBuf,
}

impl Program {
    /// Programs that are built at the same time need names of their own.
    pub fn new(name: &str, statements: &str) -> Program {
        let lab = Lab::open().expect("the repository");
        let folder = tempfile::tempdir().expect("a directory");
        let path = fresh(&lab, &folder.path().canonicalize().expect("there"), name);
        let source = path.join(name).join("src/main.rs");
        let text = fs::read_to_string(&source).expect("there");
        let (before, _) = text.split_once("    println!").expect("a statement");
        fs::write(&source, format!("{before}{statements}\n}}\n")).expect("written");
        Program {
            lab,
            _folder: folder,
            path,
        }
    }

    /// Its manifest is another one from now on.
    pub fn manifest(&self, other: impl FnOnce(&str) -> String) {
        let file = self.path.join("app.toml");
        let text = fs::read_to_string(&file).expect("there");
        fs::write(&file, other(&text)).expect("written");
    }

    pub fn run(&self, board: &str, options: &[&str]) -> Running {
        Tool::new(&["run", "--board", board])
            .arg(&self.path)
            .args(options)
            .env("RIPOSTE_ROOT", &self.lab.root)
            .start()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        remove_images(&self.lab, &self.path);
    }
}
