//! Pipes that owners make and remove.

use super::*;

/// A pipe `a` that is always there, and two owners that can make two pipes each, of up to 3 bytes.
type Shared = Store<5, 8, 16>;

fn shared() -> Shared {
    let mut pipes = Shared::new();
    assert_eq!(pipes.add(name("a"), 4), Ok(()));
    assert_eq!(pipes.set_aside(4, 3, 0x0123_4567_89ab_cdef), Ok(()));
    pipes
}

fn open(pipes: &mut Shared, owner: u32, key: Key, side: Side) -> End {
    pipes.open(owner, key, side, 4).expect("it is there")
}

#[test]
fn places_that_there_is_no_room_for_are_refused() {
    let mut pipes = Shared::new();
    assert_eq!(pipes.add(name("a"), 4), Ok(()));
    assert_eq!(pipes.left(), 12);
    let bad = Err(Refused::BadPipe);
    assert_eq!(pipes.set_aside(5, 1, 0), bad, "five places, one taken");
    assert_eq!(pipes.set_aside(4, 4, 0), bad, "twelve bytes left");
    assert_eq!(pipes.set_aside(4, 0, 0), bad, "pipes of no bytes");
    assert_eq!(pipes.set_aside(4, usize::MAX, 0), bad);
    assert_eq!(pipes.set_aside(usize::MAX, 1, 0), bad);
    let refused = pipes.make(1, name("x"), 1, 1);
    assert_eq!(refused, Err(Refused::BadCapacity), "there is no place");
    assert_eq!(pipes.set_aside(4, 3, 0), Ok(()));
    assert_eq!(pipes.make(1, name("x"), 3, 1), Ok(()));
}

#[test]
fn a_pipe_is_made_once_within_its_makers_share() {
    let mut pipes = shared();
    assert_eq!(
        pipes.make(1, name("a"), 1, 2),
        Err(Refused::Taken),
        "it stays"
    );
    assert_eq!(pipes.make(1, name("x"), 0, 2), Err(Refused::BadCapacity));
    assert_eq!(pipes.make(1, name("x"), 4, 2), Err(Refused::BadCapacity));
    assert_eq!(pipes.make(1, name("x"), 3, 2), Ok(()));
    assert_eq!(pipes.make(2, name("x"), 3, 2), Err(Refused::Taken));
    assert!(pipes.make_unnamed(1, 3, 2).is_ok());
    assert_eq!(pipes.make(1, name("y"), 1, 2), Err(Refused::TooManyPipes));
    assert_eq!(pipes.make_unnamed(1, 1, 2), Err(Refused::TooManyPipes));
    assert_eq!(
        pipes.make(2, name("y"), 3, 2),
        Ok(()),
        "another one's share"
    );
    assert!(pipes.make_unnamed(2, 3, 2).is_ok());
}

#[test]
fn only_its_maker_removes_a_pipe_and_nobody_finds_it_then() {
    let mut pipes = shared();
    pipes.make(1, name("x"), 3, 2).expect("there is room");
    let number = pipes.make_unnamed(1, 3, 2).expect("there is room");
    for key in [named("x"), Key::Number(number)] {
        assert_eq!(pipes.remove(2, key), Err(Refused::NotYours));
        assert!(pipes.remove(1, key).is_ok());
        assert_eq!(pipes.remove(1, key), Err(Refused::NoSuchPipe));
        let found = pipes.open(1, key, Side::Read, 4);
        assert_eq!(found, Err(Refused::NoSuchPipe));
    }
    assert_eq!(pipes.remove(1, named("a")), Err(Refused::NotYours));
    let nobody = pipes.open(1, Key::Number(0), Side::Read, 4);
    assert_eq!(nobody, Err(Refused::NoSuchPipe));
}

#[test]
fn who_has_an_end_of_a_removed_pipe_keeps_it_and_it_counts_until_the_last_is_closed() {
    let mut pipes = shared();
    pipes.make(1, name("x"), 3, 2).expect("there is room");
    let write = open(&mut pipes, 1, named("x"), Side::Write);
    let read = open(&mut pipes, 2, named("x"), Side::Read);
    let pipe = pipes.remove(1, named("x")).expect("it is its own");
    // Another one of that name is another pipe.
    pipes.make(1, name("x"), 3, 2).expect("the name is free");
    assert_eq!(pipes.make(1, name("y"), 1, 2), Err(Refused::TooManyPipes));
    assert_eq!(pipes.room(pipe, 3), Ok(3));
    pipes.push(pipe, b"abc");
    assert_eq!(pipes.close(1, write), Ok(pipe));
    assert_eq!(pipes.first(pipe), Ok(b"abc".as_slice()));
    pipes.take(pipe, 3);
    assert_eq!(pipes.first(pipe), Ok(b"".as_slice()), "the end is told");
    assert_eq!(pipes.make(1, name("y"), 1, 2), Err(Refused::TooManyPipes));
    assert_eq!(pipes.close(2, read), Ok(pipe));
    assert_eq!(pipes.make(1, name("y"), 1, 2), Ok(()));
}

#[test]
fn nobody_waits_for_a_side_that_nobody_can_open_any_more() {
    let mut pipes = shared();
    for name in ["x", "y"] {
        pipes
            .make(1, super::name(name), 3, 2)
            .expect("there is room");
    }
    open(&mut pipes, 2, named("x"), Side::Write);
    open(&mut pipes, 2, named("y"), Side::Read);
    let [x, y] = ["x", "y"].map(|name| pipes.find(named(name)).expect("it is there"));
    assert_eq!(pipes.room(x, 1), Ok(1), "a reader may come");
    assert_eq!(pipes.first(y), Err(Refused::NotYet), "a writer may come");
    assert_eq!(pipes.abandon(1), Some(x));
    assert_eq!(pipes.abandon(1), Some(y));
    assert_eq!(pipes.abandon(1), None);
    assert_eq!(pipes.room(x, 1), Err(Refused::NoReader));
    assert_eq!(pipes.first(y), Ok(b"".as_slice()));
}

#[test]
fn what_is_written_to_a_number_waits_for_who_reads_it_later_and_then_it_is_gone() {
    let mut pipes = shared();
    let number = pipes.make_unnamed(1, 3, 2).expect("there is room");
    let key = Key::Number(number);
    let write = open(&mut pipes, 1, key, Side::Write);
    let pipe = pipes.pipe(1, write, Side::Write).expect("it is open");
    pipes.push(pipe, b"abc");
    pipes.close(1, write).expect("it is open");
    let read = open(&mut pipes, 2, key, Side::Read);
    assert_eq!(pipes.first(pipe), Ok(b"abc".as_slice()));
    pipes.take(pipe, 3);
    assert_eq!(pipes.first(pipe), Ok(b"".as_slice()));
    pipes.close(2, read).expect("it is open");
    let gone = pipes.open(2, key, Side::Read, 4);
    assert_eq!(gone, Err(Refused::NoSuchPipe));
    assert_eq!(pipes.abandon(1), None);
}

#[test]
fn a_reader_that_has_gone_from_a_number_is_told_to_who_writes_later() {
    let mut pipes = shared();
    let number = pipes.make_unnamed(1, 3, 2).expect("there is room");
    let read = open(&mut pipes, 2, Key::Number(number), Side::Read);
    pipes.close(2, read).expect("it is open");
    let write = open(&mut pipes, 1, Key::Number(number), Side::Write);
    let ready = pipes.ready(1, write).map(drop);
    assert_eq!(ready, Err(Refused::NoReader));
}

#[test]
fn numbers_do_not_come_again_and_are_not_near_each_other() {
    let draw = |key| {
        let mut numbers = Numbers::new(key);
        let drawn: Vec<u32> = (0..100_000).map(|_| numbers.draw()).collect();
        drawn
    };
    let (mut one, other) = (draw(7_000_000), draw(9_000_000));
    let steps = one.windows(2).map(|pair| pair[0].abs_diff(pair[1]));
    let near = steps.filter(|step| *step < 1 << 16).count();
    assert!(near < 10, "{near} of 100,000 are near the one before");
    let same = one.iter().zip(&other).filter(|(a, b)| a == b).count();
    assert!(same < 3, "another life has other numbers");
    one.sort_unstable();
    one.dedup();
    assert_eq!(one.len(), 100_000);
    assert!(!one.contains(&0));
}

#[test]
fn a_pipe_that_was_removed_has_no_link_and_another_one_of_its_name_has() {
    let mut pipes = shared();
    pipes.make(1, name("x"), 3, 2).expect("there is room");
    let end = open(&mut pipes, 2, named("x"), Side::Read);
    assert_eq!(pipes.links(2, end), Ok(1));
    assert_eq!(pipes.links(1, end), Err(Refused::BadEnd));
    pipes.remove(1, named("x")).expect("its own");
    pipes.make(1, name("x"), 3, 2).expect("there is room");
    let other = open(&mut pipes, 2, named("x"), Side::Read);
    assert_eq!((pipes.links(2, end), pipes.links(2, other)), (Ok(0), Ok(1)));
}

#[test]
fn readiness_is_what_a_read_or_a_write_would_do_now() {
    let mut pipes = shared();
    pipes.make(1, name("x"), 3, 2).expect("there is room");
    let write = open(&mut pipes, 1, named("x"), Side::Write);
    let read = open(&mut pipes, 2, named("x"), Side::Read);
    let pipe = pipes.pipe(1, write, Side::Write).expect("it is open");
    assert_eq!(pipes.ready(2, read), Err(Refused::NotYet));
    assert_eq!(pipes.ready(1, write), Ok((pipe, Side::Write, 3)));
    assert_eq!(pipes.ready(2, write), Err(Refused::BadEnd));
    pipes.push(pipe, b"ab");
    // Across the end of the ring, too.
    pipes.take(pipe, 2);
    pipes.push(pipe, b"cd");
    assert_eq!(pipes.ready(2, read), Ok((pipe, Side::Read, 2)));
    assert_eq!(pipes.ready(1, write), Ok((pipe, Side::Write, 1)));
    pipes.push(pipe, b"e");
    assert_eq!(pipes.ready(1, write), Err(Refused::NotYet));
    pipes.close(1, write).expect("it is open");
    assert_eq!(pipes.ready(2, read), Ok((pipe, Side::Read, 3)));
    pipes.take(pipe, 1);
    pipes.take(pipe, 2);
    assert_eq!(pipes.ready(2, read), Ok((pipe, Side::Read, 0)), "the end");
}

/// A pipe of owner 1's, whose ends it has, and owners 1 to 3.
fn handed_on() -> (Small, Key, [End; 2]) {
    let mut pipes = Small::new();
    pipes.set_aside(2, 8, 1).expect("there is room");
    (1..=3).for_each(|owner| pipes.introduce(owner, None));
    let number = pipes.make_unnamed(1, 8, 2).expect("there is room");
    let key = Key::Number(number);
    let ends = [Side::Read, Side::Write].map(|side| pipes.open(1, key, side, 3));
    (pipes, key, ends.map(|end| end.expect("it is there")))
}

fn has_ended(pipes: &Small, pipe: usize) -> bool {
    pipes.first(pipe) == Ok(b"".as_slice())
}

#[test]
fn a_side_that_somebody_is_to_open_has_not_ended() {
    let (mut pipes, key, [read, own]) = handed_on();
    let of_others = pipes.expect(2, key, Side::Write, Some(2));
    assert_eq!(of_others, Err(Refused::NotYours));
    let pipe = pipes.expect(1, key, Side::Write, Some(2)).expect("its own");
    pipes.close(1, own).expect("it is open");
    assert_eq!(pipes.first(pipe), Err(Refused::NotYet), "another one comes");
    let third = pipes.open(3, key, Side::Write, 3).expect("it is there");
    pipes.close(3, third).expect("it is open");
    assert!(!has_ended(&pipes, pipe), "it was not that one");
    let theirs = pipes.open(2, key, Side::Write, 3).expect("it is there");
    pipes.close(2, theirs).expect("it is open");
    assert!(has_ended(&pipes, pipe), "and has gone");
    assert_eq!(pipes.expect(1, key, Side::Write, Some(2)), Ok(pipe));
    assert!(
        has_ended(&pipes, pipe),
        "it has come before it was expected"
    );
    assert_eq!(pipes.expect(1, key, Side::Write, Some(3)), Ok(pipe));
    pipes.close(1, read).expect("it is open");
    let over = pipes.remove(1, key);
    assert_eq!(over, Err(Refused::NoSuchPipe), "all is over");
}

#[test]
fn who_ends_before_it_has_opened_a_side_is_as_if_it_had_come_and_gone() {
    for side in [Side::Read, Side::Write] {
        let (mut pipes, key, [read, write]) = handed_on();
        let [own, other] = match side {
            Side::Read => [read, write],
            Side::Write => [write, read],
        };
        let is_over = |pipes: &Small| match side {
            Side::Read => pipes.ready(1, write).map(drop) == Err(Refused::NoReader),
            Side::Write => pipes.ready(1, read).map(|it| it.2) == Ok(0),
        };
        for child in [2, 3] {
            assert!(pipes.expect(1, key, side, Some(child)).is_ok());
        }
        let pipe = pipes.close(1, own).expect("it is open");
        assert_eq!(pipes.give_up(2), Some(pipe));
        assert_eq!(pipes.give_up(2), None, "once");
        assert!(!is_over(&pipes), "another one is to come");
        assert_eq!(pipes.give_up(3), Some(pipe));
        assert!(is_over(&pipes));
        // The next life in its place is another one.
        assert!(pipes.expect(1, key, side, Some(2)).is_ok());
        assert!(!is_over(&pipes));
        let theirs = pipes.open(2, key, side, 3).expect("it is there");
        assert!(pipes.close(2, theirs).is_ok() && is_over(&pipes));
        assert_eq!(pipes.give_up(2), None, "it has come");
        assert!(pipes.expect(1, key, side, Some(2)).is_ok());
        assert!(!is_over(&pipes));
        assert_eq!(pipes.give_up(2), Some(pipe));
        assert!(pipes.close(1, other).is_ok());
        assert_eq!(pipes.remove(1, key), Err(Refused::NoSuchPipe));
    }
}

#[test]
fn who_never_comes_leaves_what_was_written_to_who_does() {
    let (mut pipes, _, _) = handed_on();
    let number = pipes.make_unnamed(1, 8, 2).expect("there is room");
    let key = Key::Number(number);
    // Nobody of the maker's opens it. One has ended already, the other one does before it has opened it.
    for (side, child) in [(Side::Read, Some(2)), (Side::Write, Some(3))] {
        assert!(pipes.expect(1, key, side, child).is_ok());
    }
    let read = pipes.open(2, key, Side::Read, 3).expect("it is there");
    assert_eq!(pipes.ready(2, read).map(drop), Err(Refused::NotYet));
    let pipe = pipes.give_up(3).expect("it was to come");
    assert!(has_ended(&pipes, pipe));
    assert!(pipes.close(2, read).is_ok());
    assert_eq!(pipes.remove(1, key), Err(Refused::NoSuchPipe));
    let number = pipes.make_unnamed(1, 8, 2).expect("there is room");
    let key = Key::Number(number);
    assert!(pipes.expect(1, key, Side::Read, None).is_ok());
    let write = pipes.open(3, key, Side::Write, 3).expect("it is there");
    assert_eq!(pipes.ready(3, write).map(drop), Err(Refused::NoReader));
}

#[test]
fn a_pipe_for_which_nobody_is_to_come_any_more_is_gone_when_both_have_been_there() {
    let mut pipes = shared();
    (1..=3).for_each(|owner| pipes.introduce(owner, None));
    let number = pipes.make_unnamed(1, 3, 1).expect("there is room");
    let key = Key::Number(number);
    for other in [2, 3] {
        assert!(pipes.expect(1, key, Side::Write, Some(other)).is_ok());
    }
    let reader = open(&mut pipes, 1, key, Side::Read);
    let writer = open(&mut pipes, 2, key, Side::Write);
    assert!(pipes.close(2, writer).is_ok() && pipes.close(1, reader).is_ok());
    // One is still to come.
    assert_eq!(pipes.make_unnamed(1, 3, 1), Err(Refused::TooManyPipes));
    assert!(pipes.give_up(3).is_some());
    assert!(pipes.make_unnamed(1, 3, 1).is_ok());
}

#[test]
fn an_owner_of_two_numbers_comes_by_either_and_ends_once() {
    let (mut pipes, key, [read, own]) = handed_on();
    pipes.introduce(4, Some(2));
    let pipe = pipes.expect(1, key, Side::Write, Some(2)).unwrap();
    pipes.close(1, own).unwrap();
    assert!(!has_ended(&pipes, pipe), "it is to come");
    let theirs = pipes.open(4, key, Side::Write, 3).unwrap();
    pipes.close(4, theirs).unwrap();
    assert!(has_ended(&pipes, pipe), "it has come, and gone");
    pipes.close(1, read).unwrap();
    let (mut pipes, key, [_, own]) = handed_on();
    pipes.introduce(4, Some(2));
    let pipe = pipes.expect(1, key, Side::Write, Some(4)).unwrap();
    pipes.close(1, own).unwrap();
    assert_eq!(pipes.give_up(2), Some(pipe));
    assert_eq!(pipes.give_up(4), None);
    assert!(has_ended(&pipes, pipe));
}

#[test]
fn the_pipe_of_a_fifo_is_there_while_somebody_has_an_end() {
    let mut pipes = shared();
    let write = pipes.open_node(1, (7, 1), Side::Write, 4, 2).unwrap();
    let read = pipes.open_node(2, (7, 1), Side::Read, 4, 2).unwrap();
    let pipe = pipes.pipe(1, write, Side::Write).unwrap();
    assert_eq!(
        pipes.pipe(2, read, Side::Read),
        Ok(pipe),
        "one node, one pipe"
    );
    assert_eq!(pipes.capacity(Key::Node(7)), Ok(pipes.slot()));
    assert_eq!(pipes.links(2, read), Ok(1));
    pipes.push(pipe, b"abc");
    pipes.close(2, read).unwrap();
    assert_eq!(
        pipes.room(pipe, 1),
        Err(Refused::NoReader),
        "as of any pipe"
    );
    let again = pipes.open_node(3, (7, 1), Side::Read, 4, 0).unwrap();
    assert_eq!(pipes.first(pipe), Ok(&b"abc"[..]), "a writer is there yet");
    pipes.close(1, write).unwrap();
    pipes.close(3, again).unwrap();
    assert_eq!(pipes.capacity(Key::Node(7)), Err(Refused::NoSuchPipe));
    let read = pipes.open_node(2, (7, 1), Side::Read, 4, 2).unwrap();
    let pipe = pipes.pipe(2, read, Side::Read).unwrap();
    assert_eq!(
        pipes.first(pipe),
        Err(Refused::NotYet),
        "what was in it has gone"
    );
}

#[test]
fn the_pipe_of_a_fifo_counts_for_the_fifos_maker() {
    let mut pipes = shared();
    let refused = pipes.open_node(1, (7, 1), Side::Read, 4, 0);
    assert_eq!(refused, Err(Refused::TooManyPipes));
    let refused = pipes.open_node(1, (7, 1), Side::Read, 0, 2);
    assert_eq!(refused, Err(Refused::TooManyEnds));
    assert_eq!(
        pipes.capacity(Key::Node(7)),
        Err(Refused::NoSuchPipe),
        "nothing has changed"
    );
    let first = pipes.open_node(1, (7, 1), Side::Read, 4, 2).unwrap();
    pipes.open_node(1, (8, 1), Side::Read, 4, 2).unwrap();
    let more = pipes.open_node(1, (9, 1), Side::Read, 4, 2);
    assert_eq!(more, Err(Refused::TooManyPipes));
    assert_eq!(pipes.make_unnamed(1, 1, 2), Err(Refused::TooManyPipes));
    let other = pipes.open_node(2, (7, 1), Side::Write, 4, 0).unwrap();
    // The payer has ended: the other one keeps its end, and whoever opens the FIFO now finds it there.
    assert_eq!(pipes.abandon(1), None);
    pipes.close(1, first).unwrap();
    let again = pipes.open_node(3, (7, 1), Side::Read, 4, 0).unwrap();
    let pipe = pipes.pipe(2, other, Side::Write).unwrap();
    assert_eq!(pipes.pipe(3, again, Side::Read), Ok(pipe));
    assert_eq!(
        pipes.open_node(1, (9, 1), Side::Read, 4, 2),
        Err(Refused::TooManyPipes),
        "it counts until the last has closed it"
    );
    pipes.close(2, other).unwrap();
    pipes.close(3, again).unwrap();
    assert!(pipes.open_node(1, (9, 1), Side::Read, 4, 2).is_ok());
}

#[test]
fn a_fifo_without_a_name_keeps_the_ends_that_are_open() {
    let mut pipes = shared();
    let read = pipes.open_node(1, (7, 1), Side::Read, 4, 2).unwrap();
    assert_eq!(pipes.met(1, read), Err(Refused::NotYet));
    let pipe = pipes.pipe(1, read, Side::Read).unwrap();
    assert_eq!(pipes.remove_node(8), None);
    assert_eq!(pipes.remove_node(7), Some(pipe));
    assert_eq!((pipes.links(1, read), pipes.met(1, read)), (Ok(0), Ok(())));
    // Another FIFO of that number is another one.
    let write = pipes.open_node(2, (7, 1), Side::Write, 4, 2).unwrap();
    assert_ne!(pipes.pipe(2, write, Side::Write), Ok(pipe));
    let mut none = Shared::new();
    let refused = none.open_node(1, (7, 1), Side::Read, 4, 2);
    assert_eq!(refused, Err(Refused::TooManyPipes), "without places");
}

#[test]
fn a_pipe_that_was_removed_waits_for_nobody_who_was_to_come() {
    for side in [Side::Read, Side::Write] {
        let (mut pipes, key, [read, write]) = handed_on();
        let own = if side == Side::Read { read } else { write };
        assert!(pipes.expect(1, key, side, Some(2)).is_ok());
        let pipe = pipes.close(1, own).expect("it is open");
        let is_over = |pipes: &Small| match side {
            Side::Read => pipes.room(pipe, 1) == Err(Refused::NoReader),
            Side::Write => has_ended(pipes, pipe),
        };
        assert!(!is_over(&pipes));
        assert_eq!(pipes.remove(1, key), Ok(pipe));
        assert!(is_over(&pipes));
    }
}

#[test]
fn no_more_is_put_than_there_is_room_for_and_no_more_taken_than_is_there() {
    let (mut pipes, _, [read, write]) = handed_on();
    let pipe = pipes.pipe(1, write, Side::Write).expect("it is open");
    pipes.push(pipe, b"abc");
    let free = pipes.free(pipe, 9).map(|piece| piece.len());
    assert_eq!(free, [5, 0]);
    pipes.put(pipe, 9);
    assert_eq!(pipes.ready(1, read), Ok((pipe, Side::Read, 8)));
    pipes.take(pipe, 9);
    assert_eq!(pipes.ready(1, read), Err(Refused::NotYet));
    assert_eq!(pipes.ready(1, write), Ok((pipe, Side::Write, 8)));
}
