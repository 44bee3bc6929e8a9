//! Asks a counter on another machine until it has had as many answers as it wants, whatever becomes of the wire and of that
//! machine; since the counter began for the last time, if it waits for that. Datagrams may be lost, come twice or late: a question has a number, which its answer has, too.
#![no_std]
#![forbid(unsafe_code)]

use core::net::{IpAddr, Ipv4Addr, SocketAddr};

use riposte::{Duration, Instant, println};
use riposte_network::{Network, NetworkError, Port};

/// Where the counter is asked.
const PORT: u16 = 4001;
/// How long it may take to answer.
const PATIENCE: Duration = Duration::from_millis(300);
/// How many questions in a row may be for nothing.
const IN_VAIN: u32 = 300;

#[riposte::main]
fn main() {
    let status = match ask() {
        Ok(()) => 0,
        Err(why) => {
            println!("{why}");
            1
        }
    };
    let _ = riposte::shutdown(status);
}

fn ask() -> Result<(), &'static str> {
    let whom = Ipv4Addr::from_bits(riposte::setting("whom").unwrap());
    let whom = SocketAddr::new(IpAddr::V4(whom), PORT);
    let wanted = riposte::setting("answers").unwrap();
    // How often the counter has to begin again before that is enough.
    let mut awaited = riposte::setting("restarts").unwrap_or(0);
    let rest = Duration::from_millis(riposte::setting("rest").unwrap().into());
    let network = Network::connect("network").unwrap();
    let port = network.bind(0).map_err(|_| "there is no port")?;
    let (mut question, mut answers, mut in_vain, mut before) = (0, 0, 0, 0);
    while answers < wanted || awaited > 0 {
        question += 1;
        match count(&port, whom, question) {
            Ok(count) => {
                if count <= before {
                    println!("the counter has begun again");
                    if awaited > 0 {
                        (awaited, answers) = (awaited - 1, 0);
                    }
                }
                println!("question {question}: it has counted {count}");
                (answers, in_vain, before) = (answers + 1, 0, count);
            }
            Err(why) => {
                in_vain += 1;
                println!("question {question}: {why}");
                if in_vain == IN_VAIN {
                    return Err("nobody answers");
                }
            }
        }
        riposte::sleep(rest).unwrap();
    }
    println!("that is enough");
    Ok(())
}

/// What the counter answers to this question.
fn count(port: &Port<'_>, whom: SocketAddr, question: u32) -> Result<u32, NetworkError> {
    let deadline = Instant::now() + PATIENCE;
    port.send_to(whom, &question.to_le_bytes())?;
    loop {
        let mut answer = [0; 8];
        let (length, from) = port.receive_from_until(&mut answer, deadline)?;
        let ([number, count], []) = answer.as_chunks::<4>() else {
            continue;
        };
        // An answer to another question has come late, or twice.
        if length == answer.len() && from == whom && u32::from_le_bytes(*number) == question {
            return Ok(u32::from_le_bytes(*count));
        }
    }
}
