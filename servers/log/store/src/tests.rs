use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::vec::Vec;

use super::*;

/// Memory whose owner is ended before one of its stores.
struct Mortal {
    words: Rc<[Cell<u32>]>,
    stores_left: usize,
}

impl Mortal {
    fn memory(words: usize) -> Rc<[Cell<u32>]> {
        (0..words).map(|_| Cell::new(0)).collect()
    }

    fn immortal(words: &Rc<[Cell<u32>]>) -> Mortal {
        Mortal {
            words: Rc::clone(words),
            stores_left: usize::MAX,
        }
    }
}

impl Memory for Mortal {
    fn words(&self) -> usize {
        self.words.len()
    }

    fn load(&self, position: usize) -> u32 {
        self.words[position].get()
    }

    fn store(&mut self, position: usize, value: u32) {
        match self.stores_left.checked_sub(1) {
            Some(left) => self.stores_left = left,
            None => resume_unwind(Box::new("ended")),
        }
        self.words[position].set(value);
    }
}

fn all<M: Memory>(store: &Store<M>) -> Vec<(u64, usize, String)> {
    let mut records = Vec::new();
    let mut room = [0; LONGEST];
    let mut from = 0;
    while let Some((client, record, length)) = store.read(from, &mut room) {
        let text = String::from_utf8(room[..length].to_vec()).expect("text went in");
        records.push((record.sequence, client, text));
        from = record.sequence + 1;
    }
    records
}

fn opened(words: &Rc<[Cell<u32>]>, clients: usize) -> (Store<Mortal>, Held) {
    Store::open(Mortal::immortal(words), clients).expect("it is large enough")
}

#[test]
fn records_of_all_clients_are_read_in_the_order_in_which_they_came() {
    let words = Mortal::memory(600);
    let (mut store, held) = opened(&words, 3);
    assert_eq!(held, Held::Nothing);
    store.push(2, 1, 10, "a");
    store.push(0, 5, 20, "bcdef");
    store.push(2, 3, u64::MAX, "");
    let mut room = [0; LONGEST];
    let (client, record, length) = store.read(1, &mut room).expect("three are there");
    assert_eq!((client, length, &room[..5]), (0, 5, b"bcdef".as_slice()));
    let expected = Record {
        sequence: 1,
        time: 20,
        level: 5,
        length: 5,
    };
    assert_eq!(record, expected);
    let (_, record, _) = store.read(2, &mut room).expect("three are there");
    assert_eq!((record.time, record.level, record.length), (u64::MAX, 3, 0));
    assert!(store.read(3, &mut room).is_none());
    assert_eq!(store.next(), 3);
}

#[test]
fn a_flood_of_one_client_costs_the_others_no_record() {
    let words = Mortal::memory(600);
    let (mut store, _) = opened(&words, 2);
    store.push(0, 1, 0, "the only one");
    (0..1000).for_each(|n| store.push(1, 5, n, &format!("flood {n}")));
    let records = all(&store);
    assert_eq!(records[0], (0, 0, "the only one".into()));
    let flood: Vec<u64> = records[1..]
        .iter()
        .map(|(sequence, ..)| *sequence)
        .collect();
    let newest: Vec<u64> = (1001 - flood.len() as u64..1001).collect();
    assert!(flood.len() > 5);
    assert_eq!(flood, newest, "the newest ones, all of them");
}

#[test]
fn a_text_that_is_too_long_is_cut_between_two_characters() {
    let words = Mortal::memory(600);
    let (mut store, _) = opened(&words, 1);
    store.push(0, 1, 0, &format!("x{}", "ü".repeat(LONGEST)));
    let [(_, _, text)] = &all(&store)[..] else {
        panic!("it is one record");
    };
    assert_eq!(text.len(), LONGEST - 1);
    assert!(text.ends_with('ü'));
}

#[test]
fn a_text_comes_as_far_as_there_is_room() {
    let words = Mortal::memory(600);
    let (mut store, _) = opened(&words, 1);
    store.push(0, 1, 0, "abcdef");
    let mut room = [0; 5];
    let (_, record, length) = store.read(0, &mut room).expect("it is there");
    assert_eq!((record.length, length, &room), (6, 5, b"abcde"));
}

#[test]
fn memory_that_is_too_small_is_refused_with_what_would_do() {
    for clients in [0, 1, 7] {
        let Err(TooSmall(bytes)) = Store::open(Mortal::immortal(&Mortal::memory(2)), clients)
        else {
            panic!("two words are no log");
        };
        let store = Store::open(Mortal::immortal(&Mortal::memory(bytes / 4)), clients);
        assert_eq!(store.is_ok(), clients > 0);
        if let Ok((mut store, _)) = store {
            store.push(clients - 1, 1, 0, &"x".repeat(LONGEST));
            assert_eq!(all(&store).len(), 1);
        }
    }
}

#[test]
fn another_number_of_clients_begins_a_new_log() {
    let words = Mortal::memory(600);
    opened(&words, 2).0.push(1, 1, 0, "old");
    assert_eq!(opened(&words, 2).1, Held::Log { damaged: 0 });
    let (store, held) = opened(&words, 3);
    assert_eq!((held, all(&store)), (Held::Nothing, vec![]));
}

/// Ends the server before each of its stores, over as many records as go round both rings several times.
#[test]
fn wherever_the_server_is_ended_its_log_is_whole_when_it_starts_again() {
    const RECORDS: usize = 40;
    let text = |n: usize| format!("{n:0width$}", width = 1 + n * 37 % LONGEST);
    let client = |n: usize| n * 3 / 4 % 2;
    let push = |store: &mut Store<Mortal>, n| store.push(client(n), 1, n as u64, &text(n));
    for stores in 0.. {
        let words = Mortal::memory(3 + 2 * (LEAST_WORDS + 3));
        let mortal = Mortal {
            words: Rc::clone(&words),
            stores_left: stores,
        };
        // How many were there when the end came: one more may be on its way.
        let mut there = 0;
        let life = catch_unwind(AssertUnwindSafe(|| {
            let (mut store, _) = Store::open(mortal, 2).expect("it is large enough");
            for n in 0..RECORDS {
                push(&mut store, n);
                there = n + 1;
            }
        }));
        let (mut store, held) = opened(&words, 2);
        assert!(held == Held::Log { damaged: 0 } || there == 0, "{stores}");
        let records = all(&store);
        for (sequence, of, kept) in &records {
            let n = *sequence as usize;
            assert_eq!((kept, *of), (&text(n), client(n)), "{stores}");
        }
        // The newest ones of each client, without a gap; none that was there longest is missing alone.
        for of in 0..2 {
            let kept = records.iter().filter(|(_, it, _)| *it == of);
            let kept: Vec<usize> = kept.map(|(sequence, ..)| *sequence as usize).collect();
            let end = kept.last().map_or(0, |last| last + 1).max(there);
            let newest: Vec<usize> = (0..end).filter(|n| client(*n) == of).collect();
            assert!(newest.ends_with(&kept), "{stores}: {kept:?} of {newest:?}");
        }
        let next = store.next() as usize;
        assert!(
            (there..=there + 1).contains(&next),
            "{stores}: {next} of {there}"
        );
        // It goes on.
        store.push(0, 1, 0, "next");
        assert_eq!(all(&store).last().map(|last| last.2.as_str()), Some("next"));
        if life.is_ok() {
            break;
        }
    }
}

#[test]
fn a_ring_that_is_damaged_is_emptied_and_counted_and_the_others_stay() {
    let words = Mortal::memory(600);
    let (mut store, _) = opened(&words, 3);
    (0..3).for_each(|client| store.push(client, 1, 0, "whole"));
    let ring = HEAD + store.words;
    drop(store);
    let whole: Vec<u32> = words.iter().map(Cell::get).collect();
    for bit in 0..32 {
        for word in [ring, ring + 1, ring + 2] {
            words[word].set(whole[word] ^ 1 << bit);
            let (store, held) = opened(&words, 3);
            let records = all(&store);
            let others = records.iter().filter(|(_, client, _)| *client != 1).count();
            assert_eq!(others, 2, "bit {bit} of word {word}");
            let is_told = held == Held::Log { damaged: 1 } || records.len() == 3;
            assert!(is_told, "bit {bit} of word {word}: {held:?}");
            words
                .iter()
                .zip(&whole)
                .for_each(|(word, value)| word.set(*value));
        }
    }
}

#[test]
fn a_sequence_that_no_log_comes_to_is_damage() {
    for sequence in [u64::MAX, u64::MAX - 1, 1 << 63] {
        let words = Mortal::memory(300);
        let (mut store, _) = opened(&words, 2);
        store.push(0, 1, 0, "whole");
        store.push(1, 1, 0, "damaged");
        // Behind the second ring's ends and the record's first word.
        let at = HEAD + (300 - HEAD) / 2 + 3;
        assert_eq!(words[at].get(), 1);
        words[at].set(sequence as u32);
        words[at + 1].set((sequence >> 32) as u32);
        let (mut store, held) = opened(&words, 2);
        assert_eq!(held, Held::Log { damaged: 1 }, "{sequence}");
        store.push(1, 1, 0, "a");
        store.push(1, 1, 0, "b");
        let (store, held) = opened(&words, 2);
        assert_eq!(held, Held::Log { damaged: 0 });
        assert_eq!(all(&store).len(), 3);
    }
}
