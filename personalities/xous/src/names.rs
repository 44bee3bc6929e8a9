//! The name server of Xous: here the manifest is it. Programs import it under its name in Xous:
//! `use xous::names as xous_names;`.
//!
//! A name of Xous is one of the manifest, in small letters and with one `-` for whatever stands
//! between letters and digits: `"_Root key server_"` is `root-key-server`.

use core::result::Result;

use crate::{CID, Error, SID, connection, create_server_with_sid, sid};

/// A connection to the name server, which costs nothing.
#[derive(Clone, Copy, Debug)]
pub struct XousNames;

impl XousNames {
    /// A connection to the name server.
    ///
    /// # Errors
    /// None here.
    pub fn new() -> Result<XousNames, Error> {
        Ok(XousNames)
    }

    /// Creates the server `name`: the channel of this process with that name. How many may connect is
    /// the manifest's to say.
    ///
    /// # Errors
    /// [`Error::ServerNotFound`] if this process owns no such channel.
    pub fn register_name(&self, name: &str, _max_conns: Option<u32>) -> Result<SID, Error> {
        let channel = riposte::channel_names()
            .find(|channel| sid::names(name, channel))
            .ok_or(Error::ServerNotFound)?;
        create_server_with_sid(SID::from_name(channel))
    }

    /// The connection to the server `name`.
    ///
    /// # Errors
    /// [`Error::ServerNotFound`] if the manifest gives this process no such connection, or the server
    /// is not there.
    pub fn request_connection(&self, name: &str) -> Result<CID, Error> {
        connection::open(|connection| sid::names(name, connection))
    }

    /// As [`XousNames::request_connection`]. (In Xous it waits until the name is registered; here a
    /// message waits until the server receives it.)
    ///
    /// # Errors
    /// As [`XousNames::request_connection`].
    pub fn request_connection_blocking(&self, name: &str) -> Result<CID, Error> {
        self.request_connection(name)
    }
}
