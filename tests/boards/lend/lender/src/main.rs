//! Lends and moves its pages, while its other thread runs: the judge says how.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering};

use check::memory::{self, Form, Message};
use lend_orders::{code, order, task};
use riposte::{Connection, Duration, Error};

const PAGE: u32 = 4096;

/// The part of the second thread, and what it saw.
static PART: AtomicU32 = AtomicU32::new(0);
static SEEN: AtomicU32 = AtomicU32::new(0);

/// Memory of the process that is none of its pages.
#[repr(align(4096))]
struct Other([AtomicU32; PAGE as usize / 4]);
static OTHER: Other = Other([const { AtomicU32::new(0) }; PAGE as usize / 4]);

/// The first page.
fn page() -> (u32, u32) {
    (pages().0, PAGE)
}

/// All pages.
fn pages() -> (u32, u32) {
    riposte::Pages::place().unwrap()
}

#[riposte::main]
fn main() {
    let judge = riposte::connect("orders").unwrap();
    let mut said = [task::STARTED, page().0, 0, 0];
    loop {
        let Ok(reply) = judge.send_words(said) else {
            riposte::exit(1);
        };
        let [what, order, argument, deadline, part] = reply.words;
        PART.store(part, Ordering::Relaxed);
        let (error, word) = perform(what, order::order(order, argument), deadline);
        said = [task::FINISHED, error, word, SEEN.load(Ordering::Relaxed)];
    }
}

/// The error of what was done, and a word.
fn perform(what: u32, order: [u32; 3], deadline: u32) -> (u32, u32) {
    match what {
        task::READ => (0, memory::load(page().0)),
        task::RECLAIM => {
            let error = code(memory::reclaim(page()));
            (error, u32::from(error == 0 && memory::is_zero(page())))
        }
        task::RECLAIM_ALL => {
            let before = riposte::Instant::now();
            let error = code(memory::reclaim(pages()));
            let took = (riposte::Instant::now() - before).as_nanos() as u32;
            let clear = error == 0 && memory::is_zero(pages());
            (error, if clear { took } else { 0 })
        }
        task::IS_FILLED => (0, u32::from(memory::is_filled(page(), task::SEED))),
        task::REST => (code(riposte::sleep(Duration::from_micros(200))), 0),
        _ => {
            let result = send(what, order, deadline);
            (code(result), result.map_or(0, |words| words[0]))
        }
    }
}

fn send(what: u32, order: [u32; 3], deadline: u32) -> Result<[u32; 5], Error> {
    let server: Connection = riposte::connect("server").map_err(|_| Error::ServerDied)?;
    let (form, memory) = if what == task::MOVE_ALL {
        (task::MOVE, pages())
    } else if what >= task::OTHER_MEMORY {
        let other = OTHER.0.as_ptr().addr() as u32;
        (what - task::OTHER_MEMORY, (other, PAGE))
    } else if what >= task::SECOND_PAGE {
        (what - task::SECOND_PAGE, (page().0 + PAGE, PAGE))
    } else {
        memory::fill(page(), task::SEED);
        (what, page())
    };
    let mut message = Message::new(Form::from_number(form), memory, order);
    if deadline > 0 {
        message.deadline = Some(riposte::Instant::now() + Duration::from_micros(deadline.into()));
    }
    message.send(&server)
}

/// Does its part once the main thread is blocked.
#[riposte::thread]
fn second() -> ! {
    loop {
        let part = PART.load(Ordering::Relaxed);
        PART.store(task::SECOND_RESTS, Ordering::Relaxed);
        match part {
            task::SECOND_READS => SEEN.store(memory::load(page().0), Ordering::Relaxed),
            task::SECOND_WRITES => {
                memory::store(page().0, 0xBAD);
                SEEN.store(0xBAD, Ordering::Relaxed);
            }
            _ => {}
        }
        riposte::sleep(Duration::from_micros(20)).unwrap();
    }
}
