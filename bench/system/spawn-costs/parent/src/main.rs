//! Measures what it takes to spawn a program with 4 KiB of data until its main function has sent a message; and until it
//! has ended, if it does so at once, and its parent has waited for that.
#![no_std]

use measure::{Benchmark, Case, Counter, Figures, Meter};
use riposte::{Event, println};
use riposte_process::{Command, Processes};

struct Spawn;

impl Benchmark for Spawn {
    fn run<C: Counter>(meter: Meter<C>) {
        let iterations = riposte::setting("iterations").unwrap();
        let processes = Processes::connect().unwrap();
        let command = Command::new("child");
        let figures = meter.measure(iterations, || {
            let child = processes.spawn(&command).unwrap();
            let end = processes.wait(child).unwrap();
            assert!(end.how.is_success());
        });
        figures.report(case("spawn-wait"));
        // Its first act is a message. What comes after that is not measured.
        let channel = riposte::own_channel().unwrap();
        let command = Command::new("sender");
        let reading = meter.reading();
        let mut figures = Figures {
            iterations,
            operations: 1,
            ticks: 0,
            loop_ticks: reading * iterations,
            min_ticks: u32::MAX,
            max_ticks: 0,
        };
        // (The exceptions are those of the whole life.)
        meter.begin();
        for _ in 0..iterations {
            let mut child = None;
            let ticks = meter.time(|| {
                let pid = processes.spawn(&command).unwrap();
                if let Ok(Event::Message(message)) = channel.receive(&mut []) {
                    child = Some((pid, message.into_token()));
                }
            });
            figures.ticks += ticks;
            figures.sample(ticks, reading);
            let (pid, token) = child.unwrap();
            token.reply_words([]).unwrap();
            processes.wait(pid).unwrap();
        }
        meter.end();
        figures.report(case("spawn-main"));
    }
}

fn case(name: &'static str) -> Case {
    Case {
        name,
        protected: true,
        bytes: 4096,
    }
}

#[riposte::main]
fn main() {
    measure::measure::<Spawn>();
    println!("@done");
    let error = riposte::shutdown(0);
    panic!("shutdown: {error}");
}
