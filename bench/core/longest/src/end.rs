//! The end of a process, with all that it has.

use riposte::sync::Word;
use riposte::thread::{self, Settings};
use riposte::{Duration, Event, Proxy, Timer, futex};

use crate::crowd::{Crowd, MANY, settle};
use crate::watch::Watch;

static NEVER: Word = Word::new(0);

/// How many the victim receives and never answers, by the word that they send.
const KEPT: u32 = MANY as u32 / 2;

/// It is restarted each time; who waited for it runs next.
pub fn all(watch: Watch) {
    let crowd = Crowd::start(1, ask_one);
    settle();
    crowd.end();
    watch.report("exit", "restarted, 1 client");
    let crowd = Crowd::start(MANY, ask_many);
    settle();
    crowd.end();
    watch.report(
        "exit",
        "restarted, 16 clients that it serves and 16 that wait",
    );
}

fn ask_one(_: usize) -> u32 {
    ask(1)
}

fn ask_many(_: usize) -> u32 {
    ask(KEPT)
}

fn ask(kept: u32) -> u32 {
    let watch = Watch::new();
    let doomed = riposte::connect("doomed").unwrap();
    let ended = doomed.send_words([kept]);
    watch.witness();
    assert!(ended.is_err());
    0
}

/// The victim: it has threads, proxies and timers, receives as many as they say, and ends.
pub fn victim() -> ! {
    let channel = riposte::channel("doomed").unwrap();
    let watch = Watch::new();
    for _ in 0..8 {
        thread::spawn(wait, 0, Settings::new(3)).unwrap().detach();
        Proxy::new(&channel, &[1; 100]).unwrap();
        let later = Duration::from_secs(1_000_000);
        Timer::notifying(&channel, 1).unwrap().after(later).unwrap();
    }
    let mut received = 0;
    loop {
        let Ok(Event::Message(message)) = channel.receive_words() else {
            panic!("no message");
        };
        let [kept, ..] = message.words();
        let _never_answered = message.into_token();
        received += 1;
        if received == kept {
            break;
        }
    }
    // The others come to wait.
    riposte::sleep(Duration::from_millis(10)).unwrap();
    watch.arm();
    riposte::exit(0)
}

fn wait(_: usize) -> u32 {
    futex::wait(&NEVER, 0).unwrap();
    0
}
