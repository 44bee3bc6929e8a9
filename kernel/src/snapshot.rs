//! The whole state of a kernel as bytes: to put it back later, or to tell two states apart.
//!
//! For tests only. [`crate::state`] derives it beside the fields.

mod inspect;
mod word;

use alloc::vec::Vec;
use core::cell::Cell;

use crate::{
    Due, Grants, Kernel, OnEnd, Order, Policy, PriorityList, Programs, Purpose, Range, Restart,
    Source, Thread, limits::Line,
};

pub(crate) use word::{Reader, Word, Writer};

/// A kernel's state at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Snapshot(Vec<u8>);

impl Kernel {
    /// All that can change, as it is now.
    #[must_use]
    pub fn save(&self) -> Snapshot {
        let mut writer = Writer::new();
        self.pass(&mut writer);
        Snapshot(writer.end())
    }

    /// Puts everything back as it was.
    ///
    /// # Panics
    /// The snapshot is another system's.
    pub fn restore(&self, snapshot: &Snapshot) {
        let mut reader = Reader::new(&snapshot.0, &self.tables);
        self.pass(&mut reader);
        assert!(reader.is_done(), "the snapshot of another system");
    }

    /// Everything that decides about the future, as bytes: two states with the same shape behave alike.
    /// Times are relative to `now`; left out are counters that only tell old from new (generations,
    /// restarts without a limit), fault records, what registers hold, and whether the first ready thread
    /// waits in front of the queue.
    #[must_use]
    pub fn shape(&self, now: u64) -> Vec<u8> {
        let mut shape = Shape {
            writer: Writer::new(),
            now,
        };
        let next = self.ready.next.take();
        if let Some(thread) = next {
            self.ready.queue.push_front(thread.priority.get(), thread);
        }
        self.pass(&mut shape);
        if let Some(thread) = next {
            self.ready.queue.remove(thread.priority.get(), thread);
        }
        self.ready.next.set(next);
        shape.writer.end()
    }
}

/// The purpose for which the state of each object is visited in turn. Its methods are what
/// [`crate::state`] says of fields.
pub(crate) trait Pass: Sized {
    fn cell<T: Word>(&mut self, cell: &Cell<T>);

    /// `as detail`.
    fn detail(&mut self, state: &impl State) {
        state.pass(self);
    }

    /// `as shape(method)`.
    fn cell_with_shape<T: Word, S: Word>(&mut self, cell: &Cell<T>, _: impl Fn() -> S) {
        self.cell(cell);
    }

    /// `as time`.
    fn time(&mut self, cell: &Cell<u64>) {
        self.cell(cell);
    }

    /// `as link`.
    fn link(&mut self, _: &impl Link) {}

    /// `where method`: whether a field that means nothing is left out.
    fn leaves_out(&mut self, _: impl Fn() -> bool) -> bool {
        false
    }
}

/// It saves.
impl Pass for Writer {
    fn cell<T: Word>(&mut self, cell: &Cell<T>) {
        cell.get().pack(self);
    }
}

/// It restores.
impl Pass for Reader<'_> {
    fn cell<T: Word>(&mut self, cell: &Cell<T>) {
        cell.set(T::unpack(self));
    }
}

/// Writes the shape that the state has at a time.
struct Shape {
    writer: Writer,
    now: u64,
}

impl Pass for Shape {
    fn cell<T: Word>(&mut self, cell: &Cell<T>) {
        cell.get().pack(&mut self.writer);
    }

    fn detail(&mut self, _: &impl State) {}

    fn cell_with_shape<T: Word, S: Word>(&mut self, _: &Cell<T>, shape: impl Fn() -> S) {
        shape().pack(&mut self.writer);
    }

    /// A time that never comes has no distance.
    fn time(&mut self, cell: &Cell<u64>) {
        match cell.get() {
            at if at <= i64::MAX as u64 => at.saturating_sub(self.now) + 1,
            _ => 0,
        }
        .pack(&mut self.writer);
    }

    /// The place of the field stays, so that what follows means the same.
    fn leaves_out(&mut self, means_something: impl Fn() -> bool) -> bool {
        let leaves_out = !means_something();
        if leaves_out {
            self.writer.byte(0);
        }
        leaves_out
    }
}

/// Objects, and whatever holds some. [`crate::state`] derives it.
pub(crate) trait State {
    fn pass(&self, pass: &mut impl Pass);
}

/// In the shape of a state, a list is its threads in their order: how they lie in the tree does not count.
impl State for PriorityList {
    fn pass(&self, pass: &mut impl Pass) {
        pass.cell_with_shape(&self.root, || InOrder(self));
    }
}

#[derive(Clone, Copy)]
struct InOrder<'a>(&'a PriorityList);

impl Word for InOrder<'_> {
    fn pack(self, to: &mut Writer) {
        let Self(list) = self;
        for thread in list.iter() {
            Some(thread).pack(to);
        }
        None::<&'static Thread>.pack(to);
    }

    fn unpack(_: &mut Reader) -> Self {
        unreachable!("a shape is not read")
    }
}

impl<T: Word> State for Cell<T> {
    fn pass(&self, pass: &mut impl Pass) {
        pass.cell(self);
    }
}

impl<T: State> State for [T] {
    fn pass(&self, pass: &mut impl Pass) {
        self.iter().for_each(|state| state.pass(pass));
    }
}

impl<T: State, const N: usize> State for [T; N] {
    fn pass(&self, pass: &mut impl Pass) {
        self.as_slice().pass(pass);
    }
}

impl<T: State> State for Option<T> {
    fn pass(&self, pass: &mut impl Pass) {
        self.as_slice().pass(pass);
    }
}

impl<T: State + ?Sized> State for &'static T {
    fn pass(&self, pass: &mut impl Pass) {
        T::pass(self, pass);
    }
}

/// Types that hold no [`Cell`]: their values never change.
macro_rules! constant {
    ($($type:ty),*) => {$(
        impl State for $type {
            fn pass(&self, _: &mut impl Pass) {}
        }
    )*};
}

constant!(bool, u8, u16, u32, u64, *const (), (u8, Policy));
constant!(
    Due, Grants, Line, OnEnd, Order, Purpose, Range, Restart, Source
);

/// References to objects that another table holds. A [`Cell`] is none.
pub(crate) trait Link {}

impl<T: ?Sized> Link for &'static T {}
impl Link for Programs {}
impl<T: Link> Link for Option<T> {}
impl<T: Link, const N: usize> Link for [T; N] {}
