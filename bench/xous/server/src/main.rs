//! The tick-timer server, as published, with other imports.
#![no_std]

mod version;

use ticktimer_api as api;
use xous::ipc as xous_ipc;
use xous::utralib::{CSR, utra};

/// The register counts milliseconds.
const TICKS_PER_MS: u64 = 1;

struct XousTickTimer {
    csr: CSR,
}

#[rustfmt::skip]
impl XousTickTimer {
    // Hardware abstraction code, down to the register read/writes
    #[allow(clippy::identity_op, reason = "the published code is kept as it is")]
    pub fn elapsed_ms(&self) -> u64 {
        self.raw_ticktime() / TICKS_PER_MS
    }
    pub fn raw_ticktime(&self) -> u64 {
        let mut time: u64 = self.csr.r(utra::ticktimer::TIME0) as u64;
        time |= (self.csr.r(utra::ticktimer::TIME1) as u64) << 32;
        time
    }
}

#[riposte::main]
fn main() {
    let ticktimer_server = xous::create_server_with_address(b"ticktimer-server")
        .expect("Couldn't create Ticktimer server");
    let ticktimer = XousTickTimer {
        csr: CSR::ticktimer(),
    };
    serve(ticktimer_server, &ticktimer)
}

#[rustfmt::skip]
fn serve(ticktimer_server: xous::SID, ticktimer: &XousTickTimer) -> ! {
    let mut msg_opt = None;
    let mut return_type = 0;
    loop {
        xous::reply_and_receive_next_legacy(ticktimer_server, &mut msg_opt, &mut return_type)
            .unwrap();
        let msg = msg_opt.as_mut().unwrap();
        match num_traits::FromPrimitive::from_usize(msg.body.id()).expect("an opcode") {
            // Code on the server main loop
            api::Opcode::ElapsedMs => {
                if let Some(scalar) = msg.body.scalar_message_mut() {
                    let time = ticktimer.elapsed_ms() as i64;
                    scalar.arg1 = (time & 0xFFFF_FFFFi64) as usize;
                    scalar.arg2 = ((time >> 32) & 0xFFF_FFFFi64) as usize;
                    scalar.id = 0;

                    // API calls expect a `Scalar2` value in response
                    return_type = 2;
                }
            }
            // Main loop code
            api::Opcode::GetVersion => {
                #[allow(clippy::undocumented_unsafe_blocks, reason = "the published code is kept as it is")]
                let mut buf = unsafe {
                    xous_ipc::Buffer::from_memory_message_mut(
                        msg.body.memory_message_mut().unwrap(),
                    )
                };
                buf.replace(version::get_version()).unwrap();
            }
        }
    }
}
