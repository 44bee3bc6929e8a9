//! Times as a person types them.

const NANOS: u64 = 1_000_000_000;

/// The nanoseconds of a number of seconds, which may have a part behind a point; more than there can be are the most.
#[must_use]
pub fn nanoseconds(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    if ![whole, part].iter().all(|it| is_number(it)) {
        return None;
    }
    let mut nanos = whole.parse().unwrap_or(u64::MAX).saturating_mul(NANOS);
    let mut place = NANOS;
    for digit in part.bytes() {
        place /= 10;
        nanos = nanos.saturating_add(u64::from(digit - b'0') * place);
    }
    Some(nanos)
}

fn is_number(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit())
}
