//! Asks for a name, and for keys.
#![no_std]

use riposte::console::{self, LONGEST_LINE, ReadError};
use riposte::{print, println};

#[riposte::main]
fn main() {
    if let Err(error) = talk() {
        println!("{error}");
    }
}

fn talk() -> Result<(), ReadError> {
    let mut buffer = [0; LONGEST_LINE];
    loop {
        print!("name? ");
        match console::read_line(&mut buffer)? {
            // Ctrl-D.
            "" => return Ok(()),
            name => println!("hello {}", name.trim()),
        }
        println!("press keys; q ends");
        loop {
            match console::read_key()? {
                b'q' => break,
                key => println!("key {key:#04x}"),
            }
        }
    }
}
