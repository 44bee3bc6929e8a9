//! Connections to servers.

use core::result::Result;
use core::sync::atomic::{AtomicU32, Ordering};

use riposte::{ConnectError, Connection};

use crate::{Error, SID};

/// A connection: the handle of one that the manifest gives this process.
pub type CID = u32;

/// What the name of a courier's channel, and of connections to it, has behind the server's.
pub(crate) const COURIER: &str = "-post";

/// Connections to couriers that a process can have. Handles begin with the connections of the
/// manifest, in its order, and this is the number of those.
const COURIERS: usize = 64;

/// The connection to the courier, by the slot of the connection to the server; 0 if there is none.
static COURIER_OF: [AtomicU32; COURIERS] = [const { AtomicU32::new(0) }; COURIERS];

/// The connection to the server `sid`: the one of the manifest with that name. Connecting again
/// gives the same one. Never blocks.
///
/// # Errors
/// [`Error::ServerNotFound`] if the manifest gives this process no such connection, or the server
/// is not there.
pub fn connect(sid: SID) -> Result<CID, Error> {
    open(|name| SID::from_name(name) == sid)
}

/// Opens the first connection of the manifest whose name is `wanted`, and that to its courier.
pub(crate) fn open(wanted: impl Fn(&str) -> bool) -> Result<CID, Error> {
    let name = riposte::connection_names()
        .find(|name| wanted(name))
        .ok_or(Error::ServerNotFound)?;
    let connection = open_name(name)?;
    let is_courier = |other: &&str| other.strip_suffix(COURIER) == Some(name);
    if let Some(courier) = riposte::connection_names().find(is_courier) {
        let place = place(connection).ok_or(Error::OutOfMemory)?;
        place.store(open_name(courier)?, Ordering::Relaxed);
    }
    Ok(connection)
}

fn open_name(name: &'static str) -> Result<CID, Error> {
    match riposte::connect(name) {
        Ok(connection) => Ok(connection.handle()),
        Err(ConnectError::Kernel(error)) => Err(error.into()),
        Err(ConnectError::NotInManifest(_)) => Err(Error::ServerNotFound),
    }
}

fn place(connection: CID) -> Option<&'static AtomicU32> {
    let slot = connection & riposte::abi::call::INDEX_MASK;
    COURIER_OF.get(slot as usize)
}

/// The connection to the courier of the server that `connection` leads to.
pub(crate) fn courier(connection: CID) -> Result<Connection, Error> {
    match place(connection).map_or(0, |place| place.load(Ordering::Relaxed)) {
        0 => Err(Error::AccessDenied),
        courier => Ok(Connection::from_handle(courier)),
    }
}

/// Gives a connection up, and that to the server's courier. [`connect`] opens them again.
///
/// # Safety
/// None here: a connection that was given up is no connection any more, even if another one takes
/// its place. (In Xous its number may be another server's by then.)
///
/// # Errors
/// [`Error::ServerNotFound`] if it is not open.
pub unsafe fn disconnect(connection: CID) -> Result<(), Error> {
    Connection::from_handle(connection).close()?;
    if let Ok(courier) = courier(connection) {
        if let Some(place) = place(connection) {
            place.store(0, Ordering::Relaxed);
        }
        courier.close()?;
    }
    Ok(())
}
