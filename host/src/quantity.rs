//! Sizes and durations as people write them: `"64KiB"`, `"1ms"`, or a plain number.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

/// Bytes: a number, or a string like `"512"`, `"64KiB"`, `"4MiB"`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(
    untagged,
    expecting = "a size in bytes is wanted here, such as 512 or \"64KiB\""
)]
pub enum Size {
    /// As a number.
    Number(i64),
    /// As text.
    Text(String),
}

/// Time: a string like `"500us"`, `"1ms"`, `"2s"`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Duration(pub String);

impl Size {
    /// Bytes, or why it is no size.
    ///
    /// # Errors
    /// The unit is unknown, the number is not one, or does not fit the address space.
    pub fn bytes(&self) -> Result<u32, String> {
        let bytes = match self {
            Size::Number(number) => u64::try_from(*number).ok(),
            Size::Text(text) => parse(
                text,
                &[("", 1), ("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20)],
            ),
        };
        bytes
            .and_then(|bytes| u32::try_from(bytes).ok())
            .ok_or_else(|| {
                "write bytes as a number, or with the unit KiB or MiB: 512, \"64KiB\", \"4MiB\""
                    .into()
            })
    }
}

impl Duration {
    /// Nanoseconds, or why it is no duration.
    ///
    /// # Errors
    /// The unit is missing or unknown, or the number is not one.
    pub fn nanoseconds(&self) -> Result<u64, String> {
        let units = [
            ("ns", 1),
            ("us", 1_000),
            ("ms", 1_000_000),
            ("s", 1_000_000_000),
        ];
        parse(&self.0, &units).ok_or_else(|| {
            "write a number and its unit, ns, us, ms or s: \"500us\", \"1ms\"".into()
        })
    }
}

/// `text` is digits (which `_` may group), perhaps a space, and one of `units`.
fn parse(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let split = text
        .find(|c: char| !c.is_ascii_digit() && c != '_')
        .unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let number: u64 = digits.replace('_', "").parse().ok()?;
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim_start())?;
    number.checked_mul(*factor)
}

/// `bytes` as a person would write it.
#[must_use]
pub fn show(bytes: u64) -> String {
    match bytes {
        0 => "0".into(),
        _ if bytes.is_multiple_of(1 << 20) => format!("{}MiB", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{}KiB", bytes >> 10),
        _ => format!("{bytes}"),
    }
}

/// The next power of two from `bytes` on, as a person would write it; or the largest that is a size.
#[must_use]
pub fn show_power(bytes: u32) -> String {
    show(u64::from(bytes).next_power_of_two().min(1 << 31))
}

impl JsonSchema for Size {
    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Bytes: a number, or text with the unit KiB or MiB.",
            "oneOf": [
                { "type": "integer", "minimum": 0 },
                { "type": "string", "pattern": "^[0-9][0-9_]* ?(B|KiB|MiB)?$" }
            ],
            "examples": [512, "64KiB"]
        })
    }
}

impl JsonSchema for Duration {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Time: a number with the unit ns, us, ms or s.",
            "type": "string",
            "pattern": "^[0-9][0-9_]* ?(ns|us|ms|s)$",
            "examples": ["500us", "1ms"]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Size, show, show_power};

    fn bytes(text: &str) -> Option<u32> {
        Size::Text(text.into()).bytes().ok()
    }

    #[test]
    fn sizes_are_numbers_or_have_a_binary_unit() {
        assert_eq!(Size::Number(512).bytes(), Ok(512));
        assert_eq!(bytes("512"), Some(512));
        assert_eq!(bytes("1_024"), Some(1024));
        assert_eq!(bytes("8 KiB"), Some(8192));
        assert_eq!(bytes("4MiB"), Some(4 << 20));
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in [
            "",
            "KiB",
            "8KB",
            "8kib",
            "-8",
            "1.5KiB",
            "4096MiB",
            "_",
            "99999999999999999999",
        ] {
            assert_eq!(bytes(text), None, "{text}");
        }
        assert!(Size::Number(-1).bytes().is_err());
        assert!(Size::Number(1 << 32).bytes().is_err());
    }

    #[test]
    fn durations_have_a_unit() {
        let ns = |text: &str| Duration(text.into()).nanoseconds().ok();
        assert_eq!(ns("500us"), Some(500_000));
        assert_eq!(ns("1 ms"), Some(1_000_000));
        assert_eq!(ns("5"), None);
        assert_eq!(ns("5 m"), None);
    }

    #[test]
    fn the_power_that_is_shown_for_a_size_is_a_size() {
        for (size, power) in [
            (0, 1),
            (1000, 1024),
            (4096, 4096),
            (1 << 31, 1 << 31),
            ((1 << 31) + 1, 1 << 31),
            (u32::MAX, 1 << 31),
        ] {
            assert_eq!(bytes(&show_power(size)), Some(power), "{size}");
        }
    }

    #[test]
    fn a_shown_size_reads_back_the_same() {
        for size in [0, 1, 1000, 1024, 1536, 65536, 4 << 20, (4 << 20) + 1024] {
            assert_eq!(bytes(&show(u64::from(size))), Some(size));
        }
    }
}
