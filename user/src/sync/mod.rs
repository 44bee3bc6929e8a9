//! Threads that wait for each other, within a process and between processes that share memory.
//!
//! | to | use |
//! |---|---|
//! | change a word in one step | [`Word`] |
//! | let one thread at a time use a value | [`Mutex`]; [`RecursiveMutex`] if it may take it again |
//! | let several read it, or one change it | [`RwLock`] |
//! | wait until somebody has changed it | [`Condvar`] |
//! | count what can be taken | [`Semaphore`] |
//! | wait until something has happened | [`EventFlags`] |
//! | pass a word on | [`Mailbox`] |
//! | pass items on | [`Queue`]; [`ByteQueue`] if they differ in length |
//! | share blocks of memory | [`Pool`]; `Heap`, with the feature `heap`, if they differ in size |
//! | do something once | [`Once`], [`OnceCell`] |
//! | wait until all have come | [`Barrier`] |
//!
//! Each waits in user space for as long as it can: what needs no other thread makes no system call. What
//! can block has three forms: it blocks, it tries, or it blocks until a [`crate::Deadline`]. All make
//! sense as `static`s. What is [`crate::Shared`] can lie where several processes see it.

mod barrier;
mod byte_queue;
mod condvar;
mod event;
mod flags;
#[cfg(feature = "heap")]
mod heap;
mod lock;
mod mailbox;
mod mutex;
mod once;
mod pool;
mod queue;
mod recursive;
mod ring;
mod rwlock;
mod semaphore;
mod shared;
mod word;

pub use barrier::Barrier;
#[doc(hidden)]
pub use byte_queue::ByteQueueState;
pub use byte_queue::{ByteQueue, Received};
pub use condvar::{Condvar, Guard};
pub use flags::{EventFlags, Flags};
#[cfg(feature = "heap")]
pub use heap::Heap;
#[cfg(feature = "heap")]
#[doc(hidden)]
pub use heap::HeapState;
pub use lock::{Lock, LockGuard};
pub use mailbox::Mailbox;
pub use mutex::{Mutex, MutexGuard};
pub use once::{Once, OnceCell};
#[doc(hidden)]
pub use pool::PoolState;
pub use pool::{Pool, PoolBox};
#[doc(hidden)]
pub use queue::QueueState;
pub use queue::{Queue, SendError};
pub use recursive::{RecursiveGuard, RecursiveMutex};
#[doc(hidden)]
pub use rwlock::RwLockState;
pub use rwlock::{ReadGuard, RwLock, WriteGuard};
pub use semaphore::Semaphore;
pub use word::Word;
