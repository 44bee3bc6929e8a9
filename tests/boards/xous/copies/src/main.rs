//! A server of the Xous personality without windows: memory comes to it as copies. Its answer to
//! `GetVersion` is the second form of the published optimised server.
#![no_std]

extern crate alloc;

use alloc::string::String;

use num_traits::FromPrimitive;
use test_xous_api::Opcode;
use ticktimer_api::version;

xous::heap!(1024);

#[riposte::main]
fn main() {
    let sid = xous::create_server().unwrap();
    let mut msg_opt = None;
    loop {
        xous::reply_and_receive_next(sid, &mut msg_opt).unwrap();
        let msg = msg_opt.as_mut().unwrap();
        match Opcode::from_usize(msg.body.id()) {
            Some(Opcode::GetVersion) => get_version(msg),
            Some(Opcode::Increment) => {
                let memory = msg.body.memory_message_mut().unwrap();
                for byte in memory.buf.as_slice_mut::<u8>() {
                    *byte = byte.wrapping_add(1);
                }
                core::mem::swap(&mut memory.offset, &mut memory.valid);
            }
            Some(Opcode::Sum) => {
                if let xous::Message::Borrow(memory) = &mut msg.body {
                    let sum = memory
                        .buf
                        .as_slice::<u8>()
                        .iter()
                        .map(|it| usize::from(*it));
                    memory.valid = xous::MemorySize::new(sum.sum());
                }
            }
            other => panic!("{other:?}"),
        }
    }
}

#[rustfmt::skip]
#[allow(clippy::single_char_add_str, clippy::needless_as_bytes, reason = "the published code is kept as it is")]
fn get_version(msg: &mut xous::MessageEnvelope) {
    // The published code, with other imports.
        let raw_msg = msg.body.memory_message_mut().unwrap();
        let mut v = String::new();
        v.push_str(crate::version::SEMVER);
        v.push_str("\n");
        v.push_str(crate::version::TIMESTAMP);
        let len = v.as_bytes().len();
        raw_msg.buf.as_slice_mut()[..len].copy_from_slice(v.as_bytes());
        raw_msg.valid = Some(core::num::NonZeroUsize::new(len).unwrap());
}
