//! The node manager: messages to processes on other machines, and from them. `README.md` beside it says how it is used.
#![no_std]

mod circuit;
mod exports;
mod links;
mod settings;
mod signals;
mod state;
mod wire;
mod worker;

use core::sync::atomic::{AtomicU32, Ordering};

use circuit::Circuit;
use node_circuits::{Alarm, FAR, Failure, PEERS, PROXIES};
use riposte::thread::{self, Settings};
use riposte::{Channel, Event, Message, Proxy};
use riposte_log::log::{LevelFilter, warn};
use riposte_node::protocol::{STATE_WORDS, operation, status};
use state::{State, state};

static FIRST_THREAD: AtomicU32 = AtomicU32::new(0);

/// The main thread's position among those of the system.
fn first_thread() -> u32 {
    FIRST_THREAD.load(Ordering::Relaxed)
}

#[riposte::main]
fn main() {
    let index = riposte::current_thread().number() & riposte::abi::thread::INDEX_MASK;
    FIRST_THREAD.store(index, Ordering::Relaxed);
    let channel = riposte::own_channel().unwrap();
    let own = thread::priority(riposte::current_thread()).unwrap_or(1);
    configure();
    if riposte_log::init("log", LevelFilter::Warn).is_ok() {
        state().alarm = Some(Alarm::new());
    }
    state().node.set_proxies(count_proxies(&channel));
    wire::open(settings::port(), settings::peers().count(), channel);
    (0..settings::serves()).for_each(|place| start(worker::serve, place, own));
    let circuits = circuit::ALL.iter().filter(|it| it.get().is_some()).count();
    (0..circuits).for_each(|place| start(circuit::serve, place, own));
    start(wire::receive, 0, own);
    let error = tend(channel);
    panic!("the node manager's channel: {error}");
}

fn start(body: fn(usize) -> u32, argument: usize, priority: u8) {
    match thread::spawn(body, argument, Settings::new(priority)) {
        Ok(thread) => thread.detach(),
        Err(error) => panic!("{error}"),
    }
}

/// How many proxies the manifest lets this process have, which clients trigger in place of other nodes'.
fn count_proxies(channel: &Channel) -> usize {
    let mut made = [0; PROXIES];
    made.iter_mut().for_each(|it| *it = make_proxy(channel));
    made.into_iter().filter(|it| end_proxy(*it)).count()
}

/// A proxy's handle; 0 if there can be no more.
#[inline(never)]
fn make_proxy(channel: &Channel) -> u32 {
    Proxy::new(channel, &[]).map_or(0, |it| it.handle())
}

#[inline(never)]
fn end_proxy(handle: u32) -> bool {
    handle != 0 && Proxy::from_handle(handle).destroy().is_ok()
}

/// Reads what the manifest says of other nodes and of circuits.
fn configure() {
    let mut all = state();
    let State {
        node,
        peer_names,
        addresses,
        ..
    } = &mut *all;
    node.configure(settings::number(), settings::life(), settings::room());
    node.set_serves(settings::serves());
    node.set_patience(settings::patience().as_nanos() as u64);
    state::find_blocks(node, settings::room());
    for name in settings::peers() {
        let Some(place) = node.add_peer(settings::peer(name)) else {
            panic!(
                "node `{name}` is one too many: there can be {}",
                node_circuits::PEERS
            );
        };
        peer_names[place] = name;
        addresses[place] = Some(settings::address(name));
    }
    let peers = settings::peers().count();
    let serves = settings::serves();
    assert!(
        serves == 0 || serves >= peers,
        "`serves` in the node manager's `settings` in app.toml: {serves} at once are too few for {peers} nodes, each of which is to have its own"
    );
    let entries = riposte::manifest_entries(riposte::abi::process_info::kind::CHANNEL);
    // The first one is the manager's own.
    for (handle, name) in entries.skip(1) {
        // A node's name may have a `-`, too, and another one's begin with it.
        let path_at = |peer: &str| name.strip_prefix(peer)?.strip_prefix('-');
        let peers = peer_names.iter().enumerate();
        let known = peers.filter(|(_, peer)| !peer.is_empty());
        let own = known.filter_map(|(place, peer)| Some((place, *peer, path_at(peer)?)));
        let Some((place, peer, path)) = own.max_by_key(|(_, peer, _)| peer.len()) else {
            panic!(
                "channel `{name}` of the node manager: it is called NODE-NAME, and its `settings` in app.toml have no NODE-address of such a node"
            );
        };
        let mut circuit = Circuit {
            channel: Channel::from_handle(handle),
            name: [0; 32],
            length: 0,
        };
        let bytes = path.bytes().map(|it| if it == b'-' { b'/' } else { it });
        let whole = b"//"
            .iter()
            .copied()
            .chain(peer.bytes())
            .chain([b'/'])
            .chain(bytes);
        for (to, from) in circuit.name.iter_mut().zip(whole) {
            *to = from;
            circuit.length += 1;
        }
        let own = circuit
            .name
            .get(2 + peer.len()..circuit.length)
            .unwrap_or_default();
        let position = node.add_circuit(place, own).filter(|_| circuit.length < 32);
        let cell = position.and_then(|it| circuit::ALL.get(it));
        let Some(Ok(_)) = cell.map(|it| it.get_or_init(|| circuit)) else {
            panic!("channel `{name}` of the node manager is one too many, or its name too long");
        };
    }
}

/// Looks what is due, opens circuits of peers, and answers what is asked of the manager itself.
fn tend(channel: Channel) -> riposte::Error {
    loop {
        open_circuits();
        // What is due later, `next_look` finds.
        let _ = wire::act_until(wire::now());
        cancel_again();
        tell_forged();
        match channel.receive_until(&mut [], wire::next_look()) {
            Ok(Event::Message(message)) => answer(message),
            Ok(Event::Notice(_)) | Err(riposte::Error::TimedOut | riposte::Error::WouldBlock) => {}
            Err(error) => return error,
        }
    }
}

/// Says in the log that frames fit no key, if that is to be said now.
fn tell_forged() {
    let count = {
        let mut all = state();
        let counted = all.node.counted.forged.0;
        let alarm = all.alarm.as_mut();
        alarm.and_then(|it| it.take(wire::now(), counted))
    };
    // Nobody who has the state waits for the log.
    if let Some(count) = count {
        warn!("{count} frames fit no key");
    }
}

/// Ends the waits that a signal has come too early for.
fn cancel_again() {
    let all = state();
    for far in (0..FAR).filter(|it| all.node.is_cancelled(*it)) {
        signals::interrupt(&all.program, far);
    }
}

/// Opens circuits, as many at most as there can be peers: those that want more and more keep nobody from what is due.
fn open_circuits() {
    for _ in 0..PEERS {
        let mut all = state();
        while let Some(peer) = all.program.next_closed() {
            all.links.end(peer, None);
        }
        let Some((peer, circuit)) = all.program.next_open() else {
            return;
        };
        let asked = all.asked(peer, circuit);
        drop(all);
        let found = exports::find(&asked);
        let mut all = state();
        let failure = match found.map(|it| all.links.add(peer, circuit, it)) {
            Ok(Ok(())) => None,
            Ok(Err(lead)) => {
                lead.close();
                Some(Failure::NotExported)
            }
            Err(why) => Some(why),
        };
        all.node.opened(peer, circuit, failure);
    }
}

fn answer(message: Message<'_>) {
    if message.words()[0] != operation::STATE || message.offered() != 4 {
        let _ = message.reply_error(status::NOT_SUPPORTED);
        return;
    }
    let (counted, lost, is_idle) = {
        let all = state();
        (all.node.counted, all.program.lost, all.node.is_idle())
    };
    let words: [u32; STATE_WORDS] = [
        counted.sent.0,
        counted.received.0,
        counted.again.0,
        counted.parts.0,
        counted.acknowledgements.0,
        counted.doubled.0,
        counted.forged.0,
        counted.replayed.0,
        counted.unknown.0,
        counted.strange.0,
        counted.versions.0,
        counted.triggered.0,
        counted.lost.0.wrapping_add(lost),
        is_idle.into(),
    ];
    let mut bytes = [0; 4 * STATE_WORDS];
    let all = words.into_iter().flat_map(u32::to_le_bytes);
    bytes.iter_mut().zip(all).for_each(|(to, from)| *to = from);
    let _ = message.reply(&bytes);
}
