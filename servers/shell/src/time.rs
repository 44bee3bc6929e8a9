//! Commands about time.

use core::fmt::{self, Write};

use riposte::{Duration, Instant};

use crate::error::Failed;
use crate::keys;
use crate::out::Out;

/// A time as a person reads it.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.0.as_micros();
        write!(f, "{}.{:06} s", micros / 1_000_000, micros % 1_000_000)
    }
}

/// How long something takes.
pub fn measure<'a, 'b>(
    out: &mut Out<'b>,
    run: impl FnOnce(&mut Out<'b>) -> Result<(), Failed<'a>>,
) -> Result<(), Failed<'a>> {
    let start = Instant::now();
    let done = run(out);
    let _ = writeln!(out, "{}", Seconds(start.elapsed()));
    done
}

pub fn uptime<'a>(_: &[&'a str], out: &mut Out<'_>) -> Result<(), Failed<'a>> {
    let running = Duration::from_nanos(Instant::now().as_nanos());
    let _ = writeln!(out, "{}", Seconds(running));
    Ok(())
}

pub fn sleep<'a>(arguments: &[&'a str], _: &mut Out<'_>) -> Result<(), Failed<'a>> {
    let &[seconds] = arguments else {
        return Err(Failed::Usage("sleep SECONDS"));
    };
    let time = shell_line::nanoseconds(seconds).ok_or(Failed::Usage("sleep SECONDS"))?;
    keys::sleep(Duration::from_nanos(time))
}
