//! What a wire has counted.

use crate::table::{Align, Table};

/// Bytes of the shortest frame on an Ethernet, without its check sum: a shorter one is filled up.
const SHORTEST: usize = 60;
/// Bytes that each frame takes on an Ethernet beside its own: the preamble (8), the check sum (4), and the gap to the next one
/// (12).
const BESIDE: usize = 24;

/// Bytes that the wire of an Ethernet is taken by a frame of this length, which has no check sum yet.
#[must_use]
pub fn on_ethernet(length: usize) -> u64 {
    (length.max(SHORTEST) + BESIDE) as u64
}

/// Frames in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// How many.
    pub frames: u64,
    /// Their bytes, without check sums.
    pub bytes: u64,
    /// What they take of an Ethernet, in bytes: see [`on_ethernet`].
    pub on_ethernet: u64,
}

impl Traffic {
    /// A frame of this length.
    pub fn count(&mut self, length: usize) {
        self.frames += 1;
        self.bytes += length as u64;
        self.on_ethernet += on_ethernet(length);
    }

    /// Those of another node, too.
    pub fn add(&mut self, other: &Traffic) {
        self.frames += other.frames;
        self.bytes += other.bytes;
        self.on_ethernet += other.on_ethernet;
    }

    /// What has come since `before`.
    #[must_use]
    pub fn since(&self, before: &Traffic) -> Traffic {
        Traffic {
            frames: self.frames - before.frames,
            bytes: self.bytes - before.bytes,
            on_ethernet: self.on_ethernet - before.on_ethernet,
        }
    }
}

/// What has become of a node's frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// What it has sent.
    pub sent: Traffic,
    /// What it was handed.
    pub received: Traffic,
    /// Of those it sent: lost.
    pub lost: u64,
    /// Came twice.
    pub doubled: u64,
    /// Overtaken by others.
    pub reordered: u64,
    /// Came with other bits, or without their end.
    pub corrupted: u64,
    /// Lost because the wire was cut, or the node plugged out; and, of those for it, because it was.
    pub cut: u64,
    /// Were no frames: too short, or too long.
    pub malformed: u64,
    /// Of those it sent, more than can be under way; of those for it, such as it did not take.
    pub not_taken: u64,
}

/// A table of what each of the nodes has sent and was handed.
#[must_use]
pub fn table(names: &[String], counters: &[Counters]) -> String {
    let columns = [
        "node",
        "frames\nsent",
        "bytes\nsent",
        "frames\nreceived",
        "bytes\nreceived",
        "lost",
        "doubled",
        "re-\nordered",
        "corrupted",
        "cut",
        "malformed",
        "not\ntaken",
    ];
    let align = |at| if at == 0 { Align::Left } else { Align::Right };
    let columns = columns.iter().enumerate();
    let columns: Vec<_> = columns.map(|(at, name)| (*name, align(at))).collect();
    let mut table = Table::new(&columns);
    for (name, it) in names.iter().zip(counters) {
        let numbers = [
            it.sent.frames,
            it.sent.bytes,
            it.received.frames,
            it.received.bytes,
            it.lost,
            it.doubled,
            it.reordered,
            it.corrupted,
            it.cut,
            it.malformed,
            it.not_taken,
        ];
        let numbers = numbers.iter().map(u64::to_string);
        table.row(std::iter::once(name.clone()).chain(numbers).collect());
    }
    table.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_takes_its_preamble_check_sum_and_gap_and_is_filled_up() {
        // The shortest and the longest of IEEE 802.3: 84 and 1,538 bytes.
        assert_eq!(on_ethernet(14), 84);
        assert_eq!(on_ethernet(60), 84);
        assert_eq!(on_ethernet(61), 85);
        assert_eq!(on_ethernet(1514), 1538);
    }
}
