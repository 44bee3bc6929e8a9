//! What is sent to the zenoh network, by threads of its own. Whoever does not read there stops the thread that sends to it; the
//! node's thread, on which all boards depend, sends nothing there and waits for nobody.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use zenoh::Session;

/// Something to be sent.
type Job = Box<dyn FnOnce(&Session) + Send>;

/// A thread that sends, and what waits for it. What waits has no bound here: each job holds a [`Ticket`].
#[derive(Clone)]
pub struct Outbox(Sender<Job>);

impl Outbox {
    /// Starts the thread. It ends when its outbox is gone and all jobs are done, and keeps the session until then.
    pub fn start(session: Session) -> Outbox {
        let (sender, jobs): (_, Receiver<Job>) = channel();
        std::thread::spawn(move || jobs.iter().for_each(|job| job(&session)));
        Outbox(sender)
    }

    /// Has it done in its turn. Never blocks.
    pub fn send(&self, job: impl FnOnce(&Session) + Send + 'static) {
        // The thread lives as long as its outbox.
        let _ = self.0.send(Box::new(job));
    }
}

/// How many of a kind there may be at once.
pub struct Quota {
    most: usize,
    taken: Arc<AtomicUsize>,
}

impl Quota {
    /// So many, and none yet.
    pub fn new(most: usize) -> Quota {
        Quota {
            most,
            taken: Arc::default(),
        }
    }

    /// Leave for one more, as long as the ticket lives.
    pub fn take(&self) -> Option<Ticket> {
        let more = |taken| (taken < self.most).then_some(taken + 1);
        self.taken
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, more)
            .ok()
            .map(|_| Ticket(self.taken.clone()))
    }
}

/// One of a [`Quota`].
pub struct Ticket(Arc<AtomicUsize>);

impl Drop for Ticket {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quota_gives_so_many_tickets_and_those_that_came_back() {
        let quota = Quota::new(2);
        let (first, second) = (quota.take().unwrap(), quota.take());
        assert!(second.is_some() && quota.take().is_none());
        drop(first);
        let third = quota.take();
        assert!(third.is_some() && quota.take().is_none());
    }
}
