//! Servers.

use core::result::Result;

use riposte::Channel;

use crate::{Error, SID};

/// The server `sid`: the channel of the manifest with that name, which this process must own.
/// Never blocks.
///
/// # Errors
/// [`Error::ServerNotFound`] if it owns none of that name.
pub fn create_server_with_sid(sid: SID) -> Result<SID, Error> {
    Ok(sid.with_channel(find(sid)?.handle()))
}

/// As [`create_server_with_sid`], by the 16 bytes of the identifier.
///
/// # Errors
/// As [`create_server_with_sid`].
pub fn create_server_with_address(name: &[u8; 16]) -> Result<SID, Error> {
    let [a, b, c, d] = core::array::from_fn(|word| {
        u32::from_le_bytes(core::array::from_fn(|byte| name[word * 4 + byte]))
    });
    create_server_with_sid(SID::from_u32(a, b, c, d))
}

/// The server behind the first channel that the manifest gives this process.
///
/// # Errors
/// [`Error::ServerNotFound`] if it owns none.
pub fn create_server() -> Result<SID, Error> {
    let name = riposte::channel_names()
        .next()
        .ok_or(Error::ServerNotFound)?;
    create_server_with_sid(SID::from_name(name))
}

impl SID {
    /// The channel of this server, which this process must own.
    #[inline(always)]
    pub(crate) fn own_channel(self) -> Result<Channel, Error> {
        match self.channel {
            0 => find(self),
            handle => Ok(Channel::from_handle(handle)),
        }
    }
}

#[cold]
#[inline(never)]
fn find(sid: SID) -> Result<Channel, Error> {
    let name = riposte::channel_names()
        .find(|name| SID::from_name(name) == sid)
        .ok_or(Error::ServerNotFound)?;
    riposte::channel(name).map_err(|_| Error::ServerNotFound)
}
