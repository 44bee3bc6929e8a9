//! What a signal that is handled meanwhile does not end.

use core::cell::Cell;
use std::rc::Rc;

use riposte_abi::call::OPERATION_SHIFT;
use riposte_abi::{Error, process_info::kind, register};

use crate::testing::failed;
use crate::trap::hosted::{install, name};

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
