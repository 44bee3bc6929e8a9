//! What a signal that is handled meanwhile does not end.

use core::cell::{Cell, RefCell};
use core::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::boxed::Box;
use std::rc::Rc;
use std::vec::Vec;

use riposte_abi::call::{OPERATION_SHIFT, number};
use riposte_abi::{Error, process_info::kind, register};

use crate::sync::RwLock;
use crate::testing::failed;
use crate::trap::hosted::{install, name};

#[test]
fn who_waits_for_the_last_reader_waits_on_after_a_signal() {
    let lock: &RwLock<u32> = Box::leak(Box::new(RwLock::new(1)));
    let reader = RefCell::new(Some(lock.read().unwrap()));
    let waits = Rc::new(Cell::new(0));
    let counter = Rc::clone(&waits);
    install(move |registers, _| {
        assert_eq!(registers[register::CALL], number::FUTEX_WAIT);
        counter.set(counter.get() + 1);
        if counter.get() == 1 {
            return failed(Error::Interrupted);
        }
        install(|_, _| [0; register::COUNT]);
        reader.take();
        [0; register::COUNT]
    });
    *lock.write().unwrap() = 2;
    assert_eq!(waits.get(), 2);
}

/// The words of a lock.
fn words(lock: &RwLock<u32>) -> Vec<u32> {
    let words = core::ptr::from_ref(lock).cast::<AtomicU32>();
    (0..size_of::<RwLock<u32>>() / size_of::<u32>())
        // SAFETY: all of the lock is words, which are only read.
        .map(|each| unsafe { (*words.add(each)).load(SeqCst) })
        .collect()
}

/// A more urgent writer may come as soon as the last reader is counted no more, and free the lock.
#[test]
fn the_last_reader_changes_no_word_of_the_lock_but_the_one_that_it_is_counted_in() {
    let lock: &RwLock<u32> = Box::leak(Box::new(RwLock::new(1)));
    let reader = RefCell::new(Some(lock.read().unwrap()));
    let changed = Rc::new(Cell::new(None));
    let change = Rc::clone(&changed);
    install(move |registers, _| {
        assert_eq!(registers[register::CALL], number::FUTEX_WAIT);
        let (before, change) = (words(lock), Rc::clone(&change));
        install(move |registers, _| {
            assert_eq!(registers[register::CALL], number::FUTEX_WAKE);
            let now = words(lock);
            let differs = before.iter().zip(&now).filter(|(one, other)| one != other);
            change.set(Some(differs.count()));
            [0; register::COUNT]
        });
        reader.take();
        [0; register::COUNT]
    });
    *lock.write().unwrap() = 2;
    assert_eq!(changed.get(), Some(1));
}

/// How often text is sent to the console, of which so many sends end by a signal.
fn sends_of_text(interrupted: u32) -> u32 {
    name(kind::CONNECTION, "console", 3);
    let sends = Rc::new(Cell::new(0));
    let counter = Rc::clone(&sends);
    install(move |registers, _| {
        let is_send = registers[register::CALL] >> OPERATION_SHIFT != 0;
        counter.set(counter.get() + u32::from(is_send));
        if is_send && counter.get() <= interrupted {
            failed(Error::Interrupted)
        } else {
            [0; register::COUNT]
        }
    });
    crate::println!("text");
    sends.get()
}

#[test]
fn text_is_sent_again_if_a_signal_kept_it_from_the_console_and_not_for_ever() {
    assert_eq!(sends_of_text(1), 2);
    assert_eq!(sends_of_text(u32::MAX), 2);
}
