//! The files of a built image as they were built, whoever builds it anew.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use miette::{IntoDiagnostic, WrapErr};

use super::make;

/// The folder of these folders.
const HOME: &str = "target/tmp/images";

/// A folder of files that nobody changes. It goes when it is dropped; one whose owner was killed goes when
/// the next one is made.
#[derive(Debug)]
pub(super) struct Kept {
    folder: PathBuf,
    /// Locked as long as the folder is in use.
    owned: PathBuf,
    _lock: File,
}

impl Kept {
    /// An empty folder, below `root`.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn new(root: &Path) -> miette::Result<Kept> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let home = root.join(HOME);
        make(&home)?;
        sweep(&home);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let folder = home.join(format!("{}-{number}", std::process::id()));
            let owned = lock_of(&folder);
            let lock = File::create(&owned)
                .into_diagnostic()
                .wrap_err_with(|| format!("cannot write {}", owned.display()))?;
            // Another machine that builds here may have such a process too.
            if lock.try_lock().is_ok() {
                make(&folder)?;
                return Ok(Kept {
                    folder,
                    owned,
                    _lock: lock,
                });
            }
        }
    }

    /// Keeps `file` as `name`; returns where.
    ///
    /// # Errors
    /// If that cannot be written.
    pub(super) fn keep(&self, file: &Path, name: &Path) -> miette::Result<PathBuf> {
        let kept = self.folder.join(name);
        if let Some(folder) = kept.parent() {
            make(folder)?;
        }
        link(file, &kept)?;
        Ok(kept)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        remove(&self.folder, &self.owned);
    }
}

/// Gives `file` the second name `to`, in the place of what has it now. Whoever changes the one must make a new
/// file of it.
///
/// # Errors
/// If that cannot be written.
pub(super) fn link(file: &Path, to: &Path) -> miette::Result<()> {
    // Absent is as good as removed.
    let _ = fs::remove_file(to);
    fs::hard_link(file, to)
        .or_else(|_| fs::copy(file, to).map(drop))
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write {}", to.display()))
}

fn lock_of(folder: &Path) -> PathBuf {
    folder.with_extension("lock")
}

/// Removes what was left by those that were killed: nobody holds its lock, which is taken before a folder is made.
fn sweep(home: &Path) {
    for folder in fs::read_dir(home).into_iter().flatten().flatten() {
        let folder = folder.path();
        let owned = lock_of(&folder);
        let is_left = || File::open(&owned).is_ok_and(|file| file.try_lock().is_ok());
        if folder.is_dir() && is_left() {
            remove(&folder, &owned);
        }
    }
}

fn remove(folder: &Path, owned: &Path) {
    // What stays is swept another time.
    if fs::remove_dir_all(folder).is_ok() {
        let _ = fs::remove_file(owned);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_file_stays_when_a_new_one_takes_its_name_and_goes_with_its_folder() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("image");
        fs::write(&file, "one").unwrap();
        let kept = Kept::new(root.path()).unwrap();
        let place = kept.keep(&file, Path::new("below/image")).unwrap();
        fs::remove_file(&file).unwrap();
        fs::write(&file, "two").unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "one");
        let other = Kept::new(root.path()).unwrap();
        assert!(place.exists());
        drop((kept, other));
        assert_eq!(fs::read_dir(root.path().join(HOME)).unwrap().count(), 0);
    }

    #[test]
    fn what_a_killed_owner_left_is_swept() {
        let root = tempfile::tempdir().unwrap();
        let left = root.path().join(HOME).join("1-0");
        fs::create_dir_all(&left).unwrap();
        fs::write(lock_of(&left), "").unwrap();
        drop(Kept::new(root.path()).unwrap());
        assert!(!left.exists());
    }
}
