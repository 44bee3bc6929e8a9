//! A peer that says whatever it likes amid what a right one would say, and clients that call whatever they may: by seeds that stay.
//! Forged segments that were thought of have tests of their own; this is for what nobody has thought of.

mod clients;
mod peer;

use clients::{Clients, Reached};
use peer::Peer;

use super::families::Chance;
use super::*;

/// The port of clients' listeners.
const PORT: u16 = 80;
/// A port that clients have for datagrams.
const DATAGRAMS: u16 = 500;
const CLIENTS: [u32; 3] = [ONE, OTHER, GREEDY];

const SEEDS: u64 = 80;
const STEPS: usize = 400;

/// Most frames that leave in one moment besides an answer to each that came: all that streams keep, in segments as short as the
/// stack makes them for a peer that takes no longer ones (36 bytes and options), and what ports and searches have.
const AT_ONCE: usize = STREAMS * (STREAM / 36 + 2) + PORTS * KEPT + NAMES + PINGS + SEARCHES;
/// How long nobody says anything, and most frames that leave meanwhile: some each second for each stream, of what was not
/// acknowledged.
const SILENCE: Duration = Duration::from_secs(5);
const IN_SILENCE: usize = 5 * 4 * STREAMS;

/// One machine of a world, and all that is done to it.
struct Game<'a, 'b> {
    node: &'a mut Node<'b>,
    now: Instant,
    chance: Chance,
    peer: Peer,
    clients: Clients,
}

impl Game<'_, '_> {
    fn step(&mut self) {
        if self.chance.is(33) {
            let time = self.time();
            self.now += time;
        }
        self.clients.act(self.node, self.now);
        let came = self.peer.says();
        let count = came.len() + self.node.cable.came.len();
        self.node.cable.came.extend(came);
        let left = self.turn();
        assert!(left.len() <= count + AT_ONCE, "{} frames", left.len());
        for frame in left {
            let answer = self.peer.hear(&frame, self.node.device);
            self.node.cable.came.extend(answer);
        }
    }

    fn time(&mut self) -> Duration {
        const MILLIS: [u64; 8] = [1, 1, 10, 10, 100, 200, 1000, 5000];
        // Whatever waits for somebody is over by then.
        const LONG: u64 = 61_000;
        Duration::from_millis(match self.chance.is(1) {
            true => LONG,
            false => self.chance.of(&MILLIS),
        })
    }

    /// What leaves when all that has come is looked at. The stack is asked when it wants to go on, as it is by the server: it
    /// computes that from the same numbers.
    fn turn(&mut self) -> VecDeque<Vec<u8>> {
        self.node.turn(self.now);
        let sockets = &self.node.store.sockets;
        self.node.interface.poll_delay(self.now, sockets);
        core::mem::take(&mut self.node.cable.left)
    }

    /// Lets time pass in which nobody says anything, and counts what leaves.
    fn pass(&mut self, time: Duration, step: Duration) -> usize {
        let (end, mut left) = (self.now + time, 0);
        while self.now < end {
            self.now += step;
            left += self.turn().len();
        }
        left
    }
}

/// That all streams, ports and names can be had again.
pub fn assert_free(node: &mut Node<'_>, now: Instant) {
    let (share, store) = (share_of(GREEDY), &mut node.store);
    for place in 0..STREAMS as u16 {
        let listener = store.listen(GREEDY, share, PORT + place, 1, Families::Both);
        assert!(listener.is_ok(), "stream {place}: {listener:?}");
    }
    for place in 0..PORTS as u16 {
        let port = store.bind(GREEDY, share, DATAGRAMS + place, Families::Both);
        assert!(port.is_ok(), "port {place}: {port:?}");
    }
    store.set_name_servers([peer::SERVER]);
    for place in 0..NAMES {
        let asked = clients::ask(node, GREEDY, now);
        assert!(asked.is_ok(), "name {place}: {asked:?}");
    }
}

/// Says which seed it was that a test has failed with.
pub struct Named(pub u64);

impl Drop for Named {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::eprintln!("seed {}", self.0);
        }
    }
}

/// Plays one seed: what clients got done.
fn play(seed: u64) -> Reached {
    let _named = Named(seed);
    let mut reached = Reached::default();
    world(|world| {
        let node = &mut world.nodes[1];
        node.store.set_name_servers([peer::SERVER]);
        let mut game = Game {
            node,
            now: Instant::ZERO,
            chance: Chance(seed),
            peer: Peer::new(seed),
            clients: Clients::new(seed),
        };
        for _ in 0..STEPS {
            game.step();
        }
        let left = game.pass(SILENCE, Duration::from_millis(10));
        assert!(left <= IN_SILENCE, "{left} frames");
        for client in CLIENTS {
            game.node.store.abandon(client);
        }
        // What clients have sent is kept for a minute, and whoever was silent before for another one.
        game.pass(Duration::from_secs(150), Duration::from_secs(1));
        let left = game.pass(Duration::from_secs(10), Duration::from_secs(1));
        assert_eq!(left, 0, "of nobody");
        assert_free(game.node, game.now);
        for place in 0..PINGS {
            let ping = clients::ping(game.node, GREEDY, game.now);
            assert!(ping.is_ok(), "echo {place}: {ping:?}");
        }
        reached = game.clients.reached;
    });
    reached
}

#[test]
fn whatever_a_peer_sends_the_host_lives_sends_no_more_than_it_has_and_all_is_free_in_the_end() {
    let all = (1..=SEEDS).map(play).fold(Reached::default(), Reached::and);
    // What comes to nothing would find nothing.
    assert!(all.is_much(), "{all:?}");
}
