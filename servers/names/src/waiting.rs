//! Clients that wait for a name, or for a change.

use names_store::Client;
use riposte_names::protocol::LONGEST_PATH;

/// A client that waits.
pub type Waiter = servers_waiting::Waiter<Client, Wanted>;
/// Those who wait.
pub type Waiting = servers_waiting::Waiting<Client, Wanted>;

/// What a client waits for. Its numbers leave 0 to the places where nobody waits, which begin as zeros.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Wanted {
    /// A name for a path.
    Path(Path) = 1,
    /// Another count of changes than this one.
    Change(u32) = 2,
}

/// A path that leads nowhere yet.
#[derive(Clone, Copy)]
pub struct Path {
    bytes: [u8; LONGEST_PATH],
    length: usize,
}

impl Path {
    /// The path, if it is not too long.
    pub fn new(path: &[u8]) -> Option<Path> {
        let mut bytes = [0; LONGEST_PATH];
        bytes.get_mut(..path.len())?.copy_from_slice(path);
        Some(Path {
            bytes,
            length: path.len(),
        })
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}
