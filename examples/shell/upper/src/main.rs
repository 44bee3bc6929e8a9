//! `upper`: says what it reads in capital letters.
#![no_std]

use riposte_stdio::{StreamError, Streams};

fn copy(streams: &Streams) -> Result<(), StreamError> {
    let (input, mut output) = (streams.input()?, streams.output()?);
    let mut piece = [0; 64];
    loop {
        match input.read(&mut piece)? {
            0 => return output.finish(),
            length => {
                let bytes = piece.get_mut(..length).unwrap_or_default();
                bytes.make_ascii_uppercase();
                output.bytes(bytes);
            }
        }
    }
}

#[riposte::main]
fn main() {
    let streams = Streams::open().unwrap();
    if let Err(error) = copy(&streams) {
        riposte::println!("upper: {error}");
        riposte::exit(1);
    }
}
