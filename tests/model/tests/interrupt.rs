//! Interrupts to processes: rules 21 and 24.

use riposte_abi::{Error, call::number, notice};
use riposte_kernel::{OnEnd, State};
use riposte_model::{
    Answer, Call, ChannelId, Connection, InterruptId, LineKind, Machine, System, ThreadId,
    both_paths, ram,
};

/// A driver with a thread at 12, one at 5, and an interrupt for each kind of line.
struct Driver {
    system: System,
    handler: ThreadId,
    other: ThreadId,
    stranger: ThreadId,
    channel: ChannelId,
    link: Connection,
    edge: InterruptId,
    others: [InterruptId; 2],
}

impl Driver {
    fn new() -> Self {
        let mut system = System::new();
        let process = system.process();
        system.on_end(process, OnEnd::Restart);
        let second = system.process();
        system.on_end(second, OnEnd::Restart);
        let handler = system.thread(process, 12);
        let other = system.thread(process, 5);
        let stranger = system.thread(second, 8);
        let channel = system.channel(process);
        system.channel(second);
        let link = system.connection(second, channel, 1);
        let edge = system.interrupt(process, LineKind::Edge);
        let level = system.interrupt(process, LineKind::Level);
        let mute = system.interrupt(second, LineKind::Mute);
        Self {
            system,
            handler,
            other,
            stranger,
            channel,
            link,
            edge,
            others: [level, mute],
        }
    }

    /// The handler attaches `interrupt`, and gets its handle.
    fn attach(&self, m: &mut Machine, interrupt: InterruptId, bits: u32) -> u32 {
        m.attach(self.handler, interrupt, self.channel, bits)
    }

    /// It acknowledges and waits.
    fn wait(&self, m: &mut Machine, interrupt: u32) {
        let channel = m.receive_handle(self.channel);
        let wait = Call::acknowledge_and_receive(channel, interrupt);
        m.call(self.handler, wait);
    }
}

/// `thread` does nothing from now on.
fn park(m: &mut Machine, thread: ThreadId) {
    m.call(thread, Call::sleep(1 << 40));
}

fn bits(answer: Option<Answer>) -> Option<u32> {
    let answer = answer?;
    assert_eq!(answer.notice(), Some(notice::BITS));
    Some(answer.words()[1])
}

#[test]
fn rule_21_a_handler_that_waits_preempts_who_runs_when_its_interrupt_comes() {
    let driver = Driver::new();
    both_paths(&driver.system, |m| {
        let handle = driver.attach(m, driver.edge, 6);
        for _ in 0..3 {
            driver.wait(m, handle);
            assert_eq!(m.state(driver.handler), State::ReceiveBlocked);
            if m.state(driver.stranger) == State::Ready {
                park(m, driver.stranger);
            }
            m.run(driver.other);
            m.raise(driver.edge.line);
            assert_eq!(m.current(), driver.handler);
            assert_eq!(bits(m.answer(driver.handler)), Some(6));
        }
    });
}

#[test]
fn rule_21_an_interrupt_is_masked_from_the_moment_it_comes_until_it_is_acknowledged() {
    let driver = Driver::new();
    both_paths(&driver.system, |m| {
        let handle = driver.attach(m, driver.edge, 1);
        // To begin with, too.
        m.raise(driver.edge.line);
        let receive = Call::receive(m.receive_handle(driver.channel)).deadline(0);
        assert_eq!(m.refused(driver.handler, receive), Error::WouldBlock);
        m.call(
            driver.handler,
            Call::other(number::INTERRUPT_ACK, &[handle]),
        );
        assert_eq!(bits(Some(m.answer_to(driver.handler, receive))), Some(1));
        m.raise(driver.edge.line);
        m.raise(driver.edge.line);
        assert_eq!(m.refused(driver.handler, receive), Error::WouldBlock);
        // What came meanwhile comes once.
        driver.wait(m, handle);
        assert_eq!(bits(m.answer(driver.handler)), Some(1));
        driver.wait(m, handle);
        assert_eq!(m.state(driver.handler), State::ReceiveBlocked);
    });
}

#[test]
fn rule_21_a_device_that_still_asks_is_heard_again_and_one_that_was_satisfied_is_not() {
    let driver = Driver::new();
    let level = driver.others[0];
    both_paths(&driver.system, |m| {
        let handle = driver.attach(m, level, 1);
        driver.wait(m, handle);
        m.assert_line(level.line, true);
        assert_eq!(bits(m.answer(driver.handler)), Some(1));
        // The driver has not made it stop.
        driver.wait(m, handle);
        assert_eq!(bits(m.answer(driver.handler)), Some(1));
        m.assert_line(level.line, false);
        driver.wait(m, handle);
        assert_eq!(m.state(driver.handler), State::ReceiveBlocked);
    });
}

#[test]
fn rule_21_a_masked_interrupt_waits_until_it_is_acknowledged() {
    let driver = Driver::new();
    both_paths(&driver.system, |m| {
        let handle = driver.attach(m, driver.edge, 1);
        driver.wait(m, handle);
        park(m, driver.stranger);
        m.call(driver.other, Call::other(number::INTERRUPT_MASK, &[handle]));
        m.raise(driver.edge.line);
        assert_eq!(m.state(driver.handler), State::ReceiveBlocked);
        m.call(driver.other, Call::other(number::INTERRUPT_ACK, &[handle]));
        assert_eq!(bits(m.answer(driver.handler)), Some(1));
    });
}

#[test]
fn rule_21_software_raises_an_interrupt_as_its_device_does() {
    let driver = Driver::new();
    both_paths(&driver.system, |m| {
        let handle = driver.attach(m, driver.edge, 1);
        let pend = Call::other(number::INTERRUPT_PEND, &[handle]);
        driver.wait(m, handle);
        park(m, driver.stranger);
        m.call(driver.other, pend);
        assert_eq!(m.current(), driver.handler);
        assert_eq!(bits(m.answer(driver.handler)), Some(1));
        // Masked now: the one that it raises itself is kept.
        m.call(driver.handler, pend);
        m.call(driver.handler, pend);
        driver.wait(m, handle);
        assert_eq!(bits(m.answer(driver.handler)), Some(1));
        driver.wait(m, handle);
        assert_eq!(m.state(driver.handler), State::ReceiveBlocked);
    });
}

#[test]
fn rule_21_software_raises_an_interrupt_that_the_machine_cannot() {
    let driver = Driver::new();
    let mute = driver.others[1];
    both_paths(&driver.system, |m| {
        park(m, driver.handler);
        let channel = m.kernel.tables().channels[1].handle;
        let attach = Call::attach(mute.position, channel, 3);
        let handle = m.answer_to(driver.stranger, attach).word();
        let pend = Call::other(number::INTERRUPT_PEND, &[handle]);
        m.call(driver.stranger, pend);
        m.call(
            driver.stranger,
            Call::other(number::INTERRUPT_ACK, &[handle]),
        );
        let wait = Call::acknowledge_and_receive(channel, handle);
        assert_eq!(bits(Some(m.answer_to(driver.stranger, wait))), Some(3));
        m.call(driver.stranger, pend);
        assert_eq!(bits(Some(m.answer_to(driver.stranger, wait))), Some(3));
        m.call(driver.stranger, wait);
        assert_eq!(m.state(driver.stranger), State::ReceiveBlocked);
        m.raise(mute.line);
        assert_eq!(bits(m.answer(driver.stranger)), Some(3));
    });
}

#[test]
fn rule_21_an_interrupt_is_the_business_of_the_process_that_the_manifest_gives_it_to() {
    let driver = Driver::new();
    both_paths(&driver.system, |m| {
        let channel = m.receive_handle(driver.channel);
        let foreign = m.kernel.tables().channels[1].handle;
        let handle = driver.attach(m, driver.edge, 1);
        for (thread, call, error) in [
            (
                driver.handler,
                Call::attach(2, channel, 1),
                Error::NotPermitted,
            ),
            (driver.handler, Call::attach(0, channel, 1), Error::InUse),
            (
                driver.handler,
                Call::attach(1, channel, 0),
                Error::BadArgument,
            ),
            (
                driver.handler,
                Call::attach(1, channel + 0x100, 1),
                Error::BadHandle,
            ),
        ] {
            assert_eq!(m.refused(thread, call), error, "{call:x?}");
        }
        for wrong in [handle + 0x100, handle ^ 1, channel, 0, u32::MAX] {
            for number in number::INTERRUPT_DETACH..=number::INTERRUPT_PEND {
                let call = Call::other(number, &[wrong]);
                assert_eq!(m.refused(driver.handler, call), Error::BadHandle);
            }
            let call = Call::acknowledge_and_receive(channel, wrong);
            assert_eq!(m.refused(driver.handler, call), Error::BadHandle);
        }
        for call in [
            Call::send(handle, &[]),
            Call::other(number::CLOSE, &[handle]),
        ] {
            assert_eq!(m.refused(driver.handler, call), Error::NotPermitted);
        }
        park(m, driver.handler);
        let call = Call::attach(1, foreign, 1);
        assert_eq!(m.refused(driver.stranger, call), Error::NotPermitted);
        let call = Call::other(number::INTERRUPT_PEND, &[handle]);
        assert_eq!(m.refused(driver.stranger, call), Error::BadHandle);
    });
}

#[test]
fn rule_21_a_wait_that_fails_at_once_acknowledges_nothing() {
    let driver = Driver::new();
    both_paths(&driver.system, |m| {
        let channel = m.receive_handle(driver.channel);
        let handle = driver.attach(m, driver.edge, 1);
        let wait = Call::acknowledge_and_receive(channel, handle).deadline(0);
        assert_eq!(m.refused(driver.handler, wait), Error::WouldBlock);
        m.raise(driver.edge.line);
        let receive = Call::receive(channel).deadline(0);
        assert_eq!(m.refused(driver.handler, receive), Error::WouldBlock);
    });
}

#[test]
fn rule_21_a_wait_that_is_to_be_executed_again_acknowledges_nothing_yet() {
    let driver = Driver::new();
    both_paths(&driver.system, |m| {
        let channel = m.receive_handle(driver.channel);
        let handle = driver.attach(m, driver.edge, 1);
        m.call(driver.handler, Call::sleep(m.now() + 10));
        let send = Call::send_bytes(m.handle(driver.link), ram(1).base, 700);
        m.call(driver.stranger, send);
        m.advance(20);
        let wait = Call::acknowledge_and_receive(channel, handle).room(ram(0).base, 1000);
        m.host.interrupt_after(1);
        assert!(
            !m.call_once(driver.handler, wait),
            "the copy is interrupted"
        );
        assert_eq!(m.lines().enabled, 0);
        assert!(m.repeat(driver.handler));
        assert_eq!(m.lines().enabled, 1 << driver.edge.line);
    });
}

#[test]
fn rule_21_a_detached_interrupt_comes_no_more_and_its_handle_is_stale() {
    let driver = Driver::new();
    both_paths(&driver.system, |m| {
        let channel = m.receive_handle(driver.channel);
        let handle = driver.attach(m, driver.edge, 1);
        m.call(
            driver.handler,
            Call::other(number::INTERRUPT_PEND, &[handle]),
        );
        m.call(
            driver.handler,
            Call::other(number::INTERRUPT_DETACH, &[handle]),
        );
        m.raise(driver.edge.line);
        for number in number::INTERRUPT_DETACH..=number::INTERRUPT_PEND {
            let call = Call::other(number, &[handle]);
            assert_eq!(m.refused(driver.handler, call), Error::BadHandle);
        }
        let again = driver.attach(m, driver.edge, 2);
        assert_ne!(again, handle);
        let wait = Call::acknowledge_and_receive(channel, again);
        m.call(driver.handler, wait);
        assert_eq!(m.state(driver.handler), State::ReceiveBlocked);
    });
}

#[test]
fn rule_24_an_interrupt_does_not_outlive_its_process() {
    let driver = Driver::new();
    both_paths(&driver.system, |m| {
        let handle = driver.attach(m, driver.edge, 1);
        driver.wait(m, handle);
        m.raise(driver.edge.line);
        m.call(
            driver.handler,
            Call::other(number::INTERRUPT_PEND, &[handle]),
        );
        m.fault(driver.handler);
        assert_eq!(m.lines().enabled, 0);
        m.raise(driver.edge.line);
        let call = Call::other(number::INTERRUPT_ACK, &[handle]);
        assert_eq!(m.refused(driver.handler, call), Error::BadHandle);
        let handle = driver.attach(m, driver.edge, 1);
        driver.wait(m, handle);
        assert_eq!(m.state(driver.handler), State::ReceiveBlocked);
        m.raise(driver.edge.line);
        assert_eq!(bits(m.answer(driver.handler)), Some(1));
    });
}

#[test]
fn rule_21_bits_of_several_interrupts_come_together() {
    let driver = Driver::new();
    both_paths(&driver.system, |m| {
        let channel = m.receive_handle(driver.channel);
        let edge = driver.attach(m, driver.edge, 1);
        let level = driver.attach(m, driver.others[0], 4);
        for handle in [edge, level] {
            m.call(
                driver.handler,
                Call::other(number::INTERRUPT_ACK, &[handle]),
            );
        }
        m.raise(driver.edge.line);
        m.assert_line(driver.others[0].line, true);
        let answer = m.answer_to(driver.handler, Call::receive(channel));
        assert_eq!(bits(Some(answer)), Some(5));
    });
}

#[test]
fn rule_21_each_of_two_interrupts_of_a_channel_is_acknowledged_by_its_own_handle() {
    let driver = Driver::new();
    both_paths(&driver.system, |m| {
        let [level, _] = driver.others;
        let first = driver.attach(m, driver.edge, 1);
        let second = driver.attach(m, level, 2);
        for (handle, line, set) in [
            (first, driver.edge.line, 1),
            (second, level.line, 2),
            (first, driver.edge.line, 1),
        ] {
            driver.wait(m, handle);
            m.raise(line);
            assert_eq!(bits(m.answer(driver.handler)), Some(set));
        }
        // The one that was attached last is gone; the other one goes on.
        m.call(
            driver.handler,
            Call::other(number::INTERRUPT_DETACH, &[second]),
        );
        for stale in [0, second] {
            let channel = m.receive_handle(driver.channel);
            let wait = Call::acknowledge_and_receive(channel, stale);
            assert_eq!(m.refused(driver.handler, wait), Error::BadHandle);
        }
        driver.wait(m, first);
        m.raise(driver.edge.line);
        assert_eq!(bits(m.answer(driver.handler)), Some(1));
    });
}

#[test]
fn rule_21_handle_0_names_nobodys_interrupt_even_while_slot_0_is_closed() {
    let driver = Driver::new();
    both_paths(&driver.system, |m| {
        let [level, _] = driver.others;
        let handle = driver.attach(m, level, 2);
        driver.wait(m, handle);
        let close = Call::other(number::CLOSE, &[m.handle(driver.link)]);
        m.call(driver.stranger, close);
        let pend = Call::other(number::INTERRUPT_PEND, &[0]);
        assert_eq!(m.refused(driver.stranger, pend), Error::BadHandle);
        assert_eq!(m.state(driver.handler), State::ReceiveBlocked);
    });
}

#[test]
fn rule_21_handle_0_names_no_interrupt_of_slot_0_that_is_not_attached() {
    let mut system = System::new();
    let process = system.process();
    let thread = system.thread(process, 5);
    system.interrupt(process, LineKind::Edge);
    both_paths(&system, |m| {
        for call in [
            number::INTERRUPT_PEND,
            number::INTERRUPT_ACK,
            number::INTERRUPT_MASK,
            number::INTERRUPT_DETACH,
        ] {
            assert_eq!(m.refused(thread, Call::other(call, &[0])), Error::BadHandle);
        }
    });
}

#[test]
fn rule_21_an_interrupt_is_raised_and_acknowledged_by_its_own_handle_and_no_other() {
    let driver = Driver::new();
    both_paths(&driver.system, |m| {
        let [level, _] = driver.others;
        let old = driver.attach(m, level, 1);
        m.call(
            driver.handler,
            Call::other(number::INTERRUPT_DETACH, &[old]),
        );
        let new = driver.attach(m, level, 1);
        let unmask = Call::other(number::INTERRUPT_ACK, &[new]);
        assert_eq!(m.answer_to(driver.handler, unmask).error(), None);
        let channel = m.receive_handle(driver.channel);
        for call in [
            Call::other(number::INTERRUPT_PEND, &[old]),
            Call::acknowledge_and_receive(channel, old),
        ] {
            assert_eq!(m.refused(driver.handler, call), Error::BadHandle);
        }
        // What a stranger's connection carries is the number of this line.
        park(m, driver.handler);
        let link = m.handle(driver.link);
        let pend = Call::other(number::INTERRUPT_PEND, &[link]);
        assert_eq!(m.refused(driver.stranger, pend), Error::BadHandle);
        let word = m.channel(driver.channel).bits();
        assert_eq!(word, 0, "it has not come");
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn rule_15_an_adaptive_handler_that_an_interrupt_wakes_drops_when_its_slice_is_over() {
    let mut system = System::new();
    system.slice(1000);
    let process = system.process();
    let handler = system.adaptive_thread(process, 12);
    let other = system.thread(process, 5);
    let channel = system.channel(process);
    let line = system.interrupt(process, LineKind::Edge);
    both_paths(&system, |m| {
        let handle = m.attach(handler, line, channel, 1);
        let channel = m.receive_handle(channel);
        m.call(handler, Call::acknowledge_and_receive(channel, handle));
        assert_eq!(m.current(), other);
        m.raise(line.line);
        m.advance(999);
        assert_eq!((m.current(), m.priority(handler)), (handler, 12));
        m.advance(1);
        assert_eq!((m.current(), m.priority(handler)), (handler, 11));
    });
}

/// A driver whose lines are unmasked once in [`GAP`] nanoseconds at most.
fn limited() -> Driver {
    let mut driver = Driver::new();
    driver.system.limit_interrupt(driver.edge, GAP);
    driver.system.limit_interrupt(driver.others[0], GAP);
    driver
}

const GAP: u64 = 1000;

fn acknowledge(handle: u32) -> Call {
    Call::other(number::INTERRUPT_ACK, &[handle])
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no limits of interrupts")]
fn rule_21_a_limited_interrupt_comes_no_more_often_however_often_its_device_asks() {
    let driver = limited();
    let level = driver.others[0];
    both_paths(&driver.system, |m| {
        let handle = driver.attach(m, level, 1);
        let start = m.now();
        let mut times = 0;
        driver.wait(m, handle);
        park(m, driver.stranger);
        m.assert_line(level.line, true);
        while m.now() < start + 100 * GAP {
            if bits(m.answer(driver.handler)).is_some() {
                times += 1;
                assert!(times <= 100, "it comes as often as its device asks");
                driver.wait(m, handle);
                continue;
            }
            let put_off = m.kernel.tables().interrupts[level.line]
                .unwrap()
                .is_put_off();
            assert!(put_off && m.lines().enabled == 0, "after {times}");
            m.advance(GAP / 4);
        }
        assert_eq!(times, 100);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no limits of interrupts")]
fn rule_21_a_limited_interrupt_that_is_acknowledged_too_soon_is_unmasked_when_its_rate_allows() {
    let driver = limited();
    both_paths(&driver.system, |m| {
        let handle = driver.attach(m, driver.edge, 1);
        driver.wait(m, handle);
        let unmasked = m.now();
        m.raise(driver.edge.line);
        assert_eq!(bits(m.answer(driver.handler)), Some(1));
        driver.wait(m, handle);
        // Neither the device nor software gets through, and neither is forgotten.
        m.raise(driver.edge.line);
        park(m, driver.stranger);
        m.call(driver.other, Call::other(number::INTERRUPT_PEND, &[handle]));
        m.advance_to(unmasked + GAP - 1);
        assert_eq!(m.state(driver.handler), State::ReceiveBlocked);
        m.advance_to(unmasked + GAP);
        assert_eq!(bits(m.answer(driver.handler)), Some(1));
        // One that comes seldom is not delayed.
        m.advance(10 * GAP);
        driver.wait(m, handle);
        m.raise(driver.edge.line);
        assert_eq!(bits(m.answer(driver.handler)), Some(1));
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no limits of interrupts")]
fn rule_21_a_limited_interrupt_that_is_masked_or_detached_is_not_unmasked_later() {
    let driver = limited();
    both_paths(&driver.system, |m| {
        for end in [number::INTERRUPT_MASK, number::INTERRUPT_DETACH] {
            let handle = driver.attach(m, driver.edge, 1);
            m.call(driver.handler, acknowledge(handle));
            m.raise(driver.edge.line);
            m.call(driver.handler, acknowledge(handle));
            m.call(driver.handler, Call::other(end, &[handle]));
            m.advance(2 * GAP);
            assert_eq!(m.lines().enabled, 0);
            if end == number::INTERRUPT_MASK {
                m.call(driver.handler, acknowledge(handle));
                assert_eq!(m.lines().enabled, 1 << driver.edge.line);
                let detach = Call::other(number::INTERRUPT_DETACH, &[handle]);
                m.call(driver.handler, detach);
            }
        }
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no limits of interrupts")]
fn rule_24_a_driver_that_starts_anew_gets_its_limited_interrupt_no_sooner() {
    let driver = limited();
    both_paths(&driver.system, |m| {
        let handle = driver.attach(m, driver.edge, 1);
        driver.wait(m, handle);
        let unmasked = m.now();
        m.raise(driver.edge.line);
        driver.wait(m, handle);
        park(m, driver.stranger);
        m.fault(driver.other);
        let handle = driver.attach(m, driver.edge, 1);
        m.raise(driver.edge.line);
        driver.wait(m, handle);
        m.advance_to(unmasked + GAP - 1);
        assert_eq!(m.lines().enabled, 0);
        m.advance_to(unmasked + GAP);
        assert_eq!(bits(m.answer(driver.handler)), Some(1));
    });
}

/// Without a rate, too, a driver cannot use more of the kernel's time than it gets itself.
#[test]
fn rule_21_a_device_that_goes_on_asking_delays_a_more_urgent_thread_once() {
    let mut system = System::new();
    let process = system.process();
    let peer = system.process();
    let handler = system.thread(process, 1);
    let urgent = system.thread(peer, 25);
    let channel = system.channel(process);
    let level = system.interrupt(process, LineKind::Level);
    both_paths(&system, |m| {
        let soon = m.now() + 10;
        m.call(urgent, Call::sleep(soon));
        let handle = m.attach(handler, level, channel, 1);
        let channel = m.receive_handle(channel);
        m.call(handler, Call::acknowledge_and_receive(channel, handle));
        m.advance_to(soon);
        assert_eq!(m.current(), urgent);
        m.assert_line(level.line, true);
        assert_eq!(bits(m.answer(handler)), Some(1), "it has come");
        m.advance(1_000_000);
        assert_eq!((m.current(), m.lines().enabled), (urgent, 0));
    });
}
