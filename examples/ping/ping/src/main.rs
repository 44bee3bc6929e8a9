//! `ping [-c TIMES] [-s BYTES] HOST`: asks a host for echoes, one a second, and says how long each took. It ends with 0 if one came
//! back, with 1 if none did, and with 2 if it makes no sense.
#![no_std]

use core::fmt::Write;
use core::net::IpAddr;

use riposte::{Duration, Instant};
use riposte_network::{Network, NetworkError};
use riposte_stdio::{Output, Streams};

/// How long each is waited for, and how long after it the next one is.
const SECOND: Duration = Duration::from_secs(1);
/// Most that are asked for.
const MOST: u32 = 10_000;

/// What is to be done.
struct Wanted<'a> {
    times: u32,
    bytes: usize,
    host: &'a str,
}

/// What came of it.
struct Counted {
    sent: u32,
    came: u32,
    shortest: Duration,
    longest: Duration,
}

#[riposte::main]
fn main() {
    let streams = Streams::open().unwrap();
    let Some(wanted) = wanted(&streams) else {
        riposte::println!("usage: ping [-c TIMES] [-s BYTES] HOST");
        riposte::exit(2);
    };
    let Ok(mut output) = streams.output() else {
        riposte::exit(1);
    };
    let network = Network::connect("network").unwrap();
    let host = match network.resolve(wanted.host) {
        Ok(all) => all.first(0).ip(),
        Err(error) => {
            riposte::println!("ping: {}: {error}", wanted.host);
            riposte::exit(1);
        }
    };
    // Whoever reads no more has heard enough.
    let counted = ask(&network, host, &wanted, &mut output);
    let done = counted.is_some_and(|it| it.came > 0) && output.finish().is_ok();
    riposte::exit(u32::from(!done));
}

fn wanted(streams: &Streams) -> Option<Wanted<'_>> {
    let arguments = streams.arguments();
    let mut wanted = Wanted {
        times: 4,
        bytes: 56,
        host: "",
    };
    let mut place = 1;
    while let Some(text) = arguments.get(place) {
        let value = arguments.get(place + 1);
        match text {
            "-c" => wanted.times = value?.parse().ok().filter(|it| (1..=MOST).contains(it))?,
            "-s" => wanted.bytes = value?.parse().ok()?,
            _ if text.starts_with('-') || !wanted.host.is_empty() => return None,
            host => {
                wanted.host = host;
                place += 1;
                continue;
            }
        }
        place += 2;
    }
    (!wanted.host.is_empty()).then_some(wanted)
}

/// None if nobody reads what is said.
fn ask(
    network: &Network,
    host: IpAddr,
    wanted: &Wanted<'_>,
    output: &mut Output<'_>,
) -> Option<Counted> {
    let mut counted = Counted {
        sent: 0,
        came: 0,
        shortest: Duration::MAX,
        longest: Duration::ZERO,
    };
    for number in 1..=wanted.times {
        let next = Instant::now() + SECOND;
        counted.sent += 1;
        match network.ping_until(host, wanted.bytes, next) {
            Ok(took) => {
                counted.came += 1;
                counted.shortest = counted.shortest.min(took);
                counted.longest = counted.longest.max(took);
                let micros = took.as_micros();
                writeln!(
                    output,
                    "{} bytes from {host}: {number}: {micros} us",
                    wanted.bytes
                )
                .ok()?;
            }
            Err(NetworkError::TimedOut) => writeln!(output, "{host}: {number}: nothing").ok()?,
            // The next one would come to the same.
            Err(error) => {
                writeln!(output, "{host}: {error}").ok()?;
                break;
            }
        }
        if number < wanted.times {
            let _ = riposte::sleep_until(next);
        }
    }
    let Counted { sent, came, .. } = counted;
    write!(output, "{sent} asked for, {came} came").ok()?;
    if came > 0 {
        let [least, most] = [counted.shortest, counted.longest].map(|it| it.as_micros());
        write!(output, ", in {least} to {most} us").ok()?;
    }
    writeln!(output).ok()?;
    Some(counted)
}
