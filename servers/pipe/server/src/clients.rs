//! Clients that are programs: who is meant by a PID, and whether it still runs.

use pipe_store::MOST_EXPECTED;
use process_store::Pid;
use riposte::abi::process_info::kind;

/// A client that the manifest knows.
#[derive(Clone, Copy)]
struct Client {
    badge: u32,
    /// Its process's number in the system: no PID's, if it has found this server by name.
    process: u32,
    /// How often that had ended when this server was last told; 0 before that. Of one with a number it is told of each end,
    /// so that a child has ended if, and only if, there was one more since that was spawned.
    ends: u32,
}

/// All of them, if there are programs.
pub struct Clients {
    all: [Option<Client>; MOST_EXPECTED],
}

impl Clients {
    /// None.
    pub const fn new() -> Clients {
        Clients {
            all: [None; MOST_EXPECTED],
        }
    }

    /// Those whom the manifest knows.
    pub fn configure(&mut self) {
        let processes = riposte::manifest_entries(kind::CLIENT_PROCESS);
        let known = riposte::clients().zip(processes);
        for (place, ((badge, _), (process, _))) in self.all.iter_mut().zip(known) {
            *place = Some(Client {
                badge,
                process,
                ends: 0,
            });
        }
    }

    fn find(&self, badge: u32) -> Option<&Client> {
        let mut clients = self.all.iter().flatten();
        clients.find(|client| client.badge == badge)
    }

    /// The first client of the same process, of one that has another connection. Those that have found this server by name
    /// are one: none of them is meant by a PID.
    pub fn same(&self, badge: u32) -> Option<u32> {
        let process = self.find(badge)?.process;
        let mut clients = self.all.iter().flatten();
        let first = clients.find(|client| client.process == process)?;
        Some(first.badge).filter(|first| *first != badge)
    }

    /// The process of the client with this badge has ended so often now. Whether that is new: of a process with several
    /// connections each says so.
    pub fn has_ended(&mut self, badge: u32, ends: u32) -> bool {
        let Some(&Client { process, .. }) = self.find(badge).filter(|it| it.ends != ends) else {
            return false;
        };
        let clients = self.all.iter_mut().flatten();
        clients
            .filter(|client| client.process == process)
            .for_each(|client| client.ends = ends);
        true
    }

    /// The badge of a child, if it runs, and is a client.
    pub fn running(&self, pid: Pid) -> Option<u32> {
        let mut clients = self.all.iter().flatten();
        let client = clients.find(|client| client.process == pid.process())?;
        let has_ended = client.ends != 0 && pid.has_ended(client.ends);
        (!has_ended).then_some(client.badge)
    }
}
