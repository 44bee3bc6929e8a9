//! Signals: who is interrupted, where, and by whose right.

use riposte_abi::{
    Error,
    fault::reason,
    register,
    signal::{OWN, how, number, words},
};
use riposte_kernel::State;
use riposte_model::{Call, Machine, ProcessId, System, ThreadId, both_paths, ram};

const ALL: u64 = u64::MAX;

/// A signal without a word, and one with.
const TERM: u32 = 15;
const QUEUED: u32 = 40;

const fn bit(signal: u32) -> u64 {
    1 << signal
}

/// A process with threads at 5 and 4, which handles signals, and one at 3 that may send it some.
struct Two {
    system: System,
    process: ProcessId,
    main: ThreadId,
    other: ThreadId,
    sender: ThreadId,
    position: u32,
}

fn two() -> Two {
    let mut system = System::new();
    let [process, senders] = [(); 2].map(|()| system.process());
    let main = system.thread(process, 5);
    let other = system.thread(process, 4);
    let sender = system.thread(senders, 3);
    let position = system.signal(senders, process);
    system.signal_queue(process, 3);
    Two {
        system,
        process,
        main,
        other,
        sender,
        position,
    }
}

impl Two {
    /// `thread` says where signals go, and masks none.
    fn handle(&self, m: &mut Machine, thread: ThreadId) {
        m.call(thread, Call::action(self.process, ALL));
        m.call(thread, Call::mask(how::SET, 0));
    }
}

#[test]
fn a_signal_to_oneself_is_handled_at_once_and_the_call_returns_after_it() {
    let it = two();
    both_paths(&it.system, |m| {
        it.handle(m, it.main);
        m.call(it.main, Call::signal(OWN, TERM, 0));
        assert_eq!(m.current(), it.main);
        assert_eq!(m.handles(it.main), Some(TERM));
        m.end_handler(it.main);
        assert_eq!(m.handles(it.main), None);
        assert_eq!(m.answer(it.main).expect("it returns").word(), 0);
    });
}
