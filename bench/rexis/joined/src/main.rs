//! The SD-server task with its reply and its next receive joined into one call: the one line in which
//! it differs from the published order of calls.
#![no_std]

use rexis::{REXIS_MessageReceive, REXIS_MessageReplyReceive, Sender};

/// Bytes of a reply, as published.
const REQLEN: usize = 32;
/// The command that the server knows.
const CMD_READ: u8 = 1;

#[riposte::main]
fn main() {
    let mut sender_pid = Sender::default();
    let mut recbuf = [0; 2];
    let mut received = REXIS_MessageReceive(&mut sender_pid, &mut recbuf, 2, 0);
    while received {
        let mut reqbuf = [0; REQLEN];
        if recbuf[0] == CMD_READ {
            reqbuf.fill(recbuf[1]);
        }
        received = REXIS_MessageReplyReceive(&mut sender_pid, &reqbuf, REQLEN, &mut recbuf, 2, 0);
    }
    panic!("nothing to receive from");
}
