//! The systems that are walked through, and what may happen in them.

use riposte_abi::LEAST_PERIOD;
use riposte_kernel::{Access, OnEnd};
use riposte_model::{ChannelId, Connection, LineKind, Machine, ProcessId, System, pool, shared};

/// What threads do in a world. More kinds of steps make more states of the same depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Habits {
    /// Sends and receives have deadlines, or do not block; threads sleep.
    pub deadlines: bool,
    /// Processes fault and exit.
    pub deaths: bool,
    /// Receives are selective.
    pub selections: bool,
    /// An interrupt may wait at the end of any call.
    pub interruptions: bool,
    /// Messages and answers are bytes too, and long ones are interrupted.
    pub bytes: bool,
    /// Threads yield.
    pub yields: bool,
    /// Threads use tokens that are not theirs, or stale.
    pub forgeries: bool,
    /// Connections are closed, and handed on in replies.
    pub handles: bool,
    /// Messages carry memory.
    pub loans: bool,
    /// Servers hand clients on.
    pub relays: bool,
    /// Threads set notification bits of their process's channels, and through connections.
    pub notifications: bool,
    /// Threads start others, change priorities and policies, wait for each other's end, and end.
    pub threads: bool,
    /// Threads attach, detach, acknowledge, mask and raise interrupts, and devices raise them.
    pub interrupts: bool,
    /// Threads wait at words in memory that all share.
    pub words: bool,
    /// Threads wait for so many locks there.
    pub locks: usize,
    /// Threads give and take units of a semaphore there.
    pub semaphore: bool,
    /// Threads make, trigger, hand on and end proxies.
    pub proxies: bool,
    /// Threads make, copy, hand on, map, unmap and close regions.
    pub regions: bool,
    /// Threads wait at words of regions that they have mapped to write, and lock there; they do less else with them.
    pub region_words: bool,
    /// Threads handle, mask, send and wait for signals.
    pub signals: bool,
    /// Threads make, set, stop and end timers, and time passes in halves of [`LEAST_PERIOD`].
    pub timers: bool,
}

/// The words that threads wait at, and the locks, as a process sees them.
pub struct Words {
    /// Words.
    pub plain: [u32; 2],
    /// Locks.
    pub locks: [u32; 2],
    /// A semaphore.
    pub semaphore: u32,
}

impl Words {
    /// Those that the process with this index sees.
    #[must_use]
    pub fn of(process: usize) -> Self {
        let base = shared(process, Access::ReadWrite).base;
        Self {
            plain: [base, base + 4],
            locks: [base + 8, base + 12],
            semaphore: base + 16,
        }
    }

    /// All of them that count in a world of these habits.
    fn watched(&self, habits: Habits) -> impl Iterator<Item = u32> {
        let plain = self.plain.iter().filter(move |_| habits.words);
        let locks = self.locks.iter().take(habits.locks);
        let semaphore = habits.semaphore.then_some(&self.semaphore);
        plain.chain(locks).chain(semaphore).copied()
    }
}

/// Bytes of a region: they are cleared in two pieces.
const BLOCK: u32 = 0x400;
/// Where the lock of a region is in it.
pub const REGION_LOCK: u32 = 4;

/// In a world of timers all that is due is so at a multiple of this.
pub const HALF: u64 = LEAST_PERIOD / 2;

/// A small system and the habits of its threads.
pub struct World {
    /// Its name in reports.
    pub name: &'static str,
    /// What it consists of.
    pub system: System,
    /// What its threads do.
    pub habits: Habits,
}

const QUIET: Habits = Habits {
    deadlines: false,
    deaths: false,
    selections: false,
    interruptions: false,
    bytes: false,
    yields: false,
    forgeries: false,
    handles: false,
    loans: false,
    relays: false,
    regions: false,
    region_words: false,
    notifications: false,
    words: false,
    locks: 0,
    semaphore: false,
    proxies: false,
    timers: false,
    signals: false,
    threads: false,
    interrupts: false,
};

fn restarting(system: &mut System) -> ProcessId {
    let process = system.process();
    system.on_end(process, OnEnd::Restart);
    process
}

impl World {
    /// The system at its beginning.
    #[must_use]
    pub fn start(&self) -> Machine {
        let mut machine = self.system.start(true);
        machine.stop_log();
        if self.habits.timers {
            // So that something can have been due before.
            machine.advance_to(4 * HALF);
        }
        for word in Words::of(0).watched(self.habits) {
            machine.watch(word);
        }
        let locks = [0, BLOCK].map(|block| pool(0) + block + REGION_LOCK);
        locks
            .iter()
            .filter(|_| self.habits.region_words)
            .for_each(|lock| machine.watch(*lock));
        machine
    }

    /// One client thread and a process of two server threads with two channels.
    #[must_use]
    pub fn two_servers() -> Self {
        let mut system = System::new();
        let servers = restarting(&mut system);
        let clients = restarting(&mut system);
        system.thread(servers, 10);
        system.thread(servers, 12);
        system.thread(clients, 11);
        for badge in 1..3 {
            let channel = system.channel(servers);
            system.connection(clients, channel, badge);
        }
        Self {
            name: "two servers of one process, one client",
            system,
            habits: Habits {
                deadlines: true,
                deaths: true,
                yields: true,
                forgeries: true,
                ..QUIET
            },
        }
    }

    /// Two threads that receive from one channel, through which they can also send to each other, and two
    /// clients.
    #[must_use]
    pub fn two_receivers() -> Self {
        let mut system = System::new();
        let servers = restarting(&mut system);
        let clients = restarting(&mut system);
        system.thread(servers, 10);
        system.thread(servers, 10);
        system.thread(clients, 12);
        system.thread(clients, 9);
        let channel = system.channel(servers);
        system.connection(servers, channel, 1);
        system.connection(clients, channel, 2);
        Self {
            name: "two receivers of one channel that use it, two clients",
            system,
            habits: Habits {
                deadlines: true,
                ..QUIET
            },
        }
    }

    /// Two threads that receive from one channel, a server of another process that they use and that uses
    /// them, and a client; interrupts come while priorities are passed on.
    #[must_use]
    pub fn pool() -> Self {
        let mut system = System::new();
        let pool = restarting(&mut system);
        let servers = restarting(&mut system);
        let first = restarting(&mut system);
        let second = restarting(&mut system);
        system.thread(pool, 10);
        system.thread(pool, 10);
        system.thread(servers, 11);
        system.thread(first, 12);
        system.thread(second, 9);
        let near = system.channel(pool);
        let far = system.channel(servers);
        system.connection(pool, far, 1);
        system.connection(servers, near, 2);
        system.connection(first, near, 3);
        system.connection(second, near, 4);
        Self {
            name: "a pool of receivers and a server that use each other, two clients",
            system,
            habits: Habits {
                deadlines: true,
                interruptions: true,
                ..QUIET
            },
        }
    }

    /// Two clients of two processes, one server with two channels, all of one priority.
    #[must_use]
    pub fn two_clients() -> Self {
        let mut system = System::new();
        let servers = restarting(&mut system);
        let first = restarting(&mut system);
        let second = restarting(&mut system);
        for process in [servers, first, second] {
            system.thread(process, 10);
        }
        for badge in [1, 3] {
            let channel = system.channel(servers);
            system.notify_client_died(channel);
            system.connection(first, channel, badge);
            system.connection(second, channel, badge + 1);
        }
        Self {
            name: "one server, two clients of the same priority",
            system,
            habits: Habits {
                deadlines: true,
                deaths: true,
                yields: true,
                forgeries: true,
                ..QUIET
            },
        }
    }

    /// A client, a server that is another one's client, and that one.
    #[must_use]
    pub fn chain() -> Self {
        let mut system = System::new();
        let processes = [0; 3].map(|_| restarting(&mut system));
        for (process, priority) in processes.into_iter().zip([10, 12, 14]) {
            system.thread(process, priority);
        }
        let near = system.channel(processes[1]);
        let far = system.channel(processes[2]);
        system.connection(processes[0], near, 1);
        system.connection(processes[0], far, 2);
        system.connection(processes[1], far, 3);
        system.connection(processes[2], near, 4);
        Self {
            name: "a chain of servers",
            system,
            habits: Habits {
                deadlines: true,
                deaths: true,
                yields: true,
                forgeries: true,
                ..QUIET
            },
        }
    }

    /// As [`World::chain`], but they hand clients on to each other, and send bytes.
    #[must_use]
    pub fn relays() -> Self {
        let mut world = Self::chain();
        world.name = "servers that hand clients on";
        world.habits = Habits {
            deadlines: true,
            deaths: true,
            bytes: true,
            relays: true,
            ..QUIET
        };
        world
    }

    /// Two processes, one of them with two threads, that serve and use each other.
    #[must_use]
    pub fn mutual() -> Self {
        let mut system = System::new();
        let first = restarting(&mut system);
        let second = restarting(&mut system);
        system.thread(first, 10);
        system.thread(first, 13);
        system.thread(second, 11);
        let here = system.channel(first);
        let there = system.channel(second);
        system.connection(first, there, 1);
        system.connection(second, here, 2);
        Self {
            name: "two processes that use each other",
            system,
            habits: Habits {
                deadlines: true,
                deaths: true,
                yields: true,
                forgeries: true,
                selections: true,
                ..QUIET
            },
        }
    }

    /// As [`World::mutual`], but who faults is held as it was.
    #[must_use]
    pub fn held() -> Self {
        let mut world = Self::mutual();
        for process in [0, 1].map(ProcessId) {
            world.system.on_end(process, OnEnd::Hold);
        }
        world.name = "two processes that use each other and are held";
        world.habits.bytes = true;
        world
    }

    /// A server and its client, of whom one is held when it faults, and a process that restarts and stops both.
    #[must_use]
    pub fn controlled() -> Self {
        let mut system = System::new();
        let server = restarting(&mut system);
        let client = system.process();
        system.on_end(client, OnEnd::Hold);
        let watchdog = system.process();
        system.thread(server, 9);
        for priority in [10, 8] {
            system.thread(client, priority);
        }
        system.thread(watchdog, 10);
        let channel = system.channel(server);
        system.notify_client_died(channel);
        system.connection(client, channel, 1);
        system.control(watchdog, server);
        system.control(watchdog, client);
        Self {
            name: "a server and its client, and a process that controls both",
            system,
            habits: Habits {
                deadlines: true,
                deaths: true,
                interruptions: true,
                yields: true,
                ..QUIET
            },
        }
    }

    /// A manager that starts and stops two programs and is told of their ends, one of which serves the other.
    #[must_use]
    pub fn programs() -> Self {
        let mut system = System::new();
        let [manager, server, client] = [(); 3].map(|()| system.process());
        system.thread(manager, 10);
        system.thread(server, 9);
        for priority in [10, 8] {
            system.thread(client, priority);
        }
        let ends = system.channel(manager);
        let channel = system.channel(server);
        system.notify_client_died(channel);
        system.connection(client, channel, 1);
        system.control(manager, server);
        system.control(manager, client);
        system.programs(ends, server);
        Self {
            name: "a manager, and two programs that come and go",
            system,
            habits: Habits {
                deadlines: true,
                deaths: true,
                interruptions: true,
                yields: true,
                ..QUIET
            },
        }
    }

    /// Two threads that take signals, the server that one of them asks, which wants to be told, and a process that may
    /// send them some.
    #[must_use]
    pub fn signals() -> Self {
        let mut system = System::new();
        let takers = restarting(&mut system);
        let servers = system.process();
        let senders = system.process();
        for priority in [10, 9] {
            system.thread(takers, priority);
        }
        system.thread(servers, 10);
        system.thread(senders, 10);
        let channel = system.channel(servers);
        system.notify_unblock(channel);
        system.connection(takers, channel, 1);
        system.signal(senders, takers);
        system.signal_queue(takers, 1);
        Self {
            name: "two threads that take signals, their server, and who sends them some",
            system,
            habits: Habits {
                signals: true,
                deaths: true,
                yields: true,
                interruptions: true,
                ..QUIET
            },
        }
    }

    /// Notices, a fixed priority, order of arrival, selective receives, unblocking.
    #[must_use]
    pub fn special() -> Self {
        let mut system = System::new();
        let servers = restarting(&mut system);
        let first = restarting(&mut system);
        let second = system.process();
        system.on_end(second, OnEnd::Hold);
        system.thread(servers, 10);
        system.thread(first, 9);
        system.thread(second, 11);
        let plain = system.channel(servers);
        system.notify_unblock(plain);
        system.notify_client_died(plain);
        system.arrival_order(plain);
        let fixed = system.channel(servers);
        system.fixed_priority(fixed, 8);
        system.connection(first, plain, 1);
        system.connection(second, plain, 2);
        system.connection(second, fixed, 3);
        system.supervisor(fixed);
        Self {
            name: "notices, a fixed priority, order of arrival, selection",
            system,
            habits: Habits {
                deadlines: true,
                deaths: true,
                selections: true,
                ..QUIET
            },
        }
    }

    /// A server with a courier: two threads of a process, each with a channel of its own, wake each
    /// other by notification bits while a client, that may do so as well, sends to both.
    #[must_use]
    pub fn courier() -> Self {
        let mut system = System::new();
        let servers = restarting(&mut system);
        let client = restarting(&mut system);
        system.thread(servers, 10);
        system.thread(servers, 12);
        system.thread(client, 11);
        let channels = [system.channel(servers), system.channel(servers)];
        system.notifier(client, channels[0], 1);
        system.connection(client, channels[1], 2);
        Self {
            name: "a server's threads that wake each other by notification bits",
            system,
            habits: Habits {
                deaths: true,
                selections: true,
                notifications: true,
                ..QUIET
            },
        }
    }

    /// A server with a proxy of the manifest and one that it makes; a client that may trigger the one,
    /// and is handed the right to trigger both; and somebody else who may trigger the one.
    #[must_use]
    pub fn proxies() -> Self {
        let mut system = System::new();
        let servers = restarting(&mut system);
        let client = restarting(&mut system);
        let other = restarting(&mut system);
        system.thread(servers, 10);
        system.thread(client, 11);
        system.thread(other, 9);
        let channel = system.channel(servers);
        let proxy = system.proxy(channel, b"at last");
        system.objects(servers, 1, 0);
        system.connection(client, channel, 1);
        system.trigger(client, proxy, false);
        system.trigger(other, proxy, false);
        Self {
            name: "proxies that are made, handed on, triggered and ended",
            system,
            habits: Habits {
                deaths: true,
                proxies: true,
                ..QUIET
            },
        }
    }

    /// A driver of two threads, one with an interrupt of its own device and one that software raises
    /// without the machine's help, and a client.
    #[must_use]
    pub fn driver() -> Self {
        let mut system = System::new();
        let driver = restarting(&mut system);
        let client = restarting(&mut system);
        system.thread(driver, 12);
        system.thread(driver, 10);
        system.thread(client, 11);
        let channel = system.channel(driver);
        system.connection(client, channel, 1);
        system.interrupt(driver, LineKind::Edge);
        system.interrupt(driver, LineKind::Mute);
        Self {
            name: "a driver and its interrupts",
            system,
            habits: Habits {
                deaths: true,
                interrupts: true,
                ..QUIET
            },
        }
    }

    /// Bytes, short and long, with interruptions, and words in between.
    #[must_use]
    pub fn bytes() -> Self {
        let mut system = System::new();
        let servers = restarting(&mut system);
        let first = restarting(&mut system);
        let second = restarting(&mut system);
        system.thread(servers, 10);
        system.thread(first, 10);
        system.thread(second, 12);
        let channels = [system.channel(servers), system.channel(servers)];
        system.connection(first, channels[0], 1);
        system.connection(second, channels[0], 2);
        system.connection(second, channels[1], 3);
        Self {
            name: "words, bytes and interrupted copies",
            system,
            habits: Habits {
                deadlines: true,
                deaths: true,
                bytes: true,
                ..QUIET
            },
        }
    }

    /// A server that hands on a connection to a third process, and takes part itself.
    #[must_use]
    pub fn handing_on() -> Self {
        Self::hands_on("a connection that is handed on", |system, from, to| {
            system.transferable(from, to, 1)
        })
    }

    /// As [`World::handing_on`], with the badge of who gets it.
    #[must_use]
    pub fn introducing() -> Self {
        Self::hands_on(
            "a connection that is handed on with a badge of its own",
            System::giver,
        )
    }

    fn hands_on(
        name: &'static str,
        connect: fn(&mut System, ProcessId, ChannelId) -> Connection,
    ) -> Self {
        let mut system = System::new();
        let servers = restarting(&mut system);
        let clients = restarting(&mut system);
        let far = restarting(&mut system);
        system.thread(servers, 10);
        system.thread(clients, 10);
        system.thread(far, 11);
        let near = system.channel(servers);
        let goal = system.channel(far);
        system.notify_client_died(goal);
        connect(&mut system, servers, goal);
        system.connection(clients, near, 2);
        Self {
            name,
            system,
            habits: Habits {
                deaths: true,
                handles: true,
                ..QUIET
            },
        }
    }

    /// Threads that take turns, and one that does not.
    #[must_use]
    pub fn turns() -> Self {
        let mut system = System::new();
        let servers = restarting(&mut system);
        let clients = restarting(&mut system);
        system.slice(2);
        system.thread(servers, 10);
        system.round_robin_thread(clients, 10);
        system.round_robin_thread(clients, 10);
        for badge in 1..3 {
            let channel = system.channel(servers);
            system.connection(clients, channel, badge);
        }
        Self {
            name: "threads that take turns",
            system,
            habits: Habits {
                deadlines: true,
                deaths: true,
                yields: true,
                bytes: true,
                ..QUIET
            },
        }
    }

    /// Memory that is lent and moved to a server with one window, by a process of two threads.
    #[must_use]
    pub fn loans() -> Self {
        let mut system = System::new();
        let servers = restarting(&mut system);
        let clients = restarting(&mut system);
        system.thread(servers, 10);
        system.thread(clients, 10);
        system.thread(clients, 9);
        let channel = system.channel(servers);
        system.notify_unblock(channel);
        system.connection(clients, channel, 1);
        system.windows(servers, 1, 0x1000);
        system.pages(clients, 2);
        Self {
            name: "memory that is lent and moved by one of two threads",
            system,
            habits: Habits {
                deadlines: true,
                deaths: true,
                loans: true,
                ..QUIET
            },
        }
    }

    /// A server that makes regions and hands them over to a process of two threads, which may make one too.
    #[must_use]
    pub fn regions() -> Self {
        Self::with_regions("regions that are made, handed over and mapped", false)
    }

    /// The same, whose threads wait and lock in regions, while others unmap them and die.
    #[must_use]
    pub fn region_words() -> Self {
        Self::with_regions(
            "words of regions that are unmapped, and whose processes end",
            true,
        )
    }

    fn with_regions(name: &'static str, region_words: bool) -> Self {
        let mut system = System::new();
        let servers = restarting(&mut system);
        let clients = restarting(&mut system);
        system.thread(servers, 10);
        system.thread(clients, 10);
        system.thread(clients, 9);
        let channel = system.channel(servers);
        system.connection(clients, channel, 1);
        let pool = system.pool(BLOCK, 2);
        for process in [servers, clients] {
            system.quota(process, pool, 1);
            system.mappings(process, 1);
        }
        Self {
            name,
            system,
            habits: Habits {
                deaths: true,
                regions: true,
                region_words,
                ..QUIET
            },
        }
    }

    /// Memory that is moved on and comes home from there: two processes that serve each other, and a
    /// third one that ends with the first.
    #[must_use]
    pub fn moving_on() -> Self {
        let mut system = System::new();
        let processes = [0; 3].map(|_| restarting(&mut system));
        for (process, priority) in processes.into_iter().zip([10, 11, 10]) {
            system.thread(process, priority);
            system.windows(process, 2, 0x1000);
        }
        let [first, second, third] = processes;
        system.pages(first, 1);
        system.pages(second, 1);
        system.restart_with(third, first);
        let near = system.channel(second);
        let far = system.channel(third);
        for channel in [near, far] {
            system.notify_unblock(channel);
            system.notify_client_died(channel);
        }
        system.connection(first, near, 1);
        system.connection(second, far, 2);
        Self {
            name: "memory that is lent, moved and moved on",
            system,
            habits: Habits {
                deaths: true,
                loans: true,
                ..QUIET
            },
        }
    }

    /// Two processes, one with two threads, that share two words and two locks; one of them serves the
    /// other.
    #[must_use]
    pub fn words() -> Self {
        let mut system = System::new();
        let servers = restarting(&mut system);
        let clients = restarting(&mut system);
        system.thread(servers, 10);
        system.thread(clients, 9);
        system.thread(clients, 11);
        let channel = system.channel(servers);
        system.connection(clients, channel, 1);
        for process in [servers, clients] {
            system.share(process, Access::Shared);
        }
        Self {
            name: "words and locks that two processes share",
            system,
            habits: Habits {
                deadlines: true,
                deaths: true,
                words: true,
                locks: 2,
                ..QUIET
            },
        }
    }

    /// Three processes that share a lock; one of them serves the others and has a client's lock while it
    /// does, or asks for it.
    #[must_use]
    pub fn owners() -> Self {
        let mut system = System::new();
        let processes = [0; 3].map(|_| restarting(&mut system));
        for (process, priority) in processes.into_iter().zip([10, 9, 11]) {
            system.thread(process, priority);
            system.share(process, Access::Shared);
        }
        let [servers, first, second] = processes;
        let channel = system.channel(servers);
        system.connection(first, channel, 1);
        system.connection(second, channel, 2);
        Self {
            name: "a lock and a server that three processes share",
            system,
            habits: Habits {
                deadlines: true,
                deaths: true,
                locks: 1,
                ..QUIET
            },
        }
    }

    /// Two processes, one with two threads, that give and take the units of a semaphore; two of them take
    /// turns.
    #[must_use]
    pub fn semaphore() -> Self {
        let mut system = System::new();
        let first = restarting(&mut system);
        let second = restarting(&mut system);
        system.slice(2);
        system.round_robin_thread(first, 10);
        system.thread(first, 11);
        system.round_robin_thread(second, 10);
        for process in [first, second] {
            system.share(process, Access::Shared);
        }
        Self {
            name: "units of a semaphore that are given and taken",
            system,
            habits: Habits {
                deadlines: true,
                deaths: true,
                semaphore: true,
                ..QUIET
            },
        }
    }

    /// A server with a timer for bits of its own, and somebody else with one for the server's proxy.
    #[must_use]
    pub fn timers() -> Self {
        let mut system = System::new();
        let servers = restarting(&mut system);
        let client = restarting(&mut system);
        system.thread(servers, 10);
        system.thread(client, 11);
        let channel = system.channel(servers);
        let proxy = system.proxy(channel, b"in time");
        system.trigger(client, proxy, false);
        system.objects(servers, 0, 1);
        system.objects(client, 0, 1);
        Self {
            name: "timers for bits and for another's proxy",
            system,
            habits: Habits {
                deaths: true,
                timers: true,
                ..QUIET
            },
        }
    }

    /// Threads that start and end while a server of another process serves them, and serve it.
    #[must_use]
    pub fn threads() -> Self {
        let mut system = System::new();
        let servers = restarting(&mut system);
        let clients = restarting(&mut system);
        system.slice(2);
        system.thread(servers, 10);
        system.thread(clients, 10);
        system.spare_threads(clients, 1);
        system.priority_limit(clients, 11);
        let channel = system.channel(servers);
        system.connection(clients, channel, 1);
        let back = system.channel(clients);
        system.connection(servers, back, 2);
        Self {
            name: "threads that start and end",
            system,
            habits: Habits {
                deadlines: true,
                deaths: true,
                threads: true,
                ..QUIET
            },
        }
    }

    /// All of them.
    #[must_use]
    pub fn all() -> Vec<Self> {
        vec![
            Self::two_servers(),
            Self::two_receivers(),
            Self::pool(),
            Self::two_clients(),
            Self::chain(),
            Self::relays(),
            Self::mutual(),
            Self::held(),
            Self::controlled(),
            Self::special(),
            Self::courier(),
            Self::proxies(),
            Self::driver(),
            Self::bytes(),
            Self::handing_on(),
            Self::introducing(),
            Self::turns(),
            Self::loans(),
            Self::moving_on(),
            Self::regions(),
            Self::region_words(),
            Self::words(),
            Self::owners(),
            Self::semaphore(),
            Self::timers(),
            Self::threads(),
            Self::signals(),
        ]
    }
}
