//! What names lead to: the connections that the manifest gives this process for that.

use heapless::Vec;
use riposte::Connection;
use riposte::abi::process_info::kind;
use riposte_names::protocol::ANEW;

/// Most channels that can be registered.
pub const MOST: usize = 64;

/// A channel that can be registered.
pub struct Provider {
    /// Its owner's badge.
    owner: u32,
    /// The badge of its owner's process, which is the same to all.
    process: u32,
    slot: u32,
    /// The connection of the life in which the owner has registered, if it has.
    connection: Option<Connection>,
}

/// All of them; those of an owner in the order in which it knows its channels.
pub struct Providers {
    all: Vec<Provider, MOST>,
}

/// What was found of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// The owner lives since before it registered.
    Same,
    /// It has ended, and perhaps begun anew.
    Over,
}

impl Providers {
    pub const fn new() -> Providers {
        Providers { all: Vec::new() }
    }

    /// Reads what the manifest gives, and lets all owners know that nothing is registered.
    pub fn configure(&mut self) {
        let owners = riposte::manifest_entries(kind::PROVIDER);
        let slots = riposte::manifest_entries(kind::PROVIDED);
        let processes = riposte::manifest_entries(kind::PROVIDING);
        for (((owner, _), (slot, name)), (process, _)) in owners.zip(slots).zip(processes) {
            // One that is dead registers when it begins.
            if let Ok(connection) = Connection::open(slot) {
                let _ = connection.notify(ANEW);
            }
            let provider = Provider {
                owner,
                process,
                slot,
                connection: None,
            };
            assert!(
                self.all.push(provider).is_ok(),
                "channel {name} is one too many to be registered: there can be {MOST}"
            );
        }
    }

    /// The provider at this position among the channels of an owner.
    pub fn find(&self, owner: u32, position: usize) -> Option<u8> {
        let own = self.of(owner);
        own.into_iter().flatten().nth(position)
    }

    /// The providers of an owner.
    pub fn of(&self, owner: u32) -> Option<impl Iterator<Item = u8> + use<>> {
        let is_own = |it: &Provider| it.owner == owner;
        let first = self.all.iter().position(is_own)?;
        let own = self.all.iter().skip(first).take_while(|it| is_own(it));
        Some(first as u8..(first + own.count()) as u8)
    }

    /// Its connection, if its owner has registered, and the badge of the owner's process.
    pub fn connection(&self, provider: u8) -> Option<(&Connection, u32)> {
        let provider = self.all.get(usize::from(provider))?;
        Some((provider.connection.as_ref()?, provider.process))
    }

    /// Its owner registers: opens the connection. Whether that is the one that it was.
    pub fn open(&mut self, provider: u8) -> Life {
        let Some(provider) = self.all.get_mut(usize::from(provider)) else {
            return Life::Over;
        };
        let before = provider.connection.take();
        provider.connection = Connection::open(provider.slot).ok();
        if before.is_some() && before == provider.connection {
            Life::Same
        } else {
            Life::Over
        }
    }

    /// Whether its owner lives as it did when it registered.
    pub fn look(&self, provider: u8) -> Life {
        let Some(provider) = self.all.get(usize::from(provider)) else {
            return Life::Over;
        };
        // What is open stays as it is; what has broken gets another handle.
        match (&provider.connection, Connection::open(provider.slot)) {
            (Some(before), Ok(now)) if *before == now => Life::Same,
            _ => Life::Over,
        }
    }

    /// Nothing is registered for it any more.
    pub fn forget(&mut self, provider: u8) {
        if let Some(provider) = self.all.get_mut(usize::from(provider)) {
            provider.connection = None;
        }
    }
}
