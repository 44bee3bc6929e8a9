//! The search for somebody who can send what a thread waits for: if there is nobody any more, the thread is woken.
//!
//! A search looks at the handles of everybody, which takes longer than interrupts may wait: it goes in pieces.

use riposte_abi::{Error, register};

use crate::{
    Channel, Handle, Kernel, Port, Process, State, Thread, Wake, limits::HANDLES,
    object::handle::Purpose, sched::thread::Selection,
};

/// Handle slots that a search looks at between two looks for interrupts.
const PIECE: u16 = 32;

/// A search for somebody alive who can send to a channel, or open a connection and do so.
pub(crate) struct Search<'a> {
    pub channel: &'static Channel,
    /// With this badge; any if `None`.
    pub badge: Option<u32>,
    /// The word of the call that says whom to look for.
    pub named: u32,
    /// A thread of this process; anybody if `None`.
    pub holder: Option<&'static Process>,
    /// Whatever this handle leads to.
    pub but: Option<&'a Handle>,
}

value! {
/// It is not known whether anybody can still send with the badge that a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Doubt {
    /// The slot where the search goes on, counted through all processes.
    from: u16,
    /// How many processes had been started when it began.
    starts: u16,
}
}

/// What has come of a search.
pub(crate) enum Found {
    Somebody,
    Nobody,
    /// It goes on from here.
    NotYet(u16),
}

/// In [`Thread::progress`] of a thread that searches: where the search goes on, above that a count of openings, by
/// which it begins anew if there has been one, and whether it looks at one holder only.
const PLACE_BITS: u32 = 16;
const OPENINGS: u32 = 0x7FFF;
const ONE_HOLDER: u32 = OPENINGS + 1;

impl Kernel {
    /// Looks, in a step, for somebody who can send what `thread` waits for, if that is in doubt. `None` if that is not
    /// known yet.
    pub(crate) fn find_selected(&self, thread: &'static Thread) -> Option<bool> {
        let doubt = thread.doubt.take();
        match thread.selection.get() {
            _ if thread.state() != State::ReceiveBlocked => Some(true),
            Selection::Thread(client) if !client.lives() => Some(false),
            Selection::Badge(badge) => {
                let Some(doubt) = doubt else {
                    return Some(true);
                };
                let starts = self.starts.get();
                let from = if doubt.starts == starts {
                    doubt.from
                } else {
                    0
                };
                let search = Search {
                    channel: thread.bound.get(),
                    badge: Some(badge),
                    named: badge,
                    holder: None,
                    but: None,
                };
                match self.search(&search, from) {
                    Found::Somebody => Some(true),
                    Found::Nobody => Some(false),
                    Found::NotYet(from) => {
                        thread.doubt.set(Some(Doubt { from, starts }));
                        None
                    }
                }
            }
            Selection::Thread(_) | Selection::Anyone => Some(true),
        }
    }

    /// Looks at a piece of the handle slots, from slot `from` on, counted through all processes.
    fn search(&self, search: &Search, from: u16) -> Found {
        let first = search.holder.map_or(0, |holder| usize::from(holder.index));
        let last = search.holder.map_or(usize::MAX, |_| first);
        let from = usize::from(from).max(first * HANDLES);
        let (mut process, mut slot) = (from / HANDLES, from % HANDLES);
        let mut left = PIECE;
        while left > 0 {
            let (Some(holder), Some(handles)) = (
                self.tables
                    .processes
                    .get(process)
                    .filter(|_| process <= last),
                self.tables.handles.get(process),
            ) else {
                return Found::Nobody;
            };
            if holder.is_alive() {
                let rest = handles.get(slot..).unwrap_or(&[]);
                let looked = rest.len().min(left.into());
                if rest
                    .iter()
                    .take(looked)
                    .any(|handle| handle.leads_to(search))
                {
                    return Found::Somebody;
                }
                left -= looked as u16;
                slot += looked;
            } else {
                left -= 1;
                slot = HANDLES;
            }
            if slot == HANDLES {
                slot = 0;
                process += 1;
            }
        }
        // The largest table ends where no place can be told any more.
        u16::try_from(process * HANDLES + slot).map_or(Found::Nobody, Found::NotYet)
    }

    /// Searches in a call of `caller`: whether there is somebody; `None` if an interrupt waits before that
    /// is known, and the call is to come again.
    pub(crate) fn find_sender(
        &self,
        port: &impl Port,
        caller: &'static Thread,
        search: &Search,
    ) -> Option<bool> {
        let one_holder = if search.holder.is_some() {
            ONE_HOLDER
        } else {
            0
        };
        let search_of = u32::from(self.openings_of(search.channel)) & OPENINGS | one_holder;
        let kept = caller.begun_with(search.named);
        let mut from = if kept >> PLACE_BITS == search_of {
            kept as u16
        } else {
            0
        };
        loop {
            match self.search(search, from) {
                Found::Somebody => return Some(true),
                Found::Nobody => return Some(false),
                Found::NotYet(next) => from = next,
            }
            if port.interrupted() {
                let progress = search_of << PLACE_BITS | u32::from(from);
                caller.keep_progress_with(search.named, progress);
                return None;
            }
        }
    }

    /// `handle` of `caller` is about to be closed: whoever waits for a message that could come through
    /// nothing else is woken. Whether all are: if an interrupt waits, the call comes again.
    pub(crate) fn end_hopes(
        &self,
        port: &impl Port,
        caller: &'static Thread,
        handle: &Handle,
    ) -> bool {
        // A connection of the manifest can be opened again.
        if handle.purpose != Purpose::Spare || !handle.is_open() || !handle.doubt() {
            return true;
        }
        let search = Search {
            channel: handle.target.get(),
            badge: Some(handle.badge.get()),
            named: caller.register(register::WORDS[0]),
            holder: None,
            but: Some(handle),
        };
        match self.find_sender(port, caller, &search) {
            None => return false,
            Some(true) => return true,
            Some(false) => {}
        }
        while let Some(waiting) = handle.awaiting().next() {
            self.wake(port, waiting, Wake::Failed(Error::PeerDied));
            if port.interrupted() {
                return false;
            }
        }
        true
    }

    /// A count that grows whenever there may be somebody behind the place to which a search for a sender to `channel`
    /// has come: the search begins anew then. What strangers open does not matter, so that they delay nobody; to start
    /// a process takes them longer than a search.
    pub(crate) fn openings_of(&self, channel: &Channel) -> u16 {
        self.starts.get().wrapping_add(channel.openings.get())
    }

    /// A process has been started, with whatever connections it has.
    pub(crate) fn note_start(&self) {
        self.starts.set(self.starts.get().wrapping_add(1));
    }
}

impl Handle {
    /// Who waits for a message with this badge alone.
    fn awaiting(&self) -> impl Iterator<Item = &'static Thread> {
        let badge = self.badge.get();
        let receivers = self.target.get().receivers();
        receivers.filter(move |receiver| {
            matches!(receiver.selection.get(), Selection::Badge(wanted) if wanted == badge)
        })
    }

    /// It is about to be closed: whether somebody waits for a message with its badge. It is doubtful then whether
    /// one can come.
    pub(crate) fn doubt(&self) -> bool {
        let begins = Doubt { from: 0, starts: 0 };
        let doubted = self.awaiting().inspect(|it| it.doubt.set(Some(begins)));
        doubted.count() > 0
    }

    /// It has been opened: nobody who waits for its badge waits in vain.
    pub(crate) fn end_doubt(&self) {
        self.awaiting().for_each(|it| it.doubt.set(None));
    }

    fn leads_to(&self, search: &Search) -> bool {
        (self.purpose == Purpose::Connection || self.is_open())
            && self.target.get().is(search.channel)
            && search.badge.is_none_or(|badge| badge == self.badge.get())
            && !search.but.is_some_and(|but| core::ptr::eq(but, self))
    }
}
