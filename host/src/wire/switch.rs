//! An Ethernet switch: who gets a frame, by the addresses in it.

/// Bytes of an address.
pub const ADDRESS: usize = 6;

/// Addresses that it remembers. A node has one; who makes them up has the oldest forgotten.
const REMEMBERED: usize = 256;

/// A switch that learns at which port an address is.
pub struct Switch {
    ports: usize,
    known: Vec<([u8; ADDRESS], usize)>,
    /// Which is forgotten next.
    oldest: usize,
}

impl Switch {
    /// A switch of that many ports, which knows nobody.
    #[must_use]
    pub fn new(ports: usize) -> Switch {
        Switch {
            ports,
            known: vec![],
            oldest: 0,
        }
    }

    /// The ports that get `frame`, which has come in at the port `from`: the one where its receiver was heard last; all
    /// others, if it is for many or nobody knows.
    pub fn forward(&mut self, from: usize, frame: &[u8]) -> Vec<usize> {
        let (Some(to), Some(sender)) = (address(frame, 0), address(frame, ADDRESS)) else {
            return vec![];
        };
        if !is_for_many(sender) {
            self.learn(sender, from);
        }
        let known = self.known.iter().find(|(it, _)| *it == to);
        match known {
            Some((_, port)) if *port == from => vec![],
            Some((_, port)) => vec![*port],
            None => (0..self.ports).filter(|port| *port != from).collect(),
        }
    }

    fn learn(&mut self, address: [u8; ADDRESS], port: usize) {
        if let Some(known) = self.known.iter_mut().find(|(it, _)| *it == address) {
            known.1 = port;
        } else if self.known.len() < REMEMBERED {
            self.known.push((address, port));
        } else {
            self.known[self.oldest] = (address, port);
            self.oldest = (self.oldest + 1) % REMEMBERED;
        }
    }
}

fn address(frame: &[u8], at: usize) -> Option<[u8; ADDRESS]> {
    frame.get(at..at + ADDRESS)?.try_into().ok()
}

fn is_for_many(address: [u8; ADDRESS]) -> bool {
    address[0] & 1 != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(number: u16) -> [u8; ADDRESS] {
        let [high, low] = number.to_be_bytes();
        [2, 0, 0, 0, high, low]
    }

    fn frame(to: [u8; ADDRESS], from: [u8; ADDRESS]) -> Vec<u8> {
        [&to[..], &from, &[8, 0]].concat()
    }

    #[test]
    fn a_frame_for_a_node_that_was_heard_goes_there_alone() {
        let mut switch = Switch::new(3);
        // Nobody knows where 2 is.
        assert_eq!(switch.forward(0, &frame(node(2), node(0))), [1, 2]);
        assert_eq!(switch.forward(2, &frame(node(0), node(2))), [0]);
        assert_eq!(switch.forward(0, &frame(node(2), node(0))), [2]);
        // It is plugged in elsewhere.
        assert_eq!(switch.forward(1, &frame(node(0), node(2))), [0]);
        assert_eq!(switch.forward(0, &frame(node(2), node(0))), [1]);
        // Who speaks to itself has nobody's ear.
        assert!(switch.forward(1, &frame(node(2), node(2))).is_empty());
    }

    #[test]
    fn a_frame_for_many_goes_to_all_others_and_nobody_is_many() {
        let mut switch = Switch::new(3);
        let all = [0xFF; ADDRESS];
        assert_eq!(switch.forward(1, &frame(all, node(1))), [0, 2]);
        assert_eq!(switch.forward(1, &frame(all, all)), [0, 2]);
        assert_eq!(switch.forward(2, &frame(all, node(2))), [0, 1]);
    }

    #[test]
    fn who_makes_up_addresses_fills_no_more_than_the_table() {
        let mut switch = Switch::new(2);
        for number in 0..10_000 {
            switch.forward(0, &frame(node(60_000), node(number)));
        }
        assert_eq!(switch.known.len(), REMEMBERED);
        assert_eq!(switch.forward(1, &frame(node(9_999), node(60_001))), [0]);
    }

    #[test]
    fn what_has_no_addresses_goes_nowhere() {
        let mut switch = Switch::new(2);
        assert!(switch.forward(0, &[0xFF; 11]).is_empty());
    }
}
