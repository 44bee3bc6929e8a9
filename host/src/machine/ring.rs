//! Reads a traced kernel's events in the memory of a board: when that has ended, or while it runs.

use std::sync::{Arc, Mutex, PoisonError};

use riposte_abi::trace::{WORDS, kind};

use super::memory::Memory;
use crate::plan::Region;

/// Bytes of an event.
const ENTRY: u32 = WORDS as u32 * 4;

/// Where a kernel keeps its trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// The counts: how many events there were, the high word of the last one's time, the nanoseconds of a tick.
    pub counts: u32,
    /// The events.
    pub entries: Region,
}

/// An event as the kernel wrote it, with all of its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw {
    /// Nanoseconds since the start.
    pub time: u64,
    /// [`riposte_abi::trace::head`].
    pub head: u32,
    /// What depends on the kind.
    pub words: [u32; 2],
}

/// Events that nobody has read before they were overwritten, or before the board was reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// How many events were read before them.
    pub before: usize,
    /// How many are missing; nobody knows how many more, if the board was reset.
    pub missing: u32,
    /// Whether the board was reset there.
    pub reset: bool,
}

/// What has been read of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// The events, in order.
    pub events: Vec<Raw>,
    /// Where some are missing.
    pub gaps: Vec<Gap>,
    /// Whether it was read to its end, when the board did no more.
    pub to_the_end: bool,
    /// Of the board since its last reset: how many events there were, and the ticks of the last one's time.
    count: u32,
    ticks: u64,
    /// When that was: nanoseconds of the whole trace.
    begun: u64,
}

impl Collected {
    /// Adds what has been written since the last time. `None` if the memory cannot be read.
    fn take(&mut self, ring: &Ring, memory: &mut impl Memory) -> Option<()> {
        let Counts { count, high, tick } = counts(ring, memory)?;
        let Region { base, size } = ring.entries;
        let used = count.min(size / ENTRY) * ENTRY;
        let mut bytes = memory.read(Region { base, size: used })?;
        bytes.resize(size as usize, 0);
        self.add((count, count), (high, tick), &bytes);
        Some(())
    }

    /// As [`Collected::take`], of a board that goes on meanwhile.
    fn take_running(&mut self, ring: &Ring, memory: &mut impl Memory) -> Option<()> {
        let Counts { count, high, tick } = counts(ring, memory)?;
        if count == self.count {
            return Some(());
        }
        let bytes = memory.read(ring.entries)?;
        let after = counts(ring, memory)?;
        // Else an epoch has begun, and it is not known of which event: the next time will do.
        if high == after.high {
            self.add((count, after.count), (high, tick), &bytes);
        }
        Some(())
    }

    /// Adds the events before the first of two counts; up to the second one, the ring may be overwritten. The high word of
    /// the last one's time counts as many ticks of so many nanoseconds as fit a word.
    fn add(&mut self, (count, after): (u32, u32), (mut high, tick): (u32, u32), ring: &[u8]) {
        let entry = |index: u32| {
            let at = (index as usize * ENTRY as usize) & (ring.len() - 1);
            let word = |number: usize| {
                let bytes = ring[at + 4 * number..][..4].try_into();
                u32::from_le_bytes(bytes.expect("a word has four bytes"))
            };
            [word(0), word(1), word(2), word(3)]
        };
        let ticks = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        let [newest, ..] = entry(count.wrapping_sub(1));
        let newest = ticks(high, newest);
        // No count, and no clock, goes back but by a reset.
        let reset = (count.wrapping_sub(self.count) as i32) < 0 || newest < self.ticks;
        if reset {
            self.count = 0;
            self.begun = self.events.last().map_or(0, |event| event.time);
        }
        let new = count.wrapping_sub(self.count);
        let room = ring.len() as u32 / ENTRY;
        // The oldest one of a full ring may be half overwritten.
        let whole = (room - 1).saturating_sub(after.wrapping_sub(count));
        let readable = new.min(whole);
        if reset || readable < new {
            self.gaps.push(Gap {
                before: self.events.len(),
                missing: new - readable,
                reset,
            });
        }
        let mut read = Vec::with_capacity(readable as usize);
        for back in 1..=readable {
            let [low, head, first, second] = entry(count.wrapping_sub(back));
            if head & 0xFF == kind::EPOCH {
                high = first;
                continue;
            }
            read.push(Raw {
                time: self
                    .begun
                    .saturating_add(ticks(high, low).saturating_mul(tick.into())),
                head,
                words: [first, second],
            });
        }
        self.events.extend(read.into_iter().rev());
        (self.count, self.ticks) = (count, newest);
    }
}

/// What a kernel says of its trace.
struct Counts {
    /// How many events there were.
    count: u32,
    /// The high word of the last one's time.
    high: u32,
    /// Nanoseconds of a tick.
    tick: u32,
}

fn counts(ring: &Ring, memory: &mut impl Memory) -> Option<Counts> {
    let bytes = memory.read(Region {
        base: ring.counts,
        size: riposte_abi::trace::HEADER as u32,
    })?;
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    Some(Counts {
        count: word(0)?,
        high: word(8)?,
        tick: word(12)?,
    })
}

/// What is to be done with events as they are read while the board runs: those that are new, and the gaps before them.
pub type Live = Arc<dyn Fn(&[Raw], &[Gap]) + Send + Sync>;

/// Reads a ring.
#[derive(Clone)]
pub(super) struct Reader {
    pub ring: Ring,
    collected: Arc<Mutex<Collected>>,
}

impl Reader {
    pub(super) fn new(ring: Ring) -> Reader {
        Reader {
            ring,
            collected: Arc::default(),
        }
    }

    /// Reads it of a board that does no more, if the memory can be read.
    pub(super) fn read_to_end(&self, memory: &mut impl Memory) -> Option<()> {
        let mut collected = self
            .collected
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        collected.take(&self.ring, memory)?;
        collected.to_the_end = true;
        Some(())
    }

    /// Reads what is new of a board that runs, if the memory can be read.
    pub(super) fn read_on(&self, memory: &mut impl Memory, live: &Live) -> Option<()> {
        let mut collected = self
            .collected
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let (events, gaps) = (collected.events.len(), collected.gaps.len());
        collected.take_running(&self.ring, memory)?;
        let (events, gaps) = (&collected.events[events..], &collected.gaps[gaps..]);
        if !events.is_empty() || !gaps.is_empty() {
            live(events, gaps);
        }
        Some(())
    }

    /// What has been read.
    pub(super) fn collected(&self) -> Collected {
        let collected = self.collected.lock();
        std::mem::take(&mut *collected.unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of four after these events, each of which is its low time and its kind; an epoch also has the high word
    /// before.
    fn ring(events: &[(u32, u32, u32)]) -> (u32, Vec<u8>) {
        let mut ring = vec![0; 4 * ENTRY as usize];
        for (index, (low, kind, first)) in events.iter().enumerate() {
            let at = index % 4 * ENTRY as usize;
            for (number, word) in [*low, *kind, *first, 0].into_iter().enumerate() {
                ring[at + 4 * number..][..4].copy_from_slice(&word.to_le_bytes());
            }
        }
        (events.len() as u32, ring)
    }

    fn times(collected: &Collected) -> Vec<u64> {
        collected.events.iter().map(|event| event.time).collect()
    }

    #[test]
    fn what_is_read_in_time_is_whole() {
        let mut collected = Collected::default();
        let mut events = vec![(1, kind::SEND, 0), (2, kind::RECEIVE, 0)];
        let (count, bytes) = ring(&events);
        collected.add((count, count), (0, 1), &bytes);
        events.extend([(3, kind::REPLY, 0), (4, kind::SEND, 0), (5, kind::SEND, 0)]);
        let (count, bytes) = ring(&events);
        collected.add((count, count), (0, 1), &bytes);
        assert_eq!(times(&collected), [1, 2, 3, 4, 5]);
        assert_eq!(collected.gaps, []);
        // Nothing is read twice.
        collected.add((count, count), (0, 1), &bytes);
        assert_eq!(collected.events.len(), 5);
    }

    #[test]
    fn what_is_overwritten_is_counted_where_it_is_missing() {
        let mut collected = Collected::default();
        let mut events = vec![(1, kind::SEND, 0)];
        let (count, bytes) = ring(&events);
        collected.add((count, count), (0, 1), &bytes);
        events.extend((2..=10).map(|time| (time, kind::SEND, 0)));
        let (count, bytes) = ring(&events);
        collected.add((count, count), (0, 1), &bytes);
        // Of the four that are left the oldest one may be half overwritten.
        assert_eq!(times(&collected), [1, 8, 9, 10]);
        let gap = Gap {
            before: 1,
            missing: 6,
            reset: false,
        };
        assert_eq!(collected.gaps, [gap]);
    }

    #[test]
    fn a_board_that_was_reset_is_read_from_its_first_event_on_and_its_times_go_on() {
        let before: Vec<_> = (1..=10).map(|it| (10 * it, kind::SEND, 0)).collect();
        let (count, bytes) = ring(&before);
        // It has written less than before, or more.
        for number in [2, 11] {
            let mut collected = Collected::default();
            collected.add((count, count), (0, 1), &bytes);
            assert_eq!(times(&collected), [80, 90, 100]);
            let behind: Vec<_> = (1..=number).map(|time| (time, kind::REPLY, 0)).collect();
            let (count, bytes) = ring(&behind);
            collected.add((count, count), (0, 1), &bytes);
            let read = u64::from(number.min(3));
            let number = u64::from(number);
            let due = [80, 90, 100].into_iter();
            let due: Vec<u64> = due.chain(number - read + 101..=number + 100).collect();
            assert_eq!(times(&collected), due);
            let kinds = collected.events[3..].iter().map(|it| it.head & 0xFF);
            assert!(kinds.into_iter().all(|it| it == kind::REPLY));
            let [_, gap] = collected.gaps[..] else {
                panic!("{:?}", collected.gaps);
            };
            assert_eq!((gap.before, gap.reset), (3, true));
            assert_eq!(u64::from(gap.missing), number - read);
        }
    }

    /// A board that writes two events while its ring is read.
    struct Running {
        ring: Vec<u8>,
        counts: Vec<(u32, u32)>,
    }

    impl Memory for Running {
        fn read(&mut self, region: Region) -> Option<Vec<u8>> {
            if region.base == 0x100 {
                return Some(self.ring.clone());
            }
            let (count, high) = self.counts.remove(0);
            Some([count, 0, high, 1].map(u32::to_le_bytes).concat())
        }
    }

    #[test]
    fn what_may_be_overwritten_while_it_is_read_is_missing() {
        let events: Vec<_> = (1..=8).map(|time| (time, kind::SEND, 0)).collect();
        let (_, bytes) = ring(&events);
        let place = Ring {
            counts: 0,
            entries: Region {
                base: 0x100,
                size: bytes.len() as u32,
            },
        };
        let take = |counts: &[(u32, u32)]| {
            let mut collected = Collected::default();
            let mut board = Running {
                ring: bytes.clone(),
                counts: counts.to_vec(),
            };
            let taken = collected.take_running(&place, &mut board);
            (taken, times(&collected), collected.gaps)
        };
        let gap = |missing| {
            let (before, reset) = (0, false);
            vec![Gap {
                before,
                missing,
                reset,
            }]
        };
        // Of eight events four are there: the oldest may be half overwritten, and each that came since has taken one.
        assert_eq!(take(&[(8, 0), (8, 0)]), (Some(()), vec![6, 7, 8], gap(5)));
        assert_eq!(take(&[(8, 0), (10, 0)]), (Some(()), vec![8], gap(7)));
        assert_eq!(take(&[(8, 0), (20, 0)]), (Some(()), vec![], gap(8)));
        // An epoch began: what is there is read the next time.
        assert_eq!(take(&[(8, 0), (8, 1)]), (Some(()), vec![], vec![]));
    }

    #[test]
    fn counts_that_no_kernel_has_written_are_read_to_an_end() {
        let (_, bytes) = ring(&[(u32::MAX, kind::SEND, 0); 4]);
        let mut collected = Collected::default();
        for count in [u32::MAX, 0, 1 << 31, 7] {
            collected.add((count, count), (u32::MAX, u32::MAX), &bytes);
        }
        assert!(times(&collected).contains(&u64::MAX));
    }

    #[test]
    fn the_high_word_of_the_time_is_that_of_before_and_after_an_epoch() {
        let mut collected = Collected::default();
        let events = [
            (u32::MAX, kind::SEND, 0),
            (7, kind::EPOCH, 4),
            (7, kind::REPLY, 0),
        ];
        let (count, bytes) = ring(&events);
        collected.add((count, count), (6, 40), &bytes);
        assert_eq!(times(&collected), [0x4_FFFF_FFFF * 40, 0x6_0000_0007 * 40]);
    }
}
