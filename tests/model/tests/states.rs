//! What a process that may ask is told of threads.

use riposte_abi::{Error, call::number, thread::policy, thread::state};
use riposte_kernel::Grants;
use riposte_model::{Call, ChannelId, Machine, Pair, ThreadId, both_paths};

const INSPECT: Grants = Grants {
    shutdown: false,
    supervisor: false,
    inspect: true,
    relay: true,
};
const SERVER: u32 = 0;
const CLIENT: u32 = 1;

/// A pair, and who may ask, more urgent than both.
fn watched() -> (Pair, ThreadId) {
    watching(Pair::new())
}

fn watching(mut pair: Pair) -> (Pair, ThreadId) {
    let watchers = pair.system.process();
    pair.system.grant(watchers, INSPECT);
    let watcher = pair.system.thread(watchers, 30);
    (pair, watcher)
}

/// What a thread is doing, its priorities and policy, and what it waits for.
fn said(m: &mut Machine, watcher: ThreadId, process: u32, thread: u32) -> [u32; 3] {
    // The others have run until now.
    m.advance(1);
    let call = Call::other(number::THREAD_STATE, &[process, thread]);
    let answer = m.answer_to(watcher, call);
    let [state, priorities, waits_for, ..] = answer.words();
    m.call(watcher, Call::sleep(m.now() + 1));
    [state, priorities, waits_for]
}

#[test]
fn what_a_thread_waits_for_is_told() {
    let (pair, watcher) = watched();
    both_paths(&pair.system, |m| {
        m.call(watcher, Call::sleep(m.now() + 1));
        let channel = channel_word(SERVER, pair.channel);
        pair.send(m, &[1]);
        let [doing, priorities, waits_for] = said(m, watcher, CLIENT, 0);
        assert_eq!((doing, waits_for), (state::SEND_BLOCKED, channel));
        assert_eq!(priorities & 0xFFFF, 10 | 10 << 8);
        pair.receive(m);
        let [doing, _, waits_for] = said(m, watcher, CLIENT, 0);
        assert_eq!((doing, waits_for), (state::REPLY_BLOCKED, SERVER << 8));
        assert_eq!(said(m, watcher, SERVER, 0)[0], state::READY);
        let token = m.answer(pair.server).unwrap().token();
        let call = Call::reply_receive(m.receive_handle(pair.channel), token, &[]);
        m.call(pair.server, call);
        let [doing, _, waits_for] = said(m, watcher, SERVER, 0);
        assert_eq!((doing, waits_for), (state::RECEIVE_BLOCKED, channel));
        m.call(pair.client, Call::sleep(u64::MAX));
        assert_eq!(said(m, watcher, CLIENT, 0)[0], state::SLEEPING);
    });
}

#[test]
fn what_is_stopped_held_or_not_started_is_told_as_stopped() {
    let mut pair = Pair::new();
    pair.system.spare_threads(pair.client_process, 1);
    let (pair, watcher) = watching(pair);
    both_paths(&pair.system, |m| {
        m.call(watcher, Call::sleep(m.now() + 1));
        assert_eq!(said(m, watcher, CLIENT, 1)[0], state::STOPPED);
        m.fault(pair.client);
        assert_eq!(said(m, watcher, CLIENT, 0)[0], state::STOPPED);
    });
}

#[test]
fn an_inherited_priority_and_a_policy_are_told() {
    let mut pair = Pair::new();
    let taker = pair.system.round_robin_thread(pair.client_process, 3);
    let (urgent, link) = pair.another_client(20, 8);
    let (pair, watcher) = watching(pair);
    both_paths(&pair.system, |m| {
        m.call(watcher, Call::sleep(m.now() + 1));
        m.call(urgent, Call::sleep(m.now() + 1));
        pair.exchange(m, &[]);
        m.advance(1);
        m.call(watcher, Call::sleep(m.now() + 1));
        m.send(urgent, link, &[]);
        let [_, priorities, _] = said(m, watcher, SERVER, 0);
        assert_eq!(priorities & 0xFFFF, 20 | 10 << 8);
        let place = m.thread(taker).index - m.thread(pair.client).index;
        let [_, priorities, _] = said(m, watcher, CLIENT, place.into());
        assert_eq!(priorities >> 16, policy::ROUND_ROBIN);
    });
}

#[test]
fn who_may_not_ask_or_asks_for_nobody_is_told_nothing() {
    let (pair, watcher) = watched();
    both_paths(&pair.system, |m| {
        let call = Call::other(number::THREAD_STATE, &[SERVER, 0]);
        assert_eq!(
            m.refused(watcher, Call::other(number::THREAD_STATE, &[CLIENT, 9])),
            Error::BadArgument
        );
        assert_eq!(
            m.refused(watcher, Call::other(number::THREAD_STATE, &[99, 0])),
            Error::BadArgument
        );
        let unused = Call::other(number::STACK_UNUSED, &[SERVER, 0]);
        assert!(m.answer_to(watcher, unused).error().is_none());
        m.call(watcher, Call::sleep(u64::MAX));
        assert_eq!(m.refused(pair.client, call), Error::NotPermitted);
        assert_eq!(m.refused(pair.client, unused), Error::NotPermitted);
    });
}

fn channel_word(process: u32, channel: ChannelId) -> u32 {
    process << 8 | channel.0 as u32
}
