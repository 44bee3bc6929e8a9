//! One builder at a time in a folder.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use miette::{IntoDiagnostic, WrapErr};

use super::make;
use crate::interrupt;
use crate::progress::Step;

/// How often somebody who waits looks whether the wait is over.
const POLL: Duration = Duration::from_millis(50);

/// The folders that this process holds. Its own threads wait for each other here: the system would not tell
/// them from another process.
static HELD: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
static FREED: Condvar = Condvar::new();

/// A folder that nobody else builds in. Dropping it lets the next one in.
pub(super) struct Lock {
    folder: PathBuf,
    file: Option<File>,
}

impl Lock {
    /// Waits until nobody else, in this process or another one, holds the lock of `folder`. `waiting` says so: at
    /// once if that is another process, and otherwise if it takes long.
    ///
    /// # Errors
    /// If the folder cannot be locked, or somebody presses Ctrl-C.
    pub(super) fn of(folder: &Path, waiting: &str) -> miette::Result<Lock> {
        make(folder)?;
        let mut lock = Lock::within(folder, waiting)?;
        let path = folder.join("lock");
        let file = File::create(&path).and_then(|file| Ok((try_lock(&file)?, file)));
        let cannot = || format!("cannot lock {}", path.display());
        let (mut locked, file) = file.into_diagnostic().wrap_err_with(cannot)?;
        let _step = (!locked).then(|| Step::begin_aloud(waiting));
        while !locked {
            interrupt::check()?;
            std::thread::sleep(POLL);
            locked = try_lock(&file).into_diagnostic().wrap_err_with(cannot)?;
        }
        lock.file = Some(file);
        Ok(lock)
    }

    /// The turn among this process's threads.
    fn within(folder: &Path, waiting: &str) -> miette::Result<Lock> {
        let _step = Step::begin(waiting);
        let mut held = held();
        while held.contains(folder) {
            interrupt::check()?;
            let woken = FREED.wait_timeout(held, POLL);
            held = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        held.insert(folder.into());
        Ok(Lock {
            folder: folder.into(),
            file: None,
        })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // First for other processes: the next thread shall not wait for this one.
        self.file = None;
        held().remove(&self.folder);
        FREED.notify_all();
    }
}

fn held() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    // The set is whole whatever happens to those who look at it.
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

fn try_lock(file: &File) -> std::io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
