//! What clients say to a driver of an Ethernet, and what it answers.
//!
//! A request is a word, the operation, and for [`SEND`](operation::SEND) the frame behind it, as it goes onto the wire but
//! for its checksum: 14 to [`FRAME`] bytes. An answer has status 0 and what the operation gives, or a status alone. Words
//! have the lowest byte first.
//!
//! | operation | gives |
//! | --- | --- |
//! | [`SEND`](operation::SEND) | how many more frames there is room for now |
//! | [`RECEIVE`](operation::RECEIVE) | the oldest frame that has come and has not been taken, with [`LAST`](status::LAST) if no other has come; nothing if the oldest ones were none, and there may be more |
//! | [`STATE`](operation::STATE) | the first four bytes of the address, the other two, 1 if the link is up and else 0, how many frames there is room for |
//! | [`STATISTICS`](operation::STATISTICS) | [`Statistics`], a word each |
//!
//! No request waits. A client that is told [`NO_FRAME`](status::NO_FRAME), [`LAST`](status::LAST) or
//! [`NO_ROOM`](status::NO_ROOM) is notified when that may have changed: with [`NOTICE`]; and of a link that comes or goes, and of a driver that has started: with [`CHANGE`]; if
//! the manifest gives the driver a connection with the right `notify` to a channel of that client.

/// Bytes of a request before a frame.
pub const REQUEST: usize = 4;
/// Most bytes of a frame: without its checksum.
pub const FRAME: usize = 1514;
/// Fewest: two addresses and a type. (The wire wants 60; the driver, or its device, fills that up.)
pub const HEAD: usize = 14;

/// The bit that a driver sets at its client's channel when there may be frames, or room for some.
pub const NOTICE: u32 = 1;
/// The bit that it sets when its [`STATE`](operation::STATE) has changed, or may have: it has started.
pub const CHANGE: u32 = 2;

/// Badges from here on are of clients that may look, and neither send nor receive.
pub const READER: u32 = 0x8000_0000;

/// What a request is.
pub mod operation {
    /// Puts a frame behind those that are to be sent.
    pub const SEND: u32 = 0;
    /// Takes a frame that has come.
    pub const RECEIVE: u32 = 1;
    /// Which address, whether the link is up, and how much room there is.
    pub const STATE: u32 = 2;
    /// What has been counted.
    pub const STATISTICS: u32 = 3;
}

/// Why a request was not fulfilled. The numbers are those of `errno.h` in the C library.
pub mod status {
    use riposte::Status;

    /// No frame has come (`EAGAIN`).
    pub const NO_FRAME: Status = Status(11);
    /// With a frame: no other has come, so that its client need not ask (`ENODATA`).
    pub const LAST: Status = Status(61);
    /// As many frames wait to be sent as can (`ENOBUFS`).
    pub const NO_ROOM: Status = Status(105);
    /// It makes no sense: a frame that is shorter than [`HEAD`](super::HEAD) or longer than [`FRAME`](super::FRAME)
    /// (`EINVAL`).
    pub const INVALID: Status = Status(22);
    /// The client may only look (`EACCES`).
    pub const NOT_PERMITTED: Status = Status(13);
    /// The driver has no such operation (`ENOSYS`).
    pub const NOT_SUPPORTED: Status = Status(88);
}

/// What a driver has counted since it started; each number begins at 0 again behind 2³² - 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Frames that were given to the device.
    pub sent: u32,
    /// Their bytes, without checksums.
    pub sent_bytes: u32,
    /// Frames that were handed to a client.
    pub received: u32,
    /// Their bytes, without checksums.
    pub received_bytes: u32,
    /// Frames for which there was no room: those of clients, which were told so.
    pub no_room: u32,
    /// Frames that came damaged, or that the device had no room for, as far as it says so.
    pub lost: u32,
    /// How often the link has come or gone.
    pub link_changes: u32,
}

/// Words of [`Statistics`].
pub const STATISTICS_WORDS: usize = 7;

impl Statistics {
    /// As they lie in an answer.
    #[must_use]
    pub fn to_words(self) -> [u32; STATISTICS_WORDS] {
        [
            self.sent,
            self.sent_bytes,
            self.received,
            self.received_bytes,
            self.no_room,
            self.lost,
            self.link_changes,
        ]
    }

    /// What an answer says.
    #[must_use]
    pub fn from_words(words: [u32; STATISTICS_WORDS]) -> Statistics {
        let [
            sent,
            sent_bytes,
            received,
            received_bytes,
            no_room,
            lost,
            link_changes,
        ] = words;
        Statistics {
            sent,
            sent_bytes,
            received,
            received_bytes,
            no_room,
            lost,
            link_changes,
        }
    }
}
