//! Every call of the Xous personality, from a client to a server that is less urgent, and so busy
//! whenever the client runs.
#![no_std]

mod memory;
mod scalars;

use check::{equal, holds};
use xous::names::XousNames;
use xous::{CID, Error, SID};

#[riposte::main]
fn main() {
    let numbers = XousNames::new().unwrap();
    let numbers = numbers.request_connection_blocking("_Numbers_").unwrap();
    let copies = xous::connect(SID::from_name("copies")).unwrap();
    let patient = xous::connect(SID::from_name("patient")).unwrap();
    names(numbers);
    scalars::blocking(numbers);
    scalars::queued(numbers);
    scalars::kept(patient);
    scalars::full(numbers);
    scalars::without_courier(copies);
    memory::lent(numbers);
    memory::moved(numbers);
    memory::values(numbers);
    memory::copied(copies);
    disconnected(numbers);
    check::done()
}

fn names(numbers: CID) {
    equal(
        "a server is reached by its name and by its identifier",
        xous::connect(SID::from_bytes(b"numbers").unwrap()),
        Ok(numbers),
    );
    equal(
        "a server that the manifest does not give is not found",
        xous::connect(SID::from_name("nowhere")),
        Err(Error::ServerNotFound),
    );
    equal(
        "a server of another process cannot be created",
        xous::create_server_with_address(b"numbers\0\0\0\0\0\0\0\0\0"),
        Err(Error::ServerNotFound),
    );
}

fn disconnected(numbers: CID) {
    // SAFETY: nobody uses the connection any more.
    unsafe { xous::disconnect(numbers) }.unwrap();
    let message = xous::Message::new_blocking_scalar(0, 0, 0, 0, 0);
    equal(
        "a connection that was given up is none",
        xous::send_message(numbers, message),
        Err(Error::ServerNotFound),
    );
    let again = xous::connect(SID::from_name("numbers")).unwrap();
    let message = xous::Message::new_blocking_scalar(0, 1, 2, 3, 4);
    holds(
        "it can be had again",
        again != numbers && xous::send_message(again, message) == Ok(xous::Result::Scalar1(10)),
    );
}
