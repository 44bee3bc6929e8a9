//! Attacks the kernel in another way each time it is started: the judge says in which.
#![no_std]

mod buffers;
mod memory;
mod registers;
mod words;

use check::attack::{HELD, number};
use check::machine;

/// Exit status of an attack that has gained something.
const GAINED: u32 = 1;

/// An attack that should have been stopped ends the process, which is another end than was expected.
#[riposte::main]
fn main() {
    let judge = riposte::connect("orders").unwrap();
    let [attack, address, value, kernel_data, kernel_code] = judge.send_words([]).unwrap().words;
    let held = match attack {
        number::BUFFER => buffers::name_in_a_call(address, value),
        number::REGISTERS => registers::look(value, [kernel_data, kernel_code]),
        number::INTERRUPTED => registers::are_kept(),
        number::EVERYWHERE => registers::hold_everywhere(address),
        number::RUN_OFF => memory::run_off(),
        number::WORD => words::name_as_word(address, value),
        _ => machine::attack::perform(attack, address, value),
    };
    riposte::exit(if held { HELD } else { GAINED });
}

/// Does its part.
#[riposte::thread]
fn accomplice() -> ! {
    loop {
        if !words::assist() {
            machine::attack::assist();
        }
    }
}
