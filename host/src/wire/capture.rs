//! The frames of a wire in a file, for Wireshark and its like: the classic format of `pcap`, in nanoseconds.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What such a file begins with, in the writer's byte order: times are in nanoseconds.
const MAGIC: u32 = 0xA1B2_3C4D;
const VERSION: [u16; 2] = [2, 4];
/// Frames are kept whole.
const LONGEST: u32 = 65_535;
/// Of Ethernet.
const KIND: u32 = 1;

/// A file of frames.
pub struct Capture<W = BufWriter<File>> {
    to: W,
    /// The time of day at which the wire's begins.
    begun: Duration,
}

impl Capture {
    /// Begins a file, in the place of one that is there.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create(file: &Path) -> io::Result<Capture> {
        let begun = SystemTime::now().duration_since(UNIX_EPOCH);
        Capture::begin(
            BufWriter::new(File::create(file)?),
            begun.unwrap_or_default(),
        )
    }
}

impl<W: Write> Capture<W> {
    fn begin(mut to: W, begun: Duration) -> io::Result<Capture<W>> {
        to.write_all(&MAGIC.to_le_bytes())?;
        for number in VERSION {
            to.write_all(&number.to_le_bytes())?;
        }
        for number in [0, 0, LONGEST, KIND] {
            to.write_all(&number.to_le_bytes())?;
        }
        // Who looks at it while it grows finds whole records.
        to.flush()?;
        Ok(Capture { to, begun })
    }

    /// Adds a frame that has come out of the wire at `now`, counted from its beginning.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, now: Duration, frame: &[u8]) -> io::Result<()> {
        let at = self.begun + now;
        let length = frame.len() as u32;
        for number in [at.as_secs() as u32, at.subsec_nanos(), length, length] {
            self.to.write_all(&number.to_le_bytes())?;
        }
        self.to.write_all(frame)?;
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_laid_out_as_the_format_says() {
        let mut file = vec![];
        let mut capture = Capture::begin(&mut file, Duration::from_secs(5)).expect("memory");
        let frame = [7; 60];
        capture
            .add(Duration::from_millis(1500), &frame)
            .expect("memory");
        let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("four"));
        assert_eq!(file[..4], [0x4D, 0x3C, 0xB2, 0xA1]);
        assert_eq!(file[4..8], [2, 0, 4, 0]);
        assert_eq!([word(16), word(20)], [65_535, 1]);
        assert_eq!(
            [24, 28, 32, 36].map(word),
            [6, 500_000_000, 60, 60],
            "time, and lengths"
        );
        assert_eq!(file[40..], frame);
    }
}
