//! To what circuits of peers lead.

use node_circuits::{CIRCUITS, FAR, PEERS};
use riposte::Connection;

/// Most connections to servers that are open at once: of all circuits of all peers, and those that led there before and are in
/// use still.
const LINKS: usize = PEERS * CIRCUITS + FAR;

/// To what circuits of peers lead.
pub struct Links {
    all: [Option<Link>; LINKS],
}

/// To what a circuit of a peer leads.
pub enum Lead {
    /// To a server.
    Server(Connection),
    /// To a process that is sent signals: which one, is looked for at each.
    Process,
}

impl Lead {
    /// Nobody uses it any more.
    pub fn close(self) {
        if let Lead::Server(connection) = self {
            let _ = connection.close();
        }
    }
}

/// There are many: two words each.
struct Link {
    /// The connection's; nothing, if it leads to a process.
    handle: u32,
    is_process: bool,
    /// Which circuit's it is, of all peers' ([`place_of`]).
    circuit: u8,
    users: u8,
    /// Not any more: the circuit is closed, or leads elsewhere.
    is_over: bool,
}

const _: () = assert!(size_of::<Option<Link>>() == 8 && PEERS * CIRCUITS <= 256 && FAR < 256);

/// A circuit among those of all peers.
const fn place_of(peer: usize, circuit: usize) -> u8 {
    (peer * CIRCUITS + circuit) as u8
}

impl Link {
    fn lead(&self) -> Lead {
        match self.is_process {
            true => Lead::Process,
            false => Lead::Server(Connection::from_handle(self.handle)),
        }
    }
}

impl Links {
    pub const fn new() -> Links {
        Links {
            all: [const { None }; LINKS],
        }
    }

    /// A circuit leads to this from now on. Gives it back if there is no room.
    pub fn add(&mut self, peer: usize, circuit: usize, lead: Lead) -> Result<(), Lead> {
        self.end(peer, Some(circuit));
        match self.all.iter_mut().find(|it| it.is_none()) {
            Some(place) => {
                let (handle, is_process) = match lead {
                    Lead::Server(connection) => (connection.handle(), false),
                    Lead::Process => (0, true),
                };
                *place = Some(Link {
                    handle,
                    is_process,
                    circuit: place_of(peer, circuit),
                    users: 0,
                    is_over: false,
                });
                Ok(())
            }
            None => Err(lead),
        }
    }

    /// A circuit of a peer is closed, or all of them. Whoever uses what it led to goes on.
    pub fn end(&mut self, peer: usize, circuit: Option<usize>) {
        let of_it = match circuit {
            Some(circuit) => place_of(peer, circuit)..=place_of(peer, circuit),
            None => place_of(peer, 0)..=place_of(peer, CIRCUITS - 1),
        };
        for place in &mut self.all {
            if let Some(link) = place
                && of_it.contains(&link.circuit)
            {
                link.is_over = true;
                close_if_unused(place);
            }
        }
    }

    /// Uses what a circuit leads to: until [`Links::leave`], it stays open.
    pub fn enter(&mut self, peer: usize, circuit: usize) -> Option<(usize, Lead)> {
        let circuit = place_of(peer, circuit);
        let is_it = |link: &&mut Link| link.circuit == circuit && !link.is_over;
        let mut links = self.all.iter_mut().enumerate();
        links.find_map(|(place, link)| {
            let link = link.as_mut().filter(is_it)?;
            link.users += 1;
            Some((place, link.lead()))
        })
    }

    /// Does not use it any more. Whether it is what the circuit leads to, still.
    pub fn leave(&mut self, place: usize) -> bool {
        let Some(place) = self.all.get_mut(place) else {
            return false;
        };
        let Some(link) = place else {
            return false;
        };
        let leads_there = !link.is_over;
        link.users -= 1;
        close_if_unused(place);
        leads_there
    }
}

fn close_if_unused(place: &mut Option<Link>) {
    if place.as_ref().is_some_and(|it| it.is_over && it.users == 0)
        && let Some(link) = place.take()
    {
        link.lead().close();
    }
}
