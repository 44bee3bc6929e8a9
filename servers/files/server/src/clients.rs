//! Who the clients are, by the manifest.

use files_store::CLIENTS;
use riposte_files::protocol::READER;

/// Files that can be open, of all clients.
pub const FILES: usize = 32;
/// How many of them a client can have, if the setting `files` does not say.
const USUAL_FILES: u32 = 4;

/// The clients in the manifest's order, which numbers them.
pub struct Clients {
    /// Badges. 0 is nobody's.
    badges: [u32; CLIENTS],
    /// Files that each may have open.
    pub files: [usize; CLIENTS],
}

impl Clients {
    /// As the settings say: `files = N` of all, `files-NAME = N` of one process. Shares that cannot all be used up are no
    /// shares.
    ///
    /// # Panics
    /// If the manifest has no clients, or too many, or they may have more files than there can be: what to do stands in
    /// the message.
    #[must_use]
    pub fn of_manifest() -> Clients {
        let count = riposte::clients().count();
        assert!(
            count > 0,
            "nobody has files: the server's [[channel]] in app.toml needs `client_names = true`, and a [[connection]]"
        );
        assert!(
            count <= CLIENTS,
            "{count} clients are too many for a files server"
        );
        let mut clients = Clients {
            badges: [0; CLIENTS],
            files: [0; CLIENTS],
        };
        let mut all = 0_usize;
        for (n, (badge, name)) in riposte::clients().enumerate() {
            clients.badges[n] = badge;
            clients.files[n] = setting("files", name).unwrap_or(USUAL_FILES) as usize;
            all = all.saturating_add(clients.files[n]);
        }
        assert!(
            all <= FILES,
            "{all} open files are more than {FILES}: `files` in the server's `settings` in app.toml"
        );
        clients
    }

    /// The badge of a client; 0 if there is none of that number.
    pub(crate) fn badge(&self, client: usize) -> u32 {
        self.badges.get(client).copied().unwrap_or(0)
    }

    /// Which client has this badge.
    #[inline]
    pub(crate) fn number(&self, badge: u32) -> Option<usize> {
        self.badges.iter().position(|it| *it == badge)
    }
}

/// The clients that may write: number and name.
pub(crate) fn writers() -> impl Iterator<Item = (usize, &'static str)> {
    let clients = riposte::clients().enumerate();
    clients.filter_map(|(n, (badge, name))| (badge < READER).then_some((n, name)))
}

/// The setting `WHAT-NAME`, or else `WHAT`.
pub(crate) fn setting(what: &'static str, name: &str) -> Option<u32> {
    let own = riposte::settings().find(|(setting, _)| {
        let rest = setting.strip_prefix(what);
        rest.and_then(|rest| rest.strip_prefix('-')) == Some(name)
    });
    own.map(|(_, value)| value)
        .or_else(|| riposte::setting(what).ok())
}
