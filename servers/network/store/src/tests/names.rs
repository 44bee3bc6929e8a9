//! Names of hosts: who may ask, who is asked, and with which numbers. The other machine is a server of names.

use std::string::String;

use super::*;

const SERVER: IpAddress = IpAddress::v4(10, 0, 0, 2);
/// Nobody is there.
const DEAD: IpAddress = IpAddress::v4(10, 0, 0, 9);
/// Bytes before the name of a question.
const HEAD: usize = 12;

impl World<'_> {
    fn ask(
        &mut self,
        client: u32,
        name: &str,
        numbers: &mut Interface,
    ) -> Result<Question, Refused> {
        let (share, now) = (share_of(client), self.now);
        let store = &mut self.nodes[0].store;
        let name = name.as_bytes();
        store.ask(client, share, name, Families::Ipv4, numbers.context(), now)
    }

    /// Lets time pass, in which questions are asked anew as often as they have to be: what has become of each.
    fn wait(
        &mut self,
        questions: &[Question],
        name: &str,
        numbers: &mut Interface,
        time: Duration,
    ) -> Vec<Asked> {
        let end = self.now + time;
        let mut all = vec![Asked::Waits; questions.len()];
        while self.now < end {
            self.pass(Duration::from_millis(10));
            let now = self.now;
            let store = &mut self.nodes[0].store;
            for (asked, question) in all.iter_mut().zip(questions) {
                if *asked == Asked::Waits {
                    *asked = store.asked(ONE, *question).expect("it is under way");
                }
                if *asked == Asked::Again {
                    let context = numbers.context();
                    let again = store.ask_again(ONE, *question, name.as_bytes(), context, now);
                    assert_eq!(again, Ok(()));
                    *asked = Asked::Waits;
                }
            }
        }
        all
    }

    /// The questions that have come to the server.
    fn questions(&mut self, port: Number) -> Vec<(Vec<u8>, IpEndpoint)> {
        let store = &mut self.nodes[1].store;
        let mut all = Vec::new();
        while let Ok(one) =
            store.receive_from(OTHER, port, |bytes, from| Some((bytes.to_vec(), from)))
        {
            all.push(one);
        }
        all
    }

    /// Answers with one address, or with none and a code.
    fn answer(
        &mut self,
        port: Number,
        question: &[u8],
        to: IpEndpoint,
        found: Result<[u8; 4], u8>,
    ) {
        let mut bytes = question.to_vec();
        bytes[2] |= 0x80;
        match found {
            Ok(address) => {
                bytes[7] = 1;
                bytes.extend([0xC0, HEAD as u8, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4]);
                bytes.extend(address);
            }
            Err(code) => bytes[3] |= code,
        }
        let store = &mut self.nodes[1].store;
        assert_eq!(store.send_to(OTHER, port, to, &bytes), Ok(()));
        self.settle();
    }

    fn server(&mut self) -> Number {
        let store = &mut self.nodes[1].store;
        store
            .bind(OTHER, SHARE, 53, Families::Both)
            .expect("a port")
            .0
    }
}

/// An interface that has nothing but numbers.
fn numbers(seed: u64) -> Interface {
    let mut config = Config::new(EthernetAddress([2, 0, 0, 0, 0, 3]).into());
    config.random_seed = seed;
    Interface::new(config, &mut Cable::default(), Instant::ZERO)
}

fn found(last: u8) -> Asked {
    let mut found = Found::default();
    found.all[0] = Some(IpAddress::v4(10, 1, 0, last));
    Asked::Found(found)
}

#[test]
fn names_are_those_that_a_host_can_have() {
    let label = "a".repeat(63);
    let longest = [&*label, &*label, &*label, &*"b".repeat(61)].join(".");
    assert_eq!(longest.len(), LONGEST_NAME);
    for name in [
        "a",
        "7.a",
        "host.example",
        "host.example.",
        "a-b._c.d",
        &longest,
        &label,
    ] {
        let without = name.strip_suffix('.').unwrap_or(name);
        assert_eq!(name::check(name.as_bytes()), Ok(without));
    }
    assert_eq!(
        name::check(std::format!("{longest}.").as_bytes()),
        Ok(&*longest)
    );
    for name in [longest + "b", "a".repeat(64), "a.".repeat(300)] {
        assert_eq!(name::check(name.as_bytes()), Err(Refused::TooLong));
    }
    let no = [
        "",
        ".",
        "..",
        "a..b",
        ".a",
        "-a",
        "a-",
        "a.-b",
        "a b",
        "a/b",
        "10.0.0.256",
        "7",
        "a.7",
        "\u{f6}",
    ];
    for name in no {
        assert_eq!(
            name::check(name.as_bytes()),
            Err(Refused::Invalid),
            "{name}"
        );
    }
    assert_eq!(name::check(&[b'a', 0xFF]), Err(Refused::Invalid));
}

#[test]
fn nobody_asks_for_more_names_than_its_share_and_nobody_for_less() {
    world(|world| {
        let mut numbers = numbers(1);
        let none = world.ask(ONE, "host.test", &mut numbers);
        assert_eq!(none, Err(Refused::Unreachable));
        world.nodes[0].store.set_name_servers([DEAD]);
        let own = [(); 2].map(|()| {
            world
                .ask(ONE, "host.test", &mut numbers)
                .expect("a question")
        });
        let more = world.ask(ONE, "host.test", &mut numbers);
        assert_eq!(more, Err(Refused::TooMany));
        for _ in 2..NAMES {
            assert!(world.ask(GREEDY, "host.test", &mut numbers).is_ok());
        }
        let more = world.ask(GREEDY, "host.test", &mut numbers);
        assert_eq!(more, Err(Refused::TooMany));
        let store = &mut world.nodes[0].store;
        assert_eq!(store.asked(OTHER, own[0]), Err(Refused::BadNumber));
        store.forget(OTHER, own[0]);
        assert_eq!(store.asked(ONE, own[0]), Ok(Asked::Waits));
        store.forget(ONE, own[0]);
        assert_eq!(store.asked(ONE, own[0]), Err(Refused::BadNumber));
        let again = world
            .ask(ONE, "host.test", &mut numbers)
            .expect("a question");
        assert_ne!(again, own[0]);
        let (store, now) = (&mut world.nodes[0].store, world.now);
        assert_eq!(store.asked(ONE, own[0]), Err(Refused::BadNumber));
        for (client, question) in [(ONE, own[0]), (OTHER, again)] {
            let context = numbers.context();
            let other = store.ask_again(client, question, b"host.test", context, now);
            assert_eq!(other, Err(Refused::BadNumber));
        }
        let store = &mut world.nodes[0].store;
        store.abandon(GREEDY);
        assert_eq!(store.asked(ONE, again), Ok(Asked::Waits));
        for _ in 2..NAMES {
            assert!(world.ask(GREEDY, "host.test", &mut numbers).is_ok());
        }
    });
}

#[test]
fn answers_find_their_questions_in_any_order() {
    world(|world| {
        let mut numbers = numbers(1);
        let port = world.server();
        world.nodes[0].store.set_name_servers([SERVER]);
        let names = ["one.test", "other.test"];
        let asked = names.map(|name| world.ask(ONE, name, &mut numbers).expect("a question"));
        world.settle();
        let mut came = world.questions(port);
        assert_eq!(came.len(), 2);
        came.reverse();
        for (question, from) in &came {
            let last = question[HEAD];
            world.answer(port, question, *from, Ok([10, 1, 0, last]));
        }
        let store = &mut world.nodes[0].store;
        assert_eq!(store.asked(ONE, asked[0]), Ok(found(3)));
        assert_eq!(store.asked(ONE, asked[1]), Ok(found(5)));
        assert_eq!(store.asked(ONE, asked[1]), Err(Refused::BadNumber));
    });
}

#[test]
fn a_name_that_does_not_exist_is_not_asked_for_again_and_a_failure_is() {
    world(|world| {
        let mut numbers = numbers(1);
        let port = world.server();
        world.nodes[0].store.set_name_servers([SERVER]);
        for (code, expected) in [
            (3, Asked::Not(Refused::NoSuchName)),
            (0, Asked::Not(Refused::NoSuchName)),
            (2, Asked::Again),
            (5, Asked::Again),
        ] {
            let asked = world.ask(ONE, "host.test", &mut numbers).expect("one");
            world.settle();
            let came = world.questions(port);
            let (question, from) = came.last().expect("it has come");
            world.answer(port, question, *from, Err(code));
            let store = &mut world.nodes[0].store;
            assert_eq!(store.asked(ONE, asked), Ok(expected), "{code}");
            store.forget(ONE, asked);
        }
    });
}

#[test]
fn a_dead_server_costs_its_silence_once_however_many_ask() {
    world(|world| {
        let mut numbers = numbers(1);
        let port = world.server();
        world.nodes[0].store.set_name_servers([DEAD, SERVER]);
        let asked = [(); 2].map(|()| world.ask(ONE, "host.test", &mut numbers).expect("one"));
        world.wait(
            &asked,
            "host.test",
            &mut numbers,
            Duration::from_millis(4900),
        );
        assert_eq!(world.questions(port), []);
        world.wait(
            &asked,
            "host.test",
            &mut numbers,
            Duration::from_millis(500),
        );
        let came = world.questions(port);
        assert_eq!(came.len(), 2);
        for (question, from) in &came {
            world.answer(port, question, *from, Ok([10, 1, 0, 1]));
        }
        let store = &mut world.nodes[0].store;
        assert_eq!(asked.map(|it| store.asked(ONE, it)), [Ok(found(1)); 2]);
        // The next one finds the other server at once.
        assert!(world.ask(ONE, "host.test", &mut numbers).is_ok());
        world.settle();
        assert_eq!(world.questions(port).len(), 1);
    });
}

#[test]
fn a_question_ends_when_all_have_kept_silent_twice() {
    world(|world| {
        let mut numbers = numbers(1);
        let port = world.server();
        world.nodes[0].store.set_name_servers([DEAD, SERVER]);
        let asked = world.ask(ONE, "host.test", &mut numbers).expect("one");
        let long = Duration::from_millis(19_900);
        let waits = world.wait(&[asked], "host.test", &mut numbers, long);
        assert_eq!(waits, [Asked::Waits]);
        let little = Duration::from_millis(300);
        let over = world.wait(&[asked], "host.test", &mut numbers, little);
        assert_eq!(over, [Asked::Not(Refused::NameFailed)]);
        let came = world.questions(port);
        assert!(came.len() >= 3, "{}", came.len());
        // Each try has a number and a port of its own.
        let of = |(question, from): &(Vec<u8>, IpEndpoint)| ([question[0], question[1]], from.port);
        let (first, last) = (of(&came[0]), of(&came[came.len() - 1]));
        assert!(first.0 != last.0 && first.1 != last.1);
    });
}

#[test]
fn the_numbers_of_questions_have_nothing_to_do_with_those_of_streams() {
    let mut seen = Vec::new();
    for (seed, streams) in [(1, 0), (1, 3), (2, 0)] {
        world(|world| {
            let mut numbers = numbers(seed);
            let port = world.server();
            world.nodes[0].store.set_name_servers([SERVER]);
            for _ in 0..streams {
                world.nodes[0].connect(ONE, at(2, 9)).expect("a stream");
            }
            world.ask(ONE, "host.test", &mut numbers).expect("one");
            world.settle();
            let came = world.questions(port);
            seen.push((
                String::from_utf8_lossy(&came[0].0[..2]).into_owned(),
                came[0].1.port,
            ));
        });
    }
    assert_eq!(seen[0], seen[1]);
    assert!(seen[0].0 != seen[2].0 && seen[0].1 != seen[2].1);
}
