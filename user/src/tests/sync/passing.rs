//! Flags, mailboxes, queues, pools and barriers.

use core::num::NonZeroU32;
use std::boxed::Box;
use std::vec::Vec;

use super::kernel::{calls, die, enter, soon, together, while_waiting};
use crate::sync::{
    Barrier, ByteQueue, EventFlags, Flags, Mailbox, Pool, PoolBox, Queue, Received, Word,
};
use crate::{Deadline, Error};

fn number(value: u32) -> NonZeroU32 {
    NonZeroU32::new(value).unwrap()
}

#[test]
fn any_of_some_flags_is_enough_or_all_are_needed() {
    enter();
    let flags = EventFlags::new(0b0100);
    assert_eq!(flags.try_wait(Flags::any(0b0011)), None);
    assert_eq!(flags.try_wait(Flags::any(0b0110)), Some(0b0100));
    assert_eq!(flags.try_wait(Flags::all(0b0110)), None);
    flags.set(0b0010);
    assert_eq!(flags.wait(Flags::all(0b0110)), Ok(0b0110));
    assert_eq!(flags.get(), 0b0110);
    assert_eq!(calls(), 0);
}

#[test]
fn flags_that_were_found_are_cleared_if_asked_and_no_others() {
    enter();
    let flags = EventFlags::new(0b1111);
    assert_eq!(flags.wait(Flags::any(0b0011).clear()), Ok(0b0011));
    assert_eq!(flags.get(), 0b1100);
    assert_eq!(flags.try_wait(Flags::all(0b0111).clear()), None);
    assert_eq!(flags.get(), 0b1100);
    assert_eq!(flags.clear(0b0110), 0b0100);
    assert_eq!(flags.get(), 0b1000);
}

#[test]
fn who_waits_for_flags_wakes_when_they_are_set() {
    let flags = EventFlags::new(0);
    let found = while_waiting(
        || flags.wait(Flags::all(3).clear()),
        || {
            flags.set(1);
            flags.set(2);
        },
    );
    assert_eq!((found, flags.get()), (Ok(3), 0));
    let late = flags.wait_until(Flags::any(1), soon(20));
    assert_eq!(late, Err(Error::TimedOut));
}

#[test]
fn a_mailbox_holds_one_word() {
    enter();
    let mailbox = Mailbox::new();
    assert_eq!(mailbox.try_fetch(), None);
    assert!(mailbox.try_post(number(5)));
    assert!(!mailbox.try_post(number(6)));
    assert_eq!(
        mailbox.post_until(number(6), Deadline::Immediate),
        Err(Error::WouldBlock)
    );
    assert_eq!(mailbox.fetch(), Ok(number(5)));
    assert_eq!(calls(), 0);
    assert_eq!(mailbox.fetch_until(soon(20)), Err(Error::TimedOut));
}

#[test]
fn every_word_is_fetched_once_from_a_mailbox() {
    let (mailbox, sum) = (Mailbox::new(), Word::new(0));
    together(4, |own| {
        for turn in 1..=500 {
            if own % 2 == 0 {
                mailbox.post(number(turn)).unwrap();
            } else {
                sum.add(mailbox.fetch().unwrap().get());
            }
        }
    });
    assert_eq!(sum.load(), 2 * 500 * 501 / 2);
}

#[test]
fn a_queue_gives_its_items_in_order_and_takes_as_many_as_it_has_places() {
    enter();
    let queue = Queue::<u64, 3>::new();
    for round in 0..20 {
        for item in 0..3 {
            queue.send(round * 10 + item).unwrap();
        }
        let refused = queue.try_send(99).unwrap_err();
        assert_eq!((refused.item, refused.error), (99, Error::WouldBlock));
        assert_eq!(queue.length(), Ok(3));
        for item in 0..3 {
            assert_eq!(queue.receive(), Ok(round * 10 + item));
        }
        assert_eq!(queue.try_receive(), Err(Error::WouldBlock));
        // Begin at another place.
        queue.send(0).unwrap();
        queue.receive().unwrap();
    }
    assert_eq!(calls(), 0);
}

#[test]
fn no_item_of_a_queue_is_lost_or_doubled_among_many_threads() {
    let (queue, sum) = (Queue::<Box<u32>, 2>::new(), Word::new(0));
    together(4, |own| {
        for turn in 1..=500 {
            if own % 2 == 0 {
                queue.send(Box::new(turn)).unwrap();
            } else {
                sum.add(*queue.receive().unwrap());
            }
        }
    });
    assert_eq!(sum.load(), 2 * 500 * 501 / 2);
}

#[test]
fn who_waits_for_a_queue_too_long_keeps_the_item() {
    enter();
    let queue = Queue::<u8, 1>::new();
    assert_eq!(queue.receive_until(soon(20)), Err(Error::TimedOut));
    queue.send(1).unwrap();
    let refused = queue.send_until(2, soon(20)).unwrap_err();
    assert_eq!((refused.item, refused.error), (2, Error::TimedOut));
    assert_eq!(queue.receive(), Ok(1));
}

#[test]
fn items_that_nobody_received_are_dropped_with_the_queue() {
    enter();
    let item = std::rc::Rc::new(());
    let queue = Queue::<_, 4>::new();
    queue.send(item.clone()).unwrap();
    queue.send(item.clone()).unwrap();
    drop(queue);
    assert_eq!(std::rc::Rc::strong_count(&item), 1);
}

/// Overwrites a word of `place`, as a stranger can who shares the memory.
fn write<T>(place: &T, word: usize, value: u32) {
    assert!(size_of::<T>() > word * 4);
    // SAFETY: it is within the value, which is made of words that others may change.
    let words = unsafe { &*core::ptr::from_ref(place).cast::<Word>().add(word) };
    words.store(value);
}

#[test]
fn a_queue_whose_positions_a_stranger_has_written_fails_and_does_no_more() {
    enter();
    for word in 1..=1 {
        for value in [
            5,
            0x1_0007,
            0x5_0000,
            0x4_0003,
            0x8_0002,
            1 << 30,
            u32::MAX,
            u32::MAX - 7,
        ] {
            let queue = Queue::<u32, 4>::new();
            write(&queue, word, value);
            let sent = queue.try_send(1).map_err(|refused| refused.error);
            let received = queue.try_receive();
            let known = [Error::BadArgument, Error::WouldBlock];
            assert!(sent.is_ok() || known.contains(&sent.unwrap_err()));
            assert!(received.is_ok() || known.contains(&received.unwrap_err()));
            let bytes = ByteQueue::<4>::new();
            write(&bytes, word, value);
            let sent = bytes.try_send(&[1, 2, 3, 4, 5]);
            assert!(sent.is_ok() || known.contains(&sent.unwrap_err()));
            let received = bytes.try_receive(&mut [0; 32]);
            assert!(received.is_ok() || known.contains(&received.unwrap_err()));
        }
    }
}

#[test]
fn a_message_whose_length_a_stranger_has_written_fails_and_does_no_more() {
    enter();
    for length in [13, 16, 0x8000_0000, u32::MAX] {
        let queue = ByteQueue::<8>::new();
        queue.send(&[1, 2, 3]).unwrap();
        write(&queue, 6, length);
        assert_eq!(queue.try_receive(&mut [0; 64]), Err(Error::BadArgument));
    }
}

#[test]
fn messages_of_all_lengths_pass_through_a_byte_queue_whole() {
    enter();
    let queue = ByteQueue::<8>::new();
    let bytes: Vec<u8> = (1..=28).collect();
    for length in (0..=28).chain((0..=28).rev()) {
        queue.send(&bytes[..length]).unwrap();
        let mut buffer = [0; 28];
        let received = queue.receive(&mut buffer).unwrap();
        assert_eq!(
            received,
            Received {
                copied: length,
                length
            }
        );
        assert_eq!(buffer[..length], bytes[..length]);
        assert!(buffer[length..].iter().all(|byte| *byte == 0));
    }
    assert_eq!(calls(), 0);
}

#[test]
fn a_byte_queue_says_what_it_could_not_copy_and_what_never_fits() {
    enter();
    let queue = ByteQueue::<4>::new();
    assert_eq!(queue.send(&[0; 13]), Err(Error::BadArgument));
    queue.send(&[1; 12]).unwrap();
    assert_eq!(queue.try_send(&[]), Err(Error::WouldBlock));
    let received = queue.receive(&mut [0; 5]).unwrap();
    assert_eq!((received.copied, received.length), (5, 12));
    assert_eq!(queue.try_receive(&mut []), Err(Error::WouldBlock));
    assert_eq!(queue.receive_until(&mut [], soon(20)), Err(Error::TimedOut));
}

#[test]
fn who_waits_for_room_gets_it() {
    let queue = ByteQueue::<4>::new();
    enter();
    queue.send(&[1; 8]).unwrap();
    let sent = while_waiting(
        || queue.send(&[2; 8]),
        || {
            queue.receive(&mut [0; 8]).unwrap();
        },
    );
    assert_eq!(sent, Ok(()));
    let mut buffer = [0; 8];
    queue.receive(&mut buffer).unwrap();
    assert_eq!(buffer, [2; 8]);
}

#[test]
fn a_pool_gives_each_block_to_one_at_a_time() {
    enter();
    let pool = Pool::<u64, 3>::new();
    let mut boxes: Vec<_> = (0..3)
        .map(|value| pool.try_allocate(value).unwrap())
        .collect();
    assert_eq!(pool.try_allocate(9).unwrap_err(), Error::WouldBlock);
    *boxes[1] += 10;
    assert_eq!(
        boxes.iter().map(|value| **value).collect::<Vec<_>>(),
        [0, 11, 2]
    );
    boxes.remove(1);
    assert_eq!(*pool.allocate(7).unwrap(), 7);
    assert_eq!(calls(), 0);
    drop(boxes);
    let all: Vec<_> = (0..3).map(|value| pool.allocate(value).unwrap()).collect();
    assert_eq!(
        pool.allocate_until(9, soon(20)).unwrap_err(),
        Error::TimedOut
    );
    drop(all);
}

#[test]
fn who_waits_for_a_block_gets_one_that_is_given_back() {
    let pool = Pool::<u32, 1>::new();
    enter();
    let block = pool.allocate(1).unwrap();
    let value = while_waiting(|| *pool.allocate(2).unwrap(), || drop(block));
    assert_eq!(value, 2);
}

#[test]
fn blocks_are_not_shared_among_many_threads() {
    let pool = Pool::<u32, 2>::new();
    together(4, |own| {
        for _ in 0..500 {
            let mut block = pool.allocate(own).unwrap();
            *block += 100;
            std::thread::yield_now();
            assert_eq!(*block, own + 100);
        }
    });
}

#[test]
fn no_block_is_lost_or_given_twice_when_threads_take_several_and_give_them_back_in_any_order() {
    const BLOCKS: usize = 5;
    let pool = Pool::<u32, BLOCKS>::new();
    let holds = |block: &Result<PoolBox<'_, u32, BLOCKS>, Error>, value| {
        assert!(block.as_ref().is_err() || block.as_deref() == Ok(&value));
    };
    together(4, |own| {
        for round in 0..200_000 {
            let first = pool.try_allocate(own);
            let second = pool.try_allocate(own + 10);
            if round % 2 == 0 {
                holds(&first, own);
                drop(first);
                holds(&second, own + 10);
            } else {
                holds(&second, own + 10);
                drop(second);
                holds(&first, own);
            }
        }
    });
    enter();
    let all: Vec<_> = (0..BLOCKS as u32)
        .map(|value| pool.try_allocate(value).unwrap())
        .collect();
    assert!(pool.try_allocate(9).is_err());
    assert!((0..).zip(&all).all(|(value, block)| **block == value));
}

#[test]
fn a_value_in_a_pool_is_dropped_with_its_box() {
    enter();
    let value = std::rc::Rc::new(());
    let pool = Pool::<_, 1>::new();
    drop(pool.allocate(value.clone()));
    assert_eq!(std::rc::Rc::strong_count(&value), 1);
}

#[test]
fn all_threads_leave_a_barrier_when_the_last_one_has_come() {
    let (barrier, come, last) = (Barrier::new(4), Word::new(0), Word::new(0));
    together(4, |_| {
        for round in 1..=200 {
            come.add(1);
            last.add(u32::from(barrier.wait().unwrap()));
            assert!(come.load() >= round * 4);
            barrier.wait().unwrap();
        }
    });
    assert_eq!(last.load(), 200, "one of each round is the last");
}

#[test]
fn who_leaves_a_barrier_too_early_has_not_come() {
    enter();
    let barrier = Barrier::new(2);
    assert_eq!(
        barrier.wait_until(Deadline::Immediate),
        Err(Error::WouldBlock)
    );
    assert_eq!(barrier.wait_until(soon(20)), Err(Error::TimedOut));
    let other = while_waiting(|| barrier.wait(), || assert_eq!(barrier.wait(), Ok(true)));
    assert_eq!(other, Ok(false));
}

#[test]
fn a_queue_whose_user_died_in_a_copy_costs_no_call_afterwards() {
    let queue = Queue::<u32, 2>::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let id = enter();
            // SAFETY: a queue begins with the word of its lock.
            unsafe { &*(&raw const queue).cast::<Word>() }.store(id);
            die(id);
        });
    });
    enter();
    queue.try_send(1).unwrap();
    let before = calls();
    queue.try_send(2).unwrap();
    assert_eq!((queue.try_receive(), calls()), (Ok(1), before));
}

#[test]
fn who_does_not_want_to_wait_leaves_a_holder_that_never_ends_its_copy() {
    let stranger = enter();
    enter();
    let (queue, bytes) = (Queue::<u32, 2>::new(), ByteQueue::<4>::new());
    write(&queue, 0, stranger);
    write(&bytes, 0, stranger);
    let (blocked, immediate) = (Error::WouldBlock, Deadline::Immediate);
    let sent = [queue.try_send(1), queue.send_until(1, immediate)];
    assert!(sent.iter().all(|sent| sent.unwrap_err().error == blocked));
    assert_eq!(
        [queue.try_receive(), queue.receive_until(immediate)],
        [Err(blocked); 2]
    );
    assert_eq!(
        [bytes.try_send(&[]), bytes.send_until(&[], immediate)],
        [Err(blocked); 2]
    );
    let received = [
        bytes.try_receive(&mut []),
        bytes.receive_until(&mut [], immediate),
    ];
    assert_eq!(received, [Err(blocked); 2]);
}

#[test]
fn a_word_whose_poster_died_before_its_wake_is_fetched_when_the_next_one_comes() {
    let mailbox = Mailbox::new();
    let fetched = while_waiting(
        || mailbox.fetch_until(soon(10_000)),
        || {
            write(&mailbox, 0, 5);
            assert_eq!(mailbox.post_until(number(6), soon(2000)), Ok(()));
        },
    );
    assert_eq!(
        (fetched, mailbox.try_fetch()),
        (Ok(number(5)), Some(number(6)))
    );
}

#[test]
fn room_in_a_mailbox_is_used_though_whoever_was_woken_for_it_died() {
    let mailbox = Mailbox::new();
    write(&mailbox, 0, 5);
    let posted = while_waiting(
        || mailbox.post_until(number(6), soon(10_000)),
        || {
            write(&mailbox, 0, 0);
            assert_eq!(mailbox.fetch_until(soon(2000)), Ok(number(6)));
        },
    );
    assert_eq!(posted, Ok(()));
}

/// The word of a queue that says what is full, and where its items begin.
const RING: usize = 1;
const ITEMS: usize = 6;

#[test]
fn an_item_whose_sender_died_before_its_wake_is_received_when_the_next_one_comes() {
    let (queue, bytes) = (Queue::<u32, 1>::new(), ByteQueue::<2>::new());
    let received = while_waiting(
        || queue.receive_until(soon(10_000)),
        || {
            write(&queue, ITEMS, 5);
            write(&queue, RING, 1 << 16);
            assert_eq!(queue.send_until(6, soon(2000)), Ok(()));
        },
    );
    assert_eq!((received, queue.try_receive()), (Ok(5), Ok(6)));
    let received = while_waiting(
        || bytes.receive_until(&mut [0; 4], soon(10_000)),
        || {
            write(&bytes, ITEMS, 4);
            write(&bytes, RING, 2 << 16);
            assert_eq!(bytes.send_until(&[], soon(2000)), Ok(()));
        },
    );
    let length = |received: Received| received.length;
    assert_eq!(received.map(length), Ok(4));
    assert_eq!(bytes.try_receive(&mut []).map(length), Ok(0));
}

#[test]
fn room_in_a_queue_is_used_though_whoever_was_woken_for_it_died() {
    let (queue, bytes) = (Queue::<u32, 1>::new(), ByteQueue::<2>::new());
    queue.try_send(5).unwrap();
    bytes.try_send(&[5; 4]).unwrap();
    let sent = while_waiting(
        || queue.send_until(6, soon(10_000)),
        || {
            write(&queue, RING, 0);
            assert_eq!(queue.receive_until(soon(2000)), Ok(6));
        },
    );
    assert_eq!(sent, Ok(()));
    let sent = while_waiting(
        || bytes.send_until(&[6; 3], soon(10_000)),
        || {
            write(&bytes, RING, 0);
            let received = bytes.receive_until(&mut [0; 4], soon(2000));
            assert_eq!(received.map(|received| received.length), Ok(3));
        },
    );
    assert_eq!(sent, Ok(()));
}

#[test]
fn who_waits_at_a_barrier_leaves_it_though_the_last_one_died_before_its_wake() {
    let barrier = Barrier::new(2);
    let waited = while_waiting(
        || [0; 2].map(|_| barrier.wait_until(soon(10_000))),
        || {
            write(&barrier, 1, 1 << 16);
            assert_eq!(barrier.wait_until(soon(2000)), Ok(false));
        },
    );
    assert_eq!(waited, [Ok(false), Ok(true)]);
}
