//! Datagrams on their way from ports to the stack.
//!
//! The stack's sockets send one behind the other, and each keeps from sending for a second when it does not know a neighbour. So
//! all ports send by one socket, which is given one datagram at a time and none that waits for a neighbour: that one is looked for
//! here, and others pass by.

use smoltcp::socket::udp::Socket;
use smoltcp::time::Instant;
use smoltcp::wire::IpAddress;

use super::ways::Way;
use crate::names::SERVERS;
use crate::{Egress, KEPT, Route, STREAMS, Store};

/// The search of the first datagram of the first port.
pub const FIRST_SEARCH: usize = STREAMS + SERVERS;

impl<'a> Store<'a> {
    /// Hands the stack a datagram to send, if there is one that can be: to be called before it is asked to send.
    /// [`Store::look_for_neighbours`] sees what has become of it.
    pub fn offer_datagram(&mut self) -> bool {
        let Some((place, which)) = self.next_datagram() else {
            return false;
        };
        let datagrams = &mut self.datagrams;
        let port = &datagrams.ports[place];
        let Some((to, bytes)) = port.leaves.get(which) else {
            return false;
        };
        let own = self.sockets.get::<Socket<'a>>(port.handle).endpoint();
        let sender = self.sockets.get_mut::<Socket<'a>>(datagrams.sender);
        // None of it fails: the socket is closed and empty, and has room for the longest one, whose address was looked at.
        let _ = sender.bind(own);
        let _ = sender.send_slice(bytes, to);
        datagrams.offered = Some((place, which));
        datagrams.next = place + 1;
        true
    }

    /// Whether [`Store::offer_datagram`] has one.
    pub fn has_datagram_to_send(&self) -> bool {
        self.next_datagram().is_some()
    }

    /// The next one that does not wait for a neighbour: each port has its turn.
    #[inline(never)]
    fn next_datagram(&self) -> Option<(usize, usize)> {
        let used = self.datagrams.used;
        let mut places = (0..used).map(|it| (self.datagrams.next + it) % used);
        places.find_map(|place| Some((place, self.first_to_send(place)?)))
    }

    /// The oldest one of a port that does not wait for a neighbour: those for one host leave in their order.
    fn first_to_send(&self, place: usize) -> Option<usize> {
        let leaves = &self.datagrams.ports[place].leaves;
        let search = self.search(place, 0);
        leaves.others().enumerate().position(|(which, to)| {
            let mut before = leaves.others().take(which);
            !self.searches.is_under_way(search + which) && before.all(|it| it.addr != to.addr)
        })
    }

    /// The search of a port's datagram.
    const fn search(&self, place: usize, which: usize) -> usize {
        FIRST_SEARCH + place * self.datagrams.keeps * KEPT + which
    }

    /// Looks at what has become of the datagram that was offered, and begins to look for its neighbour if the stack has not found
    /// it. Whether it was kept back, and nothing sent in its place. `left` is the last frame of the stack's.
    #[inline(never)]
    pub(crate) fn settle_datagram(
        &mut self,
        now: Instant,
        egress: Egress,
        left: &[u8],
        route: &dyn Fn(IpAddress) -> Option<Route>,
    ) -> bool {
        let Some((place, which)) = self.datagrams.offered.take() else {
            return false;
        };
        let handle = self.datagrams.sender;
        let sender = self.sockets.get_mut::<Socket<'a>>(handle);
        let is_sent = sender.can_send();
        sender.close();
        if is_sent {
            let port = &mut self.datagrams.ports[place];
            if let Some((to, _)) = port.leaves.get(which) {
                port.way = Way::of(left, port.port, to);
            }
            self.forget_datagram(place, which);
            return false;
        }
        // Else the stack would keep it from sending anything for a second.
        let sender = self.sockets.remove(handle);
        self.datagrams.sender = self.sockets.add(sender);
        let to = self.datagrams.ports[place].leaves.get(which);
        if egress.is_full() {
            return false;
        }
        let Some((to, _)) = to else {
            return false;
        };
        let route = route(to.addr);
        let is_sought = egress.sought() == Some(route.map_or(to.addr, |it| it.next));
        match route {
            Some(route) => {
                let search = self.search(place, which);
                self.searches.look(search, route, is_sought, now);
            }
            // The own machine, or one to which nothing leads.
            None => self.forget_datagram(place, which),
        }
        !is_sought
    }

    #[inline(never)]
    fn forget_datagram(&mut self, place: usize, which: usize) {
        let search = self.search(place, which);
        let behind = self.search(place + 1, 0);
        self.datagrams.ports[place].leaves.remove(which);
        self.searches.remove(search..behind);
    }

    /// Forgets all datagrams of a port to the host for whose neighbour this search was, in vain.
    pub(crate) fn forget_host(&mut self, search: usize) {
        let each = self.datagrams.keeps * KEPT;
        let Some(search) = search.checked_sub(FIRST_SEARCH) else {
            return;
        };
        let (place, which) = (search / each, search % each);
        let Some(port) = self.datagrams.ports.get(place) else {
            return;
        };
        let Some((host, _)) = port.leaves.get(which) else {
            return;
        };
        while let Some(which) = self.datagrams.ports[place].leaves.position(host.addr) {
            self.forget_datagram(place, which);
        }
    }

    /// Forgets all that a port was to send.
    #[inline(never)]
    pub(crate) fn forget_datagrams(&mut self, place: usize) {
        while !self.datagrams.ports[place].leaves.is_empty() {
            self.forget_datagram(place, 0);
        }
    }
}
