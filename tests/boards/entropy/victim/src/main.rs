//! Asks for random bytes whenever nobody else runs, so that it and its server are ended in the middle.
#![no_std]
#![forbid(unsafe_code)]

use riposte_entropy::Entropy;

#[riposte::main]
fn main() {
    let mut entropy = Entropy::connect("entropy").unwrap();
    let mut bytes = [0; 256];
    loop {
        entropy.fill(&mut bytes).unwrap();
    }
}
