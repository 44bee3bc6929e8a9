//! What another thread may do to a machine: type at its console, ask how far it has come, and end it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::keys::Keys;
use super::monitor::Monitor;

/// A machine that runs in another thread, or will, or has; one after the other may be the same one's.
#[derive(Clone, Default)]
pub struct Remote(Arc<Inside>);

#[derive(Default)]
struct Inside {
    machine: Mutex<Option<Running>>,
    to_stop: AtomicBool,
}

/// A machine that runs.
#[derive(Clone)]
struct Running {
    keys: Keys,
    executed: Arc<dyn Fn() -> Option<u64> + Send + Sync>,
    pause: Arc<dyn Fn() -> Option<()> + Send + Sync>,
}

impl Remote {
    /// Types these bytes at its console, unless it has not taken too many others yet. It never waits.
    ///
    /// Returns whether there is a machine that gets them.
    pub fn press(&self, bytes: &[u8]) -> bool {
        let machine = self.machine();
        machine
            .as_ref()
            .is_some_and(|it| it.keys.offer(bytes).is_ok())
    }

    /// How many instructions it has executed, those of its idle thread among them: none while it sleeps. Nothing if none runs,
    /// or its emulator does not count ([`super::Engine::with_count`]).
    #[must_use]
    pub fn executed(&self) -> Option<u64> {
        let machine = self.machine().clone();
        (machine?.executed)()
    }

    /// Has it stand still for a moment. One that sleeps, and whose emulator counts ([`super::Engine::with_count`]), takes what was
    /// typed when it goes on, and else not before something else wakes it. Nothing if none runs.
    pub fn pause(&self) -> Option<()> {
        let machine = self.machine().clone();
        (machine?.pause)()
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
    pub(super) fn joins(&self, keys: Keys, monitor: &Monitor) -> Joined<'_> {
        let executed = Arc::new(monitor.executed());
        let pause = Arc::new(monitor.pause());
        *self.machine() = Some(Running {
            keys,
            executed,
            pause,
        });
        Joined(self)
    }

    fn machine(&self) -> MutexGuard<'_, Option<Running>> {
        // Nothing half done is ever in it.
        let machine = self.0.machine.lock();
        machine.unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Remote")
    }
}

/// For as long as a machine runs.
pub(super) struct Joined<'a>(&'a Remote);

impl Drop for Joined<'_> {
    fn drop(&mut self) {
        *self.0.machine() = None;
    }
}
