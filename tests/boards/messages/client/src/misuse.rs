//! Misuse hits the culprit, never its peer: rules 6 and 10.

use check::equal;
use riposte::abi::{Error, call, info, register};
use riposte::{Connection, Registers};

use crate::order::ask;

/// Memory of the kernel.
const KERNEL: u32 = 0x2000_0000;

pub fn all() {
    let orders = riposte::connect("orders").unwrap();
    for (name, order, answer, error) in [
        (
            "6 a second reply is an error to the replier",
            b"2",
            &b"once"[..],
            Error::NoSuchClient,
        ),
        (
            "6 a forged token is an error to the replier",
            b"f",
            b"genuine",
            Error::NoSuchClient,
        ),
        (
            "10 bad reply bytes are the server's error",
            b"b",
            b"own bytes",
            Error::BadAddress,
        ),
        (
            "10 a bad read buffer is the server's error",
            b"i",
            b"still here",
            Error::BadAddress,
        ),
        (
            "a reply of too many words is the server's error",
            b"n",
            b"five at most",
            Error::BadArgument,
        ),
        (
            "a reply of too many parts is the server's error",
            b"p",
            b"few parts",
            Error::BadArgument,
        ),
    ] {
        let mut reply = [0; 30];
        let got = orders.send(order, &mut reply).unwrap();
        equal(
            name,
            (&reply[..got.len], ask(&orders)),
            (answer, error as u32),
        );
    }
    bad_client(&orders);
}

fn bad_client(orders: &Connection) {
    let own = [b'e'; 30];
    let own = (own.as_ptr().addr() as u32, 30);
    let send = call::operation::SEND_BYTES;
    let vector = call::operation::SEND_VECTOR;
    for (name, operation, message, reply, error) in [
        (
            "10 a bad message is the client's error",
            send,
            (KERNEL, 30),
            (0, 0),
            Error::BadAddress,
        ),
        (
            "10 a message that wraps is the client's error",
            send,
            (u32::MAX - 8, 30),
            (0, 0),
            Error::BadAddress,
        ),
        (
            "10 a message of 4 GiB is the client's error",
            send,
            (own.0, u32::MAX),
            (0, 0),
            Error::BadAddress,
        ),
        (
            "10 a bad reply buffer is the client's error",
            send,
            own,
            (KERNEL, 30),
            Error::BadAddress,
        ),
        (
            "10 a reply buffer in flash is the client's error",
            send,
            own,
            (0x1_0000, 30),
            Error::BadAddress,
        ),
        (
            "10 bad parts are the client's error",
            vector,
            (KERNEL, 2),
            (0, 0),
            Error::BadAddress,
        ),
        (
            "10 too many parts are the client's error",
            vector,
            (own.0, 17),
            (0, 0),
            Error::BadArgument,
        ),
    ] {
        let mut registers: Registers = [0; register::COUNT];
        registers[register::CALL] = call::word(operation, orders.handle());
        registers[register::WORD0] = message.0;
        registers[register::WORD1] = message.1;
        // SAFETY: the only memory named for writing is not this process's to write.
        let out = unsafe { riposte::raw_call(registers, [0, 0, reply.0, reply.1, 0]) };
        let found = (out[register::INFO] & info::ERROR != 0).then_some(out[register::CALL]);
        equal(name, found, Some(error as u32));
    }
    let mut reply = [0; 8];
    let got = orders.send(b"e after", &mut reply).unwrap();
    equal(
        "10 the server goes on after bad clients",
        &reply[..got.len],
        b"e after",
    );
}
