//! Tests messages from the client's side: the server does what the first byte orders.
#![no_std]

mod bytes;
mod misuse;
mod order;

#[riposte::main]
fn main() {
    order::all();
    bytes::all();
    misuse::all();
    check::done();
}
