//! The queue of a server for messages that nobody waits to see answered, and the courier that fills
//! it.
//!
//! A message of the kernel is synchronous: it waits until the server receives it. So a second thread
//! of the server's process, more urgent than its clients, takes such messages at a channel of its
//! own, and answers at once; it sets a notification bit of the server's channel, which the server
//! gets before any other message. What a client sends is therefore taken in the order in which it was
//! sent, whatever kinds of messages these are.
//!
//! The ring has one producer, the courier, and one consumer, the server's thread: the consumer has
//! the slots from `head` to `tail`, the producer all others.

use core::cell::UnsafeCell;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering, compiler_fence};

use riposte::{Channel, Event, Memory, Message, Moved, Status, Token};

use crate::connection::COURIER;

/// Messages that a queue holds; whoever sends more waits.
const CAPACITY: u32 = 32;
/// Clients that can wait for room at once; further ones are told that there is none.
const WAITING: u32 = 32;
const SLOTS: u32 = CAPACITY + WAITING;
const _: () = assert!(SLOTS.is_power_of_two());

/// Servers of a process that can have a queue.
const QUEUES: usize = 4;
/// Those that have one.
static REGISTERED: [AtomicPtr<Queue>; QUEUES] = [const { AtomicPtr::new(ptr::null_mut()) }; QUEUES];

/// The server's channel has messages in its queue.
const QUEUED: u32 = 1;

/// A courier's status: the queue is full.
pub(crate) const FULL: Status = Status(1);
/// A server's status: it has no pages for the copy of a client's memory.
pub(crate) const NO_ROOM: Status = Status(2);

/// Whether a sender waits for room in the queue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    Waits,
    None,
}

/// Bytes of a message of words from a sender that does not wait.
const IMPATIENT: usize = 24;
/// The message that asks whether there is room.
pub(crate) const ROOM: [u8; 0] = [];

/// The message of a sender that does not wait: longer than one that waits by a word.
pub(crate) fn impatient(words: [u32; 5]) -> [u8; IMPATIENT] {
    let mut bytes = [0; IMPATIENT];
    for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

fn words_of(bytes: &[u8]) -> [u32; 5] {
    let mut words = [0; 5];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(4)) {
        *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    words
}

/// What is queued.
#[derive(Debug)]
pub(crate) enum Item {
    Words([u32; 5]),
    Memory(Moved<'static>, [u32; 3]),
}

struct Slot {
    item: Option<Item>,
    /// The sender, if it waits for room.
    sender: Option<Token>,
}

/// Room for 32 messages that are not blocking; see [`Queue::carry`].
pub struct Queue {
    /// Handle of the server's channel.
    channel: AtomicU32,
    /// Messages that were taken, and that were put, so far.
    head: AtomicU32,
    tail: AtomicU32,
    slots: UnsafeCell<[Slot; SLOTS as usize]>,
}

// SAFETY: by the promise of `carry`, which is the only way into the ring, one thread is its producer
// and one its consumer; each touches its own slots alone.
unsafe impl Sync for Queue {}

impl Default for Queue {
    fn default() -> Self {
        Self::new()
    }
}

impl Queue {
    /// A queue with nothing in it.
    #[must_use]
    pub const fn new() -> Queue {
        const EMPTY: Slot = Slot {
            item: None,
            sender: None,
        };
        Queue {
            channel: AtomicU32::new(0),
            head: AtomicU32::new(0),
            tail: AtomicU32::new(0),
            slots: UnsafeCell::new([EMPTY; SLOTS as usize]),
        }
    }

    /// Makes the calling thread the courier of the server whose channel is `server`: it takes, at the
    /// channel `server` with `-post` behind its name, what clients send without waiting for an
    /// answer, and the server gets it from the queue. Never returns.
    ///
    /// In the manifest the thread is more urgent than all clients, the channel `…-post` has a fixed
    /// priority of at least that, and each client that sends such messages has a connection to it.
    /// For memory that is moved, that channel has unblock notices and the process windows.
    ///
    /// # Safety
    /// It is called once for a queue, and one thread alone receives from the server.
    ///
    /// # Panics
    /// The process owns no such channels, or has too many queues.
    pub unsafe fn carry(&'static self, server: &'static str) -> ! {
        let channel = riposte::channel(server).expect("a server's channel");
        let post = riposte::channel_names()
            .find(|name| name.strip_suffix(COURIER) == Some(server))
            .and_then(|name| riposte::channel(name).ok())
            .expect("a courier's channel");
        self.channel.store(channel.handle(), Ordering::Relaxed);
        let place = REGISTERED
            .iter()
            .find(|place| place.load(Ordering::Relaxed).is_null());
        place
            .expect("room for a queue")
            .store(ptr::from_ref(self).cast_mut(), Ordering::Release);
        let mut buffer = [0; IMPATIENT];
        loop {
            match post.receive(&mut buffer) {
                Ok(Event::Message(message)) => self.accept(channel, message),
                Ok(Event::Notice(_)) | Err(riposte::Error::Interrupted) => {}
                Err(error) => panic!("courier: {error}"),
            }
        }
    }

    /// Puts a message into the queue, or tells its sender that there is no room. The sender is
    /// answered at once if the queue holds no more than it should, otherwise when it does.
    fn accept(&self, server: Channel, message: Message<'_>) {
        let (item, token, patience) = match sort(message) {
            Sorted::Item(item, token, patience) => (item, token, patience),
            Sorted::Question(token) => return answer(token, self.free(CAPACITY)),
            Sorted::Nothing(token) => return refuse(token, NO_ROOM),
            Sorted::Answered => return,
        };
        let at_once = self.free(CAPACITY);
        if !at_once && (patience == Patience::None || !self.free(SLOTS)) {
            return refuse(token, FULL);
        }
        let (now, later) = if at_once {
            (Some(token), None)
        } else {
            (None, Some(token))
        };
        self.put(item, later);
        // It fails only for a channel that is not this process's.
        let _ = server.notify(QUEUED);
        if let Some(token) = now {
            answer(token, true);
        }
    }

    /// Whether there are fewer than `most` messages.
    fn free(&self, most: u32) -> bool {
        let head = self.head.load(Ordering::Acquire);
        self.tail.load(Ordering::Relaxed).wrapping_sub(head) < most
    }

    /// For the producer, when there is a free slot.
    fn put(&self, item: Item, sender: Option<Token>) {
        let tail = self.tail.load(Ordering::Relaxed);
        let slot = Slot {
            item: Some(item),
            sender,
        };
        // SAFETY: the slot at `tail` is the producer's, which this is.
        unsafe { *self.slot(tail) = slot };
        self.tail.store(tail.wrapping_add(1), Ordering::Release);
    }

    /// For the consumer: whether there is nothing to take.
    fn is_empty(&self) -> bool {
        let head = self.head.load(Ordering::Relaxed);
        self.tail.load(Ordering::Acquire) == head
    }

    /// For the consumer: the next message. Whoever waited for the room that it had is answered.
    fn take(&self) -> Option<Item> {
        let head = self.head.load(Ordering::Relaxed);
        if self.tail.load(Ordering::Acquire) == head {
            return None;
        }
        let (item, first) = self.lift(head);
        let next = self.give_room(head);
        first
            .into_iter()
            .chain(next)
            .for_each(|token| answer(token, true));
        item
    }

    /// What is in the first slot, at `head`. It stays the consumer's.
    fn lift(&self, head: u32) -> (Option<Item>, Option<Token>) {
        // SAFETY: the slots from `head` to `tail` are the consumer's, which this is.
        let slot = unsafe { &mut *self.slot(head) };
        // A sender waits there still if the queue was emptied while it was put there.
        (slot.item.take(), slot.sender.take())
    }

    /// Gives the first slot, at `head`, to the producer. The sender of the message that there is room for by that, if it waits.
    fn give_room(&self, head: u32) -> Option<Token> {
        self.head.store(head.wrapping_add(1), Ordering::Release);
        // Looked at behind that, whatever the compiler would rather do: the producer may have put one meanwhile, and found no room.
        compiler_fence(Ordering::SeqCst);
        let waiting = self.tail.load(Ordering::Acquire).wrapping_sub(head);
        (waiting > CAPACITY).then_some(())?;
        // SAFETY: as above; `head` has moved on by one, and so many are still behind it.
        unsafe { &mut *self.slot(head.wrapping_add(CAPACITY)) }
            .sender
            .take()
    }

    fn slot(&self, count: u32) -> *mut Slot {
        // `SLOTS` is a power of two, so that the counts may wrap.
        self.slots
            .get()
            .cast::<Slot>()
            .wrapping_add((count % SLOTS) as usize)
    }
}

/// What a message to the courier is.
enum Sorted {
    Item(Item, Token, Patience),
    /// Whether there is room.
    Question(Token),
    /// Memory that found no room here.
    Nothing(Token),
    /// Nothing that is to be done.
    Answered,
}

fn sort(message: Message<'_>) -> Sorted {
    match message.fetch_memory() {
        Ok(Memory::Moved(delivery)) => {
            let words = delivery.words();
            let (memory, token) = delivery.into_parts();
            match memory.keep() {
                Ok(memory) => Sorted::Item(Item::Memory(memory, words), token, Patience::Waits),
                Err(_) => Sorted::Nothing(token),
            }
        }
        // Blocking messages are for the server's own channel.
        Ok(Memory::Lent(lent)) => Sorted::Nothing(lent.into_token()),
        Ok(Memory::LentMut(lent)) => {
            // A client that has left does not miss it.
            let _ = lent.reply_error(NO_ROOM);
            Sorted::Answered
        }
        Err(message) => match message.offered() {
            0 => Sorted::Question(message.into_token()),
            IMPATIENT => {
                let words = words_of(message.bytes());
                Sorted::Item(Item::Words(words), message.into_token(), Patience::None)
            }
            length if length > IMPATIENT => Sorted::Nothing(message.into_token()),
            _ => {
                let words = message.words();
                Sorted::Item(Item::Words(words), message.into_token(), Patience::Waits)
            }
        },
    }
}

/// Tells a sender that its message was taken, or that it would not be. It may have left.
fn answer(token: Token, taken: bool) {
    let _ = if taken {
        token.reply_words([])
    } else {
        token.reply_error(FULL)
    };
}

fn refuse(token: Token, status: Status) {
    let _ = token.reply_error(status);
}

/// The queue of the server with this channel, if it has one.
fn of(channel: Channel) -> Option<&'static Queue> {
    let queues = REGISTERED.iter().map(|place| place.load(Ordering::Acquire));
    for queue in queues.take_while(|queue| !queue.is_null()) {
        // SAFETY: only `carry` stores here, and what it stores lives for ever.
        let queue = unsafe { &*queue };
        if queue.channel.load(Ordering::Relaxed) == channel.handle() {
            return Some(queue);
        }
    }
    None
}

/// The next message in the queue of the server with this channel, if it has one.
pub(crate) fn next(channel: Channel) -> Option<Item> {
    of(channel)?.take()
}

/// Sets the notification bit again if there are messages: the notice that a server has received told of all of them, and a
/// server that answers does not look at its queue before it waits.
pub(crate) fn tell_again(channel: Channel) {
    if of(channel).is_some_and(|queue| !queue.is_empty()) {
        // It fails only for a channel that is not this process's.
        let _ = channel.notify(QUEUED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(item: Option<Item>) -> Option<u32> {
        match item {
            Some(Item::Words([first, ..])) => Some(first),
            _ => None,
        }
    }

    #[test]
    fn a_queue_gives_in_order_what_was_put_there_also_when_it_wraps() {
        let queue = Queue::new();
        queue.head.store(u32::MAX - 50, Ordering::Relaxed);
        queue.tail.store(u32::MAX - 50, Ordering::Relaxed);
        let mut next = 0;
        for round in 0..10 {
            for number in 0..CAPACITY {
                assert!(queue.free(CAPACITY));
                queue.put(Item::Words([round * CAPACITY + number; 5]), None);
            }
            assert!(!queue.free(CAPACITY) && queue.free(SLOTS));
            for _ in 0..CAPACITY {
                assert_eq!(words(queue.take()), Some(next));
                next += 1;
            }
            assert_eq!(words(queue.take()), None);
        }
    }

    #[test]
    fn who_comes_while_the_first_of_a_full_queue_is_taken_has_its_room() {
        let queue = Queue::new();
        for number in 0..CAPACITY {
            queue.put(Item::Words([number; 5]), None);
        }
        let (first, nobody) = queue.lift(0);
        assert_eq!((words(first), nobody), (Some(0), None));
        // The courier, which is more urgent, comes in between.
        assert!(!queue.free(CAPACITY));
        // SAFETY: nothing is lent to anybody here.
        let sender = || unsafe { Token::from_parts(1, 2) };
        queue.put(Item::Words([CAPACITY; 5]), Some(sender()));
        assert_eq!(queue.give_room(0), Some(sender()));
        assert!(!queue.free(CAPACITY));
    }

    #[test]
    fn a_message_of_a_sender_that_does_not_wait_keeps_its_words() {
        let bytes = impatient([1, 2, 3, 4, u32::MAX]);
        assert_eq!(bytes.len(), IMPATIENT);
        assert_eq!(words_of(&bytes), [1, 2, 3, 4, u32::MAX]);
    }
}
