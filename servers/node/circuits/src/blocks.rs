//! Blocks of memory, by their numbers.

/// Some of the [`BLOCKS`](crate::BLOCKS) blocks, in the order of their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks(u64);

const _: () = assert!(crate::BLOCKS < u64::BITS as usize, "a bit for each");

/// Blocks that follow each other without a hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The number of the first one.
    pub first: usize,
    /// How many.
    pub count: usize,
}

impl Blocks {
    /// None of them.
    pub const NONE: Blocks = Blocks(0);

    /// So many, fewer than all there can be, from this number on.
    pub(crate) const fn of(first: usize, count: usize) -> Blocks {
        Blocks(((1 << count) - 1) << first)
    }

    /// How many.
    #[must_use]
    pub const fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Those that follow each other, in order.
    #[inline(always)]
    pub fn runs(self) -> impl Iterator<Item = Run> {
        let mut rest = self.0;
        core::iter::from_fn(move || {
            let lowest = rest & rest.wrapping_neg();
            // What is added to the lowest one goes through all of its run.
            let behind = rest.wrapping_add(lowest);
            let [first, end] = [lowest, behind].map(|it| it.trailing_zeros() as usize);
            rest &= behind;
            let count = end - first;
            (count > 0).then_some(Run { first, count })
        })
    }

    /// The number of the one that has this place among them.
    #[must_use]
    pub fn at(self, mut place: usize) -> Option<usize> {
        for run in self.runs() {
            if place < run.count {
                return Some(run.first + place);
            }
            place -= run.count;
        }
        None
    }

    /// Takes so many away, those with the lowest numbers; nothing if there are fewer.
    pub(crate) fn take(&mut self, count: usize) -> Option<Blocks> {
        let (mut taken, mut left) = (Blocks::NONE, count);
        for run in self.runs() {
            if left == 0 {
                break;
            }
            let now = run.count.min(left);
            taken.put(Blocks::of(run.first, now));
            left -= now;
        }
        if left > 0 {
            return None;
        }
        self.0 &= !taken.0;
        Some(taken)
    }

    /// Gives these to them.
    pub(crate) fn put(&mut self, others: Blocks) {
        self.0 |= others.0;
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    #[test]
    fn the_lowest_are_taken_and_follow_each_other_as_far_as_they_do() {
        let mut free = Blocks::of(3, 60);
        assert_eq!(free.count(), 60);
        let first = free.take(4).expect("there");
        assert_eq!(first, Blocks::of(3, 4));
        let second = free.take(56).expect("there");
        assert_eq!(second, Blocks::of(7, 56));
        assert_eq!(free, Blocks::NONE);
        assert_eq!(free.take(0), Some(Blocks::NONE));
        free.put(first);
        free.put(Blocks::of(9, 2));
        assert_eq!(free.take(7), None);
        assert_eq!(free.count(), 6, "nothing was taken");
        let all = free.take(5).expect("there");
        let runs: Vec<Run> = all.runs().collect();
        let run = |first, count| Run { first, count };
        assert_eq!(runs, [run(3, 4), run(9, 1)]);
        let each: Vec<Option<usize>> = (0..6).map(|place| all.at(place)).collect();
        assert_eq!(each, [Some(3), Some(4), Some(5), Some(6), Some(9), None]);
        assert_eq!(free, Blocks::of(10, 1));
    }

    #[test]
    fn the_highest_block_is_one_as_any_other() {
        let highest = Blocks::of(crate::BLOCKS - 1, 1);
        assert_eq!(
            Blocks(1 << 63).runs().collect::<Vec<_>>(),
            [Run {
                first: 63,
                count: 1
            }]
        );
        assert_eq!(highest.at(0), Some(crate::BLOCKS - 1));
    }
}
