//! Copies, moves and fills bytes at every alignment and every length up to 100, and looks at what
//! became of them and of those around; compares as many, with each of them another.
#![no_std]

use core::cmp::Ordering;
use core::hint::black_box;

use check::equal;

/// Lengths that are tried.
const LENGTHS: usize = 101;
/// Alignments that are tried.
const ALIGNMENTS: usize = 8;
/// Bytes before and behind, which must stay.
const AROUND: usize = 8;
const SIZE: usize = AROUND + ALIGNMENTS + LENGTHS + AROUND;

/// Memory whose beginning is aligned to more than is tried.
#[repr(align(32))]
struct Memory([u8; SIZE]);

impl Memory {
    /// Bytes that tell where they are.
    fn new(salt: u8) -> Memory {
        Memory(core::array::from_fn(|place| byte(place, salt)))
    }
}

fn byte(place: usize, salt: u8) -> u8 {
    (place as u8).wrapping_mul(7).wrapping_add(salt)
}

#[riposte::main]
fn main() {
    equal("every copy is right", first_wrong(copies), None);
    equal(
        "every move within itself is right",
        first_wrong(moves),
        None,
    );
    equal("every fill is right", first_wrong(fills), None);
    equal("every comparison is right", first_wrong(comparisons), None);
    check::done();
}

/// The first length and two alignments for which `right` says no.
fn first_wrong(right: fn(usize, usize, usize) -> bool) -> Option<(usize, usize, usize)> {
    let lengths = 0..LENGTHS;
    lengths
        .flat_map(|length| (0..ALIGNMENTS).map(move |to| (length, to)))
        .flat_map(|(length, to)| (0..ALIGNMENTS).map(move |from| (length, to, from)))
        .find(|&(length, to, from)| !right(length, to, from))
}

/// Whether `memory` is as it was made, but for `length` bytes from `start` on, which are as expected.
fn changed(
    memory: &Memory,
    salt: u8,
    start: usize,
    length: usize,
    expected: impl Fn(usize) -> u8,
) -> bool {
    let mut bytes = memory.0.iter().enumerate();
    bytes.all(|(place, &found)| {
        let inside = (start..start + length).contains(&place);
        found
            == if inside {
                expected(place - start)
            } else {
                byte(place, salt)
            }
    })
}

fn copies(length: usize, to: usize, from: usize) -> bool {
    let (source, mut target) = (Memory::new(1), Memory::new(100));
    let (to, from) = (AROUND + to, AROUND + from);
    // The compiler is not to know the length, nor what is copied: it would write the copy itself.
    let bytes = black_box(&source.0[from..from + black_box(length)]);
    black_box(&mut target.0[to..to + length]).copy_from_slice(bytes);
    changed(&target, 100, to, length, |place| byte(from + place, 1))
}

fn moves(length: usize, to: usize, from: usize) -> bool {
    let mut memory = Memory::new(1);
    let (to, from) = (AROUND + to, AROUND + from);
    black_box(&mut memory.0).copy_within(from..from + black_box(length), to);
    changed(&memory, 1, to, length, |place| byte(from + place, 1))
}

fn fills(length: usize, to: usize, value: usize) -> bool {
    let mut memory = Memory::new(1);
    let to = AROUND + to;
    let value = 0xF8 | value as u8;
    black_box(&mut memory.0[to..to + black_box(length)]).fill(black_box(value));
    changed(&memory, 1, to, length, |_| value)
}

fn comparisons(length: usize, left: usize, right: usize) -> bool {
    let (left, right) = (AROUND + left, AROUND + right);
    let mut memories = [Memory([0; SIZE]), Memory([0; SIZE])];
    for place in 0..length {
        memories[0].0[left + place] = byte(place, 1);
        memories[1].0[right + place] = byte(place, 1);
    }
    // What is behind does not count.
    memories[0].0[left + length] = 0xFF;
    let compared = |memories: &[Memory; 2]| {
        let [one, other] = memories;
        let one = &one.0[left..left + black_box(length)];
        one.cmp(&other.0[right..right + length])
    };
    compared(&memories) == Ordering::Equal
        && (0..length).all(|place| {
            let kept = [memories[0].0[left + place], memories[0].0[left + place + 1]];
            // No byte has a sign, and the one behind the first that differs says nothing.
            memories[1].0[right + place] = 0x70;
            memories[0].0[left + place..][..2].copy_from_slice(&[0x10, 0xFF]);
            let below = compared(&memories);
            memories[0].0[left + place..][..2].copy_from_slice(&[0x80, 0x00]);
            let above = compared(&memories);
            memories[0].0[left + place..][..2].copy_from_slice(&kept);
            memories[1].0[right + place] = byte(place, 1);
            (below, above) == (Ordering::Less, Ordering::Greater)
        })
}
