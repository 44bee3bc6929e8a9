//! Makes every bad call there is: each is an error, and nothing else happens.
#![no_std]

use check::{equal, holds};
use riposte::abi::{Error, call, info, register};
use riposte::{Connection, Registers};

/// Memory of the kernel.
const KERNEL: u32 = 0x2000_0000;

#[riposte::main]
fn main() {
    let server = riposte::connect("echo").unwrap();
    numbers();
    what_the_application_has_none_of();
    handles(&server);
    grants();
    lengths(&server);
    equal(
        "everybody goes on",
        server.send_words([1, 2, 3]).map(|reply| reply.words[2]),
        Ok(3),
    );
    check::done();
}

/// The error of a call, 0 if it has none.
fn error(registers: Registers) -> u32 {
    // SAFETY: no call here names memory that is this process's to write.
    let out = unsafe { riposte::raw_call(registers, [0; 5]) };
    if out[register::INFO] & info::ERROR == 0 {
        0
    } else {
        out[register::CALL]
    }
}

fn bare(word: u32) -> Registers {
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = word;
    registers
}

fn numbers() {
    let bad = Error::BadCall as u32;
    let unknown = (call::number::COUNT..256).chain([0x100, 0x0FFF_FF00 | call::number::COUNT]);
    let mut refused = true;
    for number in unknown {
        refused &= error(bare(number)) != 0;
    }
    holds("calls with unknown numbers are refused", refused);
    let operations = [12, 13, 14, 15].map(|operation| error(bare(call::word(operation, 0))));
    equal("unknown operations are refused", operations, [bad; 4]);
}

/// This application has no spare threads, proxies or timers, so that its kernel has no code for them.
fn what_the_application_has_none_of() {
    use call::number::{PROXY_CREATE, THREAD_CREATE, TIMER_CREATE, TIMER_SET, TRIGGER};
    let made = [THREAD_CREATE, PROXY_CREATE, TIMER_CREATE].map(|number| error(bare(number)));
    equal(
        "of threads, proxies and timers none is left where there are none",
        made,
        [Error::Exhausted as u32; 3],
    );
    let used = [TRIGGER, TIMER_SET].map(|number| error(bare(number)));
    let bad = Error::BadHandle as u32;
    equal("no handle is a proxy's or a timer's there", used, [bad; 2]);
}

fn handles(server: &Connection) {
    let own = riposte::channel("mine").unwrap();
    let mut refused = true;
    for operation in [
        call::operation::SEND,
        call::operation::SEND_BYTES,
        call::operation::SEND_VECTOR,
        call::operation::RECEIVE,
        call::operation::LEND,
        call::operation::LEND_MUT,
        call::operation::MOVE,
        call::operation::REPLY_RECEIVE,
        call::operation::REPLY_BYTES_RECEIVE,
        call::operation::REPLY_VECTOR_RECEIVE,
        call::operation::REPLY_ERROR_RECEIVE,
    ] {
        for index in [0, 1, 2, 3, 4, 7, 8, 100, 255] {
            for generation in [0, 2, 77, call::MAX_GENERATION] {
                let handle = call::handle(index, generation);
                refused &= error(bare(call::word(operation, handle))) != 0;
            }
        }
    }
    holds("stale and invented handles are refused", refused);
    let send = call::word(call::operation::SEND, own.handle());
    holds("a channel can't be sent to", error(bare(send)) != 0);
    let receive = call::word(call::operation::RECEIVE, server.handle());
    holds(
        "a connection can't be received from",
        error(bare(receive)) != 0,
    );
    let mut connect = bare(call::number::CONNECT);
    let mut refused = true;
    for slot in [3, 4, 7, 8, 255, 256, u32::MAX] {
        connect[register::WORD0] = slot;
        refused &= error(connect) != 0;
    }
    holds(
        "slots that the manifest does not give can't be opened",
        refused,
    );
    let mut close = bare(call::number::CLOSE);
    close[register::WORD0] = call::handle(5, 9);
    equal(
        "what is not open can't be closed",
        error(close),
        Error::BadHandle as u32,
    );
}

fn grants() {
    let mut record = bare(call::number::FAULT_RECORD);
    record[register::WORD0] = 0;
    equal(
        "a fault record needs the grant",
        error(record),
        Error::NotPermitted as u32,
    );
}

fn lengths(server: &Connection) {
    let mut send = bare(call::word(call::operation::SEND, server.handle()));
    let mut refused = true;
    for length in 21..32 {
        send[register::INFO] = length;
        refused &= error(send) == Error::BadArgument as u32;
    }
    holds("more bytes than registers hold are refused", refused);
    let mut panic = bare(call::number::READ);
    panic[register::WORD0] = KERNEL;
    panic[register::WORD1] = 4;
    equal(
        "a read without a token is refused",
        error(panic),
        Error::NoSuchClient as u32,
    );
    let mut bytes = bare(call::word(call::operation::SEND_BYTES, server.handle()));
    bytes[register::WORD0] = KERNEL;
    bytes[register::WORD1] = 1;
    equal(
        "bytes that are not the process's are refused",
        error(bytes),
        Error::BadAddress as u32,
    );
    bytes[register::WORD1] = 0;
    equal("no bytes are nobody's", error(bytes), 0);
}
