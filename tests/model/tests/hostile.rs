//! What a process does that wants to harm others, or that ends at the worst moment.

use riposte_abi::call::number;
use riposte_kernel::State;
use riposte_model::{Call, LineKind, System};

/// More steps than any death here takes.
const MANY: u32 = 400;

#[test]
fn rule_24_an_interrupt_of_the_dying_wakes_none_of_their_threads() {
    let mut system = System::new();
    let victim = system.process();
    let main = system.thread(victim, 5);
    let driver = system.thread(victim, 9);
    let channel = system.channel(victim);
    let line = system.interrupt(victim, LineKind::Edge);
    for steps in 1..MANY {
        let mut machine = system.start(true);
        let m = &mut machine;
        let channel = m.receive_handle(channel);
        let attach = Call::attach(line.position, channel, 1);
        let interrupt = m.answer_to(driver, attach).word();
        m.call(driver, Call::acknowledge_and_receive(channel, interrupt));
        assert_eq!(m.state(driver), State::ReceiveBlocked);
        m.host.interrupt_after(steps);
        m.call_once(main, Call::other(number::EXIT, &[0]));
        let half = m.kernel.awaits_interrupt();
        m.raise(line.line);
        assert_ne!(m.current(), driver, "it is dead after {steps} steps");
        while m.kernel.awaits_interrupt() {
            m.interrupt();
        }
        assert_eq!(m.state(driver), State::Stopped);
        if !half {
            assert!(steps > 5);
            return;
        }
    }
    panic!("it does not end");
}
