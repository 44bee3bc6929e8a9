//! Parents that wait for the end of a child.

use process_store::Pid;

/// A parent that waits for the end of a child, or of any. Its process is known by its index.
pub type Waiter = servers_waiting::Waiter<u8, Option<Pid>>;
/// Those who wait.
pub type Waiting = servers_waiting::Waiting<u8, Option<Pid>>;
