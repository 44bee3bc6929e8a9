//! The gateway at work: one thread has the node, and hears what comes from boards and from the zenoh network.

use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use miette::{IntoDiagnostic, WrapErr, miette};
use node_circuits::wire::kind;
use node_circuits::{
    Buffer, CIRCUITS, FAR, FRAME, Failure, Heard, LONGEST, Node, PART, PARTS, PeerSettings, WINDOW,
};
use zenoh::bytes::ZBytes;
use zenoh::key_expr::KeyExpr;
use zenoh::liveliness::LivelinessToken;
use zenoh::query::{Query, Queryable};
use zenoh::{Session, Wait};

use crate::config::{Config, Remote};
use crate::outbox::{Outbox, Quota, Ticket};
use crate::program::{Client, Program, Task};

/// Most bytes of a board's answer: each request has as much of a board's memory set aside.
pub const ROOM: usize = PARTS / 2 * PART;
/// Boards are served at whatever priority: nobody here has any.
const BAND: (u8, u8) = (1, 1);
/// The priority at which boards serve what comes from here, within the band that they allow this node.
const PRIORITY: u8 = 1;
/// Queries of all names that wait for a place, each name its share; what comes then is refused.
const WAITING: usize = 256;
/// Most queries of each name that are here at once: that have come, wait, are under way, or are to be told what came of them.
/// One that comes then is not taken, and ends where it came from without an answer.
const QUERIES: usize = 64;
/// Most requests of boards that wait to be sent to the zenoh network.
const REQUESTS: usize = 2 * FAR;
/// Longest message of the zenoh network that comes in several fragments, in bytes; zenoh drops a longer one. It is as much as
/// comes in one.
const LONGEST_HEARD: usize = 65_536;
/// How long a thread that sends waits for somebody who does not read, in microseconds, before zenoh closes the connection.
const UNREAD: usize = 500_000;
/// Most events between two looks at what boards send: however many come, boards are heard.
const EVENTS: usize = 64;

/// Errors of zenoh are shared, and no diagnostics.
fn said(error: zenoh::Error) -> miette::Report {
    miette!("{error}")
}

/// What comes from the zenoh network.
enum Event {
    /// A query for the circuit, whose expression this is.
    Asked {
        circuit: usize,
        expression: KeyExpr<'static>,
        query: Query,
        ticket: Ticket,
    },
    /// What came of a request of a board.
    Served {
        far: usize,
        count: u64,
        result: Result<Vec<u8>, Failure>,
    },
    /// The gateway is to end.
    End,
}

/// Brings events to the thread, and wakes it.
#[derive(Clone)]
struct Post {
    events: Sender<Event>,
    waker: Arc<UdpSocket>,
    /// It is being woken: an empty datagram is on its way to it, among the boards' frames. One is enough.
    is_waking: Arc<AtomicBool>,
}

impl Post {
    fn send(&self, event: Event) {
        // A thread that has ended hears nothing.
        let _ = self.events.send(event);
        self.wake();
    }

    fn wake(&self) {
        // If it can't be sent the next event tries again.
        if !self.is_waking.swap(true, Ordering::AcqRel) && self.waker.send(&[]).is_err() {
            self.is_waking.store(false, Ordering::Release);
        }
    }
}

/// Ends a gateway that runs in another thread.
pub struct Stop(Post);

impl Stop {
    /// Ends it, soon.
    pub fn stop(&self) {
        self.0.send(Event::End);
    }
}

/// A query, which ends when it is dropped: zenoh sends that to whoever asked, and so waits for one who does not read. Here it is
/// dropped by the thread that answers alone.
struct Asked {
    query: Query,
    /// Whose answer it is: a query may be for many.
    expression: KeyExpr<'static>,
    bytes: Vec<u8>,
    answers: Outbox,
    // Given back after the query has ended.
    ticket: Ticket,
}

impl Client for Asked {
    fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn answer(self: Box<Self>, answer: Result<(u32, Vec<u8>), Failure>) {
        let Asked {
            query,
            expression,
            answers,
            ticket,
            ..
        } = *self;
        let result = match answer {
            Ok((0, bytes)) => Ok((expression, bytes)),
            Ok((status, _)) => Err(format!("status {status}")),
            Err(why) => Err(text(why).to_owned()),
        };
        tell(&answers, query, ticket, result);
    }
}

/// Has a query answered, which ends it.
fn tell(
    answers: &Outbox,
    query: Query,
    ticket: Ticket,
    result: Result<(KeyExpr<'static>, Vec<u8>), String>,
) {
    answers.send(move |_| {
        // Whoever has asked may be gone.
        let _ = match result {
            Ok((expression, bytes)) => query.reply(expression, bytes).wait(),
            Err(said) => query.reply_err(said).wait(),
        };
        drop(query);
        drop(ticket);
    });
}

/// What a query is told in place of an answer.
fn text(why: Failure) -> &'static str {
    match why {
        Failure::NodeGone => "node gone: it was served once or not at all",
        Failure::ServerDied => "server died",
        Failure::TimedOut => "timed out: it was served once or not at all",
        Failure::NotExported => "not exported",
        Failure::TooLong => "too long",
        Failure::WrongVersion => "the node speaks another version",
        Failure::Reserved => "a status that is set aside for nodes",
        Failure::NotCarried => "what the answer brings does not go across",
    }
}

/// A board, as the gateway knows it.
struct Board {
    name: String,
    /// Where it is: by the configuration, or where its last frame came from that nobody else can have sent.
    address: Option<SocketAddr>,
    is_fixed: bool,
    /// Where it was asked for a session last: that may be somebody who has kept an old frame, and is told no more than that
    /// there is one.
    asked_from: Option<SocketAddr>,
    /// Which remote each of its circuits leads to.
    circuits: Vec<(usize, usize)>,
}

impl Board {
    /// A frame has come from there that is its own.
    fn is_at(&mut self, address: SocketAddr) {
        if !self.is_fixed {
            self.address = Some(address);
        }
    }

    /// Where to send a frame.
    fn place_for(&self, frame: &[u8]) -> Option<SocketAddr> {
        let is_welcome = frame.get(1) == Some(&kind::WELCOME);
        match self.asked_from.filter(|_| is_welcome && !self.is_fixed) {
            Some(asked_from) => Some(asked_from),
            None => self.address,
        }
    }
}

/// A gateway.
pub struct Gateway {
    node: Box<Node>,
    program: Program,
    socket: UdpSocket,
    post: Post,
    events: Receiver<Event>,
    /// What answers the zenoh network, and what asks it: who does not read an answer keeps no board from asking.
    answers: Outbox,
    requests: Outbox,
    /// Requests of boards that wait to be sent.
    to_send: Quota,
    boards: Vec<Board>,
    remotes: Vec<Remote>,
    patience: Duration,
    begun: Instant,
    waiting: VecDeque<(usize, Asked, u64)>,
    lines: Vec<String>,
    // They answer for as long as they live.
    _queryables: Vec<Queryable<()>>,
    _token: LivelinessToken,
}

/// A socket that can send to this one from the same address, whatever its family.
fn waker(socket: &UdpSocket) -> io::Result<UdpSocket> {
    let mut own = socket.local_addr()?;
    if own.ip().is_unspecified() {
        own.set_ip(match own {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    let mut beside = own;
    beside.set_port(0);
    let waker = UdpSocket::bind(beside)?;
    waker.connect(own)?;
    Ok(waker)
}

impl Gateway {
    /// Opens its socket, and its session with the zenoh network.
    ///
    /// # Errors
    /// If the address is taken, a key is none, or there is no such network.
    pub fn open(config: Config) -> miette::Result<Gateway> {
        let socket = UdpSocket::bind(config.listen)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot listen at {}", config.listen))?;
        let waker = waker(&socket).into_diagnostic()?;
        let (sender, events) = channel();
        let post = Post {
            events: sender,
            waker: Arc::new(waker),
            is_waking: Arc::new(AtomicBool::new(false)),
        };
        let mut node = Box::new(Node::new(config.number, drawn_life()?, ROOM));
        // The socket of a host keeps more.
        node.set_window(WINDOW as usize);
        node.set_proxies(0);
        let session = open_session(&config)?;
        let (mut boards, mut lines, mut queryables) = (vec![], vec![], vec![]);
        for peer in &config.peers {
            let settings = PeerSettings {
                number: peer.number,
                key: peer.read_key()?,
                band: BAND,
            };
            let position = node
                .add_peer(settings)
                .ok_or_else(|| miette!("too many boards"))?;
            for name in &peer.names {
                let circuit = node
                    .add_circuit(position, name.as_bytes())
                    .ok_or_else(|| miette!("too many names of boards"))?;
                let expression = peer.expression(&config.cluster, name);
                let post = post.clone();
                let queries = Quota::new(QUERIES);
                let key = KeyExpr::new(expression.clone()).map_err(said)?;
                let asked = move |query| {
                    if let Some(ticket) = queries.take() {
                        post.send(Event::Asked {
                            circuit,
                            expression: key.clone(),
                            query,
                            ticket,
                        });
                    }
                };
                let queryable = session
                    .declare_queryable(&expression)
                    .callback(asked)
                    .wait()
                    .map_err(said)?;
                queryables.push(queryable);
                lines.push(format!("{expression} is //{}{name}", peer.name));
            }
            boards.push(Board {
                name: peer.name.clone(),
                address: peer.address,
                is_fixed: peer.address.is_some(),
                asked_from: None,
                circuits: vec![],
            });
        }
        let token = session
            .liveliness()
            .declare_token(format!(
                "riposte/{}/@gateway/{}",
                config.cluster, config.number
            ))
            .wait()
            .map_err(said)?;
        for remote in &config.remotes {
            lines.push(format!("{} of this node is {}", remote.name, remote.key));
        }
        Ok(Gateway {
            node,
            program: Program::new(),
            socket,
            post,
            events,
            answers: Outbox::start(session.clone()),
            requests: Outbox::start(session),
            to_send: Quota::new(REQUESTS),
            boards,
            remotes: config.remotes,
            patience: Duration::from_millis(config.patience),
            begun: Instant::now(),
            waiting: VecDeque::new(),
            lines,
            _queryables: queryables,
            _token: token,
        })
    }

    /// What it does, a line each.
    pub fn says(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(String::as_str)
    }

    /// Where its frames come.
    ///
    /// # Errors
    /// If the socket has no address.
    pub fn address(&self) -> miette::Result<SocketAddr> {
        self.socket.local_addr().into_diagnostic()
    }

    /// What ends it.
    #[must_use]
    pub fn stop(&self) -> Stop {
        Stop(self.post.clone())
    }

    /// Nanoseconds since it began.
    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Serves until it is stopped.
    ///
    /// # Errors
    /// If its socket fails.
    pub fn run(mut self) -> miette::Result<()> {
        let mut frame = [0; FRAME + 1];
        let mut buffer = Buffer::new();
        loop {
            while let Some(task) = self.program.tasks.pop_front() {
                self.work(task);
            }
            // What is over has its place no more, and who waits for one begins. Nothing gets over between these: it would
            // leave a place that nobody is told of.
            let now = self.now();
            self.send(now);
            self.begin(now);
            self.send(now);
            let waits_until = self.waiting.iter().map(|(.., deadline)| *deadline).min();
            let due = self.node.due().into_iter().chain(waits_until).min();
            let wait = due.map(|due| due.saturating_sub(self.now()).max(1));
            self.socket
                .set_read_timeout(wait.map(Duration::from_nanos))
                .into_diagnostic()?;
            match self.socket.recv_from(&mut frame) {
                Ok((length, from)) => {
                    let now = self.now();
                    let length = buffer.copy(&frame[..length]);
                    let heard = self.node.hear(now, &mut buffer, length, &mut self.program);
                    match heard {
                        Heard::Nobody => {}
                        Heard::Asked { peer } => self.boards[peer].asked_from = Some(from),
                        Heard::Fresh { peer } => self.boards[peer].is_at(from),
                    }
                }
                Err(error) if is_over(&error) => {}
                Err(error) => {
                    return Err(error)
                        .into_diagnostic()
                        .wrap_err("the gateway's socket");
                }
            }
            // Whatever comes from now on wakes it anew, and what came before is seen here.
            self.post.is_waking.swap(false, Ordering::AcqRel);
            let mut left = EVENTS;
            while left > 0
                && let Ok(event) = self.events.try_recv()
            {
                left -= 1;
                match event {
                    Event::Asked {
                        circuit,
                        expression,
                        query,
                        ticket,
                    } => self.ask(circuit, expression, query, ticket),
                    Event::Served { far, count, result } => self.served(far, count, result),
                    Event::End => return Ok(()),
                }
            }
            if left == 0 {
                self.post.wake();
            }
        }
    }

    /// Sends what is due.
    fn send(&mut self, now: u64) {
        let mut out = Buffer::new();
        while let Ok(frame) = self.node.next_frame(now, &mut out, &mut self.program) {
            let bytes = &out[..frame.length];
            // What is for nobody knows where is lost, as on any wire; so is what it has no room for.
            if let Some(to) = self.boards[frame.peer].place_for(bytes) {
                let _ = self.socket.send_to(bytes, to);
            }
        }
    }

    /// A query has come: it gets a place, or waits for one.
    fn ask(&mut self, circuit: usize, expression: KeyExpr<'static>, query: Query, ticket: Ticket) {
        let length = query.payload().map_or(0, ZBytes::len);
        let own = self.waiting.iter().filter(|(it, ..)| *it == circuit);
        // One that can never be sent is neither copied nor kept.
        let refusal = if length > LONGEST {
            Some(text(Failure::TooLong))
        } else if own.count() >= WAITING / CIRCUITS {
            Some("too many wait")
        } else {
            None
        };
        if let Some(said) = refusal {
            tell(&self.answers, query, ticket, Err(said.to_owned()));
            return;
        }
        let bytes = query
            .payload()
            .map(|it| it.to_bytes().into_owned())
            .unwrap_or_default();
        let deadline = self
            .now()
            .saturating_add(u64::try_from(self.patience.as_nanos()).unwrap_or(u64::MAX));
        let asked = Asked {
            query,
            expression,
            bytes,
            answers: self.answers.clone(),
            ticket,
        };
        self.waiting.push_back((circuit, asked, deadline));
    }

    /// Begins what waits, as far as there are places.
    fn begin(&mut self, now: u64) {
        // A circuit whose places are taken keeps no other one waiting.
        let mut full = Vec::new();
        for (circuit, asked, deadline) in std::mem::take(&mut self.waiting) {
            let begun = if full.contains(&circuit) {
                Err(None)
            } else {
                let length = asked.bytes.len();
                self.node.begin(now, circuit, length, PRIORITY, deadline)
            };
            match begun {
                Ok(place) => self.program.set_client(place, Box::new(asked)),
                Err(Some(why)) => Box::new(asked).answer(Err(why)),
                Err(None) if deadline <= now => Box::new(asked).answer(Err(Failure::TimedOut)),
                Err(None) => {
                    full.push(circuit);
                    self.waiting.push_back((circuit, asked, deadline));
                }
            }
        }
    }

    /// Does what a board wants.
    fn work(&mut self, task: Task) {
        match task {
            Task::Open {
                peer,
                circuit,
                name,
            } => {
                let board = &mut self.boards[peer];
                let is_for = |remote: &Remote| {
                    remote.name == name
                        && remote
                            .boards
                            .as_ref()
                            .is_none_or(|all| all.contains(&board.name))
                };
                let found = self.remotes.iter().position(is_for);
                board.circuits.retain(|(it, _)| *it != circuit);
                if let Some(remote) = found {
                    board.circuits.push((circuit, remote));
                }
                let failure = found.is_none().then_some(Failure::NotExported);
                self.node.opened(peer, circuit, failure);
            }
            Task::Closed { peer } => self.boards[peer].circuits.clear(),
            Task::Serve { far } => self.serve(far),
        }
    }

    /// Asks the zenoh network what a board wants to know.
    fn serve(&mut self, far: usize) {
        let Some(job) = self.node.job(far) else {
            self.node.served(far, Err(Failure::TimedOut));
            return;
        };
        let circuits = &self.boards[job.peer].circuits;
        let Some((_, remote)) = circuits.iter().find(|(it, _)| *it == job.circuit) else {
            self.node.served(far, Err(Failure::NotExported));
            return;
        };
        let Some(ticket) = self.to_send.take() else {
            self.node.served(far, Err(Failure::ServerDied));
            return;
        };
        let bytes = self.program.gather(job.request, job.length);
        let ends = self.begun + Duration::from_nanos(job.deadline);
        let key = self.remotes[*remote].key.clone();
        let mut answer = Once {
            post: self.post.clone(),
            far,
            count: self.program.uses[far],
            told: false,
        };
        self.requests.send(move |session| {
            let time = ends.saturating_duration_since(Instant::now());
            if time.is_zero() {
                answer.tell(Err(Failure::TimedOut));
                return;
            }
            let answer = std::sync::Mutex::new(answer);
            let asked = session
                .get(key)
                .payload(bytes)
                .timeout(time)
                .callback(move |reply| {
                    if let Ok(mut answer) = answer.lock() {
                        let result = reply.result();
                        answer.tell(match result {
                            Ok(sample) => Ok(sample.payload().to_bytes().into_owned()),
                            Err(error) => Err(failure_of(error.payload())),
                        });
                    }
                })
                .wait();
            // One that could not be asked has told so by its end.
            let _ = asked;
            drop(ticket);
        });
    }

    /// What came of a request of a board.
    fn served(&mut self, far: usize, count: u64, result: Result<Vec<u8>, Failure>) {
        // The place may be another request's by now.
        if far >= FAR || self.program.uses[far] != count {
            return;
        }
        let result = result.map(|bytes| {
            if let Some(job) = self.node.job(far) {
                self.program.scatter(job.reply, &bytes);
            }
            (0, bytes.len())
        });
        self.node.served(far, result);
    }
}

/// Tells what came of a request of a board, once: if nobody answers, that the server died.
struct Once {
    post: Post,
    far: usize,
    count: u64,
    told: bool,
}

impl Once {
    fn tell(&mut self, result: Result<Vec<u8>, Failure>) {
        // Of several that answer, the first one counts.
        if !self.told {
            self.told = true;
            self.post.send(Event::Served {
                far: self.far,
                count: self.count,
                result,
            });
        }
    }
}

impl Drop for Once {
    fn drop(&mut self) {
        self.tell(Err(Failure::ServerDied));
    }
}

/// What a server's error, or zenoh's own, means to a board.
fn failure_of(payload: &ZBytes) -> Failure {
    match payload.try_to_string().as_deref() {
        Ok("Timeout") => Failure::TimedOut,
        _ => Failure::ServerDied,
    }
}

/// Whether a receive has only waited long enough, or tells of a frame that was sent to nobody.
fn is_over(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{
        ConnectionRefused, ConnectionReset, Interrupted, TimedOut, WouldBlock,
    };
    matches!(
        error.kind(),
        ConnectionRefused | ConnectionReset | Interrupted | TimedOut | WouldBlock
    )
}

/// A number that no other life of this node has.
fn drawn_life() -> miette::Result<u64> {
    let mut bytes = [0; 8];
    let mut source = std::fs::File::open("/dev/urandom")
        .into_diagnostic()
        .wrap_err("this machine has no source of random bytes")?;
    std::io::Read::read_exact(&mut source, &mut bytes).into_diagnostic()?;
    Ok(u64::from_le_bytes(bytes))
}

fn open_session(config: &Config) -> miette::Result<Session> {
    let mut zenoh = zenoh::Config::default();
    let set = |zenoh: &mut zenoh::Config, key: &str, endpoints: &[String]| {
        let list = endpoints
            .iter()
            .map(|it| format!("{it:?}"))
            .collect::<Vec<_>>()
            .join(", ");
        zenoh.insert_json5(key, &format!("[{list}]")).map_err(said)
    };
    set(&mut zenoh, "connect/endpoints", &config.zenoh.connect)?;
    if !config.zenoh.listen.is_empty() {
        set(&mut zenoh, "listen/endpoints", &config.zenoh.listen)?;
    }
    if !config.zenoh.connect.is_empty() || !config.zenoh.listen.is_empty() {
        zenoh
            .insert_json5("scouting/multicast/enabled", "false")
            .map_err(said)?;
    }
    let bounds = [
        ("rx/max_message_size", LONGEST_HEARD),
        (
            "tx/queue/congestion_control/block/wait_before_close",
            UNREAD,
        ),
    ];
    for (key, bound) in bounds {
        zenoh
            .insert_json5(&format!("transport/link/{key}"), &bound.to_string())
            .map_err(said)?;
    }
    zenoh::open(zenoh)
        .wait()
        .map_err(said)
        .wrap_err("cannot open a session with the zenoh network")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_listens_is_woken_in_either_family() {
        for listen in ["127.0.0.1:0", "0.0.0.0:0", "[::1]:0", "[::]:0"] {
            let Ok(socket) = UdpSocket::bind(listen) else {
                // This machine has no such family.
                assert!(listen.starts_with('['), "{listen}");
                continue;
            };
            waker(&socket).unwrap().send(&[]).unwrap();
            let second = Some(Duration::from_secs(1));
            socket.set_read_timeout(second).unwrap();
            assert_eq!(socket.recv(&mut [0]).unwrap(), 0, "{listen}");
        }
    }
}
