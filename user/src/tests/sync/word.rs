//! Words that threads change in one step.

use crate::sync::Word;

const THREADS: u32 = 4;
const TIMES: u32 = 2000;

/// Runs `work` in several threads at once.
fn together(work: impl Fn(u32) + Sync) {
    std::thread::scope(|scope| {
        for number in 0..THREADS {
            let work = &work;
            scope.spawn(move || (0..TIMES).for_each(|_| work(number)));
        }
    });
}

#[test]
fn a_word_is_a_word_in_memory() {
    assert_eq!(size_of::<Word>(), 4);
    assert_eq!(align_of::<Word>(), 4);
}

#[test]
fn what_several_threads_add_is_all_in_the_word() {
    let word = Word::default();
    together(|_| {
        word.add(3);
    });
    assert_eq!(word.load(), THREADS * TIMES * 3);
}

#[test]
fn an_update_is_made_of_what_the_word_holds() {
    let word = Word::new(1);
    together(|_| {
        word.update(|value| Some(value + 2)).unwrap();
    });
    assert_eq!(word.load(), 1 + THREADS * TIMES * 2);
}

#[test]
fn an_update_that_is_refused_changes_nothing_and_says_what_the_word_holds() {
    let word = Word::new(5);
    assert_eq!(word.update(|_| None), Err(5));
    assert_eq!(word.load(), 5);
}

#[test]
fn bits_that_are_set_and_cleared_leave_the_others_alone() {
    let word = Word::new(0x8000_0000);
    together(|number| {
        let own = 1 << number;
        assert_eq!(word.or(own) & own, 0);
        assert_eq!(word.and(!own) & own, own);
    });
    assert_eq!(word.load(), 0x8000_0000);
}

#[test]
fn a_word_is_exchanged_only_for_what_was_expected() {
    let word = Word::new(7);
    assert_eq!(word.compare_exchange(6, 8), Err(7));
    assert_eq!(word.load(), 7);
    assert_eq!(word.compare_exchange(7, 8), Ok(7));
    assert_eq!(word.load(), 8);
}

#[test]
fn what_is_swapped_out_was_in_the_word() {
    let word = Word::new(0);
    together(|_| {
        let drawn = word.swap(0);
        word.add(drawn + 1);
    });
    assert_eq!(word.load(), THREADS * TIMES);
}
