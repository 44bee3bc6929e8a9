//! Deadlines: a binary heap of what is due at a time. Setting and clearing take at most
//! log2(threads and timers) steps, and nothing when a call has no deadline.

use core::cell::Cell;

/// Whose a deadline is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// The thread of this index is blocked until then at most.
    Thread(u8),
    /// Timer number `number` of the process of this index is due.
    Timer {
        /// Process index.
        process: u8,
        /// Number among the timers of its process.
        number: u8,
    },
    /// The interrupt of this line may come again: it was acknowledged sooner than its rate allows.
    Interrupt(u16),
}

state! {
/// A time at which something is due. Whatever can be due at a time embeds one.
pub struct Deadline {
    /// Whose it is.
    pub due: Due,
    pub(crate) at: Cell<u64> as time where is_set,
    pub(crate) place: Cell<u16>,
}
}

/// `place` of a deadline that is not set.
const NOWHERE: u16 = u16::MAX;

impl Deadline {
    /// One that is not set.
    #[must_use]
    pub const fn new(due: Due) -> Self {
        Self {
            due,
            at: Cell::new(u64::MAX),
            place: Cell::new(NOWHERE),
        }
    }

    /// When it is, in nanoseconds of monotonic time, if it is set.
    #[must_use]
    pub fn at(&self) -> Option<u64> {
        self.is_set().then(|| self.at.get())
    }

    #[inline(always)]
    pub(crate) fn is_set(&self) -> bool {
        self.place.get() != NOWHERE
    }
}

state! {
/// The deadlines that are set, earliest first.
pub(crate) struct Deadlines {
    /// One place a thread, a timer, and an interrupt that is limited to a rate.
    pub(crate) places: &'static [Cell<Option<&'static Deadline>>],
    pub(crate) count: Cell<usize>,
    /// The clock may have to be asked for another time: the earliest deadline has changed, or time slices are
    /// planned.
    pub(crate) replan: Cell<bool> as detail,
}
}

impl Deadlines {
    pub const fn new(places: &'static [Cell<Option<&'static Deadline>>]) -> Self {
        Self {
            places,
            count: Cell::new(0),
            replan: Cell::new(true),
        }
    }

    /// The time of the earliest one; `u64::MAX` if there is none.
    pub fn earliest(&self) -> u64 {
        self.first().map_or(u64::MAX, |deadline| deadline.at.get())
    }

    /// The earliest one.
    pub fn first(&self) -> Option<&'static Deadline> {
        get(self.places, 0)
    }

    /// Sets `deadline`, which is not.
    pub fn insert(&self, deadline: &'static Deadline, at: u64) {
        debug_assert!(!deadline.is_set());
        deadline.at.set(at);
        let index = self.count.get();
        self.count.set(index + 1);
        self.put(rise(self.places, index, at), deadline);
    }

    /// Clears `deadline`, if it is set.
    #[inline(always)]
    pub fn remove(&self, deadline: &'static Deadline) {
        if deadline.is_set() {
            self.take(deadline);
        }
    }

    fn take(&self, deadline: &'static Deadline) {
        let index = usize::from(deadline.place.replace(NOWHERE));
        let last = self.count.get().wrapping_sub(1);
        if index == 0 {
            self.replan.set(true);
        }
        self.count.set(last);
        let moved = self.places.get(last).and_then(Cell::take);
        if let Some(moved) = moved.filter(|_| index != last) {
            let at = moved.at.get();
            let place = match rise(self.places, index, at) {
                place if place == index => sink(self.places, index, at),
                place => place,
            };
            self.put(place, moved);
        }
    }

    fn put(&self, index: usize, deadline: &'static Deadline) {
        if index == 0 {
            self.replan.set(true);
        }
        put(self.places, index, deadline);
    }
}

type Places = &'static [Cell<Option<&'static Deadline>>];

#[inline(always)]
fn get(places: Places, index: usize) -> Option<&'static Deadline> {
    places.get(index).and_then(Cell::get)
}

#[inline(always)]
fn put(places: Places, index: usize, deadline: &'static Deadline) {
    if let Some(place) = places.get(index) {
        place.set(Some(deadline));
        deadline.place.set(index as u16);
    }
}

/// Makes room at `index` or above it, where what is due `at` precedes all below. Returns where.
fn rise(places: Places, mut index: usize, at: u64) -> usize {
    while index > 0 {
        let parent = (index - 1) / 2;
        match get(places, parent) {
            Some(above) if at < above.at.get() => put(places, index, above),
            _ => break,
        }
        index = parent;
    }
    index
}

/// Makes room at `index` or below it, where what is due `at` follows all above. Returns where.
fn sink(places: Places, mut index: usize, at: u64) -> usize {
    let mut child = 2 * index + 1;
    while let Some(mut below) = get(places, child) {
        if let Some(right) = get(places, child + 1)
            && right.at.get() < below.at.get()
        {
            below = right;
            child += 1;
        }
        if at <= below.at.get() {
            break;
        }
        put(places, index, below);
        index = child;
        child = 2 * index + 1;
    }
    index
}
