//! What reaches the console of what a program prints.

use std::cell::RefCell;
use std::rc::Rc;
use std::string::String;
use std::vec::Vec;

use riposte_abi::call::OPERATION_SHIFT;
use riposte_abi::{info, process_info::kind, register};

use crate::trap::hosted::{install, name, read};

/// The pieces in which text is sent that `print` prints.
fn pieces(print: impl FnOnce()) -> Vec<Vec<u8>> {
    name(kind::CONNECTION, "console", 3);
    let sent = Rc::new(RefCell::new(Vec::new()));
    let pieces = Rc::clone(&sent);
    install(move |registers, _| {
        // Longer ones lie in memory.
        if registers[register::CALL] >> OPERATION_SHIFT != 0 {
            let length = registers[register::INFO] & info::LENGTH_MASK;
            assert_eq!(length, 0, "a short piece");
            let [address, length] = [register::WORD0, register::WORD1].map(|at| registers[at]);
            // SAFETY: it is the printer's, who waits.
            pieces.borrow_mut().push(unsafe { read(address, length) });
        }
        [0; register::COUNT]
    });
    print();
    sent.take()
}

#[test]
fn no_letter_lies_across_two_pieces_of_a_long_text() {
    for before in 0..8 {
        let text = "x".repeat(before) + &"ä€𝄞".repeat(60);
        let pieces = pieces(|| crate::print!("{text}"));
        let texts: Vec<String> = pieces
            .into_iter()
            .map(|piece| String::from_utf8(piece).expect("a letter in two pieces"))
            .collect();
        assert_eq!(texts.concat(), text);
        assert!(texts.iter().all(|piece| piece.len() <= 256));
    }
}

#[test]
fn as_much_of_a_text_is_one_piece_as_can_be() {
    let lengths = |text: &str| -> Vec<usize> {
        pieces(|| crate::print!("{text}{}", "y".repeat(44)))
            .iter()
            .map(Vec::len)
            .collect()
    };
    assert_eq!(lengths(&"x".repeat(212)), [256]);
    assert_eq!(lengths(&"x".repeat(468)), [256, 256]);
    assert_eq!(lengths(&("x".repeat(254) + "€")), [254, 47]);
}
