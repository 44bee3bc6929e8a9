//! Copying bytes between two processes: once, each run through the typed door, in bounded chunks.

use core::cell::Cell;

use riposte_abi::{MAX_PARTS, Part, register};

use crate::{Access, Kernel, OutOfRange, Port, Process, Readable, Thread, Writable};

/// Bytes that a port copies before it looks whether an interrupt waits.
pub const CHUNK: u32 = 512;

/// Memory of a process that a message comes from or goes to, as the process alleges it.
#[derive(Clone, Copy)]
pub(crate) struct Buffer {
    pub process: &'static Process,
    pub address: u32,
    /// Length in bytes, or the number of parts.
    pub count: u32,
    pub vector: bool,
}

/// Which side's memory was not its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blame {
    Source,
    Destination,
}

/// How a copy ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copied {
    /// All of it: so many bytes.
    All(u32),
    /// An interrupt waits; the call is to be executed again.
    Interrupted,
}

impl Buffer {
    pub fn flat(process: &'static Process, address: u32, length: u32) -> Self {
        Self {
            process,
            address,
            count: length,
            vector: false,
        }
    }

    /// Its length in bytes, all of it checked to be the process's to read (or to write).
    pub fn check(&self, port: &impl Port, access: Access) -> Result<u32, OutOfRange> {
        if !self.vector {
            self.allow(access, self.address, self.count)?;
            return Ok(self.count);
        }
        let mut length: u32 = 0;
        for index in 0..self.count {
            let part = self.part(port, index)?;
            self.allow(access, part.address, part.length)?;
            length = length.checked_add(part.length).ok_or(OutOfRange)?;
        }
        Ok(length)
    }

    /// Writes `bytes` to its beginning, as far as they fit. Returns how many.
    pub fn put(&self, port: &impl Port, bytes: &[Cell<u8>]) -> Result<u32, OutOfRange> {
        let length = self.check(port, Access::ReadWrite)?.min(bytes.len() as u32);
        let mut rest = &bytes[..length as usize];
        while !rest.is_empty() {
            let (address, run) = self.run(port, length - rest.len() as u32)?;
            let (part, later) = rest.split_at(rest.len().min(run as usize));
            let to = self.process.writable(address, part.len() as u32)?;
            port.store(part, to);
            rest = later;
        }
        Ok(length)
    }

    fn allow(&self, access: Access, address: u32, length: u32) -> Result<(), OutOfRange> {
        match access {
            Access::ReadWrite | Access::Shared => self.process.writable(address, length).map(drop),
            Access::Read | Access::Device => self.process.readable(address, length).map(drop),
        }
    }

    fn part(&self, port: &impl Port, index: u32) -> Result<Part, OutOfRange> {
        if self.count > MAX_PARTS as u32 {
            return Err(OutOfRange);
        }
        let mut words = [0; 8];
        port.fetch(
            self.process
                .readable(self.address.wrapping_add(index * 8), 8)?,
            &mut words,
        );
        let word = |at: usize| {
            u32::from_le_bytes([words[at], words[at + 1], words[at + 2], words[at + 3]])
        };
        Ok(Part {
            address: word(0),
            length: word(4),
        })
    }

    /// The contiguous run that begins `offset` bytes into it: address and length.
    fn run(&self, port: &impl Port, offset: u32) -> Result<(u32, u32), OutOfRange> {
        if !self.vector {
            return Ok((self.address.wrapping_add(offset), self.count - offset));
        }
        let mut rest = offset;
        for index in 0..self.count {
            let part = self.part(port, index)?;
            if rest < part.length {
                return Ok((part.address.wrapping_add(rest), part.length - rest));
            }
            rest -= part.length;
        }
        Err(OutOfRange)
    }
}

/// A copy between two checked buffers: `length` bytes, from and to these offsets.
#[derive(Clone, Copy)]
pub(crate) struct Copy {
    pub from: Buffer,
    pub from_offset: u32,
    pub to: Buffer,
    pub to_offset: u32,
    pub length: u32,
}

impl Kernel {
    /// Copies on behalf of `caller`, whose call is executed again if an interrupt waits. What was
    /// copied by then is not copied again, as long as `peer` has not moved in between.
    pub(crate) fn copy(
        &self,
        port: &impl Port,
        caller: &'static Thread,
        peer: &'static Thread,
        copy: Copy,
    ) -> Result<Copied, Blame> {
        if copy.is_short() {
            copy.move_short(port)?;
            return Ok(Copied::All(copy.length));
        }
        let mut done = copied_before(caller, peer).min(copy.length);
        while done < copy.length {
            let (copied, interrupted) = copy.step(port, done)?;
            done += copied;
            if interrupted {
                keep_copied(caller, peer, done);
                return Ok(Copied::Interrupted);
            }
        }
        Ok(Copied::All(copy.length))
    }
}

impl Copy {
    /// Whether it is one run of at most a chunk.
    fn is_short(&self) -> bool {
        self.length <= CHUNK && !self.from.vector && !self.to.vector
    }

    fn move_short(&self, port: &impl Port) -> Result<(), Blame> {
        let at = self.from.address.wrapping_add(self.from_offset);
        let from = self
            .from
            .process
            .readable(at, self.length)
            .map_err(|_| Blame::Source)?;
        let at = self.to.address.wrapping_add(self.to_offset);
        let to = self
            .to
            .process
            .writable(at, self.length)
            .map_err(|_| Blame::Destination)?;
        port.copy_short(from, to);
        Ok(())
    }

    /// Copies the next run. Returns how much of it, and whether an interrupt cut it short.
    #[inline]
    fn step(&self, port: &impl Port, done: u32) -> Result<(u32, bool), Blame> {
        let (from, from_length) = self
            .from
            .run(port, self.from_offset + done)
            .map_err(|_| Blame::Source)?;
        let (to, to_length) = self
            .to
            .run(port, self.to_offset + done)
            .map_err(|_| Blame::Destination)?;
        let length = (self.length - done).min(from_length).min(to_length);
        let from = self
            .from
            .process
            .readable(from, length)
            .map_err(|_| Blame::Source)?;
        let to = self
            .to
            .process
            .writable(to, length)
            .map_err(|_| Blame::Destination)?;
        let copied = port.copy(from, to);
        Ok((copied, copied < length))
    }
}

/// Copies on behalf of `caller` from or to `peer`, in one piece each. Whether to the end: if not, `caller` is to
/// execute its call again when the interrupt that waits has been served.
#[inline(always)]
pub(crate) fn copied_to_the_end(
    port: &impl Port,
    (caller, peer): (&'static Thread, &'static Thread),
    from: Readable,
    to: Writable,
) -> bool {
    let length = from.length();
    let before = copied_before(caller, peer).min(length);
    let done = before + port.copy(from.part(before, length), to.part(before, length));
    if done < length {
        keep_copied(caller, peer, done);
        return false;
    }
    forget_copy(caller);
    true
}

/// How many bytes `caller` has copied from or to `peer` when its call was executed last.
#[inline]
pub(crate) fn copied_before(caller: &'static Thread, peer: &'static Thread) -> u32 {
    if have_met(caller, peer) {
        caller.progress.get()
    } else {
        0
    }
}

/// An interrupt cuts a copy short: `caller` executes its call again, and goes on after `done` bytes, as
/// long as `peer` has not moved.
pub(crate) fn keep_copied(caller: &'static Thread, peer: &'static Thread, done: u32) {
    if !have_met(caller, peer) {
        forget_copy(caller);
        forget_copy(peer);
        caller.partner.set(Some(peer));
        peer.partner.set(Some(caller));
    }
    caller.progress.set(done);
}

/// Whether a copy of `caller` from or to `peer` has been cut short, and neither has moved since.
#[inline(always)]
fn have_met(caller: &'static Thread, peer: &'static Thread) -> bool {
    peer.partner.get().is_some_and(|other| other.is(caller))
}

/// `thread` moves: a copy between it and another that an interrupt has cut short begins anew.
pub(crate) fn forget_copy(thread: &'static Thread) {
    if let Some(partner) = thread.partner.take() {
        partner.partner.set(None);
        partner.progress.set(0);
    }
}

/// What a client sends: its message buffer, unless it came in registers.
pub(crate) fn message_buffer(client: &'static Thread) -> Buffer {
    Buffer {
        process: client.process,
        address: client.register(register::WORD0),
        count: client.register(register::WORD1),
        vector: client.form() == crate::Form::Vector,
    }
}

/// Where a thread that is in a call wants bytes: a client its reply, a server its message.
pub(crate) fn inward_buffer(port: &impl Port, thread: &'static Thread, vector: bool) -> Buffer {
    let (address, count) = port.inward(thread);
    Buffer {
        process: thread.process,
        address,
        count,
        vector,
    }
}
