//! The words at which threads wait, for a wake or for the lock that the word is.
//!
//! A word is in a tree as long as somebody waits there. The first of those who do, the most urgent one,
//! stands in the tree for the word; the others are a list of the first one's. So who is first is found, comes
//! and goes in a bounded number of steps, wherever anybody else waits.
//!
//! There are about as many trees as threads. The bits of a number that is the word's alone choose its tree, and then
//! the way from the root down to the word, which ends where the word is found (a digital search tree): mostly at the
//! root. A tree is never deeper than such a number has bits, in whatever order threads come and go.

use core::cell::Cell;

use crate::{
    Thread,
    limits::FUTEXES,
    memory::word::Wait,
    sched::queue::{hand_on, inner},
    sync::futex::Place,
};

type Link = Cell<Option<&'static Thread>>;

/// Trees. Without futexes nobody waits in them.
const TREES: usize = if FUTEXES == 0 { 2 } else { FUTEXES };

state! {
/// Words at which threads wait, each with its threads in order of priority, and of arrival among equals.
pub(crate) struct Words {
    pub(crate) roots: [Link; TREES] as detail,
}
}

/// Where a word is in its tree, or would be. It holds until the tree changes.
pub(crate) struct Spot<'a>(&'a Link);

/// The bits that choose a word's tree and the way down to it, the next one topmost. Neighbours and multiples of a
/// power of two lie apart (the golden ratio's bits); the factor is odd, so that no two have the same bits.
#[inline(always)]
fn way_to(wait: Wait) -> u32 {
    wait.number().wrapping_mul(0x9E37_79B1)
}

impl Words {
    pub const fn new() -> Self {
        Self {
            roots: [const { Cell::new(None) }; TREES],
        }
    }

    /// Walks to where `wait` is.
    #[inline(always)]
    pub fn at(&self, wait: Wait) -> Spot<'_> {
        const BITS: u32 = TREES.trailing_zeros();
        let way = way_to(wait);
        let root = &self.roots[(way >> (u32::BITS - BITS)) as usize & (TREES - 1)];
        match root.get() {
            Some(first) if !first.waits_for(wait) => below(root, wait, way << BITS),
            _ => Spot(root),
        }
    }
}

/// Walks on from a tree's root, where another word is.
#[inline(never)]
fn below(root: &Link, wait: Wait, mut way: u32) -> Spot<'_> {
    let mut place = root;
    while let Some(first) = place.get()
        && !first.waits_for(wait)
        && let Some(node) = first.place.first()
    {
        place = &node.branches[(way >> 31) as usize];
        way <<= 1;
    }
    Spot(place)
}

impl Spot<'_> {
    /// The most urgent thread that waits here, the first one of equals.
    #[inline(always)]
    pub fn first(&self) -> Option<&'static Thread> {
        self.0.get()
    }

    /// Whether `thread`, the first one here, is alone here, and stands in its tree for no other word.
    #[inline(always)]
    pub fn holds_only(&self, thread: &'static Thread) -> bool {
        let place = thread.place.first();
        place.is_some_and(|own| own.rest.is_empty() && own.inner().is_none())
    }

    /// The one thread that was here, and stood in its tree for no other word, is no longer here.
    #[inline(always)]
    pub fn clear(self) {
        self.0.set(None);
    }

    /// Puts `thread` behind all here that are at least as urgent.
    #[inline(always)]
    pub fn insert(self, thread: &'static Thread) {
        match self.0.get() {
            None => self.0.set(Some(thread)),
            Some(first) => self.insert_among(first, thread),
        }
    }

    #[inline(never)]
    fn insert_among(self, first: &'static Thread, thread: &'static Thread) {
        let (Some(others), Some(own)) = (first.place.first(), thread.place.first()) else {
            return;
        };
        if first.priority.get() >= thread.priority.get() {
            return others.rest.insert(thread);
        }
        others.hand_on(own);
        own.rest.insert_in_front(first);
        self.0.set(Some(thread));
    }

    /// Removes `thread`, which waits here. If it was the first one, returns who is now.
    #[inline(always)]
    pub fn remove(self, thread: &'static Thread) -> Option<&'static Thread> {
        let is_first = self.0.get().is_some_and(|first| first.is(thread));
        if is_first && self.holds_only(thread) {
            self.clear();
            return None;
        }
        self.remove_among(thread)
    }

    #[inline(never)]
    fn remove_among(self, thread: &'static Thread) -> Option<&'static Thread> {
        let own = thread.place.first()?;
        let first = self.0.get()?;
        if !first.is(thread) {
            first.place.iter().for_each(|it| it.rest.remove(thread));
            return None;
        }
        let next = own.rest.first();
        if let Some(next) = next {
            own.rest.remove(next);
        }
        // Nobody waits here any more: another word takes its place in the tree.
        let heir = next.or_else(|| take_leaf(own));
        if let Some(heir) = heir.and_then(|heir| heir.place.first()) {
            if next.is_some() {
                own.hand_on(heir);
            } else {
                own.hand_branches_on(heir);
            }
        }
        self.0.set(heir);
        next
    }
}

impl Place {
    /// What its thread stands for, another one stands for now: `heir`'s.
    fn hand_on(&self, heir: &Place) {
        self.hand_branches_on(heir);
        heir.rest.take_all(&self.rest);
    }

    fn hand_branches_on(&self, heir: &Place) {
        hand_on(&self.branches, &heir.branches);
    }

    /// The first of its branches that there is.
    #[inline(always)]
    fn inner(&self) -> Option<&Link> {
        inner(&self.branches)
    }
}

/// Takes a word without branches from the tree below `node`, if there is anything.
fn take_leaf(node: &'static Place) -> Option<&'static Thread> {
    let mut place = node.inner()?;
    loop {
        let leaf = place.get()?;
        match leaf.place.first()?.inner() {
            Some(deeper) => place = deeper,
            None => return place.take(),
        }
    }
}

#[cfg(feature = "snapshot")]
impl Words {
    /// The threads that wait at each word, by its address; for its lock if `locks`, else for a wake.
    pub(crate) fn lines(&self, locks: bool) -> alloc::vec::Vec<alloc::vec::Vec<&'static Thread>> {
        let mut open: alloc::vec::Vec<_> = self.roots.iter().filter_map(Cell::get).collect();
        let mut firsts = alloc::vec::Vec::new();
        while let Some(first) = open.pop() {
            firsts.push(first);
            let nodes = first.place.iter().flat_map(|place| &place.branches);
            open.extend(nodes.filter_map(Cell::get));
        }
        firsts.retain(|first| first.wait().is_some_and(Wait::is_lock) == locks);
        firsts.sort_by_key(|first| first.wait().map(Wait::number));
        firsts
            .into_iter()
            .map(|first| first.line().collect())
            .collect()
    }

    /// The most steps from a root to a word.
    pub(crate) fn depth(&self) -> usize {
        let mut level: alloc::vec::Vec<_> = self.roots.iter().filter_map(Cell::get).collect();
        let mut depth = 0;
        while !level.is_empty() {
            depth += 1;
            let places = level.iter().flat_map(|first| first.place.first());
            let below = places.flat_map(|place| &place.branches);
            level = below.filter_map(Cell::get).collect();
        }
        depth
    }
}
