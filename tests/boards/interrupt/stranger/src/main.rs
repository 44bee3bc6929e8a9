//! Tries to have interrupts that it was not given.
#![no_std]

use riposte::Registers;
use riposte::abi::call::{self, number};
use riposte::abi::{info, register};

/// The error of a call, 0 if it has none.
fn error(number: u32, words: [u32; 3]) -> u32 {
    let mut registers: Registers = [0; register::COUNT];
    registers[register::CALL] = number;
    registers[register::WORD0] = words[0];
    registers[register::WORD1] = words[1];
    registers[register::WORD2] = words[2];
    // SAFETY: no call here names memory.
    let out = unsafe { riposte::raw_call(registers, [0; 5]) };
    if out[register::INFO] & info::ERROR == 0 {
        0
    } else {
        out[register::CALL]
    }
}

#[riposte::main]
fn main() {
    let judge = riposte::connect("reports").unwrap();
    let mine = riposte::channel("mine").unwrap().handle();
    // What it finds for each: not permitted, or no such handle.
    let attached = error(number::INTERRUPT_ATTACH, [0, mine, 1]);
    let mut others = 0;
    for slot in 0..8 {
        for call in number::INTERRUPT_DETACH..=number::INTERRUPT_PEND {
            let found = error(call, [call::handle(slot, 1), 0, 0]);
            others = if others == 0 || others == found {
                found
            } else {
                u32::MAX
            };
        }
    }
    // A message among interrupts.
    riposte::connect("events").unwrap().send_words([9]).unwrap();
    judge.send_words([attached, others]).unwrap();
}
