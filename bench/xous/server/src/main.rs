//! The tick-timer server, as published.
#![no_std]

use ticktimer::api;
use xous::utralib::{CSR, utra};

const TICKS_PER_MS: u64 = 1;

struct XousTickTimer {
    csr: CSR,
}

impl XousTickTimer {
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
    let mut msg_opt = None;
    let mut return_type = 0;
    loop {
        xous::reply_and_receive_next_legacy(ticktimer_server, &mut msg_opt, &mut return_type)
            .unwrap();
        let msg = msg_opt.as_mut().unwrap();
        match num_traits::FromPrimitive::from_usize(msg.body.id()) {
            Some(api::Opcode::ElapsedMs) => {
                if let Some(scalar) = msg.body.scalar_message_mut() {
                    let time = ticktimer.elapsed_ms() as i64;
                    scalar.arg1 = (time & 0xFFFF_FFFFi64) as usize;
                    scalar.arg2 = ((time >> 32) & 0xFFF_FFFFi64) as usize;
                    scalar.id = 0;

                    // API calls expect a `Scalar2` value in response
                    return_type = 2;
                }
            }
            _ => panic!("couldn't convert opcode"),
        }
    }
}
