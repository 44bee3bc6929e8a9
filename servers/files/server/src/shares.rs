//! What each client may have of a store, by the manifest.

use files_store::{CLIENTS, MOST_ENTRIES, Share, TooSmall, capacity};

use crate::clients::{Clients, setting, writers};

/// How many files and directories a client can have, if the setting `entries` does not say.
const USUAL_ENTRIES: u32 = 16;

/// What each client may have.
pub struct Shares {
    /// By the client's number.
    pub shares: [Share; CLIENTS],
    /// Files and directories of all, and the root.
    pub entries: usize,
}

impl Shares {
    /// As the settings say: `blocks = N` of all, `blocks-NAME = N` of one process; so `entries`. Without them, the clients
    /// share what there is, blocks of so many bytes in so many words; `room` says where in the manifest these are. Shares that cannot all be used
    /// up are no shares.
    ///
    /// # Panics
    /// If they are none: what to do stands in the message.
    #[must_use]
    pub fn of_manifest(clients: &Clients, words: usize, block: usize, room: &str) -> Shares {
        let mut all = Shares {
            shares: [Share::default(); CLIENTS],
            entries: 1,
        };
        for (share, files) in all.shares.iter_mut().zip(clients.files) {
            share.files = files;
        }
        for (n, name) in writers() {
            let share = &mut all.shares[n];
            share.entries = setting("entries", name).unwrap_or(USUAL_ENTRIES);
            all.entries = all.entries.saturating_add(share.entries as usize);
        }
        assert!(
            all.entries <= MOST_ENTRIES,
            "{} files and directories are more than {MOST_ENTRIES}: `entries` in the server's `settings` in app.toml",
            all.entries
        );
        all.share_blocks(words, block, room);
        all
    }

    fn share_blocks(&mut self, words: usize, block: usize, room: &str) {
        let blocks = match capacity(words, self.entries, block) {
            Ok(blocks) => blocks,
            Err(TooSmall(bytes)) => panic!("{room} in app.toml must have {bytes} bytes at least"),
        };
        let (mut given, mut others) = (0_u32, 0);
        for (_, name) in writers() {
            match setting("blocks", name) {
                Some(blocks) => given = given.saturating_add(blocks),
                None => others += 1,
            }
        }
        assert!(
            given <= blocks,
            "the clients may have {given} blocks of {blocks}: `blocks` in the server's `settings` in app.toml, or {room}"
        );
        let rest = (blocks - given).checked_div(others).unwrap_or(0);
        for (n, name) in writers() {
            self.shares[n].blocks = setting("blocks", name).unwrap_or(rest);
        }
    }
}
