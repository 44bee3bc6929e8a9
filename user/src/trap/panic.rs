//! The text of a panic, as much of it as a fault record keeps.

use core::fmt::{self, Write};
use core::panic::Location;

use riposte_abi::fault::TEXT_BYTES;

use crate::Line;

/// What Rust's library writes before the error that was not expected.
const UNWRAPPED: &str = "called `Result::unwrap()` on an `Err` value";

/// Where a program panicked, and why.
pub struct Text(Line<TEXT_BYTES>);

impl Text {
    /// No text yet.
    pub const fn new() -> Self {
        Self(Line::new())
    }

    /// That of a panic with this message. (It is filled where it lies: the stack may have little room.)
    pub fn fill(&mut self, place: Option<&Location<'_>>, message: impl fmt::Display) {
        // What is not formatted does not bring the library's formatting into each program: most panics say one text.
        if let Some(place) = place {
            let _ = self.write_str(place.file());
            let _ = self.write_str(":");
            self.number(place.line());
            let _ = self.write_str(": ");
        }
        // A full line is no failure.
        let _ = self.write_fmt(format_args!("{message}"));
    }

    /// Writes a number in decimal.
    fn number(&mut self, number: u32) {
        let mut digits = [0; 10];
        let mut rest = number;
        let mut first = digits.len();
        for (position, digit) in digits.iter_mut().enumerate().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
            first = position;
            if rest == 0 {
                break;
            }
        }
        let Self(line) = self;
        line.push(digits.get(first..).unwrap_or_default());
    }

    /// As bytes.
    pub fn bytes(&self) -> &[u8] {
        let Self(line) = self;
        line.bytes()
    }
}

impl Write for Text {
    /// The error itself has to find room.
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let Self(line) = self;
        line.write_str(if text == UNWRAPPED { "unwrap" } else { text })
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::format;
    use std::panic::Location;
    use std::string::String;

    use super::{Text, UNWRAPPED};
    use crate::Error;

    /// The text, with what stands before the message.
    fn text(message: impl core::fmt::Display) -> (String, String) {
        let place = Location::caller();
        let mut text = Text::new();
        text.fill(Some(place), message);
        let place = format!("{}:{}: ", place.file(), place.line());
        (String::from_utf8(text.bytes().to_vec()).unwrap(), place)
    }

    #[test]
    fn the_error_that_was_not_expected_comes_at_once() {
        let (text, place) = text(format_args!("{UNWRAPPED}: {:?}", Error::BadAddress));
        assert_eq!(text, format!("{place}unwrap: BadAddress"));
    }

    #[test]
    fn the_keys_to_raise_are_not_cut_off() {
        let expected = "the worker that counts the frames of the camera";
        let (text, _) = text(format_args!("{expected}: {:?}", Error::Exhausted));
        assert!(text.ends_with(&format!("{:?}", Error::Exhausted)), "{text}");
    }
}
