//! Hosts' names: questions to servers of names (DNS), of which each client may have some under way.
//!
//! The stack asks, and reads the answers. What is here decides who may ask, which server is asked, for how long, and what
//! an answer means.

use core::net::Ipv4Addr;

use smoltcp::config::{DNS_MAX_RESULT_COUNT, DNS_MAX_SERVER_COUNT};
use smoltcp::iface::{Context, SocketHandle, SocketSet};
use smoltcp::socket::dns::{DnsQuery, GetQueryResultError, QueryHandle, Socket};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{DnsQueryType, DnsRcode, IpAddress};

use crate::{Count, Heard, Refused, Share, Store, answer, name};

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

/// The addresses of a host: one at least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub(crate) all: [Option<Ipv4Addr>; ADDRESSES],
}

impl Found {
    /// One after the other, as the server told them.
    pub fn iter(&self) -> impl Iterator<Item = Ipv4Addr> + '_ {
        self.all.iter().flatten().copied()
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
    servers: [Option<Ipv4Addr>; SERVERS],
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
                }
            }; NAMES],
            under_way: 0,
        }
    }

    fn first(&self) -> Option<IpAddress> {
        self.servers.iter().flatten().next().map(|it| (*it).into())
    }

    /// Whether this answer comes from a server that is asked.
    fn has_asked(&self, heard: &Heard) -> bool {
        heard.port == answer::PORT && self.servers.contains(&Some(heard.from))
    }
}

impl<'a> Store<'a> {
    /// Who is asked for names from now on: the first [`SERVERS`] of these, the first of them at first.
    pub fn set_name_servers(&mut self, servers: impl IntoIterator<Item = Ipv4Addr>) {
        let mut servers = servers.into_iter();
        self.names.servers = [(); SERVERS].map(|()| servers.next());
        self.tell_servers();
    }

    /// Tells the stack who is asked.
    fn tell_servers(&mut self) {
        let mut all = [Ipv4Addr::UNSPECIFIED.into(); SERVERS];
        let found = self.names.servers.iter().flatten();
        let count = all
            .iter_mut()
            .zip(found)
            .map(|(to, from)| *to = IpAddress::Ipv4(*from));
        let count = count.count();
        let socket = self.sockets.get_mut::<Socket<'a>>(self.names.handle);
        socket.update_servers(all.get(..count).unwrap_or_default());
    }

    /// Asks for the addresses of a name. `numbers` has the numbers that nobody is to guess: the question's, and its port.
    ///
    /// # Errors
    /// [`Refused::Invalid`] and [`Refused::TooLong`] of what is no name, [`Refused::TooMany`], [`Refused::Unreachable`] if
    /// there is no server.
    pub fn ask(
        &mut self,
        client: u32,
        share: Share,
        text: &[u8],
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
        let state = self.start(text, numbers, now)?;
        self.names.under_way += 1;
        let it = &mut self.names.places[place];
        it.count.next();
        *it = Place {
            owner: client,
            count: it.count,
            state,
            tries: 0,
            strangers: 0,
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
        self.place(client, question)?;
        let text = name::check(text);
        match text.and_then(|text| self.start(text, numbers, now)) {
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
    fn start(&mut self, text: &str, numbers: &mut Context, now: Instant) -> Result<State, Refused> {
        let socket = self.sockets.get_mut::<Socket<'a>>(self.names.handle);
        let query = socket.start_query(numbers, text, DnsQueryType::A);
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
            (Err(GetQueryResultError::Failed), None) => State::Over(Err(Refused::Unreachable)),
            // It takes answers from anybody at the port of names without servers (5353).
            _ if !is_servers => self.passed_over(place),
            (Ok(all), _) => {
                let mut found = Found::default();
                let places = found.all.iter_mut();
                places
                    .zip(all)
                    .for_each(|(to, IpAddress::Ipv4(from))| *to = Some(from));
                State::Over(Ok(found))
            }
            (Err(GetQueryResultError::Failed), Some(heard)) => match heard.code {
                DnsRcode::NXDomain | DnsRcode::NoError => State::Over(Err(Refused::NoSuchName)),
                _ => self.next_server(place, first),
            },
        };
        self.names.places[place].state = state;
    }

    /// An answer from elsewhere has ended a question in the stack.
    fn passed_over(&mut self, place: usize) -> State {
        let it = &mut self.names.places[place];
        it.strangers += 1;
        if it.strangers < STRANGERS {
            State::Again
        } else {
            State::Over(Err(Refused::NameFailed))
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
        if it.tries < ROUNDS * servers {
            State::Again
        } else {
            State::Over(Err(Refused::NameFailed))
        }
    }

    /// Whether somebody waits for an answer.
    pub fn is_asking(&self) -> bool {
        self.names.under_way > 0
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
