//! What processes have said.

use core::fmt::Write;

use riposte::console::Plain;
use riposte::{Instant, Text};
use riposte_log::Reader;

use crate::error::Failed;
use crate::keys;
use crate::out::Out;

const LEVELS: [&str; 6] = ["?", "error", "warning", "info", "debug", "trace"];

/// Shows the log from its oldest record on, up to now: what is said meanwhile would keep this from its end.
pub fn show<'a>(arguments: &[&'a str], out: &mut Out<'_>) -> Result<(), Failed<'a>> {
    let most = match arguments {
        [] => LEVELS.len() as u32,
        [level] => level.parse().map_err(|_| Failed::Usage("log [LEVEL]"))?,
        _ => return Err(Failed::Usage("log [LEVEL]")),
    };
    let connection = riposte::connect("log").map_err(|error| {
        let next = "a [[connection]] `log` to a log server, with a badge of 0x8000_0000 or more";
        Failed::connect(error, "no log", next)
    })?;
    let now = Instant::now().as_nanos();
    let mut log = Reader::new(connection);
    let (mut room, mut name) = ([0; riposte_log::LONGEST], [0; 32]);
    let mut text = Text::new(&mut room);
    while let Some(entry) = log.try_next(&mut text)? {
        if entry.lost > 0 {
            let _ = writeln!(out, "({} records are not kept any more)", entry.lost);
        }
        let record = entry.record;
        if record.time > now {
            break;
        }
        keys::go_on()?;
        if record.level > most {
            continue;
        }
        let mut name = Text::new(&mut name);
        let _ = log.name(&record, &mut name);
        let micros = record.time / 1000;
        let level = LEVELS.get(record.level as usize).unwrap_or(&LEVELS[0]);
        let _ = writeln!(
            out,
            "{:6}.{:06} {level:7} {}: {}",
            micros / 1_000_000,
            micros % 1_000_000,
            name.as_str(),
            Plain(text.as_str())
        );
    }
    Ok(())
}
