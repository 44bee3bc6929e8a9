//! What each client may have, by the manifest.

use files_store::{CLIENTS, MOST_ENTRIES, Share, TooSmall, capacity};
use riposte_files::protocol::READER;

/// Files that can be open.
pub const FILES: usize = 32;
/// How many of them a client can have, if the setting `files` does not say.
const USUAL_FILES: u32 = 4;
/// How many files and directories a client can have, if the setting `entries` does not say.
const USUAL_ENTRIES: u32 = 16;

/// The clients in the manifest's order, which is how the disk numbers them, and what each may have.
pub struct Shares {
    /// Badges. 0 is nobody's.
    pub badges: [u32; CLIENTS],
    pub shares: [Share; CLIENTS],
    /// Files and directories of all, and the root.
    pub entries: usize,
}

impl Shares {
    /// As the settings say: `blocks = N` of all, `blocks-NAME = N` of one process; so `entries` and `files`. Without
    /// them, the clients share what there is. Shares that cannot all be used up are no shares.
    pub fn of_manifest(words: usize) -> Shares {
        let clients = riposte::clients().count();
        assert!(
            clients > 0,
            "nobody has files: the server's [[channel]] in app.toml needs `client_names = true`, and a [[connection]]"
        );
        assert!(
            clients <= CLIENTS,
            "{clients} clients are too many for the files server"
        );
        let mut all = Shares {
            badges: [0; CLIENTS],
            shares: [Share::default(); CLIENTS],
            entries: 1,
        };
        let mut files = 0;
        for (n, (badge, name)) in riposte::clients().enumerate() {
            all.badges[n] = badge;
            let share = &mut all.shares[n];
            share.files = setting("files", name).unwrap_or(USUAL_FILES) as usize;
            files += share.files;
            if badge < READER {
                share.entries = setting("entries", name).unwrap_or(USUAL_ENTRIES);
                all.entries += share.entries as usize;
            }
        }
        assert!(
            files <= FILES,
            "{files} open files are more than {FILES}: `files` in the server's `settings` in app.toml"
        );
        assert!(
            all.entries <= MOST_ENTRIES,
            "{} files and directories are more than {MOST_ENTRIES}: `entries` in the server's `settings` in app.toml",
            all.entries
        );
        all.share_blocks(words);
        all
    }

    fn share_blocks(&mut self, words: usize) {
        let blocks = match capacity(words, self.entries) {
            Ok(blocks) => blocks,
            Err(TooSmall(bytes)) => panic!(
                "the region `files` in app.toml needs a `size` of {} at least",
                bytes.next_power_of_two()
            ),
        };
        let (mut given, mut others) = (0_u32, 0);
        for (badge, name) in riposte::clients() {
            match setting("blocks", name) {
                _ if badge >= READER => {}
                Some(blocks) => given = given.saturating_add(blocks),
                None => others += 1,
            }
        }
        assert!(
            given <= blocks,
            "the clients may have {given} blocks of {blocks}: `blocks` in the server's `settings` in app.toml, or the `size` of its region"
        );
        let rest = (blocks - given).checked_div(others).unwrap_or(0);
        for (share, (badge, name)) in self.shares.iter_mut().zip(riposte::clients()) {
            if badge < READER {
                share.blocks = setting("blocks", name).unwrap_or(rest);
            }
        }
    }

    /// Which client has this badge.
    #[inline]
    pub fn client(&self, badge: u32) -> Option<usize> {
        self.badges.iter().position(|it| *it == badge)
    }
}

/// The setting `WHAT-NAME`, or else `WHAT`.
fn setting(what: &'static str, name: &str) -> Option<u32> {
    let own = riposte::settings().find(|(setting, _)| {
        let rest = setting.strip_prefix(what);
        rest.and_then(|rest| rest.strip_prefix('-')) == Some(name)
    });
    own.map(|(_, value)| value)
        .or_else(|| riposte::setting(what).ok())
}
