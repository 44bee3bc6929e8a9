//! A fault in a few words.

use core::fmt;

use riposte::abi::fault::{Record, action, reason};

/// What a process did.
pub struct Reason<'a>(pub &'a Record);

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0.reason {
            reason::MEMORY => "touched memory that is not its own",
            reason::STACK_OVERFLOW => "overflowed its stack",
            reason::EXECUTE => "jumped out of its code",
            reason::ILLEGAL => "ran an illegal instruction",
            reason::ARITHMETIC => "made an unaligned access or divided by zero",
            reason::BUS => "had a bus error",
            reason::PANIC => "panicked",
            reason::BREAKPOINT => "hit a breakpoint",
            reason::EXIT => {
                // What the record has for the address is the exit status.
                return write!(f, "ended with status {}", self.0.address.cast_signed());
            }
            reason::CONTROLLED => {
                let by = riposte::name_of_process(self.0.address).unwrap_or("?");
                return write!(f, "was ended by `{by}`");
            }
            _ => "faulted",
        })?;
        if self.0.address_valid != 0 {
            write!(f, " ({:#010x})", self.0.address)?;
        }
        Ok(())
    }
}

/// What the kernel did with it.
pub fn action(action: u32) -> &'static str {
    match action {
        action::RESTARTED => "and was restarted",
        action::STOPPED => "and was stopped",
        action::HELD => "and is held for a debugger",
        action::LIMIT => "and stays stopped: it has reached its restart limit",
        _ => "and something was done",
    }
}
