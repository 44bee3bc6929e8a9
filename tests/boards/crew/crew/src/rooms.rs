//! As many threads as may wait at a channel have rooms of as many parts as there can be, good ones or bad ones.

use check::{equal, machine};
use core::sync::atomic::{AtomicU32, Ordering};
use riposte::abi::{self, call, info, register};
use riposte::thread::{self, JoinHandle, Settings};
use riposte::{Duration, Event, Instant, PartMut, Proxy, Timer};

use crate::driver::settle;
use crate::lender::{PART, PARTS};

/// As many as may receive from one channel.
const RECEIVERS: usize = 8;
/// As long as the message of a proxy can be.
const TEXT: [u8; 100] = [7; 100];

/// The kernel is measured at a pace at which an instruction takes a microsecond.
const PERIOD: Duration = Duration::from_millis(20);

/// How many have got what they wait for.
static TOLD: AtomicU32 = AtomicU32::new(0);

pub fn all() {
    let rooms = riposte::channel("rooms").unwrap();
    let proxy = Proxy::new(&rooms, &TEXT).unwrap();

    let crew = start(good);
    for _ in 0..RECEIVERS {
        proxy.trigger().unwrap();
    }
    join(crew);
    equal("rule_16_each_trigger_wakes_one", told(), RECEIVERS as u32);

    let crew = start(good);
    let timer = Timer::triggering(&proxy).unwrap();
    let soon = Instant::now().checked_add(PERIOD).unwrap();
    timer.every_from(soon, PERIOD).unwrap();
    join(crew);
    timer.cancel().unwrap();
    equal(
        "rule_22_a_periodic_timer_wakes_each",
        told(),
        RECEIVERS as u32,
    );

    let crew = start(bad);
    let link = riposte::connect("rooms").unwrap();
    let soon = Instant::now()
        .checked_add(Duration::from_millis(200))
        .unwrap();
    let sent = link.send_until(&TEXT, &mut [], soon);
    join(crew);
    equal(
        "rule_09_nobody_takes_a_message_to_a_bad_room",
        (sent.is_err(), told()),
        (true, RECEIVERS as u32),
    );

    let crew = start(bad);
    proxy.trigger().unwrap();
    join(crew);
    equal(
        "rule_16_bad_rooms_are_their_receivers_own_fault",
        told(),
        RECEIVERS as u32,
    );
    let mut buffer = [0; 100];
    let event = rooms.receive(&mut buffer);
    equal(
        "rule_16_the_message_is_for_the_next_one",
        event.is_ok(),
        true,
    );

    proxy.trigger().unwrap();
    let receiver = thread::spawn(good, 0, Settings::new(9)).unwrap();
    receiver.join().unwrap();
    equal("rule_16_a_message_that_waits_comes_in_parts", told(), 1);
}

fn start(body: fn(usize) -> u32) -> [Option<JoinHandle>; RECEIVERS] {
    TOLD.store(0, Ordering::Relaxed);
    let crew = core::array::from_fn(|number| thread::spawn(body, number, Settings::new(9)).ok());
    settle();
    crew
}

fn join(crew: [Option<JoinHandle>; RECEIVERS]) {
    for handle in crew.into_iter().flatten() {
        handle.join().unwrap();
    }
}

fn told() -> u32 {
    TOLD.swap(0, Ordering::Relaxed)
}

fn good(_: usize) -> u32 {
    let mut room = [[0; PART + 1]; PARTS];
    let mut parts = room.each_mut().map(|part| PartMut::new(part));
    let rooms = riposte::channel("rooms").unwrap();
    if let Ok(Event::Notice(_)) = rooms.receive_vector(&mut parts) {
        TOLD.fetch_add(1, Ordering::Relaxed);
    }
    0
}

/// The last part is the kernel's.
fn bad(_: usize) -> u32 {
    let room = [[0; PART]; PARTS];
    let kernel = machine::kernel_data(0);
    let parts: [abi::Part; PARTS] = core::array::from_fn(|part| abi::Part {
        address: if part + 1 == PARTS {
            kernel
        } else {
            room[part].as_ptr().addr() as u32
        },
        length: PART as u32,
    });
    let rooms = riposte::channel("rooms").unwrap();
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = call::word(call::operation::RECEIVE, rooms.handle());
    registers[register::INFO] = info::VECTOR;
    let table = parts.as_ptr().addr() as u32;
    // SAFETY: what is named of this process's own memory, nobody reads.
    let out = unsafe { riposte::raw_call(registers, [0, 0, table, PARTS as u32, 0]) };
    let refused = out[register::INFO] & info::ERROR != 0
        && out[register::CALL] == riposte::Error::BadAddress as u32;
    TOLD.fetch_add(u32::from(refused), Ordering::Relaxed);
    0
}
