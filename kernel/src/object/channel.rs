//! Channels: where servers receive.

use core::cell::Cell;

use riposte_abi::call::{self, operation};

use crate::{
    IfPrograms, Notice, Port, Process, Queue, Source, Thread, Window,
    ipc::notice::Notices,
    memory::window::IfCarried,
    port::Interrupted,
    sched::queue::{List, PriorityTree},
};

/// In which order waiting messages are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Highest priority first, first in first out within one.
    Priority,
    /// First in first out, whatever the priority (QNX 4's default).
    Arrival,
}

/// At which priority a server of the channel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inheritance {
    /// At its clients'.
    Client,
    /// Always at this one.
    Fixed(u8),
}

value! {
/// How far somebody has looked for a sender with a badge: none has it before this one. It holds until who waits,
/// or in which order, changes.
#[derive(Clone, Copy)]
pub(crate) struct Searched {
    pub badge: u32,
    pub next: &'static Thread,
}
}

state! {
/// A channel. Its queue of senders, its receivers, and its notices.
#[repr(C)]
pub struct Channel {
    /// The one thread that waits here and may be handed a message at once. While there is one,
    /// `receivers`, `senders` and `notices` are empty.
    pub(crate) waiting_receiver: Cell<Option<&'static Thread>>,
    /// The call word of a `REPLY_RECEIVE` here while nothing waits (neither message, notice nor a
    /// receiver in the list), and who receives is a receiver already; 0 otherwise, which no call equals.
    pub(crate) idle_call: Cell<u32>,
    /// See [`Channel::window`].
    pub(crate) window: IfCarried<Option<&'static Window>> as link,
    pub(crate) senders: Queue,
    /// The senders once more, if they wait in order of arrival: a server's priority follows from the most urgent one.
    pub(crate) by_priority: PriorityTree as detail,
    pub(crate) searched: Cell<Option<Searched>> as detail,
    pub(crate) receivers: List,
    /// The threads that last received from here, by [`Thread::next_receiver`].
    pub(crate) first_receiver: Cell<Option<&'static Thread>> as detail,
    pub(crate) notices: Notices,
    /// The process that receives here.
    pub owner: &'static Process as link,
    /// The owner's handle of it; 0 for [`Channel::nowhere`].
    pub handle: u32,
    /// Index in the system.
    pub index: u8,
    pub(crate) fixed: Option<u8>,
    pub(crate) order: Order,
    /// Servers are told when a client dies.
    pub notify_client_died: bool,
    /// They know whom the manifest makes their client, and are told of each end of one, whether it has connected or not.
    pub knows_clients: IfPrograms<bool>,
    /// Servers are told when a client's deadline passes; it stays until it is answered.
    pub notify_unblock: bool,
    /// Whether [`Channel::first_receiver`] is the only one, for whom all wait who wait here. One that waits for
    /// somebody itself has to receive again before it is that.
    pub(crate) has_one_receiver: Cell<bool>,
    /// Counts the connections to it that replies have brought.
    pub(crate) openings: Cell<u16> as detail,
    /// Notification bits that no server has got yet.
    pub(crate) bits: Cell<u32>,
    /// Queued as long as there are some.
    pub(crate) notified: Notice,
}
}

/// What a channel is, for [`Channel::new`].
pub struct Settings {
    /// Index in the system.
    pub index: u8,
    /// Slot in the owner's handle table.
    pub slot: u8,
    /// Priority of its servers.
    pub inheritance: Inheritance,
    /// Order of its queue.
    pub order: Order,
    /// Tell servers of the death of clients.
    pub notify_client_died: bool,
    /// They know whom the manifest makes their client.
    pub knows_clients: bool,
    /// Tell servers when a client's deadline passes.
    pub notify_unblock: bool,
}

/// Senders that a search looks at between two looks for interrupts.
const SENDERS: u8 = 16;

/// Generation of a channel's own handle. It never changes: nobody else can hold one.
pub(crate) const OWN_GENERATION: u32 = 1;

impl Channel {
    /// A channel of `owner`.
    #[must_use]
    pub const fn new(settings: Settings, owner: &'static Process) -> Self {
        let handle = call::handle(settings.slot as u32, OWN_GENERATION);
        let mut channel = Self::nowhere(owner);
        channel.index = settings.index;
        channel.handle = handle;
        match settings.inheritance {
            Inheritance::Client => {
                channel.idle_call = Cell::new(call::word(operation::REPLY_RECEIVE, handle));
            }
            Inheritance::Fixed(priority) => channel.fixed = Some(priority),
        }
        channel.order = settings.order;
        channel.notify_client_died = settings.notify_client_died;
        channel.knows_clients = [settings.knows_clients; _];
        channel.notify_unblock = settings.notify_unblock;
        if settings.notify_unblock && owner.threads == 1 {
            channel.window = [owner.exchange.windows.first(); _];
        }
        channel.notified = Notice::new(Source::Bits {
            channel: settings.index,
        });
        channel
    }

    /// The channel that unused handles point to. Nothing is ever sent there or received.
    #[must_use]
    pub const fn nowhere(owner: &'static Process) -> Self {
        Self {
            waiting_receiver: Cell::new(None),
            idle_call: Cell::new(0),
            window: [None; _],
            senders: Queue::new(),
            by_priority: PriorityTree::new(),
            searched: Cell::new(None),
            receivers: List::new(),
            first_receiver: Cell::new(None),
            notices: Notices::new(),
            owner,
            index: u8::MAX,
            handle: 0,
            fixed: None,
            order: Order::Priority,
            notify_client_died: false,
            knows_clients: [false; _],
            notify_unblock: false,
            has_one_receiver: Cell::new(false),
            openings: Cell::new(0),
            bits: Cell::new(0),
            notified: Notice::new(Source::Bits { channel: u8::MAX }),
        }
    }

    #[inline(always)]
    pub(crate) fn knows_clients(&self) -> bool {
        matches!(self.knows_clients.as_slice(), [true])
    }

    /// Whether both are the same channel.
    #[must_use]
    #[inline]
    pub fn is(&self, other: &Channel) -> bool {
        core::ptr::eq(self, other)
    }

    /// The threads whose messages wait here, in the order in which they will be taken.
    pub fn senders(&self) -> impl Iterator<Item = &'static Thread> + '_ {
        self.senders.iter()
    }

    /// The threads that wait here for a message.
    pub fn receivers(&self) -> impl Iterator<Item = &'static Thread> + '_ {
        self.waiting_receiver
            .get()
            .into_iter()
            .chain(self.receivers.iter())
    }

    /// Whether notices wait here.
    #[must_use]
    pub fn has_notices(&self) -> bool {
        !self.notices.is_empty()
    }

    /// Notification bits that no server has got yet.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.bits.get()
    }

    /// Whether the notice of its bits waits to be received.
    #[must_use]
    pub fn is_notified(&self) -> bool {
        self.notified.is_queued()
    }

    /// The waiting receiver, if there is one: then the next short message takes the fast path.
    #[must_use]
    pub fn waiting_receiver(&self) -> Option<&'static Thread> {
        self.waiting_receiver.get()
    }

    /// Whether an answer that waits here may take the fast path.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.idle_call.get() != 0
    }

    /// The first window of the owner, if the fast path may open it: there is only one thread to do so
    /// for, and the channel takes messages with memory.
    #[inline(always)]
    pub(crate) fn window(&self) -> Option<&'static Window> {
        *self.window.first()?
    }

    /// Queues a notice that nobody waits for, unless it is queued already.
    pub(crate) fn queue_notice(&self, notice: &'static Notice) {
        self.list_receiver();
        self.notices.push(notice);
        self.update_idle();
    }

    pub(crate) fn place(&self, sender: &Thread) -> u8 {
        match self.order {
            Order::Priority => sender.priority.get(),
            Order::Arrival => 0,
        }
    }

    pub(crate) fn enqueue(&self, sender: &'static Thread) {
        self.senders.push_back(self.place(sender), sender);
        if self.order == Order::Arrival {
            self.by_priority.insert(sender);
        }
        self.searched.set(None);
        self.update_idle();
    }

    pub(crate) fn dequeue(&self, sender: &'static Thread) {
        self.senders.remove(self.place(sender), sender);
        if self.order == Order::Arrival {
            self.by_priority.remove(sender);
        }
        self.searched.set(None);
        self.update_idle();
    }

    /// The first sender with this badge. `Err` if an interrupt waits before that is known: who asks again goes on from
    /// here, unless somebody has come, left or changed places.
    pub(crate) fn sender_with(
        &self,
        port: &impl Port,
        badge: u32,
    ) -> Result<Option<&'static Thread>, Interrupted> {
        let searched = self.searched.get();
        let mut next = match searched.filter(|searched| searched.badge == badge) {
            Some(searched) => Some(searched.next),
            None => self.senders.first(),
        };
        let mut looked = 0;
        while let Some(sender) = next {
            let has_it = sender.request.get().badge == badge;
            if has_it || looked == SENDERS {
                let next = sender;
                self.searched.set(Some(Searched { badge, next }));
            }
            if has_it {
                break;
            }
            if looked == SENDERS {
                if port.interrupted() {
                    return Err(Interrupted);
                }
                looked = 0;
            }
            looked += 1;
            next = self.senders.after(self.place(sender), sender);
        }
        Ok(next)
    }

    /// Gives a sender another priority. In order of arrival it keeps its place.
    pub(crate) fn set_priority(&self, sender: &'static Thread, priority: u8) {
        match self.order {
            Order::Priority => {
                self.dequeue(sender);
                sender.priority.set(priority);
                self.enqueue(sender);
            }
            Order::Arrival => {
                self.by_priority.remove(sender);
                sender.priority.set(priority);
                self.by_priority.insert(sender);
            }
        }
    }

    /// The highest priority that waits here and is lent to a server.
    #[inline(always)]
    pub(crate) fn waiting_priority(&self) -> Option<u8> {
        let top = self.senders.top()?;
        if self.fixed.is_some() {
            return None;
        }
        match self.order {
            Order::Priority => Some(top),
            Order::Arrival => self.by_priority.top(),
        }
    }

    /// The priority at which those who wait here would be served, at the least.
    pub(crate) fn urgency(&self) -> Option<u8> {
        let fixed = self.fixed.filter(|_| !self.senders.is_empty());
        fixed.or_else(|| self.waiting_priority())
    }

    /// To be called after any change of what waits here.
    pub(crate) fn update_idle(&self) {
        let idle = self.handle != 0
            && self.fixed.is_none()
            && self.senders.is_empty()
            && self.notices.is_empty()
            && self.receivers.first().is_none()
            && (self.has_one_receiver.get() || self.only_receiver().is_none());
        self.idle_call.set(if idle {
            call::word(operation::REPLY_RECEIVE, self.handle)
        } else {
            0
        });
    }

    /// Makes `receiver` wait here. It is the waiting receiver if a message can simply be handed to it.
    pub(crate) fn add_receiver(&self, receiver: &'static Thread, direct: bool) {
        receiver.waiting.set(false);
        if direct && self.idle_call.get() != 0 && self.waiting_receiver.get().is_none() {
            self.waiting_receiver.set(Some(receiver));
            return;
        }
        self.list_receiver();
        receiver.waiting.set(true);
        self.receivers.push_back(receiver);
        self.update_idle();
    }

    /// Moves the waiting receiver, if any, to the list, so that only the general path finds it.
    pub(crate) fn list_receiver(&self) {
        if let Some(waiting_receiver) = self.waiting_receiver.take() {
            waiting_receiver.waiting.set(true);
            self.receivers.push_back(waiting_receiver);
            self.update_idle();
        }
    }

    /// Takes away a thread that waits here.
    pub(crate) fn remove_receiver(&self, receiver: &'static Thread) {
        if self
            .waiting_receiver
            .get()
            .is_some_and(|waiting_receiver| waiting_receiver.is(receiver))
        {
            self.waiting_receiver.set(None);
        } else if receiver.waiting.replace(false) {
            self.receivers.remove(receiver);
            self.update_idle();
        }
    }
}
