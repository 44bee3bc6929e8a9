//! What a ninth reading has found: messages that have begun to be copied, and who comes between.

use riposte_abi::{Error, call::number, notice, register, signal::how};
use riposte_kernel::{CHUNK, State};
use riposte_model::{
    Call, ChannelId, Connection, InterruptId, LineKind, Machine, ProcessId, System, ThreadId,
    both_paths, interrupt_at_each_step, pages, ram,
};

/// Bytes of a long message.
const LONG: u32 = 4 * CHUNK;
/// Of memory that is moved.
const PAGE: u32 = 0x400;

/// A process whose two threads do what they like, with memory that can be away; one that takes it; one of two threads,
/// which has a channel and may send to one of the first; and a stranger.
struct World {
    system: System,
    hosts: ProcessId,
    first: ThreadId,
    second: ThreadId,
    takers: ProcessId,
    taker: ThreadId,
    taken_at: ChannelId,
    gives: Connection,
    hosts_channel: ChannelId,
    peers: ProcessId,
    peer: ThreadId,
    helper: ThreadId,
    peers_channel: ChannelId,
    to_hosts: Connection,
    to_peers: Connection,
    stranger: ThreadId,
    from_stranger: Connection,
}

impl World {
    fn new() -> Self {
        let mut system = System::new();
        let [hosts, takers, peers, strangers] = [(); 4].map(|()| system.process());
        let first = system.thread(hosts, 10);
        let second = system.thread(hosts, 15);
        let taker = system.thread(takers, 20);
        let peer = system.thread(peers, 10);
        let helper = system.thread(peers, 11);
        let stranger = system.thread(strangers, 13);
        let [taken_at, hosts_channel, peers_channel] =
            [takers, hosts, peers].map(|owner| system.channel(owner));
        system.notify_unblock(taken_at);
        system.windows(takers, 1, 0x1000);
        system.pages(hosts, 2);
        let gives = system.connection(hosts, taken_at, 3);
        let to_peers = system.connection(hosts, peers_channel, 7);
        let to_hosts = system.connection(peers, hosts_channel, 7);
        let from_stranger = system.notifier(strangers, peers_channel, 8);
        Self {
            system,
            hosts,
            first,
            second,
            takers,
            taker,
            taken_at,
            gives,
            hosts_channel,
            peers,
            peer,
            helper,
            peers_channel,
            to_hosts,
            to_peers,
            stranger,
            from_stranger,
        }
    }

    /// All sleep, but for the first thread and the peer, which are ready: these at a time each, the others for ever.
    fn put_to_sleep(&self, m: &mut Machine, [second, helper, stranger]: [u64; 3]) {
        m.call(self.taker, Call::receive(m.receive_handle(self.taken_at)));
        m.call(self.second, Call::sleep(second));
        m.call(self.stranger, Call::sleep(stranger));
        m.call(self.helper, Call::sleep(helper));
    }

    fn page(&self) -> u32 {
        pages(self.hosts.0).base
    }

    fn room(&self, process: ProcessId) -> u32 {
        ram(process.0).base + 0x2000
    }

    /// The second thread moves a page to the taker, which writes there. Returns where it finds it, and what it has
    /// written.
    fn part_with_page(&self, m: &mut Machine) -> (u32, Vec<u8>) {
        let give = Call::give(m.handle(self.gives), self.page(), PAGE, &[0; 3]);
        m.call(self.second, give);
        let answer = m.answer(self.taker).expect("memory");
        let (_, there, _) = answer.memory().expect("memory");
        let own = vec![0x11; PAGE as usize];
        assert!(m.host.try_write(self.takers, there, &own));
        m.call(self.taker, Call::reply(answer.token(), &[]));
        m.call(self.taker, Call::sleep(u64::MAX));
        m.call(self.second, Call::sleep(u64::MAX));
        (there, own)
    }
}

/// A server waits with its registers where a page begins, as a Cortex-M stores them: where it wants bytes lies before
/// that, and where it goes on behind. The page is another process's when a long message to it is cut short.
#[test]
#[cfg_attr(feature = "lean", ignore = "no lent memory")]
fn a_message_that_begins_writes_nothing_where_its_server_went_on_before_the_memory_was_moved() {
    let world = World::new();
    for chunks in 1..3 {
        both_paths(&world.system, |m| {
            let start = m.now();
            world.put_to_sleep(m, [start + 10, u64::MAX, u64::MAX]);
            let page = world.page();
            m.call(world.peer, Call::sleep(start + 20));
            m.call(
                world.first,
                Call::receive(m.receive_handle(world.hosts_channel)),
            );
            m.host.poke_word(page - 8, world.room(world.hosts));
            m.host.poke_word(page - 4, LONG);
            m.host.set_stack(m.thread(world.first), page - 8);
            m.advance_to(start + 10);
            let (there, own) = world.part_with_page(m);
            m.advance_to(start + 20);
            let send = Call::send_bytes(m.handle(world.to_hosts), world.room(world.peers), LONG);
            m.host.interrupt_after(chunks);
            m.call(world.peer, send);
            let now = m.host.try_read(world.takers, there, PAGE);
            assert!(
                now == Some(own),
                "the kernel has written to another process"
            );
            let failed = m.answer(world.first).expect("an end").error();
            assert_eq!(failed, Some(Error::BadAddress));
            assert_eq!(m.state(world.peer), State::SendBlocked);
        });
    }
}

/// As before, of the client: it is to send its message again, since the room of the server is not its own.
#[test]
#[cfg_attr(feature = "lean", ignore = "no lent memory")]
fn a_message_that_is_sent_again_writes_nothing_where_its_client_went_on_before_the_memory_was_moved()
 {
    let world = World::new();
    both_paths(&world.system, |m| {
        let start = m.now();
        world.put_to_sleep(m, [start + 10, start + 20, u64::MAX]);
        let receive = Call::receive(m.receive_handle(world.peers_channel));
        m.call(world.peer, receive.room(world.room(world.peers), LONG));
        let page = world.page();
        m.host.set_stack(m.thread(world.first), page + 8);
        m.host.interrupt_after(2);
        let send = Call::send_bytes(m.handle(world.to_peers), world.room(world.hosts), LONG);
        m.call_once(world.first, send);
        assert_eq!(m.state(world.first), State::ReplyBlocked);
        m.advance_to(start + 10);
        let (there, own) = world.part_with_page(m);
        m.advance_to(start + 20);
        m.divert(world.peer);
        m.call(world.helper, Call::sleep(u64::MAX));
        let bad = m.answer_to(world.peer, receive.room(4, LONG));
        assert_eq!(bad.error(), Some(Error::BadAddress));
        let now = m.host.try_read(world.takers, there, PAGE);
        assert!(
            now == Some(own),
            "the kernel has written to another process"
        );
        let failed = m.answer(world.first).expect("an end").error();
        assert_eq!(failed, Some(Error::BadAddress));
    });
}

/// A server waits for one badge alone. The client's message has begun, and another thread of the client's moves what it
/// sends away: the client fails. The server goes on waiting for that badge.
#[test]
#[cfg_attr(feature = "lean", ignore = "no lent memory")]
fn rule_9_who_takes_a_begun_message_away_makes_a_selective_receive_take_no_other() {
    let world = World::new();
    for with_notice in [false, true] {
        both_paths(&world.system, |m| {
            let start = m.now();
            world.put_to_sleep(m, [start + 10, u64::MAX, start + 5]);
            let receive = Call::receive(m.receive_handle(world.peers_channel));
            let receive = receive.room(world.room(world.peers), LONG).from_badge(7);
            m.call(world.peer, receive);
            m.call(world.first, Call::sleep(start + 6));
            m.advance_to(start + 5);
            if with_notice {
                m.call(
                    world.stranger,
                    Call::notify(m.handle(world.from_stranger), 1),
                );
                m.call(world.stranger, Call::sleep(u64::MAX));
            } else {
                m.send(world.stranger, world.from_stranger, &[1]);
            }
            m.advance_to(start + 6);
            m.host.interrupt_after(1);
            let send = Call::send_bytes(m.handle(world.to_peers), world.page(), PAGE);
            m.call_once(world.first, send);
            assert_eq!(m.state(world.first), State::ReplyBlocked);
            assert!(m.must_repeat(world.peer));
            m.advance_to(start + 10);
            world.part_with_page(m);
            while m.repeating() == Some(world.peer) {
                m.repeat(world.peer);
            }
            let failed = m.answer(world.first).expect("an end").error();
            assert_eq!(failed, Some(Error::BadAddress));
            assert_eq!(
                m.state(world.peer),
                State::ReceiveBlocked,
                "it takes what it has not asked for: {:?}",
                m.answer(world.peer)
            );
        });
    }
}

/// A server of two threads, each of 10 and 12, and a client of another process.
struct Crew {
    system: System,
    server: ThreadId,
    second: ThreadId,
    server_ram: u32,
    client: ThreadId,
    client_ram: u32,
    channel: ChannelId,
    link: Connection,
    interrupt: InterruptId,
}

impl Crew {
    fn new(unblocks: bool) -> Self {
        let mut system = System::new();
        let [servers, clients] = [(); 2].map(|()| system.process());
        let server = system.thread(servers, 10);
        let second = system.thread(servers, 12);
        let client = system.thread(clients, 10);
        let channel = system.channel(servers);
        if unblocks {
            system.notify_unblock(channel);
        }
        let link = system.connection(clients, channel, 7);
        let interrupt = system.interrupt(servers, LineKind::Edge);
        let [server_ram, client_ram] = [servers, clients].map(|it| ram(it.0).base);
        Self {
            system,
            server,
            second,
            server_ram,
            client,
            client_ram,
            channel,
            link,
            interrupt,
        }
    }

    /// The client's call.
    fn send(&self, m: &Machine) -> Call {
        Call::send_bytes(m.handle(self.link), self.client_ram, LONG)
    }

    /// The server's.
    fn receive(&self, m: &Machine) -> Call {
        Call::receive(m.receive_handle(self.channel)).room(self.server_ram, LONG)
    }
}

/// Two threads of a server receive. The message of a client has begun to be copied for the first when the client's
/// deadline passes. The second one is told, looks into the message, and leaves the answer to the first.
#[test]
fn a_begun_message_whose_client_asks_to_be_unblocked_is_not_lost() {
    let crew = Crew::new(true);
    both_paths(&crew.system, |m| {
        let due = m.now() + 100;
        let receive = crew.receive(m);
        m.call(crew.second, receive.room(crew.server_ram + LONG, LONG));
        // It is the first of those that wait.
        let token = {
            m.call(crew.client, Call::send(m.handle(crew.link), &[]));
            m.answer(crew.second).unwrap().token()
        };
        m.call(crew.second, Call::sleep(due - 50));
        m.call(crew.server, receive);
        m.advance_to(due - 50);
        m.call(crew.second, Call::reply(token, &[]));
        m.call(crew.second, receive.room(crew.server_ram + LONG, LONG));
        let send = crew.send(m).deadline(due);
        m.host.interrupt_after(1);
        m.call_once(crew.client, send);
        assert_eq!(m.state(crew.client), State::ReplyBlocked);
        assert!(m.must_repeat(crew.server));
        m.set_now(due);
        m.interrupt();
        let told = m.state(crew.second) != State::ReceiveBlocked;
        if told {
            let answer = m.answer(crew.second).expect("a notice");
            assert_eq!(answer.notice(), Some(notice::UNBLOCK));
            m.host.interrupt_after(1);
            let read = Call::read(answer.token(), crew.server_ram + LONG, LONG, 0);
            m.call(crew.second, read);
            m.call(crew.second, Call::sleep(u64::MAX));
        }
        if m.must_repeat(crew.server) {
            m.repeat(crew.server);
        }
        let [server, client] = [crew.server, crew.client].map(|it| m.state(it));
        assert_eq!(
            server,
            State::Ready,
            "the client is {client:?}, and its server is {server:?}"
        );
        assert!(!told, "who is told has heard of the message");
        let notice = m.answer(crew.second).expect("a notice");
        assert_eq!(notice.notice(), Some(notice::UNBLOCK));
        m.call(crew.second, Call::sleep(u64::MAX));
        let message = m.answer(crew.server).expect("a message");
        assert_eq!(message.bytes(), Some((LONG, LONG)));
        assert_eq!(message.token(), notice.token());
    });
}

/// Who answers a message that has only begun, by a token that it has guessed, has taken no bytes of it.
#[test]
fn rule_4_of_a_message_that_is_answered_before_it_is_received_no_bytes_were_taken() {
    let crew = Crew::new(false);
    both_paths(&crew.system, |m| {
        m.call(crew.second, Call::sleep(m.now() + 100));
        m.call(crew.server, crew.receive(m));
        let mut send = crew.send(m);
        send.registers[register::GENERATION] = 0x5555;
        m.host.interrupt_after(1);
        m.call_once(crew.client, send);
        m.advance(100);
        let token = m.token_of(crew.client);
        let reply = Call::reply(token, &[]);
        assert_eq!(m.answer_to(crew.second, reply).error(), None);
        let answer = m.answer(crew.client).expect("an answer");
        assert_eq!((answer.error(), answer.accepted()), (None, 0));
        m.call(crew.second, Call::sleep(u64::MAX));
        m.repeat(crew.server);
        assert_eq!(m.state(crew.server), State::ReceiveBlocked);
    });
}

/// A driver acknowledges and receives. In the middle of a long message another thread detaches the interrupt: the call
/// fails. What the driver does next has steps of its own.
#[test]
fn a_receive_that_fails_in_the_middle_of_a_message_gives_it_back() {
    let crew = Crew::new(false);
    both_paths(&crew.system, |m| {
        let start = m.now();
        m.call(crew.second, Call::sleep(start + 100));
        let attached = m.attach(crew.server, crew.interrupt, crew.channel, 1);
        m.call(crew.server, Call::sleep(start + 50));
        m.call(crew.client, crew.send(m));
        m.advance_to(start + 50);
        m.host.interrupt_after(1);
        let channel = m.receive_handle(crew.channel);
        let receive = Call::acknowledge_and_receive(channel, attached).room(crew.server_ram, LONG);
        assert!(!m.call_once(crew.server, receive));
        m.advance_to(start + 100);
        let detach = Call::other(number::INTERRUPT_DETACH, &[attached]);
        m.call(crew.second, detach);
        m.call(crew.second, Call::sleep(u64::MAX));
        m.repeat(crew.server);
        let failed = m.answer(crew.server).expect("an error").error();
        assert_eq!(failed, Some(Error::BadHandle));
        assert_eq!(m.state(crew.client), State::Ready, "it is the server's yet");
    });
}

/// A client dies in the middle of its message. Before that is over, somebody more urgent waits for the server.
#[test]
fn a_begun_message_of_the_dead_is_not_received() {
    let mut system = System::new();
    let [servers, clients, strangers] = [(); 3].map(|()| system.process());
    let server = system.thread(servers, 10);
    let sibling = system.thread(clients, 12);
    let client = system.thread(clients, 10);
    let stranger = system.thread(strangers, 20);
    let channel = system.channel(servers);
    let link = system.connection(clients, channel, 7);
    let urgent = system.connection(strangers, channel, 8);
    interrupt_at_each_step(2, |steps| {
        let mut machine = system.start(true);
        let m = &mut machine;
        let start = m.now();
        m.call(stranger, Call::sleep(start + 200));
        m.call(sibling, Call::sleep(start + 100));
        let [server_ram, client_ram] = [servers, clients].map(|it| ram(it.0).base);
        let receive = Call::receive(m.receive_handle(channel)).room(server_ram, LONG);
        m.call(server, receive);
        m.host.interrupt_after(1);
        m.call_once(client, Call::send_bytes(m.handle(link), client_ram, LONG));
        assert!(m.must_repeat(server));
        m.advance_to(start + 100);
        let half = m.exit_interrupted(sibling, steps);
        m.set_now(start + 200);
        m.interrupt();
        while m.current() != stranger {
            m.interrupt();
        }
        m.send(stranger, urgent, &[1]);
        while m.repeating() == Some(server) {
            m.repeat(server);
        }
        m.finish();
        let answer = m.answer(server).expect("a message");
        assert_eq!(answer.badge(), 8, "the other one is dead, after {steps}");
        half
    });
}

/// A signal comes for a client whose message has begun to be copied: its server is asked to answer when it has the
/// message.
#[test]
#[cfg_attr(feature = "lean", ignore = "no signals")]
fn the_server_of_a_begun_message_learns_of_a_signal_for_its_client_behind_the_message() {
    let mut system = System::new();
    let [servers, clients, senders] = [(); 3].map(|()| system.process());
    let server = system.thread(servers, 10);
    let client = system.thread(clients, 10);
    let sender = system.thread(senders, 20);
    let channel = system.channel(servers);
    system.notify_unblock(channel);
    let link = system.connection(clients, channel, 7);
    let position = system.signal(senders, clients);
    both_paths(&system, |m| {
        let start = m.now();
        m.call(sender, Call::sleep(start + 100));
        m.call(client, Call::action(clients, u64::MAX));
        m.call(client, Call::mask(how::SET, 0));
        let [server_ram, client_ram] = [servers, clients].map(|it| ram(it.0).base);
        let receive = Call::receive(m.receive_handle(channel)).room(server_ram, LONG);
        m.call(server, receive);
        m.host.interrupt_after(1);
        m.call_once(client, Call::send_bytes(m.handle(link), client_ram, LONG));
        assert!(m.must_repeat(server));
        m.advance_to(start + 100);
        m.call(sender, Call::signal(position, 10, 0));
        m.call(sender, Call::sleep(u64::MAX));
        m.repeat(server);
        let message = m.answer(server).expect("the message");
        assert_eq!(message.bytes(), Some((LONG, LONG)));
        let told = m.answer_to(server, receive);
        assert_eq!(told.notice(), Some(notice::UNBLOCK));
        assert_eq!(told.words()[1], notice::unblock::SIGNAL);
        assert_eq!(told.token(), message.token());
    });
}
