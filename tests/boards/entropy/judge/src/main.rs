//! Asks for random bytes, in vain too, over the lives of the entropy server.
#![no_std]
#![forbid(unsafe_code)]

use check::{equal, holds};
use riposte::{Connection, Duration, Status};
use riposte_entropy::Entropy;
use riposte_entropy::protocol::{LARGEST, operation, status};

/// How often the server and another client are ended.
const LIVES: u64 = 12;

#[riposte::main]
fn main() {
    let mut entropy = Entropy::connect("entropy").unwrap();
    bytes(&mut entropy);
    refusals();
    lives(&mut entropy);
    check::done();
}

/// Bits of `bytes` that are set.
fn ones(bytes: &[u8]) -> u32 {
    bytes.iter().map(|it| it.count_ones()).sum()
}

fn bytes(entropy: &mut Entropy) {
    let (mut first, mut second) = ([0; 1000], [0; 1000]);
    equal("many are given", entropy.fill(&mut first), Ok(()));
    equal("and once more", entropy.fill(&mut second), Ok(()));
    // 4,000 of 8,000 bits, within ten times their deviation.
    holds(
        "about half of the bits are set",
        (3550..4450).contains(&ones(&first)),
    );
    let same = first.iter().zip(&second).filter(|(a, b)| a == b).count();
    holds("no byte tells the next time's", same < 40);
    let mut other = [0xA5; 70];
    equal(
        "as many as one asks for",
        entropy.fill(&mut other[..65]),
        Ok(()),
    );
    equal("and no more", &other[65..], &[0xA5; 5][..]);
    equal("or none", entropy.fill(&mut []), Ok(()));
}

/// What the server says to these words, and how much it gives.
fn ask(connection: &Connection, words: &[u32]) -> (Status, usize) {
    let mut request = [0; 16];
    let length = words.len() * 4;
    for (to, word) in request.chunks_exact_mut(4).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    let reply = connection
        .send(&request[..length], &mut [0; 2 * LARGEST])
        .unwrap();
    (reply.status, reply.len)
}

fn refusals() {
    let connection = riposte::connect("entropy").unwrap();
    let fill = operation::FILL;
    let largest = LARGEST as u32;
    equal(
        "the largest request",
        ask(&connection, &[fill, largest]),
        (Status::OK, LARGEST),
    );
    let refused = (status::INVALID, 0);
    equal(
        "a byte more is refused",
        ask(&connection, &[fill, largest + 1]),
        refused,
    );
    equal("and no byte", ask(&connection, &[fill, 0]), refused);
    equal(
        "and the most that a word holds",
        ask(&connection, &[fill, u32::MAX]),
        refused,
    );
    equal("half a request", ask(&connection, &[fill]), refused);
    equal(
        "more than a request",
        ask(&connection, &[fill, 4, 4]),
        refused,
    );
    equal("nothing", ask(&connection, &[]), refused);
    let unknown = (status::NOT_SUPPORTED, 0);
    equal(
        "another operation",
        ask(&connection, &[fill + 1, 4]),
        unknown,
    );
    let mut little = [0; 3];
    let reply = connection.send(&[0, 0, 0, 0, 64, 0, 0, 0], &mut little);
    let got = reply.map(|reply| (reply.status, reply.len));
    equal("who has less room gets no more", got, Ok((Status::OK, 3)));
}

fn lives(entropy: &mut Entropy) {
    let mut bytes = [0; 200];
    let [server, victim] = ["entropy", "victim"].map(|name| riposte::process(name).unwrap());
    let (mut asked, mut drawn) = (Ok(()), true);
    for life in 0..LIVES {
        // The other client asks meanwhile.
        let _ = riposte::sleep(Duration::from_micros(300 + 37 * life));
        let ended = if life % 3 == 2 { &victim } else { &server };
        ended.restart();
        bytes.fill(0);
        asked = asked.and(entropy.fill(&mut bytes));
        drawn &= ones(&bytes) > 600;
    }
    equal("whoever ends, nobody else fails", asked, Ok(()));
    holds("nor gets what was not drawn", drawn);
}
