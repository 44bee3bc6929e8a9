//! What may be asked for: names of hosts as RFC 1035 and RFC 1123 have them, and with `_`, which some have.

use crate::Refused;

/// Most letters of a name, without a dot at its end.
pub const LONGEST_NAME: usize = 253;
/// Most letters between two dots.
const LABEL: usize = 63;

/// The name that a text is, without a dot at its end.
///
/// # Errors
/// [`Refused::TooLong`] if it, or what is between two dots of it, is too long; [`Refused::Invalid`] if it is none: also if
/// its end is a number, which is an address or nothing.
pub fn check(text: &[u8]) -> Result<&str, Refused> {
    let text = text.strip_suffix(b".").unwrap_or(text);
    if text.len() > LONGEST_NAME {
        return Err(Refused::TooLong);
    }
    let mut is_number = true;
    for label in text.split(|it| *it == b'.') {
        if label.len() > LABEL {
            return Err(Refused::TooLong);
        }
        let is_allowed = |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_');
        let has_ends = !label.starts_with(b"-") && !label.ends_with(b"-");
        if label.is_empty() || !has_ends || !label.iter().all(is_allowed) {
            return Err(Refused::Invalid);
        }
        is_number = label.iter().all(u8::is_ascii_digit);
    }
    if is_number {
        return Err(Refused::Invalid);
    }
    core::str::from_utf8(text).map_err(|_| Refused::Invalid)
}
