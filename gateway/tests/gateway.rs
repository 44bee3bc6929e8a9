//! A gateway between boards, which are nodes of this test over sockets of this machine, and a zenoh network on the loopback.

use std::fmt::Debug;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use node_circuits::{Buffer, FRAME, Failure, LONGEST, Node, PART, PairKey, PeerSettings};
use riposte_gateway::program::{Client, Program, Task};
use riposte_gateway::{Config, Gateway, Peer, ROOM, Remote, Stop, Zenoh};
use zenoh::{Session, Wait};

const KEY: [u8; 32] = [7; 32];
const NAMES: [&str; 3] = ["/dev/sun", "/fails", "/secret"];
/// The first of them in the zenoh network, where the board is one of this cluster.
const SUN: &str = "riposte/plant/rome/dev/sun";

/// Longer than anything takes that happens at all.
const LONG: Duration = Duration::from_secs(300);
/// How long somebody waits for what does not happen.
const SHORT: Duration = Duration::from_secs(2);

/// What a board's program answers.
fn answer_of(name: &str, request: &[u8]) -> Result<(u32, Vec<u8>), Failure> {
    match name {
        "/fails" => Ok((42, vec![])),
        _ => Ok((0, request.iter().rev().copied().collect())),
    }
}

/// A request that a board makes.
struct Call {
    circuit: usize,
    bytes: Vec<u8>,
    patience: Duration,
    told: Sender<Result<(u32, Vec<u8>), Failure>>,
}

struct Waits(Call);

impl Client for Waits {
    fn bytes(&self) -> &[u8] {
        &self.0.bytes
    }

    fn answer(self: Box<Self>, answer: Result<(u32, Vec<u8>), Failure>) {
        self.0.told.send(answer).unwrap();
    }
}

/// A board: a node over a socket, which answers and asks.
struct Board {
    address: SocketAddr,
    calls: Arc<Mutex<Vec<Call>>>,
    /// Whether it hears anything.
    lives: Arc<AtomicBool>,
    /// Whether its program keeps what it is asked to itself.
    holds: Arc<AtomicBool>,
    /// How often it has been asked.
    asked: Arc<AtomicU64>,
    /// How often it has looked.
    turns: Arc<AtomicU64>,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Board {
    fn new(number: u8, gateway: u8, wants: &[&str], key: [u8; 32]) -> (Board, Sender<SocketAddr>) {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket
            .set_read_timeout(Some(Duration::from_millis(1)))
            .unwrap();
        let address = socket.local_addr().unwrap();
        let (calls, lives, ends) = (
            Arc::<Mutex<Vec<Call>>>::default(),
            Arc::new(AtomicBool::new(true)),
            Arc::new(AtomicBool::new(false)),
        );
        let mut node = Box::new(Node::new(number, u64::from(number) + 1000, LONGEST));
        let settings = PeerSettings {
            number: gateway,
            key: PairKey(key),
            band: (1, 9),
        };
        assert_eq!(node.add_peer(settings), Some(0));
        for name in wants {
            node.add_circuit(0, name.as_bytes()).unwrap();
        }
        let (where_to, address_of_gateway) = channel();
        let turns = Arc::<AtomicU64>::default();
        let turns_too = turns.clone();
        let (calls_too, lives_too, ends_too) = (calls.clone(), lives.clone(), ends.clone());
        let (holds, asked) = (Arc::<AtomicBool>::default(), Arc::<AtomicU64>::default());
        let (holds_too, asked_too) = (holds.clone(), asked.clone());
        let thread = std::thread::spawn(move || {
            let to = address_of_gateway.recv().unwrap();
            let begun = Instant::now();
            let mut program = Program::new();
            let mut names: Vec<(usize, String)> = vec![];
            let mut frame = [0; FRAME + 1];
            let mut buffer = Buffer::new();
            while !ends_too.load(Ordering::Relaxed) {
                turns_too.fetch_add(1, Ordering::SeqCst);
                let now = begun.elapsed().as_nanos() as u64;
                let hears = lives_too.load(Ordering::Relaxed);
                if let Ok((length, _)) = socket.recv_from(&mut frame)
                    && hears
                {
                    let length = buffer.copy(&frame[..length]);
                    node.hear(now, &mut buffer, length, &mut program);
                }
                let mut calls = calls_too.lock().unwrap();
                while let Some(call) = calls.pop() {
                    let until = now + call.patience.as_nanos() as u64;
                    let place = node.begin(now, call.circuit, call.bytes.len(), 5, until);
                    match place {
                        Ok(place) => program.set_client(place, Box::new(Waits(call))),
                        Err(why) => call.told.send(Err(why.unwrap())).unwrap(),
                    }
                }
                drop(calls);
                while let Some(task) = program.tasks.pop_front() {
                    match task {
                        Task::Open {
                            peer,
                            circuit,
                            name,
                        } => {
                            let is_exported = name != "/secret";
                            names.push((circuit, name));
                            node.opened(
                                peer,
                                circuit,
                                (!is_exported).then_some(Failure::NotExported),
                            );
                        }
                        Task::Closed { .. } => names.clear(),
                        Task::Serve { far } => {
                            asked_too.fetch_add(1, Ordering::SeqCst);
                            if holds_too.load(Ordering::SeqCst) {
                                continue;
                            }
                            let Some(job) = node.job(far) else {
                                node.served(far, Err(Failure::TimedOut));
                                continue;
                            };
                            let (_, name) =
                                names.iter().find(|(it, _)| *it == job.circuit).unwrap();
                            let request = program.gather(job.request, job.length);
                            let result = answer_of(name, &request).map(|(status, bytes)| {
                                program.scatter(job.reply, &bytes);
                                (status, bytes.len())
                            });
                            node.served(far, result);
                        }
                    }
                }
                let mut out = Buffer::new();
                while let Ok(it) = node.next_frame(now, &mut out, &mut program) {
                    if hears {
                        socket.send_to(&out[..it.length], to).unwrap();
                    }
                }
            }
        });
        let board = Board {
            address,
            calls,
            lives,
            holds,
            asked,
            turns,
            ends,
            thread: Some(thread),
        };
        (board, where_to)
    }

    /// From now on it hears nothing, and says nothing.
    fn silence(&self) {
        self.lives.store(false, Ordering::SeqCst);
        let begun = self.turns.load(Ordering::SeqCst);
        // What it was about when it was told is over.
        while self.turns.load(Ordering::SeqCst) < begun + 2 {
            std::thread::yield_now();
        }
    }

    /// From now on it answers nothing that it is asked.
    fn hold(&self) {
        self.holds.store(true, Ordering::SeqCst);
    }

    fn call(&self, circuit: usize, bytes: &[u8]) -> Result<(u32, Vec<u8>), Failure> {
        self.call_within(LONG, circuit, bytes)
    }

    fn call_within(
        &self,
        patience: Duration,
        circuit: usize,
        bytes: &[u8],
    ) -> Result<(u32, Vec<u8>), Failure> {
        let (told, answer) = channel();
        self.calls.lock().unwrap().push(Call {
            circuit,
            bytes: bytes.to_vec(),
            patience,
            told,
        });
        answer.recv().unwrap()
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking());
    }
}

/// A gateway in a thread of its own.
struct Running {
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn start(gateway: Gateway) -> Running {
        let stop = gateway.stop();
        let thread = std::thread::spawn(move || gateway.run().unwrap());
        Running {
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.stop();
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking());
    }
}

/// Whatever port is free. Nobody is told which one that is.
const ANYWHERE: &str = "tcp/127.0.0.1:0";

/// What is opened at a port that was free, and where that is. If it cannot be opened, somebody may have taken the port: then it
/// is tried at another one.
fn at_free_port<T, E: Debug>(open: impl Fn(&str) -> Result<T, E>) -> (T, String) {
    let mut left = 10;
    loop {
        let free = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        let place = format!("tcp/{free}");
        match open(&place) {
            Ok(opened) => return (opened, place),
            Err(error) => assert!(left > 0, "{error:?}"),
        }
        left -= 1;
    }
}

/// A gateway as it is told, but for where it is reached: there.
fn open(config: &Config) -> (Gateway, String) {
    at_free_port(|place| {
        Gateway::open(Config {
            zenoh: listening(place),
            ..config.clone()
        })
    })
}

/// A session of its own, which connects there.
fn client(place: &str) -> Session {
    session("client", &[], &[place]).unwrap()
}

/// A session of its own, which listens or connects there, and finds nobody by multicast.
fn session(mode: &str, listen: &[&str], connect: &[&str]) -> zenoh::Result<Session> {
    let mut config = zenoh::Config::default();
    config.insert_json5("mode", &format!("{mode:?}")).unwrap();
    config
        .insert_json5("listen/endpoints", &format!("{listen:?}"))
        .unwrap();
    config
        .insert_json5("connect/endpoints", &format!("{connect:?}"))
        .unwrap();
    config
        .insert_json5("scouting/multicast/enabled", "false")
        .unwrap();
    zenoh::open(config).wait()
}

fn key_file(folder: &Path, key: [u8; 32]) -> PathBuf {
    let file = folder.join("rome.key");
    let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    std::fs::write(&file, digits).unwrap();
    file
}

fn config(cluster: &str, board: SocketAddr, key: PathBuf, zenoh: Zenoh) -> Config {
    Config {
        cluster: cluster.into(),
        number: 9,
        listen: "127.0.0.1:0".parse().unwrap(),
        patience: LONG.as_millis() as u64,
        zenoh,
        peers: vec![Peer {
            name: "rome".into(),
            number: 1,
            address: Some(board),
            key,
            names: NAMES.iter().map(|it| (*it).into()).collect(),
        }],
        remotes: vec![],
    }
}

/// A gateway that is reached there.
fn listening(place: &str) -> Zenoh {
    Zenoh {
        connect: vec![],
        listen: vec![place.into()],
    }
}

/// The first answer to a query; its bytes, or what an error says.
fn ask(session: &Session, key: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let replies = session
        .get(key)
        .payload(bytes)
        .timeout(LONG)
        .wait()
        .unwrap();
    let reply = replies.recv().map_err(|_| "nobody answers".to_owned())?;
    match reply.result() {
        Ok(sample) => Ok(sample.payload().to_bytes().into_owned()),
        Err(error) => Err(error.payload().try_to_string().unwrap().into_owned()),
    }
}

/// Asks until somebody answers: a network takes a moment to know who is there.
fn ask_when_there(session: &Session, key: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
    loop {
        match ask(session, key, bytes) {
            Err(said) if said == "nobody answers" => std::thread::yield_now(),
            other => return other,
        }
    }
}

/// Asks until it is answered well: on a machine that is slow for a while somebody's patience may be over before.
fn ask_until_answered(session: &Session, key: &str, bytes: &[u8]) -> Vec<u8> {
    loop {
        match ask(session, key, bytes) {
            Ok(answer) => return answer,
            Err(_) => std::thread::yield_now(),
        }
    }
}

/// A way to a gateway on which, when it is told so, nothing comes back any more: who is behind it sends, and reads nothing.
struct OneWay {
    place: String,
    is_deaf: Arc<AtomicBool>,
    /// It is closed: by the gateway, as a rule.
    is_closed: Arc<AtomicBool>,
}

impl OneWay {
    fn to(place: &str) -> OneWay {
        let to = place.strip_prefix("tcp/").unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = format!("tcp/{}", listener.local_addr().unwrap());
        let (is_deaf, is_closed) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let (is_deaf_too, is_closed_too) = (is_deaf.clone(), is_closed.clone());
        std::thread::spawn(move || {
            // One connection; who comes again is not let in.
            let (near, _) = listener.accept().unwrap();
            let far = TcpStream::connect(to).unwrap();
            let (mut from, mut back) = (far.try_clone().unwrap(), near.try_clone().unwrap());
            // It keeps the connection open, and so does whoever reads nothing.
            let (ends, has_ended) = channel::<()>();
            std::thread::spawn(move || {
                let mut bytes = [0; 1 << 16];
                while !is_deaf_too.load(Ordering::SeqCst)
                    && let Ok(length) = from.read(&mut bytes)
                    && back.write_all(&bytes[..length]).is_ok()
                    && length > 0
                {}
                let _ = has_ended.recv();
            });
            let (mut from, mut on) = (near, far);
            let mut bytes = [0; 1 << 16];
            while let Ok(length) = from.read(&mut bytes)
                && length > 0
                && on.write_all(&bytes[..length]).is_ok()
            {}
            is_closed_too.store(true, Ordering::SeqCst);
            drop(ends);
        });
        OneWay {
            place,
            is_deaf,
            is_closed,
        }
    }
}

/// A board of which clients may ask these names, the gateway before it, which waits so long for an answer, and a client.
fn asked_for(names: Vec<String>, patience: Duration) -> (Board, Running, Session) {
    let folder = tempfile::tempdir().unwrap();
    let (board, tell) = Board::new(1, 9, &[], KEY);
    let zenoh = listening(ANYWHERE);
    let mut config = config("plant", board.address, key_file(folder.path(), KEY), zenoh);
    config.peers[0].names = names;
    config.patience = patience.as_millis() as u64;
    let (gateway, place) = open(&config);
    tell.send(gateway.address().unwrap()).unwrap();
    let running = Running::start(gateway);
    (board, running, client(&place))
}

#[test]
fn a_client_in_the_zenoh_network_asks_a_board_and_is_told_what_came_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let (board, tell) = Board::new(1, 9, &[], KEY);
    let zenoh = listening(ANYWHERE);
    let config = config("plant", board.address, key_file(folder.path(), KEY), zenoh);
    let (gateway, place) = open(&config);
    tell.send(gateway.address().unwrap()).unwrap();
    let said: Vec<&str> = gateway.says().collect();
    assert_eq!(said[0], "riposte/plant/rome/dev/sun is //rome/dev/sun");
    let _running = Running::start(gateway);
    let client = client(&place);
    assert_eq!(ask_when_there(&client, SUN, b"abc").unwrap(), b"cba");
    for length in [0, 1, PART, PART + 1, ROOM] {
        let bytes: Vec<u8> = (0..length).map(|it| it as u8).collect();
        let back: Vec<u8> = bytes.iter().rev().copied().collect();
        assert!(ask(&client, SUN, &bytes).unwrap() == back, "{length} bytes");
    }
    for length in [ROOM + 1, LONGEST + 1] {
        let said = ask(&client, SUN, &vec![0; length]).unwrap_err();
        assert_eq!(said, "too long", "{length} bytes");
    }
    assert_eq!(
        ask(&client, "riposte/plant/rome/fails", b"").unwrap_err(),
        "status 42"
    );
    assert_eq!(
        ask(&client, "riposte/plant/rome/secret", b"").unwrap_err(),
        "not exported"
    );
}

#[test]
fn a_client_that_asks_a_board_which_has_fallen_silent_is_told_that_it_is_gone() {
    let (board, _running, client) = asked_for(vec!["/dev/sun".into()], SHORT);
    assert_eq!(ask_until_answered(&client, SUN, b"a"), b"a");
    board.silence();
    let said = ask(&client, SUN, b"a").unwrap_err();
    assert!(said.starts_with("node gone"), "{said}");
}

#[test]
fn a_query_for_several_names_is_told_what_each_of_them_says() {
    let (_board, _running, client) =
        asked_for(["/dev/sun", "/dev/moon"].map(String::from).to_vec(), LONG);
    let names = ["moon", "sun"].map(|it| format!("riposte/plant/rome/dev/{it}"));
    for name in &names {
        assert_eq!(ask_when_there(&client, name, b"abc").unwrap(), b"cba");
    }
    let replies = client
        .get("riposte/plant/rome/dev/*")
        .payload("ab")
        .timeout(LONG)
        .wait()
        .unwrap();
    let of = |it: zenoh::query::Reply| it.result().unwrap().key_expr().to_string();
    let mut came: Vec<String> = replies.iter().map(of).collect();
    came.sort();
    assert_eq!(came, names);
}

/// As [`asked_for`], with so many names that each has one place, and the board answers nothing any more.
fn held_with_one_place() -> (Board, Running, Session) {
    let more = ('a'..='i').map(|it| format!("/{it}"));
    let names = std::iter::once("/dev/sun".into()).chain(more);
    let (board, running, client) = asked_for(names.collect(), SHORT);
    assert_eq!(ask_until_answered(&client, SUN, b"a"), b"a");
    board.hold();
    (board, running, client)
}

#[test]
fn who_waits_for_a_place_is_told_in_time_too() {
    let (board, _running, client) = held_with_one_place();
    let before = board.asked.load(Ordering::SeqCst);
    std::thread::scope(|all| {
        let first = all.spawn(|| ask(&client, SUN, b"a"));
        // It has the place.
        while board.asked.load(Ordering::SeqCst) == before && !first.is_finished() {
            std::thread::yield_now();
        }
        board.silence();
        // What the gateway knows of its deadline is over before the second one's, the longer the better to see who tells that.
        std::thread::sleep(Duration::from_millis(500));
        let second = ask(&client, SUN, b"b").unwrap_err();
        assert!(second.contains("served once or not at all"), "{second}");
        assert!(first.join().unwrap().is_err());
    });
}

#[test]
fn a_client_that_does_not_read_stops_neither_boards_nor_other_clients() {
    let folder = tempfile::tempdir().unwrap();
    let (board, tell) = Board::new(1, 9, &["/unknown"], KEY);
    let zenoh = listening(ANYWHERE);
    let config = config("plant", board.address, key_file(folder.path(), KEY), zenoh);
    // What it has sent and nobody has read is soon too much.
    let (gateway, place) = at_free_port(|place| {
        let zenoh = listening(&format!("{place}#so_sndbuf=16384"));
        Gateway::open(Config {
            zenoh,
            ..config.clone()
        })
    });
    tell.send(gateway.address().unwrap()).unwrap();
    let _running = Running::start(gateway);
    let fails = "riposte/plant/rome/fails";
    let other = client(&place);
    assert_eq!(ask_when_there(&other, fails, b"").unwrap_err(), "status 42");
    // A machine may be slow for a while, and not as often as this.
    let is_stopped = (0..10).all(|_| {
        let way = OneWay::to(&place);
        let deaf = client(&way.place);
        // What the one before has asked may be waiting still.
        assert_eq!(ask_until_answered(&deaf, SUN, b"abc"), b"cba");
        way.is_deaf.store(true, Ordering::SeqCst);
        let is_over = || way.is_closed.load(Ordering::SeqCst);
        std::thread::scope(|all| {
            all.spawn(|| {
                while !is_over() {
                    let _ = deaf.get(SUN).payload(vec![0; ROOM]).callback(|_| {}).wait();
                }
            });
            // Until the gateway has had enough, which it has when somebody there has waited for the deaf one.
            let mut unanswered = 0;
            while !is_over() {
                let is_called = board.call_within(SHORT, 0, b"on") == Err(Failure::NotExported);
                let is_asked = ask(&other, fails, b"") == Err("status 42".into());
                unanswered += usize::from(!is_called) + usize::from(!is_asked);
            }
            unanswered > 0
        })
    });
    assert!(!is_stopped);
}

#[test]
fn each_name_has_so_many_queries_at_once_and_who_comes_then_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let address = "127.0.0.1:7201".parse().unwrap();
    let zenoh = listening(ANYWHERE);
    let config = config("plant", address, key_file(folder.path(), KEY), zenoh);
    // It does not run: nobody takes what comes.
    let (_gateway, place) = open(&config);
    let client = client(&place);
    let get = || client.get(SUN).timeout(LONG).wait().unwrap();
    // Queries end at once until the network knows who is there.
    let first = loop {
        let replies = get();
        if let Ok(None) = replies.recv_timeout(Duration::from_secs(1)) {
            break replies;
        }
    };
    let mut all = vec![first];
    all.extend((0..500).map(|_| get()));
    // They come, and end, in order.
    assert!(get().recv().is_err());
    let kept = all.iter().filter(|it| matches!(it.try_recv(), Ok(None)));
    assert_eq!(kept.count(), 64);
}

#[test]
fn a_query_that_can_never_be_sent_is_told_so_at_once() {
    let (_board, _running, client) = held_with_one_place();
    // One has the place, and so many wait that no more may.
    let _waiting: Vec<_> = (0..20).map(|_| client.get(SUN).wait().unwrap()).collect();
    let said = ask(&client, SUN, &vec![0; LONGEST + 1]).unwrap_err();
    assert_eq!(said, "too long");
}

#[test]
fn a_board_asks_what_is_in_the_zenoh_network_and_nothing_that_is_not_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let (board, tell) = Board::new(1, 9, &["/lamp", "/nobody", "/others", "/unknown"], KEY);
    let zenoh = listening(ANYWHERE);
    let mut config = config("plant", board.address, key_file(folder.path(), KEY), zenoh);
    let remote = |name: &str, key: &str, boards: Option<Vec<String>>| Remote {
        name: name.into(),
        key: key.into(),
        boards,
    };
    config.remotes = vec![
        remote("/lamp", "home/lamp", None),
        remote("/nobody", "home/nobody", None),
        remote("/others", "home/lamp", Some(vec![])),
    ];
    let (gateway, place) = open(&config);
    tell.send(gateway.address().unwrap()).unwrap();
    let _running = Running::start(gateway);
    let server = client(&place);
    let _lamp = server
        .declare_queryable("home/lamp")
        .callback(|query| {
            let mut bytes = query.payload().unwrap().to_bytes().into_owned();
            bytes.make_ascii_uppercase();
            query.reply("home/lamp", bytes).wait().unwrap();
        })
        .wait()
        .unwrap();
    let lamp = loop {
        match board.call(0, b"on") {
            Err(Failure::ServerDied) => std::thread::yield_now(),
            other => break other,
        }
    };
    assert_eq!(lamp, Ok((0, b"ON".to_vec())));
    assert_eq!(board.call(1, b"on"), Err(Failure::ServerDied));
    assert_eq!(board.call(2, b"on"), Err(Failure::NotExported));
    assert_eq!(board.call(3, b"on"), Err(Failure::NotExported));
}

#[test]
fn a_board_is_where_its_frames_come_from_if_nobody_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let (board, tell) = Board::new(1, 9, &["/lamp"], KEY);
    let zenoh = listening(ANYWHERE);
    let mut config = config("plant", board.address, key_file(folder.path(), KEY), zenoh);
    config.peers[0].address = None;
    config.patience = SHORT.as_millis() as u64;
    let (gateway, place) = open(&config);
    let at = gateway.address().unwrap();
    tell.send(at).unwrap();
    let _running = Running::start(gateway);
    let client = client(&place);
    let said = ask_when_there(&client, SUN, b"abc").unwrap_err();
    assert!(said.starts_with("node gone"), "{said}");
    // It says something, be it in vain, and a stranger does.
    UdpSocket::bind("127.0.0.1:0")
        .unwrap()
        .send_to(&[1, 4, 1, 9, 0, 0, 0, 0], at)
        .unwrap();
    assert_eq!(board.call(0, b"on"), Err(Failure::NotExported));
    assert_eq!(ask_until_answered(&client, SUN, b"abc"), b"cba");
}

#[test]
fn two_clusters_meet_through_a_router() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let (_router, place) = at_free_port(|place| session("router", &[place], &[]));
    let zenoh = || Zenoh {
        connect: vec![place.clone()],
        listen: vec![],
    };
    let (one, tell_one) = Board::new(1, 9, &["/theirs"], KEY);
    let (other, tell_other) = Board::new(1, 9, &[], [8; 32]);
    let mut first = config("a", one.address, key_file(folders[0].path(), KEY), zenoh());
    first.remotes = vec![Remote {
        name: "/theirs".into(),
        key: "riposte/b/rome/dev/sun".into(),
        boards: None,
    }];
    let second = config(
        "b",
        other.address,
        key_file(folders[1].path(), [8; 32]),
        zenoh(),
    );
    let (first, second) = (
        Gateway::open(first).unwrap(),
        Gateway::open(second).unwrap(),
    );
    tell_one.send(first.address().unwrap()).unwrap();
    tell_other.send(second.address().unwrap()).unwrap();
    let _running = [Running::start(first), Running::start(second)];
    let answer = loop {
        match one.call(0, b"from afar") {
            Err(Failure::ServerDied) => std::thread::yield_now(),
            other => break other,
        }
    };
    assert_eq!(answer, Ok((0, b"rafa morf".to_vec())));
}

#[test]
fn a_board_with_another_key_reaches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (board, tell) = Board::new(1, 9, &["/lamp"], [1; 32]);
    let zenoh = listening(ANYWHERE);
    let mut config = config("plant", board.address, key_file(folder.path(), KEY), zenoh);
    config.remotes = vec![Remote {
        name: "/lamp".into(),
        key: "home/lamp".into(),
        boards: None,
    }];
    let gateway = Gateway::open(config).unwrap();
    tell.send(gateway.address().unwrap()).unwrap();
    let _running = Running::start(gateway);
    let answer = board.call_within(SHORT, 0, b"on");
    assert_eq!(answer, Err(Failure::NodeGone));
}

#[test]
fn a_key_that_is_none_and_an_address_that_is_taken_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let zenoh = || listening(ANYWHERE);
    let address = "127.0.0.1:7201".parse().unwrap();
    let mut busy = config("plant", address, key_file(folder.path(), KEY), zenoh());
    busy.listen = taken.local_addr().unwrap();
    let said = format!("{:?}", Gateway::open(busy).err().unwrap());
    assert!(said.contains("cannot listen at"), "{said}");
    let file = folder.path().join("none.key");
    std::fs::write(&file, "12").unwrap();
    let said = format!(
        "{:?}",
        Gateway::open(config("plant", address, file, zenoh()))
            .err()
            .unwrap()
    );
    assert!(said.contains("no key of 64 hexadecimal digits"), "{said}");
}
