//! A file that is written whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use miette::miette;

/// A file that will be there once it is whole: what had its name before stays until then.
pub struct Pending {
    file: File,
    /// Where it is written meanwhile, beside its place; it goes with this.
    aside: PathBuf,
    to: PathBuf,
}

impl Pending {
    /// Makes it.
    ///
    /// # Errors
    /// If there is no place for it.
    pub fn new(to: &Path) -> miette::Result<Pending> {
        if to.is_dir() {
            return Err(refusal(to, "it is a folder"));
        }
        let Some(name) = to.file_name() else {
            return Err(refusal(to, "it names no file"));
        };
        let name = format!(".{}.{}", name.to_string_lossy(), std::process::id());
        let aside = to.with_file_name(name);
        let made = OpenOptions::new().write(true).create_new(true).open(&aside);
        let file = made.map_err(|why| refusal(to, why))?;
        Ok(Pending {
            file,
            aside,
            to: to.into(),
        })
    }

    /// Writes all of it, and gives it its name.
    ///
    /// # Errors
    /// If it cannot be written; what had its name before is there still.
    pub fn write(mut self, bytes: &[u8]) -> miette::Result<()> {
        let written = self.file.write_all(bytes).and_then(|()| self.put());
        written.map_err(|why| refusal(&self.to, why))
    }

    fn put(&self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.aside, &self.to)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        // There is none if it has its name.
        let _ = fs::remove_file(&self.aside);
    }
}

fn refusal(to: &Path, why: impl std::fmt::Display) -> miette::Report {
    miette!(
        help = "name a file in a folder that can be written to, with --output",
        "cannot write {}: {why}",
        to.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().flatten();
        let name = |it: fs::DirEntry| it.file_name().to_string_lossy().into_owned();
        entries.map(name).collect()
    }

    #[test]
    fn a_file_is_there_whole_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("a.core");
        fs::write(&to, "before").unwrap();
        let pending = Pending::new(&to).unwrap();
        assert_eq!(fs::read_to_string(&to).unwrap(), "before");
        drop(pending);
        assert_eq!(names(folder.path()), ["a.core"]);
        assert_eq!(fs::read_to_string(&to).unwrap(), "before");
        Pending::new(&to).unwrap().write(b"after").unwrap();
        assert_eq!(fs::read_to_string(&to).unwrap(), "after");
        assert_eq!(names(folder.path()), ["a.core"]);
    }

    #[test]
    fn what_cannot_be_written_is_said_before() {
        let folder = tempfile::tempdir().unwrap();
        for (to, why) in [
            (folder.path().to_path_buf(), "it is a folder"),
            (folder.path().join("none/a.core"), "No such file"),
        ] {
            let error = Pending::new(&to).err().expect("it is refused").to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
