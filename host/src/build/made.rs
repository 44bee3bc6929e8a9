//! Kernels by what they are made of: applications whose kernels would be the same have one, which is made once.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::kept::link;
use super::kernel::{CONFIG, FILE};
use super::lock::Lock;

/// The folder of their folders.
const HOME: &str = "target/kernels/made";

/// How long one stays that no image has.
const STAYS: Duration = Duration::from_secs(60 * 60);

/// A kernel of some sources and some configuration, whether it is there or not.
pub(super) struct Made {
    home: PathBuf,
    folder: PathBuf,
}

impl Made {
    /// The one below `root` whose sources and configuration this stamp stands for.
    pub(super) fn of(root: &Path, stamp: &str) -> Made {
        let home = root.join(HOME);
        Made {
            folder: home.join(stamp.trim_end()),
            home,
        }
    }

    /// Gives it the second name `output`, in the place of what has it now; `make` makes it, if it is not there. Who wants the
    /// same one meanwhile waits.
    ///
    /// # Errors
    /// If it cannot be made, or not be written there.
    pub(super) fn take(
        &self,
        output: &Path,
        make: impl FnOnce(&Path) -> miette::Result<()>,
    ) -> miette::Result<()> {
        let file = self.folder.join(FILE);
        // It may just have been swept.
        if file.exists() && link(&file, output).is_ok() {
            return Ok(());
        }
        let _making = Lock::of(&self.folder, "waiting for the same kernel to be made")?;
        if !file.exists() {
            sweep(&self.home, SystemTime::now());
            make(&file)?;
        }
        link(&file, output)
    }
}

/// Removes those that no image has, and that were not made lately. Their locks stay, which somebody may just take.
fn sweep(home: &Path, now: SystemTime) {
    for folder in fs::read_dir(home).into_iter().flatten().flatten() {
        let file = folder.path().join(FILE);
        let is_left = fs::metadata(&file).is_ok_and(|it| {
            let made = it.modified().ok();
            let age = made.and_then(|it| now.duration_since(it).ok());
            it.nlink() == 1 && age.is_some_and(|it| it > STAYS)
        });
        if is_left {
            // The kernel last: as long as it is there nobody makes it anew. What stays is swept another time.
            let _ = fs::remove_file(folder.path().join(CONFIG));
            let _ = fs::remove_file(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(file: &Path, text: &str) -> miette::Result<()> {
        fs::write(file, text).unwrap();
        Ok(())
    }

    #[test]
    fn a_kernel_is_made_once_and_stays_when_an_image_has_another_one() {
        let root = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|it| root.path().join(it));
        let take = |stamp: &str, output: &Path, text: &str| {
            let mut asked = false;
            let taken = Made::of(root.path(), stamp).take(output, |file| {
                asked = true;
                write(file, text)
            });
            assert!(taken.is_ok());
            assert_eq!(fs::read_to_string(output).unwrap(), text);
            asked
        };
        assert!(take("first\n", &one, "a kernel"));
        assert!(!take("first\n", &other, "a kernel"));
        assert!(take("second\n", &one, "another kernel"));
        assert!(!take("first\n", &one, "a kernel"));
    }

    #[test]
    fn a_kernel_that_could_not_be_made_is_asked_for_again() {
        let root = tempfile::tempdir().unwrap();
        let output = root.path().join("image");
        let made = Made::of(root.path(), "stamp");
        write(&output, "the old one").unwrap();
        let refused = made.take(&output, |_| Err(miette::miette!("it does not compile")));
        assert!(refused.is_err());
        assert_eq!(fs::read_to_string(&output).unwrap(), "the old one");
        assert!(made.take(&output, |file| write(file, "new")).is_ok());
        assert_eq!(fs::read_to_string(&output).unwrap(), "new");
    }

    #[test]
    fn what_no_image_has_goes_after_an_hour() {
        let root = tempfile::tempdir().unwrap();
        let output = root.path().join("image");
        let [used, unused] = ["used", "unused"].map(|it| Made::of(root.path(), it));
        unused.take(&output, |file| write(file, "old")).unwrap();
        used.take(&output, |file| write(file, "new")).unwrap();
        let is_there = |made: &Made| made.folder.join(FILE).exists();
        sweep(&used.home, SystemTime::now());
        assert!(is_there(&used) && is_there(&unused));
        sweep(&used.home, SystemTime::now() + 2 * STAYS);
        assert!(is_there(&used) && !is_there(&unused));
    }
}
