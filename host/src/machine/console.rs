//! Cuts what the console prints into lines.

use std::io::Read;
use std::sync::mpsc::{Receiver, sync_channel};

use super::{Next, Said};

/// Most bytes that are read at once.
const CHUNK: usize = 4096;
/// A line that has come to so many bytes, and goes on, is shown as several.
const LONGEST: usize = 64 * CHUNK;
/// Most chunks that are kept until they are shown.
const AHEAD: usize = 64;

/// Reads `output` in a thread of its own; the channel closes when the output does. A board that prints faster than it is
/// shown waits, once that much is kept; one that nobody listens to any more does not, and prints to nobody.
pub(super) fn read(mut output: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (send, receive) = sync_channel(AHEAD);
    std::thread::spawn(move || {
        let mut buffer = [0; CHUNK];
        let mut listener = Some(send);
        while let Ok(count @ 1..) = output.read(&mut buffer) {
            listener = listener.filter(|it| it.send(buffer[..count].to_vec()).is_ok());
        }
    });
    receive
}

/// The line that is being printed.
#[derive(Default)]
pub(super) struct Lines {
    pending: Vec<u8>,
}

impl Lines {
    pub(super) fn push(
        &mut self,
        chunk: &[u8],
        observe: &mut impl FnMut(Said<'_>) -> Next,
    ) -> Next {
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            self.pending.extend_from_slice(piece);
            if !piece.ends_with(b"\n") && self.pending.len() < LONGEST {
                continue;
            }
            let line = std::mem::take(&mut self.pending);
            let text = String::from_utf8_lossy(&line);
            if observe(Said::Line(text.trim_end_matches(['\r', '\n']))) == Next::Stop {
                return Next::Stop;
            }
        }
        Next::Continue
    }

    /// Shows a prompt; but a line for the host tool is kept until it is whole.
    pub(super) fn show_unfinished(&mut self, observe: &mut impl FnMut(Said<'_>) -> Next) {
        if !self.pending.is_empty() && self.pending[0] != b'@' {
            let text = std::mem::take(&mut self.pending);
            observe(Said::Unfinished(&String::from_utf8_lossy(&text)));
        }
    }

    pub(super) fn finish(&mut self, observe: &mut impl FnMut(Said<'_>) -> Next) {
        if !self.pending.is_empty() {
            let text = std::mem::take(&mut self.pending);
            observe(Said::Line(&String::from_utf8_lossy(&text)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    /// Prints so much, and tells how much of that has been read.
    struct Printed {
        left: usize,
        read: Arc<AtomicUsize>,
        ended: Sender<()>,
    }

    impl Read for Printed {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = buffer.len().min(self.left);
            self.left -= count;
            self.read.fetch_add(count, Ordering::SeqCst);
            if count == 0 {
                self.ended.send(()).unwrap();
            }
            Ok(count)
        }
    }

    fn prints(bytes: usize) -> (Receiver<Vec<u8>>, Arc<AtomicUsize>, Receiver<()>) {
        let read = Arc::new(AtomicUsize::new(0));
        let (ended, end) = channel();
        let output = Printed {
            left: bytes,
            read: read.clone(),
            ended,
        };
        (super::read(output), read, end)
    }

    #[test]
    fn no_more_is_kept_of_a_board_that_prints_faster_than_it_is_shown() {
        let all = 1000 * CHUNK;
        let (chunks, read, _end) = prints(all);
        let mut shown = 0;
        for chunk in &chunks {
            shown += chunk.len();
            // One chunk is on its way in, and one was on its way out.
            assert!(read.load(Ordering::SeqCst) <= shown + (AHEAD + 2) * CHUNK);
            std::thread::yield_now();
        }
        assert_eq!(shown, all);
    }

    #[test]
    fn a_board_that_nobody_listens_to_does_not_wait() {
        let (chunks, read, end) = prints(1000 * CHUNK);
        drop(chunks);
        end.recv().unwrap();
        assert_eq!(read.load(Ordering::SeqCst), 1000 * CHUNK);
    }

    #[test]
    fn a_line_without_an_end_is_not_kept_whole() {
        let mut lines = Lines::default();
        let mut heard = Vec::new();
        let mut observe = |said: Said<'_>| {
            if let Said::Line(text) = said {
                heard.push(text.len());
            }
            Next::Continue
        };
        for _ in 0..100 {
            lines.push(&[b'x'; CHUNK], &mut observe);
        }
        lines.finish(&mut observe);
        assert_eq!(heard, [LONGEST, 100 * CHUNK - LONGEST]);
    }

    #[test]
    fn a_line_arrives_whole_however_it_was_cut() {
        let mut lines = Lines::default();
        let mut heard = Vec::new();
        let mut observe = |said: Said<'_>| {
            match said {
                Said::Line(text) => heard.push(format!("line {text}")),
                Said::Unfinished(text) => heard.push(format!("part {text}")),
            }
            Next::Continue
        };
        for chunk in ["he", "llo\r\nname? "] {
            lines.push(chunk.as_bytes(), &mut observe);
        }
        lines.show_unfinished(&mut observe);
        lines.push(b"@res", &mut observe);
        lines.show_unfinished(&mut observe);
        lines.push(b"ult {}\n", &mut observe);
        lines.finish(&mut observe);
        assert_eq!(heard, ["line hello", "part name? ", "line @result {}"]);
    }
}
