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
    Ok(sid.with_channel(sid.own_channel()?.handle()))
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
            // The words, not the identifier: nothing of it has to be in memory for this.
            0 => {
                let (word0, word1, word2, word3) = self.to_u32();
                find(word0, word1, word2, word3)
            }
            handle => Ok(Channel::from_handle(handle)),
        }
    }
}

#[cold]
#[inline(never)]
fn find(word0: u32, word1: u32, word2: u32, word3: u32) -> Result<Channel, Error> {
    let sid = SID::from_u32(word0, word1, word2, word3);
    let name = riposte::channel_names()
        .find(|name| SID::from_name(name) == sid)
        .ok_or(Error::ServerNotFound)?;
    riposte::channel(name).map_err(|_| Error::ServerNotFound)
}
