//! Frames: those that come, and those that are sent.

use node_circuits::{Buffer, FAR, PEERS};
use riposte::sync::{Mutex, OnceCell, Semaphore};
use riposte::thread;
use riposte::{Channel, Deadline, Instant};
use riposte_network::{BEFORE, Network, NetworkError, Port};

use crate::signals;
use crate::state::{State, state, take};

const _: () = assert!(Buffer::BEFORE == BEFORE);

/// How long a wait that has been ended may go on, in nanoseconds, before it is ended again.
const AGAIN: u64 = 2_000_000;

/// The notification bit by which the main thread is told that it is needed sooner.
pub const SOONER: u32 = 1;

static NETWORK: OnceCell<Network> = OnceCell::new();
/// By the first one everything comes. What is for a peer is sent by its own: frames for a machine that is not there stay with a
/// port, and those behind them.
static PORTS: [OnceCell<Port<'static>>; PEERS] = [const { OnceCell::new() }; PEERS];
static CHANNEL: OnceCell<Channel> = OnceCell::new();
/// A frame that has come.
static IN: Mutex<Buffer> = Mutex::new(Buffer::new());
/// A frame that is sent.
static OUT: Mutex<Buffer> = Mutex::new(Buffer::new());
/// When the main thread looks what is due.
static LOOKS: Mutex<u64> = Mutex::new(0);
/// Requests that are to be served, for each of those who do.
pub static JOBS: [Semaphore; FAR] = [const { Semaphore::new(0) }; FAR];

/// Takes the node's port, and one more for each peer but the first.
pub fn open(port: u16, peers: usize, channel: Channel) {
    let connect = || match Network::connect("network") {
        Ok(network) => network,
        Err(error) => panic!("the network: {error}"),
    };
    let Ok(network) = NETWORK.get_or_init(connect) else {
        panic!("the network is opened twice");
    };
    for (place, cell) in PORTS.iter().enumerate().take(peers.max(1)) {
        let port = if place == 0 { port } else { 0 };
        let bind = || match network.bind(port) {
            Ok(port) => port,
            Err(error) => panic!("the node's port {port}: {error}"),
        };
        let Ok(port) = cell.get_or_init(bind) else {
            panic!("a port is opened twice");
        };
        if place == 0 {
            state().node.set_window(port.keeps());
        }
    }
    assert!(
        CHANNEL.get_or_init(|| channel).is_ok(),
        "the channel is known twice"
    );
}

/// Receives frames, for ever.
pub fn receive(_: usize) -> u32 {
    let Some(port) = PORTS[0].get() else {
        panic!("the port is not open");
    };
    // This thread alone has it.
    let mut frame = take(&IN);
    loop {
        match port.receive_behind_until(frame.whole_mut(), Deadline::None) {
            Ok((length, _)) => {
                let mut state = state();
                let State { node, program, .. } = &mut *state;
                let now = now();
                node.hear(now, &mut frame, length, program);
                drop(state);
                act(now);
            }
            // Its next life does not know the port: nor does this one.
            Err(error) => panic!("the node's port: {error}"),
        }
    }
}

/// The time, as the node has it.
pub fn now() -> u64 {
    Instant::now().as_nanos()
}

/// Does what came of a change, and has the main thread look sooner if more is due before it would.
pub fn act(now: u64) {
    if let Some(due) = act_until(now)
        && due < *take(&LOOKS)
        && let Some(channel) = CHANNEL.get()
    {
        let _ = channel.notify(SOONER);
    }
}

/// Serves, cancels, and sends what is due at this time; when more is.
pub fn act_until(now: u64) -> Option<u64> {
    let mut state = state();
    while let Some(far) = state.program.next_serve() {
        let priority = state.node.job(far).map(|job| job.priority);
        if let (Some(priority), Some(worker)) = (priority, &mut state.program.workers[far])
            && worker.priority != priority
        {
            // It is to be as urgent as its client from its first instruction on.
            let _ = thread::set_priority(worker.thread, priority);
            worker.priority = priority;
        }
        let _ = JOBS[far].give();
    }
    while let Some(far) = state.program.next_cancel() {
        signals::interrupt(&state.program, far);
    }
    let looks_at_circuits = state.program.has_circuits_to_look_at();
    let alarm = state.alarm_due();
    let due = match state.node.due() {
        Some(due) if due <= now => {
            drop(state);
            send(now)
        }
        // Nobody waits for another thread that sends who has nothing to send.
        due => due,
    };
    let due = due.into_iter().chain(alarm).min();
    if looks_at_circuits { Some(0) } else { due }
}

/// Sends what is due at this time; when more is: what is due a moment later is looked for anew.
fn send(now: u64) -> Option<u64> {
    let mut out = take(&OUT);
    loop {
        let mut state = state();
        let State { node, program, .. } = &mut *state;
        let frame = match node.next_frame(now, &mut out, program) {
            Ok(frame) => frame,
            Err(due) => return due,
        };
        let to = state.addresses.get(frame.peer).copied().flatten();
        drop(state);
        let port = PORTS.get(frame.peer).and_then(OnceCell::get);
        let bytes = out.whole_mut().get_mut(..BEFORE + frame.length);
        let (Some(to), Some(port), Some(bytes)) = (to, port, bytes) else {
            continue;
        };
        // What the network has no room for is lost, as on any wire.
        if port.send_behind_until(to, bytes, Deadline::Immediate) == Err(NetworkError::ServerDied) {
            panic!("the network server has ended");
        }
    }
}

/// When the main thread is to look what is due, which it notes.
pub fn next_look() -> Deadline {
    let mut looks = take(&LOOKS);
    // In this order: nobody who has the state takes that lock.
    let mut all = state();
    let is_cancelled = (0..FAR).any(|far| all.node.is_cancelled(far));
    // A signal may have come before there was a wait that it could end.
    let again = is_cancelled.then(|| now() + AGAIN);
    let alarm = all.alarm_due();
    // More than one of a peer's, or what has come since they were looked at.
    let circuits = all.program.has_circuits_to_look_at().then_some(0);
    let due = all.node.due().into_iter().chain(again).chain(alarm);
    match due.chain(circuits).min() {
        Some(due) => {
            *looks = due;
            Deadline::At(Instant::from_nanos(due))
        }
        None => {
            *looks = u64::MAX;
            Deadline::None
        }
    }
}
