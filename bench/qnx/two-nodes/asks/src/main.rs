//! Sends the publication's sizes to another node and gets them back, in datagrams of which one at a time is under way. The
//! host types a line before each batch, and counts what both nodes execute until the next one.
#![no_std]
#![forbid(unsafe_code)]

use core::net::{IpAddr, Ipv4Addr, SocketAddr};

use riposte::{Duration, Instant, console, println};
use riposte_network::{Network, Port};

/// Where datagrams come back from.
const PORT: u16 = 4002;
/// The longest.
const LONGEST: usize = 1472;
/// The bytes of a transfer, as they were published.
const SIZES: [usize; 18] = [
    1, 32, 100, 128, 512, 1024, 2048, 2560, 3072, 3584, 4096, 5120, 6144, 8192, 10_240, 12_288,
    15_369, 22_528,
];
/// How often there and back, batch by batch: what the last two differ by is free of what begins and ends a batch.
const TURNS: [u32; 3] = [1, 3, 9];
/// How long a datagram may take.
const PATIENCE: Duration = Duration::from_secs(5);

#[riposte::main]
fn main() {
    match measure() {
        Ok(()) => println!("@done"),
        Err(why) => println!("@fail {why}"),
    }
    wait();
    let _ = riposte::shutdown(0);
}

/// Waits for the host.
fn wait() {
    let mut line = [0; 8];
    if let Err(error) = console::read_line(&mut line) {
        println!("@fail {error}");
    }
}

fn measure() -> Result<(), &'static str> {
    let whom = Ipv4Addr::from_bits(riposte::setting("whom").unwrap());
    let whom = SocketAddr::new(IpAddr::V4(whom), PORT);
    let network = Network::connect("network").unwrap();
    let port = network.bind(0).map_err(|_| "there is no port")?;
    let mut bytes = [0; LONGEST];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = (at * 7) as u8;
    }
    wait_for_the_other(&port, whom)?;
    for size in SIZES {
        for turns in TURNS {
            println!("@batch datagrams {size} {turns}");
            wait();
            for _ in 0..turns {
                there_and_back(&port, whom, &bytes, size)?;
            }
        }
    }
    Ok(())
}

/// Until the other node runs, and each knows where the other is.
fn wait_for_the_other(port: &Port<'_>, whom: SocketAddr) -> Result<(), &'static str> {
    let mut answer = [0; 1];
    for _ in 0..100 {
        let deadline = Instant::now() + Duration::from_millis(200);
        if port.send_to(whom, &[0]).is_ok()
            && port.receive_from_until(&mut answer, deadline).is_ok()
        {
            // What comes late is none of what is measured.
            riposte::sleep(Duration::from_secs(1)).map_err(|_| "there is no time")?;
            let now = riposte::Deadline::Immediate;
            while port.receive_from_until(&mut answer, now).is_ok() {}
            return Ok(());
        }
    }
    Err("the other node does not answer")
}

fn there_and_back(
    port: &Port<'_>,
    whom: SocketAddr,
    bytes: &[u8; LONGEST],
    size: usize,
) -> Result<(), &'static str> {
    let mut left = size;
    while left > 0 {
        let part = &bytes[..left.min(LONGEST)];
        port.send_to(whom, part).map_err(|_| "it is not sent")?;
        let mut back = [0; LONGEST];
        let deadline = Instant::now() + PATIENCE;
        let answer = port.receive_from_until(&mut back, deadline);
        let (length, _) = answer.map_err(|_| "it does not come back")?;
        if length != part.len() || back.get(..length) != Some(part) {
            return Err("something else comes back");
        }
        left -= part.len();
    }
    Ok(())
}
