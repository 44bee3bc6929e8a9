//! Hosts' names: questions to servers of names (DNS), of which each client may have some under way.
//!
//! The stack asks, and reads the answers. What is here decides who may ask, which server is asked, for how long, and what
//! an answer means.

use smoltcp::config::{DNS_MAX_RESULT_COUNT, DNS_MAX_SERVER_COUNT};
use smoltcp::iface::{Context, SocketHandle, SocketSet};
use smoltcp::socket::dns::{DnsQuery, GetQueryResultError, QueryHandle, Socket};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{DnsQueryType, DnsRcode, IpAddress};

use crate::families::ARE_BOTH;
use crate::{Count, Families, Heard, Kind, Number, Ready, Refused, Share, Store, answer, name};

/// Questions of all clients at once: one for each that may have a stream.
pub const NAMES: usize = 8;
/// Most addresses that are told of a name.
pub const ADDRESSES: usize = DNS_MAX_RESULT_COUNT;
/// Servers of names.
pub const SERVERS: usize = DNS_MAX_SERVER_COUNT;

/// How long a server may keep silent before the next one is asked. Meanwhile it is asked again after 1 s and 3 s.
const SILENCE: Duration = Duration::from_secs(5);
/// How often each server is asked before nobody is any more.
const ROUNDS: usize = 2;
/// Answers to a question that come from elsewhere and end it, before it is given up.
const STRANGERS: usize = 8;

/// What a client knows a question by that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    place: usize,
    count: Count,
}

impl Question {
    /// What a client calls it by that does not wait for what becomes of it.
    #[must_use]
    pub fn number(self) -> Number {
        self.count.number(Kind::Question, self.place)
    }
}

/// The addresses of a host: one at least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub(crate) all: [Option<IpAddress>; ADDRESSES],
}

impl Found {
    /// One after the other, as the server told them: those of IPv6 first.
    pub fn iter(&self) -> impl Iterator<Item = IpAddress> + '_ {
        self.all.iter().flatten().copied()
    }

    fn is_empty(&self) -> bool {
        self.all.iter().all(Option::is_none)
    }

    /// These addresses before those that were found: of each, half of the places at least if it needs them.
    fn put_before(&mut self, first: impl Iterator<Item = IpAddress>) {
        let behind = self.all;
        let count = behind.iter().flatten().count();
        let most = (ADDRESSES - count).max(ADDRESSES / 2);
        let mut place = 0;
        for (to, from) in self.all.iter_mut().take(most).zip(first) {
            *to = Some(from);
            place += 1;
        }
        let rest = self.all.iter_mut().skip(place);
        for (to, from) in rest.zip(behind) {
            *to = from;
        }
    }
}

/// What has become of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Nobody has answered yet.
    Waits,
    /// It is to be asked anew, with other numbers: [`Store::ask_again`].
    Again,
    /// The host's addresses. The question is over.
    Found(Found),
    /// There are none. The question is over.
    Not(Refused),
}

enum State {
    /// Asked, the first of the servers being `first`, which has until this time.
    Asked {
        query: QueryHandle,
        first: Option<IpAddress>,
        until: Instant,
    },
    Again,
    Over(Result<Found, Refused>),
}

struct Place {
    /// 0 is nobody.
    owner: u32,
    count: Count,
    state: State,
    /// How many servers have had their time, or have said that they cannot tell.
    tries: usize,
    /// How many answers of strangers there were.
    strangers: usize,
    /// What is asked for now.
    kind: DnsQueryType,
    /// Addresses of IPv6 are asked for next.
    asks_for_both: bool,
    /// What was told until now.
    found: Found,
}

/// What the stack notes of each question. It is too large for the stack of a thread.
#[derive(Debug)]
pub struct Queries([Option<DnsQuery>; NAMES]);

impl Queries {
    /// None.
    #[must_use]
    pub const fn new() -> Queries {
        Queries([const { None }; NAMES])
    }
}

impl Default for Queries {
    fn default() -> Queries {
        Queries::new()
    }
}

/// All questions, and who is asked.
pub struct Names {
    handle: SocketHandle,
    /// The first one is asked, and the next one becomes the first when it does not answer.
    servers: [Option<IpAddress>; SERVERS],
    places: [Place; NAMES],
    /// How many of the places somebody has: each frame asks.
    under_way: usize,
}

impl Names {
    pub(crate) fn new<'a>(queries: &'a mut Queries, sockets: &mut SocketSet<'a>) -> Names {
        Names {
            handle: sockets.add(Socket::new(&[], &mut queries.0[..])),
            servers: [None; SERVERS],
            places: [const {
                Place {
                    owner: 0,
                    count: Count::new(),
                    state: State::Again,
                    tries: 0,
                    strangers: 0,
                    kind: DnsQueryType::A,
                    asks_for_both: false,
                    found: Found {
                        all: [None; ADDRESSES],
                    },
                }
            }; NAMES],
            under_way: 0,
        }
    }

    fn first(&self) -> Option<IpAddress> {
        self.servers.iter().flatten().next().copied()
    }

    /// Whether this answer comes from a server that is asked.
    fn has_asked(&self, heard: &Heard) -> bool {
        heard.port == answer::PORT && self.servers.contains(&Some(heard.from))
    }
}

impl<'a> Store<'a> {
    /// Who is asked for names from now on: the first [`SERVERS`] of these, the first of them at first.
    pub fn set_name_servers(&mut self, servers: impl IntoIterator<Item = IpAddress>) {
        let mut servers = servers.into_iter();
        self.names.servers = [(); SERVERS].map(|()| servers.next());
        self.tell_servers();
    }

    /// Tells the stack who is asked.
    fn tell_servers(&mut self) {
        let mut all = [IpAddress::v4(0, 0, 0, 0); SERVERS];
        let found = self.names.servers.iter().flatten();
        let count = all.iter_mut().zip(found).map(|(to, from)| *to = *from);
        let count = count.count();
        let socket = self.sockets.get_mut::<Socket<'a>>(self.names.handle);
        socket.update_servers(all.get(..count).unwrap_or_default());
    }

    /// Asks for the addresses of a name: of both families, one after the other. `numbers` has the numbers that nobody is to guess: the question's, and its port.
    ///
    /// # Errors
    /// [`Refused::Invalid`] and [`Refused::TooLong`] of what is no name, [`Refused::TooMany`], [`Refused::Unreachable`] if
    /// there is no server.
    pub fn ask(
        &mut self,
        client: u32,
        share: Share,
        text: &[u8],
        families: Families,
        numbers: &mut Context,
        now: Instant,
    ) -> Result<Question, Refused> {
        let text = name::check(text)?;
        let places = &mut self.names.places;
        let own = places.iter().filter(|it| it.owner == client).count();
        let free = places.iter().position(|it| it.owner == 0);
        let place = free.filter(|_| own < share.names).ok_or(Refused::TooMany)?;
        if self.names.first().is_none() {
            return Err(Refused::Unreachable);
        }
        let kind = match families {
            Families::Both | Families::Ipv4 => DnsQueryType::A,
            Families::Ipv6 => DnsQueryType::Aaaa,
        };
        let state = self.start(text, kind, numbers, now)?;
        self.names.under_way += 1;
        let it = &mut self.names.places[place];
        it.count.next();
        *it = Place {
            owner: client,
            count: it.count,
            state,
            tries: 0,
            strangers: 0,
            kind,
            asks_for_both: families == Families::Both,
            found: Found::default(),
        };
        Ok(Question {
            place,
            count: it.count,
        })
    }

    /// Asks anew, when [`Store::asked`] says so.
    ///
    /// # Errors
    /// As [`Store::ask`], and [`Refused::BadNumber`]. The question is over then.
    pub fn ask_again(
        &mut self,
        client: u32,
        question: Question,
        text: &[u8],
        numbers: &mut Context,
        now: Instant,
    ) -> Result<(), Refused> {
        let kind = self.place(client, question)?.kind;
        let text = name::check(text);
        match text.and_then(|text| self.start(text, kind, numbers, now)) {
            Ok(state) => {
                self.names.places[question.place].state = state;
                Ok(())
            }
            Err(why) => {
                self.forget(client, question);
                Err(why)
            }
        }
    }

    #[inline(never)]
    fn start(
        &mut self,
        text: &str,
        kind: DnsQueryType,
        numbers: &mut Context,
        now: Instant,
    ) -> Result<State, Refused> {
        let socket = self.sockets.get_mut::<Socket<'a>>(self.names.handle);
        let query = socket.start_query(numbers, text, kind);
        // There are as many places as here, and the name has been looked at.
        let query = query.map_err(|_| Refused::Invalid)?;
        Ok(State::Asked {
            query,
            first: self.names.first(),
            until: now + SILENCE,
        })
    }

    /// What has become of a question.
    ///
    /// # Errors
    /// [`Refused::BadNumber`] if it is none of this client's under way.
    pub fn asked(&mut self, client: u32, question: Question) -> Result<Asked, Refused> {
        let place = self.place(client, question)?;
        let over = match &place.state {
            State::Asked { .. } => return Ok(Asked::Waits),
            State::Again => return Ok(Asked::Again),
            State::Over(Ok(found)) => Asked::Found(*found),
            State::Over(Err(why)) => Asked::Not(*why),
        };
        self.forget(client, question);
        Ok(over)
    }

    /// The question that a client calls so.
    ///
    /// # Errors
    /// [`Refused::BadNumber`] if it is none of this client's under way.
    pub fn question(&self, client: u32, number: Number) -> Result<Question, Refused> {
        let place = number.place();
        let it = self.names.places.get(place).ok_or(Refused::BadNumber)?;
        if it.owner == client && it.count.number(Kind::Question, place) == number {
            Ok(Question {
                place,
                count: it.count,
            })
        } else {
            Err(Refused::BadNumber)
        }
    }

    pub(crate) fn close_question(&mut self, client: u32, number: Number) -> Result<(), Refused> {
        let question = self.question(client, number)?;
        self.forget(client, question);
        Ok(())
    }

    /// It is to be looked at as soon as nobody is waited for: it is over, or is to be asked anew.
    pub(crate) fn question_ready(&mut self, client: u32, number: Number) -> Result<Ready, Refused> {
        let question = self.question(client, number)?;
        let place = self.place(client, question)?;
        Ok(Ready {
            read: !matches!(place.state, State::Asked { .. }),
            ..Ready::default()
        })
    }

    /// Ends a question of whoever does not wait any more.
    pub fn forget(&mut self, client: u32, question: Question) {
        if self.place(client, question).is_ok() {
            self.free_question(question.place);
        }
    }

    pub(crate) fn abandon_questions(&mut self, client: u32) {
        for place in 0..NAMES {
            if self.names.places[place].owner == client {
                self.free_question(place);
            }
        }
    }

    fn free_question(&mut self, place: usize) {
        self.names.under_way -= 1;
        let it = &mut self.names.places[place];
        it.owner = 0;
        it.count.next();
        if let State::Asked { query, .. } = core::mem::replace(&mut it.state, State::Again) {
            let socket = self.sockets.get_mut::<Socket<'a>>(self.names.handle);
            socket.cancel_query(query);
        }
    }

    /// Looks at what the stack has made of a frame, of which `heard` says who answered if it was an answer; without one, of
    /// what it has tried to send.
    #[inline(never)]
    pub fn tend_questions(&mut self, now: Instant, heard: Option<&Heard>) {
        if !self.is_asking() {
            return;
        }
        for place in 0..NAMES {
            let it = &self.names.places[place];
            if let (
                1..,
                State::Asked {
                    query,
                    first,
                    until,
                },
            ) = (it.owner, &it.state)
            {
                let (query, first, until) = (*query, *first, *until);
                self.tend_question(place, query, first, until <= now, heard);
            }
        }
    }

    fn tend_question(
        &mut self,
        place: usize,
        query: QueryHandle,
        first: Option<IpAddress>,
        is_late: bool,
        heard: Option<&Heard>,
    ) {
        let socket = self.sockets.get_mut::<Socket<'a>>(self.names.handle);
        let told = socket.get_query_result(query);
        let is_servers = heard.is_some_and(|it| self.names.has_asked(it));
        let state = match (told, heard) {
            (Err(GetQueryResultError::Pending), _) if !is_late => return,
            (Err(GetQueryResultError::Pending), _) => {
                let socket = self.sockets.get_mut::<Socket<'a>>(self.names.handle);
                socket.cancel_query(query);
                self.next_server(place, first)
            }
            // The stack found no way to any server.
            (Err(GetQueryResultError::Failed), None) => self.over(place, Refused::Unreachable),
            // It takes answers from anybody at the port of names without servers (5353).
            _ if !is_servers => self.passed_over(place),
            (Ok(all), _) => {
                let it = &mut self.names.places[place];
                // Whoever is asked for those of one family may tell others.
                let wanted = match it.kind {
                    DnsQueryType::Aaaa => Families::Ipv6,
                    _ => Families::Ipv4,
                };
                let told = all.into_iter().filter(|it| wanted.has(*it));
                it.found.put_before(told);
                self.next_kind(place)
            }
            (Err(GetQueryResultError::Failed), Some(heard)) => match heard.code {
                // There is no such host, of whatever family.
                DnsRcode::NXDomain => self.over(place, Refused::NoSuchName),
                DnsRcode::NoError => self.next_kind(place),
                _ => self.next_server(place, first),
            },
        };
        self.names.places[place].state = state;
    }

    /// After what a server has told of one family: the other one, if it is wanted.
    fn next_kind(&mut self, place: usize) -> State {
        let it = &mut self.names.places[place];
        if !ARE_BOTH || !core::mem::take(&mut it.asks_for_both) {
            return self.over(place, Refused::NoSuchName);
        }
        it.kind = DnsQueryType::Aaaa;
        it.tries = 0;
        State::Again
    }

    /// Nobody is asked any more. What was told holds, else this is why there is nothing.
    fn over(&self, place: usize, why: Refused) -> State {
        let found = self.names.places[place].found;
        State::Over(if found.is_empty() {
            Err(why)
        } else {
            Ok(found)
        })
    }

    /// An answer from elsewhere has ended a question in the stack.
    fn passed_over(&mut self, place: usize) -> State {
        let it = &mut self.names.places[place];
        it.strangers += 1;
        if it.strangers < STRANGERS {
            State::Again
        } else {
            self.over(place, Refused::NameFailed)
        }
    }

    /// After a server that has not answered, or cannot: the next one, unless each has been asked.
    fn next_server(&mut self, place: usize, first: Option<IpAddress>) -> State {
        let servers = self.names.servers.iter().flatten().count();
        // Others may have gone on to the next one already.
        if servers > 1 && first == self.names.first() {
            if let Some(servers) = self.names.servers.get_mut(..servers) {
                servers.rotate_left(1);
            }
            self.tell_servers();
        }
        let it = &mut self.names.places[place];
        it.tries += 1;
        // Whoever has some addresses does not wait for others of a server that keeps silent about them.
        if it.tries < ROUNDS * servers && it.found.is_empty() {
            State::Again
        } else {
            self.over(place, Refused::NameFailed)
        }
    }

    /// Whether somebody waits for an answer.
    pub fn is_asking(&self) -> bool {
        self.names.under_way > 0
    }

    /// The server with this number, if somebody waits for its answer.
    pub(crate) fn asked_server(&self, number: usize) -> Option<IpAddress> {
        let server = self.names.servers.get(number).copied().flatten();
        server.filter(|_| self.is_asking())
    }

    /// When the next server is to be asked, if none has answered until then.
    pub fn question_ends(&self) -> Option<Instant> {
        if !self.is_asking() {
            return None;
        }
        let asked = self.names.places.iter().filter(|it| it.owner != 0);
        let ends = asked.filter_map(|it| match it.state {
            State::Asked { until, .. } => Some(until),
            State::Again | State::Over(_) => None,
        });
        ends.min()
    }

    /// A question that is this client's.
    fn place(&self, client: u32, question: Question) -> Result<&Place, Refused> {
        let place = self.names.places.get(question.place);
        place
            .filter(|it| it.owner == client && it.count == question.count)
            .ok_or(Refused::BadNumber)
    }
}
