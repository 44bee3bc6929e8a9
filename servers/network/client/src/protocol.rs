//! What clients say to the network server: a request of eight bytes, the operation and a number, and more behind it. Words
//! have the lowest byte first. An answer has status 0 and what the operation gives, or a status alone.
//!
//! An address takes [`ADDRESS`] bytes: 16 of IPv6 (those of IPv4 are `::ffff:a.b.c.d`), a port in two, and two of 0.
//!
//! | operation | number | behind it | gives | waits |
//! | --- | --- | --- | --- | --- |
//! | [`LISTEN`](operation::LISTEN) | the port and [families](families) | how many may have come at once (a word) | a listener's number | |
//! | [`ACCEPT`](operation::ACCEPT) | a listener's | | a stream's number, and the address of who came | until somebody comes |
//! | [`CONNECT`](operation::CONNECT) | 0 | an address | a stream's number | until its client has one left, of those that are being closed |
//! | [`CONNECTED`](operation::CONNECTED) | a stream's | | its own address, and the other side's | until the other side answers |
//! | [`READ`](operation::READ) | a stream's | most bytes (a word) | bytes; none at the end | until there are some |
//! | [`WRITE`](operation::WRITE) | a stream's | bytes | how many were taken | until there is room for some |
//! | [`FINISH`](operation::FINISH) | a stream's | | | until the other side answers |
//! | [`CLOSE`](operation::CLOSE) | any | | | |
//! | [`BIND`](operation::BIND) | the port, or 0, and [families](families) | | a port's number, the port, and how many of the longest datagrams it keeps | |
//! | [`SEND_TO`](operation::SEND_TO) | a port's | an address, bytes | | until there is room |
//! | [`RECEIVE_FROM`](operation::RECEIVE_FROM) | a port's | most bytes (a word) | an address, how many bytes came (a word), bytes | until something comes |
//! | [`STATE`](operation::STATE) | 0 | | [`STATE_BYTES`] bytes | |
//! | [`READY`](operation::READY) | any | | bits of [`ready`] (a word) | |
//! | [`WATCH`](operation::WATCH) | 0 | for each of 1 to [`WATCHED`] sockets its number and bits of [`ready`] (two words) | | until one of them is ready for one of these, or has ended or failed |
//! | [`RESOLVE`](operation::RESOLVE) | [families](families) | a host's name, 1 to [`NAME`] letters, and a dot at its end if one likes | 1 to [`ADDRESSES`] addresses, of port 0 | until a server of names has told, or all have kept silent |
//! | [`ASK`](operation::ASK) | [families](families) | a host's name, as of `RESOLVE` | a question's number: its client looks for what becomes of it | |
//! | [`ASKED`](operation::ASKED) | a question's | the same name | as `RESOLVE`, and the question is over; as it is with an error, but for those of waiting | until a server of names has told, or all have kept silent |
//! | [`SET_PEER`](operation::SET_PEER) | a port's | an address, or nothing | | |
//! | [`PING`](operation::PING) | how many bytes go there and back | an address of port 0 | the microseconds that took (a word) | until they are back: for 10 s at most |
//!
//! The state is: the address and the length of its prefix, 1 if there is a link and else 0, the device's address (six
//! bytes, two of 0), the way out (an address), and words: frames and bytes sent, frames and bytes received, frames lost
//! because the driver had no room or was away, how often the driver has started again. Then what there is of IPv6: the link's own
//! address, one beyond the link, the way out (three addresses, unspecified if there is none), and words: the length of the prefix
//! of the second, how much routers have said that was not kept.

/// Bytes of a request before what is behind it.
pub const REQUEST: usize = 8;
/// Bytes of an address.
pub const ADDRESS: usize = 20;
/// Most bytes of a datagram.
pub const LONGEST: usize = 1472;
/// Most letters of a name.
pub const NAME: usize = 253;
/// Most addresses that are told of a name.
pub const ADDRESSES: usize = 4;
/// Most clients of a listener that may have come and were not accepted.
pub const BACKLOG: usize = 4;
/// Most sockets that can be watched at once.
pub const WATCHED: usize = 16;
/// Bytes of what is said of the state.
pub const STATE_BYTES: usize = ADDRESS + 4 + 4 + 8 + ADDRESS + 6 * 4 + 3 * ADDRESS + 2 * 4;

/// Badges from here on are of clients that may ask for the state, and have no sockets.
pub const READER: u32 = 0x8000_0000;

/// What a request is.
pub mod operation {
    /// Waits for clients of a port.
    pub const LISTEN: u32 = 0;
    /// Takes one that has come.
    pub const ACCEPT: u32 = 1;
    /// Begins to go to somebody else's port.
    pub const CONNECT: u32 = 2;
    /// Reads of a stream.
    pub const READ: u32 = 3;
    /// Writes to it.
    pub const WRITE: u32 = 4;
    /// Says that nothing more is written.
    pub const FINISH: u32 = 5;
    /// Gives up a stream, a listener, a port, or a question.
    pub const CLOSE: u32 = 6;
    /// Takes a port for datagrams.
    pub const BIND: u32 = 7;
    /// Sends one.
    pub const SEND_TO: u32 = 8;
    /// Takes one that has come.
    pub const RECEIVE_FROM: u32 = 9;
    /// Says what is known of the network.
    pub const STATE: u32 = 10;
    /// Says what came of that, and who is connected.
    pub const CONNECTED: u32 = 11;
    /// Says what would not have to wait.
    pub const READY: u32 = 12;
    /// Waits until one of several sockets is ready.
    pub const WATCH: u32 = 13;
    /// Tells the addresses of a host by its name.
    pub const RESOLVE: u32 = 14;
    /// Asks for a name, and waits for nothing.
    pub const ASK: u32 = 15;
    /// Tells what has become of that.
    pub const ASKED: u32 = 16;
    /// Has a host send an echo.
    pub const PING: u32 = 17;
    /// Has a port take what comes from one address alone, or from anybody again.
    pub const SET_PEER: u32 = 18;
    /// With those that wait: at once or not at all.
    pub const TRY: u32 = 1 << 8;
}

/// Of which families addresses are: those of the other one are as if they were not there.
pub mod families {
    /// Both.
    pub const BOTH: u32 = 0;
    /// IPv4 alone: with a port, in the bits above it.
    pub const IPV4: u32 = 1;
    /// IPv6 alone.
    pub const IPV6: u32 = 2;
    /// Where they are above a port.
    pub const SHIFT: u32 = 16;
}

/// What a socket is ready for.
pub mod ready {
    /// There is something to be read or accepted, or the end, or an error.
    pub const READ: u32 = 1;
    /// There is room for something that is written, or an error.
    pub const WRITE: u32 = 2;
    /// Both sides have ended the stream.
    pub const ENDED: u32 = 4;
    /// There is no connection (any more).
    pub const FAILED: u32 = 8;
    /// All of them.
    pub const ALL: u32 = READ | WRITE | ENDED | FAILED;
}

/// Why a request was not fulfilled. The numbers are those of `errno.h` in the C library.
pub mod status {
    use riposte::Status;

    /// There is no host of that name, or it has no address (`ENOENT`).
    pub const NO_SUCH_NAME: Status = Status(2);
    /// A signal waits for the client (`EINTR`).
    pub const INTERRUPTED: Status = Status(4);
    /// It is no socket of this client, or none of this kind (`EBADF`).
    pub const BAD_NUMBER: Status = Status(9);
    /// Not at once (`EAGAIN`).
    pub const NOT_YET: Status = Status(11);
    /// It makes no sense (`EINVAL`).
    pub const INVALID: Status = Status(22);
    /// The client has as many as it may (`EMFILE`).
    pub const TOO_MANY: Status = Status(24);
    /// Nothing can be written behind the end (`EPIPE`).
    pub const ENDED: Status = Status(32);
    /// The servers of names keep silent, or cannot tell (`EPROTO`).
    pub const NAME_FAILED: Status = Status(71);
    /// There is no such operation (`ENOSYS`).
    pub const NOT_SUPPORTED: Status = Status(88);
    /// The other side has ended the connection, or has kept silent too long (`ECONNRESET`).
    pub const RESET: Status = Status(104);
    /// As many threads of the client wait as may (`ENOBUFS`).
    pub const TOO_MANY_WAIT: Status = Status(105);
    /// Nobody is there (`ECONNREFUSED`).
    pub const REFUSED: Status = Status(111);
    /// Somebody else has the port (`EADDRINUSE`).
    pub const IN_USE: Status = Status(112);
    /// The time was over (`ETIMEDOUT`).
    pub const TIMED_OUT: Status = Status(116);
    /// There is no way to that address, no address of one's own yet, or no server of names (`EHOSTUNREACH`).
    pub const UNREACHABLE: Status = Status(118);
    /// It is longer than a datagram, or a name, can be (`EMSGSIZE`).
    pub const TOO_LONG: Status = Status(122);
}
