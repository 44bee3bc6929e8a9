//! Sends the publication's sizes to another node and gets them back, in datagrams of which one at a time is under way. The
//! host types a line before each batch, and counts what both nodes execute until the next one.
#![no_std]
#![forbid(unsafe_code)]

use core::net::{IpAddr, Ipv4Addr, SocketAddr};

use qnx_batches::SIZES;
use riposte::{Duration, Instant};
use riposte_network::{Network, Port};

/// Where datagrams come back from.
const PORT: u16 = 4002;
/// The longest.
const LONGEST: usize = 1472;
/// How long a datagram may take.
const PATIENCE: Duration = Duration::from_secs(5);

#[riposte::main]
fn main() {
    qnx_batches::conduct(measure);
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
    qnx_batches::all("datagrams", &SIZES, None, |size| {
        there_and_back(&port, whom, &bytes, size)
    })
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
