//! What another thread may do to a machine: type at its console, and end it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::keys::Keys;

/// A machine that runs in another thread, or will, or has; one after the other may be the same one's.
#[derive(Clone, Default)]
pub struct Remote(Arc<Inside>);

#[derive(Default)]
struct Inside {
    keys: Mutex<Option<Keys>>,
    to_stop: AtomicBool,
}

impl Remote {
    /// Types these bytes at its console. Waits while the emulator takes none.
    ///
    /// Returns whether there is a machine that has got them.
    pub fn press(&self, bytes: &[u8]) -> bool {
        // Who waits for the emulator keeps nobody from beginning or ending.
        let keys = self.keys().clone();
        keys.is_some_and(|keys| keys.press(bytes).is_ok())
    }

    /// Ends the machine that runs, or else the one that begins next.
    pub fn stop(&self) {
        self.0.to_stop.store(true, Ordering::Release);
    }

    /// Whether it is to end; once, for each time that somebody asks.
    pub(super) fn is_to_stop(&self) -> bool {
        self.0.to_stop.swap(false, Ordering::AcqRel)
    }

    /// A machine with these keys begins. It has ended when the result is dropped.
    pub(super) fn joins(&self, keys: Keys) -> Joined<'_> {
        *self.keys() = Some(keys);
        Joined(self)
    }

    fn keys(&self) -> MutexGuard<'_, Option<Keys>> {
        // Nothing half done is ever in it.
        self.0.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Remote")
    }
}

/// A machine that runs.
pub(super) struct Joined<'a>(&'a Remote);

impl Drop for Joined<'_> {
    fn drop(&mut self) {
        *self.0.keys() = None;
    }
}
