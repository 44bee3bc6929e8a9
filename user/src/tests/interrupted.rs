//! What a signal that is handled meanwhile does not end.

use core::cell::{Cell, RefCell};
use std::boxed::Box;
use std::rc::Rc;

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
