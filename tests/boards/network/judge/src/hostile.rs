//! Requests that the library does not make.

use core::net::SocketAddr;

use check::{equal, holds};
use riposte::{Connection, Part, PartMut, Status};
use riposte_network::protocol::{ADDRESS, WATCHED, operation as op, status};
use riposte_network::{Network, address};

use crate::{ECHO, ROUTER};

pub fn hostile(network: &Network) {
    let server = riposte::connect("network").unwrap();
    lengths(&server);
    numbers(&server);
    shares(&server);
    let state = network.state();
    holds("the server has taken no harm", state.is_ok());
}

/// What the server says to a request.
fn said(server: &Connection, operation: u32, about: u32, more: &[u8]) -> (Status, u32) {
    let mut head = [0; 8];
    head[..4].copy_from_slice(&operation.to_le_bytes());
    head[4..].copy_from_slice(&about.to_le_bytes());
    let mut word = [0; 4];
    let parts = [Part::new(&head), Part::new(more)];
    let answer = &mut [PartMut::new(&mut word)];
    match server.send_vector(&parts, answer) {
        Ok(reply) => (reply.status, u32::from_le_bytes(word)),
        Err(error) => panic!("{error}"),
    }
}

fn lengths(server: &Connection) {
    let mut refused = true;
    for length in 0..8 {
        let reply = server.send(&[0; 8][..length], &mut []);
        refused &= reply.is_ok_and(|it| it.status == status::INVALID);
    }
    holds("what is too short is none", refused);
    let long = [0; 2000];
    let mut refused = true;
    for (operation, bytes) in [
        (op::LISTEN, 0),
        (op::LISTEN, 3),
        (op::LISTEN, 5),
        (op::ACCEPT, 1),
        (op::CONNECT, 0),
        (op::CONNECT, ADDRESS - 1),
        (op::CONNECT, ADDRESS + 1),
        (op::READ, 0),
        (op::READ, 4),
        (op::READ, 8),
        (op::WRITE, 0),
        (op::FINISH, 2000),
        (op::CLOSE, 1),
        (op::BIND, 4),
        (op::SEND_TO, 0),
        (op::SEND_TO, ADDRESS - 1),
        (op::RECEIVE_FROM, 2),
        (op::RECEIVE_FROM, 2000),
        (op::STATE, 4),
        (op::CONNECTED, 4),
        (op::READY, 4),
        (op::WATCH, 0),
        (op::WATCH, 4),
        (op::WATCH, 8 * WATCHED + 8),
        (op::WATCH, 2000),
        (op::RESOLVE, 0),
        (op::ASK, 0),
        (op::PING, 0),
        (op::PING, ADDRESS - 1),
        (op::PING, ADDRESS + 1),
        (op::SET_PEER, ADDRESS - 1),
        (op::SET_PEER, ADDRESS + 1),
    ] {
        refused &= said(server, operation, 0, &long[..bytes]).0 == status::INVALID;
    }
    holds("each request has its bytes, and no others", refused);
    let mut refused = true;
    for operation in [19, 20, 0xFF, op::TRY << 1, 0x8000_0000, u32::MAX] {
        refused &= said(server, operation, 0, &[]).0 == status::NOT_SUPPORTED;
    }
    holds("there are no other operations", refused);
    let mut refused = true;
    for (port, backlog) in [
        (0, 1),
        (3 << 16, 1),
        (u32::MAX, 1),
        (90, 0),
        (90, 5),
        (90, u32::MAX),
    ] {
        let backlog = u32::to_le_bytes(backlog);
        refused &= said(server, op::LISTEN, port, &backlog).0 == status::INVALID;
    }
    refused &= said(server, op::BIND, 3 << 16, &[]).0 == status::INVALID;
    holds("there are no other ports", refused);
    let other = [0, 0, 0, 0, 16, 0, 0, 0];
    let found = said(server, op::WATCH, 0, &other).0;
    equal("nor other things to be ready for", found, status::INVALID);
    let mut nowhere = address::to_bytes(ECHO);
    nowhere[16] = 0;
    nowhere[17] = 0;
    let found = said(server, op::CONNECT, 0, &nowhere).0;
    equal("nobody is at port 0", found, status::UNREACHABLE);
    let mut garbled = address::to_bytes(ECHO);
    garbled[19] = 1;
    let found = said(server, op::CONNECT, 0, &garbled).0;
    equal("an address has no more in it", found, status::INVALID);
    let found = said(server, op::PING, 0, &address::to_bytes(ECHO)).0;
    equal("no port sends an echo", found, status::INVALID);
}

fn numbers(server: &Connection) {
    let (opened, listener) = said(server, op::LISTEN, 90, &1_u32.to_le_bytes());
    equal("there is a listener", opened, Status::OK);
    let (opened, port) = said(server, op::BIND, 0, &[]);
    equal("and a port", opened, Status::OK);
    let (opened, stream) = said(server, op::CONNECT, 0, &address::to_bytes(ECHO));
    equal("and a stream", opened, Status::OK);
    let mut refused = true;
    let mut is_bad = |operation, number, more: &[u8]| {
        refused &= said(server, operation, number, more).0 == status::BAD_NUMBER;
    };
    let most = 16_u32.to_le_bytes();
    let mut to = [0; ADDRESS + 1];
    to[..ADDRESS].copy_from_slice(&address::to_bytes(ECHO));
    for bit in 0..32 {
        is_bad(op::ACCEPT | op::TRY, listener ^ 1 << bit, &[]);
        is_bad(op::READ | op::TRY, stream ^ 1 << bit, &most);
        is_bad(op::WRITE | op::TRY, stream ^ 1 << bit, b"x");
        is_bad(op::FINISH, stream ^ 1 << bit, &[]);
        is_bad(op::SEND_TO | op::TRY, port ^ 1 << bit, &to);
        is_bad(op::RECEIVE_FROM | op::TRY, port ^ 1 << bit, &most);
        is_bad(op::CONNECTED | op::TRY, stream ^ 1 << bit, &[]);
        for number in [listener, port, stream] {
            let number = number ^ 1 << bit;
            let is_another = [listener, port, stream].contains(&number);
            let [a, b, c, d] = number.to_le_bytes();
            if !is_another {
                is_bad(op::READY, number, &[]);
                is_bad(op::WATCH, 0, &[a, b, c, d, 1, 0, 0, 0]);
            }
        }
    }
    for number in [0, 1, 0x10, 0x1F, 0x2F, 0x3F, u32::MAX, listener, port] {
        is_bad(op::READ | op::TRY, number, &most);
        is_bad(op::WRITE | op::TRY, number, b"x");
    }
    holds("no number but its own names a socket", refused);
    for number in [listener, port, stream] {
        let reader = riposte::connect("network-reader").unwrap();
        let found = said(&reader, op::CLOSE, number, &[]).0;
        equal("nobody closes another's", found, status::BAD_NUMBER);
        let found = said(server, op::CLOSE, number, &[]).0;
        equal("its owner does", found, Status::OK);
        let found = said(server, op::CLOSE, number, &[]).0;
        equal("once", found, status::BAD_NUMBER);
    }
}

fn shares(server: &Connection) {
    let reader = riposte::connect("network-reader").unwrap();
    let one = 1_u32.to_le_bytes();
    let to = address::to_bytes(ECHO);
    let mut refused = said(&reader, op::LISTEN, 90, &one).0 == status::TOO_MANY;
    refused &= said(&reader, op::CONNECT, 0, &to).0 == status::TOO_MANY;
    refused &= said(&reader, op::BIND, 0, &[]).0 == status::TOO_MANY;
    let router = SocketAddr::new(ROUTER.into(), 0);
    let asked = said(&reader, op::PING, 0, &address::to_bytes(router)).0;
    refused &= asked == status::TOO_MANY;
    holds("who may only look has no sockets", refused);
    let ports = [(); 2].map(|()| said(server, op::BIND, 0, &[]));
    holds(
        "each has its ports",
        ports.iter().all(|it| it.0 == Status::OK),
    );
    let more = said(server, op::BIND, 0, &[]).0;
    equal("and no more", more, status::TOO_MANY);
    for (_, port) in ports {
        let closed = said(server, op::CLOSE, port, &[]).0;
        equal("they are given up", closed, Status::OK);
    }
}
