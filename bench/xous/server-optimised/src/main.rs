//! The tick-timer server of the optimised call in the second published form, which makes the text on
//! the heap and copies it at once, with other imports.
#![no_std]

extern crate alloc;

use alloc::string::String;

use ticktimer_api::{self as api, version};

xous::heap!(512);

#[riposte::main]
fn main() {
    let sid = xous::SID::from_bytes(b"ticktimer-opt").unwrap();
    serve(xous::create_server_with_sid(sid).expect("Couldn't create Ticktimer server"))
}

#[riposte::hot]
#[rustfmt::skip]
#[allow(
    clippy::needless_as_bytes, clippy::single_char_add_str,
    reason = "the published code is kept as it is"
)]
fn serve(ticktimer_server: xous::SID) -> ! {
    let mut msg_opt = None;
    loop {
        xous::reply_and_receive_next(ticktimer_server, &mut msg_opt).unwrap();
        let msg = msg_opt.as_mut().unwrap();
        match num_traits::FromPrimitive::from_usize(msg.body.id()) {
            // Main loop code
            Some(api::Opcode::GetVersion) => {
                let raw_msg = msg.body.memory_message_mut().unwrap();
                let mut v = String::new();
                v.push_str(crate::version::SEMVER);
                v.push_str("\n");
                v.push_str(crate::version::TIMESTAMP);
                let len = v.as_bytes().len();
                raw_msg.buf.as_slice_mut()[..len].copy_from_slice(v.as_bytes());
                raw_msg.valid = Some(core::num::NonZeroUsize::new(len).unwrap());
            }
            _ => panic!("couldn't convert opcode"),
        }
    }
}
