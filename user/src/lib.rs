//! The library of a Riposte process: channels and connections, a server's loop, names from the
//! manifest, time, and text on the console.
//!
//! A program is a `staticlib` crate without `std`. Its `main` is marked [`macro@main`]:
//!
//! ```no_run
//! # #![allow(clippy::needless_doctest_main)]
//! use riposte::println;
//!
//! #[riposte::main]
//! fn main() {
//!     println!("hello from {}", riposte::process_name());
//! }
//! ```
//!
//! Two processes best agree on an [`macro@interface`]; the server implements the trait, the client
//! calls its methods:
//!
//! ```no_run
//! use riposte::interface::CallError;
//!
//! #[riposte::interface]
//! pub trait Lamp {
//!     /// Sets the brightness and returns what it was.
//!     fn set(&mut self, percent: u32) -> u32;
//! }
//!
//! struct Bulb {
//!     percent: u32,
//! }
//!
//! impl Lamp for Bulb {
//!     fn set(&mut self, percent: u32) -> u32 {
//!         core::mem::replace(&mut self.percent, percent)
//!     }
//! }
//!
//! // In the server's process:
//! fn serve() -> riposte::Error {
//!     let channel = riposte::channel("lamp").unwrap();
//!     LampServer::serve(&channel, &mut Bulb { percent: 0 }, &mut [])
//! }
//!
//! // In the client's process:
//! fn dim() -> Result<u32, CallError> {
//!     LampClient::new(riposte::connect("lamp").unwrap()).set(10)
//! }
//! ```
//!
//! Below that, a client asks for a [`Connection`] by the name that the manifest gives it and [sends](Connection::send);
//! a server asks for its [`Channel`] and [serves](Channel::serve). Kernel errors are [`Error`]s;
//! what a server says about its work is a [`Status`], and the two never share space.
#![no_std]

#[cfg(test)]
extern crate self as riposte;
#[cfg(test)]
extern crate std;

mod answer;
mod blocks;
mod buffer;
mod channel;
mod connection;
pub mod console;
mod control;
mod deadline;
mod failure;
mod fault;
pub mod futex;
mod inspect;
pub mod interface;
mod interrupt;
mod line;
mod memory;
mod message;
mod names;
mod pages;
mod part;
mod peripheral;
mod pool;
mod process;
mod proxy;
mod region;
#[cfg(feature = "postcard")]
pub mod serial;
pub mod signal;
mod status;
pub mod sync;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
pub mod thread;
mod thread_local;
mod time;
mod timer;
mod token;
mod trap;
mod view;
mod words;

pub use answer::Answer;
pub use blocks::{Block, copy_blocks};
pub use buffer::Buffer;
pub use channel::{Channel, Peer};
pub use connection::{Connection, Reply, WordsReply};
pub use console::print_arguments;
pub use control::{exit, instructions, is_main_thread, null_call, shutdown, yield_now};
pub use deadline::Deadline;
pub use fault::{fault_record, stack_unused};
pub use inspect::{Doing, ThreadState, thread_state};
pub use interrupt::Interrupt;
pub use line::Line;
pub use memory::{Delivery, Give, GiveError, Lent, LentMut, Memory, MemoryReply, Moved};
pub use message::{Event, Message, Notice, Rare, Words};
pub use names::{
    ConnectError, ManifestError, channel, channel_names, client_name, clients, connect,
    connection_names, manifest_entries, manifest_entry, manifest_name, name_of_channel,
    name_of_process, own_channel, pool, process_index, process_name, proxy, region,
    region_for_devices, setting, settings,
};
pub use pages::Pages;
pub use part::{Part, PartMut};
pub use peripheral::{DeviceWords, Peripheral, PeripheralError};
pub use pool::{Mapping, Pool, RegionHandle, RegionRights};
pub use process::{Process, process};
pub use proxy::{Proxy, ProxyId};
pub use region::{Region, RegionError, Shared};
pub use riposte_abi as abi;
pub use riposte_abi::Error;
pub use riposte_macros::{Shared, hot, interface, main, thread};
pub use safe_mmio as mmio;
pub use status::Status;
pub use text::Text;
pub use thread::{ThreadId, current_thread};
pub use thread_local::ThreadLocal;
pub use time::{Duration, Instant, sleep, sleep_until};
pub use timer::Timer;
pub use token::{ClientId, Token};
pub use trap::{Extra, Registers, raw_call, raw_client_call, raw_short_call, raw_timed_call};
pub use view::{ViewError, Viewed, ViewedMut};
pub use words::MessageWords;
pub use zerocopy;

/// The calling thread has just begun: with these in its second and third register. What
/// [`macro@thread`] calls first.
///
/// # Safety
/// The kernel has started the calling thread with these in its second and third register, and it has
/// called nothing else of this library.
#[doc(hidden)]
pub unsafe fn begin_thread(index: u32, id: u32) {
    // SAFETY: the caller's promise.
    unsafe { trap::begin_thread(index as usize, id) };
}
