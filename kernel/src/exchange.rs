//! What a process has for messages that carry memory.
//!
//! Memory of one process appears in a [`Window`] of another one: lent, until the message is
//! answered, or moved, until its holder gives it up. What the process that it belongs to, its
//! *home*, may not touch meanwhile is a [`Gap`] in its pages.

#![allow(dead_code, reason = "until the messages that fill it are there")]

use core::cell::Cell;

use crate::{Range, Thread, Writable};

/// What the manifest gives a process for messages that carry memory.
pub struct Exchange {
    /// Where memory appears that others lend it or move to it.
    pub windows: &'static [Window],
    /// Most bytes of one message.
    pub window_size: u32,
    /// Its memory that can be away while it runs. It is not initialised at the start, and not in
    /// [`crate::Process::memory`].
    pub pages: Range,
    /// What can be away of its pages at once.
    pub gaps: &'static [Gap],
}

impl Exchange {
    /// That of a process that has neither windows nor pages. With one thread it can lend all the
    /// same.
    pub const NONE: Exchange = Exchange {
        windows: &[],
        window_size: 0,
        pages: Range::NONE,
        gaps: &[],
    };
}

/// What is open in a window.
#[derive(Clone, Copy)]
pub(crate) enum Contents {
    Nothing,
    /// What this thread has lent with the message that it waits with, or waited with when it died.
    Lent(&'static Thread),
    /// What this gap is for at home.
    Moved(&'static Gap),
}

/// A place where memory of another process can appear.
pub struct Window {
    pub(crate) number: u8,
    pub(crate) writable: Cell<bool>,
    pub(crate) contents: Cell<Contents>,
    /// Where the process sees it.
    pub(crate) address: Cell<u32>,
    /// The memory in it.
    pub(crate) range: Cell<Writable>,
}

impl Window {
    /// Window `number` of its process, with nothing in it.
    #[must_use]
    pub const fn new(number: u8) -> Self {
        Self {
            number,
            writable: Cell::new(false),
            contents: Cell::new(Contents::Nothing),
            address: Cell::new(0),
            range: Cell::new(Writable::new(0, 0)),
        }
    }
}

/// Why a gap is there.
#[derive(Clone, Copy)]
pub(crate) enum Absence {
    /// It is not: nothing is hidden.
    None,
    /// This thread's message carries what is hidden.
    Sent(&'static Thread),
    /// It was moved, and is in somebody's window.
    Away,
    /// It was moved and has come home, with the last holder's bytes in it.
    Back,
}

/// A part of a process's pages that its threads may not touch.
pub struct Gap {
    /// Index of its process.
    pub(crate) home: u8,
    pub(crate) number: u8,
    /// Its process may read it.
    pub(crate) readable: Cell<bool>,
    pub(crate) absence: Cell<Absence>,
    /// Where its process sees it.
    pub(crate) address: Cell<u32>,
    /// What is hidden.
    pub(crate) range: Cell<Writable>,
    /// Bytes of it that have been cleared since it is back.
    pub(crate) cleared: Cell<u32>,
}

impl Gap {
    /// Gap `number` of the process of index `home`, with nothing hidden.
    #[must_use]
    pub const fn new(home: u8, number: u8) -> Self {
        Self {
            home,
            number,
            readable: Cell::new(false),
            absence: Cell::new(Absence::None),
            address: Cell::new(0),
            range: Cell::new(Writable::new(0, 0)),
            cleared: Cell::new(0),
        }
    }
}
