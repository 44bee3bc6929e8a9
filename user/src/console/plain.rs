//! Strangers' text, for a terminal.

use core::fmt::{self, Write};

/// Text of somebody else, as it is fit to be shown to a person: it brings no line's end and no terminal's commands.
/// Control characters are shown as Rust writes them.
///
/// ```
/// use riposte::console::Plain;
///
/// assert_eq!(Plain("21 °C\n\x1b[2J").to_string(), r"21 °C\n\u{1b}[2J");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Plain<'a>(pub &'a str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            if letter.is_control() {
                write!(f, "{}", letter.escape_default())?;
            } else {
                f.write_char(letter)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::Plain;

    #[test]
    fn strangers_text_has_no_control_characters() {
        for (text, shown) in [
            ("größe 21 °C", "größe 21 °C"),
            ("one\r\ntwo\t", r"one\r\ntwo\t"),
            ("\x1b[2J\x07\x7F", r"\u{1b}[2J\u{7}\u{7f}"),
            ("\u{9b}2J", r"\u{9b}2J"),
        ] {
            assert_eq!(Plain(text).to_string(), shown);
        }
    }
}
