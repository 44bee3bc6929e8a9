//! Signals with a word, in order of arrival.

use core::cell::Cell;

value! {
/// A signal that waits with its word.
#[derive(Clone, Copy)]
pub struct Queued {
    signal: u8,
    /// For which thread; [`ANYBODY`] for any of the process.
    thread: u8,
    word: u32,
}
}

/// No thread has this index but the idle one of the largest system.
pub(crate) const ANYBODY: u8 = u8::MAX;

impl Queued {
    /// An empty place.
    pub const NONE: Self = Self {
        signal: 0,
        thread: ANYBODY,
        word: 0,
    };
}

state! {
/// Those of a process: all its threads', in one order. It is short enough to be gone through.
pub(crate) struct Queue {
    places: &'static [Cell<Queued>],
    count: Cell<u8>,
}
}

impl Queue {
    pub const fn new(places: &'static [Cell<Queued>]) -> Self {
        Self {
            places,
            count: Cell::new(0),
        }
    }

    fn waiting(&self) -> &'static [Cell<Queued>] {
        self.places.get(..self.count.get().into()).unwrap_or(&[])
    }

    pub fn is_full(&self) -> bool {
        usize::from(self.count.get()) >= self.places.len()
    }

    pub fn clear(&self) {
        self.count.set(0);
    }

    /// Adds one, if there is room.
    pub fn push(&self, signal: u32, thread: u8, word: u32) {
        let count = self.count.get();
        if let Some(place) = self.places.get(usize::from(count)) {
            place.set(Queued {
                signal: signal as u8,
                thread,
                word,
            });
            self.count.set(count + 1);
        }
    }

    /// Takes the first one with this number for `thread`: its word, and whether another one waits.
    pub fn take(&self, signal: u32, thread: u8) -> (u32, bool) {
        let is_it = |it: &Queued| u32::from(it.signal) == signal && it.thread == thread;
        let (mut word, mut taken, mut others) = (0, false, false);
        self.keep_those(|it| {
            if is_it(it) && !taken {
                (word, taken) = (it.word, true);
                return false;
            }
            others |= is_it(it);
            true
        });
        (word, others)
    }

    /// Nothing waits for `thread` any more.
    pub fn forget(&self, thread: u8) {
        self.keep_those(|it| it.thread != thread);
    }

    fn keep_those(&self, mut stays: impl FnMut(&Queued) -> bool) {
        let mut kept = 0;
        for place in self.waiting() {
            let queued = place.get();
            if stays(&queued) {
                if let Some(to) = self.places.get(usize::from(kept)) {
                    to.set(queued);
                }
                kept += 1;
            }
        }
        self.count.set(kept);
    }

    /// The set of those that wait for `thread`.
    #[cfg(debug_assertions)]
    pub fn set_for(&self, thread: u8) -> u64 {
        let waiting = self.waiting().iter().map(Cell::get);
        let its = waiting.filter(|it| it.thread == thread);
        its.fold(0, |set, it| set | 1 << it.signal)
    }
}
