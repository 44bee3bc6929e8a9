//! A driver of an Ethernet without a device: what one of its two clients sends, the other receives, unless the third one has
//! told it to do harm. The fourth one's frames go to the first. The third one is answered how often the two have asked for
//! frames in vain, beyond once for each time that they had reason to.
#![no_std]
#![forbid(unsafe_code)]

use check::Random;
use riposte::{Answer, Connection, Event, Message};
use riposte_ethernet::protocol::{FRAME, HEAD, NOTICE, REQUEST, operation, status};

/// Most frames that are on the way to somebody.
const FRAMES: usize = 6;

/// What is on the way to one side.
struct Way {
    frames: [[u8; FRAME]; FRAMES],
    lengths: [usize; FRAMES],
    first: usize,
    count: usize,
}

impl Way {
    const fn new() -> Way {
        Way {
            frames: [[0; FRAME]; FRAMES],
            lengths: [0; FRAMES],
            first: 0,
            count: 0,
        }
    }
}

/// What is done to frames: each so often in a hundred.
#[derive(Clone, Copy)]
struct Harm {
    lost: u32,
    doubled: u32,
    exchanged: u32,
    changed: u32,
}

impl Harm {
    const NONE: Harm = Harm {
        lost: 0,
        doubled: 0,
        exchanged: 0,
        changed: 0,
    };
}

/// What the third client says: words of harm, and a seed.
const BADGE: u32 = 3;
/// The fourth client, whose frames come to the first one as if the second had sent them.
const STRANGER: u32 = 4;

static WAYS: riposte::sync::Mutex<[Way; 2]> = riposte::sync::Mutex::new([Way::new(), Way::new()]);

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let mut clients = ["network", "far"].map(|name| riposte::connect(name).unwrap());
    let mut reasons = [0; 2];
    for side in 0..2 {
        notify(&mut clients, &mut reasons, side);
    }
    let Ok(mut ways) = WAYS.lock() else {
        panic!("another thread has the frames");
    };
    let (mut harm, mut random) = (Harm::NONE, Random::new(1));
    let mut in_vain = 0;
    let error = channel.serve(&mut [0; 20], |event| match event {
        Event::Message(message) if message.badge() == BADGE => {
            let [lost, doubled, exchanged, changed, seed] = message.words();
            harm = Harm {
                lost,
                doubled,
                exchanged,
                changed,
            };
            random = Random::new(seed);
            message.answer_words([in_vain])
        }
        Event::Message(message) => {
            let side = usize::from(matches!(message.badge(), 2 | STRANGER));
            match message.words()[0] {
                // A stack that has begun anew asks this first.
                operation::STATE => reasons[side] += 1,
                operation::RECEIVE if ways[side].count == 0 && reasons[side] == 0 => in_vain += 1,
                operation::RECEIVE if ways[side].count == 0 => reasons[side] -= 1,
                _ => {}
            }
            let all = (&mut clients, &mut reasons);
            serve(&mut ways, all, (side, message), (harm, &mut random))
        }
        Event::Notice(_) => Answer::later(),
    });
    panic!("the wire's channel: {error}");
}

/// Has the client of a side look.
fn notify(clients: &mut [Connection; 2], reasons: &mut [u32; 2], side: usize) {
    reasons[side] += 1;
    let client = &mut clients[side];
    if client.notify(NOTICE).is_err() && client.reconnect().is_ok() {
        // If it has ended again, its next life asks.
        let _ = client.notify(NOTICE);
    }
}

fn serve<'a>(
    ways: &mut [Way; 2],
    (clients, reasons): (&mut [Connection; 2], &mut [u32; 2]),
    (side, message): (usize, Message<'a>),
    (harm, random): (Harm, &mut Random),
) -> Answer<'a> {
    let offered = message.offered();
    let [what, ..] = message.words();
    let token = message.into_token();
    match what {
        operation::SEND if (HEAD..=FRAME).contains(&offered.wrapping_sub(REQUEST)) => {
            let way = &mut ways[1 - side];
            if way.count == FRAMES {
                return Answer::error(token, status::NO_ROOM);
            }
            let place = (way.first + way.count) % FRAMES;
            let frame = &mut way.frames[place][..offered - REQUEST];
            if token.read(REQUEST as u32, frame) != Ok(frame.len()) {
                return Answer::later();
            }
            // Who has which address is not asked again soon: those frames come.
            let is_spared = frame[12..14] == [8, 6];
            let mut does = |percent: u32| !is_spared && random.below(100) < percent;
            if frame.len() > 44 && does(harm.changed) {
                let place = 42 + (frame.len() - 42) / 2;
                frame[place] ^= 1;
                // A sum of zeros is none: the frame comes so to the node.
                frame[40..42].fill(0);
            }
            way.lengths[place] = frame.len();
            way.count += usize::from(!does(harm.lost));
            if does(harm.doubled) && way.count > 0 && way.count < FRAMES {
                let last = (way.first + way.count - 1) % FRAMES;
                let next = (last + 1) % FRAMES;
                way.frames[next] = way.frames[last];
                way.lengths[next] = way.lengths[last];
                way.count += 1;
            }
            if does(harm.exchanged) && way.count > 1 {
                let last = (way.first + way.count - 1) % FRAMES;
                let before = (way.first + way.count - 2) % FRAMES;
                way.frames.swap(last, before);
                way.lengths.swap(last, before);
            }
            let room = (FRAMES - way.count) as u32;
            notify(clients, reasons, 1 - side);
            Answer::words(token, [room])
        }
        operation::RECEIVE => {
            let way = &mut ways[side];
            if way.count == 0 {
                return Answer::error(token, status::NO_FRAME);
            }
            let frame = &way.frames[way.first][..way.lengths[way.first]];
            // A frame that nobody has taken any more is lost, as on any wire.
            let _ = token.reply(frame);
            let was_full = way.count == FRAMES;
            way.first = (way.first + 1) % FRAMES;
            way.count -= 1;
            if was_full {
                notify(clients, reasons, 1 - side);
            }
            Answer::later()
        }
        operation::STATE => {
            let address = u32::from_le_bytes([2, 0, 0, 0]);
            let room = FRAMES - ways[1 - side].count;
            Answer::words(token, [address, (side as u32 + 1) << 8, 1, room as u32])
        }
        _ => Answer::error(token, status::NOT_SUPPORTED),
    }
}
