//! Clients: what each may register and find, how many names it has, and what it has not seen yet.

use crate::{CLIENTS, name::Name};

/// Most patterns of all clients together.
const PATTERNS: usize = 128;

/// A client, by its place among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client(u8);

impl Client {
    /// What stands where no client is meant.
    pub(crate) const UNKNOWN: Client = Client(0);

    pub(crate) fn bit(self) -> u32 {
        1_u32.checked_shl(self.0.into()).unwrap_or(0)
    }
}

/// What a client may do with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Register it.
    Register,
    /// Find it.
    Find,
}

#[derive(Clone, Copy)]
struct Rule {
    client: Client,
    right: Right,
    /// There is one in each rule; none where no rule is yet, so that the room for rules begins as zeros.
    pattern: Option<&'static str>,
}

impl Rule {
    /// Whether it says this of the name.
    fn says(&self, right: Right, name: Name) -> bool {
        self.right == right && self.pattern.is_some_and(|it| name.is_said_by(it))
    }
}

#[derive(Clone, Copy)]
struct Known {
    badge: u32,
    registers: bool,
    /// Names that it has.
    names: usize,
    changes: u32,
}

pub struct Clients {
    known: [Known; CLIENTS],
    count: usize,
    rules: [Rule; PATTERNS],
    rule_count: usize,
}

impl Clients {
    pub const fn new() -> Self {
        const NOBODY: Known = Known {
            badge: 0,
            registers: false,
            names: 0,
            changes: 0,
        };
        const NOTHING: Rule = Rule {
            client: Client::UNKNOWN,
            right: Right::Register,
            pattern: None,
        };
        Self {
            known: [NOBODY; CLIENTS],
            count: 0,
            rules: [NOTHING; PATTERNS],
            rule_count: 0,
        }
    }

    /// Whether there was room.
    pub fn allow(&mut self, badge: u32, right: Right, pattern: &'static str) -> bool {
        let Some(client) = self.find(badge).or_else(|| self.add(badge)) else {
            return false;
        };
        let Some(rule) = self.rules.get_mut(self.rule_count) else {
            return false;
        };
        *rule = Rule {
            client,
            right,
            pattern: Some(pattern),
        };
        self.rule_count += 1;
        if right == Right::Register {
            self.get_mut(client).registers = true;
        }
        true
    }

    fn add(&mut self, badge: u32) -> Option<Client> {
        let known = self.known.get_mut(self.count)?;
        (known.badge, known.changes) = (badge, 1);
        self.count += 1;
        Some(Client(self.count as u8 - 1))
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// How many clients may register names.
    pub fn registering(&self) -> usize {
        self.all().iter().filter(|known| known.registers).count()
    }

    fn all(&self) -> &[Known] {
        self.known.get(..self.count).unwrap_or_default()
    }

    pub fn find(&self, badge: u32) -> Option<Client> {
        // The image builder gives badges in this order, from 1.
        let usual = badge.wrapping_sub(1) as usize;
        if self
            .all()
            .get(usual)
            .is_some_and(|known| known.badge == badge)
        {
            return Some(Client(usual as u8));
        }
        let place = self.all().iter().position(|known| known.badge == badge);
        place.map(|place| Client(place as u8))
    }

    fn rules(&self) -> &[Rule] {
        self.rules.get(..self.rule_count).unwrap_or_default()
    }

    pub fn may(&self, client: Client, right: Right, name: Name) -> bool {
        let mut rules = self.rules().iter();
        rules.any(|rule| rule.client == client && rule.says(right, name))
    }

    /// The bits of those who may find it.
    pub fn who_may_find(&self, name: Name) -> u32 {
        let rules = self.rules().iter();
        let may = rules.filter(|rule| rule.says(Right::Find, name));
        may.fold(0, |bits, rule| bits | rule.client.bit())
    }

    fn get_mut(&mut self, client: Client) -> &mut Known {
        &mut self.known[usize::from(client.0)]
    }

    pub fn names_of(&self, client: Client) -> usize {
        self.known[usize::from(client.0)].names
    }

    pub fn count_name(&mut self, client: Client, change: isize) {
        let names = &mut self.get_mut(client).names;
        *names = names.saturating_add_signed(change);
    }

    pub fn changes(&self, client: Client) -> u32 {
        self.known[usize::from(client.0)].changes
    }

    /// Something has changed that these may find.
    pub fn note_change(&mut self, finders: u32) {
        for (known, place) in self.known.iter_mut().zip(0..) {
            if finders >> place & 1 != 0 {
                known.changes = known.changes.wrapping_add(1).max(1);
            }
        }
    }
}
