//! The smallest system: a client and a server.

use crate::{ChannelId, Connection, Machine, ProcessId, System, ThreadId, Token};

/// A process with a server thread, and one with a client thread, all at priority 10.
pub struct Pair {
    /// The system; more can be added before it is started.
    pub system: System,
    /// The server's process.
    pub server_process: ProcessId,
    /// The client's process.
    pub client_process: ProcessId,
    /// The thread that receives.
    pub server: ThreadId,
    /// The thread that sends.
    pub client: ThreadId,
    /// Where the server receives.
    pub channel: ChannelId,
    /// How the client sends: badge 7.
    pub link: Connection,
}

impl Default for Pair {
    fn default() -> Self {
        Self::new()
    }
}

impl Pair {
    /// The two.
    #[must_use]
    pub fn new() -> Self {
        Self::beside(&[], &[]).0
    }

    /// The two, with further threads of these priorities in the server's process, and in the client's; and those threads.
    #[must_use]
    pub fn beside(servers: &[u8], clients: &[u8]) -> (Self, Vec<ThreadId>) {
        let mut system = System::new();
        let [server_process, client_process] = [(); 2].map(|()| system.process());
        let mut threads = vec![];
        let mut first_of = |process, others: &[u8]| {
            let first = system.thread(process, 10);
            threads.extend(others.iter().map(|it| system.thread(process, *it)));
            first
        };
        let server = first_of(server_process, servers);
        let client = first_of(client_process, clients);
        let channel = system.channel(server_process);
        let link = system.connection(client_process, channel, 7);
        let pair = Self {
            system,
            server_process,
            client_process,
            server,
            client,
            channel,
            link,
        };
        (pair, threads)
    }

    /// A further process with one thread that can send to the server, with this badge.
    pub fn another_client(&mut self, priority: u8, badge: u32) -> (ThreadId, Connection) {
        self.client_of(self.channel, priority, badge)
    }

    /// A further process with one thread that can send to `channel`, with this badge.
    pub fn client_of(
        &mut self,
        channel: ChannelId,
        priority: u8,
        badge: u32,
    ) -> (ThreadId, Connection) {
        let process = self.system.process();
        let thread = self.system.thread(process, priority);
        let link = self.system.connection(process, channel, badge);
        (thread, link)
    }

    /// The client sends these words.
    pub fn send(&self, machine: &mut Machine, words: &[u32]) {
        machine.send(self.client, self.link, words);
    }

    /// The server waits.
    pub fn receive(&self, machine: &mut Machine) {
        machine.receive(self.server, self.channel);
    }

    /// The server waits, the client sends these words: the token.
    pub fn exchange(&self, machine: &mut Machine, words: &[u32]) -> Token {
        self.receive(machine);
        self.send(machine, words);
        let answer = machine.answer(self.server).expect("a message");
        answer.token()
    }
}
