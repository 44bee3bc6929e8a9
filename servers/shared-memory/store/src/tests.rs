use super::{Name, Objects, Refused};

type Small = Objects<&'static str, 4, 2>;

fn name(text: &str) -> Name {
    Name::new(text.as_bytes()).expect("a name")
}

fn shared() -> Small {
    let mut objects = Small::new();
    assert!(objects.share(2, 2));
    objects
}

fn make(objects: &mut Small, maker: usize, text: &str) -> Result<u64, Refused> {
    let made = objects.make(maker, name(text), "memory", 64, 100);
    made.map(|it| it.number).map_err(|(why, _)| why)
}

#[test]
fn a_name_has_1_to_31_bytes_and_neither_a_slash_nor_a_zero() {
    assert!(Name::new(&[b'a'; 31]).is_some() && Name::new(b"a.b-c_d e").is_some());
    for bad in [&[b'a'; 32][..], b"", b"a/b", b"/a", b"a\0", b"\0"] {
        assert_eq!(Name::new(bad), None);
    }
}

#[test]
fn nobody_has_more_names_than_its_share_so_that_others_have_theirs() {
    let mut objects = shared();
    assert!(make(&mut objects, 0, "a").is_ok() && make(&mut objects, 0, "b").is_ok());
    assert_eq!(make(&mut objects, 0, "c"), Err(Refused::TooMany));
    assert!(make(&mut objects, 1, "c").is_ok() && make(&mut objects, 1, "d").is_ok());
    assert_eq!(make(&mut objects, 1, "e"), Err(Refused::TooMany));
    assert_eq!(objects.unlink(Some(0), name("a")), Ok("memory"));
    assert!(make(&mut objects, 0, "e").is_ok());
    // Who is no maker makes none.
    assert_eq!(make(&mut objects, 2, "f"), Err(Refused::TooMany));
}

#[test]
fn shares_that_cannot_all_be_used_up_are_refused() {
    let mut objects = Small::new();
    assert!(objects.share(2, 2) && objects.share(1, 4) && objects.share(0, 9));
    assert!(!objects.share(2, 3) && !objects.share(3, 1) && !objects.share(2, usize::MAX));
}

#[test]
fn a_name_is_one_objects_until_its_maker_takes_it_away() {
    let mut objects = shared();
    assert!(make(&mut objects, 0, "a").is_ok());
    assert_eq!(make(&mut objects, 1, "a"), Err(Refused::Exists));
    assert_eq!(objects.unlink(Some(1), name("a")), Err(Refused::NotMaker));
    assert_eq!(objects.unlink(None, name("a")), Err(Refused::NotMaker));
    assert!(objects.find(name("a")).is_some());
    assert_eq!(objects.unlink(Some(0), name("a")), Ok("memory"));
    assert_eq!(objects.unlink(Some(0), name("a")), Err(Refused::NoSuchName));
    assert!(objects.find(name("a")).is_none() && make(&mut objects, 1, "a").is_ok());
}

#[test]
fn no_two_objects_have_the_same_number_whatever_the_clock_says() {
    let mut objects = shared();
    let mut last = 0;
    for _ in 0..100 {
        let number = make(&mut objects, 0, "a").expect("room");
        assert!(number > last && number >= 100);
        last = number;
        assert!(objects.unlink(Some(0), name("a")).is_ok());
    }
}

#[test]
fn a_size_is_that_of_who_said_it_last_up_to_the_room_and_ends_with_the_name() {
    let mut objects = shared();
    let number = make(&mut objects, 0, "a").expect("room");
    assert_eq!(objects.size(number), Ok(0));
    assert_eq!(objects.resize(number, 64), Ok(()));
    assert_eq!(objects.resize(number, 65), Err(Refused::TooLarge));
    assert_eq!(objects.size(number), Ok(64));
    assert_eq!(objects.size(number + 1), Err(Refused::NoSuchName));
    assert!(objects.unlink(Some(0), name("a")).is_ok());
    assert_eq!(objects.size(number), Err(Refused::NoSuchName));
    assert_eq!(objects.resize(number, 1), Err(Refused::NoSuchName));
}
