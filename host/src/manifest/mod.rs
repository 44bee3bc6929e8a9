//! The manifest of an application, `app.toml`: as it is written, checked, and resolved.

mod application;
pub mod written;

use std::path::{Path, PathBuf};

pub use application::{
    Application, Channel, Connection, Kernel, Order, Process, Program, Setting, Thread,
};

use crate::board::Board;
use crate::source::Source;

/// Loads the manifest at `path` (an `app.toml`, or the directory that holds one), and checks it
/// against `boards`, which are all that there are.
///
/// # Errors
/// Every mistake in it, with its place and the next step.
pub fn load(path: &Path, boards: &[Board]) -> miette::Result<Application> {
    let file = if path.is_dir() {
        path.join("app.toml")
    } else {
        path.to_path_buf()
    };
    let directory = file.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    resolve(Source::read(&file)?, directory, boards)
}

fn resolve(_source: Source, _directory: PathBuf, _boards: &[Board]) -> miette::Result<Application> {
    todo!()
}
