//! The typed door is the only way to memory that a process names: nobody but its folder makes what has
//! passed it. The compiler keeps that ([`riposte_kernel::Readable`] and the like have no constructor
//! outside); what it cannot see is that nobody opens the door wider.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The kernel's own sources.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).expect("a source")
}

#[test]
fn only_the_module_that_checks_ranges_makes_checked_memory() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    sources(&root, &mut all);
    assert!(all.len() > 20, "the sources are there");
    let memory = root.join("memory");
    for path in &all {
        let source = text(path);
        let is_door = path.starts_with(&memory);
        for kind in ["Readable", "Writable", "Word", "WritableWord"] {
            let makes = source.contains(&format!("{kind}::new("));
            assert!(is_door || !makes, "{} makes a {kind}", path.display());
        }
        // A snapshot puts back what it has found: it is for tests only.
        let is_snapshot = path.file_name().is_some_and(|name| name == "snapshot.rs");
        let restores = source.contains("::restored(");
        assert!(is_door || is_snapshot || !restores, "{}", path.display());
    }
}

#[test]
fn what_makes_checked_memory_is_no_wider_than_its_folder() {
    let memory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/memory");
    for (file, count) in [("range.rs", 1), ("word.rs", 2)] {
        let source = text(&memory.join(file));
        let lines: Vec<_> = source.lines().map(str::trim).collect();
        let closed = lines
            .iter()
            .filter(|line| line.starts_with("pub(super) const fn new("));
        assert_eq!(closed.count(), count, "{file}");
        let opened = [
            "pub const fn new(address",
            "pub(crate) const fn new(address",
        ];
        let is_open = |line: &&str| opened.iter().any(|start| line.starts_with(start));
        assert!(!lines.iter().any(is_open), "{file}");
        // What a snapshot restores is not in the kernel that ships.
        for (index, line) in lines.iter().enumerate() {
            if line.contains("fn restored(") {
                let before = lines[..index].iter().rev().take(4);
                let gated = before
                    .copied()
                    .any(|line| line == "#[cfg(feature = \"snapshot\")]");
                assert!(gated, "{file}: {line}");
            }
        }
    }
}
