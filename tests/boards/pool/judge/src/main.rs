//! Has others make, map and unmap regions, and looks at what they can do then.
#![no_std]

use check::{broken, equal, holds};
use pool_orders::{
    CLOSE, FETCH, GIVE, MAKE, MAP, ONWARD, PEEK, POKE, RECEIVE, TRANSFER, UNMAP, WAIT, WATCH,
    WATCHED, WRITE,
};
use riposte::abi::fault::reason;
use riposte::{Connection, Deadline, Duration, Error, Event, Instant, Notice, RegionHandle};

/// Bytes of a region.
const BLOCK: usize = 4096;
/// Bytes that the kernel is to write.
const LONG: usize = 16;
/// A value that nobody has by chance.
const VALUE: u32 = 0x5EC2_E701;
/// Time in which threads of less priority run.
const WHILE: Duration = Duration::from_millis(5);
/// Time within which a process that is to be stopped must have been.
const PATIENCE: Duration = Duration::from_millis(500);

#[riposte::main]
fn main() {
    let [maker, user, rival] = ["maker", "user", "rival"].map(Actor::new);
    let mut actors = Actors { maker, user, rival };
    actors.share();
    actors.only_read();
    actors.quotas();
    actors.unmapped();
    actors.words();
    actors.deaths();
    check::done();
}

/// A process that does what the judge says.
struct Actor {
    name: &'static str,
    connection: Connection,
}

struct Actors {
    maker: Actor,
    user: Actor,
    rival: Actor,
}

impl Actor {
    fn new(name: &'static str) -> Actor {
        let connection = riposte::connect(name).unwrap();
        Actor { name, connection }
    }

    /// Has it do something: the value, or the error's number.
    fn order(&self, order: u32, first: u32, second: u32) -> Result<u32, u32> {
        let reply = self.connection.send_words([order, first, second]);
        match reply {
            Ok(reply) if reply.words[0] == 0 => Ok(reply.words[1]),
            Ok(reply) => Err(reply.words[0]),
            Err(error) => Err(error as u32),
        }
    }

    /// As that, and it succeeds.
    fn does(&self, order: u32, first: u32) -> u32 {
        match self.order(order, first, 0) {
            Ok(value) => value,
            Err(_) => {
                broken(self.name, "it could not do what it may");
                0
            }
        }
    }

    /// It has the kernel write the beginning of this order to an address: how many bytes it has, or the error's number.
    fn receives(&self, address: u32) -> Result<u32, u32> {
        let mut message = [0; 2 * LONG];
        message[..4].copy_from_slice(&RECEIVE.to_le_bytes());
        message[4..8].copy_from_slice(&address.to_le_bytes());
        let mut answer = [0; 8];
        let sent = self.connection.send(&message, &mut answer);
        sent.map_err(|error| error as u32)?;
        match answer.as_chunks::<4>().0 {
            [[0, 0, 0, 0], value] => Ok(u32::from_le_bytes(*value)),
            [error, _] => Err(u32::from_le_bytes(*error)),
            _ => Err(0),
        }
    }

    /// It gives the judge a region.
    fn gives(&self, rights: u32) -> Result<Option<RegionHandle>, Error> {
        let answer = self.connection.send_for_region([GIVE, rights, 0]);
        answer.map(|(_, region)| region)
    }

    /// It asks for a region: the judge gives it this one.
    fn gets(&self, region: &RegionHandle) {
        self.does(FETCH, 0);
        let gifts = riposte::channel("gifts").unwrap();
        if let Ok(Event::Message(message)) = gifts.receive(&mut []) {
            message.into_token().reply_region([0; 4], region).unwrap();
        }
    }

    /// It has been stopped: the reason and the address of its fault. It begins anew.
    fn died(&mut self) -> Option<(u32, Option<u32>)> {
        let faults = riposte::channel("faults").unwrap();
        let end = Deadline::At(Instant::now() + PATIENCE);
        let event = faults.receive_until(&mut [], end).ok()?;
        let Event::Notice(Notice::Fault { process }) = event else {
            return None;
        };
        if riposte::name_of_process(process) != Some(self.name) {
            broken(self.name, "another process was blamed");
        }
        let record = riposte::fault_record(process).ok()?;
        self.connection.reconnect().ok()?;
        Some((
            record.reason,
            (record.address_valid != 0).then_some(record.address),
        ))
    }

    /// It does something that must end it at this address.
    fn dies(&mut self, what: &'static str, order: u32, address: u32) {
        equal(
            what,
            self.order(order, address, VALUE),
            Err(Error::ServerDied as u32),
        );
        equal(what, self.died(), Some((reason::MEMORY, Some(address))));
    }
}

const EXHAUSTED: Result<u32, u32> = Err(Error::Exhausted as u32);
const REFUSED: Result<u32, u32> = Err(Error::BadAddress as u32);

impl Actors {
    /// A region is made, given and given on: it is one memory, and nobody else's.
    fn share(&mut self) {
        let Actors { maker, user, rival } = self;
        maker.does(MAKE, 0);
        let region = maker.gives(WRITE | TRANSFER | ONWARD).unwrap().unwrap();
        let mapping = region.map().unwrap();
        let mut bytes = [1; 64];
        let zeros = (0..BLOCK / 64).all(|part| {
            mapping.read(part * 64, &mut bytes);
            bytes == [0; 64]
        });
        holds("a region that is made is all zeros", zeros);
        equal("it has the size of a block", mapping.length(), BLOCK);
        let again = region.map().map(drop);
        equal("it is mapped once in a process", again, Err(Error::InUse));
        let there = maker.does(MAP, WRITE);
        mapping.store(8, VALUE).unwrap();
        equal(
            "its maker sees what another one wrote",
            maker.order(PEEK, there + 8, 0),
            Ok(VALUE),
        );
        user.gets(&region);
        let here = user.does(MAP, WRITE);
        user.order(POKE, here + 12, !VALUE).unwrap();
        equal(
            "who is given it by another one writes it too",
            mapping.load(12),
            Some(!VALUE),
        );
        let last = here + BLOCK as u32 - 4;
        equal("all of it is there", user.order(PEEK, last, 0), Ok(0));
        rival.dies("nobody else reads it", PEEK, here);
        rival.dies("nobody else writes it", POKE, here);
        user.dies("nothing behind it is open", PEEK, here + BLOCK as u32);
        equal(
            "its bytes are where they were",
            mapping.load(12),
            Some(!VALUE),
        );
        maker.does(UNMAP, 0);
        maker.does(CLOSE, 0);
        drop(mapping);
        region.close().unwrap();
    }

    /// Rights are what was handed over.
    fn only_read(&mut self) {
        let Actors { maker, user, .. } = self;
        maker.does(MAKE, 0);
        let there = maker.does(MAP, WRITE);
        maker.order(POKE, there, VALUE).unwrap();
        let mute = maker.gives(WRITE | TRANSFER).unwrap().unwrap();
        let region = maker.gives(TRANSFER | ONWARD).unwrap().unwrap();
        let write = region.map().map(drop);
        equal(
            "it is written by who has the right",
            write,
            Err(Error::NotPermitted),
        );
        user.gets(&region);
        let refused = Err(Error::NotPermitted as u32);
        equal(
            "nor by those who get it from there",
            user.order(MAP, WRITE, 0),
            refused,
        );
        let here = user.does(MAP, 0);
        equal("it is read", user.order(PEEK, here, 0), Ok(VALUE));
        equal(
            "the kernel does not write there for a reader",
            user.receives(here),
            REFUSED,
        );
        user.dies("the hardware lets no reader write", POKE, here);
        equal(
            "and nothing has changed",
            maker.order(PEEK, there, 0),
            Ok(VALUE),
        );
        equal(
            "the kernel writes there for a writer",
            maker.receives(there),
            Ok(LONG as u32),
        );
        user.does(FETCH, 0);
        let gifts = riposte::channel("gifts").unwrap();
        if let Ok(Event::Message(message)) = gifts.receive(&mut []) {
            let token = message.into_token();
            let kept = token.try_reply_region([0; 4], &mute);
            equal(
                "it is handed on by who has the right",
                kept,
                Err(Error::NotPermitted),
            );
            token.reply_words([1]).unwrap();
        }
        mute.close().unwrap();
        region.close().unwrap();
        maker.does(UNMAP, 0);
        maker.does(CLOSE, 0);
    }

    /// Nobody has more than the manifest says, and what was given back can be had again.
    fn quotas(&mut self) {
        let Actors { maker, rival, .. } = self;
        let kept = [0; 2].map(|_| {
            maker.does(MAKE, 0);
            let region = maker.gives(WRITE | TRANSFER).unwrap().unwrap();
            maker.does(CLOSE, 0);
            region
        });
        equal(
            "what others have counts, too",
            maker.order(MAKE, 0, 0),
            EXHAUSTED,
        );
        rival.does(MAKE, 0);
        equal(
            "its rival has its own share, and no more",
            rival.order(MAKE, 0, 0),
            EXHAUSTED,
        );
        let mapping = kept[0].map().unwrap();
        let second = kept[1].map().map(drop);
        equal(
            "there are as many mappings as the manifest says",
            second,
            Err(Error::Exhausted),
        );
        mapping.store(0, VALUE).unwrap();
        let [first, second] = kept;
        first.close().unwrap();
        equal(
            "it is there while it is mapped",
            mapping.load(0),
            Some(VALUE),
        );
        equal("and counts", maker.order(MAKE, 0, 0), EXHAUSTED);
        drop(mapping);
        maker.does(MAKE, 0);
        let there = maker.does(MAP, WRITE);
        equal(
            "nobody sees what was somebody else's",
            maker.order(PEEK, there, 0),
            Ok(0),
        );
        maker.does(UNMAP, 0);
        maker.does(CLOSE, 0);
        rival.does(CLOSE, 0);
        second.close().unwrap();
    }

    /// What one thread unmaps is gone for all threads of its process, whatever they do there.
    fn unmapped(&mut self) {
        let Actors { maker, rival, .. } = self;
        maker.does(MAKE, 0);
        let there = maker.does(MAP, WRITE);
        maker.does(WATCH, there);
        riposte::sleep(WHILE).expect("it sleeps");
        holds("another thread reads it, too", maker.does(WATCHED, 0) > 0);
        // The watcher is in the middle of that.
        maker.does(UNMAP, 0);
        let end = maker.died();
        equal(
            "it does not any more when it is unmapped",
            end,
            Some((reason::MEMORY, Some(there))),
        );
        rival.does(MAKE, 0);
        let here = rival.does(MAP, WRITE);
        rival.order(POKE, here, VALUE).unwrap();
        rival.does(UNMAP, 0);
        rival.dies("who has unmapped it does not reach it", PEEK, here);
    }

    /// Nobody waits for others at a word there.
    fn words(&mut self) {
        let Actors { maker, .. } = self;
        maker.does(MAKE, 0);
        maker.does(MAP, WRITE);
        equal(
            "a thread would wait at a word there, if that held what it expects",
            maker.order(WAIT, VALUE, 0),
            Err(Error::WouldBlock as u32),
        );
        maker.does(UNMAP, 0);
        maker.does(CLOSE, 0);
    }

    /// The end of a process takes what it had, and nothing of others.
    fn deaths(&mut self) {
        let Actors { maker, rival, .. } = self;
        maker.does(MAKE, 0);
        let there = maker.does(MAP, WRITE);
        maker.order(POKE, there, VALUE).unwrap();
        let region = maker.gives(WRITE | TRANSFER).unwrap().unwrap();
        let mapping = region.map().unwrap();
        maker.dies("a maker dies", PEEK, 4);
        equal(
            "who was given the region has it still",
            mapping.load(0),
            Some(VALUE),
        );
        maker.dies("its next life does not see it", PEEK, there);
        maker.does(MAKE, 0);
        equal("and it counts in that", maker.order(MAKE, 0, 0), EXHAUSTED);
        region.close().unwrap();
        drop(mapping);
        maker.does(MAKE, 0);
        rival.does(MAKE, 0);
        rival.does(MAP, WRITE);
        rival.dies("its rival dies", PEEK, 4);
        rival.does(MAKE, 0);
        holds("and has left nothing behind", true);
    }
}
