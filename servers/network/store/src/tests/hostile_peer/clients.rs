//! Clients that call at random.

use super::*;

/// A name that is asked for.
const NAME: &[u8] = b"a.example";

/// How much clients got done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reached {
    accepted: usize,
    connected: usize,
    /// Bytes of streams.
    read: usize,
    datagrams: usize,
    names: usize,
    echoes: usize,
}

impl Reached {
    pub fn and(self, other: Reached) -> Reached {
        Reached {
            accepted: self.accepted + other.accepted,
            connected: self.connected + other.connected,
            read: self.read + other.read,
            datagrams: self.datagrams + other.datagrams,
            names: self.names + other.names,
            echoes: self.echoes + other.echoes,
        }
    }

    /// Whether there was enough of everything that a fault in it might have been seen.
    pub const fn is_much(&self) -> bool {
        self.accepted >= 100
            && self.connected >= 100
            && self.read >= 100 * STREAM
            && self.datagrams >= 100
            && self.names >= 100
            && self.echoes >= 100
    }
}

pub fn ask(node: &mut Node<'_>, client: u32, now: Instant) -> Result<Question, Refused> {
    let (share, numbers) = (share_of(client), node.interface.context());
    let store = &mut node.store;
    store.ask(client, share, NAME, Families::Both, numbers, now)
}

pub fn ping(node: &mut Node<'_>, client: u32, now: Instant) -> Result<Ping, Refused> {
    let route = way(&node.interface, peer::SERVER).expect("it is near");
    let store = &mut node.store;
    store.ping(client, share_of(client), route, 56, now)
}

/// All of them, and what they have.
pub struct Clients {
    chance: Chance,
    sockets: Vec<(u32, Number)>,
    questions: Vec<(u32, Question)>,
    pings: Vec<(u32, Ping)>,
    pub reached: Reached,
}

impl Clients {
    pub fn new(seed: u64) -> Clients {
        Clients {
            chance: Chance(!seed),
            sockets: Vec::new(),
            questions: Vec::new(),
            pings: Vec::new(),
            reached: Reached::default(),
        }
    }

    /// One of them does something.
    pub fn act(&mut self, node: &mut Node<'_>, now: Instant) {
        let client = self.chance.of(&CLIENTS);
        match self.chance.below(16) {
            0 => self.listen(node, client),
            1 => self.connect(node, client),
            2 => self.bind(node, client),
            3 => self
                .questions
                .extend(ask(node, client, now).map(|it| (client, it))),
            4 => self
                .pings
                .extend(ping(node, client, now).map(|it| (client, it))),
            // Seldom, or nobody would ever have anything.
            5 if self.chance.is(1) => node.store.abandon(client),
            _ if self.sockets.is_empty() => {}
            _ => self.use_one(node),
        }
        self.look(node, now);
    }

    fn listen(&mut self, node: &mut Node<'_>, client: u32) {
        let (port, backlog) = (
            PORT + self.chance.below(2) as u16,
            1 + self.chance.below(BACKLOG),
        );
        let store = &mut node.store;
        let listener = store.listen(client, share_of(client), port, backlog, Families::Both);
        self.sockets.extend(listener.map(|it| (client, it)));
    }

    fn connect(&mut self, node: &mut Node<'_>, client: u32) {
        let to = self.chance.of(&peer::PLACES);
        self.sockets
            .extend(node.connect(client, to).map(|it| (client, it)));
    }

    fn bind(&mut self, node: &mut Node<'_>, client: u32) {
        let port = self.chance.of(&[0, DATAGRAMS]);
        let bound = node
            .store
            .bind(client, share_of(client), port, Families::Both);
        self.sockets.extend(bound.map(|(it, _)| (client, it)));
    }

    /// Calls something of a socket, of whatever kind it is.
    fn use_one(&mut self, node: &mut Node<'_>) {
        let (client, number) = self.chance.of(&self.sockets);
        let store = &mut node.store;
        match self.chance.below(16) {
            0..3 => {
                if let Ok((stream, _)) = store.accept(client, number) {
                    self.reached.accepted += 1;
                    self.sockets.push((client, stream));
                }
            }
            3..5 => self.reached.read += read(store, client, number).map_or(0, |it| it.len()),
            5..7 => {
                let bytes = vec![7; self.chance.below(3 * STREAM / 2)];
                let _ = write(store, client, number, &bytes);
            }
            7 => {
                let is_connected = store.connected(client, number).is_ok();
                self.reached.connected += usize::from(is_connected);
                let _ = store.ready(client, number);
            }
            8 if self.chance.is(30) => {
                let _ = store.finish(client, number);
            }
            9 if self.chance.is(25) => {
                let _ = store.close(client, number);
                self.sockets.retain(|it| *it != (client, number));
            }
            10..12 => self.send_to(store, client, number),
            12..14 => {
                let came = store.receive_from(client, number, |_, _| Some(()));
                self.reached.datagrams += usize::from(came.is_ok());
            }
            14 => {
                let peer = self.chance.of(&[None, None, Some(peer::PLACES[0])]);
                let _ = store.set_peer(client, number, peer);
            }
            _ => {}
        }
    }

    fn send_to(&mut self, store: &mut Store<'_>, client: u32, number: Number) {
        let bytes = vec![7; self.chance.below(LONGEST + 2)];
        let to = at(
            self.chance.of(&[1, 3, 77, 255]),
            self.chance.of(&[DATAGRAMS, 0, 7]),
        );
        let _ = store.send_to(client, number, to, &bytes);
    }

    /// Looks at what has become of questions and echoes, as who waits for them does.
    fn look(&mut self, node: &mut Node<'_>, now: Instant) {
        let Node {
            store, interface, ..
        } = node;
        let reached = &mut self.reached;
        self.questions
            .retain(|(client, question)| match store.asked(*client, *question) {
                Ok(Asked::Waits) => true,
                Ok(Asked::Again) => {
                    let numbers = interface.context();
                    let asked = store.ask_again(*client, *question, NAME, numbers, now);
                    asked.is_ok()
                }
                Ok(Asked::Found(_)) => {
                    reached.names += 1;
                    false
                }
                Ok(Asked::Not(_)) | Err(_) => false,
            });
        self.pings.retain(|(client, ping)| {
            let echo = store.pinged(*client, *ping);
            reached.echoes += usize::from(echo.is_ok());
            echo == Err(Refused::NotYet)
        });
    }
}
