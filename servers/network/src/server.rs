//! What comes of a request, and of a notice.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use network_store::{
    ADDRESSES, Asked, Families, Found, LONGEST, LONGEST_NAME, Memory, Number, Places, Queries,
    Question, Ready, Refused, Searches, Share, Store,
};
use riposte::abi::MESSAGE_BYTES;
use riposte::{Deadline, Event, Message, Notice, Status, Token};
use riposte_ethernet::protocol::{CHANGE, NOTICE};
use riposte_network::protocol::{
    self, ADDRESS, REQUEST, WATCHED, families, operation, ready, status,
};
use riposte_network::{State, address};
use servers_waiting::{Waiter, Waiting};
use smoltcp::wire::{EthernetAddress, IpEndpoint};

use crate::ipv6;
use crate::request::Request;
use crate::settings;
use crate::stack::{Next, Stack, now};

// What clients are told they may ask for, and get.
const _: () = assert!(LONGEST_NAME == protocol::NAME && ADDRESSES == protocol::ADDRESSES);

/// Most letters of a name, and a dot at its end.
const TEXT: usize = LONGEST_NAME + 1;

/// Most events between two turns of the stack.
const EVENTS: u32 = 64;

/// The sockets, the stack, and who waits.
pub struct Server<'a> {
    sockets: Sockets<'a>,
    waiting: Waiting<u32, Request>,
    /// Until when the stack has nothing to do but what comes, if it has rest.
    rests: Option<Deadline>,
    /// What was done since its last turn.
    events: u32,
}

/// Its bytes, where the kernel copies them by words.
#[repr(align(4))]
struct Datagram([u8; ADDRESS + LONGEST]);

/// What requests are about.
struct Sockets<'a> {
    store: Store<'a>,
    stack: &'a mut Stack,
    /// A datagram that is to be sent, behind the address to which.
    datagram: Datagram,
    /// Whether something has come, or was done, since the stack had its turn that lets it go on.
    has_work: bool,
}

impl<'a> Server<'a> {
    /// Without a socket. `all` is what all clients together may have; `seed` says with which port it begins to give some.
    pub fn new(
        memory: &'a mut Memory,
        queries: &'a mut Queries,
        searches: &'a mut Searches,
        places: &'a mut Places<'a>,
        stack: &'a mut Stack,
        all: Share,
        seed: u64,
    ) -> Server<'a> {
        let echoes = settings::seed() as u32;
        let mut store = Store::new(memory, queries, searches, places, all, seed as u32, echoes);
        if !stack.asks_for_address {
            let dhcp = store.dhcp;
            store.sockets.remove(dhcp);
        }
        store.set_name_servers(settings::name_servers());
        let mut waiting = Waiting::new();
        waiting.share_among(riposte::clients().count());
        Server {
            sockets: Sockets {
                store,
                stack,
                datagram: Datagram([0; ADDRESS + LONGEST]),
                has_work: true,
            },
            waiting,
            rests: None,
            events: 0,
        }
    }

    /// Moves what can be moved, and lets those go on who wait for it. When it is to be called again, if nothing comes
    /// before.
    pub fn turn(&mut self) -> Deadline {
        let sockets = &mut self.sockets;
        // Datagrams without an end keep nobody from what is due.
        self.events += 1;
        if let Some(rest) = self
            .rests
            .filter(|_| self.events < EVENTS && !sockets.has_work)
        {
            if !sockets.stack.has_news() {
                return rest;
            }
            let has_all = sockets.stack.take_datagrams(&mut sockets.store);
            if has_all {
                self.waiting
                    .try_each(|waiter| sockets.attempt(waiter, None));
                if !sockets.has_work && !sockets.stack.has_news() {
                    return rest;
                }
            }
        }
        self.events = 0;
        sockets.has_work = false;
        let next = sockets.stack.turn(&mut sockets.store);
        self.waiting
            .try_each(|waiter| sockets.attempt(waiter, None));
        let rest = match next {
            Next::Now => None,
            Next::At(moment) => Some(Deadline::At(moment)),
            Next::Event => Some(Deadline::None),
        };
        self.rests = rest.filter(|_| !sockets.has_work);
        self.rests.unwrap_or(Deadline::Immediate)
    }

    /// The time has come that [`Server::turn`] has said.
    pub fn is_due(&mut self) {
        self.rests = None;
    }

    /// Does what a client asks, or takes note of what the kernel says.
    pub fn hear(&mut self, event: Event<'_>) {
        match event {
            Event::Message(message) => self.serve(message),
            Event::Notice(Notice::Bits { bits }) if bits & (NOTICE | CHANGE) != 0 => {
                self.sockets.stack.noticed();
                if bits & CHANGE != 0 {
                    self.sockets.has_work = true;
                    self.sockets.stack.heard();
                }
            }
            Event::Notice(Notice::ClientDied { badge, .. }) => {
                self.sockets.has_work = true;
                self.sockets.store.abandon(badge);
                self.waiting.remove_dead(badge);
            }
            Event::Notice(Notice::Unblock {
                client, has_signal, ..
            }) => {
                let why = if has_signal {
                    status::INTERRUPTED
                } else {
                    status::TIMED_OUT
                };
                if let Some(waiter) = self.waiting.remove(client) {
                    self.sockets.refuse(waiter, why);
                }
            }
            Event::Notice(_) => {}
        }
    }

    fn serve(&mut self, message: Message<'_>) {
        let client = message.badge();
        if message.offered() < REQUEST {
            refuse(message.into_token(), status::INVALID);
            return;
        }
        let wanted = Request::of(&message);
        let is_whole = message.accepted() == message.offered() && message.offered() > MESSAGE_BYTES;
        let offered = message.offered();
        let (token, buffer) = message.into_parts();
        let came = buffer.get(REQUEST..offered).filter(|_| is_whole);
        let waiter = Waiter {
            token,
            client,
            wanted,
        };
        let sockets = &mut self.sockets;
        let Some(waiter) = sockets.attempt(waiter, came) else {
            return;
        };
        if !waiter.wanted.may_wait {
            sockets.refuse(waiter, status::NOT_YET);
        } else if let Err(waiter) = self.waiting.push(waiter) {
            sockets.refuse(waiter, status::TOO_MANY_WAIT);
        }
    }
}

impl Sockets<'_> {
    /// Answers whoever waits no more.
    fn refuse(&mut self, waiter: Waiter<u32, Request>, why: Status) {
        if let Some(question) = waiter.wanted.question {
            self.has_work = true;
            self.store.forget(waiter.client, question);
        }
        if let Some(ping) = waiter.wanted.ping {
            self.store.forget_ping(waiter.client, ping);
        }
        waiter.refuse(why);
    }

    /// Does what a client asks and answers it; gives it back if that is not possible yet. What is behind the operation and
    /// the number has come with it, or is to be read.
    fn attempt(
        &mut self,
        waiter: Waiter<u32, Request>,
        came: Option<&[u8]>,
    ) -> Option<Waiter<u32, Request>> {
        let Waiter {
            token,
            client,
            mut wanted,
        } = waiter;
        let mut token = Some(token);
        let done = match wanted.what {
            operation::RESOLVE => self.resolve(client, &mut wanted, &mut token),
            operation::PING => self.ping(client, &mut wanted, &mut token),
            _ => self.perform(client, &wanted, came, &mut token),
        };
        // Who waits on has changed nothing, nor has who only looked, or took what had come for a port.
        let has_changed = done != Err(status::NOT_YET) && !changes_nothing(wanted.what);
        self.has_work |= has_changed;
        // None if it was answered.
        let token = token?;
        match done {
            // A client that has left needs no answer.
            Ok(()) => refuse(token, Status::OK),
            Err(status::NOT_YET) => {
                return Some(Waiter {
                    token,
                    client,
                    wanted,
                });
            }
            Err(why) => refuse(token, why),
        }
        None
    }

    /// Does what a client asks. What has more to say than that it is done takes the token and answers.
    fn perform(
        &mut self,
        client: u32,
        wanted: &Request,
        came: Option<&[u8]>,
        token: &mut Option<Token>,
    ) -> Result<(), Status> {
        let number = Number(wanted.about);
        match wanted.what {
            operation::LISTEN => self.listen(client, wanted, token),
            operation::READ => self.read(client, wanted, token),
            operation::WRITE => self.write(client, wanted, came, token),
            operation::SEND_TO => self.send_to(client, wanted, came, token),
            operation::RECEIVE_FROM => self.receive_from(client, wanted, token),
            operation::CONNECT => self.connect(client, wanted, token),
            operation::WATCH => self.watch(client, wanted, token),
            operation::SET_PEER => self.set_peer(client, wanted, token),
            operation::ASK => self.ask(client, wanted, token),
            operation::ASKED => self.asked(client, wanted, token),
            0..=operation::READY if wanted.length() > 0 => Err(status::INVALID),
            operation::CONNECTED => self.connected(client, number, token),
            operation::READY => {
                let found = self.store.ready(client, number).map_err(said)?;
                answer_words(token, [ready_bits(found)]);
                Ok(())
            }
            operation::ACCEPT => self.accept(client, number, token),
            operation::FINISH => self.store.finish(client, number).map_err(said),
            operation::CLOSE => self.store.close(client, number).map_err(said),
            operation::BIND => self.bind(client, wanted, token),
            operation::STATE => {
                self.stack.heard();
                let state = self.state().to_bytes();
                answer(token, [&state]);
                Ok(())
            }
            _ => Err(status::NOT_SUPPORTED),
        }
    }

    fn connect(
        &mut self,
        client: u32,
        wanted: &Request,
        token: &mut Option<Token>,
    ) -> Result<(), Status> {
        if wanted.about != 0 || wanted.length() != ADDRESS {
            return Err(status::INVALID);
        }
        // Nobody would ever close what was begun for whoever has left.
        let Some(client_token) = token.as_ref().filter(|token| !has_left(token)) else {
            *token = None;
            return Ok(());
        };
        let to = address_of(wanted, client_token)?;
        self.stack.route(to.addr).ok_or(status::UNREACHABLE)?;
        let context = self.stack.interface.context();
        let share = settings::share_of(client);
        let asked = self.store.connect(client, share, to, context);
        let number = asked.map_err(said)?;
        let is_taken = answer_words(token, [number.0]);
        self.keep_if(is_taken, client, number);
        Ok(())
    }

    fn connected(
        &mut self,
        client: u32,
        number: Number,
        token: &mut Option<Token>,
    ) -> Result<(), Status> {
        let (own, other) = self.store.connected(client, number).map_err(said)?;
        let [own, other] = [own, other].map(|it| address::to_bytes(from_endpoint(it)));
        answer(token, [&own, &other]);
        Ok(())
    }

    fn watch(
        &mut self,
        client: u32,
        wanted: &Request,
        token: &mut Option<Token>,
    ) -> Result<(), Status> {
        let mut all = [0; 8 * WATCHED];
        let all = all.get_mut(..wanted.length()).ok_or(status::INVALID)?;
        if wanted.about != 0 || all.is_empty() || all.len() % 8 != 0 {
            return Err(status::INVALID);
        }
        let Some(client_token) = token.as_ref() else {
            return Ok(());
        };
        if wanted.bytes(client_token, 0, all) < all.len() {
            // The client has left.
            *token = None;
            return Ok(());
        }
        let (words, _) = all.as_chunks::<4>();
        for pair in words.chunks_exact(2) {
            let [number, bits] =
                [0, 1].map(|it| pair.get(it).map_or(0, |it| u32::from_le_bytes(*it)));
            if bits & !ready::ALL != 0 {
                return Err(status::INVALID);
            }
            let found = ready_bits(self.store.ready(client, Number(number)).map_err(said)?);
            if found & (bits | ready::ENDED | ready::FAILED) != 0 {
                return Ok(());
            }
        }
        Err(status::NOT_YET)
    }

    fn listen(
        &mut self,
        client: u32,
        wanted: &Request,
        token: &mut Option<Token>,
    ) -> Result<(), Status> {
        let backlog = wanted.word().ok_or(status::INVALID)?;
        let (port, families) = port_of(wanted)?;
        let families = self.families(families)?;
        // It may have waited for a stream. Nobody would ever close what whoever has left has.
        if is_for_nobody(token) {
            return Ok(());
        }
        let share = settings::share_of(client);
        let backlog = backlog as usize;
        let listener = self.store.listen(client, share, port, backlog, families);
        let number = listener.map_err(said)?;
        let is_taken = answer_words(token, [number.0]);
        self.keep_if(is_taken, client, number);
        Ok(())
    }

    fn accept(
        &mut self,
        client: u32,
        number: Number,
        token: &mut Option<Token>,
    ) -> Result<(), Status> {
        // Whoever has left takes nobody along.
        if is_for_nobody(token) {
            return Ok(());
        }
        let (number, from) = self.store.accept(client, number).map_err(said)?;
        let from = address::to_bytes(from_endpoint(from));
        let is_taken = answer(token, [&number.0.to_le_bytes(), &from]);
        self.keep_if(is_taken, client, number);
        Ok(())
    }

    fn read(
        &mut self,
        client: u32,
        wanted: &Request,
        token: &mut Option<Token>,
    ) -> Result<(), Status> {
        let most = wanted.word().filter(|it| *it > 0).ok_or(status::INVALID)? as usize;
        let number = Number(wanted.about);
        // What a client has not taken stays for the next one.
        let read = self.store.receive(client, number, |bytes| {
            let bytes = bytes.get(..most).unwrap_or(bytes);
            let given = token.take().map(|token| token.reply(bytes));
            given.and_then(Result::ok).unwrap_or(0)
        });
        // At the end there are none.
        read.map(drop).map_err(said)
    }

    fn write(
        &mut self,
        client: u32,
        wanted: &Request,
        came: Option<&[u8]>,
        token: &mut Option<Token>,
    ) -> Result<(), Status> {
        if wanted.length() == 0 {
            return Err(status::INVALID);
        }
        let number = Number(wanted.about);
        let sent = self.store.send(client, number, |room| {
            let length = wanted.length().min(room.len());
            let Some(room) = room.get_mut(..length) else {
                return 0;
            };
            match (came.and_then(|it| it.get(..length)), token.as_ref()) {
                (Some(came), _) => {
                    room.copy_from_slice(came);
                    length
                }
                (None, Some(token)) => wanted.bytes(token, 0, room),
                (None, None) => 0,
            }
        });
        answer_words(token, [sent.map_err(said)? as u32]);
        Ok(())
    }

    fn bind(
        &mut self,
        client: u32,
        wanted: &Request,
        token: &mut Option<Token>,
    ) -> Result<(), Status> {
        let (port, families) = port_of(wanted)?;
        let families = self.families(families)?;
        // As of a listener.
        if is_for_nobody(token) {
            return Ok(());
        }
        let share = settings::share_of(client);
        let bound = self.store.bind(client, share, port, families);
        let (number, port) = bound.map_err(said)?;
        let keeps = self.store.port_keeps() as u32;
        let is_taken = answer_words(token, [number.0, port.into(), keeps]);
        self.keep_if(is_taken, client, number);
        Ok(())
    }

    fn send_to(
        &mut self,
        client: u32,
        wanted: &Request,
        came: Option<&[u8]>,
        token: &mut Option<Token>,
    ) -> Result<(), Status> {
        let Some(client_token) = token.as_ref().filter(|_| wanted.length() >= ADDRESS) else {
            return Err(status::INVALID);
        };
        let all = match came {
            Some(came) => came,
            None => {
                let all = self.datagram.0.get_mut(..wanted.length());
                let all = all.ok_or(status::TOO_LONG)?;
                if wanted.bytes(client_token, 0, all) < all.len() {
                    // The client has left.
                    *token = None;
                    return Ok(());
                }
                all
            }
        };
        let (to, bytes) = all.split_at(ADDRESS);
        let to = endpoint_of(to)?;
        let number = Number(wanted.about);
        let (stack, store) = (&mut *self.stack, &mut self.store);
        let device = EthernetAddress(stack.device);
        let write = |room: &mut [u8]| store.frame((client, number), device, to, bytes, room);
        if !stack.wire.is_blocked() && stack.wire.send_past(write).map_err(said)? {
            return Ok(());
        }
        if !self.stack.leads_to(to.addr) {
            return Err(status::UNREACHABLE);
        }
        self.store
            .send_to(client, number, to, bytes)
            .map_err(said)?;
        self.has_work = true;
        Ok(())
    }

    fn receive_from(
        &mut self,
        client: u32,
        wanted: &Request,
        token: &mut Option<Token>,
    ) -> Result<(), Status> {
        let most = wanted.word().ok_or(status::INVALID)? as usize;
        let number = Number(wanted.about);
        let received = self.store.receive_from(client, number, |bytes, from| {
            let mut head = [0; ADDRESS + 4];
            let (place, length) = head.split_at_mut(ADDRESS);
            place.copy_from_slice(&address::to_bytes(from_endpoint(from)));
            length.copy_from_slice(&(bytes.len() as u32).to_le_bytes());
            let bytes = bytes.get(..most).unwrap_or(bytes);
            // One that has left takes nothing along.
            answer(token, [&head, bytes]).then_some(())
        });
        received.map_err(said)
    }

    /// From whom a port takes what comes.
    fn set_peer(
        &mut self,
        client: u32,
        wanted: &Request,
        token: &Option<Token>,
    ) -> Result<(), Status> {
        let peer = match (wanted.length(), token) {
            (0, _) => None,
            (ADDRESS, Some(token)) => Some(address_of(wanted, token)?),
            _ => return Err(status::INVALID),
        };
        let number = Number(wanted.about);
        self.store.set_peer(client, number, peer).map_err(said)
    }

    // Whoever asks no names pays no stack for it.
    #[inline(never)]
    fn resolve(
        &mut self,
        client: u32,
        wanted: &mut Request,
        token: &mut Option<Token>,
    ) -> Result<(), Status> {
        if is_for_nobody(token) {
            if let Some(question) = wanted.question {
                self.store.forget(client, question);
            }
            return Ok(());
        }
        match wanted.question {
            Some(question) => self.look_at(client, question, wanted, token),
            None if !wanted.may_wait => Err(status::NOT_YET),
            None => {
                wanted.question = Some(self.begin_question(client, wanted, token)?);
                Err(status::NOT_YET)
            }
        }
    }

    /// A question whose client does not wait for what becomes of it.
    fn ask(
        &mut self,
        client: u32,
        wanted: &Request,
        token: &mut Option<Token>,
    ) -> Result<(), Status> {
        // Nobody would ever look at what was asked for whoever has left.
        if is_for_nobody(token) {
            return Ok(());
        }
        let number = self.begin_question(client, wanted, token)?.number();
        let is_taken = answer_words(token, [number.0]);
        self.keep_if(is_taken, client, number);
        Ok(())
    }

    /// What has become of it.
    fn asked(
        &mut self,
        client: u32,
        wanted: &Request,
        token: &mut Option<Token>,
    ) -> Result<(), Status> {
        // Whoever has left takes no answer along.
        if is_for_nobody(token) {
            return Ok(());
        }
        let question = self.store.question(client, Number(wanted.about));
        self.look_at(client, question.map_err(said)?, wanted, token)
    }

    /// Answers with what has become of a question, if nobody is waited for any more.
    fn look_at(
        &mut self,
        client: u32,
        question: Question,
        wanted: &Request,
        token: &mut Option<Token>,
    ) -> Result<(), Status> {
        match self.store.asked(client, question).map_err(said)? {
            Asked::Waits => Err(status::NOT_YET),
            Asked::Again => self.ask_again(client, question, wanted, token),
            Asked::Not(why) => Err(said(why)),
            Asked::Found(found) => {
                answer_addresses(token, &found);
                Ok(())
            }
        }
    }

    /// Asks for the name that a request holds.
    #[inline(never)]
    fn begin_question(
        &mut self,
        client: u32,
        wanted: &Request,
        token: &Option<Token>,
    ) -> Result<Question, Status> {
        let families = families_of(wanted.about).ok_or(status::INVALID)?;
        let families = ipv6::families(&self.stack.interface, families);
        let families = families.ok_or(status::NO_SUCH_NAME)?;
        let mut text = [0; TEXT];
        let text = name_of(wanted, token, &mut text)?;
        let numbers = self.stack.numbers.context();
        let share = settings::share_of(client);
        let asked = self
            .store
            .ask(client, share, text, families, numbers, now());
        let question = asked.map_err(said)?;
        self.has_work = true;
        Ok(question)
    }

    /// Asks anew for the name that a request holds.
    #[inline(never)]
    fn ask_again(
        &mut self,
        client: u32,
        question: Question,
        wanted: &Request,
        token: &Option<Token>,
    ) -> Result<(), Status> {
        let mut text = [0; TEXT];
        let text = match name_of(wanted, token, &mut text) {
            Ok(text) => text,
            Err(why) => {
                self.store.forget(client, question);
                return Err(why);
            }
        };
        let numbers = self.stack.numbers.context();
        let asked = self.store.ask_again(client, question, text, numbers, now());
        asked.map_err(said)?;
        self.has_work = true;
        Err(status::NOT_YET)
    }

    /// Waits for the echo of a host.
    #[inline(never)]
    fn ping(
        &mut self,
        client: u32,
        wanted: &mut Request,
        token: &mut Option<Token>,
    ) -> Result<(), Status> {
        let Some(client_token) = token.as_ref().filter(|it| !has_left(it)) else {
            if let Some(ping) = wanted.ping {
                self.store.forget_ping(client, ping);
            }
            *token = None;
            return Ok(());
        };
        if let Some(ping) = wanted.ping {
            let took = self.store.pinged(client, ping).map_err(said)?;
            answer_words(token, [took.total_micros() as u32]);
            return Ok(());
        }
        if wanted.length() != ADDRESS {
            return Err(status::INVALID);
        }
        let to = address_of(wanted, client_token)?;
        if to.port != 0 {
            return Err(status::INVALID);
        }
        let share = settings::share_of(client);
        let route = self.stack.route(to.addr).ok_or(status::UNREACHABLE)?;
        if !wanted.may_wait {
            return Err(status::NOT_YET);
        }
        let length = wanted.about as usize;
        let asked = self.store.ping(client, share, route, length, now());
        wanted.ping = Some(asked.map_err(said)?);
        self.has_work = true;
        Err(status::NOT_YET)
    }

    /// Closes what a client was to have that has left meanwhile: nobody knows its number.
    fn keep_if(&mut self, is_taken: bool, client: u32, number: Number) {
        if !is_taken {
            // It is there: it was just made.
            let _ = self.store.close(client, number);
        }
    }

    fn state(&self) -> State {
        let wire = &self.stack.wire;
        let (state, counted) = (wire.state(), wire.counted());
        let nobody = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        let (address, prefix) = match self.stack.address() {
            Some(own) => (IpAddr::V4(own.address()), own.prefix_len()),
            None => (nobody, 0),
        };
        let mut state = State {
            address,
            prefix: prefix.into(),
            is_up: state.is_some_and(|it| it.is_up),
            device: state.map_or([0; 6], |it| it.address),
            gateway: self.stack.gateway().unwrap_or(nobody),
            sent: counted.sent,
            sent_bytes: counted.sent_bytes,
            received: counted.received,
            received_bytes: counted.received_bytes,
            lost: counted.lost,
            restarts: counted.restarts,
            link_local: Ipv6Addr::UNSPECIFIED,
            address_ipv6: Ipv6Addr::UNSPECIFIED,
            prefix_ipv6: 0,
            gateway_ipv6: Ipv6Addr::UNSPECIFIED,
            advertisements_refused: 0,
        };
        self.stack.ipv6.tell(&self.stack.interface, &mut state);
        state
    }

    /// The families of which a socket takes what comes, if there is such a one.
    fn families(&self, wanted: Families) -> Result<Families, Status> {
        let possible = ipv6::families(&self.stack.interface, wanted);
        // It takes also what has an address later.
        possible.map(|_| wanted).ok_or(status::UNREACHABLE)
    }
}

/// Whether an operation leaves the stack as it was, or says itself that it does not: it has no more to do for it.
fn changes_nothing(what: u32) -> bool {
    matches!(
        what,
        operation::SEND_TO
            | operation::RECEIVE_FROM
            | operation::READY
            | operation::WATCH
            | operation::CONNECTED
    )
}

/// Whether a client does not wait any more.
fn has_left(token: &Token) -> bool {
    token.read(0, &mut []).is_err()
}

/// Whether nobody waits for the answer any more: then it is given up.
fn is_for_nobody(token: &mut Option<Token>) -> bool {
    if token.as_ref().is_some_and(|it| !has_left(it)) {
        return false;
    }
    *token = None;
    true
}

/// Answers with bytes. A client that has left needs none: whether it had them.
fn answer<const N: usize>(token: &mut Option<Token>, pieces: [&[u8]; N]) -> bool {
    let token = token.take();
    token.is_some_and(|it| it.reply_pieces(pieces).is_ok())
}

/// Answers with words, as [`answer`].
fn answer_words<const N: usize>(token: &mut Option<Token>, words: [u32; N]) -> bool
where
    [u32; N]: riposte::MessageWords,
{
    let token = token.take();
    token.is_some_and(|it| it.reply_words(words).is_ok())
}

/// Answers with the addresses of a host.
fn answer_addresses(token: &mut Option<Token>, found: &Found) {
    let mut bytes = [0; ADDRESSES * ADDRESS];
    let (places, _) = bytes.as_chunks_mut::<ADDRESS>();
    let mut length = 0;
    for (to, from) in places.iter_mut().zip(found.iter()) {
        *to = address::to_bytes(SocketAddr::new(IpAddr::from(from), 0));
        length += ADDRESS;
    }
    answer(token, [bytes.get(..length).unwrap_or_default()]);
}

/// Answers with a status alone.
fn refuse(token: Token, status: Status) {
    let _ = match status {
        Status::OK => token.reply_words([]),
        status => token.reply_error(status),
    };
}

/// The name that a request holds. A client that leaves has said none: its question ends with it.
fn name_of<'b>(
    wanted: &Request,
    token: &Option<Token>,
    text: &'b mut [u8; TEXT],
) -> Result<&'b [u8], Status> {
    let text = text.get_mut(..wanted.length()).ok_or(status::TOO_LONG)?;
    let came = token.as_ref().map_or(0, |it| wanted.bytes(it, 0, text));
    if came < text.len() {
        text.fill(0);
    }
    Ok(text)
}

/// The port that a request is about, and the families.
fn port_of(wanted: &Request) -> Result<(u16, Families), Status> {
    let families = families_of(wanted.about >> families::SHIFT);
    let families = families.ok_or(status::INVALID)?;
    Ok((wanted.about as u16, families))
}

fn families_of(number: u32) -> Option<Families> {
    match number {
        families::BOTH => Some(Families::Both),
        families::IPV4 => Some(Families::Ipv4),
        families::IPV6 => Some(Families::Ipv6),
        _ => None,
    }
}

/// The address that a request begins with.
fn address_of(wanted: &Request, token: &Token) -> Result<IpEndpoint, Status> {
    let mut bytes = [0; ADDRESS];
    let length = wanted.bytes(token, 0, &mut bytes);
    endpoint_of(bytes.get(..length).unwrap_or_default())
}

/// The address that these bytes are.
fn endpoint_of(bytes: &[u8]) -> Result<IpEndpoint, Status> {
    let address = address::from_bytes(bytes).ok_or(status::INVALID)?;
    endpoint(address).ok_or(status::UNREACHABLE)
}

#[cfg(feature = "ipv6")]
fn endpoint(address: SocketAddr) -> Option<IpEndpoint> {
    Some(address.into())
}

#[cfg(not(feature = "ipv6"))]
fn endpoint(address: SocketAddr) -> Option<IpEndpoint> {
    match address {
        SocketAddr::V4(address) => Some(address.into()),
        SocketAddr::V6(_) => None,
    }
}

fn from_endpoint(endpoint: IpEndpoint) -> SocketAddr {
    SocketAddr::new(endpoint.addr.into(), endpoint.port)
}

fn ready_bits(found: Ready) -> u32 {
    let bits = [
        (found.read, ready::READ),
        (found.write, ready::WRITE),
        (found.ended, ready::ENDED),
        (found.failed, ready::FAILED),
    ];
    let set = bits.iter().filter(|(is, _)| *is);
    set.fold(0, |all, (_, bit)| all | bit)
}

/// As a client is told.
fn said(why: Refused) -> Status {
    match why {
        Refused::BadNumber => status::BAD_NUMBER,
        Refused::TooMany => status::TOO_MANY,
        Refused::InUse => status::IN_USE,
        Refused::Invalid => status::INVALID,
        Refused::Unreachable => status::UNREACHABLE,
        Refused::Refused => status::REFUSED,
        Refused::Reset => status::RESET,
        Refused::Ended => status::ENDED,
        Refused::TooLong => status::TOO_LONG,
        Refused::NoSuchName => status::NO_SUCH_NAME,
        Refused::NameFailed => status::NAME_FAILED,
        Refused::Silent => status::TIMED_OUT,
        Refused::NotYet => status::NOT_YET,
    }
}
