//! The words at which threads wait.
//!
//! A word is in a tree as long as somebody waits there. The first of those who do, the most urgent one,
//! stands in the tree for the word; the others are a list of the first one's. So who is first is found, comes
//! and goes in a bounded number of steps, wherever anybody else waits.
//!
//! The tree is a digital search tree: the way from its root down to a word follows the bits of a number that
//! is the word's alone, and ends where the word is found. It is never deeper than such a number has bits, and
//! with words that lie side by side not much deeper than a balanced one, in whatever order threads come and
//! go.

use core::cell::Cell;

use crate::{Thread, Word, sync::futex::Place};

type Link = Cell<Option<&'static Thread>>;

state! {
/// Words at which threads wait, each with its threads in order of priority, and of arrival among equals.
pub(crate) struct Words {
    pub(crate) root: Link as detail,
}
}

/// The bits that the way down to a word takes, the next one topmost. Neighbours and multiples of a power of
/// two lie apart (the golden ratio's bits); the factor is odd, so that no two words have the same bits.
#[inline(always)]
fn way_to(word: Word) -> u32 {
    word.address().wrapping_mul(0x9E37_79B1)
}

impl Words {
    pub const fn new() -> Self {
        Self {
            root: Cell::new(None),
        }
    }

    /// The most urgent thread that waits at this word, the first one of equals.
    #[inline(always)]
    pub fn first_at(&self, word: Word) -> Option<&'static Thread> {
        self.place(word).get()
    }

    /// Puts `thread`, which waits at `word`, behind all there that are at least as urgent.
    #[inline(always)]
    pub fn insert(&self, word: Word, thread: &'static Thread) {
        match self.root.get() {
            None => self.root.set(Some(thread)),
            Some(_) => self.insert_among(word, thread),
        }
    }

    #[inline(never)]
    fn insert_among(&self, word: Word, thread: &'static Thread) {
        let Some(own) = thread.place.first() else {
            return;
        };
        let place = self.place(word);
        let Some(first) = place.get() else {
            return place.set(Some(thread));
        };
        if first.priority.get() >= thread.priority.get() {
            first.place.iter().for_each(|it| it.rest.insert(thread));
            return;
        }
        first.place.iter().for_each(|it| it.hand_on(own));
        own.rest.insert_in_front(first);
        place.set(Some(thread));
    }

    /// Removes `thread`, which waits at `word`. If it was the first one there, returns who is now.
    #[inline(always)]
    pub fn remove(&self, word: Word, thread: &'static Thread) -> Option<&'static Thread> {
        let own = thread.place.first()?;
        let is_root = self.root.get().is_some_and(|root| root.is(thread));
        if is_root && own.rest.is_empty() && own.inner().is_none() {
            self.root.set(None);
            return None;
        }
        self.remove_among(word, thread)
    }

    #[inline(never)]
    fn remove_among(&self, word: Word, thread: &'static Thread) -> Option<&'static Thread> {
        let own = thread.place.first()?;
        let place = self.place(word);
        let first = place.get()?;
        if !first.is(thread) {
            first.place.iter().for_each(|it| it.rest.remove(thread));
            return None;
        }
        let next = own.rest.first();
        if let Some(next) = next {
            own.rest.remove(next);
        }
        // Nobody waits there any more: another word takes its place in the tree.
        let heir = next.or_else(|| take_leaf(own));
        if let Some(heir) = heir.and_then(|heir| heir.place.first()) {
            if next.is_some() {
                own.hand_on(heir);
            } else {
                own.hand_branches_on(heir);
            }
        }
        place.set(heir);
        next
    }

    /// Where the first one at a word is in the tree, or would be.
    #[inline(always)]
    fn place(&self, word: Word) -> &Link {
        let (mut place, mut way) = (&self.root, way_to(word));
        while let Some(first) = place.get()
            && !first.is_at(word)
            && let Some(node) = first.place.first()
        {
            place = &node.branches[(way >> 31) as usize];
            way <<= 1;
        }
        place
    }
}

impl Place {
    /// What its thread stands for, another one stands for now: `heir`'s.
    fn hand_on(&self, heir: &Place) {
        self.hand_branches_on(heir);
        heir.rest.take_all(&self.rest);
    }

    fn hand_branches_on(&self, heir: &Place) {
        for (own, former) in heir.branches.iter().zip(&self.branches) {
            own.set(former.take());
        }
    }

    /// The first of its branches that there is.
    fn inner(&self) -> Option<&Link> {
        self.branches.iter().find(|link| link.get().is_some())
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
    /// The threads that wait at each word, by its address.
    pub(crate) fn lines(&self) -> alloc::vec::Vec<alloc::vec::Vec<&'static Thread>> {
        let (mut open, mut firsts) = (alloc::vec::Vec::new(), alloc::vec::Vec::new());
        open.extend(self.root.get());
        while let Some(first) = open.pop() {
            firsts.push(first);
            let nodes = first.place.iter().flat_map(|place| &place.branches);
            open.extend(nodes.filter_map(Cell::get));
        }
        firsts.sort_by_key(|first| first.word().map(Word::address));
        firsts
            .into_iter()
            .map(|first| first.line().collect())
            .collect()
    }

    /// The most steps from the root to a word.
    pub(crate) fn depth(&self) -> usize {
        let mut level: alloc::vec::Vec<_> = self.root.get().into_iter().collect();
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
