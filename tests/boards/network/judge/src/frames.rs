//! What a driver makes of frames, and of what is none.

use check::{equal, holds};
use riposte::{Connection, Instant, Part, Status};
use riposte_ethernet::protocol::{operation as op, status};
use riposte_ethernet::{Ethernet, EthernetError};

use crate::SOON;

pub fn frames() {
    let driver = riposte::connect("ethernet").unwrap();
    let reader = Ethernet::connect("ethernet-reader").unwrap();
    let state = reader.state().unwrap();
    holds("a driver says its address", state.address != [0; 6]);
    holds("and that there is a link", state.is_up);
    holds("and room", state.room > 0);
    let sent = reader.send(&mut [0xFF; 64]).map(drop);
    let not_permitted = Err(EthernetError::Other(status::NOT_PERMITTED));
    equal("who may look does not send", sent, not_permitted);
    let received = reader.receive(&mut [0; 60]).map(drop);
    let not_permitted = Err(EthernetError::Other(status::NOT_PERMITTED));
    equal("nor receive", received, not_permitted);
    let (mut no_frames, mut refused) = (true, true);
    let counts_nothing = quietly(&reader, || {
        for length in [0, 1, 13, 1515, 2000] {
            let sent = send(&driver, op::SEND, &[0xFF; 2000][..length]);
            no_frames &= sent == status::INVALID;
        }
        refused &= makes_no_sense(&driver);
        (0, 0)
    });
    holds("what is no frame is not sent", no_frames);
    holds("and there is nothing else to ask", refused);
    holds("what is refused counts for nothing", counts_nothing);
    let mut sent = true;
    let counts = quietly(&reader, || {
        for length in [14, 60, 1514] {
            sent &= send(&driver, op::SEND, &[0xFF; 1514][..length]) == Status::OK;
        }
        (3, 14 + 60 + 1514)
    });
    holds("a frame is sent", sent);
    holds("and counted", counts);
    let soon = Instant::now() + SOON;
    let sent = (14..=16).map(|length| {
        let mut message = [0xFF; 20];
        message[..4].copy_from_slice(&op::SEND.to_le_bytes());
        let reply = driver.send_until(&message[..4 + length], &mut [0; 4], soon);
        reply.map(|it| it.status)
    });
    let sent = sent.fold(Ok(Status::OK), Result::and);
    equal("so is one in registers, and answered", sent, Ok(Status::OK));
}

fn send(driver: &Connection, operation: u32, frame: &[u8]) -> Status {
    let head = operation.to_le_bytes();
    let parts = [Part::new(&head), Part::new(frame)];
    match driver.send_vector(&parts, &mut []) {
        Ok(reply) => reply.status,
        Err(error) => panic!("{error}"),
    }
}

/// Whether so many frames and bytes are counted as sent as `attempt` says that it has sent. The network server may send some of its
/// own meanwhile, for streams of before: then it is tried again, until it is quiet.
fn quietly(reader: &Ethernet, mut attempt: impl FnMut() -> (u32, u32)) -> bool {
    (0..50).any(|_| {
        let before = reader.statistics().unwrap();
        let expected = attempt();
        let after = reader.statistics().unwrap();
        let bytes = after.sent_bytes.wrapping_sub(before.sent_bytes);
        (after.sent.wrapping_sub(before.sent), bytes) == expected && after.no_room == before.no_room
    })
}

/// Whether the driver refuses all that it has no operation for, or that is too short or too long.
fn makes_no_sense(driver: &Connection) -> bool {
    let mut refused = true;
    for operation in [op::RECEIVE, op::STATE, op::STATISTICS] {
        refused &= send(driver, operation, &[0; 1]) == status::INVALID;
    }
    for operation in [4, 0xFF, u32::MAX] {
        refused &= send(driver, operation, &[]) == status::NOT_SUPPORTED;
    }
    for length in 0..4 {
        let reply = driver.send(&[0; 4][..length], &mut []);
        refused &= reply.is_ok_and(|it| it.status == status::INVALID);
    }
    refused
}
