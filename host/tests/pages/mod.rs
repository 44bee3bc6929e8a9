//! The pages that are written by hand.

use std::path::{Path, PathBuf};

/// The pages in and below these folders, in order of name; links lead nowhere.
pub fn below(folders: &[impl AsRef<Path>]) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = folders.iter().map(|it| it.as_ref().into()).collect();
    let mut pages = vec![];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("a folder").flatten() {
            let path = entry.path();
            match path.extension() {
                _ if path.is_symlink() => (),
                _ if path.is_dir() => folders.push(path),
                Some(it) if it == "md" => pages.push(path),
                _ => (),
            }
        }
    }
    pages.sort();
    pages
}
