//! Sends bytes to the attacker, who does what it likes with them: what is not theirs stays as it is.
#![no_std]

use core::hint::black_box;

use riposte::Duration;

#[riposte::main]
fn main() {
    loop {
        let mut around = black_box([[0xA5_u8; 16]; 3]);
        if let Ok(server) = riposte::connect("prey") {
            let [before, reply, after] = &mut around;
            let _ = server.send(&[0x5A; 24], reply);
            assert!(
                before.iter().chain(&*after).all(|byte| *byte == 0xA5),
                "bytes beside the reply were written"
            );
            let _ = server.close();
        }
        let _ = riposte::sleep(Duration::from_micros(100));
    }
}
