//! The tick-timer server of the call whose page is looked at where it lies: the text goes into the lent page in
//! one copy, and nowhere else. The publication has no such form.
#![no_std]

use core::num::NonZeroUsize;

use ticktimer_api::{self as api, version};

const PARTS: [&[u8]; 3] = [
    version::SEMVER.as_bytes(),
    b"\n",
    version::TIMESTAMP.as_bytes(),
];
const LENGTH: usize = PARTS[0].len() + PARTS[1].len() + PARTS[2].len();

/// The text, which is always the same.
static TEXT: [u8; LENGTH] = {
    let (mut text, mut length, mut part) = ([0; LENGTH], 0, 0);
    while part < PARTS.len() {
        let mut index = 0;
        while index < PARTS[part].len() {
            text[length] = PARTS[part][index];
            length += 1;
            index += 1;
        }
        part += 1;
    }
    text
};

#[riposte::main]
fn main() {
    let sid = xous::SID::from_bytes(b"ticktimer-place").unwrap();
    serve(xous::create_server_with_sid(sid).expect("the channel of the manifest"))
}

#[riposte::hot]
fn serve(ticktimer_server: xous::SID) -> ! {
    let mut next = None;
    loop {
        xous::reply_and_receive_next(ticktimer_server, &mut next).unwrap();
        let body = &mut next.as_mut().unwrap().body;
        match num_traits::FromPrimitive::from_usize(body.id()) {
            Some(api::Opcode::GetVersion) => {
                let memory = body.memory_message_mut().unwrap();
                memory.buf.as_slice_mut()[..LENGTH].copy_from_slice(&TEXT);
                memory.valid = NonZeroUsize::new(LENGTH);
            }
            _ => panic!("no such request"),
        }
    }
}
