//! The tick-timer server's library for its clients, as published.
#![no_std]

pub mod api;

use num_traits::ToPrimitive;
use xous::{CID, Error, send_message};

/// A connection to the tick-timer server.
#[derive(Debug)]
pub struct Ticktimer {
    conn: CID,
}

impl Ticktimer {
    /// Connects to the server.
    ///
    /// # Errors
    /// [`Error::ServerNotFound`] if the manifest gives this process no such connection.
    pub fn new() -> Result<Self, Error> {
        let conn = xous::connect(xous::SID::from_bytes(b"ticktimer-server").unwrap())?;
        Ok(Ticktimer { conn })
    }

    /// Milliseconds since the server's start.
    #[inline(always)]
    pub fn elapsed_ms(&self) -> u64 {
        let response = send_message(
            self.conn,
            xous::Message::new_blocking_scalar(
                api::Opcode::ElapsedMs.to_usize().unwrap(),
                0,
                0,
                0,
                0,
            ),
        )
        .expect("Ticktimer: failure to send message to Ticktimer");
        if let xous::Result::Scalar2(upper, lower) = response {
            upper as u64 | ((lower as u64) << 32)
        } else {
            panic!("Ticktimer elapsed_ms(): unexpected return value.");
        }
    }
}
