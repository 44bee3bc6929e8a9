//! Meets the crowd of the largest system: everybody waits at one channel, is chosen, times out at one moment, gets a
//! handle, dies and comes again. Each promise holds there too; how long an interrupt waits meanwhile is measured from
//! outside (`tests/bounds.toml`).
#![no_std]

use check::{equal, holds};
use riposte::{
    Channel, Duration, Error, Event, Instant, Interrupt, Message, Notice, Peer, Proxy, Timer,
};

/// Members, whose badges are counted from 1.
const MEMBERS: u32 = 249;
/// So many of them are chosen by badge: each time all handles are searched, which takes long.
const CHOSEN: u32 = 1;
/// What a reply says first.
const AGAIN: u32 = 0;
const DEADLINE: u32 = 1;
const GIFT: u32 = 2;
const EXIT: u32 = 3;

#[riposte::main]
fn main() {
    let gate = riposte::channel("gate").unwrap();
    let late = |moment: u64| riposte::sleep(Duration::from_millis(moment)).unwrap();
    late(200);

    // In order of arrival, then by badge, the last one first.
    let first = serve_all(&gate, |_| None, |_| [AGAIN, 0, 0]);
    equal(
        "everybody_is_served_once",
        (first.count, first.sum),
        (MEMBERS, sum()),
    );
    late(200);
    let next = |count| (count < CHOSEN).then_some(MEMBERS - count);
    let chosen = serve_all(&gate, next, |_| [AGAIN, 0, 0]);
    equal(
        "rule_09_a_receive_by_badge_finds_the_last_one_behind_all_others",
        chosen.sum,
        sum(),
    );
    holds(
        "rule_09_a_badge_that_nobody_has_is_told_at_once",
        matches!(
            gate.receive_from(Peer::Badge(MEMBERS + 1), &mut []),
            Err(Error::PeerDied)
        ),
    );

    // All deadlines at one moment.
    late(200);
    let at = Instant::now()
        .checked_add(Duration::from_millis(2000))
        .unwrap()
        .as_nanos();
    serve_all(
        &gate,
        |_| None,
        |_| [DEADLINE, at as u32, (at >> 32) as u32],
    );
    late(2500);
    let told = serve_all(&gate, |_| None, |_| [AGAIN, 0, 0]);
    equal(
        "rule_19_all_deadlines_of_one_moment_are_told",
        told.outcomes,
        MEMBERS,
    );

    objects(&gate);
    gifts(&gate);
    deaths(&gate);
    check::done();
}

#[riposte::thread]
fn second() -> ! {
    wait_for_ever()
}

#[riposte::thread]
fn third() -> ! {
    wait_for_ever()
}

fn wait_for_ever() -> ! {
    loop {
        let _ = riposte::sleep_until(Instant::MAX);
    }
}

fn sum() -> u32 {
    MEMBERS * (MEMBERS + 1) / 2
}

/// What came of serving everybody.
#[derive(Default)]
struct Served {
    count: u32,
    /// Of their badges.
    sum: u32,
    /// Of what they said.
    outcomes: u32,
}

/// Serves everybody once: whom `choose` names by badge as the next one, else whoever is first.
fn serve_all(
    gate: &Channel,
    choose: impl Fn(u32) -> Option<u32>,
    reply: impl Fn(u32) -> [u32; 3],
) -> Served {
    let mut served = Served::default();
    while served.count < MEMBERS {
        let message = next_message(gate, choose(served.count));
        let [outcome, ..] = message.words();
        let badge = message.badge();
        served.count += 1;
        served.sum += badge;
        served.outcomes += outcome;
        message.reply_words(reply(badge)).unwrap();
    }
    served
}

fn next_message(gate: &Channel, badge: Option<u32>) -> Message<'static> {
    loop {
        let event = match badge {
            Some(badge) => gate.receive_from(Peer::Badge(badge), &mut []),
            None => gate.receive(&mut []),
        };
        match event {
            Ok(Event::Message(message)) => return message,
            Ok(Event::Notice(Notice::ClientDied { .. })) => {}
            other => panic!("no message: {other:?}"),
        }
    }
}

/// All timers and proxies that the driver may have, and its interrupt, which is behind all its handles.
fn objects(gate: &Channel) {
    let proxies: [Option<Proxy>; 32] = core::array::from_fn(|_| Proxy::new(gate, b"a proxy").ok());
    holds(
        "all_proxies_can_be_made",
        proxies.iter().all(Option::is_some),
    );
    holds(
        "no_more_proxies_can_be_made",
        Proxy::new(gate, b"one more").is_err(),
    );
    let timers: [Option<Timer>; 32] =
        core::array::from_fn(|number| Timer::triggering(proxies[number].as_ref()?).ok());
    holds("all_timers_can_be_made", timers.iter().all(Option::is_some));
    let interrupt = Interrupt::attach("software", gate, 1);
    holds("an_interrupt_is_attached", interrupt.is_ok());
}

/// Everybody gets a handle.
fn gifts(gate: &Channel) {
    let gift = riposte::connect("gift").unwrap();
    serve_all(gate, |_| None, |_| [GIFT, 0, 0]);
    for _ in 0..MEMBERS {
        next_message(gate, None)
            .reply_handle([0; 4], &gift)
            .unwrap();
    }
    let told = serve_all(gate, |_| None, |_| [AGAIN, 0, 0]);
    equal("rule_23_everybody_gets_a_handle", told.outcomes, MEMBERS);
}

/// Everybody ends and comes again, while the others wait.
fn deaths(gate: &Channel) {
    serve_all(
        gate,
        |_| None,
        |badge| [if badge % 64 == 0 { EXIT } else { AGAIN }, 0, 0],
    );
    let all = serve_all(gate, |_| None, |_| [AGAIN, 0, 0]);
    equal(
        "rule_24_who_ended_comes_again_and_the_others_wait",
        all.sum,
        sum(),
    );
}
