//! The manifest of an application, `app.toml`: as it is written, checked, and resolved.

mod application;
mod board_tables;
mod channel;
mod check;
mod copies;
mod differing;
mod fit;
mod lending;
mod limits;
mod naming;
mod pool;
mod process;
mod program;
mod proxy;
pub mod rates;
mod region;
mod resolve;
mod restart;
mod room;
mod schema;
mod signals;
pub mod written;

use std::path::{Path, PathBuf};

pub use application::{
    Application, Channel, Connection, Kernel, Lending, Mapping, Network, Order, Pool, Process,
    Program, Proxy, Quota, Rates, Region, Setting, Thread,
};
pub(crate) use check::{Check, Names};
pub use check::{LONGEST_NAME, SHORTER, name_like, too_long};
pub use limits::TRACED;
pub use pool::place_size;
pub use process::stack_sizes;
pub use resolve::resolve;
pub use schema::{as_text, schema};

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
    resolve::resolve(Source::read(&file)?, directory_of(path), boards)
}

/// The directory of the manifest at `path`, which is an `app.toml`, or the directory that holds one.
#[must_use]
pub fn directory_of(path: &Path) -> PathBuf {
    if path.is_dir() {
        return path.to_path_buf();
    }
    // The parent of a bare name is empty, which is no directory.
    let parent = path.parent().filter(|it| !it.as_os_str().is_empty());
    parent.unwrap_or(Path::new(".")).to_path_buf()
}
