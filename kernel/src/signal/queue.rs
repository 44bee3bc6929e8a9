//! Signals with a word, in order of arrival.

use core::cell::Cell;

use riposte_abi::signal::MAX_QUEUED;

value! {
/// A signal that waits with its word.
#[derive(Clone, Copy)]
pub struct Queued {
    whose: Whose,
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
        word: 0,
    };
}

state! {
/// Those of a process: all its threads', in one order. It is short enough to be gone through.
pub(crate) struct Queue {
    places: &'static [Cell<Queued>],
    count: Cell<u8>,
    /// Which places have one that was sent to the process, and outlives the thread that is to take it: a bit for each.
    of_process: Cell<u32>,
}
}

const _: () = assert!(MAX_QUEUED <= u32::BITS as usize);

impl Queue {
    pub const fn new(places: &'static [Cell<Queued>]) -> Self {
        Self {
            places,
            count: Cell::new(0),
            of_process: Cell::new(0),
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
        self.of_process.set(0);
    }

    /// Those at the places whose bits are set in [`Queue::of_process`].
    fn all_of_process(&self) -> impl Iterator<Item = (u32, &'static Cell<Queued>)> {
        let of_process = self.of_process.get();
        (0..)
            .zip(self.waiting())
            .filter(move |(n, _)| of_process & 1 << n != 0)
    }

    /// Adds one, if there is room: for `thread`, or [`ANYBODY`]; it may have been sent to the process.
    pub fn push(&self, signal: u32, thread: u8, of_process: bool, word: u32) {
        let count = self.count.get();
        if let Some(place) = self.places.get(usize::from(count)) {
            let whose = Whose::new(signal, thread);
            place.set(Queued { whose, word });
            self.of_process
                .set(self.of_process.get() | u32::from(of_process) << count);
            self.count.set(count + 1);
        }
    }

    /// The first one for `thread` that was sent to the process.
    pub fn first_of_process(&self, thread: u8) -> Option<u32> {
        let mut all = self.all_of_process().map(|(_, place)| place.get().whose);
        let first = all.find(|whose| whose.thread() == thread)?;
        Some(first.signal().into())
    }

    /// The first one with this number for `thread` that was sent to the process is for `taker` from now on, in the same
    /// order. Whether another one waits for `thread`.
    pub fn hand_on(&self, signal: u32, thread: u8, taker: u8) -> bool {
        let whose = Whose::new(signal, thread);
        let mut all = self.all_of_process().map(|(_, place)| place);
        if let Some(place) = all.find(|place| place.get().whose == whose) {
            let whose = Whose::new(signal, taker);
            place.set(Queued {
                whose,
                ..place.get()
            });
        }
        self.waiting()
            .iter()
            .any(|place| place.get().whose == whose)
    }

    /// Takes the first one with this number for `thread`: its word, and whether another one waits. What is behind it moves
    /// up.
    pub fn take(&self, signal: u32, thread: u8) -> (u32, bool) {
        let whose = Whose::new(signal, thread);
        let waiting = self.waiting();
        let Some(first) = waiting.iter().position(|it| it.get().whose == whose) else {
            return (0, false);
        };
        let Some((mut taken, behind)) = waiting.get(first..).and_then(<[_]>::split_first) else {
            return (0, false);
        };
        let (word, mut others) = (taken.get().word, false);
        for next in behind {
            let queued = next.get();
            others |= queued.whose == whose;
            taken.set(queued);
            taken = next;
        }
        let (of_process, before) = (self.of_process.get(), (1 << first) - 1);
        self.of_process
            .set(of_process & before | of_process >> 1 & !before);
        self.count.set(self.count.get() - 1);
        (word, others)
    }

    /// Nothing waits for `thread` any more.
    pub fn forget(&self, thread: u8) {
        let (mut kept, mut of_process) = (0_u8, 0);
        for (n, place) in (0..).zip(self.waiting()) {
            let queued = place.get();
            if queued.whose.thread() != thread
                && let Some(to) = self.places.get(usize::from(kept))
            {
                to.set(queued);
                of_process |= (self.of_process.get() >> n & 1) << kept;
                kept += 1;
            }
        }
        self.count.set(kept);
        self.of_process.set(of_process);
    }

    /// The set of those that wait for `thread`.
    #[cfg(debug_assertions)]
    pub fn set_for(&self, thread: u8) -> u64 {
        let waiting = self.waiting().iter().map(Cell::get);
        let its = waiting.filter(|it| it.whose.thread() == thread);
        its.fold(0, |set, it| set | 1 << it.whose.signal())
    }
}
