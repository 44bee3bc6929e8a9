//! The gateway: a node that is no board. What boards export can be asked for in a zenoh network, and what answers there has
//! names that boards reach. `README.md` beside it says how it is used.

mod bridge;
mod config;
mod outbox;
pub mod program;

pub use bridge::{Gateway, ROOM, Stop};
pub use config::{Config, Peer, Remote, Zenoh};
