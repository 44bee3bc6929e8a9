//! Messages that carry memory.
//!
//! Three moments count. When it is **sent**, what the client's other threads may not touch from now
//! on becomes a gap. When it is **received**, the memory appears in a window of the server. When the
//! client is **answered**, what was lent is gone from the window, and the gap is closed; what was
//! moved stays. A message that ends before it was received takes its gap with it.
//!
//! A server relies on what it has been lent until it answers, so nothing else takes it away but its
//! own end: a client whose deadline passes stays, and one that dies leaves its memory behind.

use core::slice::from_ref;

use riposte_abi::{
    Error,
    call::{OPERATION_SHIFT, operation},
    info, register,
};

use crate::{
    Channel, Form, Gap, Kernel, Port, Process, Thread, Wake, Window, Writable,
    ipc::transfer::inward,
    limits::{MEMORY_MESSAGES, TRANSLATED},
    memory::window::{Absence, Contents, overlap},
    sched::thread::Serving,
};

/// Threads of a process whose protection is changed at once: its main thread, which is often the only one.
const AT_ONCE: usize = 1;

/// Where the memory that a message is to carry lies.
enum Source {
    /// In the client's own memory.
    Own(Writable),
    /// It was moved to the client, and is in a window of its.
    Window(&'static Window),
}

impl Kernel {
    /// `LEND` and `LEND_MUT`: by the only thread of a process, to a server that waits.
    #[inline(always)]
    pub(crate) fn call_lend(&self, port: &impl Port, client: &'static Thread) -> &'static Thread {
        match lend_at_once(port, client) {
            Some(server) => {
                self.trace_lend(client, server);
                server
            }
            None => self.call_send_any(port, client),
        }
    }

    /// `client` is about to send memory: all that can be known now is checked, and what its process
    /// may not touch from now on is a gap.
    pub(crate) fn part_with(
        &self,
        port: &impl Port,
        client: &'static Thread,
        channel: &'static Channel,
    ) -> Result<(), Error> {
        let [address, length, ..] = client.words();
        if length == 0 || overlap(inward(port, client), (address, length)) {
            return Err(Error::BadArgument);
        }
        let source = find(client, address, length)?;
        let fits = |window: &Window| length <= window.size;
        let fits = channel.owner.exchange.windows.first().is_some_and(fits);
        if !fits || !channel.notify_unblock || channel.owner.is(client.process) {
            return Err(Error::CannotLend);
        }
        match source {
            Source::Own(range) if !port.can_open(range) => Err(Error::CannotLend),
            Source::Own(range) if needs_gap(client) => self.hide(port, client, range, address),
            _ => Ok(()),
        }
    }

    fn hide(
        &self,
        port: &impl Port,
        client: &'static Thread,
        range: Writable,
        address: u32,
    ) -> Result<(), Error> {
        let process = client.process;
        let mut gaps = process.exchange.gaps.iter();
        let gap = match gaps.find(|gap| gap.is_free()) {
            Some(gap) => gap,
            None => self.gap_of_lost(port, process)?,
        };
        let readable = client.form() == Form::Lend;
        gap.absence.set(Absence::Sent(client));
        gap.readable.set(readable);
        gap.address.set(address);
        gap.range.set(range);
        let threads = self.protected_now(process);
        port.hide(threads, gap.number.into(), range, address, readable);
        Ok(())
    }

    /// `process` has no gap left: but for one of a message to somebody who has died, whatever step that one's end has come to. Its
    /// sender is told now, and the gap is free.
    #[cold]
    #[inline(never)]
    fn gap_of_lost(
        &self,
        port: &impl Port,
        process: &'static Process,
    ) -> Result<&'static Gap, Error> {
        let lost = |gap: &&Gap| match gap.absence.get() {
            Absence::Sent(sender) if sender.waits_for_the_dead() => {
                self.lose_server(port, sender);
                gap.is_free()
            }
            _ => false,
        };
        let gap = process.exchange.gaps.iter().find(lost);
        gap.ok_or(Error::CannotLend)
    }

    /// `client`'s message ends, and nobody has its memory: its process keeps it.
    pub(crate) fn keep(&self, port: &impl Port, client: &'static Thread) {
        if client.form().carries_memory()
            && let Some(gap) = gap_of(client)
        {
            self.show(port, client.process, gap);
        }
    }

    pub(crate) fn show(&self, port: &impl Port, home: &'static Process, gap: &'static Gap) {
        gap.absence.set(Absence::None);
        port.show(self.protected_now(home), gap.number.into());
    }

    /// The memory of `client`'s message appears in a window of `server`'s process. Returns what the
    /// server is told.
    ///
    /// # Errors
    /// There is no free window, or the client no longer has the memory; nothing has changed.
    pub(crate) fn open_window(
        &self,
        port: &impl Port,
        client: &'static Thread,
        server: &'static Thread,
    ) -> Result<[u32; 5], Error> {
        let [address, length, first, second, third] = client.words();
        let windows = server.process.exchange.windows;
        let mut windows = windows.iter().filter(|window| !window.is_for_regions());
        let window = windows.find(|window| window.is_empty());
        let window = window.ok_or(Error::CannotLend)?;
        let (range, contents) = match (client.form(), gap_of(client)) {
            (Form::Move, Some(gap)) => {
                gap.absence.set(Absence::Away);
                (gap.range.get(), Contents::Moved(gap))
            }
            (Form::Move, None) => self.move_on(port, client, server.process)?,
            (_, Some(gap)) => (gap.range.get(), Contents::Lent(client)),
            (_, None) => {
                let range = client.process.writable(address, length);
                let range = range.map_err(|_| Error::BadAddress)?;
                (range, Contents::Lent(client))
            }
        };
        let writable = client.form() != Form::Lend;
        let threads = self.protected_now(server.process);
        let number = window.number.into();
        let address = fill(port, threads, number, window, range, contents, writable);
        Ok([address, length, first, second, third])
    }

    /// Takes what is to be moved on from the window of `client`'s process.
    fn move_on(
        &self,
        port: &impl Port,
        client: &'static Thread,
        to: &'static Process,
    ) -> Result<(Writable, Contents), Error> {
        let [address, length, ..] = client.words();
        let Source::Window(window) = find(client, address, length)? else {
            return Err(Error::BadAddress);
        };
        let contents = window.contents.get();
        match contents {
            Contents::Moved(gap) if gap.home != to.index => {}
            _ => return Err(Error::CannotLend),
        }
        self.empty(port, client.process, window);
        Ok((window.range.get(), contents))
    }

    pub(crate) fn empty(&self, port: &impl Port, process: &Process, window: &'static Window) {
        let threads = self.protected_now(process);
        empty(port, threads, window.number.into(), window);
    }

    /// The threads of a process whose protection is changed at once: what windows and gaps show to its others, they are
    /// told one after the other, before any thread runs. (Translation is the process's own.)
    pub(crate) fn protected_now(&self, process: &Process) -> &'static [Thread] {
        let threads = self.threads_of(process);
        match threads.split_at_checked(AT_ONCE) {
            Some((now, [first, .., last])) if !TRANSLATED => {
                self.stale.insert_images(first, last);
                now
            }
            _ => threads,
        }
    }

    /// `client` is no longer one that `server` has to answer: what it has lent is its own again.
    pub(crate) fn end_loan(
        &self,
        port: &impl Port,
        client: &'static Thread,
        server: &'static Thread,
    ) {
        if client.form().is_lent() {
            self.take_back(port, server.process, client);
        }
    }

    /// Empties the window of `holder` that `lender` has filled, if there is one. A process that waits
    /// for the last of its memory is started.
    fn take_back(&self, port: &impl Port, holder: &'static Process, lender: &'static Thread) {
        let mut windows = holder.exchange.windows.iter();
        let Some(window) = windows.find(|window| window.is_lent_by(lender)) else {
            return;
        };
        self.empty(port, holder, window);
        let home = lender.process;
        if let Some(gap) = gap_of(lender) {
            self.show(port, home, gap);
        }
        self.look_for_loans(home);
    }

    /// `client` waits for a server that dies. If it was to have memory for its own, the client is told whether it had received it.
    pub(crate) fn lose_server(&self, port: &impl Port, client: &'static Thread) {
        let has_moved =
            MEMORY_MESSAGES && client.form() == Form::Move && client.server.get().is_some();
        self.wake(port, client, Wake::Failed(Error::ServerDied));
        if has_moved {
            client.registers[register::INFO].set(info::ERROR | info::MOVED);
        }
    }

    /// `thread` is about to end. What it has lent stays where it is until it is answered.
    pub(crate) fn leave_loan(thread: &'static Thread) {
        if !thread.form().is_lent() {
            return;
        }
        if let Some(server) = thread.server.get() {
            server.list_client();
            thread.form.set(Form::Words);
        }
    }

    /// `server` answers by a token that names no client any more. If that one has left memory behind,
    /// this was it.
    pub(crate) fn forget_loan(&self, port: &impl Port, server: &'static Thread) {
        if !MEMORY_MESSAGES {
            return;
        }
        let tag = server.register(register::INFO) & info::TAG_MASK;
        let index = (tag >> info::THREAD_SHIFT & 0xFF) as usize;
        let token = (tag, server.register(register::GENERATION));
        let mut lender = self.tables.threads.get(index).into_iter();
        if let Some(lender) = lender.find(|lender| lender.token() == token) {
            self.take_back(port, server.process, lender);
        }
    }

    /// A process ends: what it has been lent in this window is its lender's again, what was moved there
    /// goes home, and a region is mapped no more.
    pub(crate) fn clear_window(
        &self,
        port: &impl Port,
        process: &'static Process,
        window: &'static Window,
    ) {
        match window.contents.get() {
            Contents::Nothing => {}
            Contents::Lent(lender) => self.take_back(port, process, lender),
            Contents::Moved(gap) => self.send_home(port, process, window, gap),
            Contents::Region(region) => self.unmap(port, process, window, region),
        }
    }
}

impl Process {
    /// Whether a thread of `home`, dead or alive, has lent it memory that is not back.
    pub(crate) fn borrows_from(&self, home: &Process) -> bool {
        self.exchange.windows.iter().any(|window| {
            matches!(window.contents.get(), Contents::Lent(lender) if lender.process.is(home))
        })
    }
}

const LEND: u32 = (operation::SEND ^ operation::LEND) << OPERATION_SHIFT;
const LEND_MUT: u32 = (operation::SEND ^ operation::LEND_MUT) << OPERATION_SHIFT;

/// `client` lends memory, and asks for nothing beyond that, to a server that may simply be handed a message. Both
/// are the only threads of their processes: so there is no gap, and one protection to change. Returns the
/// server; `None` if it is another case.
#[inline(always)]
fn lend_at_once(port: &impl Port, client: &'static Thread) -> Option<&'static Thread> {
    let call = client.register(register::CALL);
    let handle = client.slot(call);
    let difference = handle.send_call.get() ^ call;
    let writable = difference == LEND_MUT;
    if !writable && difference != LEND || client.register(register::INFO) != 0 {
        return None;
    }
    let channel = handle.target.get();
    let (server, window) = (channel.waiting_receiver.get()?, channel.window()?);
    let [address, length, first, second, third] = client.words();
    let range = lent_range(client, address, length)?;
    let generation = client.generation.get().wrapping_add(1);
    if length.wrapping_sub(1) >= window.size
        || overlap(inward(port, client), (address, length))
        || !client.is_alone()
        || generation == 0
        || !window.is_empty()
        || !port.can_open(range)
    {
        return None;
    }
    // Nothing can fail from here on.
    let threads = from_ref(server);
    let address = fill(
        port,
        threads,
        0,
        window,
        range,
        Contents::Lent(client),
        writable,
    );
    let form = if writable { Form::LendMut } else { Form::Lend };
    client.form.set(form);
    client.note_badge(handle.badge.get());
    client.generation.set(generation);
    client.server.set(Some(server));
    client.progress.set(0);
    server.serving.set(Serving::Loan(client));
    server.priority.set(client.priority.get());
    channel.waiting_receiver.set(None);
    let info = client.tag.get() | form.mark();
    server.set_registers(
        handle.badge.get(),
        info,
        [address, length, first, second, third],
    );
    server.registers[register::GENERATION].set(generation);
    Some(server)
}

/// Where `length` bytes lie that `client` has to itself: in its data, or in its pages if none of
/// them is away.
#[inline(always)]
fn lent_range(client: &'static Thread, address: u32, length: u32) -> Option<Writable> {
    if let Some(range) = client.data.writable(address, length) {
        return Some(range);
    }
    client.process.exchange.whole_pages(address, length)
}

/// Makes `range` appear in `window`, number `number` of the process whose threads these are. Returns
/// where.
#[inline(always)]
pub(crate) fn fill(
    port: &impl Port,
    threads: &'static [Thread],
    number: usize,
    window: &'static Window,
    range: Writable,
    contents: Contents,
    writable: bool,
) -> u32 {
    let address = port.open(threads, number, range, writable);
    window.contents.set(contents);
    window.writable.set(writable);
    window.address.set(address);
    window.range.set(range);
    address
}

/// Takes away what is in `window`, number `number` of the process whose threads these are.
#[inline(always)]
pub(crate) fn empty(
    port: &impl Port,
    threads: &'static [Thread],
    number: usize,
    window: &'static Window,
) {
    window.contents.set(Contents::Nothing);
    port.close(threads, number, window.range.get().length());
}

/// The protection of `thread` shows what windows and gaps of its process do.
#[inline(never)]
pub(crate) fn protect(port: &impl Port, thread: &'static Thread) {
    if !MEMORY_MESSAGES {
        return;
    }
    let (exchange, own) = (thread.process.exchange, from_ref(thread));
    for (number, window) in exchange.windows.iter().enumerate() {
        let range = window.range.get();
        if window.is_empty() {
            port.close(own, number, range.length());
        } else {
            port.open(own, number, range, window.writable.get());
        }
    }
    for (number, gap) in exchange.gaps.iter().enumerate() {
        let (range, address) = (gap.range.get(), gap.address.get());
        if gap.is_free() {
            port.show(own, number);
        } else {
            port.hide(own, number, range, address, gap.readable.get());
        }
    }
}

/// Whether what `client`'s message carries has to be kept from its process meanwhile: a lender that is
/// the only thread of its process waits, and nobody else can touch it.
fn needs_gap(client: &Thread) -> bool {
    client.form() == Form::Move || client.process.threads > 1
}

/// The gap that is there for `sender`'s message.
fn gap_of(sender: &'static Thread) -> Option<&'static Gap> {
    let mut gaps = sender.process.exchange.gaps.iter();
    gaps.find(|gap| gap.is_of(sender))
}

/// Where the memory lies that `client`'s message is to carry.
///
/// # Errors
/// The client does not have it, or cannot pass it on.
fn find(client: &'static Thread, address: u32, length: u32) -> Result<Source, Error> {
    let process = client.process;
    let exchange = process.exchange;
    if let Some(window) = exchange.window(address, length) {
        let whole = window.address.get() == address && window.range.get().length() == length;
        let moved = matches!(window.contents.get(), Contents::Moved(_));
        if client.form() == Form::Move && whole && moved {
            return Ok(Source::Window(window));
        }
        return Err(Error::CannotLend);
    }
    let readable = process.readable(address, length);
    readable.map_err(|_| Error::BadAddress)?;
    let in_pages = exchange.pages.holds(address, length);
    if needs_gap(client) && !in_pages || process.shares(address, length) {
        return Err(Error::CannotLend);
    }
    let own = process.writable(address, length);
    own.map(Source::Own).map_err(|_| Error::CannotLend)
}
