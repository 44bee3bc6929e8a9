//! Copying bytes between two processes: once, each run through the typed door, in bounded chunks.

use core::cell::Cell;

use riposte_abi::{MAX_PARTS, Part, register};

use crate::{Access, Kernel, OutOfRange, Port, Process, Readable, Room, Thread, Writable};

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

/// The buffers of a call, in the order in which it checks them.
#[derive(Clone, Copy)]
pub(crate) enum Stage {
    /// Where bytes come from.
    Source = 0,
    /// Where they go to.
    Destination = 1,
}

impl Stage {
    /// What [`Thread::checked`] is when everything before it has been checked.
    pub const fn first(self) -> u8 {
        self as u8 * MAX_PARTS as u8
    }
}

/// How a check ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Checked {
    /// All is the process's own: so many bytes.
    Length(u32),
    /// An interrupt waits; the call is to be executed again.
    Interrupted,
}

/// How the few bytes of a proxy's message were written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Put {
    /// So many of them, as far as they fit.
    All(u32),
    /// So many steps of parts are done, and an interrupt waits.
    Steps(u32),
}

/// Parts that are checked before the kernel looks whether an interrupt waits.
const PARTS: u32 = 4;

impl Buffer {
    pub fn flat(process: &'static Process, address: u32, length: u32) -> Self {
        Self {
            process,
            address,
            count: length,
            vector: false,
        }
    }

    /// Its length in bytes, all of it checked to be the process's to read (or to write), on behalf of
    /// `caller`. What its call has checked before an interrupt came is not checked again: whatever is
    /// moved is checked when it is.
    #[inline]
    pub fn check(
        &self,
        port: &impl Port,
        caller: &'static Thread,
        stage: Stage,
        access: Access,
    ) -> Result<Checked, OutOfRange> {
        if !self.vector {
            self.allow(access, self.address, self.count)?;
            return Ok(Checked::Length(self.count));
        }
        let checked = self.check_parts(port, caller, stage, access)?;
        if let Checked::Length(_) = checked {
            let next = stage.first() + MAX_PARTS as u8;
            caller.checked.set(caller.checked.get().max(next));
        }
        Ok(checked)
    }

    #[inline(never)]
    fn check_parts(
        &self,
        port: &impl Port,
        caller: &'static Thread,
        stage: Stage,
        access: Access,
    ) -> Result<Checked, OutOfRange> {
        let table = self.table()?;
        let before = u32::from(caller.checked.get());
        let mut length: u32 = 0;
        for index in 0..self.count {
            let part = part(port, table, index);
            length = length.checked_add(part.length).ok_or(OutOfRange)?;
            let number = u32::from(stage.first()) + index;
            if number < before {
                continue;
            }
            self.allow(access, part.address, part.length)?;
            if index % PARTS == PARTS - 1 && port.interrupted() {
                caller.checked.set(number as u8 + 1);
                return Ok(Checked::Interrupted);
            }
        }
        Ok(Checked::Length(length))
    }

    /// Writes `bytes`, a few, to its beginning, as far as they fit, where so many steps are done.
    ///
    /// # Errors
    /// A part of it is not the process's to write; nothing has been written, unless it was when it was looked at.
    pub fn put(&self, port: &impl Port, bytes: &[Cell<u8>], done: u32) -> Result<Put, OutOfRange> {
        if self.vector {
            return self.put_in_parts(port, bytes, done);
        }
        let room = self.process.writable(self.address, self.count)?;
        let length = bytes.len().min(self.count as usize);
        port.store(&bytes[..length], room.part(0, length as u32));
        Ok(Put::All(length as u32))
    }

    /// Each step looks at some parts, or, when all have been looked at, fills some.
    #[inline(never)]
    fn put_in_parts(
        &self,
        port: &impl Port,
        bytes: &[Cell<u8>],
        done: u32,
    ) -> Result<Put, OutOfRange> {
        let table = self.table()?;
        let looks = self.count.div_ceil(PARTS);
        for step in done..looks {
            let first = step * PARTS;
            for index in first..self.count.min(first + PARTS) {
                let Part { address, length } = part(port, table, index);
                self.process.writable(address, length)?;
            }
            if port.interrupted() {
                return Ok(Put::Steps(step + 1));
            }
        }
        let filled = done.saturating_sub(looks) * PARTS;
        let mut rest = bytes;
        for index in 0..self.count {
            let Part { address, length } = part(port, table, index);
            let (piece, later) = rest.split_at(rest.len().min(length as usize));
            rest = later;
            if index < filled {
                continue;
            }
            let to = self.process.writable(address, length)?;
            port.store(piece, to.part(0, piece.len() as u32));
            let next = index + 1;
            if next % PARTS == 0 && next < self.count && port.interrupted() {
                return Ok(Put::Steps(looks + next / PARTS));
            }
        }
        Ok(Put::All((bytes.len() - rest.len()) as u32))
    }

    fn allow(&self, access: Access, address: u32, length: u32) -> Result<(), OutOfRange> {
        match access {
            Access::ReadWrite | Access::Shared => self.process.writable(address, length).map(drop),
            Access::Read | Access::Device => self.process.readable(address, length).map(drop),
        }
    }

    /// The list of its parts.
    fn table(&self) -> Result<Readable, OutOfRange> {
        let count = if self.vector { self.count } else { 0 };
        self.process.parts(self.address, count)
    }
}

/// The part of this number that a list of parts holds.
#[inline]
fn part(port: &impl Port, table: Readable, index: u32) -> Part {
    Part {
        address: port.word(table.part(index * 8, 4)),
        length: port.word(table.part(index * 8 + 4, 4)),
    }
}

/// Where a copy stands in a buffer: what is left of a part, and the parts behind it.
struct Run {
    address: u32,
    left: u32,
    table: Readable,
    /// Number of the part behind it.
    next: u32,
}

impl Run {
    /// `offset` bytes into `buffer`.
    fn at(port: &impl Port, buffer: &Buffer, mut offset: u32) -> Result<Self, OutOfRange> {
        let table = buffer.table()?;
        if !buffer.vector {
            return Ok(Self {
                address: buffer.address.wrapping_add(offset),
                left: buffer.count.checked_sub(offset).ok_or(OutOfRange)?,
                table,
                next: 0,
            });
        }
        for index in 0..buffer.count {
            let part = part(port, table, index);
            if let Some(left) = part.length.checked_sub(offset) {
                return Ok(Self {
                    address: part.address.wrapping_add(offset),
                    left,
                    table,
                    next: index + 1,
                });
            }
            offset -= part.length;
        }
        Err(OutOfRange)
    }

    /// Goes on with the next part if nothing is left of this one. Something is to come.
    #[inline]
    fn find(&mut self, port: &impl Port) -> Result<(), OutOfRange> {
        while self.left == 0 {
            if self.next * 8 >= self.table.length() {
                return Err(OutOfRange);
            }
            let part = part(port, self.table, self.next);
            (self.address, self.left) = (part.address, part.length);
            self.next += 1;
        }
        Ok(())
    }

    #[inline]
    fn pass(&mut self, length: u32) {
        self.address = self.address.wrapping_add(length);
        self.left -= length;
    }
}

/// A copy between two checked buffers: `length` bytes, from and to these offsets.
pub(crate) struct Copy<'a> {
    from: &'a Buffer,
    from_offset: u32,
    to: &'a Buffer,
    to_offset: u32,
    length: u32,
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
            let (from, to) = copy.rest(0)?;
            port.copy_short(from, to);
            return Ok(Copied::All(copy.length));
        }
        let mut done = copied_before(caller, peer).min(copy.length);
        if done == copy.length {
            return Ok(Copied::All(done));
        }
        if copy.is_flat() {
            let (from, to) = copy.rest(done)?;
            done += port.copy(from, to);
            // The last chunk is followed by a look, too: the rest of a call with a long copy takes as long as one.
            if done < copy.length || port.interrupted() {
                keep_copied(caller, peer, done);
                return Ok(Copied::Interrupted);
            }
            return Ok(Copied::All(done));
        }
        let mut from = Run::at(port, copy.from, copy.from_offset + done).map_err(source)?;
        let mut to = Run::at(port, copy.to, copy.to_offset + done).map_err(destination)?;
        while done < copy.length {
            let length = copy.next_run(port, done, &mut from, &mut to)?;
            let (readable, writable) = copy.check_run(&from, &to, length)?;
            let copied = port.copy(readable, writable);
            from.pass(copied);
            to.pass(copied);
            done += copied;
            // Runs may be short, and many.
            if copied < length || done < copy.length && port.interrupted() {
                keep_copied(caller, peer, done);
                return Ok(Copied::Interrupted);
            }
        }
        Ok(Copied::All(copy.length))
    }
}

fn source(_: OutOfRange) -> Blame {
    Blame::Source
}

fn destination(_: OutOfRange) -> Blame {
    Blame::Destination
}

impl<'a> Copy<'a> {
    #[inline(always)]
    pub fn new(
        (from, from_offset): (&'a Buffer, u32),
        (to, to_offset): (&'a Buffer, u32),
        length: u32,
    ) -> Self {
        Self {
            from,
            from_offset,
            to,
            to_offset,
            length,
        }
    }

    /// Ends where the buffer of `side` ends, which is `length` bytes long.
    #[inline(always)]
    pub fn within(mut self, side: Blame, length: u32) -> Self {
        let offset = match side {
            Blame::Source => self.from_offset,
            Blame::Destination => self.to_offset,
        };
        self.length = self.length.min(length.saturating_sub(offset));
        self
    }

    /// Whether it is one run.
    fn is_flat(&self) -> bool {
        !self.from.vector && !self.to.vector
    }

    /// Whether it is at most a chunk of one run.
    fn is_short(&self) -> bool {
        self.length <= CHUNK && self.is_flat()
    }

    /// What is left of one run after `before` bytes, on both sides.
    #[inline(never)]
    fn rest(&self, before: u32) -> Result<(Readable, Writable), Blame> {
        let length = self.length - before;
        let at = self.from.address.wrapping_add(self.from_offset + before);
        let from = self.from.process.readable(at, length);
        let at = self.to.address.wrapping_add(self.to_offset + before);
        let to = self.to.process.writable(at, length);
        Ok((from.map_err(source)?, to.map_err(destination)?))
    }

    /// The bytes that lie in one piece on both sides after `done` of them.
    #[inline]
    fn next_run(
        &self,
        port: &impl Port,
        done: u32,
        from: &mut Run,
        to: &mut Run,
    ) -> Result<u32, Blame> {
        from.find(port).map_err(source)?;
        to.find(port).map_err(destination)?;
        Ok((self.length - done).min(from.left).min(to.left))
    }

    #[inline]
    fn check_run(&self, from: &Run, to: &Run, length: u32) -> Result<(Readable, Writable), Blame> {
        let from = self.from.process.readable(from.address, length);
        let to = self.to.process.writable(to.address, length);
        Ok((from.map_err(source)?, to.map_err(destination)?))
    }
}

/// Bytes of a message, checked to be read: where the data of `thread` lies, or of a `LONG` one anywhere.
#[inline(always)]
pub(crate) fn readable<const LONG: bool>(
    thread: &Thread,
    address: u32,
    length: u32,
) -> Option<Readable> {
    match thread.data.readable(address, length) {
        None if LONG => readable_behind_data(thread.process, address, length),
        range => range,
    }
}

#[inline(never)]
fn readable_behind_data(process: &Process, address: u32, length: u32) -> Option<Readable> {
    process.readable(address, length).ok()
}

/// As [`readable`], to be written.
#[inline(always)]
pub(crate) fn writable<const LONG: bool>(
    thread: &Thread,
    address: u32,
    length: u32,
) -> Option<Writable> {
    match thread.data.writable(address, length) {
        None if LONG => writable_behind_data(thread.process, address, length),
        range => range,
    }
}

#[inline(never)]
fn writable_behind_data(process: &Process, address: u32, length: u32) -> Option<Writable> {
    process.writable(address, length).ok()
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
        caller.begun()
    } else {
        0
    }
}

/// An interrupt cuts a copy short: `caller` executes its call again, and goes on after `done` bytes, as
/// long as `peer` has not moved.
pub(crate) fn keep_copied(caller: &'static Thread, peer: &'static Thread, done: u32) {
    if !have_met(caller, peer) {
        become_partners(caller, peer);
        // The register ways know nothing of copies: neither by who serves a client, nor, by another thread, from or to one.
        caller.list_client();
        if let Some(server) = peer.server.get() {
            server.list_client();
        }
    }
    caller.keep_copied_bytes(done);
}

/// An interrupt cuts the checks before a copy by `caller` short: it goes on with them as long as `peer` has not moved.
pub(crate) fn keep_checks(caller: &'static Thread, peer: &'static Thread) {
    if !are_partners(caller, peer) {
        become_partners(caller, peer);
    }
}

/// What `caller` has checked counts as far as `stage`, where the buffer of its peer comes, and beyond that if they are
/// those of `peer`, which has not moved since.
#[inline]
pub(crate) fn recall_checks(caller: &'static Thread, peer: &'static Thread, stage: Stage) {
    if !are_partners(caller, peer) {
        caller.checked.set(caller.checked.get().min(stage.first()));
    }
}

#[inline(always)]
fn are_partners(caller: &'static Thread, peer: &'static Thread) -> bool {
    peer.partner.get().is_some_and(|other| other.is(caller))
}

fn become_partners(caller: &'static Thread, peer: &'static Thread) {
    forget_copy(caller);
    forget_copy(peer);
    caller.partner.set(Some(peer));
    peer.partner.set(Some(caller));
}

/// Whether a copy by `caller` from or to `peer` has been cut short, and neither has moved since.
#[inline(always)]
pub(crate) fn have_met(caller: &'static Thread, peer: &'static Thread) -> bool {
    caller.copies.get() && are_partners(caller, peer)
}

/// `thread` moves: a copy between it and another that an interrupt has cut short begins anew. What the other side has
/// kept of anything else stays: the copy may be over.
pub(crate) fn forget_copy(thread: &Thread) {
    if let Some(partner) = thread.partner.take() {
        partner.partner.set(None);
        for side in [thread, partner] {
            if side.copies.take() {
                side.progress.set(0);
            }
        }
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

/// Address and count of where a thread that is in a call wants bytes. If they lie in memory that its process
/// has lent or moved away since: of memory that is nobody's.
#[inline(always)]
pub(crate) fn inward(port: &impl Port, thread: &Thread) -> (u32, u32) {
    const NOBODYS: (u32, u32) = (u32::MAX, u32::MAX);
    match port.room(thread) {
        Room::Kept(address, count) => (address, count),
        Room::OnStack(at) => match thread.stacked(at, 8) {
            Some(words) => (port.word(words.part(0, 4)), port.word(words.part(4, 4))),
            None => NOBODYS,
        },
    }
}

/// Where a thread that is in a call wants bytes: a client its reply, a server its message.
pub(crate) fn inward_buffer(port: &impl Port, thread: &'static Thread, vector: bool) -> Buffer {
    let (address, count) = inward(port, thread);
    Buffer {
        process: thread.process,
        address,
        count,
        vector,
    }
}
