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
        let mut system = System::new();
        let server_process = system.process();
        let client_process = system.process();
        let server = system.thread(server_process, 10);
        let client = system.thread(client_process, 10);
        let channel = system.channel(server_process);
        let link = system.connection(client_process, channel, 7);
        Self {
            system,
            server_process,
            client_process,
            server,
            client,
            channel,
            link,
        }
    }

    /// A further process with one thread that can send to the server, with this badge.
    pub fn another_client(&mut self, priority: u8, badge: u32) -> (ThreadId, Connection) {
        let process = self.system.process();
        let thread = self.system.thread(process, priority);
        let link = self.system.connection(process, self.channel, badge);
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
