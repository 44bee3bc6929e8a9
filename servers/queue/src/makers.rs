//! Who may make queues, by the manifest's settings, and who has.

/// What the names of settings begin with that say how many queues one client may make.
const CREATE_OF: &str = "create-";
/// The setting that says how many each client may.
const CREATE: &str = "create";

/// The clients that have made queues, at most `QUEUES`.
pub struct Makers<const QUEUES: usize> {
    /// Badges, one for each queue.
    made: [u32; QUEUES],
    count: usize,
    /// Most bytes of a queue.
    room: usize,
}

impl<const QUEUES: usize> Makers<QUEUES> {
    /// Nobody, and nobody may.
    pub const fn new() -> Makers<QUEUES> {
        Makers {
            made: [0; QUEUES],
            count: 0,
            room: 0,
        }
    }

    /// Shares so many queues and bytes: what clients may make is kept for them, also while they make nothing.
    ///
    /// # Panics
    /// If they may make more than that, or nobody knows who they are: what to do stands in the message.
    pub fn share(&mut self, queues: usize, bytes: usize) {
        let shares = riposte::clients().map(|(_, name)| share_of(name));
        let all = shares.fold(0, usize::saturating_add);
        let is_wanted = riposte::settings().any(|(name, _)| name.starts_with(CREATE));
        assert!(
            all > 0 || !is_wanted,
            "nobody makes queues: `create` in the queue server's `settings` in app.toml needs `client_names = true` in its [[channel]]"
        );
        assert!(
            all <= queues,
            "clients may make {all} queues of {queues}: `create` in the queue server's `settings` in app.toml"
        );
        self.room = bytes.checked_div(all).unwrap_or(0);
    }

    /// Whether the client with this badge may make one more, of so many bytes.
    pub fn may_make(&self, badge: u32, bytes: usize) -> bool {
        let made = self.made.iter().take(self.count);
        let own = made.filter(|maker| **maker == badge).count();
        bytes <= self.room && own < riposte::client_name(badge).map_or(0, share_of)
    }

    /// It has.
    pub fn made(&mut self, badge: u32) {
        if let Some(place) = self.made.get_mut(self.count) {
            *place = badge;
            self.count += 1;
        }
    }
}

/// How many queues a client of this name may make: the setting `create-NAME`, or else `create`, or else none.
fn share_of(name: &str) -> usize {
    let own = riposte::settings().find(|(it, _)| it.strip_prefix(CREATE_OF) == Some(name));
    let share = own.map(|(_, value)| value);
    let share = share.or_else(|| riposte::setting(CREATE).ok());
    share.unwrap_or(0) as usize
}
