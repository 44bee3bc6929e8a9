//! Cuts what the console prints into lines.

use std::io::Read;
use std::sync::mpsc::{Receiver, channel};

use super::{Next, Said};

/// Reads `output` in a thread of its own; the channel closes when the output does.
pub(super) fn read(mut output: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = output.read(&mut buffer) {
            if send.send(buffer[..count].to_vec()).is_err() {
                return;
            }
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
        self.pending.extend_from_slice(chunk);
        while let Some(end) = self.pending.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.pending.drain(..=end).collect();
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
    use super::*;

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
