//! This node's circuits: one thread for each.

use node_circuits::CIRCUITS;
use riposte::sync::OnceCell;
use riposte::{Channel, Event, Message, Notice, Status};
use riposte_names::ANEW;
use riposte_node::protocol::status;

use crate::state::{State, Waiter, state, status_of};
use crate::{settings, wire};

/// A circuit of this node.
pub struct Circuit {
    pub channel: Channel,
    /// The name by which others find it: `//node/path`.
    pub name: [u8; 32],
    pub length: usize,
}

/// All of them.
pub static ALL: [OnceCell<Circuit>; CIRCUITS] = [const { OnceCell::new() }; CIRCUITS];

/// Serves the clients of a circuit, for ever.
pub fn serve(place: usize) -> u32 {
    let Some(circuit) = ALL.get(place).and_then(OnceCell::get) else {
        panic!("there is no such circuit");
    };
    register(circuit);
    let clients = Clients {
        place,
        thread: thread_index(),
        patience: settings::patience().as_nanos() as u64,
    };
    loop {
        match circuit.channel.receive(&mut []) {
            Ok(Event::Message(message)) => clients.take(message),
            Ok(Event::Notice(Notice::Bits { bits })) if bits & ANEW != 0 => register(circuit),
            Ok(Event::Notice(notice)) => clients.hear(&notice),
            Err(error) => panic!("a circuit's channel: {error}"),
        }
    }
}

/// Gives a circuit its name, if there are names.
fn register(circuit: &Circuit) {
    let name = circuit.name.get(..circuit.length).unwrap_or_default();
    let name = core::str::from_utf8(name).unwrap_or_default();
    // Without names, or refused, it is reached by the manifest's connections alone.
    let _ = riposte_names::register(name, circuit.channel);
}

/// The position of the calling thread among those of this process.
fn thread_index() -> u32 {
    let own = riposte::current_thread().number() & riposte::abi::thread::INDEX_MASK;
    own.wrapping_sub(crate::first_thread())
}

struct Clients {
    place: usize,
    thread: u32,
    /// How long a message may take, in nanoseconds.
    patience: u64,
}

impl Clients {
    fn take(&self, message: Message<'_>) {
        let offered = message.offered();
        let words = message.is_in_registers().then(|| message.words());
        let badge = message.badge();
        let token = message.into_token();
        // The thread has the client's priority now.
        let level = riposte::thread_state(riposte::process_index(), self.thread);
        let priority = level.map_or(1, |it| it.priority);
        let now = wire::now();
        let deadline = now.saturating_add(self.patience);
        let waiter = Waiter {
            token,
            badge,
            circuit: self.place,
            offered,
            words,
        };
        let mut all = state();
        let State { node, program, .. } = &mut *all;
        let mut begun = node.begin(now, self.place, offered, priority, deadline);
        if begun == Err(None)
            && let Some(other) = program.displaced(self.place, badge)
            && let Some(displaced) = program.waiters[other].take()
        {
            let _ = node.abandon(now, other);
            let _ = displaced.token.reply_error(status::TOO_MANY_WAIT);
            begun = node.begin(now, self.place, offered, priority, deadline);
        }
        match begun {
            Ok(place) => program.waiters[place] = Some(waiter),
            Err(Some(why)) => waiter.refuse(why),
            Err(None) => {
                let _ = waiter.token.reply_error(status::TOO_MANY_WAIT);
            }
        }
        drop(all);
        wire::act(now);
    }

    fn hear(&self, notice: &Notice<'_>) {
        match notice {
            Notice::Proxy { proxy, .. } => {
                let mut all = state();
                let State { node, program, .. } = &mut *all;
                if let Some(place) = program.remote_of(*proxy) {
                    node.trigger(wire::now(), place);
                }
            }
            Notice::Unblock {
                client, has_signal, ..
            } => {
                let why = has_signal.then_some(status::INTERRUPTED);
                self.end(why, |it| it.token.client() == *client);
            }
            Notice::ClientDied { .. } => {
                self.end(None, |it| it.token.read(0, &mut []).is_err());
            }
            _ => return,
        }
        wire::act(wire::now());
    }

    /// Ends the requests of clients that wait no more, and says why: if not `why`, what kept the answer.
    fn end(&self, why: Option<Status>, is_over: impl Fn(&Waiter) -> bool) {
        let mut all = state();
        let State { node, program, .. } = &mut *all;
        for (place, waiter) in program.waiters.iter_mut().enumerate() {
            let is_it = |it: &mut Waiter| it.circuit == self.place && is_over(it);
            if let Some(waiter) = waiter.take_if(is_it) {
                let late = node.abandon(wire::now(), place);
                let _ = waiter.token.reply_error(why.unwrap_or(status_of(late)));
            }
        }
    }
}
