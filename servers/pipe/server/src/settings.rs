//! What the manifest's settings say: the pipes that are always there, and what each client may have.

use riposte_pipe::protocol::LARGEST;

/// What the names of settings that are pipes begin with.
const PIPE: &str = "pipe-";
/// What those begin with that say how many pipes one client may make.
const PIPES_OF: &str = "pipes-";
/// How many ends a client can have, if the setting `ends` does not say.
const USUAL_ENDS: u32 = 4;
/// How many of its threads can wait, if the setting `threads` does not say.
const USUAL_THREADS: u32 = 4;

/// What each client can have.
pub struct OfEach {
    /// Ends.
    pub ends: usize,
    /// Threads that wait.
    pub threads: usize,
}

/// The names and capacities of the pipes that are always there.
pub fn pipes() -> impl Iterator<Item = (&'static str, u32)> {
    riposte::settings().filter_map(|(name, capacity)| Some((name.strip_prefix(PIPE)?, capacity)))
}

/// What each client can have, of so many ends and threads that all have together.
pub fn of_each(all_ends: usize, all_threads: usize) -> OfEach {
    let clients = riposte::clients().count();
    assert!(
        clients > 0,
        "nobody has a pipe: the server's [[channel]] in app.toml needs `client_names = true`, and a [[connection]]"
    );
    let ends = riposte::setting("ends").unwrap_or(USUAL_ENDS) as usize;
    assert!(
        ends <= all_ends / clients,
        "{clients} clients with {ends} ends each are too many: `ends` in the server's `settings` in app.toml"
    );
    let threads = riposte::setting("threads").unwrap_or(USUAL_THREADS) as usize;
    assert!(
        threads <= all_threads / clients,
        "{clients} clients with {threads} threads each that wait are too many: `threads` in the server's `settings` in app.toml"
    );
    OfEach { ends, threads }
}

/// How many pipes all clients may make, and how many bytes each of these holds at most: what the setting `capacity`
/// says, or else an equal share of `left`.
pub fn places(left: usize) -> (usize, usize) {
    let shares = riposte::clients().map(|(_, name)| share(name));
    let places = shares.fold(0, usize::saturating_add);
    let equal = left.checked_div(places).unwrap_or(0).min(LARGEST);
    let capacity = riposte::setting("capacity").map_or(equal, |it| it as usize);
    (places, capacity)
}

/// How many pipes the client with this badge may make.
pub fn share_of(badge: u32) -> usize {
    riposte::client_name(badge).map_or(0, share)
}

/// How many a client of this name may: the setting `pipes-NAME`, or else `pipes`, or else none.
fn share(name: &str) -> usize {
    let own = riposte::settings().find(|(setting, _)| setting.strip_prefix(PIPES_OF) == Some(name));
    let share = own.map(|(_, value)| value);
    let share = share.or_else(|| riposte::setting("pipes").ok());
    share.unwrap_or(0) as usize
}
