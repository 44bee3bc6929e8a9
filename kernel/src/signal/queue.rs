//! Signals with a word, in order of arrival.

use core::cell::Cell;

value! {
/// A signal that waits with its word.
#[derive(Clone, Copy)]
pub struct Queued {
    whose: Whose,
    /// It was sent to the process, and outlives the thread that is to take it.
    of_process: bool,
    word: u32,
}
}

value! {
/// Which signal, and for which thread: [`ANYBODY`] for any of the process. They are compared at once.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Whose {
    both: u16,
}
}

impl Whose {
    const fn new(signal: u32, thread: u8) -> Self {
        let both = signal as u16 | (thread as u16) << 8;
        Self { both }
    }

    fn thread(self) -> u8 {
        (self.both >> 8) as u8
    }

    fn signal(self) -> u8 {
        self.both as u8
    }
}

/// No thread has this index but the idle one of the largest system.
pub(crate) const ANYBODY: u8 = u8::MAX;

impl Queued {
    /// An empty place.
    pub const NONE: Self = Self {
        whose: Whose::new(0, ANYBODY),
        of_process: false,
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

    /// Adds one, if there is room: for `thread`, or [`ANYBODY`]; it may have been sent to the process.
    pub fn push(&self, signal: u32, thread: u8, of_process: bool, word: u32) {
        let count = self.count.get();
        if let Some(place) = self.places.get(usize::from(count)) {
            place.set(Queued {
                whose: Whose::new(signal, thread),
                of_process,
                word,
            });
            self.count.set(count + 1);
        }
    }

    /// The first one for `thread` that was sent to the process.
    pub fn first_of_process(&self, thread: u8) -> Option<u32> {
        let mut waiting = self.waiting().iter().map(Cell::get);
        let first = waiting.find(|it| it.of_process && it.whose.thread() == thread)?;
        Some(first.whose.signal().into())
    }

    /// The first one with this number for `thread` that was sent to the process is for `taker` from now on, in the same
    /// order. Whether another one waits for `thread`.
    pub fn hand_on(&self, signal: u32, thread: u8, taker: u8) -> bool {
        let whose = Whose::new(signal, thread);
        let (mut handed, mut others) = (false, false);
        for place in self.waiting() {
            let queued = place.get();
            if queued.whose != whose {
                continue;
            }
            if queued.of_process && !handed {
                let whose = Whose::new(signal, taker);
                place.set(Queued { whose, ..queued });
                handed = true;
            } else {
                others = true;
            }
        }
        others
    }

    /// Takes the first one with this number for `thread`: its word, and whether another one waits. What is behind it moves
    /// up.
    pub fn take(&self, signal: u32, thread: u8) -> (u32, bool) {
        let whose = Whose::new(signal, thread);
        let mut waiting = self.waiting().iter();
        let Some(mut taken) = waiting.find(|it| it.get().whose == whose) else {
            return (0, false);
        };
        let (word, mut others) = (taken.get().word, false);
        for next in waiting {
            let queued = next.get();
            others |= queued.whose == whose;
            taken.set(queued);
            taken = next;
        }
        self.count.set(self.count.get() - 1);
        (word, others)
    }

    /// Nothing waits for `thread` any more.
    pub fn forget(&self, thread: u8) {
        let mut kept = 0;
        for place in self.waiting() {
            let queued = place.get();
            if queued.whose.thread() != thread
                && let Some(to) = self.places.get(usize::from(kept))
            {
                to.set(queued);
                kept += 1;
            }
        }
        self.count.set(kept);
    }

    /// The set of those that wait for `thread`.
    #[cfg(debug_assertions)]
    pub fn set_for(&self, thread: u8) -> u64 {
        let waiting = self.waiting().iter().map(Cell::get);
        let its = waiting.filter(|it| it.whose.thread() == thread);
        its.fold(0, |set, it| set | 1 << it.whose.signal())
    }
}
