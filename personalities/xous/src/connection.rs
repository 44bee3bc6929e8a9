//! Connections to servers.

use core::result::Result;

use riposte::{ConnectError, Connection};

use crate::{Error, SID};

/// A connection: the handle of one that the manifest gives this process.
pub type CID = u32;

/// The connection to the server `sid`: the one of the manifest with that name. Connecting again
/// gives the same one. Never blocks.
///
/// # Errors
/// [`Error::ServerNotFound`] if the manifest gives this process no such connection, or the server
/// is not there.
pub fn connect(sid: SID) -> Result<CID, Error> {
    open(|name| SID::from_name(name) == sid)
}

/// Opens the first connection of the manifest whose name is `wanted`.
pub(crate) fn open(wanted: impl Fn(&str) -> bool) -> Result<CID, Error> {
    let name = riposte::connection_names()
        .find(|name| wanted(name))
        .ok_or(Error::ServerNotFound)?;
    match riposte::connect(name) {
        Ok(connection) => Ok(connection.handle()),
        Err(ConnectError::Kernel(error)) => Err(error.into()),
        Err(ConnectError::NotInManifest(_)) => Err(Error::ServerNotFound),
    }
}

/// Gives a connection up. [`connect`] opens it again.
///
/// # Safety
/// None here: a connection that was given up is no connection any more, even if another one takes
/// its place. (In Xous its number may be another server's by then.)
///
/// # Errors
/// [`Error::ServerNotFound`] if it is not open.
pub unsafe fn disconnect(connection: CID) -> Result<(), Error> {
    Ok(Connection::from_handle(connection).close()?)
}
