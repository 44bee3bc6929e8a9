//! Proxies: canned messages of a channel. They are triggered without blocking, counted, and received
//! as notices, one for each time.
//!
//! A proxy's notice is queued exactly as long as its count is not 0. Whoever may trigger it has a
//! handle that remembers which life of the proxy it means: a proxy that has ended, and any later one
//! in its place, is none of theirs, and nothing has to be looked for when it ends.

use core::cell::Cell;

use riposte_abi::{
    Error, MAX_PROXY_BYTES, MAX_TRIGGERS,
    call::{HANDLE_MASK, INDEX_MASK, number},
    info, notice, register,
    trace::kind,
};

use crate::{
    Channel, Handle, Kernel, Notice, Port, Process, Readable, Source, Thread, Timer,
    dispatch::Next,
    ipc::transfer::{Put, inward, inward_buffer},
    limits::{HANDLES, PROXIES},
    object::handle::{Object, Purpose, Rights},
};

/// In [`Thread::progress`] of a thread that gets a message in parts: the proxy's handle, and above it how many steps of
/// parts are done.
const STEPS_SHIFT: u32 = HANDLE_MASK.count_ones();

state! {
/// A place for a proxy.
pub struct Proxy {
    /// Index of the process that it belongs to.
    pub process: u8,
    /// Number among the proxies of its process.
    pub number: u8,
    /// Its slot in the handle table of its process.
    pub slot: u8,
    /// Index of its channel, if the manifest gives the proxy: it is there while its process is.
    pub(crate) fixed: Option<u8>,
    /// What its owner calls it; 0 if there is none here now.
    pub(crate) handle: Cell<u32> as shape(exists),
    /// Which one this is of all that were here or, if there is none, which one the next is. Others know it by that: a
    /// handle's generations come again.
    pub(crate) life: Cell<u32> as detail,
    /// Index of its channel.
    pub(crate) channel: Cell<u8> where exists,
    pub(crate) length: Cell<u8> where exists,
    /// How often it has been triggered and not received.
    pub(crate) count: Cell<u16>,
    pub(crate) bytes: Cell<[u8; MAX_PROXY_BYTES]> as detail,
    pub(crate) notice: Notice,
}
}

impl Proxy {
    /// A place for proxy `number` of the process of index `process`.
    #[must_use]
    pub const fn new(process: u8, number: u8, slot: u8) -> Self {
        Self {
            process,
            number,
            slot,
            fixed: None,
            handle: Cell::new(0),
            life: Cell::new(1),
            channel: Cell::new(0),
            length: Cell::new(0),
            count: Cell::new(0),
            bytes: Cell::new([0; MAX_PROXY_BYTES]),
            notice: Notice::new(Source::Proxy { process, number }),
        }
    }

    /// A proxy of the manifest: it brings `message`, of at most [`MAX_PROXY_BYTES`], to the channel
    /// of this index.
    #[must_use]
    pub const fn fixed(process: u8, number: u8, slot: u8, channel: u8, message: &[u8]) -> Self {
        let mut proxy = Self::new(process, number, slot);
        let mut bytes = [0; MAX_PROXY_BYTES];
        let mut index = 0;
        while index < message.len() {
            bytes[index] = message[index];
            index += 1;
        }
        proxy.fixed = Some(channel);
        proxy.channel = Cell::new(channel);
        proxy.length = Cell::new(message.len() as u8);
        proxy.bytes = Cell::new(bytes);
        proxy
    }

    /// Whether there is one here.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.handle.get() != 0
    }

    /// Whether the manifest gives it.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        self.fixed.is_some()
    }

    /// How often it has been triggered and not received.
    #[must_use]
    pub fn count(&self) -> u16 {
        self.count.get()
    }

    /// Whether its notice waits to be received.
    #[must_use]
    pub fn is_queued(&self) -> bool {
        self.notice.is_queued()
    }

    /// It brings this message, of at most [`MAX_PROXY_BYTES`].
    #[inline(never)]
    fn keep(&self, port: &impl Port, message: Readable) {
        let length = message.length();
        let mut bytes = [0; MAX_PROXY_BYTES];
        if let Some(bytes) = bytes.get_mut(..length as usize) {
            port.fetch(message, bytes);
        }
        self.bytes.set(bytes);
        self.length.set(length as u8);
    }

    /// Whether this life of it goes on. Nobody knows one that has not begun.
    #[inline]
    pub(crate) fn is(&self, life: u32) -> bool {
        self.life.get() == life
    }

    /// Whether all that can be told apart were here.
    pub(crate) fn is_worn_out(&self) -> bool {
        self.life.get() == u32::MAX
    }
}

state! {
/// What a process can have of its own beyond channels, as its manifest says.
pub struct Objects {
    /// Places for proxies, those of the manifest first.
    pub proxies: &'static [Proxy],
    /// Places for timers.
    pub timers: &'static [Timer],
    /// How often its periodic timers together may be due ([`crate::timer_rate`]).
    pub timer_rate: u32,
}
}

impl Objects {
    /// None.
    pub const NONE: Objects = Objects {
        proxies: &[],
        timers: &[],
        timer_rate: 0,
    };
}

impl Kernel {
    /// Performs a call about the proxy `word`, or that makes one. Returns a word; `None` if the call is to come again.
    pub(crate) fn perform_on_proxy(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        call: u32,
        word: u32,
    ) -> Result<Option<u32>, Error> {
        match call {
            number::PROXY_CREATE => self.create_proxy(port, thread),
            _ => self.destroy_proxy(thread, word).map(|()| Some(0)),
        }
    }

    /// Makes a proxy that brings `WORD1` bytes at `WORD2` to the channel `WORD0` of the caller. `None` if an interrupt
    /// waits before there is a place for it.
    fn create_proxy(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> Result<Option<u32>, Error> {
        let [channel, address, length, ..] = thread.words();
        let channel = self.channel(thread, channel)?;
        if length as usize > MAX_PROXY_BYTES {
            return Err(Error::BadArgument);
        }
        let process = thread.process;
        let message = process
            .readable(address, length)
            .map_err(|_| Error::BadAddress)?;
        let begin = |proxy: &'static Proxy, _| {
            let is_free = !proxy.exists() && !proxy.is_fixed();
            (is_free && self.begin(process, proxy)).then_some(proxy)
        };
        let taken = process
            .free_proxies
            .take(port, process.objects.proxies, begin);
        let Ok(taken) = taken else { return Ok(None) };
        let proxy = taken.ok_or(Error::Exhausted)?;
        proxy.keep(port, message);
        proxy.channel.set(channel.index);
        Ok(Some(proxy.handle.get()))
    }

    /// A new proxy is here. Whether there can be one: nobody may take it for an older one.
    fn begin(&self, process: &'static Process, proxy: &'static Proxy) -> bool {
        let slot = self.handles_of(process).get(usize::from(proxy.slot));
        let slot = slot.filter(|_| !proxy.is_worn_out());
        let handle = slot.map(|slot| slot.claim(proxy.slot.into(), proxy.life.get()));
        proxy.handle.set(handle.unwrap_or(0));
        proxy.exists()
    }

    /// The proxies that the manifest gives this process are there.
    pub(crate) fn begin_proxies(&self, process: &'static Process) {
        if PROXIES {
            for proxy in process.objects.proxies {
                self.begin_proxy(process, proxy);
            }
        }
    }

    /// The proxy is there, if the manifest gives it.
    pub(crate) fn begin_proxy(&self, process: &'static Process, proxy: &'static Proxy) {
        if proxy.is_fixed() {
            self.begin(process, proxy);
        }
    }

    /// Ends the proxy that `word` names, one that the caller's process has made. What it has counted
    /// is gone.
    fn destroy_proxy(&self, thread: &'static Thread, word: u32) -> Result<(), Error> {
        let proxy = self.proxy(thread, word)?;
        let slot = self.slot(thread.process, word)?;
        if slot.purpose != Purpose::Own || proxy.is_fixed() {
            return Err(Error::NotPermitted);
        }
        slot.close(self.tables.nowhere);
        self.end_proxy(proxy);
        thread.process.free_proxies.note(proxy.number);
        Ok(())
    }

    pub(crate) fn end_proxy(&self, proxy: &'static Proxy) {
        if proxy.exists() {
            proxy.life.set(proxy.life.get() + 1);
        }
        proxy.handle.set(0);
        proxy.count.set(0);
        if let Some(channel) = self.channel_of(proxy) {
            channel.notices.remove(&proxy.notice);
            channel.update_idle();
        }
    }

    /// The proxy that the low part of `word` names, whosever it is.
    pub(crate) fn proxy(
        &self,
        thread: &'static Thread,
        word: u32,
    ) -> Result<&'static Proxy, Error> {
        let handle = self.slot(thread.process, word)?;
        let Object::Proxy(proxy) = handle.object() else {
            return Err(handle.misused());
        };
        match handle.badge.get() {
            _ if !handle.is_named_by(word & HANDLE_MASK) => Err(Error::BadHandle),
            0 => Err(Error::BadHandle),
            life if proxy.is(life) && self.is_of_the_living(proxy) => Ok(proxy),
            _ => Err(Error::ServerDied),
        }
    }

    /// Whether the process of `proxy` lives.
    fn is_of_the_living(&self, proxy: &Proxy) -> bool {
        let process = self.tables.processes.get(usize::from(proxy.process));
        process.is_some_and(Process::is_alive)
    }

    /// Opens the connection to a proxy that the manifest put in slot `slot`; or finds the manifest's
    /// own proxy of the caller there.
    pub(crate) fn connect_proxy(
        &self,
        handle: &Handle,
        slot: u32,
        proxy: &'static Proxy,
    ) -> Result<u32, Error> {
        let is_there = proxy.exists() && self.is_of_the_living(proxy);
        match handle.purpose {
            Purpose::Own if proxy.is_fixed() && is_there => Ok(proxy.handle.get()),
            Purpose::Connection if !is_there => Err(Error::ServerDied),
            Purpose::Connection if proxy.is(handle.badge.get()) => Ok(handle.value(slot)),
            Purpose::Connection => {
                Ok(handle.hold_proxy(slot, proxy, proxy.life.get(), handle.rights.get()))
            }
            _ => Err(Error::NotPermitted),
        }
    }

    /// What of a proxy that `word` names among `server`'s handles can be handed on: it, and with what
    /// rights.
    pub(crate) fn proxy_to_give(
        &self,
        server: &'static Thread,
        word: u32,
    ) -> Result<(&'static Proxy, Rights), Error> {
        let proxy = self.proxy(server, word)?;
        let slot = self.slot(server.process, word)?;
        match slot.purpose {
            Purpose::Own => Ok((proxy, Rights::NONE)),
            _ if slot.rights.get().transfer => Ok((proxy, slot.rights.get())),
            _ => Err(Error::NotPermitted),
        }
    }

    /// `TRIGGER`: a trigger of a proxy that the caller has.
    #[inline(always)]
    pub(crate) fn call_trigger(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> &'static Thread {
        if let Some(proxy) = named_by(thread, thread.register(register::WORD0))
            && proxy.count.get() == 0
            && let Some(channel) = self.channel_of(proxy)
            && let Some(server) = channel.waiting_receiver.get()
            && let Some((copied, length)) = put_at_once(port, server, proxy)
        {
            let zero = port.zero();
            let words = [notice::PROXY, copied, length, zero, zero];
            server.set_registers(proxy.handle.get(), info::NOTICE, words);
            server.registers[register::GENERATION].set(zero);
            self.end_wait(channel, server);
            self.trace_trigger(proxy, channel, 1);
            self.trace_event(kind::NOTICE, server, || {
                (notice::PROXY, [proxy.handle.get(), 0])
            });
            return self.complete_empty(port, thread);
        }
        self.call_trigger_any(port, thread)
    }

    /// Every other case.
    #[inline(never)]
    fn call_trigger_any(&self, port: &impl Port, thread: &'static Thread) -> &'static Thread {
        self.relax(thread);
        let triggered = self.trigger(port, thread, thread.register(register::WORD0));
        let done = triggered.map(|()| {
            thread.returns(0);
            Next::Continue
        });
        self.complete(port, thread, done)
    }

    /// Counts a trigger of the proxy that `word` names.
    fn trigger(&self, port: &impl Port, thread: &'static Thread, word: u32) -> Result<(), Error> {
        let proxy = self.proxy(thread, word)?;
        if proxy.count.get() == MAX_TRIGGERS {
            return Err(Error::WouldBlock);
        }
        self.count(port, proxy, 1);
        Ok(())
    }

    /// Counts so many triggers, as far as they can be counted, and gives them to those who wait.
    pub(crate) fn count(&self, port: &impl Port, proxy: &'static Proxy, times: u16) {
        let Some(channel) = self.channel_of(proxy) else {
            return;
        };
        if !channel.owner.is_alive() {
            return;
        }
        proxy.count.set(proxy.count.get().saturating_add(times));
        self.trace_trigger(proxy, channel, times);
        // Room in parts takes long to fill: that is a step of its own, and so is each that follows.
        let in_one_piece = |server: &'static Thread| !server.request.get().vector;
        if channel.receivers().next().is_some_and(in_one_piece) {
            self.give_to_waiting(port, channel, &proxy.notice);
        }
        if proxy.count.get() != 0 {
            channel.queue_notice(&proxy.notice);
            self.give_later(channel);
        }
    }

    /// Whether there is still something to tell by this notice, which has just been told.
    pub(crate) fn is_to_be_told(&self, notice: &Notice) -> bool {
        match notice.source {
            Source::Proxy { process, number } => {
                let proxy = self.proxy_at(process, number);
                proxy.is_some_and(|proxy| proxy.count.get() != 0)
            }
            _ => false,
        }
    }

    fn channel_of(&self, proxy: &Proxy) -> Option<&'static Channel> {
        self.tables.channels.get(usize::from(proxy.channel.get()))
    }

    /// The proxy that a notice is about.
    fn proxy_at(&self, process: u8, number: u8) -> Option<&'static Proxy> {
        let process = self.tables.processes.get(usize::from(process))?;
        process.objects.proxies.get(usize::from(number))
    }

    /// Tells `server` of one trigger of this proxy, which is not counted any more. Whether more are; `None` if an
    /// interrupt waits before all parts of the server's room have been looked at.
    ///
    /// # Errors
    /// Its room for the message is not its own; nothing has changed.
    pub(crate) fn give_proxy(
        &self,
        port: &impl Port,
        server: &'static Thread,
        (process, number): (u8, u8),
        vector: bool,
    ) -> Result<Option<bool>, Error> {
        let Some(proxy) = self.proxy_at(process, number) else {
            return Ok(Some(false));
        };
        let length = usize::from(proxy.length.get()).min(MAX_PROXY_BYTES);
        let message = &proxy.bytes.as_array_of_cells()[..length];
        let room = inward_buffer(port, server, vector);
        let handle = proxy.handle.get();
        let kept = server.begun();
        let done = if vector && kept & HANDLE_MASK == handle {
            kept >> STEPS_SHIFT
        } else {
            0
        };
        let put = room.put(port, message, done);
        let copied = match put.map_err(|_| Error::BadAddress)? {
            Put::All(copied) => copied,
            Put::Steps(done) => {
                server.keep_progress(done << STEPS_SHIFT | handle);
                return Ok(None);
            }
        };
        proxy.count.set(proxy.count.get().wrapping_sub(1));
        let words = [notice::PROXY, copied, message.len() as u32, 0, 0];
        server.returns_words(proxy.handle.get(), info::NOTICE, words);
        server.registers[register::GENERATION].set(0);
        self.trace_event(kind::NOTICE, server, || (notice::PROXY, [handle, 0]));
        Ok(Some(proxy.count.get() != 0))
    }
}

/// The proxy that `thread` names, if its handles are all that there is to look at.
#[inline(always)]
fn named_by(thread: &'static Thread, word: u32) -> Option<&'static Proxy> {
    let handle = thread.slot(word);
    let exists = (word & INDEX_MASK) < HANDLES as u32 && handle.is_named_by(word);
    match handle.object() {
        Object::Proxy(proxy) if exists && proxy.is(handle.badge.get()) => Some(proxy),
        _ => None,
    }
}

/// Puts the bytes of a proxy where `server`, which waits, wants them, if that is in its data. Returns how many, and how
/// many the proxy has.
#[inline(always)]
fn put_at_once(port: &impl Port, server: &'static Thread, proxy: &Proxy) -> Option<(u32, u32)> {
    let (address, count) = inward(port, server);
    let room = server.data.writable(address, count)?;
    let length = usize::from(proxy.length.get()).min(MAX_PROXY_BYTES);
    let copied = length.min(count as usize);
    let message = proxy.bytes.as_array_of_cells().get(..copied)?;
    port.store(message, room.part(0, copied as u32));
    Some((copied as u32, length as u32))
}
