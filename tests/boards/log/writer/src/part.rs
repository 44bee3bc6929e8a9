//! A part of the program.

use riposte_log::log::warn;

pub fn say() -> u32 {
    warn!("from a part");
    warn!(target: "radio", "of something else");
    0
}
