//! Where in a memory regions lie: so that as little as possible is lost to what the protection unit asks of them.

use super::Region;
use crate::board::{Board, ProtectionKind};

/// Equal parts of which a region of ARM's protection unit can leave out any.
const PARTS: u64 = 8;
/// The least bytes of such a region.
const DIVISIBLE: u64 = 256;
/// How much larger than the least one the region may be of which a range is a part.
const LARGER: [u64; 3] = [1, 2, 4];

/// A range that has no place yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Bytes that it must have.
    pub bytes: u64,
    /// Whether it is a power of two, aligned to itself, where it could be less.
    pub whole: bool,
}

/// The end of a memory at which regions begin to be placed; what is left is at the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// The lowest address.
    Bottom,
    /// The highest one.
    Top,
}

/// How a range may lie: in a region of `block` bytes, aligned to them, at a multiple of `step`.
#[derive(Clone, Copy)]
struct Shape {
    size: u64,
    step: u64,
    block: u64,
}

impl Wanted {
    /// The bytes of the smallest range for it.
    #[must_use]
    pub fn size(self, board: &Board) -> u64 {
        let sizes = self.shapes(board).into_iter().map(|shape| shape.size);
        sizes.min().unwrap_or(self.bytes)
    }

    fn shapes(self, board: &Board) -> Vec<Shape> {
        let smallest = u64::from(board.protection.smallest);
        let bytes = self.bytes.max(smallest);
        if board.protection.translates() {
            let size = bytes.next_multiple_of(smallest);
            let block = 1 << 32;
            return vec![Shape {
                size,
                step: smallest,
                block,
            }];
        }
        let size = bytes.next_power_of_two();
        let whole = Shape {
            size,
            step: size,
            block: size,
        };
        if self.whole || board.protection.kind != ProtectionKind::Mpu {
            return vec![whole];
        }
        let blocks = LARGER.into_iter().map(|times| times * size);
        let parts = blocks.filter(|block| *block >= DIVISIBLE).map(|block| {
            let step = block / PARTS;
            Shape {
                size: bytes.next_multiple_of(step),
                step,
                block,
            }
        });
        std::iter::once(whole).chain(parts).collect()
    }
}

impl Shape {
    /// Where it begins in the gap, as near as can be to the end from which regions are placed.
    fn place(self, (start, end): (u64, u64), from: From) -> Option<u64> {
        let Shape { size, step, block } = self;
        let base = match from {
            From::Bottom => {
                let base = start.next_multiple_of(step);
                let crosses = base % block + size > block;
                if crosses {
                    base.next_multiple_of(block)
                } else {
                    base
                }
            }
            From::Top => {
                let base = end.checked_sub(size)? / step * step;
                let beyond = (base % block + size).saturating_sub(block);
                base.checked_sub(beyond)?
            }
        };
        (start <= base && base + size <= end).then_some(base)
    }
}

/// Whether the second of two ranges, by their indices, may begin where the first one ends.
pub type MayTouch<'a> = &'a dyn Fn(usize, usize) -> bool;

/// What has to be placed, and in what.
struct Search<'a> {
    board: &'a Board,
    gap: (u64, u64),
    from: From,
    may_touch: MayTouch<'a>,
}

/// A place for each of `wanted` in `memory`, but not in its first `taken` bytes; or the index of the first that has
/// none.
///
/// # Errors
/// The memory is too small.
pub fn place(
    board: &Board,
    memory: Region,
    taken: u32,
    wanted: &[Wanted],
    from: From,
    may_touch: MayTouch,
) -> Result<Vec<Region>, usize> {
    let search = Search {
        board,
        gap: (u64::from(memory.base) + u64::from(taken), memory.end()),
        from,
        may_touch,
    };
    let size = |index: &usize| wanted[*index].size(board);
    let mut descending: Vec<usize> = (0..wanted.len()).collect();
    descending.sort_by_key(|index| std::cmp::Reverse(size(index)));
    let first = search.in_order(wanted, &descending);
    let mut ascending = descending.clone();
    ascending.reverse();
    let whole: Vec<Wanted> = wanted
        .iter()
        .map(|it| Wanted { whole: true, ..*it })
        .collect();
    let others = [
        search.in_order(wanted, &ascending),
        search.in_order(&whole, &descending),
    ];
    let all = std::iter::once(&first).chain(&others).flatten();
    let best = all.min_by_key(|placed| search.reach(placed));
    best.cloned().map_or(first, Ok)
}

impl Search<'_> {
    /// How far regions reach from the end at which they begin.
    fn reach(&self, placed: &[Region]) -> u64 {
        let (start, end) = self.gap;
        let reaches = placed.iter().map(|region| match self.from {
            From::Bottom => region.end() - start,
            From::Top => end - u64::from(region.base),
        });
        reaches.max().unwrap_or(0)
    }

    /// Each takes, in this order, the nearest place of what is left.
    fn in_order(&self, wanted: &[Wanted], order: &[usize]) -> Result<Vec<Region>, usize> {
        let mut gaps = vec![self.gap];
        let mut placed = vec![];
        for &index in order {
            let shapes = wanted[index].shapes(self.board);
            let left = |gap| self.left_for(index, gap, &placed);
            let region = take(&mut gaps, &shapes, self.from, left).ok_or(index)?;
            placed.push((index, region));
        }
        placed.sort_by_key(|(index, _)| *index);
        Ok(placed.into_iter().map(|(_, region)| region).collect())
    }

    /// What a gap has for one that may not touch everything that was placed before.
    fn left_for(
        &self,
        index: usize,
        (start, end): (u64, u64),
        placed: &[(usize, Region)],
    ) -> (u64, u64) {
        let apart = |below, above| u64::from(!(self.may_touch)(below, above));
        let below = placed.iter().find(|(_, it)| it.end() == start);
        let above = placed.iter().find(|(_, it)| u64::from(it.base) == end);
        (
            start + below.map_or(0, |(below, _)| apart(*below, index)),
            end - above.map_or(0, |(above, _)| apart(index, *above)),
        )
    }
}

/// Takes the nearest place that one of `shapes` has in what is `left` of `gaps`.
fn take(
    gaps: &mut Vec<(u64, u64)>,
    shapes: &[Shape],
    from: From,
    left: impl Fn((u64, u64)) -> (u64, u64),
) -> Option<Region> {
    let places = gaps.iter().enumerate().flat_map(|(index, gap)| {
        let gap = left(*gap);
        let place = move |shape: &Shape| Some((index, shape.place(gap, from)?, shape.size));
        shapes.iter().filter_map(place)
    });
    let nearest = places.min_by_key(|(_, base, size)| match from {
        From::Bottom => base + size,
        From::Top => u64::MAX - base,
    });
    let (index, base, size) = nearest?;
    let (start, end) = gaps[index];
    let left = [(start, base), (base + size, end)];
    gaps.splice(
        index..=index,
        left.into_iter().filter(|(start, end)| start < end),
    );
    Some(Region {
        base: base as u32,
        size: size as u32,
    })
}
