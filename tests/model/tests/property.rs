//! Random systems do random things, and the kernel agrees with a naive model at every step.
//!
//! A failure is shrunk; its seed (the line that begins with `cc`) is printed and kept in
//! `property.regressions` beside this file, from where it is tried again first. `PROPTEST_CASES`
//! says how many systems are tried.

mod naive;

use naive::{ChannelPlan, Doing, LOCKS, Naive, Outcome, WORDS};
use proptest::{prelude::*, test_runner::FileFailurePersistence};
use riposte_abi::call::number;
use riposte_kernel::{Access, State};
use riposte_model::{Call, ChannelId, Connection, Machine, System, ThreadId, shared};

/// A random system.
#[derive(Clone, Debug)]
struct Plan {
    /// Base priorities of the threads of each process.
    processes: Vec<Vec<u8>>,
    /// Owner, fixed priority, order of arrival.
    channels: Vec<(usize, Option<u8>, bool)>,
    depth: u8,
}

/// What the running thread does, or the time.
#[derive(Clone, Copy, Debug)]
enum Step {
    Send {
        channel: usize,
        limit: Option<u64>,
    },
    Receive {
        channel: usize,
        limit: Option<u64>,
    },
    Reply {
        client: usize,
    },
    ReplyReceive {
        client: usize,
        channel: usize,
        limit: Option<u64>,
    },
    ServeAll {
        channel: usize,
    },
    Wait {
        word: usize,
        matches: bool,
        limit: Option<u64>,
    },
    Wake {
        word: usize,
        most: u32,
    },
    Give {
        word: usize,
    },
    Requeue {
        word: usize,
        most: u32,
        moved: u32,
    },
    Lock {
        lock: usize,
        limit: Option<u64>,
    },
    Unlock {
        lock: usize,
    },
    Exit,
    Yield,
    Sleep {
        time: u64,
    },
    Advance {
        time: u64,
    },
}

fn plan() -> impl Strategy<Value = Plan> {
    let threads = prop::collection::vec(4..9_u8, 1..4);
    let processes = prop::collection::vec(threads, 2..5);
    let channel = (
        any::<usize>(),
        prop::option::weighted(0.2, 3..9_u8),
        prop::bool::weighted(0.2),
    );
    let channels = prop::collection::vec(channel, 1..4);
    let plan = (processes, channels, 1..6_u8, any::<bool>());
    plan.prop_map(|(mut processes, mut channels, depth, simple)| {
        for (owner, _, _) in &mut channels {
            *owner %= processes.len();
            if simple {
                processes[*owner].truncate(1);
            }
        }
        Plan {
            processes,
            channels,
            depth,
        }
    })
}

/// No deadline, none at all to wait, or so many units.
fn limit() -> impl Strategy<Value = Option<u64>> {
    prop_oneof![6 => Just(None), 1 => Just(Some(0)), 2 => (1..4_u64).prop_map(Some)]
}

fn step() -> impl Strategy<Value = Step> {
    let number = 0..12_usize;
    let word = 0..WORDS;
    prop_oneof![
        12 => (number.clone(), limit()).prop_map(|(channel, limit)| Step::Send { channel, limit }),
        12 => (number.clone(), limit()).prop_map(|(channel, limit)| Step::Receive { channel, limit }),
        6 => number.clone().prop_map(|client| Step::Reply { client }),
        6 => (number.clone(), number.clone(), limit())
            .prop_map(|(client, channel, limit)| Step::ReplyReceive { client, channel, limit }),
        10 => number.clone().prop_map(|channel| Step::ServeAll { channel }),
        6 => (word.clone(), prop::bool::weighted(0.9), limit())
            .prop_map(|(word, matches, limit)| Step::Wait { word, matches, limit }),
        4 => (word.clone(), 0..3_u32).prop_map(|(word, most)| Step::Wake { word, most }),
        3 => word.clone().prop_map(|word| Step::Give { word }),
        2 => (word, 0..2_u32, 0..3_u32)
            .prop_map(|(word, most, moved)| Step::Requeue { word, most, moved }),
        14 => (number.clone(), limit()).prop_map(|(lock, limit)| Step::Lock { lock, limit }),
        7 => number.prop_map(|lock| Step::Unlock { lock }),
        1 => Just(Step::Exit),
        2 => Just(Step::Yield),
        2 => (1..4_u64).prop_map(|time| Step::Sleep { time }),
        4 => (1..3_u64).prop_map(|time| Step::Advance { time }),
    ]
}

/// Deadlines fall between multiples of this, each at its own nanosecond.
const UNIT: u64 = 1_000_000;

struct Pair {
    machine: Machine,
    naive: Naive,
    channels: Vec<ChannelId>,
    /// By process and channel.
    links: Vec<Vec<Connection>>,
    steps: u64,
}

impl Pair {
    fn new(plan: &Plan, fast: bool) -> Self {
        let mut system = System::new();
        system.depth(plan.depth);
        let ids: Vec<_> = plan.processes.iter().map(|_| system.process()).collect();
        for id in &ids {
            system.share(*id, Access::Shared);
        }
        let (mut process, mut base) = (Vec::new(), Vec::new());
        for (index, threads) in plan.processes.iter().enumerate() {
            for priority in threads {
                system.thread(ids[index], *priority);
                process.push(index);
                base.push(*priority);
            }
        }
        process.push(ids.len());
        base.push(0);
        let mut channels = Vec::new();
        for (owner, fixed, by_arrival) in &plan.channels {
            let channel = system.channel(ids[*owner]);
            if let Some(priority) = fixed {
                system.fixed_priority(channel, *priority);
            }
            if *by_arrival {
                system.arrival_order(channel);
            }
            channels.push(channel);
        }
        let links = ids
            .iter()
            .map(|process| {
                let link = |channel: &ChannelId| {
                    let badge = 100 + process.0 * 10 + channel.0;
                    system.connection(*process, *channel, badge as u32)
                };
                channels.iter().map(link).collect()
            })
            .collect();
        let machine = system.start(fast);
        let plans = plan
            .channels
            .iter()
            .map(|(owner, fixed, by_arrival)| ChannelPlan {
                owner: *owner,
                fixed: *fixed,
                by_arrival: *by_arrival,
            });
        let mut naive = Naive::new(process, base, plans.collect(), plan.depth.into());
        let kernel = machine.kernel;
        let ready = kernel.ready().iter();
        let ready = ready.map(|thread| usize::from(thread.index)).collect();
        naive.begin(machine.current().0, ready, machine.now());
        Self {
            machine,
            naive,
            channels,
            links,
            steps: 0,
        }
    }

    fn deadline(&self, limit: Option<u64>) -> Option<u64> {
        let at = |units| (self.machine.now() / UNIT + units) * UNIT + self.steps;
        limit.map(|units| if units == 0 { 0 } else { at(units) })
    }

    fn take(&mut self, step: Step) {
        self.steps += 1;
        let word = self.steps as u32;
        let current = self.machine.current();
        if let Step::Advance { time } = step {
            let until = (self.machine.now() / UNIT + time) * UNIT;
            self.machine.advance_to(until);
            self.naive.advance_to(until);
            return self.compare();
        }
        if current == self.machine.idle() {
            return;
        }
        let process = self.naive.process[current.0];
        let count = self.channels.len();
        let others = self.naive.base.len() - 1;
        let limited = |call: Call, at: Option<u64>| at.map_or(call, |at| call.deadline(at));
        match step {
            Step::Send { channel, limit } => {
                let channel = channel % count;
                let deadline = self.deadline(limit);
                let handle = self.machine.handle(self.links[process][channel]);
                let call = limited(Call::send(handle, &[word]), deadline);
                self.machine.call(current, call);
                let badge = (100 + process * 10 + channel) as u32;
                self.naive.send(channel, badge, word, deadline);
            }
            Step::Receive { channel, limit } => {
                let Some(channel) = self.own(process, channel) else {
                    return;
                };
                let deadline = self.deadline(limit);
                let call = Call::receive(self.machine.receive_handle(self.channels[channel]));
                self.machine.call(current, limited(call, deadline));
                self.naive.receive(channel, deadline);
            }
            Step::Reply { client } => {
                let client = client % others;
                let call = Call::reply(self.machine.token_of(ThreadId(client)), &[word]);
                self.machine.call(current, call);
                self.naive.reply(client, word);
            }
            Step::ReplyReceive {
                client,
                channel,
                limit,
            } => self.reply_receive(client % others, channel, limit, word),
            Step::ServeAll { channel } => {
                let client = (0..others).find(|client| self.naive.is_client(*client));
                match client {
                    Some(client) => self.reply_receive(client, channel, None, word),
                    None => self.take(Step::Receive {
                        channel,
                        limit: None,
                    }),
                }
            }
            Step::Wait {
                word,
                matches,
                limit,
            } => {
                let deadline = self.deadline(limit);
                let expected = self.naive.words[word] + u32::from(!matches);
                let call = Call::futex_wait(self.word(process, word), expected);
                self.machine.call(current, limited(call, deadline));
                self.naive.futex_wait(word, expected, deadline);
            }
            Step::Wake { word, most } => {
                let call = Call::futex_wake(self.word(process, word), most);
                self.machine.call(current, call);
                self.naive.futex_wake(word, most);
            }
            Step::Give { word } => {
                let call = Call::futex_give(self.word(process, word));
                self.machine.call(current, call);
                self.naive.futex_give(word);
            }
            Step::Requeue { word, most, moved } => {
                let expected = self.naive.words[word];
                let from = self.word(process, word);
                let to = self.word(process, (word + 1) % WORDS);
                let call = Call::futex_requeue(from, expected, most, to, moved);
                self.machine.call(current, call);
                self.naive.futex_requeue(word, expected, most, moved);
            }
            Step::Lock { lock, limit } => {
                let lock = lock % LOCKS;
                let deadline = self.deadline(limit);
                let call = Call::lock(self.word(process, WORDS + lock));
                self.machine.call(current, limited(call, deadline));
                self.naive.lock(lock, deadline);
            }
            Step::Unlock { lock } => {
                let lock = lock % LOCKS;
                let call = Call::unlock(self.word(process, WORDS + lock));
                self.machine.call(current, call);
                self.naive.unlock(lock);
            }
            Step::Exit => {
                self.machine.call(current, Call::other(number::EXIT, &[0]));
                self.naive.exit();
            }
            Step::Yield => {
                self.machine.call(current, Call::give_way());
                self.naive.give_way();
            }
            Step::Sleep { time } => {
                let until = self.deadline(Some(time)).unwrap_or(0);
                self.machine.call(current, Call::sleep(until));
                self.naive.sleep(until);
            }
            Step::Advance { .. } => {}
        }
        // A deadline that has passed already ends at once.
        let now = self.machine.now();
        self.machine.advance_to(now);
        self.naive.advance_to(now);
        self.compare();
    }

    /// The address at which a process sees a word that all share.
    fn word(&self, process: usize, word: usize) -> u32 {
        shared(process, Access::ReadWrite).base + 4 * word as u32
    }

    /// One of the channels of a process.
    fn own(&self, process: usize, channel: usize) -> Option<usize> {
        let channels = self.naive.channels.iter().enumerate();
        let own = channels.filter(|(_, plan)| plan.owner == process);
        let own: Vec<_> = own.map(|(index, _)| index).collect();
        own.get(channel.checked_rem(own.len())?).copied()
    }

    fn reply_receive(&mut self, client: usize, channel: usize, limit: Option<u64>, word: u32) {
        let current = self.machine.current();
        let process = self.naive.process[current.0];
        let Some(channel) = self.own(process, channel) else {
            return;
        };
        let deadline = self.deadline(limit);
        let handle = self.machine.receive_handle(self.channels[channel]);
        let call = Call::reply_receive(handle, self.machine.token_of(ThreadId(client)), &[word]);
        let call = deadline.map_or(call, |at| call.deadline(at));
        self.machine.call(current, call);
        self.naive.reply_receive(client, word, channel, deadline);
    }

    /// Kernel and model agree.
    fn compare(&self) {
        let (machine, naive) = (&self.machine, &self.naive);
        for index in 0..naive.base.len() {
            let thread = ThreadId(index);
            let state = match naive.doing[index] {
                Doing::Ready if naive.has_stopped(index) => State::Stopped,
                Doing::Ready => State::Ready,
                Doing::Sending { .. } => State::SendBlocked,
                Doing::Waiting { .. } => State::ReplyBlocked,
                Doing::Receiving { .. } => State::ReceiveBlocked,
                Doing::AtWord { .. } | Doing::Locking { .. } => State::FutexBlocked,
                Doing::Sleeping => State::Sleeping,
                Doing::Dead => State::Stopped,
            };
            assert_eq!(machine.state(thread), state, "state of thread {index}");
            if state != State::ReceiveBlocked {
                assert_eq!(
                    machine.priority(thread),
                    naive.priority[index],
                    "priority of thread {index}"
                );
            }
            if let (State::Ready, Some(answer)) = (state, machine.answer(thread)) {
                let outcome = match (answer.error(), naive.outcome[index]) {
                    (Some(error), _) => Outcome::Failed(error),
                    (None, Outcome::Message { .. }) => Outcome::Message {
                        badge: answer.badge(),
                        word: answer.word(),
                    },
                    (None, Outcome::Reply { .. }) => Outcome::Reply {
                        word: answer.word(),
                    },
                    (None, _) => Outcome::Nothing,
                };
                assert_eq!(outcome, naive.outcome[index], "outcome of thread {index}");
            }
        }
        assert_eq!(machine.current().0, naive.current, "who runs");
        for (word, value) in naive.words.iter().enumerate() {
            assert_eq!(machine.host.peek_word(self.word(0, word)), *value);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_kernel_agrees_with_a_naive_model(
        plan in plan(),
        steps in prop::collection::vec(step(), 1..80),
        fast in any::<bool>(),
    ) {
        let mut pair = Pair::new(&plan, fast);
        for step in steps {
            pair.take(step);
        }
    }
}
