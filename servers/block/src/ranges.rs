//! What of the card each client has, by the manifest.

/// Most clients.
pub const CLIENTS: usize = 16;

/// A client's part of the card.
#[derive(Clone, Copy)]
struct Range {
    /// 0 is nobody's.
    badge: u32,
    first: u32,
    blocks: u32,
}

/// The parts of all clients.
pub struct Ranges([Range; CLIENTS]);

impl Ranges {
    /// One behind the other, in the manifest's order: a setting `blocks-NAME = N` says how many a process has, and those
    /// without one share the rest. Several connections of one process reach the same part.
    pub fn of_manifest(all: u32) -> Ranges {
        let clients = riposte::clients().count();
        assert!(
            clients > 0,
            "nobody has blocks: the server's [[channel]] in app.toml needs `client_names = true`, and a [[connection]]"
        );
        assert!(
            clients <= CLIENTS,
            "{clients} connections are too many for the block server"
        );
        let (mut given, mut others) = (0_u32, 0_u32);
        for (n, (_, name)) in riposte::clients().enumerate() {
            if is_first(n, name) {
                match setting(name) {
                    Some(blocks) => given = given.saturating_add(blocks),
                    None => others += 1,
                }
            }
        }
        assert!(
            given <= all,
            "the clients may have {given} blocks of {all}: `blocks` in the block server's `settings` in app.toml, or the size of its card"
        );
        let rest = (all - given).checked_div(others).unwrap_or(0);
        let mut ranges = [Range {
            badge: 0,
            first: 0,
            blocks: 0,
        }; CLIENTS];
        let mut next = 0;
        for (n, (badge, name)) in riposte::clients().enumerate() {
            let earlier = riposte::clients().position(|(_, it)| it == name);
            let (first, blocks) = match earlier.and_then(|it| ranges.get(it)) {
                Some(range) if earlier < Some(n) => (range.first, range.blocks),
                _ => (next, setting(name).unwrap_or(rest)),
            };
            ranges[n] = Range {
                badge,
                first,
                blocks,
            };
            next = next.max(first + blocks);
        }
        Ranges(ranges)
    }

    /// The first block of a client's part, and how many it has.
    pub fn of(&self, badge: u32) -> Option<(u32, u32)> {
        let range = self.0.iter().find(|it| it.badge == badge)?;
        Some((range.first, range.blocks))
    }
}

/// Whether the client at this place of the manifest is the first one of its process.
fn is_first(n: usize, name: &str) -> bool {
    riposte::clients().position(|(_, it)| it == name) == Some(n)
}

/// How many blocks the manifest gives a process.
fn setting(name: &str) -> Option<u32> {
    let mut settings = riposte::settings();
    let own = settings.find(|(setting, _)| setting.strip_prefix("blocks-") == Some(name));
    own.map(|(_, value)| value)
}
