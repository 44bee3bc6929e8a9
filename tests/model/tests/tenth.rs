//! What a tenth reading has found: signals, and the common cases that leave the general ones.

use riposte_abi::{
    Error,
    fault::reason,
    signal::{OWN, frame, how, number},
};
use riposte_kernel::State;
use riposte_model::{Call, Machine, ProcessId, System, ThreadId, both_paths, ram};

const ALL: u64 = u64::MAX;
const USER: u32 = 10;
const TERM: u32 = 15;
/// Bytes of a handler's frame: what the kernel keeps, and 14 registers of the model's.
const FRAME: u32 = (frame::WORDS as u32 + 14) * 4;

/// A thread says where signals go, and masks none.
fn take(m: &mut Machine, process: ProcessId, thread: ThreadId) {
    m.call(thread, Call::action(process, ALL));
    m.call(thread, Call::mask(how::SET, 0));
}

/// A process of one thread that takes signals.
fn alone() -> (System, ProcessId, ThreadId) {
    let mut system = System::new();
    let process = system.process();
    let thread = system.thread(process, 5);
    system.signal_queue(process, 1);
    (system, process, thread)
}

/// A handler says in its frame that another one lies at an odd address, where a whole frame stands. The processor would
/// fault in the kernel that loads words from there.
#[test]
fn a_frame_that_no_handler_can_have_begun_with_is_none() {
    let (system, process, thread) = alone();
    for beside in [1, 2, 4, 8] {
        both_paths(&system, |m| {
            take(m, process, thread);
            m.call(thread, Call::action(process, 0));
            m.call(thread, Call::signal(OWN, TERM, 0));
            let outer = m.handler(thread).expect("a handler").stack_pointer;
            let whole = m.host.peek(outer, FRAME);
            m.call(thread, Call::signal(OWN, USER, 0));
            let inner = m.handler(thread).expect("another").stack_pointer;
            let forged = ram(process.0).base + beside;
            m.host.poke(forged, &whole);
            m.host.poke_word(inner + 8, forged);
            m.end_handler(thread);
            m.call(thread, Call::about_signals(number::RETURN, &[forged]));
            assert!(!m.process(process).is_alive());
            assert_eq!(m.process(process).record().reason, reason::SIGNAL_FRAME);
        });
    }
}

/// What a thread masks only while it waits for signals is due when it waits no more.
#[test]
fn a_wait_for_signals_that_ends_by_its_deadline_leaves_none_that_it_has_masked() {
    let mut system = System::new();
    let [process, senders] = [(); 2].map(|()| system.process());
    let thread = system.thread(process, 5);
    let sender = system.thread(senders, 9);
    let position = system.signal(senders, process);
    system.signal_queue(process, 1);
    both_paths(&system, |m| {
        m.call(sender, Call::sleep(m.now() + 100));
        take(m, process, thread);
        let until = m.now() + 150;
        m.call(thread, Call::suspend(1 << TERM).deadline(until));
        m.advance(100);
        m.call(sender, Call::signal(position, TERM, 0));
        m.call(sender, Call::sleep(1 << 40));
        assert_eq!(m.state(thread), State::Signalled);
        m.advance_to(until);
        assert_eq!(m.handles(thread), Some(TERM));
        m.end_handler(thread);
        let answer = m.answer(thread).expect("it returns");
        assert_eq!(answer.error(), Some(Error::TimedOut));
    });
}
