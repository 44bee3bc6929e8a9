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
    /// The same, for one use.
    fn again(&self) -> Lead {
        match self {
            Lead::Server(connection) => Lead::Server(Connection::from_handle(connection.handle())),
            Lead::Process => Lead::Process,
        }
    }

    /// Nobody uses it any more.
    pub fn close(self) {
        if let Lead::Server(connection) = self {
            let _ = connection.close();
        }
    }
}

struct Link {
    lead: Lead,
    peer: usize,
    circuit: usize,
    users: usize,
    /// Not any more: the circuit is closed, or leads elsewhere.
    is_over: bool,
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
                *place = Some(Link {
                    lead,
                    peer,
                    circuit,
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
        for place in &mut self.all {
            if let Some(link) = place
                && link.peer == peer
                && circuit.is_none_or(|it| it == link.circuit)
            {
                link.is_over = true;
                close_if_unused(place);
            }
        }
    }

    /// Uses what a circuit leads to: until [`Links::leave`], it stays open.
    pub fn enter(&mut self, peer: usize, circuit: usize) -> Option<(usize, Lead)> {
        let is_it =
            |link: &&mut Link| link.peer == peer && link.circuit == circuit && !link.is_over;
        let mut links = self.all.iter_mut().enumerate();
        links.find_map(|(place, link)| {
            let link = link.as_mut().filter(is_it)?;
            link.users += 1;
            Some((place, link.lead.again()))
        })
    }

    /// Does not use it any more.
    pub fn leave(&mut self, place: usize) {
        if let Some(place) = self.all.get_mut(place)
            && let Some(link) = place
        {
            link.users -= 1;
            close_if_unused(place);
        }
    }
}

fn close_if_unused(place: &mut Option<Link>) {
    if place.as_ref().is_some_and(|it| it.is_over && it.users == 0)
        && let Some(link) = place.take()
    {
        link.lead.close();
    }
}
