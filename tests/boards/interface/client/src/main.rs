//! A client in Rust of servers in both languages, and of one that lies; and one that lies to servers.
#![no_std]

mod lies;

use check::{equal, holds};
use interface_api::{AdminClient, Block, DepotClient, Fault, Point, WIDTH};
use riposte::interface::{CallError, refusal};
use riposte::{Buffer, Duration, Error, Instant, Text};

/// A server of both interfaces.
struct Server {
    name: &'static str,
    depot: DepotClient,
    admin: AdminClient,
}

fn server(name: &'static str, admin: &'static str) -> Server {
    Server {
        name,
        depot: DepotClient::new(riposte::connect(name).unwrap()),
        admin: AdminClient::new(riposte::connect(admin).unwrap()),
    }
}

/// So that each server's promises have names of their own.
macro_rules! equal_of {
    ($server:expr, $name:literal, $found:expr, $expected:expr $(,)?) => {
        match $server.name {
            "server" => equal(concat!($name, ": of a server in Rust"), $found, $expected),
            _ => equal(concat!($name, ": of a server in C"), $found, $expected),
        }
    };
}
pub(crate) use equal_of;

fn block() -> Block {
    Block {
        number: 77,
        corner: Point { x: -3, y: 4 },
        bytes: core::array::from_fn(|byte| byte as u8),
    }
}

#[riposte::main]
fn main() {
    // The client in C comes first, and ends each server once.
    riposte::channel("turn")
        .unwrap()
        .receive_words()
        .map(drop)
        .unwrap();
    for mut server in [
        server("server", "server-admin"),
        server("server-c", "server-c-admin"),
    ] {
        values(&server);
        lengths(&server);
        too_long(&server);
        services(&server);
        lies::to(&server);
        death(&mut server);
    }
    lies::from_a_server();
    deadlines();
    check::done();
}

fn values(server: &Server) {
    let depot = &server.depot;
    equal_of!(server, "nothing", depot.nothing(), Ok(()));
    equal_of!(
        server,
        "short numbers",
        depot.scale(-100, 60000, true),
        Ok(6_000_000)
    );
    equal_of!(
        server,
        "long numbers and a tuple in registers",
        depot.swap(1 << 40, -5),
        Ok((-5, 1 << 40)),
    );
    equal_of!(server, "a float", depot.half(-3.0), Ok(-1.5));
    let mut turned = block();
    turned.bytes.reverse();
    equal_of!(server, "a structure", depot.turn(&block()), Ok(turned));
    equal_of!(
        server,
        "an error of the interface",
        depot.turn(&Block {
            number: 0,
            ..block()
        }),
        Err(CallError::Application(Fault::Empty)),
    );
    equal_of!(
        server,
        "an array and a tuple in memory",
        depot.table([1, 2, 300], (255, block())),
        Ok(([2, 4, 600], 256, block())),
    );
}

fn lengths(server: &Server) {
    let depot = &server.depot;
    equal_of!(
        server,
        "text, numbers and bytes of any length",
        depot.store("key", &[1 << 30, 20, 3], &[0; 5]),
        Ok((1 << 30) + 28),
    );
    equal_of!(
        server,
        "none of them",
        depot.store("", &[], &[]),
        Err(CallError::Application(Fault::Empty)),
    );
    equal_of!(
        server,
        "a text is the text",
        depot.store("full", &[1], &[]),
        Err(CallError::Application(Fault::Full)),
    );
    let mut room = [u64::MAX; 12];
    equal_of!(
        server,
        "a room that is large enough",
        (depot.load(5, &mut room), room[9], room[10]),
        (Ok((10, true)), 14, u64::MAX),
    );
    equal_of!(
        server,
        "a room that is not",
        (depot.load(50, &mut room[..3]), room[2], room[3]),
        (Ok((3, false)), 52, 8),
    );
    let mut points = [Point { x: 0, y: 0 }; 3];
    equal_of!(
        server,
        "a room of structures behind a text",
        (depot.points("abcd", &mut points), points[2]),
        (Ok(3), Point { x: 99, y: -99 }),
    );
    let mut room = [0; 9];
    let mut text = Text::new(&mut room);
    let cut = depot.label(12, &mut text);
    equal_of!(
        server,
        "a room for text",
        (cut, text.as_str()),
        (Ok(false), "größe ")
    );
}

/// Longer than the server's buffer.
fn too_long(server: &Server) {
    let found = server.depot.store("key", &[], &Buffer::<300>::new());
    let expected = Err(CallError::Refused(refusal::TOO_LONG));
    equal_of!(
        server,
        "a server without room refuses, and says it",
        found,
        expected
    );
}

fn services(server: &Server) {
    let before = server.admin.calls().unwrap_or_default();
    let _ = server.depot.nothing();
    equal_of!(
        server,
        "two interfaces at one channel",
        server.admin.calls(),
        Ok(before + 1)
    );
    equal_of!(
        server,
        "an answer longer than registers without arguments",
        server.admin.last().map(|last| (last.number, last.bytes[0])),
        Ok((77, WIDTH as u8 - 1)),
    );
}

/// The call that ends the server fails; one call leads to its next life, which begins later.
fn death(server: &mut Server) {
    let died = Err(CallError::Kernel(Error::ServerDied));
    equal_of!(server, "a server dies in a call", server.admin.fall(), died);
    equal_of!(
        server,
        "a client connects again in one call",
        (server.admin.reconnect(), server.depot.reconnect()),
        (Ok(()), Ok(())),
    );
    let soon = Instant::now() + Duration::from_micros(100);
    equal_of!(
        server,
        "it waits until its deadline",
        server.depot.nothing_until(soon),
        Err(CallError::Kernel(Error::TimedOut)),
    );
    equal_of!(
        server,
        "or for a server that is started again, and begins anew",
        (server.admin.calls(), server.depot.nothing()),
        (Ok(0), Ok(())),
    );
}

fn deadlines() {
    let liar = DepotClient::new(riposte::connect("liar").unwrap());
    let begin = Instant::now();
    let time = Duration::from_millis(1);
    equal(
        "a call ends at its deadline",
        liar.half_until(1.0, begin + time),
        Err(CallError::Kernel(Error::TimedOut)),
    );
    holds("and not before", begin.elapsed() >= time);
}
