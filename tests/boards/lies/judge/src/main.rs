//! Writes all of its bytes by the traits of `embedded-io` to servers that take none of them.
#![no_std]

use core::net::{Ipv4Addr, SocketAddr};

use embedded_io::Write;
use riposte_files::{FileError, Files, Options};
use riposte_network::{Network, NetworkError};
use riposte_pipe::{PipeError, Pipes};

/// What is written.
const BYTES: [u8; 40] = [1; 40];

#[riposte::main]
fn main() {
    let pipes = Pipes::connect("pipes").unwrap();
    let mut writer = pipes.writer("pipe").unwrap();
    check::equal(
        "a server of pipes that takes no byte, and says that all is well, is one whose answer is none",
        Write::write_all(&mut writer, &BYTES),
        Err(PipeError::Garbled),
    );

    let files = Files::connect("files").unwrap();
    let mut file = files.open("file", Options::new().write()).unwrap();
    check::equal(
        "a server of files that does so, too",
        Write::write_all(&mut file, &BYTES),
        Err(FileError::Garbled),
    );
    check::equal("but of nothing nothing is taken", file.write(&[]), Ok(0));

    let network = Network::connect("network").unwrap();
    let host = SocketAddr::new(Ipv4Addr::new(10, 0, 0, 2).into(), 80);
    let mut stream = network.stream(host).unwrap();
    check::equal(
        "and a network server",
        Write::write_all(&mut stream, &BYTES),
        Err(NetworkError::Garbled),
    );
    check::equal(
        "to whom all that is said is the same",
        stream.write_all(&BYTES),
        Err(NetworkError::Garbled),
    );
    check::done();
}
