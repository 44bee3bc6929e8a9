//! The protection as hardware has it: it knows nothing of messages, only what the port was told.

use std::collections::BTreeMap;

use riposte_kernel::{Access, Range, Thread, Writable, limits::TRANSLATED};

use crate::host::{code, pages, ram};

/// Smallest piece of memory that can be opened or hidden.
pub const GRAIN: u32 = 256;

/// Where processes see what is open in their windows, where addresses are translated: nothing else of theirs is there.
const WINDOWS: u32 = 0x3800_0000;

/// What a window shows or a gap hides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub process: usize,
    pub number: usize,
    /// Where the process sees it.
    pub address: u32,
    /// Where it lies.
    pub machine: u32,
    pub length: u32,
    /// A window: it may be written. A gap: it may be read.
    pub more: bool,
}

impl Piece {
    fn holds(&self, process: usize, address: u32) -> bool {
        self.process == process && address.wrapping_sub(self.address) < self.length
    }
}

/// What the processes may touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Protection {
    /// The processes that have pages.
    with_pages: Vec<usize>,
    /// By process and number.
    pub windows: Vec<Piece>,
    /// By process and number.
    pub gaps: Vec<Piece>,
    /// What each thread's image shows, by the thread's index: windows (`true`) and gaps, by number.
    pub images: BTreeMap<u8, Image>,
}

/// The pieces that a thread's image shows: address, length, and [`Piece::more`].
pub(crate) type Image = BTreeMap<(bool, usize), (u32, u32, bool)>;

/// Whether the hardware can express it.
pub(crate) fn can_express(range: Writable) -> bool {
    let length = range.length();
    length.is_power_of_two() && length >= GRAIN && range.address().is_multiple_of(length)
}

/// Takes the one piece of this number of a process out.
fn take(pieces: &mut Vec<Piece>, process: usize, number: usize) -> Piece {
    let is_it = |piece: &Piece| piece.process == process && piece.number == number;
    let at = pieces.iter().position(is_it);
    pieces.remove(at.expect("only what is there is taken away"))
}

/// Adds one whose number is free.
fn put(pieces: &mut Vec<Piece>, piece: Piece) {
    let is_same = |other: &Piece| (other.process, other.number) == (piece.process, piece.number);
    assert!(!pieces.iter().any(is_same), "its place is taken");
    pieces.push(piece);
    pieces.sort_by_key(|piece| (piece.process, piece.number));
}

impl Protection {
    pub fn new(with_pages: Vec<usize>) -> Self {
        Self {
            with_pages,
            ..Self::default()
        }
    }

    /// The images of these threads show a piece from now on, or nothing of this number.
    pub fn tell(
        &mut self,
        threads: &[Thread],
        which: (bool, usize),
        piece: Option<(u32, u32, bool)>,
    ) {
        for thread in threads {
            let image = self.images.entry(thread.index).or_default();
            match piece {
                Some(piece) => image.insert(which, piece),
                None => image.remove(&which),
            };
        }
    }

    pub fn open(&mut self, process: usize, number: usize, range: Writable, writable: bool) -> u32 {
        assert!(can_express(range));
        let own = WINDOWS + process as u32 * 0x1_0000 + number as u32 * 0x4000;
        let address = if TRANSLATED { own } else { range.address() };
        let piece = Piece {
            process,
            number,
            address,
            machine: range.address(),
            length: range.length(),
            more: writable,
        };
        put(&mut self.windows, piece);
        address
    }

    pub fn close(&mut self, process: usize, number: usize, length: u32) {
        let open = take(&mut self.windows, process, number);
        assert_eq!(open.length, length, "all of it is taken away");
    }

    pub fn hide(
        &mut self,
        process: usize,
        number: usize,
        range: Writable,
        address: u32,
        readable: bool,
    ) {
        assert!(can_express(range));
        let here = pages(process);
        assert!(here.holds(address, range.length()), "a gap is in the pages");
        assert_eq!(here.machine(address), range.address());
        let piece = Piece {
            process,
            number,
            address,
            machine: range.address(),
            length: range.length(),
            more: readable,
        };
        put(&mut self.gaps, piece);
    }

    pub fn show(&mut self, process: usize, number: usize) {
        take(&mut self.gaps, process, number);
    }

    /// The machine address of a byte that a thread of `process` may read (write, if `write`) at this
    /// address.
    pub fn reach(&self, process: usize, address: u32, write: bool) -> Option<u32> {
        if let Some(gap) = self.gaps.iter().find(|gap| gap.holds(process, address))
            && (write || !gap.more)
        {
            return None;
        }
        let mut windows = self.windows.iter();
        if let Some(window) = windows.find(|window| window.holds(process, address)) {
            let offset = address - window.address;
            return (window.more || !write).then_some(window.machine + offset);
        }
        let mut own = vec![ram(process), code(process)];
        if self.with_pages.contains(&process) {
            own.push(pages(process));
        }
        let allowed = |range: &Range| !write || range.access == Access::ReadWrite;
        let range = own.into_iter().find(|range| range.holds(address, 1));
        range.filter(allowed).map(|range| range.machine(address))
    }
}
