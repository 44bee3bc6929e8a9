//! What others leave in the registers: nothing.

use check::attack::{KERNEL_CODE, SECRET, kernel_data_size, order};
use check::machine::{self, HELD_REGISTERS};
use riposte::Duration;
use riposte::abi::{call, info, register};

/// What is put into the registers that are no part of the message.
const OWN: u32 = 0x1111_1100;

/// Turns of an empty loop in which there are several alarms.
const TURNS: u32 = 60_000;

/// Makes call `which`. `kernel` is where the kernel's data and its code begin. Whether the registers
/// then hold nothing of others.
pub fn look(which: u32, kernel: [u32; 2]) -> bool {
    let mut message = [0; register::COUNT];
    let mut others = machine::filling(OWN);
    message[register::CALL] = match which {
        0 => call::number::NULL,
        1 => call::number::YIELD,
        2 => 0xEE,
        3 => {
            let end = riposte::Instant::now() + Duration::from_micros(100);
            machine::set_deadline(&mut others, end.as_nanos());
            call::number::SLEEP
        }
        4 => {
            message[register::INFO] = info::DEADLINE;
            let end = riposte::Instant::now() + Duration::from_micros(100);
            machine::set_deadline(&mut others, end.as_nanos());
            call::word(call::operation::RECEIVE, own_channel())
        }
        5 => call::word(call::operation::LEND, keeper()),
        6 => {
            message[register::INFO] = 4 | info::DEADLINE;
            call::word(call::operation::SEND, keeper())
        }
        _ => {
            message[register::WORD0] = which - FIRST_ORDER;
            message[register::INFO] = 4;
            call::word(call::operation::SEND, keeper())
        }
    };
    let (found, rest) = machine::exchange(message, others);
    let kept = machine::is_clean(&others, &rest, SECRET);
    kept && found
        .iter()
        .chain(&rest)
        .all(|word| word >> 8 != SECRET >> 8 && !tells(*word, kernel))
}

/// Calls of [`look`] from here on are messages with an [`order`].
const FIRST_ORDER: u32 = 7;
const _: () = assert!(order::ANSWER == 0);

fn keeper() -> u32 {
    riposte::connect("keeper").unwrap().handle()
}

fn own_channel() -> u32 {
    riposte::channel("quiet").unwrap().handle()
}

/// Whether `word` is an address in the kernel, or what a register of the protection makes of one.
/// (Where the kernel's code begins at 0, its addresses are as good as any number.)
fn tells(word: u32, [data, code]: [u32; 2]) -> bool {
    let here = core::ptr::from_ref(&word).addr() as u32;
    [word, word << 2].into_iter().any(|word| {
        word.wrapping_sub(data) < kernel_data_size(here)
            || code != 0 && word.wrapping_sub(code) < KERNEL_CODE
    })
}

/// Whether an interrupted thread gets back all of its registers.
pub fn are_kept() -> bool {
    let words: [u32; HELD_REGISTERS] = core::array::from_fn(|position| OWN | position as u32);
    let _ = riposte::sleep(Duration::from_micros(100));
    machine::hold(words, TURNS) == words
}

/// Makes a call with all registers holding `word`: it is refused.
pub fn hold_everywhere(word: u32) -> bool {
    let (found, _) = machine::exchange([word; register::COUNT], [word; machine::OTHERS]);
    found[register::INFO] & info::ERROR != 0
}
