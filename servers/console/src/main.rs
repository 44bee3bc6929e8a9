//! The console server: owns the serial port, prints what its clients send, and hands them what is typed.
//!
//! A message is text, and is printed whole before the next one, but for what is beyond 4 KiB: whoever prints waits as
//! long as that takes, at most, for each one before. The answer is status 0, and how many bytes were printed. In the
//! manifest it needs a channel `console` and the peripheral `uart0`.
//!
//! With the interrupt `uart0-receive` it reads, too (`riposte::console`). Who reads is kept waiting by its token, in
//! the order of arrival, while the server goes on printing: it never waits for what is typed. At most
//! `readers` of its `settings` (4 if that is not there, 16 at most) wait; the next one is refused. What is typed while
//! nobody reads it is taken as far as there is room for it; the rest stays with the receiver.
#![no_std]

mod cmsdk;
mod ns16550;
mod readers;
mod sim;
mod terminal;
mod uart;

use riposte::console::protocol;
use riposte::sync::Mutex;
use riposte::{Answer, ConnectError, Event, Interrupt, Message, Notice};
use terminal::Terminal;
use uart::Uart;

/// How much of a message is copied at a time, in bytes; longer ones are read in parts.
const BUFFER: usize = 128;
/// How much of a message is printed, in bytes.
const LONGEST: usize = 4096;
/// The channel's bit of the receiver's interrupt.
const RECEIVED: u32 = 1;

/// The kernel tells the supervisor's console of one fault: that of the supervisor.
const UNREPORTED: &[u8] =
    b"console: the supervisor itself has faulted, and faults may go unreported: is its \
    `stack` in app.toml large enough?\n";

/// What is typed, and who waits for it: too much for the stack.
static TERMINAL: Mutex<Terminal> = Mutex::new(Terminal::new());

#[riposte::main]
fn main() {
    // Panics say which of these it was, and not why: errors as text would be a quarter of the program.
    let Ok(channel) = riposte::channel("console") else {
        panic!("the manifest gives the console no channel `console`");
    };
    let Ok(registers) = riposte::Peripheral::take("uart0") else {
        panic!("the manifest gives the console no peripheral `uart0`");
    };
    let mut uart = Uart::enable(registers);
    let receiver = match Interrupt::attach("uart0-receive", &channel, RECEIVED) {
        Ok(receiver) => Some(receiver),
        // Nobody can read.
        Err(ConnectError::NotInManifest(_)) => None,
        Err(_) => panic!("`uart0-receive` cannot be attached"),
    };
    let Ok(mut terminal) = TERMINAL.lock() else {
        panic!("no terminal");
    };
    if let Some(receiver) = receiver {
        uart.listen();
        terminal.open(&mut uart, receiver);
    }
    let _ = channel.serve(&mut [0; BUFFER], |event| match event {
        Event::Message(message) if is_request(&message) => terminal.request(&mut uart, message),
        Event::Message(message) => print(&mut uart, message),
        Event::Notice(Notice::Bits { .. }) => {
            terminal.receive(&mut uart);
            Answer::later()
        }
        Event::Notice(Notice::Fault { .. }) => {
            uart.write(UNREPORTED);
            Answer::later()
        }
        Event::Notice(_) => Answer::later(),
    });
    panic!("`console` cannot be received from");
}

/// Whether the message asks for what is typed; else it is text.
fn is_request(message: &Message<'_>) -> bool {
    message.offered() == protocol::BYTES && message.words()[0] == protocol::REQUEST
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
