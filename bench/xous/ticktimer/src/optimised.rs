//! The library optimised: a page of its own that is never cleared.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::cell::UnsafeCell;

use xous::{CID, Error, send_message};

use ticktimer_api as api;

// Define a struct that's 4096 bytes of `u8` and ensure it's page-aligned
#[derive(Debug)]
#[repr(C, align(4096))]
struct StringRequest([u8; 4096]);

/// A connection to the tick-timer server.
#[derive(Debug)]
pub struct Ticktimer {
    conn: CID,
    request: UnsafeCell<StringRequest>,
}

impl Ticktimer {
    /// Connects to the server.
    ///
    /// # Errors
    /// [`Error::ServerNotFound`] if the manifest gives this process no such connection.
    pub fn new() -> Result<Self, Error> {
        let conn = xous::connect(xous::SID::from_bytes(b"ticktimer-opt").unwrap())?;
        Ok(Ticktimer {
            conn,
            request: UnsafeCell::new(StringRequest([0u8; 4096])),
        })
    }

    /// The version of the system. Blocks.
    #[rustfmt::skip]
    #[allow(clippy::undocumented_unsafe_blocks, reason = "the published code is kept as it is")]
    pub fn get_version(&self) -> String {
        // Send the message mutably, indicating that there are 4096 bytes available. The
        // Server will overwrite some number of bytes and return the value in the `.valid`
        // field.
        let request = self.request.get();
        let memory_range = unsafe {
            xous::MemoryRange::new(
                request as usize,
                core::mem::size_of::<StringRequest>(),
            )
            .unwrap()
        };
        let result = send_message(
            self.conn,
            xous::Message::new_lend_mut(
                api::Opcode::GetVersion as _,
                memory_range,
                None, xous::MemorySize::new(4096))).unwrap();

        // Extract the `offset` and `valid` fields
        let valid = match result {
            xous::Result::MemoryReturned(_offset, valid) => valid.unwrap(),
            _ => panic!("Invalid return value"),
        };

        // Convert the stack array into a heap-allocated Vec<u8>
        let data = unsafe{(&*request).0[0..valid.get()].to_owned()};

        // Reassign the heap-allocated Vec<u8> to the String, and return it.
        // If there is a UTF-8 error, this will panic.
        String::from_utf8(data).unwrap()
    }
}
