//! Has its registers full of secrets whenever it is interrupted.
#![no_std]

use check::attack::SECRET;
use check::machine;

#[riposte::main]
fn main() {
    loop {
        let _ = machine::hold([SECRET; machine::HELD_REGISTERS], 1000);
    }
}
