//! The frames that are under way on a wire, and when each comes out. No socket and no clock is here: whoever has both says
//! what time it is.

use std::collections::BTreeMap;
use std::time::Duration;

use super::counters::Counters;
use super::quality::{Quality, mix};

/// The shortest frame that makes sense: two addresses and a type.
const SHORTEST: usize = 14;
/// The longest: with 1,500 bytes of its own, and the tag of a virtual network.
const LONGEST: usize = 1518;
/// Frames that can be under way. What comes then is lost.
const UNDER_WAY: usize = 4096;
/// How long a frame waits at most for those that are to overtake it.
const HELD: Duration = Duration::from_millis(100);

/// A frame, and which node has sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The sender.
    pub from: usize,
    /// All but the check sum, which emulated devices do not have.
    pub bytes: Vec<u8>,
}

struct UnderWay {
    frame: Frame,
    /// How many of its sender's are to overtake it.
    after: Option<u8>,
}

/// The wire's inside.
pub struct Line {
    quality: Quality,
    /// By when they come out, and then by their order.
    under_way: BTreeMap<(Duration, u64), UnderWay>,
    order: u64,
    /// When the last of each sender comes out that nothing overtakes.
    last: Vec<Duration>,
    unplugged: Vec<bool>,
}

impl Line {
    /// A wire among that many nodes.
    #[must_use]
    pub fn new(quality: Quality, nodes: usize) -> Line {
        Line {
            quality,
            under_way: BTreeMap::new(),
            order: 0,
            last: vec![Duration::ZERO; nodes],
            unplugged: vec![false; nodes],
        }
    }

    /// Plugs a node in or out.
    pub fn plug(&mut self, node: usize, is_in: bool) {
        self.unplugged[node] = !is_in;
    }

    /// Whether what is for the node gets there.
    #[must_use]
    pub fn is_plugged(&self, node: usize) -> bool {
        !self.unplugged[node]
    }

    /// A node has sent a frame.
    pub fn take(&mut self, now: Duration, frame: Frame, counters: &mut Counters) {
        let from = frame.from;
        let length = frame.bytes.len();
        counters.sent.count(length);
        if !(SHORTEST..=LONGEST).contains(&length) {
            counters.malformed += 1;
            return;
        }
        let fate = self.quality.fate(from, counters.sent.frames, now);
        if fate.cut || self.unplugged[from] {
            counters.cut += 1;
            return;
        }
        if fate.lost {
            counters.lost += 1;
            return;
        }
        let mut frame = frame;
        if let Some(number) = fate.corrupted {
            counters.corrupted += 1;
            corrupt(&mut frame.bytes, number);
        }
        counters.doubled += u64::from(fate.comes.len() > 1);
        let mut passed = None;
        for coming in fate.comes {
            if self.under_way.len() >= UNDER_WAY {
                counters.not_taken += 1;
                continue;
            }
            let comes = now + coming.delay;
            let at = match coming.after {
                Some(_) => {
                    counters.reordered += 1;
                    comes + HELD
                }
                None => {
                    // A delay alone changes no order.
                    let at = comes.max(self.last[from]);
                    self.last[from] = at;
                    passed = Some(at);
                    at
                }
            };
            self.insert(at, frame.clone(), coming.after);
        }
        if let Some(at) = passed {
            self.let_overtaken_come(from, at);
        }
    }

    fn insert(&mut self, at: Duration, frame: Frame, after: Option<u8>) {
        self.order += 1;
        self.under_way
            .insert((at, self.order), UnderWay { frame, after });
    }

    /// A frame comes out at `at`, by which it overtakes those of its sender that wait for that.
    fn let_overtaken_come(&mut self, from: usize, at: Duration) {
        let mut come = vec![];
        for (key, it) in &mut self.under_way {
            if let (true, Some(after)) = (it.frame.from == from, &mut it.after) {
                *after -= 1;
                if *after == 0 {
                    come.push(*key);
                }
            }
        }
        for key in come {
            if let Some(it) = self.under_way.remove(&key) {
                self.insert(at.min(key.0), it.frame, None);
            }
        }
    }

    /// When the next frame comes out, if any is under way.
    #[must_use]
    pub fn next(&self) -> Option<Duration> {
        self.under_way.keys().next().map(|(at, _)| *at)
    }

    /// The next frame that has come out by `now`.
    pub fn out(&mut self, now: Duration) -> Option<Frame> {
        let first = self.under_way.first_entry()?;
        let (at, _) = *first.key();
        (at <= now).then(|| first.remove().frame)
    }
}

/// Another value for up to four bytes; or, once in four, no end. Which, follows from the number alone.
fn corrupt(bytes: &mut Vec<u8>, number: u64) {
    let mut state = number;
    let mut draw = |below: usize| {
        state = mix(state);
        (state % below as u64) as usize
    };
    let length = bytes.len();
    if draw(4) == 0 && length > SHORTEST {
        bytes.truncate(SHORTEST + draw(length - SHORTEST));
        return;
    }
    let first = draw(length);
    let behind = (first + 1 + draw(4)).min(length);
    for byte in &mut bytes[first..behind] {
        *byte ^= 1 + draw(255) as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(from: usize, number: u8) -> Frame {
        let bytes = vec![number; 60];
        Frame { from, bytes }
    }

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    /// Sends a hundred frames, one a millisecond, and returns when each came out, and its number.
    fn sent(quality: &str) -> (Vec<(Duration, u8)>, Counters) {
        let mut line = Line::new(quality.parse().expect(quality), 1);
        let mut counters = Counters::default();
        let mut came = vec![];
        for number in 0..500 {
            let now = ms(number);
            if number < 100 {
                line.take(now, frame(0, number as u8), &mut counters);
            }
            while let Some(frame) = line.out(now) {
                came.push((now, frame.bytes[59]));
            }
        }
        assert_eq!(line.next(), None, "nothing stays under way");
        (came, counters)
    }

    fn numbers(came: &[(Duration, u8)]) -> Vec<u8> {
        came.iter().map(|(_, number)| *number).collect()
    }

    #[test]
    fn a_good_wire_hands_on_each_frame_at_once_and_in_order() {
        let (came, counters) = sent("seed=3");
        let expected: Vec<_> = (0..100).map(|number| (ms(number), number as u8)).collect();
        assert_eq!(came, expected);
        assert_eq!((counters.sent.frames, counters.sent.bytes), (100, 6000));
    }

    #[test]
    fn lost_frames_and_doubled_ones_add_up_and_stay_in_order() {
        let (came, counters) = sent("loss=20%,double=20%,seed=5");
        assert!(counters.lost > 5 && counters.doubled > 5, "{counters:?}");
        let expected = 100 - counters.lost + counters.doubled;
        assert_eq!(came.len() as u64, expected);
        assert!(numbers(&came).is_sorted());
        assert_eq!(sent("loss=20%,double=20%,seed=5").0, came);
    }

    #[test]
    fn a_delay_changes_no_order_and_a_reordered_frame_comes_behind_later_ones() {
        let (came, _) = sent("delay=1ms..30ms,seed=2");
        assert_eq!(numbers(&came), (0..100).collect::<Vec<_>>());
        for (at, number) in came {
            assert!(at >= ms(u64::from(number) + 1), "{number} at {at:?}");
        }
        let (came, counters) = sent("reorder=10%,seed=2");
        let came = numbers(&came);
        assert!(!came.is_sorted());
        let mut sorted = came.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
        let overtaken = |(at, number): (usize, &u8)| came[at..].iter().any(|it| it < number);
        assert!(came.iter().enumerate().any(overtaken));
        assert!((3..30).contains(&counters.reordered), "{counters:?}");
    }

    #[test]
    fn the_last_frame_waits_for_no_others_for_ever() {
        let mut line = Line::new("reorder=100%".parse().expect("right"), 1);
        line.take(ms(7), frame(0, 1), &mut Counters::default());
        assert_eq!(line.next(), Some(ms(107)));
        assert_eq!(line.out(ms(106)), None);
        assert_eq!(line.out(ms(107)), Some(frame(0, 1)));
    }

    #[test]
    fn a_corrupted_frame_differs_and_is_no_longer() {
        let mut line = Line::new("corrupt=100%,seed=9".parse().expect("right"), 1);
        let mut counters = Counters::default();
        let mut shorter = 0;
        for number in 0..=255 {
            let whole = frame(0, number);
            line.take(ms(0), whole.clone(), &mut counters);
            let came = line.out(ms(0)).expect("it comes");
            assert_ne!(came, whole);
            assert!((SHORTEST..=60).contains(&came.bytes.len()));
            shorter += usize::from(came.bytes.len() < 60);
        }
        assert_eq!(counters.corrupted, 256);
        assert!((30..100).contains(&shorter), "{shorter}");
    }

    #[test]
    fn the_shortest_frame_can_be_corrupted() {
        let mut line = Line::new("corrupt=100%".parse().expect("right"), 1);
        for _ in 0..100 {
            let bytes = vec![0; SHORTEST];
            line.take(ms(0), Frame { from: 0, bytes }, &mut Counters::default());
            let came = line.out(ms(0)).expect("it comes").bytes;
            assert!(came.len() == SHORTEST && came != [0; SHORTEST]);
        }
    }

    #[test]
    fn a_flood_and_what_is_no_frame_are_bounded_and_counted() {
        let mut line = Line::new("delay=10s".parse().expect("right"), 2);
        let mut counters = Counters::default();
        for _ in 0..UNDER_WAY + 10 {
            line.take(ms(0), frame(1, 0), &mut counters);
        }
        assert_eq!(counters.not_taken, 10);
        for length in [0, SHORTEST - 1, LONGEST + 1, 9000] {
            let bytes = vec![0; length];
            line.take(ms(0), Frame { from: 1, bytes }, &mut counters);
        }
        assert_eq!(counters.malformed, 4);
    }

    #[test]
    fn a_node_that_is_plugged_out_sends_nothing_until_it_is_in_again() {
        let mut line = Line::new(Quality::default(), 2);
        let mut counters = Counters::default();
        line.plug(1, false);
        line.take(ms(0), frame(1, 1), &mut counters);
        assert_eq!((line.out(ms(0)), counters.cut), (None, 1));
        assert!(line.is_plugged(0) && !line.is_plugged(1));
        line.plug(1, true);
        line.take(ms(0), frame(1, 2), &mut counters);
        assert_eq!(line.out(ms(0)), Some(frame(1, 2)));
    }
}
