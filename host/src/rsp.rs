//! Packets of gdb's remote serial protocol.

use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

use miette::{IntoDiagnostic, WrapErr};

use crate::plan::Region;

/// What comes from the other side.
#[derive(Debug, PartialEq, Eq)]
pub enum Packet {
    /// A request or an answer, escaped as it was sent.
    Said(Vec<u8>),
    /// The request of a debugger that the program stop.
    Break,
}

/// The byte with which a debugger asks a program to stop.
pub const BREAK: u8 = 3;

/// What an answer says that a request was fulfilled.
pub const OK: &[u8] = b"OK";

/// Of a longer packet neither side would make anything: who sends one speaks another protocol.
const LONGEST: usize = 1 << 16;

/// The next packet. A socket spoils nothing: sums are not looked at, nor acknowledgements.
///
/// # Errors
/// If the other side has gone, or sends one that does not end.
pub fn read(from: &mut impl Read) -> std::io::Result<Packet> {
    loop {
        match byte(from)? {
            b'$' => break,
            BREAK => return Ok(Packet::Break),
            _ => {}
        }
    }
    let mut said = Vec::new();
    loop {
        match byte(from)? {
            b'#' => break,
            _ if said.len() == LONGEST => return Err(std::io::ErrorKind::InvalidData.into()),
            byte => said.push(byte),
        }
    }
    byte(from)?;
    byte(from)?;
    Ok(Packet::Said(said))
}

/// Sends a packet.
///
/// # Errors
/// If the other side has gone.
pub fn write(to: &mut impl Write, packet: &[u8]) -> std::io::Result<()> {
    let sum = packet.iter().copied().fold(0, u8::wrapping_add);
    let mut bytes = vec![b'$'];
    bytes.extend(packet);
    bytes.extend(format!("#{sum:02x}").bytes());
    to.write_all(&bytes)
}

/// Tells the other side that its packet has come.
///
/// # Errors
/// If it has gone.
pub fn acknowledge(to: &mut impl Write) -> std::io::Result<()> {
    to.write_all(b"+")
}

/// Where an emulator finds its debugger. The file goes with it.
pub struct Socket(PathBuf);

impl Socket {
    /// Makes it; what hears the emulator is the other one.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn bind(file: PathBuf) -> miette::Result<(Socket, UnixListener)> {
        // What lies there is of a process that had this one's number, and was killed.
        let _ = std::fs::remove_file(&file);
        let listener = UnixListener::bind(&file)
            .into_diagnostic()
            .wrap_err_with(|| format!("no socket can be made at {}", file.display()))?;
        Ok((Socket(file), listener))
    }

    /// What the emulator is told: it waits until the debugger lets it go.
    #[must_use]
    pub fn arguments(&self) -> [String; 3] {
        let socket = format!("unix:{}", self.0.display());
        ["-S".into(), "-gdb".into(), socket]
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // An error means that somebody has cleared up already.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Most bytes of memory that a request or an answer holds, safely: an emulator says nothing at all to a longer request.
pub const MOST: u32 = 1024;

/// What lies in memory, by as many requests as that takes; `None` if it cannot be read.
///
/// # Errors
/// Those of `ask`.
pub fn memory<E>(
    Region { base, size }: Region,
    mut ask: impl FnMut(&str) -> Result<Vec<u8>, E>,
) -> Result<Option<Vec<u8>>, E> {
    let mut memory = Vec::with_capacity(size as usize);
    for done in (0..size).step_by(MOST as usize) {
        let part = MOST.min(size - done);
        let answer = ask(&format!("m{:x},{part:x}", base.wrapping_add(done)))?;
        match bytes(&answer).filter(|it| it.len() == part as usize) {
            Some(part) => memory.extend(part),
            None => return Ok(None),
        }
    }
    Ok(Some(memory))
}

/// Bytes as a packet carries them.
#[must_use]
pub fn escaped(bytes: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    for byte in bytes {
        match byte {
            b'#' | b'$' | b'}' | b'*' => packet.extend([b'}', byte ^ 0x20]),
            _ => packet.push(*byte),
        }
    }
    packet
}

/// Bytes in hexadecimal digits.
#[must_use]
pub fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of hexadecimal digits, two each.
#[must_use]
pub fn bytes(digits: &[u8]) -> Option<Vec<u8>> {
    let (pairs, rest) = digits.as_chunks::<2>();
    let digit = |it: u8| char::from(it).to_digit(16).map(|it| it as u8);
    let bytes = pairs
        .iter()
        .map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
    bytes.collect::<Option<_>>().filter(|_| rest.is_empty())
}

fn byte(from: &mut impl Read) -> std::io::Result<u8> {
    let mut byte = [0];
    from.read_exact(&mut byte)?;
    Ok(byte[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_read_as_they_were_written() {
        let mut wire = b"+".to_vec();
        write(&mut wire, b"g").unwrap();
        wire.push(BREAK);
        write(&mut wire, &escaped(b"a#b")).unwrap();
        assert!(wire.starts_with(b"+$g#67"));
        let mut wire = &*wire;
        assert_eq!(read(&mut wire).unwrap(), Packet::Said(b"g".to_vec()));
        assert_eq!(read(&mut wire).unwrap(), Packet::Break);
        assert_eq!(read(&mut wire).unwrap(), Packet::Said(b"a}\x03b".to_vec()));
        assert!(read(&mut wire).is_err());
    }

    #[test]
    fn digits_are_bytes_unless_they_are_none() {
        assert_eq!(bytes(digits(&[0, 0xA5]).as_bytes()), Some(vec![0, 0xA5]));
        for none in ["E1x", "E1a", "+1", "1"] {
            assert_eq!(bytes(none.as_bytes()), None, "{none}");
        }
    }

    #[test]
    fn a_packet_that_does_not_end_is_none() {
        let mut wire = std::io::repeat(b'$');
        assert!(read(&mut wire).is_err());
    }
}
