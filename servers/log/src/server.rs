//! What comes of a request.

use core::fmt::Write;

use log_store::{Held, Memory, Store, TooSmall, beginning};
use riposte::interface::ApplicationError;
use riposte::{Answer, Instant, Region, Text};
use riposte_log::{
    LONGEST, Log, LogReader, NoSuchClient, NoSuchLevel, READER, ReadError, Record, log,
};
use servers_waiting::{Waiter, Waiting};

use crate::printed::print;

/// Most readers that can wait.
const READERS: usize = 8;

/// The least urgent level that is printed, if the manifest does not say: information.
const USUAL: u32 = 3;
/// Whose records this server's own are.
const OWN: &str = "log";
/// The level of what it has to say.
const WARNING: u32 = log::Level::Warn as u32;

/// The log, and who waits for what comes.
pub struct Server {
    store: Store<Kept>,
    /// The client whose request is served.
    client: usize,
    /// Whether the reader whose request is served is to wait.
    waits: bool,
    readers: Waiting<u32, (), READERS>,
    /// The least urgent level that is printed.
    printed: u32,
}

/// The region as words. They outlive this process.
struct Kept(Region);

impl Memory for Kept {
    fn words(&self) -> usize {
        self.0.length() / 4
    }

    fn load(&self, position: usize) -> u32 {
        self.0.load(position * 4).unwrap_or_default()
    }

    fn store(&mut self, position: usize, value: u32) {
        // The region is this server's to write, and the store keeps within it.
        let _ = self.0.store(position * 4, value);
    }
}

/// Who writes, in the order of the manifest: a record's client is the position here.
fn writers() -> impl Iterator<Item = (u32, &'static str)> {
    riposte::clients().filter(|(badge, _)| *badge < READER)
}

impl Server {
    /// With the records that the region holds.
    pub fn open() -> Server {
        let clients = writers().count();
        assert!(
            clients > 0,
            "nobody writes the log: its [[channel]] in app.toml needs `client_names = true`, and a [[connection]]"
        );
        let region = riposte::region("log").unwrap();
        assert!(
            region.is_writable(),
            "the region `log` in app.toml needs access = \"read-write\""
        );
        // One ring more, for what this server has to say.
        let (store, held) = match Store::open(Kept(region), clients + 1) {
            Ok(opened) => opened,
            Err(TooSmall(bytes)) => panic!(
                "the region `log` in app.toml needs a `size` of {} for {clients} clients",
                bytes.next_power_of_two()
            ),
        };
        let mut server = Server {
            store,
            client: clients,
            waits: false,
            readers: Waiting::new(),
            printed: riposte::setting("print").unwrap_or(USUAL),
        };
        if let Held::Log { damaged } = held {
            server.say(format_args!("the log server has started again"));
            if damaged > 0 {
                server.say(format_args!(
                    "the records of {damaged} clients were damaged"
                ));
            }
        }
        server
    }

    /// The next request is that of the client with this badge.
    pub fn serves(&mut self, badge: u32) {
        let client = writers().position(|(it, _)| it == badge);
        // The manifest names all clients, or none: then there is no server.
        self.client = client.unwrap_or_else(|| writers().count());
    }

    /// What becomes of the answer to the reader with this badge: it is kept if the reader is to wait.
    pub fn answered<'a>(&mut self, reader: u32, answer: Answer<'a>) -> Answer<'a> {
        if !core::mem::take(&mut self.waits) {
            return answer;
        }
        let Some(token) = answer.into_token() else {
            return Answer::later();
        };
        let waiter = Waiter {
            token,
            client: reader,
            wanted: (),
        };
        if let Err(waiter) = self.readers.push_or_displace(waiter) {
            waiter.refuse(ReadError::TooManyWait.into_status());
        }
        Answer::later()
    }

    fn say(&mut self, what: core::fmt::Arguments<'_>) {
        let mut room = [0; LONGEST];
        let mut text = Text::new(&mut room);
        let _ = text.write_fmt(what);
        self.client = writers().count();
        self.keep(WARNING, text.as_str());
    }

    fn keep(&mut self, level: u32, text: &str) {
        let time = Instant::now().as_nanos();
        self.store.push(self.client, level, time, text);
        self.readers.try_each(|reader| {
            // One that has left needs no answer.
            let _ = reader.token.reply_words([]);
            None
        });
        if level <= self.printed {
            print(time, name(self.client).unwrap_or(OWN), level, text);
        }
    }

    /// Where to read from: who has read more than there is has read an earlier log.
    fn start(&self, from: u64) -> u64 {
        if from > self.store.next() { 0 } else { from }
    }
}

/// The process whose records have this number; none if it is this server.
fn name(client: usize) -> Option<&'static str> {
    writers().nth(client).map(|(_, name)| name)
}

impl Log for Server {
    fn write(&mut self, level: u32, text: &str) -> Result<(), NoSuchLevel> {
        if !(1..=log_store::LEVELS).contains(&level) {
            return Err(NoSuchLevel);
        }
        self.keep(level, text);
        Ok(())
    }
}

impl LogReader for Server {
    fn read(&mut self, from: u64, text: &mut Text) -> Result<Record, ReadError> {
        let mut room = [0; LONGEST];
        let found = self.store.read(self.start(from), &mut room);
        let (client, record, length) = found.ok_or(ReadError::NoRecord)?;
        let bytes = room.get(..length).unwrap_or_default();
        let all = core::str::from_utf8(bytes).unwrap_or_default();
        let _ = text.push_str(beginning(all, text.capacity()));
        Ok(Record {
            sequence: record.sequence,
            time: record.time,
            level: record.level,
            client: client as u32,
        })
    }

    fn wait(&mut self, from: u64) -> Result<(), ReadError> {
        self.waits = self.store.read(self.start(from), &mut []).is_none();
        Ok(())
    }

    fn name(&mut self, client: u32, text: &mut Text) -> Result<(), NoSuchClient> {
        let client = client as usize;
        let own = (client == writers().count()).then_some(OWN);
        let name = name(client).or(own).ok_or(NoSuchClient)?;
        let _ = text.push_str(beginning(name, text.capacity()));
        Ok(())
    }
}
