//! What is typed, and what is read of it and echoed.

use std::string::String;
use std::vec::Vec;

use super::{Input, KEPT, LINE};

fn typed(bytes: &[u8]) -> Input {
    let mut input = Input::new();
    bytes.iter().for_each(|byte| input.push(*byte));
    input
}

/// The next line, which is taken, and its echo.
fn read(input: &mut Input) -> (Option<String>, String) {
    let mut echo = Vec::new();
    let line = input.line(LINE, |bytes| echo.extend_from_slice(bytes));
    let line = line.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    input.take_line(line.as_ref().map_or(0, String::len));
    (line, String::from_utf8_lossy(&echo).into_owned())
}

fn line(input: &mut Input) -> Option<String> {
    read(input).0
}

fn keys(input: &mut Input) -> Vec<u8> {
    let mut keys = Vec::new();
    while let Some(key) = input.key() {
        keys.push(key);
        input.take_key();
    }
    keys
}

#[test]
fn a_line_is_there_when_its_end_is_typed_and_its_echo_before() {
    let mut input = typed(b"hel");
    assert_eq!(read(&mut input), (None, "hel".into()));
    b"lo\nmore".iter().for_each(|byte| input.push(*byte));
    assert_eq!(read(&mut input), (Some("hello\n".into()), "lo\n".into()));
    assert_eq!(read(&mut input), (None, "more".into()));
}

#[test]
fn a_tab_takes_one_place_and_is_erased_from_there() {
    let mut input = typed(b"a\tb\x7f\x7fc\n");
    // What erases a character goes back by one place.
    let echo = "a b\x08 \x08\x08 \x08c\n";
    assert_eq!(read(&mut input), (Some("ac\n".into()), echo.into()));
}

#[test]
fn what_is_typed_is_echoed_when_somebody_reads() {
    let mut input = typed(b"one\ntwo\n");
    assert_eq!(read(&mut input), (Some("one\n".into()), "one\n".into()));
    assert_eq!(read(&mut input), (Some("two\n".into()), "two\n".into()));
}

#[test]
fn return_and_line_feed_each_end_a_line_and_both_together_one() {
    let mut input = typed(b"a\rb\nc\r\n\nd\r");
    for expected in ["a\n", "b\n", "c\n", "\n", "d\n"] {
        assert_eq!(line(&mut input).as_deref(), Some(expected));
    }
    assert_eq!(line(&mut input), None);
    input.push(b'\n');
    assert_eq!(keys(&mut input), []);
}

#[test]
fn backspace_erases_a_character_and_nothing_before_the_line() {
    let (line, echo) = read(&mut typed("ab\u{8}\u{8}\u{8}\u{7F}cé\u{7F}d\n".as_bytes()));
    assert_eq!(line.as_deref(), Some("cd\n"));
    assert_eq!(echo, "ab\u{8} \u{8}\u{8} \u{8}cé\u{8} \u{8}d\n");
}

#[test]
fn ctrl_u_erases_the_line() {
    let (line, echo) = read(&mut typed("xé\u{15}\u{15}y\n".as_bytes()));
    assert_eq!(line.as_deref(), Some("y\n"));
    assert_eq!(echo, "xé\u{8} \u{8}\u{8} \u{8}y\n");
}

#[test]
fn ctrl_d_hands_over_what_there_is_and_ends_the_input_where_there_is_nothing() {
    let mut input = typed(b"rest\x04\x04next\n");
    assert_eq!(line(&mut input).as_deref(), Some("rest"));
    assert_eq!(line(&mut input).as_deref(), Some(""));
    assert_eq!(line(&mut input).as_deref(), Some("next\n"));
}

#[test]
fn other_control_characters_are_no_part_of_a_line() {
    let (line, echo) = read(&mut typed(b"a\x01\x1B\x00\tb\n"));
    assert_eq!(line.as_deref(), Some("a\tb\n"));
    assert_eq!(echo, "a b\n");
}

#[test]
fn keys_are_as_they_were_typed() {
    let mut input = typed(b"\x7F\x15\r\n\x04q");
    assert_eq!(keys(&mut input), b"\x7F\x15\r\n\x04q");
}

#[test]
fn a_key_is_the_oldest_byte_also_of_a_line_that_was_begun() {
    let mut input = typed(b"ab");
    assert_eq!(line(&mut input), None);
    input.push(b'c');
    assert_eq!(input.key(), Some(b'a'));
    // Nobody took it.
    assert_eq!(keys(&mut input), b"abc");
}

#[test]
fn what_does_not_fit_into_the_room_comes_with_the_next_read_and_no_character_in_parts() {
    let mut input = typed("aéé\n".as_bytes());
    for (room, expected) in [(2, "a"), (4, "éé"), (9, "\n")] {
        assert_eq!(input.line(room, |_| ()), Some(expected.as_bytes()));
        input.take_line(expected.len());
    }
    let mut input = typed("é\n".as_bytes());
    assert_eq!(input.line(1, |_| ()), Some(&"é".as_bytes()[..1]));
}

#[test]
fn what_is_not_taken_stays() {
    let mut input = typed(b"once\n");
    assert_eq!(input.line(LINE, |_| ()), Some(&b"once\n"[..]));
    let echoed_again = |bytes: &[u8]| panic!("{bytes:?}");
    assert_eq!(input.line(LINE, echoed_again), Some(&b"once\n"[..]));
}

#[test]
fn what_comes_while_nobody_reads_is_kept_as_far_as_there_is_room_and_the_rest_is_counted() {
    let mut input = typed(&[b'x'; KEPT + 44]);
    assert_eq!(input.lost(), 44);
    assert_eq!(keys(&mut input).len(), KEPT);
    input.push(b'y');
    assert_eq!((keys(&mut input), input.lost()), (b"y".to_vec(), 44));
}

#[test]
fn a_line_is_full_before_a_character_that_does_not_fit_whole() {
    for character in ["é", "€", "🚲"] {
        for room in 0..character.len() {
            let text = "x".repeat(LINE - 1 - room);
            let mut input = Input::new();
            let mut echo = Vec::new();
            for byte in text.bytes().chain(character.bytes().cycle().take(8)) {
                input.push(byte);
                assert_eq!(
                    input.line(LINE, |bytes| echo.extend_from_slice(bytes)),
                    None
                );
            }
            assert_eq!(
                echo,
                [text.as_bytes(), &[7; 8]].concat(),
                "{character} in {room}"
            );
            assert_eq!(input.lost(), 8);
            // What fits still does.
            let rest = "y".repeat(room) + "\n";
            rest.bytes().for_each(|byte| input.push(byte));
            let (line, _) = read(&mut input);
            assert_eq!(line, Some(text + &rest), "{character} in {room}");
        }
    }
}

#[test]
fn a_line_that_is_too_long_is_cut_heard_and_counted() {
    let mut input = Input::new();
    let mut echo = Vec::new();
    for _ in 0..LINE + 9 {
        input.push(b'x');
        assert_eq!(
            input.line(LINE, |bytes| echo.extend_from_slice(bytes)),
            None
        );
    }
    assert_eq!(input.lost(), 10);
    assert_eq!(&echo[LINE - 1..], [7; 10]);
    input.push(b'\n');
    let line = line(&mut input).expect("a line");
    assert_eq!(line.len(), LINE);
    assert!(line.ends_with("x\n"), "{line}");
}
