//! Counts what it is asked, and says how far it has come: since it began, for what was before is gone.
//!
//! A question is a number; its answer is the same number, and how many questions there were.
#![no_std]
#![forbid(unsafe_code)]

use riposte::println;
use riposte_network::{Network, NetworkError};

/// Where questions come.
const PORT: u16 = 4001;

#[riposte::main]
fn main() {
    let mut network = Network::connect("network").unwrap();
    println!("I count from 0");
    let mut count = 0;
    loop {
        let ended = answer(&network, &mut count);
        println!("{ended}");
        network.reconnect().unwrap();
    }
}

/// Answers until the network server ends.
fn answer(network: &Network, count: &mut u32) -> NetworkError {
    loop {
        let Err(error) = answers(network, count) else {
            continue;
        };
        if error == NetworkError::ServerDied {
            return error;
        }
        println!("{error}");
    }
}

fn answers(network: &Network, count: &mut u32) -> Result<(), NetworkError> {
    let port = network.bind(PORT)?;
    loop {
        let mut question = [0; 4];
        let (length, from) = port.receive_from(&mut question)?;
        if length != question.len() {
            println!("{length} bytes are no question");
            continue;
        }
        *count += 1;
        println!("question {}: {count}", u32::from_le_bytes(question));
        let mut answer = [0; 8];
        answer[..4].copy_from_slice(&question);
        answer[4..].copy_from_slice(&count.to_le_bytes());
        port.send_to(from, &answer)?;
    }
}
