//! What a driver makes of frames, and of what is none.

use check::{equal, holds};
use riposte::{Connection, Part, Status};
use riposte_ethernet::protocol::{operation as op, status};
use riposte_ethernet::{Ethernet, EthernetError};

pub fn frames() {
    let driver = riposte::connect("ethernet").unwrap();
    let reader = Ethernet::connect("ethernet-reader").unwrap();
    let state = reader.state().unwrap();
    holds("a driver says its address", state.address != [0; 6]);
    holds("and that there is a link", state.is_up);
    let before = reader.statistics().unwrap();
    let mut refused = true;
    for length in [0, 1, 13, 1515, 2000] {
        refused &= send(&driver, op::SEND, &[0xFF; 2000][..length]) == status::INVALID;
    }
    holds("what is no frame is not sent", refused);
    let frame = reader.send(&[0xFF; 60]);
    let not_permitted = Err(EthernetError::Other(status::NOT_PERMITTED));
    equal("who may look does not send", frame, not_permitted);
    let frame = reader.receive(&mut [0; 60]);
    let not_permitted = Err(EthernetError::Other(status::NOT_PERMITTED));
    equal("nor receive", frame, not_permitted);
    let mut refused = true;
    for operation in [op::RECEIVE, op::STATE, op::STATISTICS] {
        refused &= send(&driver, operation, &[0; 1]) == status::INVALID;
    }
    for operation in [4, 0xFF, u32::MAX] {
        refused &= send(&driver, operation, &[]) == status::NOT_SUPPORTED;
    }
    for length in 0..4 {
        let reply = driver.send(&[0; 4][..length], &mut []);
        refused &= reply.is_ok_and(|it| it.status == status::INVALID);
    }
    holds("and there is nothing else to ask", refused);
    let same = reader.statistics() == Ok(before);
    holds("what is refused counts for nothing", same);
    for length in [14, 60, 1514] {
        let sent = send(&driver, op::SEND, &[0xFF; 1514][..length]);
        equal("a frame is sent", sent, Status::OK);
    }
    let after = reader.statistics().unwrap();
    let counted = (
        after.sent - before.sent,
        after.sent_bytes - before.sent_bytes,
    );
    equal("and counted", counted, (3, 14 + 60 + 1514));
}

fn send(driver: &Connection, operation: u32, frame: &[u8]) -> Status {
    let head = operation.to_le_bytes();
    let parts = [Part::new(&head), Part::new(frame)];
    match driver.send_vector(&parts, &mut []) {
        Ok(reply) => reply.status,
        Err(error) => panic!("{error}"),
    }
}
