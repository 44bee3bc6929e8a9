//! The tick-timer server of the optimised call, as published, with other imports.
#![no_std]

use ticktimer_api::{self as api, version};

#[riposte::main]
fn main() {
    let sid = xous::SID::from_bytes(b"ticktimer-opt").unwrap();
    serve(xous::create_server_with_sid(sid).expect("Couldn't create Ticktimer server"))
}

#[rustfmt::skip]
#[allow(unused_mut, reason = "the published code is kept as it is")]
fn serve(ticktimer_server: xous::SID) -> ! {
    let mut msg_opt = None;
    loop {
        xous::reply_and_receive_next(ticktimer_server, &mut msg_opt).unwrap();
        let msg = msg_opt.as_mut().unwrap();
        match num_traits::FromPrimitive::from_usize(msg.body.id()) {
            // Main loop code
            Some(api::Opcode::GetVersion) => {
                let mut raw_msg = msg.body.memory_message_mut().unwrap();
                raw_msg.valid = core::num::NonZeroUsize::new(
                    crate::version::SEMVER.len() + 1 + crate::version::TIMESTAMP.len());
                let mut buffer = raw_msg.buf.as_slice_mut();
                for (dest, src) in buffer.iter_mut()
                        .zip(crate::version::SEMVER.as_bytes().iter()
                        .chain([b'\n'].iter())
                        .chain(crate::version::TIMESTAMP.as_bytes().iter())) {
                    *dest = *src;
                }
            }
            _ => panic!("couldn't convert opcode"),
        }
    }
}
