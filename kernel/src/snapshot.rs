//! The whole state of a kernel as bytes: to put it back later, or to tell two states apart.
//!
//! For tests only. Every object is taken apart field by field, so that a field that is forgotten
//! here does not compile.

use alloc::vec::Vec;
use core::cell::Cell;

use riposte_abi::{
    MAX_PROXY_BYTES,
    fault::{Record, TEXT_BYTES, TRACE},
};

use crate::{
    Channel, Deadline, Due, Form, Gap, Handle, Interrupt, Kernel, List, Notice, Object, Phase,
    Policy, Process, Proxy, Queue, Rights, Source, Tables, Thread, Timer, Window, Writable,
    deadline::Deadlines,
    exchange::{Absence, Contents},
    futex::{Buckets, Place},
    interrupt::Limit,
    notice::Notices,
    schedule::Level,
    spawn::Start,
    thread::{Request, Selection},
    timer::{Aim, rate_of},
};

/// A kernel's state at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Snapshot(Vec<u8>);

impl Kernel {
    /// All that can change, as it is now.
    #[must_use]
    pub fn save(&self) -> Snapshot {
        let mut bytes = Vec::with_capacity(1024);
        self.pass(&mut Pass::Save(&mut bytes));
        Snapshot(bytes)
    }

    /// Puts everything back as it was.
    ///
    /// # Panics
    /// The snapshot is another system's.
    pub fn restore(&self, snapshot: &Snapshot) {
        let mut reader = Reader {
            bytes: &snapshot.0,
            tables: &self.tables,
        };
        self.pass(&mut Pass::Restore(&mut reader));
        assert!(reader.bytes.is_empty(), "the snapshot of another system");
        if self.slicing() {
            self.forget_words();
        }
    }

    /// What decides about the future, as bytes: two states with the same shape behave alike.
    /// Times are relative to `now`; left out are counters that only tell old from new (generations,
    /// restarts without a limit), fault records, what registers hold, and whether the first ready thread
    /// is the foremost one.
    #[must_use]
    pub fn shape(&self, now: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(512);
        let foremost = self.foremost.get();
        self.settle();
        self.pass(&mut Pass::Shape(&mut bytes, now));
        if let Some(thread) = foremost {
            self.ready.remove(thread.rank.get(), thread);
        }
        self.foremost.set(foremost);
        bytes
    }

    fn pass(&self, pass: &mut Pass) {
        let Kernel {
            current,
            ready,
            foremost,
            turning,
            deadlines,
            futexes: Buckets { lists },
            tables,
            slice_end,
            turn,
            turn_end,
            alarm,
        } = self;
        let Tables {
            threads,
            processes,
            channels,
            handles,
            interrupts,
            nowhere,
            regions: _,
            deadlines: _,
            supervisor: _,
            slice: _,
            depth: _,
        } = tables;
        pass.cell(current);
        pass.queue(ready);
        pass.cell(foremost);
        pass.detail(turning);
        pass.deadlines(deadlines);
        pass.lists(lists);
        pass.time(slice_end, true);
        pass.cell(turn);
        pass.time(turn_end, turn.get().is_some());
        pass.detail(alarm);
        threads.iter().for_each(|thread| pass.thread(thread));
        processes.iter().for_each(|process| pass.process(process));
        channels.iter().for_each(|channel| pass.channel(channel));
        pass.channel(nowhere);
        handles
            .iter()
            .flatten()
            .for_each(|handle| pass.handle(handle));
        let interrupts = interrupts.iter().flatten();
        interrupts.for_each(|interrupt| pass.interrupt(interrupt));
    }
}

/// What only a test wants to see of an object.
impl Thread {
    /// Its neighbours on the circular list that it is on, if it is on one.
    #[must_use]
    pub fn links(&self) -> Option<(&'static Thread, &'static Thread)> {
        self.previous.get().zip(self.next.get())
    }

    /// Whether it knows a word at which it waited, or woke somebody.
    #[must_use]
    pub fn knows_a_word(&self) -> bool {
        let mut places = self.place.iter();
        places.any(|place| place.waited.list().is_some() || place.woke.list().is_some())
    }

    /// The client that the fast path may answer.
    #[must_use]
    pub fn fast_client(&self) -> Option<&'static Thread> {
        self.sole_client()
    }

    /// Whether nothing is left of a request: so for every thread that runs.
    #[must_use]
    pub fn requests_nothing(&self) -> bool {
        let Request {
            vector,
            accepts_handle,
            limited,
            badge,
            channel,
        } = self.request.get();
        self.form.get() == Form::Words
            && !(vector || accepts_handle || limited || badge != 0)
            && channel.is_none()
            && matches!(self.selection.get(), Selection::Anyone)
    }

    /// With whom it shares a copy that was interrupted, and how many bytes it has copied.
    #[must_use]
    pub fn copying(&self) -> (Option<&'static Thread>, u32) {
        (self.partner.get(), self.progress.get())
    }

    /// Whether its server is to be told that its deadline has passed.
    #[must_use]
    pub fn asks_to_be_unblocked(&self) -> bool {
        self.unblock.is_queued()
    }

    /// The client that it waits for, if it waits for that one only.
    #[must_use]
    pub fn selected(&self) -> Option<&'static Thread> {
        match self.selection.get() {
            Selection::Thread(client) => Some(client),
            Selection::Anyone | Selection::Badge(_) => None,
        }
    }

    /// Whether it waits in the list of receivers, not as the armed one.
    #[must_use]
    pub fn is_listed_receiver(&self) -> bool {
        self.waiting.get()
    }

    /// The priority that it was given.
    #[must_use]
    pub fn priority(&self) -> u8 {
        self.level.priority.get()
    }

    /// Sets the counter of its messages: the next token is one further.
    pub fn set_generation(&self, generation: u32) {
        self.generation.set(generation);
    }
}

/// What only a test wants to see of an object.
impl Kernel {
    /// Whether a turn is running.
    #[must_use]
    pub fn is_turning(&self) -> bool {
        self.slicing()
    }

    /// The lists of those who wait at words.
    #[must_use]
    pub fn words(&self) -> &[List] {
        &self.futexes.lists
    }

    /// The deadlines that are set, as they lie in the heap.
    #[must_use]
    pub fn deadlines(&self) -> Vec<&'static Deadline> {
        let places = self.deadlines.places.iter().map_while(Cell::get);
        let deadlines: Vec<_> = places.collect();
        assert_eq!(deadlines.len(), self.deadlines.count.get());
        deadlines
    }
}

/// What only a test wants to see of an object.
impl Proxy {
    /// Index of its channel.
    #[must_use]
    pub fn channel(&self) -> u8 {
        self.channel.get()
    }

    /// Sets how often it has been triggered and not received, if it was already.
    pub fn set_count(&self, count: u16) {
        assert!(self.is_queued() && count > 0);
        self.count.set(count);
    }
}

/// What only a test wants to see of an object.
impl Timer {
    /// The proxy that it triggers, as long as that is there.
    #[must_use]
    pub fn proxy(&self) -> Option<&'static Proxy> {
        match self.aim.get() {
            Aim::Proxy(proxy, life) if proxy.is(life) => Some(proxy),
            _ => None,
        }
    }

    /// Index of the channel of which it sets bits, and the bits.
    #[must_use]
    pub fn bits(&self) -> Option<(u8, u32)> {
        match self.aim.get() {
            Aim::Bits(channel, bits) => Some((channel, bits)),
            _ => None,
        }
    }

    /// Nanoseconds from one time to the next; 0 if it is due once.
    #[must_use]
    pub fn period(&self) -> u64 {
        self.period.get()
    }

    /// How often it is due, in the unit of [`crate::timer_rate`].
    #[must_use]
    pub fn rate(&self) -> u32 {
        rate_of(self.period.get())
    }
}

/// What only a test wants to see of an object.
impl Channel {
    /// The priority at which its servers run, if it is always the same.
    #[must_use]
    pub fn fixed_priority(&self) -> Option<u8> {
        self.fixed
    }

    /// Whether the most urgent message is taken first.
    #[must_use]
    pub fn is_by_priority(&self) -> bool {
        self.order == crate::Order::Priority
    }
}

/// What only a test wants to see of an object.
impl Process {
    /// Whether it is held for a debugger.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.held.get()
    }

    /// Its spare threads that are free, the one that is started next first.
    #[must_use]
    pub fn free_threads(&self) -> Vec<&'static Thread> {
        let next = |thread: &&'static Thread| thread.start.first()?.joining.get();
        let first = self.spares.first().and_then(Cell::get);
        core::iter::successors(first, next).collect()
    }

    /// How often its timers are due together, as the kernel has counted.
    #[must_use]
    pub fn timer_rate(&self) -> u32 {
        self.timer_rate.first().map_or(0, Cell::get)
    }

    /// Whether its other threads have been started.
    #[must_use]
    pub fn has_started_threads(&self) -> bool {
        self.started.get()
    }
}

/// What only a test wants to see of an object.
impl Process {
    /// Whether it is to be started when its memory is back.
    #[must_use]
    pub fn waits_for_memory(&self) -> bool {
        self.waits.get()
    }
}

/// What only a test wants to see of an object.
impl Window {
    /// What is open in it, where its process sees it, and whether that may write it.
    #[must_use]
    pub fn open(&self) -> Option<(Writable, u32, bool)> {
        let open = (self.range.get(), self.address.get(), self.writable.get());
        (!self.is_empty()).then_some(open)
    }

    /// Who has lent what is in it.
    #[must_use]
    pub fn lender(&self) -> Option<&'static Thread> {
        match self.contents.get() {
            Contents::Lent(lender) => Some(lender),
            Contents::Nothing | Contents::Moved(_) => None,
        }
    }

    /// The gap that is at home for what was moved into it.
    #[must_use]
    pub fn moved(&self) -> Option<&'static Gap> {
        match self.contents.get() {
            Contents::Moved(gap) => Some(gap),
            Contents::Nothing | Contents::Lent(_) => None,
        }
    }
}

/// What only a test wants to see of an object.
impl Gap {
    /// What it hides, where its process sees that, and whether that may read it.
    #[must_use]
    pub fn hidden(&self) -> Option<(Writable, u32, bool)> {
        let hidden = (self.range.get(), self.address.get(), self.readable.get());
        (!self.is_free()).then_some(hidden)
    }

    /// Whose message it is there for.
    #[must_use]
    pub fn sender(&self) -> Option<&'static Thread> {
        match self.absence.get() {
            Absence::Sent(sender) => Some(sender),
            Absence::None | Absence::Away | Absence::Back => None,
        }
    }

    /// Whether what it hides has come home.
    #[must_use]
    pub fn is_back(&self) -> bool {
        matches!(self.absence.get(), Absence::Back)
    }
}

/// What only a test wants to see of an object.
impl Handle {
    /// The proxy that it triggers: it is open, and the proxy it was opened for is there.
    #[must_use]
    pub fn triggers(&self) -> Option<&'static Proxy> {
        match self.object() {
            Object::Proxy(proxy) if proxy.is(self.badge.get()) => Some(proxy),
            _ => None,
        }
    }

    /// Whether notification bits of the channel may be set through it.
    #[must_use]
    pub fn may_notify(&self) -> bool {
        self.rights.get().notify
    }

    /// Whether its server died while it was open.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.broken.get()
    }

    /// Sets the number of times that it has been opened.
    pub fn set_generation(&self, generation: u32) {
        self.generation.set(generation);
    }
}

/// Most slots of a table are as they were at first: a snapshot says no more of them.
impl Handle {
    /// Whether it holds nothing, and never has, but for its generation.
    fn is_empty(&self) -> bool {
        let Rights { transfer, notify } = self.rights.get();
        self.target.get().handle == 0
            && self.send_call.get() == 0
            && self.badge.get() == 0
            && matches!(self.object(), Object::None)
            && !(transfer || notify || self.broken.get() || self.died.is_queued())
    }

    /// It holds nothing, and never has.
    fn empty(&self, nowhere: &'static Channel) {
        self.target.set(nowhere);
        self.send_call.set(0);
        self.badge.set(0);
        self.object.iter().for_each(|cell| cell.set(Object::None));
        self.rights.set(Rights::NONE);
        self.broken.set(false);
        self.died.next.set(None);
        self.died.previous.set(None);
        self.generation.set(0);
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    tables: &'a Tables,
}

enum Pass<'a, 'b> {
    Save(&'a mut Vec<u8>),
    Restore(&'a mut Reader<'b>),
    Shape(&'a mut Vec<u8>, u64),
}

impl Pass<'_, '_> {
    /// State that decides about the future.
    fn cell<T: Word>(&mut self, cell: &Cell<T>) {
        match self {
            Pass::Save(bytes) | Pass::Shape(bytes, _) => cell.get().pack(bytes),
            Pass::Restore(reader) => cell.set(T::unpack(reader)),
        }
    }

    /// State that only has to be put back.
    fn detail<T: Word>(&mut self, cell: &Cell<T>) {
        if !matches!(self, Pass::Shape(..)) {
            self.cell(cell);
        }
    }

    /// A time; it means something only if `valid`.
    fn time(&mut self, cell: &Cell<u64>, valid: bool) {
        match self {
            Pass::Shape(bytes, now) if valid && cell.get() <= i64::MAX as u64 => {
                (cell.get().saturating_sub(*now) + 1).pack(bytes);
            }
            Pass::Shape(bytes, _) => 0u64.pack(bytes),
            _ => self.cell(cell),
        }
    }

    fn list(&mut self, list: &List) {
        let List { head } = list;
        self.cell(head);
    }

    /// Lists of which most are empty.
    fn lists(&mut self, lists: &[List]) {
        for some in lists.chunks(32) {
            let bit = |(place, list): (usize, &List)| u32::from(list.first().is_some()) << place;
            let used = Cell::new(some.iter().enumerate().map(bit).sum::<u32>());
            self.cell(&used);
            for (place, list) in some.iter().enumerate() {
                if used.get() >> place & 1 == 0 {
                    list.head.set(None);
                } else {
                    self.list(list);
                }
            }
        }
    }

    fn queue(&mut self, queue: &Queue) {
        let Queue {
            levels,
            words,
            summary,
        } = queue;
        self.lists(levels);
        words.iter().for_each(|word| self.cell(word));
        self.cell(summary);
    }

    fn deadlines(&mut self, deadlines: &Deadlines) {
        let Deadlines { places, count } = deadlines;
        places.iter().for_each(|place| self.cell(place));
        self.cell(count);
    }

    fn deadline(&mut self, deadline: &Deadline) {
        let Deadline { due: _, at, place } = deadline;
        self.time(at, deadline.is_set());
        self.cell(place);
    }

    fn notice(&mut self, notice: &Notice) {
        let Notice {
            source: _,
            next,
            previous,
        } = notice;
        self.cell(next);
        self.cell(previous);
    }

    fn thread(&mut self, thread: &Thread) {
        let Thread {
            registers,
            line: _,
            frame,
            protection: _,
            tag,
            generation,
            handles,
            serving,
            serving_bytes,
            borrowing,
            alone: _,
            server,
            bound,
            data: _,
            rank,
            plain,
            waiting,
            sleeping,
            stopped,
            index: _,
            base,
            level,
            resume,
            next,
            previous,
            clients,
            sending,
            form,
            request,
            selection,
            deadline,
            progress,
            partner,
            unblock,
            chosen,
            life,
            start,
            place,
            process: _,
            entry,
            stack_base: _,
            stack_top: _,
        } = thread;
        self.registers(registers);
        self.detail(frame);
        self.detail(tag);
        self.detail(generation);
        self.cell(serving);
        self.cell(serving_bytes);
        borrowing.iter().for_each(|client| self.cell(client));
        self.cell(server);
        self.cell(bound);
        self.cell(rank);
        self.cell(plain);
        self.cell(waiting);
        self.cell(sleeping);
        self.cell(stopped);
        self.detail(resume);
        self.cell(next);
        self.cell(previous);
        self.list(clients);
        self.cell(sending);
        self.cell(form);
        self.cell(request);
        self.cell(selection);
        self.deadline(deadline);
        self.cell(progress);
        self.cell(partner);
        self.notice(unblock);
        // What a thread knows of words is true in every state, or of none: see `Kernel::restore`.
        for Place {
            key,
            owner,
            lockers,
            waited: _,
            woke: _,
        } in place
        {
            self.cell(key);
            self.cell(owner);
            self.list(lockers);
        }
        self.detail(chosen);
        self.detail(life);
        self.detail(entry);
        self.cell(base);
        self.level(level);
        if let Pass::Restore(reader) = self {
            let own = usize::from(thread.process.index);
            let tables = reader.tables.handles;
            let known = if thread.has_dropped() {
                tables.last()
            } else {
                tables.get(own)
            };
            handles.set(known.expect("a table of handles"));
        }
        start.iter().for_each(|start| self.start(start));
    }

    fn registers(&mut self, registers: &[Cell<u32>]) {
        match self {
            Pass::Save(bytes) => {
                let words = registers
                    .iter()
                    .map(|register| register.get().to_le_bytes());
                bytes.extend(words.flatten());
            }
            Pass::Restore(reader) => {
                let length = registers.len() * size_of::<u32>();
                let (words, rest) = reader.bytes.split_at(length);
                reader.bytes = rest;
                let (words, _) = words.as_chunks();
                for (register, word) in registers.iter().zip(words) {
                    register.set(u32::from_le_bytes(*word));
                }
            }
            Pass::Shape(..) => {}
        }
    }

    fn level(&mut self, level: &Level) {
        let Level {
            first: _,
            priority,
            policy,
            dropped,
        } = level;
        self.cell(priority);
        self.cell(policy);
        dropped.iter().for_each(|dropped| self.cell(dropped));
    }

    fn start(&mut self, start: &Start) {
        let Start {
            spare: _,
            phase,
            arguments,
            joiner,
            joining,
        } = start;
        self.cell(phase);
        let [first, last] = arguments.get().map(Cell::new);
        self.detail(&first);
        self.detail(&last);
        arguments.set([first.get(), last.get()]);
        self.cell(joiner);
        self.cell(joining);
    }

    fn process(&mut self, process: &Process) {
        let Process {
            index: _,
            memory: _,
            first_thread: _,
            threads: _,
            on_fault: _,
            on_exit: _,
            restart_limit,
            restarts: _,
            grants: _,
            priority_limit: _,
            spare_stack: _,
            info: _,
            code: _,
            exchange,
            objects,
            waits,
            spares,
            timer_rate,
            started,
            alive,
            held,
            restarted,
            record,
            fault,
        } = process;
        spares.iter().for_each(|spare| self.cell(spare));
        timer_rate.iter().for_each(|rate| self.cell(rate));
        self.cell(started);
        self.cell(alive);
        self.cell(held);
        self.cell(waits);
        exchange
            .windows
            .iter()
            .for_each(|window| self.window(window));
        exchange.gaps.iter().for_each(|gap| self.gap(gap));
        objects.proxies.iter().for_each(|proxy| self.proxy(proxy));
        objects.timers.iter().for_each(|timer| self.timer(timer));
        if *restart_limit == u32::MAX {
            self.detail(restarted);
        } else {
            self.cell(restarted);
        }
        self.detail(record);
        self.notice(fault);
    }

    fn proxy(&mut self, proxy: &Proxy) {
        let Proxy {
            process: _,
            number: _,
            slot: _,
            fixed: _,
            handle,
            channel,
            length,
            count,
            bytes,
            notice,
        } = proxy;
        self.name(handle);
        self.notice(notice);
        self.cell(count);
        if proxy.exists() {
            self.cell(channel);
            self.cell(length);
            self.detail(bytes);
        }
    }

    fn timer(&mut self, timer: &Timer) {
        let Timer {
            slot: _,
            handle,
            aim,
            period,
            deadline,
        } = timer;
        self.name(handle);
        self.deadline(deadline);
        // One that is not there has none.
        self.cell(period);
        if !timer.exists() {
            return;
        }
        match (&mut *self, aim.get()) {
            (Pass::Shape(bytes, _), Aim::Proxy(proxy, life)) => {
                proxy.pack(bytes);
                proxy.is(life).pack(bytes);
            }
            _ => self.cell(aim),
        }
    }

    /// What an owner calls an object: for the future it only counts whether there is one.
    fn name(&mut self, handle: &Cell<u32>) {
        match self {
            Pass::Shape(bytes, _) => (handle.get() != 0).pack(bytes),
            _ => self.cell(handle),
        }
    }

    fn window(&mut self, window: &Window) {
        let Window {
            number: _,
            size: _,
            writable,
            contents,
            address,
            range,
        } = window;
        self.cell(contents);
        if !window.is_empty() {
            self.cell(writable);
            self.cell(address);
            self.cell(range);
        }
    }

    fn gap(&mut self, gap: &Gap) {
        let Gap {
            home: _,
            number: _,
            readable,
            absence,
            address,
            range,
            cleared,
        } = gap;
        self.cell(absence);
        if !gap.is_free() {
            self.cell(readable);
            self.cell(address);
            self.cell(range);
        }
        if gap.is_back() {
            self.cell(cleared);
        }
    }

    fn channel(&mut self, channel: &Channel) {
        let Channel {
            armed,
            idle_call,
            window: _,
            senders,
            receivers,
            notices: Notices { head },
            owner: _,
            index: _,
            handle: _,
            fixed: _,
            order: _,
            notify_client_died: _,
            notify_unblock: _,
            bits,
            notified,
            interrupt,
        } = channel;
        self.cell(armed);
        self.cell(idle_call);
        self.queue(senders);
        self.list(receivers);
        self.cell(head);
        self.cell(bits);
        self.notice(notified);
        interrupt.iter().for_each(|it| self.cell(it));
    }

    fn interrupt(&mut self, interrupt: &Interrupt) {
        let Interrupt {
            line: _,
            level: _,
            handle,
            channel,
            bits,
            masked,
            pended,
            limit,
        } = interrupt;
        match self {
            // Who it is named by does not count.
            Pass::Shape(bytes, _) => (handle.get() != 0).pack(bytes),
            _ => self.cell(handle),
        }
        self.cell(channel);
        self.cell(bits);
        self.cell(masked);
        self.cell(pended);
        for limit in limit {
            let Limit {
                gap,
                earliest,
                deadline,
            } = limit;
            self.time(earliest, *gap != 0);
            self.deadline(deadline);
        }
    }

    fn handle(&mut self, handle: &Handle) {
        let Handle {
            send_call,
            target,
            badge,
            generation,
            rights,
            broken,
            purpose: _,
            died,
            object,
        } = handle;
        let is_new = || handle.is_empty() && generation.get() == 0;
        match self {
            Pass::Save(bytes) if is_new() => return bytes.push(1),
            Pass::Shape(bytes, _) if handle.is_empty() => return bytes.push(1),
            Pass::Save(bytes) | Pass::Shape(bytes, _) => bytes.push(0),
            Pass::Restore(reader) => {
                if bool::unpack(reader) {
                    if !is_new() {
                        handle.empty(reader.tables.nowhere);
                    }
                    return;
                }
            }
        }
        match self {
            Pass::Shape(bytes, _) => (send_call.get() != 0).pack(bytes),
            _ => self.cell(send_call),
        }
        self.cell(target);
        object.iter().for_each(|object| self.cell(object));
        match (&mut *self, handle.object()) {
            (Pass::Shape(bytes, _), Object::Proxy(proxy)) => {
                (badge.get() != 0).pack(bytes);
                proxy.is(badge.get()).pack(bytes);
            }
            (Pass::Shape(bytes, _), Object::Timer(_)) => (badge.get() != 0).pack(bytes),
            _ => self.cell(badge),
        }
        self.detail(generation);
        self.cell(rights);
        self.cell(broken);
        self.notice(died);
    }
}

/// What a cell can hold.
trait Word: Copy {
    fn pack(self, bytes: &mut Vec<u8>);
    fn unpack(reader: &mut Reader) -> Self;
}

impl Word for u64 {
    fn pack(self, bytes: &mut Vec<u8>) {
        let mut rest = self;
        while rest > 0x7F {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }

    fn unpack(reader: &mut Reader) -> Self {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = u8::unpack(reader);
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return value;
            }
            shift += 7;
        }
    }
}

macro_rules! number {
    ($($type:ty),*) => {$(
        impl Word for $type {
            fn pack(self, bytes: &mut Vec<u8>) {
                (self as u64).pack(bytes);
            }

            fn unpack(reader: &mut Reader) -> Self {
                u64::unpack(reader) as $type
            }
        }
    )*};
}

number!(u16, u32, usize);

impl Word for u8 {
    #[inline]
    fn pack(self, bytes: &mut Vec<u8>) {
        bytes.push(self);
    }

    #[inline]
    fn unpack(reader: &mut Reader) -> Self {
        let (byte, rest) = reader.bytes.split_first().expect("a complete snapshot");
        reader.bytes = rest;
        *byte
    }
}

impl Word for bool {
    fn pack(self, bytes: &mut Vec<u8>) {
        bytes.push(self.into());
    }

    fn unpack(reader: &mut Reader) -> Self {
        u8::unpack(reader) != 0
    }
}

impl<T: Word> Word for Option<T> {
    fn pack(self, bytes: &mut Vec<u8>) {
        self.is_some().pack(bytes);
        if let Some(value) = self {
            value.pack(bytes);
        }
    }

    fn unpack(reader: &mut Reader) -> Self {
        bool::unpack(reader).then(|| T::unpack(reader))
    }
}

impl Word for &'static Thread {
    fn pack(self, bytes: &mut Vec<u8>) {
        self.index.pack(bytes);
    }

    fn unpack(reader: &mut Reader) -> Self {
        &reader.tables.threads[usize::from(u8::unpack(reader))]
    }
}

impl Word for &'static Channel {
    fn pack(self, bytes: &mut Vec<u8>) {
        self.index.pack(bytes);
    }

    fn unpack(reader: &mut Reader) -> Self {
        let index = usize::from(u8::unpack(reader));
        reader
            .tables
            .channels
            .get(index)
            .unwrap_or(reader.tables.nowhere)
    }
}

impl Word for &'static Interrupt {
    fn pack(self, bytes: &mut Vec<u8>) {
        self.line.pack(bytes);
    }

    fn unpack(reader: &mut Reader) -> Self {
        let interrupt = reader.tables.interrupts[usize::unpack(reader)];
        interrupt.expect("an interrupt of a process")
    }
}

impl Word for &'static Notice {
    fn pack(self, bytes: &mut Vec<u8>) {
        let (kind, index, slot) = match self.source {
            Source::ClientDied { process, slot } => (0, process, slot),
            Source::Unblock { thread } => (1, thread, 0),
            Source::Fault { process } => (2, process, 0),
            Source::Bits { channel } => (3, channel, 0),
            Source::Proxy { process, number } => (4, process, number),
        };
        bytes.extend([kind, index, slot]);
    }

    fn unpack(reader: &mut Reader) -> Self {
        let &[kind, index, slot, ref rest @ ..] = reader.bytes else {
            panic!("a snapshot that ends within a notice");
        };
        reader.bytes = rest;
        let index = usize::from(index);
        match kind {
            0 => &reader.tables.handles[index][usize::from(slot)].died,
            1 => &reader.tables.threads[index].unblock,
            2 => &reader.tables.processes[index].fault,
            3 => &reader.tables.channels[index].notified,
            _ => &reader.tables.processes[index].objects.proxies[usize::from(slot)].notice,
        }
    }
}

impl Word for &'static Deadline {
    fn pack(self, bytes: &mut Vec<u8>) {
        match self.due {
            Due::Thread(index) => [0, index, 0],
            Due::Timer { process, number } => [1, process, number],
            Due::Interrupt(line) => [2, line as u8, (line >> 8) as u8],
        }
        .into_iter()
        .for_each(|part| part.pack(bytes));
    }

    fn unpack(reader: &mut Reader) -> Self {
        let [kind, index, number] = [(); 3].map(|()| usize::from(u8::unpack(reader)));
        match kind {
            0 => &reader.tables.threads[index].deadline,
            2 => {
                let interrupt = reader.tables.interrupts[index | number << 8];
                &interrupt.expect("an interrupt of a process").limit[0].deadline
            }
            _ => &reader.tables.processes[index].objects.timers[number].deadline,
        }
    }
}

impl Word for Object {
    fn pack(self, bytes: &mut Vec<u8>) {
        match self {
            Object::None => bytes.push(0),
            Object::Proxy(proxy) => {
                bytes.push(1);
                proxy.pack(bytes);
            }
            Object::Timer(timer) => {
                bytes.push(2);
                (&timer.deadline).pack(bytes);
            }
        }
    }

    fn unpack(reader: &mut Reader) -> Self {
        let kind = u8::unpack(reader);
        if kind == 0 {
            return Object::None;
        }
        if kind == 1 {
            return Object::Proxy(Word::unpack(reader));
        }
        let [_, index, number] = [(); 3].map(|()| usize::from(u8::unpack(reader)));
        Object::Timer(&reader.tables.processes[index].objects.timers[number])
    }
}

impl Word for &'static Proxy {
    fn pack(self, bytes: &mut Vec<u8>) {
        self.process.pack(bytes);
        self.number.pack(bytes);
    }

    fn unpack(reader: &mut Reader) -> Self {
        let [index, number] = [(); 2].map(|()| usize::from(u8::unpack(reader)));
        &reader.tables.processes[index].objects.proxies[number]
    }
}

impl Word for Aim {
    fn pack(self, bytes: &mut Vec<u8>) {
        match self {
            Aim::Nothing => bytes.push(0),
            Aim::Proxy(proxy, life) => {
                bytes.push(1);
                proxy.pack(bytes);
                life.pack(bytes);
            }
            Aim::Bits(channel, bits) => {
                bytes.push(2);
                channel.pack(bytes);
                bits.pack(bytes);
            }
        }
    }

    fn unpack(reader: &mut Reader) -> Self {
        match u8::unpack(reader) {
            0 => Aim::Nothing,
            1 => Aim::Proxy(Word::unpack(reader), Word::unpack(reader)),
            _ => Aim::Bits(Word::unpack(reader), Word::unpack(reader)),
        }
    }
}

impl Word for [u8; MAX_PROXY_BYTES] {
    fn pack(self, bytes: &mut Vec<u8>) {
        bytes.extend(self);
    }

    fn unpack(reader: &mut Reader) -> Self {
        let (bytes, rest) = reader
            .bytes
            .split_first_chunk()
            .expect("a complete snapshot");
        reader.bytes = rest;
        *bytes
    }
}

impl Word for Request {
    fn pack(self, bytes: &mut Vec<u8>) {
        let Request {
            vector,
            accepts_handle,
            limited,
            badge,
            channel,
        } = self;
        vector.pack(bytes);
        accepts_handle.pack(bytes);
        limited.pack(bytes);
        badge.pack(bytes);
        channel.pack(bytes);
    }

    fn unpack(reader: &mut Reader) -> Self {
        Request {
            vector: Word::unpack(reader),
            accepts_handle: Word::unpack(reader),
            limited: Word::unpack(reader),
            badge: Word::unpack(reader),
            channel: Word::unpack(reader),
        }
    }
}

impl Word for Form {
    fn pack(self, bytes: &mut Vec<u8>) {
        bytes.push(self as u8);
    }

    fn unpack(reader: &mut Reader) -> Self {
        match u8::unpack(reader) {
            0 => Form::Words,
            1 => Form::Bytes,
            2 => Form::Vector,
            3 => Form::Lend,
            4 => Form::LendMut,
            _ => Form::Move,
        }
    }
}

impl Word for Policy {
    fn pack(self, bytes: &mut Vec<u8>) {
        bytes.push(self as u8);
    }

    fn unpack(reader: &mut Reader) -> Self {
        match u8::unpack(reader) {
            0 => Policy::Fifo,
            1 => Policy::RoundRobin,
            _ => Policy::Adaptive,
        }
    }
}

impl Word for Phase {
    fn pack(self, bytes: &mut Vec<u8>) {
        bytes.push(self as u8);
    }

    fn unpack(reader: &mut Reader) -> Self {
        match u8::unpack(reader) {
            0 => Phase::Free,
            1 => Phase::Joinable,
            2 => Phase::Detached,
            _ => Phase::Over,
        }
    }
}

impl Word for Selection {
    fn pack(self, bytes: &mut Vec<u8>) {
        match self {
            Selection::Anyone => bytes.push(0),
            Selection::Badge(badge) => {
                bytes.push(1);
                badge.pack(bytes);
            }
            Selection::Thread(thread) => {
                bytes.push(2);
                thread.pack(bytes);
            }
        }
    }

    fn unpack(reader: &mut Reader) -> Self {
        match u8::unpack(reader) {
            0 => Selection::Anyone,
            1 => Selection::Badge(Word::unpack(reader)),
            _ => Selection::Thread(Word::unpack(reader)),
        }
    }
}

impl Word for Contents {
    fn pack(self, bytes: &mut Vec<u8>) {
        match self {
            Contents::Nothing => bytes.push(0),
            Contents::Lent(lender) => {
                bytes.push(1);
                lender.pack(bytes);
            }
            Contents::Moved(gap) => bytes.extend([2, gap.home, gap.number]),
        }
    }

    fn unpack(reader: &mut Reader) -> Self {
        match u8::unpack(reader) {
            0 => Contents::Nothing,
            1 => Contents::Lent(Word::unpack(reader)),
            _ => {
                let [home, number] = [usize::from(u8::unpack(reader)), usize::unpack(reader)];
                Contents::Moved(&reader.tables.processes[home].exchange.gaps[number])
            }
        }
    }
}

impl Word for Absence {
    fn pack(self, bytes: &mut Vec<u8>) {
        match self {
            Absence::None => bytes.push(0),
            Absence::Sent(sender) => {
                bytes.push(1);
                sender.pack(bytes);
            }
            Absence::Away => bytes.push(2),
            Absence::Back => bytes.push(3),
        }
    }

    fn unpack(reader: &mut Reader) -> Self {
        match u8::unpack(reader) {
            0 => Absence::None,
            1 => Absence::Sent(Word::unpack(reader)),
            2 => Absence::Away,
            _ => Absence::Back,
        }
    }
}

impl Word for Writable {
    fn pack(self, bytes: &mut Vec<u8>) {
        self.address().pack(bytes);
        self.length().pack(bytes);
    }

    fn unpack(reader: &mut Reader) -> Self {
        let address = Word::unpack(reader);
        Writable::new(address, Word::unpack(reader))
    }
}

impl Word for Rights {
    fn pack(self, bytes: &mut Vec<u8>) {
        let Rights { transfer, notify } = self;
        transfer.pack(bytes);
        notify.pack(bytes);
    }

    fn unpack(reader: &mut Reader) -> Self {
        Rights {
            transfer: Word::unpack(reader),
            notify: Word::unpack(reader),
        }
    }
}

impl Word for Record {
    fn pack(self, bytes: &mut Vec<u8>) {
        (self != Record::EMPTY).pack(bytes);
        if self == Record::EMPTY {
            return;
        }
        let Record {
            count,
            process,
            thread,
            reason,
            action,
            address,
            address_valid,
            registers,
            trace,
            text_length,
            text,
        } = self;
        let head = [
            count,
            process,
            thread,
            reason,
            action,
            address,
            address_valid,
            text_length,
        ];
        let words = head.into_iter().chain(registers).chain(trace);
        words.for_each(|word| word.pack(bytes));
        bytes.extend(text);
    }

    fn unpack(reader: &mut Reader) -> Self {
        if !bool::unpack(reader) {
            return Record::EMPTY;
        }
        let mut word = || u32::unpack(reader);
        let [
            count,
            process,
            thread,
            reason,
            action,
            address,
            address_valid,
            text_length,
        ] = core::array::from_fn(|_| word());
        let registers = core::array::from_fn(|_| word());
        let trace: [u32; TRACE] = core::array::from_fn(|_| word());
        let (text, rest) = reader
            .bytes
            .split_first_chunk::<TEXT_BYTES>()
            .expect("a complete snapshot");
        reader.bytes = rest;
        Record {
            count,
            process,
            thread,
            reason,
            action,
            address,
            address_valid,
            registers,
            trace,
            text_length,
            text: *text,
        }
    }
}
