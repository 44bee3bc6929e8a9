//! Soon.
#![no_std]

#[riposte::main]
fn main() {}
