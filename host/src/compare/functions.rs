//! Which functions are not as large as they were.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::build::kernel;
use crate::symbols;

/// As many are named.
const NAMED: usize = 5;

/// A function whose code is not as large as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// Its path.
    pub name: String,
    /// Bytes before; 0 if it was not there.
    pub before: u64,
    /// Bytes after; 0 if it is there no more.
    pub after: u64,
}

/// The functions of a kernel that measures a suite on a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Functions {
    /// The suite.
    pub suite: String,
    /// The board.
    pub board: String,
    /// Those that moved most.
    pub moved: Vec<Moved>,
}

/// What is not as it was, what moved most first.
#[must_use]
pub fn moved(before: &BTreeMap<String, u64>, after: &BTreeMap<String, u64>) -> Vec<Moved> {
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let of = |map: &BTreeMap<String, u64>, name| map.get(name).copied().unwrap_or_default();
    let mut all: Vec<Moved> = names
        .into_iter()
        .map(|name| Moved {
            name: name.clone(),
            before: of(before, name),
            after: of(after, name),
        })
        .filter(|it| it.before != it.after)
        .collect();
    all.sort_by_key(|it| std::cmp::Reverse(it.before.abs_diff(it.after)));
    all
}

impl Moved {
    /// A line.
    #[must_use]
    pub fn line(&self) -> String {
        let Moved {
            name,
            before,
            after,
        } = self;
        match (before, after) {
            (0, _) => format!("\n  {name}: new, {after} bytes"),
            (_, 0) => format!("\n  {name}: gone, it was {before} bytes"),
            _ => format!("\n  {name}: {before}, now {after} bytes"),
        }
    }
}

/// Lines of those that moved most.
#[must_use]
pub fn lines<'a>(moved: impl Iterator<Item = &'a Moved>) -> String {
    moved.take(NAMED).map(Moved::line).collect()
}

/// The functions that moved in the kernel of an application of the suite, of two folders with the images of all boards;
/// nothing if none moved, or no kernel is in both.
#[must_use]
pub fn of_images(before: &Path, after: &Path, suite: &str, board: &str) -> Option<Functions> {
    let [before, after] = [before, after].map(|it| it.join(board));
    let mut folders: Vec<String> = std::fs::read_dir(&after)
        .ok()?
        .filter_map(|it| it.ok()?.file_name().into_string().ok())
        .collect();
    folders.sort();
    let whole = format!("bench-{suite}");
    let part = format!("{whole}-");
    folders.retain(|it| *it == whole || it.starts_with(&part));
    let functions = |folder: &Path, image: &str| {
        symbols::functions(&folder.join(image).join(kernel::FILE)).ok()
    };
    folders.into_iter().find_map(|image| {
        let mut moved = moved(&functions(&before, &image)?, &functions(&after, &image)?);
        moved.truncate(NAMED);
        (!moved.is_empty()).then(|| Functions {
            suite: suite.into(),
            board: board.into(),
            moved,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moved_most_comes_first_and_what_stayed_is_not_told() {
        let of = |all: &[(&str, u64)]| -> BTreeMap<String, u64> {
            all.iter().map(|(name, it)| ((*name).into(), *it)).collect()
        };
        let before = of(&[("a", 10), ("b", 100), ("c", 50), ("d", 7)]);
        let after = of(&[("a", 12), ("b", 40), ("d", 7), ("e", 9)]);
        let moved = moved(&before, &after);
        assert_eq!(
            lines(moved.iter()),
            "\n  b: 100, now 40 bytes\n  c: gone, it was 50 bytes\n  e: new, 9 bytes\n  a: 10, now 12 bytes"
        );
    }

    #[test]
    fn the_kernels_of_a_suite_are_found_in_two_trees() {
        let folder = tempfile::tempdir().unwrap();
        let [before, after] = ["before", "after"].map(|it| folder.path().join(it));
        let kernels = [
            (&before, "/bin/sh".into()),
            (&after, std::env::current_exe().unwrap()),
        ];
        for (tree, file) in kernels {
            let image = tree.join("ibex/bench-core-two");
            std::fs::create_dir_all(&image).unwrap();
            std::fs::copy::<std::path::PathBuf, _>(file, image.join(kernel::FILE)).unwrap();
        }
        let found = of_images(&before, &after, "core", "ibex").expect("they differ");
        assert_eq!(found.moved.len(), NAMED);
        assert!(found.moved.iter().all(|it| it.before == 0 && it.after > 0));
        assert_eq!(of_images(&after, &after, "core", "ibex"), None, "the same");
        assert_eq!(
            of_images(&before, &after, "cor", "ibex"),
            None,
            "another suite"
        );
    }
}
