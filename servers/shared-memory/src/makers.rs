//! Who may make objects: the clients of whose names there are pools.

use riposte::{Pool, RegionRights};
use riposte_shared_memory::protocol::READER;
use shared_memory_store::SLOTS_OF_AN_OBJECT;

/// Most processes that may make objects.
pub const MAKERS: usize = 8;
/// Objects with names that there can be.
pub const NAMES: usize = 32;
/// Slots that all of these take.
const SLOTS: usize = NAMES * SLOTS_OF_AN_OBJECT;

/// The names of the processes, and their pools.
pub struct Makers([Option<(&'static str, Pool)>; MAKERS]);

impl Makers {
    /// Nobody.
    pub const fn new() -> Makers {
        Makers([None; MAKERS])
    }

    /// Reads what the manifest says: who is a client that may change things, and has a pool of its name.
    ///
    /// # Panics
    /// If there are no clients, or too many makers: what to do stands in the message.
    pub fn configure(&mut self) {
        assert!(
            riposte::clients().next().is_some(),
            "nobody has shared memory: the server's [[channel]] in app.toml needs `client_names = true`, and a [[connection]]"
        );
        for (badge, name) in riposte::clients() {
            let Ok(pool) = riposte::pool(name) else {
                continue;
            };
            if badge >= READER || self.find(badge).is_some() {
                continue;
            }
            let place = self.0.iter_mut().find(|it| it.is_none());
            let Some(place) = place else {
                panic!(
                    "`{name}` is one too many with a pool of its own: {MAKERS} processes can make shared memory"
                );
            };
            *place = Some((name, pool));
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.iter().flatten().count()
    }

    /// The one behind this badge.
    pub fn find(&self, badge: u32) -> Option<usize> {
        let name = riposte::client_name(badge)?;
        let is_it = |it: &Option<(&str, Pool)>| it.is_some_and(|(own, _)| own == name);
        self.0.iter().position(is_it)
    }

    /// The pool of a maker.
    pub fn pool(&self, maker: usize) -> Option<Pool> {
        self.0.get(maker).copied().flatten().map(|(_, pool)| pool)
    }

    /// Whether this process has slots for `count` handles of regions, at most [`SLOTS`], and one more. Else who has its share
    /// would take what is others'.
    pub fn have_slots_for(&self, count: usize) -> bool {
        // Without a block that is free there is nothing to try it with: this is not the first life of this process.
        let mut pools = self.0.iter().flatten();
        let Some(region) = pools.find_map(|(_, pool)| pool.make().ok()) else {
            return true;
        };
        let mut copies = [const { None }; SLOTS];
        let room = copies.get_mut(..count).unwrap_or_default();
        room.fill_with(|| region.copy(RegionRights::default()).ok());
        let all = room.len() == count && room.iter().all(Option::is_some);
        for handle in copies.into_iter().flatten().chain([region]) {
            let _ = handle.close();
        }
        all
    }
}
