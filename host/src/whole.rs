//! A file that is written whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that will be there once it is whole: what had its name before stays until then.
pub struct Pending {
    file: File,
    /// Where it is written meanwhile, beside its place, and that place; the former goes with this. Nothing but a file
    /// is replaced: a pipe, say, is written to at once.
    aside: Option<(PathBuf, PathBuf)>,
}

impl Pending {
    /// Makes it.
    ///
    /// # Errors
    /// If there is no place for it.
    pub fn new(to: &Path) -> io::Result<Pending> {
        let old = fs::metadata(to).ok();
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            if to.is_dir() {
                return Err(io::Error::new(
                    io::ErrorKind::IsADirectory,
                    "it is a folder",
                ));
            }
            let file = OpenOptions::new().write(true).open(to)?;
            return Ok(Pending { file, aside: None });
        }
        // What a link leads to is replaced, not the link.
        let to = to.canonicalize().unwrap_or_else(|_| to.into());
        let Some(name) = to.file_name() else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "it names no file",
            ));
        };
        let (aside, file) = beside(&to, &name.to_string_lossy())?;
        let pending = Pending {
            file,
            aside: Some((aside, to)),
        };
        if let Some(old) = old {
            pending.file.set_permissions(old.permissions())?;
        }
        Ok(pending)
    }

    /// Whether it will be a file, which can be read again and has a folder: a pipe and a terminal do not.
    pub const fn is_file(&self) -> bool {
        self.aside.is_some()
    }

    /// Writes all of it, and gives it its name.
    ///
    /// # Errors
    /// If it cannot be written; what had its name before is there still.
    pub fn write(self, bytes: &[u8]) -> io::Result<()> {
        self.write_by(|to| to.write_all(bytes))
    }

    /// As [`Pending::write`], of what `write` writes.
    ///
    /// # Errors
    /// If it cannot be written, or what `write` says; what had its name before is there still.
    pub fn write_by(
        mut self,
        write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut to = BufWriter::new(&mut self.file);
        write(&mut to)?;
        to.flush()?;
        drop(to);
        let Some((aside, to)) = &self.aside else {
            return Ok(());
        };
        self.file.sync_all()?;
        fs::rename(aside, to)
    }

    /// Writes all of it, and gives it the first of `names` that nothing has, which is returned. They are in the same
    /// folder.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_anew(
        mut self,
        bytes: &[u8],
        names: impl IntoIterator<Item = PathBuf>,
    ) -> io::Result<PathBuf> {
        let taken = io::Error::from(io::ErrorKind::AlreadyExists);
        let Some((aside, _)) = &self.aside else {
            return Err(taken);
        };
        self.file.write_all(bytes)?;
        self.file.sync_all()?;
        for name in names {
            // A link, unlike a new name, takes no other file's place.
            match fs::hard_link(aside, &name) {
                Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {}
                linked => return linked.map(|()| name),
            }
        }
        Err(taken)
    }
}

/// A new file beside `to`, whose name is `name`. One that an earlier run has left behind stays where it is.
fn beside(to: &Path, name: &str) -> io::Result<(PathBuf, File)> {
    let mut number = 0_u32;
    loop {
        let aside = to.with_file_name(format!(".{name}.{}-{number}", std::process::id()));
        let made = OpenOptions::new().write(true).create_new(true).open(&aside);
        match made {
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => number += 1,
            made => return Ok((aside, made?)),
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some((aside, _)) = &self.aside {
            // There is none if it has its name.
            let _ = fs::remove_file(aside);
        }
    }
}

/// Writes a file, in the place of what has its name.
///
/// # Errors
/// If it cannot be written; what had its name before is there still.
pub fn write(to: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    Pending::new(to)?.write(bytes.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().flatten();
        let name = |it: fs::DirEntry| it.file_name().to_string_lossy().into_owned();
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
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
        let failed = Pending::new(&to).unwrap().write_by(|to| {
            to.write_all(b"a part")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(failed.is_err());
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

    #[test]
    fn a_link_still_leads_to_what_is_written_and_what_is_no_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        fs::write(&file, "before").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        write(&link, "after").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "after");
        assert_eq!(names(folder.path()), ["file", "link"]);
        assert!(link.is_symlink());
        write(Path::new("/dev/null"), "lost").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
