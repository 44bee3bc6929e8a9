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

#[test]
fn text_is_sent_again_if_a_signal_kept_it_from_the_console() {
    name(kind::CONNECTION, "console", 3);
    let sends = Rc::new(Cell::new(0));
    let counter = Rc::clone(&sends);
    install(move |registers, _| {
        let is_send = registers[register::CALL] >> OPERATION_SHIFT != 0;
        counter.set(counter.get() + u32::from(is_send));
        match counter.get() {
            1 => failed(Error::Interrupted),
            _ => [0; register::COUNT],
        }
    });
    crate::println!("text");
    assert_eq!(sends.get(), 2);
}
