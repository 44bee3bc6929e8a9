//! Messages with memory: 4096 bytes that are lent, lent mutably, or moved and taken back.
#![no_std]

mod borrower;
mod lender;

#[riposte::main]
fn main() {
    if riposte::process_name() == "lender" {
        measure::measure::<lender::Lending>();
    } else {
        borrower::serve();
    }
}
