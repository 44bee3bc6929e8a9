//! TCP.

use check::{equal, holds};
use embedded_nal::{TcpClientStack, TcpError, TcpErrorKind, TcpFullStack};
use riposte::{Deadline, Instant};
use riposte_network::{Network, NetworkError, Stream};

use crate::{SOON, at, until_done};

/// Bytes that go both ways: more than anybody on the way keeps.
const BYTES: usize = 10_000;
const INVALID: nb::Error<NetworkError> = nb::Error::Other(NetworkError::Invalid);
const NOT_YET: nb::Error<NetworkError> = nb::Error::WouldBlock;

/// The byte at this position of what is sent.
fn byte(position: usize) -> u8 {
    (position * 7 + position / 251) as u8
}

/// Sends bytes, which the other side sends back; whether all came as they were.
fn goes_round<S: TcpClientStack<Error = NetworkError>>(
    stack: &mut S,
    socket: &mut S::TcpSocket,
    other: &Stream<'_>,
) -> bool {
    let (mut sent, mut back, mut same) = (0, 0, true);
    let mut piece = [0; 512];
    let until = Instant::now() + SOON;
    while back < BYTES && Instant::now() < until {
        let length = piece.len().min(BYTES - sent);
        for (place, it) in piece.iter_mut().take(length).enumerate() {
            *it = byte(sent + place);
        }
        match stack.send(socket, &piece[..length]) {
            Ok(taken) => sent += taken,
            Err(nb::Error::WouldBlock) => {}
            Err(nb::Error::Other(_)) => return false,
        }
        match other.read_until(&mut piece, Deadline::Immediate) {
            Ok(length) => same &= other.write_all(&piece[..length]).is_ok(),
            Err(NetworkError::WouldBlock) => {}
            Err(_) => return false,
        }
        match stack.receive(socket, &mut piece) {
            Ok(length) => {
                let bytes = piece.iter().take(length).enumerate();
                same &= bytes.into_iter().all(|(at, it)| *it == byte(back + at));
                back += length;
            }
            Err(nb::Error::WouldBlock) => {}
            Err(nb::Error::Other(_)) => return false,
        }
    }
    same && back == BYTES
}

pub fn client<S: TcpClientStack<Error = NetworkError>>(stack: &mut S, far: &Network) {
    let listener = far.listen(17, 1).unwrap();
    let mut socket = stack.socket().unwrap();
    let early = stack.send(&mut socket, b"early");
    equal("a new socket sends nothing", early, Err(INVALID));
    let early = stack.receive(&mut socket, &mut [0; 4]);
    equal("and receives nothing", early, Err(INVALID));
    let nobody = stack.connect(&mut socket, at(77, 17));
    equal(
        "to connect takes until the other side answers",
        nobody,
        Err(NOT_YET),
    );
    let other = stack.connect(&mut socket, at(2, 17));
    equal("nobody goes to two at once", other, Err(INVALID));
    let early = stack.send(&mut socket, b"early");
    equal("nor sends before that", early, Err(INVALID));
    equal("it may be given up", stack.close(socket), Ok(()));
    let mut socket = stack.socket().unwrap();
    let connected = until_done(|| stack.connect(&mut socket, at(2, 17)));
    equal("who is there answers", connected, Ok(()));
    let again = stack.connect(&mut socket, at(2, 17));
    equal("which there is once", again, Err(INVALID));
    let (other, _) = listener.accept_until(Instant::now() + SOON).unwrap();
    let none = stack.receive(&mut socket, &mut [0; 4]);
    equal("nothing has come at once", none, Err(NOT_YET));
    holds(
        "what is sent comes back",
        goes_round(stack, &mut socket, &other),
    );
    let none = stack.receive(&mut socket, &mut []);
    equal("nothing is read into no bytes", none, Ok(0));
    drop(other);
    let end = until_done(|| stack.receive(&mut socket, &mut [0; 4]));
    equal("the end is an error", end, Err(NetworkError::Ended));
    let kind = NetworkError::Ended.kind();
    equal("of something closed", kind, TcpErrorKind::PipeClosed);
    equal("it is closed", stack.close(socket), Ok(()));
}

pub fn refused<S: TcpClientStack<Error = NetworkError>>(stack: &mut S, far: &Network) {
    let mut socket = stack.socket().unwrap();
    let refused = until_done(|| stack.connect(&mut socket, at(2, 9)));
    equal("nobody is there", refused, Err(NetworkError::Refused));
    let kind = NetworkError::Refused.kind();
    equal("which is another kind of error", kind, TcpErrorKind::Other);
    let listener = far.listen(17, 1).unwrap();
    let connected = until_done(|| stack.connect(&mut socket, at(2, 17)));
    equal("the same socket goes to somebody else", connected, Ok(()));
    drop(listener);
    // At whose address nobody is: each call comes back at once.
    let mut socket = stack.socket().unwrap();
    let mut all = true;
    for _ in 0..20 {
        all &= until_done(|| match stack.connect(&mut socket, at(77, 9)) {
            Err(nb::Error::WouldBlock) => Ok(()),
            _ => Err(nb::Error::Other(NetworkError::Garbled)),
        })
        .is_ok();
    }
    holds("no call waits for who does not answer", all);
}

pub fn server<S: TcpFullStack<Error = NetworkError>>(stack: &mut S, far: &Network) {
    let mut socket = stack.socket().unwrap();
    let early = stack.listen(&mut socket);
    equal(
        "nobody listens at no port",
        early,
        Err(NetworkError::Invalid),
    );
    let none = stack.bind(&mut socket, 0);
    equal("nor at port 0", none, Err(NetworkError::Invalid));
    let early = stack.accept(&mut socket).map(drop);
    equal("nor accepts anybody", early, Err(INVALID));
    equal("a socket has a port", stack.bind(&mut socket, 80), Ok(()));
    let again = stack.bind(&mut socket, 81);
    equal("one", again, Err(NetworkError::Invalid));
    let other = stack.connect(&mut socket, at(2, 17));
    equal("with which it goes nowhere", other, Err(INVALID));
    equal("and listens", stack.listen(&mut socket), Ok(()));
    let mut second = stack.socket().unwrap();
    equal(
        "another socket has it, too",
        stack.bind(&mut second, 80),
        Ok(()),
    );
    let refused = stack.listen(&mut second);
    equal("but listens in vain", refused, Err(NetworkError::InUse));
    let none = stack.accept(&mut socket).map(drop);
    equal("nobody has come at once", none, Err(NOT_YET));
    for _ in 0..3 {
        let other = far.stream_until(at(1, 80), Instant::now() + SOON).unwrap();
        let (mut accepted, from) = until_done(|| stack.accept(&mut socket)).unwrap();
        equal("who comes is told", from.ip(), at(2, 0).ip());
        holds(
            "bytes go both ways",
            goes_round(stack, &mut accepted, &other),
        );
        equal("and it is closed", stack.close(accepted), Ok(()));
        let end = other.read_until(&mut [0; 4], Instant::now() + SOON);
        equal("which the other side is told", end, Ok(0));
    }
    equal("nobody listens any more", stack.close(socket), Ok(()));
    let refused = far.stream_until(at(1, 80), Instant::now() + SOON).map(drop);
    equal("and nobody is let in", refused, Err(NetworkError::Refused));
}
