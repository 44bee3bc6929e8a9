//! Random operations, beside a model that knows pipes and their ends and nothing of places.

use super::*;

const OWNERS: usize = 3;
const SHARE: usize = 2;
const SLOT: usize = 5;
const MOST_ENDS: usize = 4;
const STEPS: usize = 20_000;

type Played = Store<8, 12, 38>;

/// A number that nobody expects.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides
    }
}

struct Pipe {
    key: Option<Key>,
    maker: Option<u32>,
    capacity: usize,
    bytes: VecDeque<u8>,
    /// Who has an end for reading, and for writing.
    ends: [Vec<u32>; 2],
    /// Whether there was one.
    had: [bool; 2],
}

struct Open {
    owner: u32,
    end: End,
    side: Side,
    /// Which of all pipes that there have been.
    pipe: usize,
}

struct Model {
    pipes: Vec<Pipe>,
    open: Vec<Open>,
}

const fn index(side: Side) -> usize {
    match side {
        Side::Read => 0,
        Side::Write => 1,
    }
}

impl Pipe {
    fn new(key: Key, maker: Option<u32>, capacity: usize) -> Pipe {
        Pipe {
            key: Some(key),
            maker,
            capacity,
            bytes: VecDeque::new(),
            ends: [vec![], vec![]],
            had: [false; 2],
        }
    }

    fn has_gone(&self, side: Side) -> bool {
        self.ends[index(side)].is_empty() && (self.had[index(side)] || self.key.is_none())
    }

    fn counts(&self) -> bool {
        self.key.is_some() || self.ends.iter().any(|ends| !ends.is_empty())
    }

    fn close(&mut self, owner: u32, side: Side) {
        let ends = &mut self.ends[index(side)];
        let place = ends.iter().position(|it| *it == owner).expect("open");
        ends.remove(place);
        if self.ends.iter().any(|ends| !ends.is_empty()) {
            return;
        }
        match self.key {
            Some(Key::Name(_)) => {
                self.bytes.clear();
                self.had = [false; 2];
            }
            Some(Key::Number(_)) if self.had == [true; 2] => self.key = None,
            _ => {}
        }
    }

    fn readable(&self) -> Result<usize, Refused> {
        match self.bytes.len() {
            0 if !self.has_gone(Side::Write) => Err(Refused::NotYet),
            length => Ok(length),
        }
    }

    fn writable(&self, length: usize) -> Result<usize, Refused> {
        if self.has_gone(Side::Read) {
            return Err(Refused::NoReader);
        }
        let room = self.capacity - self.bytes.len();
        if length <= room {
            Ok(length)
        } else if length > self.capacity && room > 0 {
            Ok(room)
        } else {
            Err(Refused::NotYet)
        }
    }
}

impl Model {
    fn find(&self, key: Key) -> Result<usize, Refused> {
        let found = self.pipes.iter().position(|pipe| pipe.key == Some(key));
        found.ok_or(Refused::NoSuchPipe)
    }

    fn make(&self, owner: u32, capacity: usize) -> Result<(), Refused> {
        let own = self.pipes.iter().filter(|it| it.maker == Some(owner));
        if own.filter(|pipe| pipe.counts()).count() >= SHARE {
            return Err(Refused::TooManyPipes);
        }
        match capacity {
            1..=SLOT => Ok(()),
            _ => Err(Refused::BadCapacity),
        }
    }
}

struct Game {
    dice: Dice,
    store: Played,
    model: Model,
    next: u8,
    /// How often each outcome was seen, by its name.
    seen: std::collections::BTreeMap<String, usize>,
}

impl Game {
    fn saw<T>(&mut self, what: &str, found: &Result<T, Refused>) {
        let outcome = match found {
            Ok(_) => format!("{what}: done"),
            Err(why) => format!("{what}: {why:?}"),
        };
        *self.seen.entry(outcome).or_default() += 1;
    }

    /// A name, or the number of a pipe that there is or was.
    fn key(&mut self) -> Key {
        let names = ["always", "x", "y", "z"];
        let numbers = self.model.pipes.iter().filter_map(|pipe| pipe.key);
        let numbers: Vec<Key> = numbers
            .filter(|key| matches!(key, Key::Number(_)))
            .collect();
        match self.dice.roll(names.len() + 4) {
            n if n < names.len() => named(names[n]),
            _ if numbers.is_empty() => Key::Number(self.dice.roll(1 << 32) as u32),
            _ => numbers[self.dice.roll(numbers.len())],
        }
    }

    fn step(&mut self) {
        let owner = self.dice.roll(OWNERS) as u32 + 1;
        match self.dice.roll(20) {
            0..=1 => self.make(owner),
            2 => self.make_unnamed(owner),
            3 => self.remove(owner),
            4..=7 => self.open(owner),
            8..=9 => self.close(owner),
            10..=13 => self.write(),
            14..=17 => self.read(),
            18 => self.ready(owner),
            _ if self.dice.roll(10) == 0 => self.leave(owner),
            _ => {}
        }
    }

    fn make(&mut self, owner: u32) {
        let (name, capacity) = (["x", "y", "z"][self.dice.roll(3)], self.dice.roll(SLOT + 2));
        let expected = match self.model.find(named(name)) {
            Ok(_) => Err(Refused::Taken),
            Err(_) => self.model.make(owner, capacity),
        };
        let found = self.store.make(owner, super::name(name), capacity, SHARE);
        assert_eq!(found, expected);
        if found.is_ok() {
            let pipe = Pipe::new(named(name), Some(owner), capacity);
            self.model.pipes.push(pipe);
        }
        self.saw("make", &found);
    }

    fn make_unnamed(&mut self, owner: u32) {
        let capacity = self.dice.roll(SLOT + 2);
        let expected = self.model.make(owner, capacity);
        let found = self.store.make_unnamed(owner, capacity, SHARE);
        assert_eq!(found.map(drop), expected);
        if let Ok(number) = found {
            let key = Key::Number(number);
            assert!(self.model.find(key).is_err(), "a number comes once");
            self.model.pipes.push(Pipe::new(key, Some(owner), capacity));
        }
        self.saw("make without a name", &found);
    }

    fn remove(&mut self, owner: u32) {
        let key = self.key();
        let expected = self.model.find(key).and_then(|pipe| {
            let is_own = self.model.pipes[pipe].maker == Some(owner);
            is_own.then_some(pipe).ok_or(Refused::NotYours)
        });
        let found = self.store.remove(owner, key).map(drop);
        assert_eq!(found, expected.map(drop));
        if let Ok(pipe) = expected {
            self.model.pipes[pipe].key = None;
        }
        self.saw("remove", &found);
    }

    fn open(&mut self, owner: u32) {
        let key = self.key();
        let side = [Side::Read, Side::Write][self.dice.roll(2)];
        let own = self.model.open.iter().filter(|it| it.owner == owner);
        let has_room = own.count() < MOST_ENDS;
        let expected = self.model.find(key);
        let expected = expected.and_then(|pipe| match has_room {
            true => Ok(pipe),
            false => Err(Refused::TooManyEnds),
        });
        let found = self.store.open(owner, key, side, MOST_ENDS);
        assert_eq!(found.map(drop), expected.map(drop));
        if let (Ok(end), Ok(pipe)) = (found, expected) {
            self.model.pipes[pipe].ends[index(side)].push(owner);
            self.model.pipes[pipe].had[index(side)] = true;
            let open = Open {
                owner,
                end,
                side,
                pipe,
            };
            self.model.open.push(open);
        }
        self.saw("open", &found);
    }

    fn close(&mut self, owner: u32) {
        let count = self.model.open.len();
        if count == 0 {
            return;
        }
        let place = self.dice.roll(count);
        let end = self.model.open[place].end;
        let found = self.store.close(owner, end).map(drop);
        if self.model.open[place].owner == owner {
            assert_eq!(found, Ok(()));
            self.closed(place);
            let again = self.store.close(owner, end).map(drop);
            assert_eq!(again, Err(Refused::BadEnd), "an end is closed once");
        } else {
            assert_eq!(found, Err(Refused::BadEnd));
        }
        self.saw("close", &found);
    }

    fn closed(&mut self, place: usize) {
        let Open {
            owner, side, pipe, ..
        } = self.model.open.remove(place);
        self.model.pipes[pipe].close(owner, side);
    }

    /// One of the ends on this side: where it is in the model, and its pipe in the store.
    fn pick(&mut self, side: Side) -> Option<(usize, usize)> {
        let open = self.model.open.iter().filter(|it| it.side == side);
        let open: Vec<&Open> = open.collect();
        if open.is_empty() {
            return None;
        }
        let Open {
            owner, end, pipe, ..
        } = *open[self.dice.roll(open.len())];
        let found = self.store.pipe(owner, end, side);
        Some((pipe, found.expect("it is open")))
    }

    fn write(&mut self) {
        let Some((pipe, place)) = self.pick(Side::Write) else {
            return;
        };
        let length = self.dice.roll(SLOT + 5);
        let pipe = &mut self.model.pipes[pipe];
        let expected = pipe.writable(length);
        let found = self.store.room(place, length);
        assert_eq!(found, expected);
        if let Ok(room) = found {
            let bytes: Vec<u8> = (0..room).map(|n| self.next.wrapping_add(n as u8)).collect();
            self.next = self.next.wrapping_add(room as u8);
            self.store.push(place, &bytes);
            pipe.bytes.extend(bytes);
        }
        self.saw("write", &found);
    }

    fn read(&mut self) {
        let Some((pipe, place)) = self.pick(Side::Read) else {
            return;
        };
        let most = self.dice.roll(SLOT + 2);
        let pipe = &mut self.model.pipes[pipe];
        let expected = pipe.readable();
        let found = self.store.first(place).map(|bytes| bytes.to_vec());
        assert_eq!(
            found.as_ref().map(Vec::is_empty),
            expected.as_ref().map(|length| *length == 0)
        );
        if let Ok(mut bytes) = found {
            bytes.truncate(most);
            self.store.take(place, bytes.len());
            let expected: Vec<u8> = pipe.bytes.drain(..bytes.len()).collect();
            assert_eq!(bytes, expected, "another pipe's bytes, or another order");
        }
        self.saw("read", &expected);
    }

    fn ready(&mut self, owner: u32) {
        let count = self.model.open.len();
        if count == 0 {
            return;
        }
        let open = &self.model.open[self.dice.roll(count)];
        let pipe = &self.model.pipes[open.pipe];
        let expected = match open.side {
            _ if open.owner != owner => Err(Refused::BadEnd),
            Side::Read => pipe.readable(),
            Side::Write => pipe.writable(usize::MAX),
        };
        let found = self.store.ready(owner, open.end);
        assert_eq!(found.map(|(.., bytes)| bytes), expected);
        self.saw("ready", &expected);
    }

    fn leave(&mut self, owner: u32) {
        while self.store.abandon(owner).is_some() {}
        while let Some(end) = self.store.end_of(owner) {
            assert!(self.store.close(owner, end).is_ok());
        }
        let own = self.model.pipes.iter_mut();
        own.filter(|pipe| pipe.maker == Some(owner))
            .for_each(|pipe| pipe.key = None);
        while let Some(place) = self.model.open.iter().position(|it| it.owner == owner) {
            self.closed(place);
        }
        self.saw("leave", &Ok(()));
    }
}

#[test]
fn random_makers_readers_and_writers_see_what_a_naive_model_says() {
    for seed in 1..=20 {
        let mut store = Played::new();
        assert_eq!(store.add(name("always"), 8), Ok(()));
        assert_eq!(store.set_aside(OWNERS * SHARE, SLOT, seed), Ok(()));
        let always = Pipe::new(named("always"), None, 8);
        let mut game = Game {
            dice: Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            store,
            model: Model {
                pipes: vec![always],
                open: vec![],
            },
            next: 0,
            seen: std::collections::BTreeMap::new(),
        };
        for _ in 0..STEPS {
            game.step();
        }
        // What it never saw, it has not compared.
        for outcome in [
            "close: BadEnd",
            "close: done",
            "leave: done",
            "make without a name: BadCapacity",
            "make without a name: TooManyPipes",
            "make without a name: done",
            "make: BadCapacity",
            "make: Taken",
            "make: TooManyPipes",
            "make: done",
            "open: NoSuchPipe",
            "open: TooManyEnds",
            "open: done",
            "read: NotYet",
            "read: done",
            "ready: BadEnd",
            "ready: NoReader",
            "ready: NotYet",
            "ready: done",
            "remove: NoSuchPipe",
            "remove: NotYours",
            "remove: done",
            "write: NoReader",
            "write: NotYet",
            "write: done",
        ] {
            assert!(
                game.seen.contains_key(outcome),
                "seed {seed}: never {outcome}"
            );
        }
    }
}
