//! The messages of Xous over Riposte: servers by name or 128-bit identifier, connections, messages
//! of words and of memory.
//!
//! The calls have the names and arguments of Xous 0.9.12, as its book and the programs of
//! "Messaging Performance" use them, so that code written for them ports with its imports changed.
//!
//! | Xous | here |
//! | --- | --- |
//! | server, SID | a channel of the manifest; the SID is its name ([`SID`]) |
//! | connection, CID | a connection of the manifest, by its handle |
//! | blocking scalar | one send of five words, answered with one, two or five |
//! | scalar | a send to the server's courier, which queues it ([`Queue`]) |
//!
//! What differs: who may reach whom is the manifest's, and an identifier no secret.
#![no_std]

mod connection;
mod envelope;
mod heap;
pub mod ipc;
mod memory;
mod message;
pub mod names;
mod queue;
mod receive;
mod result;
mod send;
mod server;
mod sid;
pub mod utralib;

pub use connection::{CID, connect, disconnect};
pub use envelope::{MessageEnvelope, MessageSender};
pub use heap::Heap;
pub use memory::{MemoryAddress, MemoryRange, MemorySize, PAGE_SIZE, map_memory, unmap_memory};
pub use message::{MemoryMessage, Message, MessageId, ScalarMessage};
pub use queue::Queue;
pub use receive::{
    receive_message, reply_and_receive_next, reply_and_receive_next_legacy, return_memory,
    return_memory_offset_valid, return_scalar, return_scalar2, return_scalar5, try_receive_message,
};
pub use result::{Error, Result};
pub use send::{copied_messages, send_message, try_send_message};
pub use server::{create_server, create_server_with_address, create_server_with_sid};
pub use sid::SID;
