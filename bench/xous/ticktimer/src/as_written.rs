//! The library as first written: a value in pages, and text on the heap.

use alloc::string::String;

use num_traits::ToPrimitive;
use xous::ipc as xous_ipc;
use xous::{CID, Error, send_message};

use ticktimer_api as api;

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

    /// Milliseconds since the server's start. Blocks.
    #[inline(always)]
    #[rustfmt::skip]
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
            panic!(
                "Ticktimer elapsed_ms(): unexpected return value."
            );
        }
    }

    /// The version of the system. Blocks.
    #[rustfmt::skip]
    pub fn get_version(&self) -> String {
        let alloc = api::VersionString {
            version: xous_ipc::String::new(),
        };
        let mut buf = xous_ipc::Buffer::into_buf(alloc).expect("couldn't convert version request");
        buf.lend_mut(self.conn, api::Opcode::GetVersion.to_u32().unwrap())
            .expect("couldn't get version");
        let v = buf
            .to_original::<api::VersionString, _>()
            .expect("couldn't revert buffer");
        String::from(v.version.as_str().unwrap())
    }
}
