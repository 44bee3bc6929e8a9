//! Errors of the kernel. They never share space with an application's status.

use core::ffi::CStr;
use core::fmt;

/// Why the kernel refused or ended a call. Values are those of the C library's `errno`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Error {
    /// The right or grant is not in the manifest.
    NotPermitted = 1,
    /// No such client waits: answered already, gone, or never was.
    NoSuchClient = 3,
    /// The call was interrupted.
    Interrupted = 4,
    /// The peer that a selective receive names has died.
    PeerDied = 6,
    /// No such handle, or a stale one.
    BadHandle = 9,
    /// Nothing there now, and the call was not to block.
    WouldBlock = 11,
    /// No free object of this kind is left; raise its number in the manifest.
    Exhausted = 12,
    /// A range is outside the memory of the process that named it.
    BadAddress = 14,
    /// Somebody still holds a part of the memory, or waits for the thread already.
    InUse = 16,
    /// A length, count or flag is out of range.
    BadArgument = 22,
    /// No free handle slot; raise `handles` in the manifest.
    NoHandles = 23,
    /// The server died or closed its channel while the client waited, or before.
    ServerDied = 32,
    /// The call would close a cycle of waiting threads, or wait for more of them than `kernel.depth`.
    Deadlock = 45,
    /// No such system call.
    BadCall = 88,
    /// This memory cannot be lent or moved to this server now; its bytes can be sent.
    CannotLend = 95,
    /// The deadline passed.
    TimedOut = 116,
}

impl Error {
    /// Where it stands among all. (Tables take less of a program than a branch for each.)
    const fn place(self) -> usize {
        let mut place = 0;
        while place < COUNT - 1 && Self::ALL[place] as u32 != self as u32 {
            place += 1;
        }
        place
    }
}

/// Defines the texts of errors, for Rust and for C, in order of their numbers.
macro_rules! texts {
    ($($error:ident => $text:literal,)*) => {
        /// How many there are.
        const COUNT: usize = [$($text),*].len();

        impl Error {
            /// Every error, in order of its number.
            pub const ALL: [Error; COUNT] = [$(Error::$error),*];

            /// The error with this number, as it came in the `CALL` register.
            #[must_use]
            #[allow(non_upper_case_globals, reason = "they are named as the errors are")]
            pub const fn from_number(number: u32) -> Option<Error> {
                $(const $error: u32 = Error::$error as u32;)*
                match number {
                    $($error => Some(Error::$error),)*
                    _ => None,
                }
            }

            /// What it means, in a few words; where something in the manifest can be raised, what.
            #[must_use]
            pub const fn text(self) -> &'static str {
                const TEXTS: [&str; COUNT] = [$($text),*];
                TEXTS[self.place()]
            }

            /// As [`Error::text`].
            #[must_use]
            pub const fn c_text(self) -> &'static CStr {
                const TEXTS: [&CStr; COUNT] = [$(
                    match CStr::from_bytes_with_nul(concat!($text, "\0").as_bytes()) {
                        Ok(text) => text,
                        Err(_) => panic!("a text has no zeros"),
                    }
                ),*];
                TEXTS[self.place()]
            }

            /// As this language writes it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                const NAMES: [&str; COUNT] = [$(stringify!($error)),*];
                NAMES[self.place()]
            }
        }
    };
}

texts! {
    NotPermitted => "not permitted",
    NoSuchClient => "no such client waits",
    Interrupted => "interrupted",
    PeerDied => "peer died",
    BadHandle => "bad handle",
    WouldBlock => "would block",
    Exhausted => "none left: raise `proxies`, `timers`, `threads_spare` or `depth` in app.toml, or a heap's size",
    BadAddress => "bad address",
    InUse => "in use",
    BadArgument => "bad argument",
    NoHandles => "no free handle slot: raise `handles` in app.toml",
    ServerDied => "server died",
    Deadlock => "deadlock, or a wait for more threads than `depth` in app.toml",
    BadCall => "bad system call",
    CannotLend => "memory cannot be lent",
    TimedOut => "timed out",
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl fmt::Debug for Error {
    /// Its name; what a failed `unwrap` puts into the fault report says what to raise, too.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        if !matches!(self, Error::Exhausted | Error::NoHandles) {
            return Ok(());
        }
        f.write_str(" (")?;
        f.write_str(self.text())?;
        f.write_str(")")
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::Error;

    extern crate std;

    #[test]
    fn an_error_of_what_the_manifest_limits_names_the_key_to_raise() {
        let shown = [Error::Exhausted, Error::NoHandles].map(|it| std::format!("{it} {it:?}"));
        for key in ["`threads_spare`", "`proxies`", "`timers`", "`depth`"] {
            assert_eq!(shown[0].matches(key).count(), 2, "{shown:?}");
        }
        assert_eq!(shown[1].matches("`handles`").count(), 2, "{shown:?}");
        assert_eq!(std::format!("{:?}", Error::TimedOut), "TimedOut");
    }

    #[test]
    fn every_error_has_the_same_text_in_both_languages() {
        for error in Error::ALL {
            assert_eq!(error.c_text().to_str(), Ok(error.text()));
        }
    }

    #[test]
    fn every_error_is_found_by_its_number_and_no_other_number_is_one() {
        for error in Error::ALL {
            assert_eq!(Error::from_number(error as u32), Some(error));
        }
        assert_eq!(
            (0..200).filter_map(Error::from_number).count(),
            Error::ALL.len()
        );
    }
}
