//! Draws calls that hand a client on, and those at which others wait to be handed one.

use riposte_abi::call::{self, operation};
use riposte_abi::{info, register};

use super::{Draw, Env, Kind};
use crate::plan::{CHANNELS, RELAYS, channel_handle, channels_of};
use crate::world::{Held, REMEMBERED, kind};

impl<E: Env> Draw<'_, E> {
    /// Hands a client on, or waits for one, if it is time to. Whether it has drawn a call.
    pub(super) fn plays_relays(&mut self) -> bool {
        let process = self.player.process();
        let serves = self.world.open_token(process, false).is_some();
        let relays = match (serves, RELAYS[process]) {
            (true, true) => 2,
            (true, false) => 12,
            (false, _) => 48,
        };
        if self.one_in(relays) {
            self.relay();
        } else if !serves && self.one_in(4) {
            self.receive();
            if self.one_in(4) {
                // Of those who wait somebody has no room for bytes.
                let place = self.bad_place();
                self.step.extra[2] = self.env.address(place);
                self.step.extra[3] = 8;
            }
        } else {
            return false;
        }
        true
    }

    fn relay(&mut self) {
        let (tag, generation) = self.token();
        let handle = match self.connection_to_who_waits() {
            Some(handle) if !self.one_in(4) => handle & call::HANDLE_MASK,
            _ => self.connection(),
        };
        self.set(register::CALL, call::word(operation::RELAY, handle));
        self.message();
        self.step.registers[register::INFO] |= tag;
        self.set(register::GENERATION, generation);
        if self.one_in(24) {
            self.step.registers[register::INFO] |=
                self.of(&[info::DEADLINE, info::VECTOR, info::STATUS]);
        }
        self.step.kind = Kind::Words(1);
    }

    /// A connection of the process to a channel at which somebody waits for messages.
    fn connection_to_who_waits(&mut self) -> Option<u32> {
        let own = self.player.process();
        let begin = self.below(REMEMBERED as u32) as usize;
        let leads = |held: &Held| {
            let channel = (held.value & call::INDEX_MASK) as usize;
            let Some(to) = CHANNELS.get(channel) else {
                return false;
            };
            let nth = channels_of(to.owner).position(|other| other == channel);
            let handle = channel_handle(to.owner, nth.unwrap_or(0));
            held.kind == kind::CONNECTION
                && held.process as usize == own
                && self.world.is_received_from(to.owner, handle)
        };
        let around = (0..REMEMBERED).map(|step| self.world.handles[(begin + step) % REMEMBERED]);
        { around }.find(leads).map(|held| held.value)
    }
}
