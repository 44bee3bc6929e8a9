//! Sends each datagram back to where it came from.
#![no_std]
#![forbid(unsafe_code)]

use riposte::println;
use riposte_network::{Network, NetworkError};

/// Where they come.
const PORT: u16 = 4002;
/// The longest.
const LONGEST: usize = 1472;

#[riposte::main]
fn main() {
    let network = Network::connect("network").unwrap();
    if let Err(error) = answer(&network) {
        println!("@fail {error}");
    }
}

fn answer(network: &Network) -> Result<(), NetworkError> {
    let port = network.bind(PORT)?;
    let mut bytes = [0; LONGEST];
    loop {
        let (length, from) = port.receive_from(&mut bytes)?;
        let datagram = bytes.get(..length).ok_or(NetworkError::TooLong)?;
        port.send_to(from, datagram)?;
    }
}
