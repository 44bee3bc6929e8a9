use std::collections::BTreeMap;

use super::*;

type Small = Tree<8, 4>;

/// A keeper (badge 1) of `/dev/*` and `/ram`, one (2) of `/dev/*`; a finder of `/dev/*` (3), of `/ram` (4).
fn tree() -> (Small, [Client; 4]) {
    let mut tree = Small::new();
    for (badge, right, pattern) in [
        (1, Right::Register, "/dev/*"),
        (1, Right::Register, "/ram"),
        (2, Right::Register, "/dev/*"),
        (3, Right::Find, "/dev/*"),
        (4, Right::Find, "/ram"),
        (4, Right::Find, "/dev/a/b"),
    ] {
        assert!(tree.allow(badge, right, pattern));
    }
    let clients = [1, 2, 3, 4].map(|badge| tree.client(badge).expect("it is allowed something"));
    (tree, clients)
}

#[test]
fn what_is_no_name_is_refused() {
    for wrong in [
        "", "/", "a", "a/b", "///a", "//a//b", "/a/", "/a//b", "/a\0b", "/a b", "/*", "/ä",
    ] {
        assert_eq!(Name::new(wrong.as_bytes()), None, "{wrong:?}");
    }
    let longest = format!("/{}", "x".repeat(LONGEST - 1));
    assert!(Name::new(longest.as_bytes()).is_some());
    assert!(Name::new(format!("{longest}x").as_bytes()).is_none());
    assert!(Name::new(b"/a/B.c_d-9").is_some());
}

#[test]
fn a_name_is_its_own_bytes_alone_of_whatever_length() {
    let all = b"/abcdefghijklmnopqrstuvwxyz01234";
    for length in 2..=LONGEST {
        let name = Name::new(&all[..length]).unwrap();
        for other in 0..=LONGEST {
            assert_eq!(name.is(&all[..other]), other == length);
        }
        assert!(!name.is(&[all, &b"5"[..]].concat()));
        for place in 0..length {
            let mut other = *all;
            other[place] ^= 1;
            assert!(!name.is(&other[..length]), "{place} of {length}");
        }
    }
}

#[test]
fn a_path_leads_to_the_longest_name_that_it_is_or_is_below() {
    let (mut tree, [keeper, other, finder, _]) = tree();
    tree.register(keeper, 7, b"/dev/a").expect("it may");
    tree.register(other, 8, b"/dev/a/b").expect("it may");
    for (path, expected) in [
        ("/dev/a", Some((7, 6))),
        ("/dev/a/", Some((7, 6))),
        ("/dev/a/c", Some((7, 6))),
        ("/dev/a/b", Some((8, 8))),
        (
            "/dev/a/b/c/and/much/more/than/a/name/may/have",
            Some((8, 8)),
        ),
        ("/dev/ab", None),
        ("/dev", None),
        ("/", None),
        ("/dev//a", None),
    ] {
        let found = tree.locate(finder, path.as_bytes());
        let found = found.ok().map(|found| (found.provider, found.covered));
        assert_eq!(found, expected, "{path}");
    }
    for wrong in [
        "",
        "dev/a",
        "/dev/a\0",
        "/dev/a/b/c/and/much/more/than/a/name/may/\0",
    ] {
        let found = tree.locate(finder, wrong.as_bytes());
        assert_eq!(found, Err(Refused::BadName), "{wrong:?}");
    }
}

#[test]
fn a_client_sees_of_the_tree_what_it_may_find_as_if_the_rest_was_not_there() {
    let (mut tree, [keeper, _, finder, of_ram]) = tree();
    tree.register(keeper, 1, b"/ram").expect("it may");
    tree.register(keeper, 2, b"/dev/a").expect("it may");
    tree.register(keeper, 3, b"/dev/a/b").expect("it may");
    let provider = |client, path: &str| tree.locate(client, path.as_bytes()).map(|it| it.provider);
    assert_eq!(provider(of_ram, "/ram/x"), Ok(1));
    assert_eq!(provider(of_ram, "/dev/a"), Err(Refused::NoSuchName));
    assert_eq!(provider(of_ram, "/dev/a/b"), Ok(3));
    assert_eq!(provider(finder, "/ram"), Err(Refused::NoSuchName));
    assert_eq!(
        provider(keeper, "/ram"),
        Err(Refused::NoSuchName),
        "it has it"
    );
    assert!(tree.may_find(of_ram, b"/ram/x") && !tree.may_find(of_ram, b"/dev/a"));
    let seen = tree.changes(of_ram);
    tree.unregister(keeper, b"/dev/a").expect("it is its own");
    assert_eq!(tree.changes(of_ram), seen, "it could not see that");
    tree.unregister(keeper, b"/ram").expect("it is its own");
    assert_eq!(tree.changes(of_ram), seen + 1);
}

#[test]
fn a_name_is_its_owners_until_it_ends() {
    let (mut tree, [keeper, other, finder, _]) = tree();
    assert_eq!(tree.register(keeper, 1, b"/dev/a"), Ok(()));
    assert_eq!(tree.register(other, 2, b"/dev/a"), Err(Refused::Taken));
    assert_eq!(tree.unregister(other, b"/dev/a"), Err(Refused::NoSuchName));
    let seen = tree.changes(finder);
    assert_eq!(tree.register(keeper, 1, b"/dev/a"), Ok(()), "once more");
    assert_eq!(tree.changes(finder), seen);
    assert_eq!(
        tree.register(keeper, 3, b"/dev/a"),
        Ok(()),
        "for another channel"
    );
    assert_eq!(tree.locate(finder, b"/dev/a").map(|it| it.provider), Ok(3));
    tree.end(1);
    assert!(tree.locate(finder, b"/dev/a").is_ok());
    tree.end(3);
    assert_eq!(tree.locate(finder, b"/dev/a"), Err(Refused::NoSuchName));
    assert_eq!(tree.register(other, 2, b"/dev/a"), Ok(()));
}

#[test]
fn what_the_manifest_does_not_say_is_not_allowed() {
    let (mut tree, [keeper, other, finder, _]) = tree();
    for (client, name) in [
        (other, "/ram"),
        (keeper, "/ram/x"),
        (keeper, "/dev"),
        (keeper, "/device"),
        (finder, "/dev/a"),
    ] {
        let found = tree.register(client, 1, name.as_bytes());
        assert_eq!(found, Err(Refused::NotAllowed), "{name}");
    }
    assert!(tree.client(9).is_none());
}

#[test]
fn each_client_that_may_register_has_an_equal_share_of_the_names() {
    let (mut tree, [keeper, other, ..]) = tree();
    for number in 0..4 {
        let name = format!("/dev/{number}");
        assert_eq!(tree.register(keeper, 1, name.as_bytes()), Ok(()));
    }
    assert_eq!(tree.register(keeper, 1, b"/dev/x"), Err(Refused::TooMany));
    assert_eq!(tree.register(keeper, 1, b"/dev/3"), Ok(()), "it has that");
    for number in 4..8 {
        let name = format!("/dev/{number}");
        assert_eq!(tree.register(other, 1, name.as_bytes()), Ok(()));
    }
    assert_eq!(tree.unregister(keeper, b"/dev/0"), Ok(()));
    assert_eq!(tree.register(other, 1, b"/dev/x"), Err(Refused::TooMany));
    assert_eq!(tree.register(keeper, 1, b"/dev/x"), Ok(()));
}

#[test]
fn a_list_has_each_name_of_a_folder_once() {
    let (mut tree, [keeper, _, finder, _]) = tree();
    for name in ["/dev/a", "/dev/b", "/dev/a/c"] {
        tree.register(keeper, 1, name.as_bytes()).expect("it may");
    }
    for (folder, expected) in [
        ("/", vec!["/dev/a", "/dev/b", "/dev/a/c"]),
        ("", vec!["/dev/a", "/dev/b", "/dev/a/c"]),
        ("/dev/a", vec!["/dev/a", "/dev/a/c"]),
        ("/dev/a/", vec!["/dev/a", "/dev/a/c"]),
        ("/de", vec![]),
        ("x", vec![]),
    ] {
        let mut from = 0;
        let mut found = vec![];
        while let Some(listed) = tree.list(finder, folder.as_bytes(), from) {
            found.push(String::from_utf8(listed.name.as_bytes().to_vec()).expect("it is text"));
            from = listed.next;
        }
        assert_eq!(found, expected, "{folder}");
    }
    assert_eq!(tree.list(finder, b"/", usize::MAX), None);
}

#[test]
fn there_is_room_for_so_many_clients_and_patterns() {
    let mut tree = Small::new();
    for badge in 1..=CLIENTS as u32 {
        assert!(tree.allow(badge * 3, Right::Find, "/a"));
    }
    assert!(!tree.allow(1000, Right::Find, "/a"));
    assert_eq!(tree.clients(), CLIENTS);
    while tree.allow(3, Right::Find, "/b") {}
    let last = tree.client(3 * CLIENTS as u32).expect("it is there");
    assert_eq!(last.bit(), 1 << 31);
}

/// What a tree does, told slowly: names in order, and who has them.
#[derive(Default)]
struct Naive(BTreeMap<String, (Client, u8)>);

impl Naive {
    fn locate(&self, path: &str) -> Option<(u8, usize)> {
        let leads = |name: &&String| path == *name || path.starts_with(&format!("{name}/"));
        let longest = self.0.keys().filter(leads).max_by_key(|name| name.len())?;
        Some((self.0[longest].1, longest.len()))
    }
}

#[test]
fn whatever_comes_and_goes_a_tree_finds_what_a_naive_one_finds() {
    let mut state = 0x1234_5678_u32;
    let mut random = move |below: u32| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state % below
    };
    let mut tree = Tree::<24, 4>::new();
    for badge in [1, 2] {
        assert!(tree.allow(badge, Right::Register, "/*"));
    }
    assert!(tree.allow(3, Right::Find, "/*"));
    let clients = [1, 2, 3].map(|badge| tree.client(badge).expect("it is allowed something"));
    let finder = clients[2];
    let mut naive = Naive::default();
    let (mut full, mut found_some) = (0, 0);
    for _ in 0..200_000 {
        let parts = 1 + random(3);
        let path: String = (0..parts).map(|_| format!("/{}", random(4))).collect();
        let client = clients[random(2) as usize];
        let provider = random(5) as u8;
        match random(16) {
            0..6 => {
                let owned = naive.0.values().filter(|it| it.0 == client).count();
                let expected = match naive.0.get(&path) {
                    Some((owner, _)) if *owner != client => Err(Refused::Taken),
                    None if owned == 12 => Err(Refused::TooMany),
                    _ => Ok(()),
                };
                full += usize::from(expected == Err(Refused::TooMany));
                assert_eq!(tree.register(client, provider, path.as_bytes()), expected);
                if expected.is_ok() {
                    naive.0.insert(path, (client, provider));
                }
            }
            6..9 => {
                let own = naive.0.get(&path).is_some_and(|it| it.0 == client);
                let expected = if own {
                    Ok(())
                } else {
                    Err(Refused::NoSuchName)
                };
                assert_eq!(tree.unregister(client, path.as_bytes()), expected);
                if own {
                    naive.0.remove(&path);
                }
            }
            9 if random(10) == 0 => {
                tree.end(provider);
                naive.0.retain(|_, it| it.1 != provider);
            }
            10 if random(10) == 0 => {
                let mut listed = vec![];
                let mut from = 0;
                while let Some(it) = tree.list(finder, b"/", from) {
                    listed.push(String::from_utf8(it.name.as_bytes().to_vec()).expect("text"));
                    from = it.next;
                }
                listed.sort();
                assert!(listed.iter().eq(naive.0.keys()));
            }
            _ => {
                let found = tree.locate(finder, path.as_bytes()).ok();
                let found = found.map(|it| (it.provider, it.covered));
                found_some += usize::from(found.is_some());
                assert_eq!(found, naive.locate(&path), "{path}");
            }
        }
    }
    assert!(full > 100 && found_some > 1000, "{full} {found_some}");
}

#[test]
fn names_of_other_nodes_are_none_of_this_one() {
    let rome = Name::new(b"//rome/counter").unwrap();
    for (pattern, expected) in [
        ("//rome/counter", true),
        ("//rome/*", true),
        ("//*", true),
        ("/*", false),
        ("/rome/*", false),
        ("//paris/*", false),
    ] {
        assert_eq!(rome.is_said_by(pattern), expected, "{pattern}");
    }
    assert!(Name::new(b"/rome/counter").unwrap().is_said_by("/*"));
}
