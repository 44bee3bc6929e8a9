//! The SD-server task: answers a read command with 32 bytes of the character that it asks for.
#![no_std]

use rexis::{REXIS_MessageReceive, REXIS_MessageReply, Sender};

/// Bytes of a reply, as published.
const REQLEN: usize = 32;
/// The command that the server knows.
const CMD_READ: u8 = 1;

#[riposte::main]
fn main() {
    let mut sender_pid = Sender::default();
    let mut recbuf = [0; 2];
    while REXIS_MessageReceive(&mut sender_pid, &mut recbuf, 2, 0) {
        let mut reqbuf = [0; REQLEN];
        if recbuf[0] == CMD_READ {
            reqbuf.fill(recbuf[1]);
        }
        REXIS_MessageReply(&mut sender_pid, &reqbuf, REQLEN);
    }
    panic!("nothing to receive from");
}
