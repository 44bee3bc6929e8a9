mod made;
mod model;
mod waiting;

use std::collections::VecDeque;

use super::*;

type Small = Store<2, 6, 16>;

fn name(text: &str) -> Name {
    Name::new(text.as_bytes()).expect("it is short")
}

fn named(text: &str) -> Key {
    Key::Name(name(text))
}

/// Two pipes, of 4 bytes and of 12, and the ends of the first one.
fn pipes() -> (Small, End, End) {
    let mut pipes = Small::new();
    assert_eq!(pipes.add(name("a"), 4), Ok(()));
    assert_eq!(pipes.add(name("b"), 12), Ok(()));
    let write = pipes
        .open(1, named("a"), Side::Write, 3)
        .expect("it is there");
    let read = pipes
        .open(2, named("a"), Side::Read, 3)
        .expect("it is there");
    (pipes, write, read)
}

#[test]
fn what_cannot_be_a_pipe_is_refused() {
    let (mut pipes, ..) = pipes();
    assert_eq!(pipes.add(name("c"), 1), Err(Refused::BadPipe), "no room");
    let mut pipes = Small::new();
    assert_eq!(pipes.add(name("a"), 0), Err(Refused::BadPipe));
    assert_eq!(pipes.add(name("a"), 17), Err(Refused::BadPipe));
    assert_eq!(pipes.add(name("a"), 1), Ok(()));
    assert_eq!(pipes.add(name("a"), 1), Err(Refused::BadPipe), "twice");
    assert!(Name::new(b"").is_none() && Name::new(&[b'x'; 17]).is_none());
    let found = pipes.open(1, named("b"), Side::Read, 1);
    assert_eq!(found, Err(Refused::NoSuchPipe));
}

#[test]
fn bytes_that_begin_anew_at_the_front_come_in_two_pieces() {
    let (mut pipes, ..) = pipes();
    pipes.push(0, b"abc");
    assert_eq!(pipes.second(0), b"");
    pipes.take(0, 2);
    pipes.push(0, b"def");
    assert_eq!(
        (pipes.first(0), pipes.second(0)),
        (Ok(b"cd".as_slice()), b"ef".as_slice())
    );
    pipes.take(0, 3);
    assert_eq!(
        (pipes.first(0), pipes.second(0)),
        (Ok(b"f".as_slice()), b"".as_slice())
    );
}

#[test]
fn bytes_come_out_as_they_went_in_whatever_the_lengths() {
    let (mut pipes, ..) = pipes();
    let mut expected = VecDeque::new();
    let mut next = 0_u8;
    for step in 0..1000_usize {
        let bytes: Vec<u8> = (0..step % 5).map(|n| next.wrapping_add(n as u8)).collect();
        if let Ok(room) = pipes.room(0, bytes.len()) {
            assert_eq!(
                room,
                bytes.len(),
                "a pipe that can hold them takes all or none"
            );
            pipes.push(0, &bytes);
            next = next.wrapping_add(bytes.len() as u8);
            expected.extend(bytes);
        }
        let taken = match pipes.first(0) {
            Ok(first) => first[..first.len().min(step % 3)].to_vec(),
            Err(why) => {
                assert_eq!((why, expected.len()), (Refused::NotYet, 0));
                continue;
            }
        };
        pipes.take(0, taken.len());
        let came: Vec<u8> = expected.drain(..taken.len()).collect();
        assert_eq!(taken, came);
    }
    assert!(next > 0);
}

#[test]
fn a_write_that_a_pipe_could_hold_goes_in_whole_or_not_at_all() {
    let (mut pipes, ..) = pipes();
    pipes.push(0, b"ab");
    assert_eq!(pipes.room(0, 3), Err(Refused::NotYet));
    assert_eq!(pipes.room(0, 2), Ok(2));
    assert_eq!(pipes.room(0, 5), Ok(2), "a longer one goes in parts");
    pipes.push(0, b"cd");
    assert_eq!(pipes.room(0, 5), Err(Refused::NotYet));
    assert_eq!(pipes.room(0, 0), Ok(0));
}

#[test]
fn a_reader_waits_for_the_first_writer_and_finds_the_end_after_the_last() {
    let mut pipes = Small::new();
    pipes.add(name("a"), 4).expect("there is room");
    let read = pipes
        .open(2, named("a"), Side::Read, 3)
        .expect("it is there");
    assert_eq!(pipes.first(0), Err(Refused::NotYet));
    let writers = [1, 3].map(|owner| pipes.open(owner, named("a"), Side::Write, 3));
    let [first, second] = writers.map(|end| end.expect("there is room"));
    pipes.push(0, b"x");
    assert_eq!(pipes.close(1, first), Ok(0));
    assert_eq!(pipes.close(3, second), Ok(0));
    assert_eq!(
        pipes.first(0),
        Ok(b"x".as_slice()),
        "what was written stays"
    );
    pipes.take(0, 1);
    assert_eq!(pipes.first(0), Ok(b"".as_slice()));
    assert_eq!(pipes.close(2, read), Ok(0));
    // Nobody is left: it is as at first.
    pipes
        .open(2, named("a"), Side::Read, 3)
        .expect("it is there");
    assert_eq!(pipes.first(0), Err(Refused::NotYet));
}

#[test]
fn a_writer_waits_for_the_first_reader_and_is_refused_after_the_last() {
    let mut pipes = Small::new();
    pipes.add(name("a"), 4).expect("there is room");
    let write = pipes
        .open(1, named("a"), Side::Write, 3)
        .expect("it is there");
    assert_eq!(pipes.room(0, 4), Ok(4));
    pipes.push(0, b"abcd");
    let read = pipes
        .open(2, named("a"), Side::Read, 3)
        .expect("it is there");
    assert_eq!(pipes.close(2, read), Ok(0));
    assert_eq!(pipes.room(0, 1), Err(Refused::NoReader));
    // What nobody has read is for the next reader.
    pipes
        .open(2, named("a"), Side::Read, 3)
        .expect("it is there");
    assert_eq!(pipes.first(0), Ok(b"abcd".as_slice()));
    assert_eq!(pipes.close(1, write), Ok(0));
}

#[test]
fn an_end_is_its_owners_on_its_side_and_until_it_is_closed() {
    let (mut pipes, write, read) = pipes();
    assert_eq!(pipes.pipe(1, write, Side::Write), Ok(0));
    for (owner, end, side) in [
        (2, write, Side::Write),
        (1, write, Side::Read),
        (1, read, Side::Read),
        (1, End(write.0 + (1 << 8)), Side::Write),
        (1, End(u32::MAX), Side::Write),
    ] {
        assert_eq!(pipes.pipe(owner, end, side), Err(Refused::BadEnd));
    }
    assert_eq!(pipes.close(2, write), Err(Refused::BadEnd));
    assert_eq!(pipes.close(1, write), Ok(0));
    assert_eq!(pipes.close(1, write), Err(Refused::BadEnd));
    let again = pipes
        .open(1, named("a"), Side::Write, 3)
        .expect("there is room");
    assert_ne!(again, write);
    assert_eq!(pipes.pipe(1, write, Side::Write), Err(Refused::BadEnd));
}

#[test]
fn an_owner_has_as_many_ends_as_it_may_and_loses_all_when_it_ends() {
    let (mut pipes, ..) = pipes();
    for _ in 0..2 {
        assert!(pipes.open(1, named("b"), Side::Write, 3).is_ok());
    }
    let refused = pipes.open(1, named("b"), Side::Write, 3);
    assert_eq!(refused, Err(Refused::TooManyEnds));
    assert!(pipes.open(2, named("b"), Side::Read, 3).is_ok());
    let left = std::iter::from_fn(|| {
        let end = pipes.end_of(1)?;
        Some(pipes.close(1, end).expect("it is its own"))
    });
    let left: Vec<usize> = left.collect();
    assert_eq!(left, [0, 1, 1]);
    assert_eq!(
        pipes.first(1),
        Ok(b"".as_slice()),
        "its readers find the end"
    );
    assert!(pipes.open(1, named("b"), Side::Write, 3).is_ok());
}
