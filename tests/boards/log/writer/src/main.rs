//! Writes to the log what it is told to.
#![no_std]

mod part;

use riposte::interface::CallError;
use riposte::{Channel, Duration, Event, Message};
use riposte_log::log::{LevelFilter, debug, error, info};
use riposte_log::{LogClient, LogReaderClient, LogReaderServer, READER};

#[riposte::main]
fn main() {
    riposte_log::init("log", LevelFilter::Info).unwrap();
    let again = riposte_log::init("log", LevelFilter::Trace);
    assert_eq!(again, Err(riposte_log::InitError::HasLogger));
    let channel: Channel = riposte::own_channel().unwrap();
    loop {
        if let Ok(Event::Message(message)) = channel.receive(&mut [0; 16]) {
            obey(message);
        }
    }
}

/// The judge's orders: what, and a number.
fn obey(message: Message<'_>) {
    let [what, number, ..] = message.words();
    let answer = match what {
        0 => {
            info!("hello {number}");
            0
        }
        1 => part::say(),
        2 => {
            debug!("nobody asks for this");
            0
        }
        3 => {
            error!("x{:ü<200}", "");
            0
        }
        4 => flood(number),
        5 => write_at(number),
        6 => read(),
        _ => {
            // The judge waits for what comes.
            let _ = message.reply_words([0]);
            let _ = riposte::sleep(Duration::from_millis(1));
            info!("late {number}");
            return;
        }
    };
    let _ = message.reply_words([answer]);
}

fn client() -> LogClient {
    LogClient::new(riposte::connect("log").unwrap())
}

/// So many records, as fast as it goes. Returns how many were refused.
fn flood(records: u32) -> u32 {
    let log = client();
    let write = |_: &u32| log.write(5, "flood").is_err();
    (0..records).filter(write).count() as u32
}

/// Whether the server refuses a record of this level.
fn write_at(level: u32) -> u32 {
    let written = client().write(level, "of no level");
    u32::from(matches!(written, Err(CallError::Application(_))))
}

/// Whether the server refuses to let this process read.
fn read() -> u32 {
    const _: () = assert!(LogReaderServer::BUFFER < 64 && READER > 1);
    let log = LogReaderClient::new(riposte::connect("log").unwrap());
    let mut room = [0; 32];
    let read = log.read(0, &mut riposte::Text::new(&mut room));
    let waited = log.wait(0);
    let read = matches!(read, Err(CallError::Refused(_)));
    u32::from(read && matches!(waited, Err(CallError::Refused(_))))
}
