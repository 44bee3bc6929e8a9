//! Sees who is restarted, how often, and with whom. Each process says hello when it begins, waits,
//! and dies when it is answered.
#![no_std]

use check::equal;
use riposte::abi::fault::action::{HELD, LIMIT, RESTARTED, STOPPED};
use riposte::abi::fault::reason::PANIC;
use riposte::{Deadline, Duration, Event, Notice, Token};

const BASE: usize = 1;
const FOLLOWER: usize = 2;
const FRAGILE: usize = 3;
const HELD_ONE: usize = 4;

/// Who has said hello how often, and waits: by badge.
#[derive(Default)]
struct Lobby {
    hellos: [u32; 5],
    waiting: [Option<Token>; 5],
}

#[riposte::main]
fn main() {
    let mut lobby = Lobby::default();
    lobby.listen();
    equal(
        "every process has begun once",
        lobby.hellos,
        [0, 1, 1, 1, 1],
    );
    for life in [2, 3] {
        let fate = lobby.kill(BASE);
        equal(
            "27 a process that is to be restarted is",
            fate,
            Some((PANIC, RESTARTED)),
        );
        lobby.listen();
        let hellos = (lobby.hellos[BASE], lobby.hellos[FOLLOWER]);
        equal(
            "27 a process is restarted with the one it depends on",
            hellos,
            (life, life),
        );
    }
    equal(
        "27 a process reaches its restart limit",
        lobby.kill(BASE),
        Some((PANIC, LIMIT)),
    );
    lobby.listen();
    equal("27 it stays stopped then", lobby.hellos[BASE], 3);
    let fate = lobby.kill(FRAGILE);
    equal(
        "27 a process that is to be stopped is",
        fate,
        Some((PANIC, STOPPED)),
    );
    let fate = lobby.kill(HELD_ONE);
    equal(
        "27 a process that is to be held is",
        fate,
        Some((PANIC, HELD)),
    );
    lobby.listen();
    equal(
        "27 nobody else was restarted",
        lobby.hellos,
        [0, 3, 3, 1, 1],
    );
    check::done();
}

impl Lobby {
    /// Hears who says hello.
    fn listen(&mut self) {
        let hello = riposte::channel("hello").unwrap();
        let end = Deadline::At(riposte::Instant::now() + Duration::from_millis(5));
        while let Ok(event) = hello.receive_until(&mut [], end) {
            if let Event::Message(message) = event {
                let badge = message.badge() as usize;
                self.hellos[badge] += 1;
                self.waiting[badge] = Some(message.into_token());
            }
        }
    }

    /// Lets one go on, which kills it: the reason and the action of its record.
    fn kill(&mut self, badge: usize) -> Option<(u32, u32)> {
        self.waiting[badge].take()?.reply_words([]).ok()?;
        let faults = riposte::channel("faults").unwrap();
        let soon = Deadline::At(riposte::Instant::now() + Duration::from_millis(5));
        match faults.receive_until(&mut [], soon) {
            Ok(Event::Notice(Notice::Fault { process })) => {
                let record = riposte::fault_record(process).ok()?;
                Some((record.reason, record.action))
            }
            _ => None,
        }
    }
}
