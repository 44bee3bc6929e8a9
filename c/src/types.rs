//! Types of the header.

use core::ffi::c_void;

/// A kernel error, or RIPOSTE_OK. What a server says of its work is a status, which is something
/// else: see riposte_reply_t.
pub type riposte_error_t = u32;

/// A moment until which a call may block, in nanoseconds of monotonic time since the kernel's start
/// (see riposte_clock); or RIPOSTE_FOREVER or RIPOSTE_IMMEDIATE.
pub type riposte_deadline_t = u64;

/// A client's right to send to one channel.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct riposte_connection_t {
    /// The handle; 0 is none.
    pub handle: u32,
}

/// Where a server receives.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct riposte_channel_t {
    /// The handle; 0 is none.
    pub handle: u32,
}

/// The right to answer one waiting client, once. A second answer is an error, never somebody else's.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct riposte_token_t {
    /// Which thread waits.
    pub tag: u32,
    /// In which of its waits.
    pub generation: u32,
}

/// What came back from a server.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct riposte_reply_t {
    /// What the server says: 0, or an error of its own. It never shares space with the kernel's.
    pub status: u32,
    /// The words, of a reply in registers; what the length does not cover is 0.
    pub words: [u32; 5],
    /// Bytes of the reply that are in the words or in the buffer.
    pub length: usize,
    /// Bytes that the server offered: more than the length if there was no room for them.
    pub offered: usize,
    /// Bytes of the request that the server accepted at once.
    pub accepted: usize,
}

/// What a channel delivers: a client's message, or a notice of the kernel.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct riposte_message_t {
    /// 0 for a message; else one of RIPOSTE_NOTICE_*, and nobody waits.
    pub notice: u32,
    /// The badge of the connection through which it came: who sent it, by the manifest. Of a proxy's
    /// message: the handle of the proxy.
    pub badge: u32,
    /// Who waits for the answer.
    pub token: riposte_token_t,
    /// The words of a message in registers; what the length does not cover is 0. Of a notice: words[1]
    /// is the process that faulted, or the bits that were set. Of memory: its address, its length in
    /// bytes, and the message's three words.
    pub words: [u32; 5],
    /// Bytes that were accepted.
    pub length: usize,
    /// Bytes that the client offered; what is beyond the length can be read with riposte_read.
    pub offered: usize,
    /// The bytes: the buffer of the receive, or NULL if they came in the words, or lie in parts.
    pub buffer: *mut c_void,
    /// 0; or RIPOSTE_INFO_LENT, RIPOSTE_INFO_LENT_MUT or RIPOSTE_INFO_MOVED if memory came. What is lent is
    /// gone when the client is answered, or when the thread that has received it ends. RIPOSTE_INFO_BYTES if the
    /// bytes lie in the parts of riposte_receive_vector_until.
    pub memory: u32,
}

/// One part of a message that is gathered or scattered.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct riposte_part_t {
    /// The first byte.
    pub address: *mut c_void,
    /// Length in bytes.
    pub length: usize,
}

/// Whom a selective receive waits for: RIPOSTE_SELECT_BADGE and the badge, or RIPOSTE_SELECT_TOKEN and
/// the token's tag and generation. See riposte_peer_badge and riposte_peer_client.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct riposte_peer_t {
    /// RIPOSTE_SELECT_*.
    pub select: u32,
    /// The badge, or the token's tag.
    pub first: u32,
    /// 0, or the token's generation.
    pub second: u32,
}

/// A process that this one controls.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct riposte_process_t {
    /// Among those that this one controls.
    pub position: u32,
}

/// What a thread was doing at one moment.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct riposte_thread_state_t {
    /// RIPOSTE_STATE_*.
    pub state: u32,
    /// At which priority it runs, whoever waits for it. Out of date while it waits for a message.
    pub priority: u32,
    /// Its own priority.
    pub own_priority: u32,
    /// RIPOSTE_POLICY_*.
    pub policy: u32,
    /// While it sends or waits for a reply, the index in the manifest of the process for which it waits; while it
    /// receives, that of its own.
    pub process: u32,
    /// While it sends or receives, the index of the channel in the manifest; while it waits for a reply, that of the
    /// thread that has its message, within its process.
    pub peer: u32,
    /// Bytes of its stack.
    pub stack: u32,
}

/// A device whose registers this process may use.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct riposte_peripheral_t {
    /// Its first register.
    pub address: *mut c_void,
    /// Bytes from there on that the process may use.
    pub length: usize,
    /// What the board says it is, such as "ns16550"; "" if it does not say.
    pub kind: *const core::ffi::c_char,
}
