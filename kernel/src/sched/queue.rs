//! Where threads wait: circular lists through [`Thread::next`], queues of one list a priority, and lists in
//! priority order.
//!
//! A thread is on at most one of them at a time; which one follows from its state. While it is on a list in
//! another order, it may also stand in a tree that knows the highest priority there.

use core::cell::Cell;

use crate::{Thread, limits::LEVELS};

type Link = Cell<Option<&'static Thread>>;

const WORDS: usize = LEVELS / 32;

state! {
/// A circular doubly linked list, first in first out.
pub struct List {
    pub(crate) head: Link,
}
}

impl List {
    /// An empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            head: Cell::new(None),
        }
    }

    /// The first thread.
    #[must_use]
    #[inline]
    pub fn first(&self) -> Option<&'static Thread> {
        self.head.get()
    }

    /// The thread after `thread`, or `None` at the end.
    #[must_use]
    pub fn after(&self, thread: &'static Thread) -> Option<&'static Thread> {
        let next = thread.next.get()?;
        (!self.head.get().is_some_and(|head| head.is(next))).then_some(next)
    }

    /// All threads, first to last.
    pub fn iter(&self) -> impl Iterator<Item = &'static Thread> + '_ {
        core::iter::successors(self.first(), |thread| self.after(thread))
    }

    /// Appends.
    #[inline]
    pub fn push_back(&self, thread: &'static Thread) {
        match self.head.get() {
            None => self.begin(thread),
            Some(head) => {
                let tail = head.previous.get().unwrap_or(head);
                thread.next.set(Some(head));
                thread.previous.set(Some(tail));
                tail.next.set(Some(thread));
                head.previous.set(Some(thread));
            }
        }
    }

    /// Begins with `thread`: it was empty.
    #[inline(always)]
    pub(crate) fn begin(&self, thread: &'static Thread) {
        thread.next.set(Some(thread));
        thread.previous.set(Some(thread));
        self.head.set(Some(thread));
    }

    /// Prepends.
    pub fn push_front(&self, thread: &'static Thread) {
        self.push_back(thread);
        self.head.set(Some(thread));
    }

    /// Takes the first thread, and appends `thread` in its place. `None` if the list is empty: then nothing has changed.
    #[inline]
    pub(crate) fn exchange(&self, thread: &'static Thread) -> Option<&'static Thread> {
        let first = self.head.get()?;
        // The ring closes where it begins: whoever follows the last one has the place of the first.
        match (first.next.take(), first.previous.take()) {
            (Some(next), Some(previous)) if !next.is(first) => {
                thread.next.set(Some(next));
                thread.previous.set(Some(previous));
                next.previous.set(Some(thread));
                previous.next.set(Some(thread));
                self.head.set(Some(next));
            }
            _ => self.begin(thread),
        }
        Some(first)
    }

    /// Removes a thread that is on this list.
    pub fn remove(&self, thread: &'static Thread) {
        let (Some(next), Some(previous)) = (thread.next.get(), thread.previous.get()) else {
            return;
        };
        thread.next.set(None);
        thread.previous.set(None);
        if next.is(thread) {
            self.head.set(None);
            return;
        }
        previous.next.set(Some(next));
        next.previous.set(Some(previous));
        if self.head.get().is_some_and(|head| head.is(thread)) {
            self.head.set(Some(next));
        }
    }
}

impl Default for List {
    fn default() -> Self {
        Self::new()
    }
}

/// A list in priority order, first in first out within a priority, that takes one word of memory. No
/// operation takes more than some steps a bit of a priority (5 of 32 levels, 8 of 256), however many
/// threads wait.
///
/// Threads of one priority are a ring. The first of them stands in a tree for all of them. The tree is a
/// digital search tree: the way from its root down to a priority follows the bits of that priority, the
/// highest first, and ends where the priority is found. It is never deeper than a priority has bits, in
/// whatever order threads come and go, so that nothing has to be balanced.
///
/// A thread keeps the priority with which it was inserted until it is removed.
pub struct PriorityList {
    pub(crate) root: Link,
}

/// Bits of a priority.
const BITS: u32 = LEVELS.trailing_zeros();

/// The bits of a priority as the way down the tree takes them: the next one is the topmost one.
#[inline(always)]
const fn way_to(priority: u8) -> u8 {
    priority << (u8::BITS - BITS)
}

/// The branch of `thread` that such a way takes.
#[inline(always)]
fn branch(thread: &'static Thread, way: u8) -> &'static Link {
    &thread.branches[usize::from(way >> 7)]
}

impl PriorityList {
    /// An empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            root: Cell::new(None),
        }
    }

    /// Whether nobody waits.
    #[must_use]
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.root.get().is_none()
    }

    /// The most urgent thread, the first one of equals.
    #[must_use]
    #[inline(always)]
    pub fn first(&self) -> Option<&'static Thread> {
        match self.root.get() {
            Some(root) => Some(most_urgent(root)),
            None => None,
        }
    }

    /// The highest priority.
    #[must_use]
    #[inline(always)]
    pub fn top(&self) -> Option<u8> {
        self.first().map(|first| first.priority.get())
    }

    /// The thread after `thread`, which is on this list, or `None` at the end.
    #[must_use]
    pub fn after(&self, thread: &'static Thread) -> Option<&'static Thread> {
        let next = thread.next.get()?;
        let head = self.place(thread.priority.get()).get()?;
        if head.is(next) {
            self.below(thread.priority.get())
        } else {
            Some(next)
        }
    }

    /// All threads, first to last.
    pub fn iter(&self) -> impl Iterator<Item = &'static Thread> + '_ {
        core::iter::successors(self.first(), |thread| self.after(thread))
    }

    /// Puts `thread` behind all that are at least as urgent.
    #[inline(always)]
    pub fn insert(&self, thread: &'static Thread) {
        if self.root.get().is_some() {
            return self.insert_among(thread);
        }
        thread.next.set(Some(thread));
        thread.previous.set(Some(thread));
        self.root.set(Some(thread));
    }

    #[inline(never)]
    fn insert_among(&self, thread: &'static Thread) {
        let place = self.place(thread.priority.get());
        let ring = List {
            head: Cell::new(place.get()),
        };
        ring.push_back(thread);
        place.set(ring.head.get());
    }

    /// Puts `thread`, which is at least as urgent as all others, in front of them.
    pub(crate) fn insert_in_front(&self, thread: &'static Thread) {
        let place = self.place(thread.priority.get());
        let before = place.get();
        let ring = List {
            head: Cell::new(before),
        };
        ring.push_front(thread);
        // It stands in the tree for its priority.
        if let Some(before) = before {
            hand_on(&before.branches, &thread.branches);
        }
        place.set(Some(thread));
    }

    /// All that `other` holds is here from now on: nothing was.
    pub(crate) fn take_all(&self, other: &PriorityList) {
        self.root.set(other.root.take());
    }

    /// Removes a thread that is on this list.
    #[inline]
    pub fn remove(&self, thread: &'static Thread) {
        let is_alone = thread.next.get().is_some_and(|next| next.is(thread));
        if is_alone
            && self.root.get().is_some_and(|root| root.is(thread))
            && inner(&thread.branches).is_none()
        {
            thread.next.set(None);
            thread.previous.set(None);
            return self.root.set(None);
        }
        self.remove_among(thread);
    }

    #[inline(never)]
    fn remove_among(&self, thread: &'static Thread) {
        let place = self.place(thread.priority.get());
        let Some(head) = place.get() else { return };
        let ring = List {
            head: Cell::new(Some(head)),
        };
        ring.remove(thread);
        if head.is(thread) {
            let heir = ring.head.get().or_else(|| take_leaf(thread));
            if let Some(heir) = heir {
                hand_on(&thread.branches, &heir.branches);
            }
            place.set(heir);
        }
    }

    /// Gives a thread that is on this list another priority: it comes behind all that have it.
    pub fn set_priority(&self, thread: &'static Thread, priority: u8) {
        self.remove(thread);
        thread.priority.set(priority);
        self.insert(thread);
    }

    /// Where the first thread of a priority is in the tree, or would be.
    #[inline]
    fn place(&self, priority: u8) -> &Link {
        let (mut place, mut way) = (&self.root, way_to(priority));
        while let Some(thread) = place.get()
            && thread.priority.get() != priority
        {
            place = branch(thread, way);
            way <<= 1;
        }
        place
    }

    /// The first thread of the next lower priority.
    fn below(&self, priority: u8) -> Option<&'static Thread> {
        let (mut next, mut way) = (self.root.get(), way_to(priority));
        let (mut on_the_way, mut beside): (Option<&'static Thread>, _) = (None, None);
        while let Some(thread) = next {
            if thread.priority.get() < priority
                && on_the_way.is_none_or(|best| best.priority.get() < thread.priority.get())
            {
                on_the_way = Some(thread);
            }
            if way >> 7 != 0 {
                // All of that branch is lower; and higher than what lies beside the way further up.
                beside = thread.branches[0].get().or(beside);
            }
            next = branch(thread, way).get();
            way <<= 1;
        }
        let beside = beside.map(most_urgent);
        match (on_the_way, beside) {
            (Some(one), Some(other)) if one.priority.get() < other.priority.get() => Some(other),
            (one, other) => one.or(other),
        }
    }
}

impl Default for PriorityList {
    fn default() -> Self {
        Self::new()
    }
}

state! {
/// The threads of a list in another order, for whoever asks how urgent the most urgent of them is. It takes one
/// word of memory. No operation takes more than some steps a bit of a priority and of a thread's index (13 of 32
/// levels, 16 of 256), however many threads wait.
///
/// It is a tree like that of a [`PriorityList`]. But each thread stands in it for itself, since the list uses the
/// links of a ring: the way down to it follows the bits of its priority, and then those of its index.
///
/// A thread keeps the priority with which it was inserted until it is removed.
pub struct PriorityTree {
    pub(crate) root: Link,
}
}

impl PriorityTree {
    /// An empty tree.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            root: Cell::new(None),
        }
    }

    /// The highest priority.
    #[must_use]
    pub fn top(&self) -> Option<u8> {
        let mut last = self.root.get()?;
        let mut most = last.priority.get();
        loop {
            let [lower, higher] = &last.branches;
            let Some(next) = higher.get().or_else(|| lower.get()) else {
                return Some(most);
            };
            most = most.max(next.priority.get());
            last = next;
        }
    }

    /// Adds a thread, which is in no tree.
    pub fn insert(&self, thread: &'static Thread) {
        self.place(thread).set(Some(thread));
    }

    /// Removes a thread that is here.
    pub fn remove(&self, thread: &'static Thread) {
        let place = self.place(thread);
        let heir = take_leaf(thread);
        if let Some(heir) = heir {
            hand_on(&thread.branches, &heir.branches);
        }
        place.set(heir);
    }

    /// Whether a thread is here.
    #[must_use]
    pub fn contains(&self, thread: &'static Thread) -> bool {
        self.place(thread).get().is_some()
    }

    /// Where a thread is in the tree, or would be.
    fn place(&self, thread: &'static Thread) -> &Link {
        let bits = u16::from(thread.priority.get()) << u8::BITS | u16::from(thread.index);
        let (mut place, mut way) = (&self.root, bits << (u8::BITS - BITS));
        while let Some(other) = place.get()
            && !other.is(thread)
        {
            place = &other.branches[usize::from(way >> 15)];
            way <<= 1;
        }
        place
    }
}

impl Default for PriorityTree {
    fn default() -> Self {
        Self::new()
    }
}

/// The most urgent of the threads that stand in the tree below `thread`, or itself.
#[inline(never)]
fn most_urgent(thread: &'static Thread) -> &'static Thread {
    let [lower, higher] = &thread.branches;
    let (mut best, mut next) = (thread, higher.get().or(lower.get()));
    while let Some(thread) = next {
        if best.priority.get() < thread.priority.get() {
            best = thread;
        }
        let [lower, higher] = &thread.branches;
        next = higher.get().or(lower.get());
    }
    best
}

/// The first of the branches that there is.
#[inline(always)]
pub(crate) fn inner([lower, higher]: &[Link; 2]) -> Option<&Link> {
    if lower.get().is_some() {
        Some(lower)
    } else {
        higher.get().is_some().then_some(higher)
    }
}

/// What is below one place in a tree is below another one from now on.
#[inline]
pub(crate) fn hand_on(former: &[Link; 2], heir: &[Link; 2]) {
    for (own, former) in heir.iter().zip(former) {
        own.set(former.take());
    }
}

/// Takes a thread without branches from the tree below `thread`, if there is anything.
fn take_leaf(thread: &'static Thread) -> Option<&'static Thread> {
    let mut place = inner(&thread.branches)?;
    loop {
        let leaf = place.get()?;
        match inner(&leaf.branches) {
            Some(deeper) => place = deeper,
            None => return place.take(),
        }
    }
}

state! {
/// A queue in priority order, first in first out within a priority. Every operation takes
/// constant time, whatever it holds.
pub struct Queue {
    pub(crate) levels: [List; LEVELS],
    pub(crate) words: [Cell<u32>; WORDS],
    pub(crate) summary: Cell<u32>,
}
}

impl Queue {
    /// An empty queue.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            levels: [const { List::new() }; LEVELS],
            words: [const { Cell::new(0) }; WORDS],
            summary: Cell::new(0),
        }
    }

    /// The list of one priority.
    #[must_use]
    #[inline(always)]
    pub fn level(&self, priority: u8) -> &List {
        &self.levels[usize::from(priority) & (LEVELS - 1)]
    }

    /// Whether nothing waits.
    #[must_use]
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        if WORDS == 1 {
            self.words[0].get() == 0
        } else {
            self.summary.get() == 0
        }
    }

    /// Whether something waits at this priority or a higher one.
    #[inline(always)]
    pub(crate) fn holds_from(&self, priority: u8) -> bool {
        if WORDS == 1 {
            self.words[0].get() >> (priority & 31) != 0
        } else {
            self.top() >= Some(priority)
        }
    }

    /// The highest priority that waits.
    #[must_use]
    #[inline]
    pub fn top(&self) -> Option<u8> {
        if self.is_empty() {
            return None;
        }
        let word = if WORDS == 1 {
            0
        } else {
            31 - self.summary.get().leading_zeros() as usize
        };
        let bits = self.words[word & (WORDS - 1)].get();
        Some((word as u32 * 32 + 31 - bits.leading_zeros()) as u8)
    }

    /// Whether somebody of a higher priority waits. Cheaper than [`Queue::top`], where the processor
    /// cannot count zeros.
    #[must_use]
    #[inline(always)]
    pub fn has_above(&self, priority: u8) -> bool {
        if WORDS == 1 {
            self.words[0].get() >> (priority & 31) >> 1 != 0
        } else {
            self.top().is_some_and(|top| top > priority)
        }
    }

    /// The first thread of the highest priority.
    #[must_use]
    #[inline]
    pub fn first(&self) -> Option<&'static Thread> {
        self.level(self.top()?).first()
    }

    /// The thread after `thread`, which waits here at this priority, or `None` at the end.
    pub(crate) fn after(&self, priority: u8, thread: &'static Thread) -> Option<&'static Thread> {
        let beside = self.level(priority).after(thread);
        beside.or_else(|| self.level(self.below(priority)?).first())
    }

    /// The highest priority below this one that waits.
    fn below(&self, priority: u8) -> Option<u8> {
        let word = usize::from(priority) / 32;
        let mut bits = self.words[word & (WORDS - 1)].get() & ((1 << (priority & 31)) - 1);
        for word in (0..=word).rev() {
            if bits != 0 {
                return Some((word as u32 * 32 + 31 - bits.leading_zeros()) as u8);
            }
            bits = self.words[word.wrapping_sub(1) & (WORDS - 1)].get();
        }
        None
    }

    /// All threads, in the order in which they would be taken.
    pub fn iter(&self) -> impl Iterator<Item = &'static Thread> + '_ {
        (0..LEVELS)
            .rev()
            .flat_map(|priority| self.level(priority as u8).iter())
    }

    /// Appends at this priority. (Not at each place that does so: it takes more room than time.)
    #[inline(never)]
    pub fn push_back(&self, priority: u8, thread: &'static Thread) {
        self.level(priority).push_back(thread);
        self.mark(priority);
    }

    /// Prepends at this priority.
    pub fn push_front(&self, priority: u8, thread: &'static Thread) {
        self.level(priority).push_front(thread);
        self.mark(priority);
    }

    /// Removes a thread that waits here at this priority.
    pub fn remove(&self, priority: u8, thread: &'static Thread) {
        self.level(priority).remove(thread);
        if self.level(priority).first().is_none() {
            self.unmark(priority);
        }
    }

    /// Takes the first thread of the highest priority.
    #[inline]
    pub fn pop(&self) -> Option<&'static Thread> {
        let priority = self.top()?;
        let thread = self.level(priority).first()?;
        self.remove(priority, thread);
        Some(thread)
    }

    #[inline(always)]
    fn mark(&self, priority: u8) {
        let word = (usize::from(priority) / 32) & (WORDS - 1);
        self.words[word].set(self.words[word].get() | 1 << (priority & 31));
        if WORDS > 1 {
            self.summary.set(self.summary.get() | 1 << word);
        }
    }

    /// Nobody waits at this priority any more.
    #[inline(always)]
    pub(crate) fn unmark(&self, priority: u8) {
        let word = (usize::from(priority) / 32) & (WORDS - 1);
        let rest = self.words[word].get() & !(1 << (priority & 31));
        self.words[word].set(rest);
        if WORDS > 1 && rest == 0 {
            self.summary.set(self.summary.get() & !(1 << word));
        }
    }
}

impl Default for Queue {
    fn default() -> Self {
        Self::new()
    }
}
