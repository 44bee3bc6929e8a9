//! UDP.

use check::equal;
use embedded_nal::{UdpClientStack, UdpFullStack};
use riposte::Instant;
use riposte_network::{Network, NetworkError};

use crate::{SOON, at, until_done};

const INVALID: nb::Error<NetworkError> = nb::Error::Other(NetworkError::Invalid);
const NOT_YET: nb::Error<NetworkError> = nb::Error::WouldBlock;

pub fn client<S: UdpClientStack<Error = NetworkError>>(stack: &mut S, far: &Network) {
    let (other, stranger) = (far.bind(17).unwrap(), far.bind(0).unwrap());
    let mut bytes = [0; 64];
    let mut socket = stack.socket().unwrap();
    let early = stack.send(&mut socket, b"early");
    equal("a new socket sends no datagram", early, Err(INVALID));
    let early = stack.receive(&mut socket, &mut bytes);
    equal("and receives none", early, Err(INVALID));
    equal(
        "it is connected",
        stack.connect(&mut socket, at(2, 17)),
        Ok(()),
    );
    let none = stack.receive(&mut socket, &mut bytes);
    equal("no datagram has come at once", none, Err(NOT_YET));
    let sent = until_done(|| stack.send(&mut socket, b"hello"));
    equal("a datagram is sent", sent, Ok(()));
    let (length, from) = other
        .receive_from_until(&mut bytes, Instant::now() + SOON)
        .unwrap();
    equal("and comes", &bytes[..length], &b"hello"[..]);
    for it in [&stranger, &other] {
        equal("one comes back", it.send_to(from, b"back"), Ok(()));
    }
    let back = until_done(|| stack.receive(&mut socket, &mut bytes));
    equal("of whom it is connected to alone", back, Ok((4, at(2, 17))));
    equal("two come", other.send_to(from, b"longer"), Ok(()));
    equal("at once", other.send_to(from, b"last"), Ok(()));
    let long = until_done(|| stack.receive(&mut socket, &mut bytes[..5]));
    equal(
        "one that has no room is gone",
        long,
        Err(NetworkError::TooLong),
    );
    let last = until_done(|| stack.receive(&mut socket, &mut bytes[..5]));
    equal("and the next one is there", last, Ok((4, at(2, 17))));
    let long = stack.send(&mut socket, &[0; 1473]);
    let error = Err(nb::Error::Other(NetworkError::TooLong));
    equal("none is longer than one can be", long, error);
    equal("its port is given up", stack.close(socket), Ok(()));
}

pub fn server<S: UdpFullStack<Error = NetworkError>>(stack: &mut S, far: &Network) {
    let (one, two) = (far.bind(17).unwrap(), far.bind(18).unwrap());
    let mut bytes = [0; 64];
    let mut socket = stack.socket().unwrap();
    let early = stack.send_to(&mut socket, at(2, 17), b"early");
    equal("one without a port sends to nobody", early, Err(INVALID));
    equal("it is given one", stack.bind(&mut socket, 69), Ok(()));
    let again = stack.bind(&mut socket, 70);
    equal("one and no other", again, Err(NetworkError::Invalid));
    let mut second = stack.socket().unwrap();
    let refused = stack.bind(&mut second, 69);
    equal("which nobody else has", refused, Err(NetworkError::InUse));
    let nobody = stack.send(&mut socket, b"whom");
    equal("it sends to nobody in particular", nobody, Err(INVALID));
    for other in [&one, &two] {
        equal("it is asked", other.send_to(at(1, 69), b"ask"), Ok(()));
        let (length, from) = until_done(|| stack.receive(&mut socket, &mut bytes)).unwrap();
        equal("by each", (length, from), (3, at(2, other.port())));
        let answered = until_done(|| stack.send_to(&mut socket, from, b"told"));
        equal("and answers it", answered, Ok(()));
        let came = other.receive_from_until(&mut bytes, Instant::now() + SOON);
        equal("at its own port", came, Ok((4, at(1, 69))));
    }
    let sent = until_done(|| stack.send(&mut socket, b"more"));
    equal("it sends to the last one", sent, Ok(()));
    let came = two.receive_from_until(&mut bytes, Instant::now() + SOON);
    equal("whom that reaches", came, Ok((4, at(1, 69))));
}
