//! Who waits, and in which order.

use super::model::Dice;
use super::*;
use crate::{For, MOST_WAITING, Waiting, Waits};

/// One that waits, by when it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct One {
    came: usize,
    owner: u32,
    what: For,
}

impl Waits for One {
    fn owner(&self) -> u32 {
        self.owner
    }

    fn what(&self) -> &For {
        &self.what
    }
}

fn reads(came: usize, owner: u32) -> One {
    let what = For::Bytes {
        end: End(owner),
        pipe: 0,
        side: Side::Read,
    };
    One { came, owner, what }
}

#[test]
fn first_come_first_served_of_three_and_more_whoever_leaves() {
    for count in 3..=6 {
        for leaves in 0..count {
            let mut waiting = Waiting::new();
            for came in 0..count {
                assert_eq!(waiting.push(reads(came, 1), 8), Ok(()));
            }
            let left = waiting.take(|one| one.came == leaves);
            assert_eq!(left, Some(reads(leaves, 1)));
            let order: Vec<usize> =
                core::iter::from_fn(|| waiting.pop(0, Side::Read).map(|one| one.came)).collect();
            let expected: Vec<usize> = (0..count).filter(|came| *came != leaves).collect();
            assert_eq!(order, expected);
            assert!(waiting.is_empty());
        }
    }
}

#[test]
fn as_many_of_an_owner_wait_as_may_and_not_more_than_there_are_places() {
    let mut waiting = Waiting::new();
    for came in 0..MOST_WAITING {
        let one = reads(came, came as u32 / 4);
        assert_eq!(waiting.push(one, 4), Ok(()));
        let more = reads(99, 0);
        assert_eq!(waiting.push(more, came.min(3) + 1), Err(more));
    }
    let other = reads(99, 77);
    assert_eq!(waiting.push(other, 4), Err(other), "no place is free");
    assert_eq!(waiting.take_at(MOST_WAITING), None);
    assert_eq!(waiting.take_at(1), Some(reads(1, 0)));
    assert_eq!(waiting.push(other, 4), Ok(()));
    assert_eq!(waiting.at(MOST_WAITING - 1), Some(&other));
}

#[test]
fn random_waiters_go_in_the_order_of_a_naive_list() {
    const MOST: usize = 9;
    for seed in 1..=20 {
        let mut dice = Dice(seed);
        let (mut waiting, mut list) = (Waiting::new(), Vec::<One>::new());
        for came in 0..20_000 {
            let owner = dice.roll(5) as u32;
            let (pipe, end) = (dice.roll(3), End(dice.roll(3) as u32));
            let side = [Side::Read, Side::Write][dice.roll(2)];
            let is_there = |one: &One| matches!(one.what, For::Bytes { pipe: its, side: at, .. } if its == pipe && at == side);
            let place = match dice.roll(8) {
                0..=3 => {
                    let what = match dice.roll(4) {
                        0 => For::Watch,
                        1 => For::Meeting(end),
                        _ => For::Bytes { end, pipe, side },
                    };
                    let one = One { came, owner, what };
                    let own = list.iter().filter(|it| it.owner == owner).count();
                    let has_room = own < MOST && list.len() < MOST_WAITING;
                    assert_eq!(waiting.push(one, MOST).is_ok(), has_room);
                    if has_room {
                        list.push(one);
                    }
                    continue;
                }
                4 => {
                    let place = list.iter().position(is_there);
                    let first = waiting.first(pipe, side).copied();
                    assert_eq!(first, place.map(|place| list[place]));
                    let popped = waiting.pop(pipe, side);
                    assert_eq!(popped, first);
                    place
                }
                5 => {
                    let is_meant = |one: &One| {
                        let is_at = matches!(one.what, For::Bytes { end: its, .. } if its == end);
                        one.owner == owner && is_at
                    };
                    let place = list.iter().position(is_meant);
                    let removed = waiting.remove_at(owner, end);
                    assert_eq!(removed, place.map(|place| list[place]));
                    place
                }
                6 => {
                    let which = dice.roll(MOST_WAITING);
                    let place = Some(which).filter(|which| *which < list.len());
                    assert_eq!(waiting.take_at(which), place.map(|place| list[place]));
                    place
                }
                _ => {
                    let place = list.iter().position(|one| one.owner == owner);
                    let taken = waiting.take(|one| one.owner == owner);
                    assert_eq!(taken, place.map(|place| list[place]));
                    place
                }
            };
            if let Some(place) = place {
                list.remove(place);
            }
            let order = (0..=list.len()).map_while(|place| waiting.at(place).copied());
            assert!(order.eq(list.iter().copied()), "seed {seed}");
            assert_eq!(waiting.is_empty(), list.is_empty());
        }
    }
}
