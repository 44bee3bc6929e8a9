//! Calls and what they came to, for people.

use riposte_abi::call::{OPERATION_SHIFT, operation};
use riposte_abi::{Error, info, register};
use riposte_fuzz_script::Step;
use riposte_fuzz_script::plan::THREADS_EACH;
use riposte_fuzz_script::record::{REGIONS, SIGNALS, WORDS, call_number};

const NUMBERS: [&str; 48] = [
    "NULL",
    "YIELD",
    "CLOCK",
    "SLEEP",
    "START_THREADS",
    "EXIT",
    "SHUTDOWN",
    "CONNECT",
    "CLOSE",
    "REPLY",
    "REPLY_BYTES",
    "REPLY_VECTOR",
    "REPLY_ERROR",
    "READ",
    "WRITE",
    "REPLY_HANDLE",
    "FAULT_RECORD",
    "PANIC",
    "RELEASE",
    "RECLAIM",
    "NOTIFY",
    "FUTEX_WAIT",
    "FUTEX_WAKE",
    "FUTEX_REQUEUE",
    "FUTEX_LOCK",
    "FUTEX_UNLOCK",
    "THREAD_CREATE",
    "THREAD_EXIT",
    "THREAD_JOIN",
    "THREAD_SCHEDULE",
    "THREAD_DETACH",
    "PROXY_CREATE",
    "PROXY_DESTROY",
    "TRIGGER",
    "TIMER_CREATE",
    "TIMER_SET",
    "TIMER_CANCEL",
    "INTERRUPT_ATTACH",
    "INTERRUPT_DETACH",
    "INTERRUPT_ACK",
    "INTERRUPT_MASK",
    "INTERRUPT_PEND",
    "TIMER_DESTROY",
    "FUTEX_GIVE",
    "PROCESS_RESTART",
    "PROCESS_STOP",
    "STACK_UNUSED",
    "THREAD_STATE",
];

const OPERATIONS: [&str; 16] = [
    "OTHER",
    "SEND",
    "SEND_BYTES",
    "SEND_VECTOR",
    "RECEIVE",
    "LEND",
    "LEND_MUT",
    "MOVE",
    "REPLY_RECEIVE",
    "REPLY_BYTES_RECEIVE",
    "REPLY_VECTOR_RECEIVE",
    "REPLY_ERROR_RECEIVE",
    "REGION, no call",
    "SIGNAL, no call",
    "RELAY",
    "operation 15",
];

const ABOUT_SIGNALS: [&str; 8] = [
    "SIGNAL ACTION",
    "SIGNAL STACK",
    "SIGNAL SEND",
    "SIGNAL MASK",
    "handles a signal",
    "SIGNAL SUSPEND",
    "SIGNAL WAIT",
    "SIGNAL 7",
];

const ABOUT_REGIONS: [&str; 3] = ["REGION CREATE", "REGION MAP", "REGION COPY"];

/// Thread by process and position.
fn thread(index: u32) -> String {
    let process = ["alpha", "beta", "gamma", "delta"][index as usize / THREADS_EACH % 4];
    let position = ["main", "first", "second", "reaper", "spare"][index as usize % THREADS_EACH];
    format!("{process}/{position}")
}

/// The name of a call, by the number that a record has.
#[must_use]
pub fn name(number: u32) -> &'static str {
    if number & REGIONS == REGIONS {
        return ABOUT_REGIONS[(number & 0xF) as usize];
    }
    if number & SIGNALS == SIGNALS {
        return ABOUT_SIGNALS[(number & 7) as usize];
    }
    if number & 0x100 != 0 {
        return OPERATIONS[(number & 0xF) as usize];
    }
    NUMBERS.get(number as usize).copied().unwrap_or("no call")
}

/// A call with what it was given, as the model has it.
#[must_use]
pub fn call_of(step: &Step) -> String {
    let registers = &step.registers;
    let words = register::WORDS.map(|place| registers[place]);
    let handle = if registers[register::CALL] >> OPERATION_SHIFT == operation::OTHER {
        String::new()
    } else {
        format!(" {:#x}", registers[register::CALL] & 0x0FFF_FFFF)
    };
    format!(
        "{}{handle}({words:x?}, info {:#x}, generation {:#x}, extra {:x?})",
        name(call_number(registers[register::CALL])),
        registers[register::INFO],
        registers[register::GENERATION],
        step.extra
    )
}

/// A record.
#[must_use]
pub fn describe_record(record: &[u32; WORDS]) -> String {
    let who = thread(record[0] & 0xFF);
    let call = name(record[0] >> 8 & 0xFFF);
    let result = if record[2] & info::ERROR != 0 {
        Error::from_number(record[1])
            .map_or_else(|| format!("error {}", record[1]), |it| format!("{it:?}"))
    } else {
        format!(
            "{:#x}, info {:#x}, words {:x?}, token or accepted {:#x}",
            record[1],
            record[2],
            &record[3..8],
            record[8]
        )
    };
    let life = match record[0] >> 20 {
        0 | 1 => String::new(),
        life => format!(" in life {life}"),
    };
    format!("{who}{life}: {call}: {result}; sum {:#x}", record[9])
}

/// A call and what it came to.
#[must_use]
pub fn describe(step: &Step, record: &[u32; WORDS]) -> String {
    format!("{}\n          {}", call_of(step), describe_record(record))
}
