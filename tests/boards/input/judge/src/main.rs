//! Has the host type, and looks at who reads what.
#![no_std]

use check::{equal, holds, type_in};
use riposte::console::{self, LONGEST_LINE, ReadError};
use riposte::{Connection, Duration, Error, Instant, println};

/// Orders to the rival: to read a line, a key, or a line for at most a millisecond.
const LINE: u32 = 0;
const KEY: u32 = 1;
const LINE_WITHIN_A_MILLISECOND: u32 = 1000;

#[riposte::main]
fn main() {
    let rival = riposte::connect("rival").unwrap();
    lines();
    keys();
    without_waiting();
    deadlines(&rival);
    several_readers(&rival);
    death(&rival);
    overflow(&rival);
    restart(&rival);
    check::done();
}

/// Reads a line, and compares it.
fn reads(name: &str, typed: &str, expected: &str) {
    type_in(typed);
    let mut buffer = [0; LONGEST_LINE];
    equal(name, console::read_line(&mut buffer), Ok(expected));
}

fn lines() {
    reads("a line is read whole", r"hello board\n", "hello board\n");
    reads(
        "backspace erases a character",
        r"ab\xC3\xA9\x7F\x08c\n",
        "ac\n",
    );
    reads("Ctrl-U erases the line", r"wrong\x15right\n", "right\n");
    reads("a carriage return ends a line", r"returned\r", "returned\n");
    reads("a line feed behind it is none", r"\nnext\r\n", "next\n");
    reads("Ctrl-D is the end of the input", r"\x04", "");
    type_in(r"unfinished\x04");
    let mut buffer = [0; LONGEST_LINE];
    let found = console::read_line(&mut buffer);
    // What is echoed has no end either.
    println!();
    equal(
        "Ctrl-D hands over an unfinished line",
        found,
        Ok("unfinished"),
    );
    type_in(r"\xFF\n");
    let found = console::read_line(&mut buffer);
    equal(
        "what is not UTF-8 is no text",
        found,
        Err(ReadError::NotText),
    );
    type_in(r"in two\n");
    let mut short = [0; 4];
    let name = "a short buffer gets the beginning of a line";
    equal(name, console::read_line(&mut short), Ok("in t"));
    let name = "the next read gets the rest of the line";
    equal(name, console::read_line(&mut short), Ok("wo\n"));
    equal(
        "a buffer without room is refused, which would look like the end",
        console::read_line(&mut []),
        Err(ReadError::NoRoom),
    );
}

fn keys() {
    type_in(r"\x7F\x15\r\x1Bq");
    let keys = [0; 5].map(|_| console::read_key());
    let expected = [0x7F, 0x15, b'\r', 0x1B, b'q'].map(Ok);
    equal("keys are read as they are typed", keys, expected);
}

fn without_waiting() {
    let mut buffer = [0; LONGEST_LINE];
    let nothing = [
        console::try_read_line(&mut buffer).map(|_| ()),
        console::try_read_key().map(|_| ()),
    ];
    let name = "a read that does not wait says that nothing was typed";
    equal(name, nothing, [Err(ReadError::WouldBlock); 2]);
    type_in(r"at last\n");
    let name = "a read that does not wait gets the line that was typed";
    equal(name, poll(&mut buffer), Ok("at last\n"));
}

/// Asks again and again.
fn poll(buffer: &mut [u8]) -> Result<&str, ReadError> {
    loop {
        match console::try_read_line(buffer).map(str::len) {
            Err(ReadError::WouldBlock) => a_moment(),
            Ok(length) => return Ok(core::str::from_utf8(&buffer[..length]).unwrap_or_default()),
            Err(error) => return Err(error),
        }
    }
}

fn a_moment() {
    let _ = riposte::sleep(Duration::from_millis(1));
}

fn deadlines(rival: &Connection) {
    let mut buffer = [0; LONGEST_LINE];
    let soon = Instant::now() + Duration::from_millis(1);
    let found = console::read_line_until(&mut buffer, soon);
    equal(
        "a read ends at its deadline",
        found,
        Err(ReadError::TimedOut),
    );
    let found = console::read_key_until(soon);
    let name = "a read ends at once if its deadline has passed";
    equal(name, found, Err(ReadError::TimedOut));
    order(rival, LINE_WITHIN_A_MILLISECOND);
    let _ = riposte::sleep(Duration::from_millis(3));
    let name = "a read whose deadline has passed swallows no line";
    reads(name, r"not swallowed\n", "not swallowed\n");
    equal("it is told so", outcome(rival, &mut buffer), "nothing");
}

fn several_readers(rival: &Connection) {
    let mut buffer = [0; LONGEST_LINE];
    order(rival, LINE);
    let console = riposte::connect("console").unwrap();
    let printed = console.send(b"while somebody waits\n", &mut []);
    let name = "who prints does not wait for those who read";
    equal(name, printed.map(|reply| reply.status.is_ok()), Ok(true));
    let found = console::try_read_line(&mut buffer).map(|_| ());
    let name = "who comes later gets nothing first";
    equal(name, found, Err(ReadError::WouldBlock));
    reads("of two readers each gets a line", r"one\ntwo\n", "two\n");
    let name = "the one that came first gets the first line";
    equal(name, outcome(rival, &mut buffer), "one\n");
    order(rival, KEY);
    reads(
        "what is behind a key is the next reader's",
        r"qline\n",
        "line\n",
    );
    let name = "a key goes to one reader";
    equal(name, outcome(rival, &mut buffer), "q");
}

fn death(rival: &Connection) {
    let mut buffer = [0; LONGEST_LINE];
    let mortal = riposte::connect("mortal").unwrap();
    let bomb = riposte::connect("bomb").unwrap();
    order(&mortal, LINE);
    order(rival, LINE);
    let found = console::read_line(&mut buffer).map(|_| ());
    let name = "at most as many readers wait as the manifest says";
    equal(name, found, Err(ReadError::TooManyReaders));
    let died = bomb.send_words([]).err();
    holds("the first reader has died", died == Some(Error::ServerDied));
    reads(
        "who has died leaves its place to others",
        r"first\nsecond\n",
        "second\n",
    );
    let name = "who dies while it waits takes no line with it";
    equal(name, outcome(rival, &mut buffer), "first\n");
}

fn overflow(rival: &Connection) {
    equal("nothing was lost so far", console::lost_input(), Ok(0));
    let part = core::str::from_utf8(&[b'x'; 100]).unwrap_or_default();
    println!("@type {part}{part}{part}");
    println!("@type {part}{part}{part}y");
    let _ = riposte::sleep(Duration::from_millis(20));
    let name = "of what nobody reads 256 bytes are kept, and the others wait to be received";
    let all = (0..6 * part.len()).all(|_| console::read_key() == Ok(b'x'));
    holds(name, all && console::read_key() == Ok(b'y'));
    equal("so nothing was lost", console::lost_input(), Ok(0));
    let nothing = console::try_read_key();
    equal("and nothing is left", nothing, Err(ReadError::WouldBlock));
    // Who waits already has it edited as it comes.
    order(rival, LINE);
    println!("@type {part}{part}{part}\\n");
    let mut buffer = [0; LONGEST_LINE];
    let length = outcome(rival, &mut buffer).len();
    let name = "of a line that is too long the beginning is read, and the others are counted";
    let lost = console::lost_input();
    equal(name, (length, lost), (LONGEST_LINE, Ok(45)));
}

fn restart(rival: &Connection) {
    let mut buffer = [0; LONGEST_LINE];
    order(rival, LINE);
    riposte::process("console").unwrap().restart();
    reads(
        "who waits at a console that is restarted asks again",
        r"one\ntwo\n",
        "two\n",
    );
    let name = "and is served in its turn";
    equal(name, outcome(rival, &mut buffer), "one\n");
    let name = "a console that was restarted has lost nothing yet";
    equal(name, console::lost_input(), Ok(0));
    let novice = riposte::connect("novice").unwrap();
    order(&novice, LINE);
    riposte::process("console").unwrap().restart();
    reads(
        "so does who has asked nothing before",
        r"three\nfour\n",
        "four\n",
    );
    let name = "and is served, too";
    equal(name, outcome(&novice, &mut buffer), "three\n");
    order(rival, LINE);
    for _ in 0..2 {
        riposte::process("console").unwrap().restart();
    }
    reads(
        "as often as the console is restarted",
        r"five\nsix\n",
        "six\n",
    );
    let name = "and is served in its turn by the last of them";
    equal(name, outcome(rival, &mut buffer), "five\n");
}

fn order(to: &Connection, what: u32) {
    let _ = to.send_words([what]);
}

/// What the rival has read.
fn outcome<'a>(rival: &Connection, buffer: &'a mut [u8]) -> &'a str {
    let length = rival.send(&[], buffer).map_or(0, |reply| reply.len);
    core::str::from_utf8(&buffer[..length]).unwrap_or_default()
}
