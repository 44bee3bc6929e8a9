//! A process that does what the judge says.

use check::broken;
use region_orders::BYTES;
use riposte::{Connection, Deadline, Duration, Error, Event, Notice, Part, PartMut};

/// Time within which a process that is to be stopped must have been.
const PATIENCE: Duration = Duration::from_millis(200);

/// The process, by its channel.
pub struct Actor {
    name: &'static str,
    connection: Connection,
}

impl Actor {
    /// The process that owns the channel `name`.
    pub fn new(name: &'static str) -> Actor {
        Actor {
            name,
            connection: riposte::connect(name).unwrap(),
        }
    }

    /// Has it do something, and returns what came of that.
    pub fn order(&mut self, order: u32, place: u32, value: u32) -> Result<u32, Error> {
        let mut message = [0; BYTES];
        for (bytes, word) in message
            .as_chunks_mut::<4>()
            .0
            .iter_mut()
            .zip([order, place, value])
        {
            *bytes = word.to_le_bytes();
        }
        let mut answer = [0; 2 * BYTES];
        self.connection.send(&message, &mut answer)?;
        Ok(u32::from_le_bytes([
            answer[0], answer[1], answer[2], answer[3],
        ]))
    }

    /// Sends it an order from there, to be answered there. Returns how many bytes it took and gave.
    pub fn send(
        &mut self,
        message: &[Part<'_>],
        answer: &mut [PartMut<'_>],
    ) -> Result<(usize, usize), Error> {
        let reply = self.connection.send_vector(message, answer)?;
        Ok((reply.accepted, reply.len))
    }

    /// Has it do something that must end it: the reason and the address of its fault.
    pub fn die(&mut self, order: u32, place: u32, value: u32) -> Result<(u32, Option<u32>), Error> {
        let answer = self.order(order, place, value);
        if answer != Err(Error::ServerDied) {
            broken(self.name, "it did what it must not");
        }
        let faults = riposte::channel("faults").unwrap();
        let end = Deadline::At(riposte::Instant::now() + PATIENCE);
        loop {
            if let Event::Notice(Notice::Fault { process }) = faults.receive_until(&mut [], end)? {
                if riposte::name_of_process(process) != Some(self.name) {
                    broken(self.name, "another process was blamed");
                }
                let record = riposte::fault_record(process)?;
                self.connection.reconnect()?;
                let address = (record.address_valid != 0).then_some(record.address);
                return Ok((record.reason, address));
            }
        }
    }
}
