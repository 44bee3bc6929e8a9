//! The console server: owns the serial port and prints what its clients send.
//!
//! A message is text, and is printed whole before the next one, but for what is beyond 4 KiB: whoever prints waits as
//! long as that takes, at most, for each one before. The answer is status 0, and how many bytes were printed. In the
//! manifest it needs a channel `console` and the peripheral `uart0`.
#![no_std]

mod cmsdk;
mod ns16550;
mod sim;
mod uart;

use riposte::{Answer, Event, Message, Notice};
use uart::Uart;

/// How much of a message is copied at a time, in bytes; longer ones are read in parts.
const BUFFER: usize = 128;
/// How much of a message is printed, in bytes.
const LONGEST: usize = 4096;

/// The kernel tells the supervisor's console of one fault: that of the supervisor.
const UNREPORTED: &[u8] =
    b"console: the supervisor itself has faulted, and faults may go unreported: is its \
    `stack` in app.toml large enough?\n";

#[riposte::main]
fn main() {
    let channel = riposte::channel("console").unwrap();
    let mut uart = Uart::enable(riposte::Peripheral::take("uart0").unwrap());
    let error = channel.serve(&mut [0; BUFFER], |event| match event {
        Event::Message(message) => print(&mut uart, message),
        Event::Notice(Notice::Fault { .. }) => {
            uart.write(UNREPORTED);
            Answer::later()
        }
        Event::Notice(_) => Answer::later(),
    });
    panic!("the console's channel: {error}");
}

/// Prints the message.
fn print<'a>(uart: &mut Uart, message: Message<'a>) -> Answer<'a> {
    uart.write(message.bytes());
    let offered = message.offered().min(LONGEST);
    let mut printed = message.accepted();
    let mut part = [0; BUFFER];
    while printed < offered {
        match message.read(printed as u32, &mut part) {
            Ok(copied) if copied > 0 => {
                uart.write(part.get(..copied).unwrap_or_default());
                printed += copied;
            }
            // The client has gone; what it sent of its text is printed.
            _ => break,
        }
    }
    message.answer_words([printed as u32])
}
