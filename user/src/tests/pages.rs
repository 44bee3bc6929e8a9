use std::cell::RefCell;
use std::rc::Rc;
use std::vec::Vec;

use riposte_abi::call::number;
use riposte_abi::{Error, register};

use crate::testing::{Calls, failed, kernel, pages};
use crate::trap::hosted::address;
use crate::{Connection, Pages};

/// The ranges that the kernel was asked for.
fn reclaimed(calls: &Calls) -> Vec<[u32; 2]> {
    let calls = calls.borrow();
    let asked = calls
        .iter()
        .filter(|call| call.0[register::CALL] == number::RECLAIM);
    asked
        .map(|(registers, _)| [registers[register::WORD0], registers[register::WORD1]])
        .collect()
}

#[test]
fn pages_are_cleared_aligned_and_at_least_as_long_as_asked() {
    kernel(|_| [0; 8]);
    pages(64 << 10);
    for (asked, length) in [
        (0, 4096),
        (1, 4096),
        (4096, 4096),
        (4097, 8192),
        (12_000, 16_384),
        (65_536, 65_536),
    ] {
        let mut pages = Pages::allocate(asked).unwrap();
        assert_eq!(pages.len(), length);
        assert_eq!(address(pages.as_ptr()) as usize % length, 0);
        assert!(pages.iter().all(|byte| *byte == 0));
        // The next one is cleared of it.
        pages.fill(0xAA);
    }
    assert!(Pages::allocate(65_537).is_none());
    assert!(Pages::allocate(usize::MAX).is_none());
}

#[test]
fn a_process_without_pages_gets_none() {
    kernel(|_| [0; 8]);
    assert!(Pages::allocate(1).is_none());
}

#[test]
fn no_two_pages_overlap_and_dropped_ones_are_free_again() {
    kernel(|_| [0; 8]);
    pages(32 << 10);
    let lengths = [4096, 16_384, 8192, 4096];
    let taken: Vec<Pages> = lengths
        .iter()
        .map(|length| Pages::allocate(*length).unwrap())
        .collect();
    let mut ranges: Vec<_> = taken.iter().map(|pages| pages.as_ptr_range()).collect();
    ranges.sort_by_key(|range| range.start);
    assert!(ranges.is_sorted_by(|before, after| before.end <= after.start));
    assert!(Pages::allocate(1).is_none());
    drop(taken);
    assert!(Pages::allocate(32 << 10).is_some());
}

#[test]
fn large_areas_are_divided_into_few_units() {
    kernel(|_| [0; 8]);
    pages(256 << 10);
    let all: Vec<Pages> = core::iter::from_fn(|| Pages::allocate(1)).collect();
    assert_eq!(all.len(), 32);
    assert!(all.iter().all(|pages| pages.len() == 8192));
}

#[test]
fn pages_are_reclaimed_before_they_are_used_for_the_first_time_and_not_again() {
    let calls = kernel(|_| [0; 8]);
    pages(8192);
    let place = address(Pages::allocate(8192).unwrap().as_ptr());
    drop(Pages::allocate(4096));
    assert_eq!(reclaimed(&calls), [[place, 8192]]);
}

#[test]
fn pages_that_somebody_still_holds_are_not_given_out() {
    pages(16 << 10);
    let held = Rc::new(RefCell::new(None));
    let in_use = Rc::clone(&held);
    kernel(move |registers| {
        let start = registers[register::WORD0];
        let end = start + registers[register::WORD1];
        match *in_use.borrow() {
            Some(held) if (start..end).contains(&held) => failed(Error::InUse),
            _ => [0; 8],
        }
    });
    let first = Pages::allocate(4096).unwrap();
    let place = address(first.as_ptr());
    drop(first);
    // An earlier life of this process gave the second page away.
    *held.borrow_mut() = Some(place + 4096);
    assert!(Pages::allocate(16 << 10).is_none());
    let pages = Pages::allocate(8192).unwrap();
    assert_eq!(address(pages.as_ptr()), place + 8192);
    let all: Vec<Pages> = core::iter::from_fn(|| Pages::allocate(4096)).collect();
    assert_eq!(all.len(), 1);
    *held.borrow_mut() = None;
    assert_eq!(
        address(Pages::allocate(4096).unwrap().as_ptr()),
        place + 4096
    );
}

#[test]
fn what_was_given_away_is_cleared_by_the_kernel_and_not_again() {
    pages(16 << 10);
    let calls = kernel(|_| [0; 8]);
    let connection = Connection::from_handle(5);
    let mut given = Pages::allocate(8192).unwrap();
    let place = address(given.as_ptr());
    // This kernel clears nothing, which shows who does.
    given.fill(0xBB);
    connection.give(given, [0; 3]).unwrap();
    let back = Pages::allocate(8192).unwrap();
    assert_eq!(back[..], [0xBB; 8192]);
    assert_eq!(reclaimed(&calls), [[place, 8192]; 2]);
    drop(back);
    // What did not go away again is cleared here.
    assert_eq!(Pages::allocate(8192).unwrap()[..], [0; 8192]);
    assert_eq!(reclaimed(&calls).len(), 2);
}

#[test]
fn a_small_piece_of_what_was_given_away_brings_all_of_it_home() {
    pages(16 << 10);
    let calls = kernel(|_| [0; 8]);
    let connection = Connection::from_handle(5);
    let (first, second) = (
        Pages::allocate(8192).unwrap(),
        Pages::allocate(8192).unwrap(),
    );
    let place = address(first.as_ptr());
    connection.give(first, [0; 3]).unwrap();
    connection.give(second, [0; 3]).unwrap();
    calls.borrow_mut().clear();
    let small = Pages::allocate(4096).unwrap();
    assert_eq!(address(small.as_ptr()), place);
    assert_eq!(reclaimed(&calls), [[place, 8192]]);
    // The other half of it is here, and the second is not.
    let other = Pages::allocate(4096).unwrap();
    assert_eq!(address(other.as_ptr()), place + 4096);
    assert_eq!(reclaimed(&calls).len(), 1);
    assert!(other.iter().all(|byte| *byte == 0));
    let _third = Pages::allocate(4096).unwrap();
    assert_eq!(reclaimed(&calls).last(), Some(&[place + 8192, 8192]));
}
