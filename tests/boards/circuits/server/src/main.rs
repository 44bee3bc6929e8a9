//! Answers what it is sent: on one channel with the same bytes, on the other it does what it is told.
#![no_std]
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicU32, Ordering};

use riposte::signal::{self, Set, Signal};
use riposte::sync::Mutex;
use riposte::{Answer, Event, Message, Notice, Proxy, Status, Token};
use riposte_names::ANEW;

/// The longest message that is answered with its own bytes.
const LONGEST: usize = 22_528;

static BYTES: Mutex<[u8; LONGEST + 1]> = Mutex::new([0; LONGEST + 1]);

#[riposte::main]
fn main() {
    let channel = riposte::channel("server").unwrap();
    register();
    let Ok(mut bytes) = BYTES.lock() else {
        panic!("another thread has the bytes");
    };
    loop {
        match channel.receive(&mut bytes[..]) {
            Ok(Event::Message(message)) => answer(message),
            Ok(Event::Notice(notice)) => hear(&notice),
            Err(error) => panic!("the server's channel: {error}"),
        }
    }
}

fn hear(notice: &Notice<'_>) {
    if matches!(notice, Notice::Bits { bits } if bits & ANEW != 0) {
        register();
    }
}

fn register() {
    for (name, channel) in [
        ("/echo", "server"),
        ("/mortal", "orders"),
        ("/secret", "orders"),
    ] {
        let _ = riposte_names::register(name, riposte::channel(channel).unwrap());
    }
}

/// With its own bytes.
fn answer(message: Message<'_>) {
    let offered = message.offered();
    let (token, bytes) = message.into_buffer();
    let _ = token.reply_with(Status(offered as u32 & 3), bytes);
}

/// What it is told.
struct Orders {
    waits: [Option<Token>; 4],
    unblocked: u32,
    total: u32,
    doubled: u32,
    seen: [u32; 64],
    proxies: [Option<Proxy>; 4],
    received: [u32; 4],
}

#[riposte::thread]
fn orders() -> ! {
    let channel = riposte::channel("orders").unwrap();
    let mut orders = Orders {
        waits: [const { None }; 4],
        unblocked: 0,
        total: 0,
        doubled: 0,
        seen: [0; 64],
        proxies: [const { None }; 4],
        received: [0; 4],
    };
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => orders.obey(message),
        Event::Notice(Notice::Unblock { client, .. }) => {
            let is_it = |it: &mut Token| it.client() == client;
            if let Some(token) = orders.waits.iter_mut().find_map(|it| it.take_if(is_it)) {
                orders.unblocked += 1;
                let _ = token.reply_error(Status(77));
            }
            Answer::later()
        }
        Event::Notice(Notice::Proxy { proxy, .. }) => {
            let is_it = |it: &Option<Proxy>| it.as_ref().is_some_and(|it| it.id() == proxy);
            if let Some(place) = orders.proxies.iter().position(is_it) {
                orders.received[place] += 1;
            }
            Answer::later()
        }
        Event::Notice(notice) => {
            if matches!(notice, Notice::ClientDied { .. }) {
                orders.forget_dead();
            }
            hear(&notice);
            Answer::later()
        }
    });
    panic!("the channel of orders: {error}");
}

/// Signals that came, and the sum of their words.
static SIGNALS: AtomicU32 = AtomicU32::new(0);
static WORDS: AtomicU32 = AtomicU32::new(0);
/// The thread that takes signals does not now.
static IS_BUSY: AtomicU32 = AtomicU32::new(0);

#[riposte::thread]
fn signalled() -> ! {
    let all = Set::of(&[Signal::USER_1, Signal::queued(3).unwrap()]);
    loop {
        while IS_BUSY.load(Ordering::Relaxed) != 0 {
            let _ = riposte::sleep(riposte::Duration::from_millis(5));
        }
        if let Ok(received) = signal::wait_until(all, after(5)) {
            SIGNALS.fetch_add(1, Ordering::Relaxed);
            WORDS.fetch_add(received.word, Ordering::Relaxed);
        }
    }
}

fn after(millis: u64) -> riposte::Deadline {
    riposte::Deadline::At(riposte::Instant::now() + riposte::Duration::from_millis(millis))
}

/// The proxy in a place, which is made if there is none.
fn orders_proxy(place: &mut Option<Proxy>) -> &Proxy {
    place.get_or_insert_with(|| {
        Proxy::new(&riposte::channel("orders").unwrap(), b"a proxy").unwrap()
    })
}

impl Orders {
    fn forget_dead(&mut self) {
        let is_dead = |it: &mut Token| it.read(0, &mut []).is_err();
        for place in &mut self.waits {
            let _ = place.take_if(is_dead);
        }
    }

    fn obey<'a>(&mut self, message: Message<'a>) -> Answer<'a> {
        let [what, about, ..] = message.words();
        match what {
            1 => {
                if let Some(place) = self.waits.iter_mut().find(|it| it.is_none()) {
                    *place = Some(message.into_token());
                }
                Answer::later()
            }
            2 => panic!("it was told to die"),
            3 => {
                let state = riposte::thread_state(riposte::process_index(), 1);
                message.answer_words([state.unwrap().priority.into()])
            }
            4 => message.answer_words([self.unblocked, self.waits.iter().flatten().count() as u32]),
            5 => {
                let (word, bit) = (about as usize / 32 % 64, 1 << (about % 32));
                self.doubled += u32::from(self.seen[word] & bit != 0);
                self.seen[word] |= bit;
                self.total += 1;
                message.answer_words([self.total])
            }
            6 => message.answer_words([self.total, self.doubled]),
            7 => {
                static ZEROS: [u8; LONGEST + 1] = [0; LONGEST + 1];
                let token = message.into_token();
                let _ = token.reply(&ZEROS[..(about as usize).min(LONGEST + 1)]);
                Answer::later()
            }
            8 => {
                let _ = riposte::sleep(riposte::Duration::from_millis(about.into()));
                message.answer_words([about])
            }
            10 => {
                let place = about as usize % 4;
                let proxy = orders_proxy(&mut self.proxies[place]);
                let token = message.into_token();
                // A client that takes none.
                if token.try_reply_proxy([about, 22, 33, 44], proxy).is_err() {
                    let _ = token.reply_error(Status(55));
                }
                Answer::later()
            }
            11 => message.answer_words([self.received[about as usize % 4]]),
            12 => {
                let proxy = self.proxies[about as usize % 4].take();
                proxy.map(Proxy::destroy);
                message.answer_words([])
            }
            13 => {
                let console = riposte::connect("console").unwrap();
                let _ = message.into_token().reply_handle([0; 4], &console);
                Answer::later()
            }
            14 => message.answer_words([
                SIGNALS.load(Ordering::Relaxed),
                WORDS.load(Ordering::Relaxed),
            ]),
            15 => {
                IS_BUSY.store(about, Ordering::Relaxed);
                message.answer_words([])
            }
            9 => message.answer_error(Status(0xFFFF_FF01)),
            _ => message.answer_error(Status(1)),
        }
    }
}
