//! The tick-timer server of the call whose page is looked at where it lies: the text goes into the lent page in
//! three copies, and nowhere else. The publication has no such form.
#![no_std]

use core::num::NonZeroUsize;

use ticktimer_api::{self as api, version};

/// The text's parts.
const PARTS: [&[u8]; 3] = [
    version::SEMVER.as_bytes(),
    b"\n",
    version::TIMESTAMP.as_bytes(),
];

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
                let page = memory.buf.as_slice_mut();
                let mut length = 0;
                for part in PARTS {
                    page[length..length + part.len()].copy_from_slice(part);
                    length += part.len();
                }
                memory.valid = NonZeroUsize::new(length);
            }
            _ => panic!("no such request"),
        }
    }
}
