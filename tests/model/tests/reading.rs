//! Found by another reading: each test says which promise was broken.

use riposte_abi::Error;
use riposte_kernel::State;
use riposte_model::{Call, System};

/// Rule 9, and "what a call has done is no other call's progress": a selective receive's call word and first word
/// (which says only that it selects by badge) are those of a receive by any badge. A thread that is led from one
/// into another one goes on with the first one's search, and is told `PeerDied` though somebody has its badge.
#[test]
fn rule_9_a_receive_by_badge_does_not_go_on_with_the_search_for_another_badge() {
    for diverted in [false, true] {
        let mut system = System::new();
        let [friends, servers] = [(); 2].map(|()| system.process());
        let _friend = system.thread(friends, 2);
        let server = system.thread(servers, 4);
        let urgent = system.thread(servers, 9);
        // Their handles are searched in between.
        for _ in 0..8 {
            let between = system.process();
            let _ = system.thread(between, 2);
        }
        let others = system.process();
        let _other = system.thread(others, 2);
        let channel = system.channel(servers);
        // In front of where the search for 11 is cut short.
        let _has_22 = system.connection(friends, channel, 22);
        let _has_11 = system.connection(others, channel, 11);
        let mut m = system.start(true);
        let at = m.now() + 100;
        m.call(urgent, Call::sleep(at));
        let handle = m.receive_handle(channel);
        if diverted {
            m.host.interrupt_after(1);
            let done = m.call_once(server, Call::receive(handle).from_badge(11));
            assert!(!done, "the search is cut short");
            m.leap_to(at);
            assert_eq!(m.current(), urgent);
            m.divert(server);
            m.call(urgent, Call::sleep(at + 100));
        }
        m.call(server, Call::receive(handle).from_badge(22));
        assert_ne!(
            m.answer(server).and_then(|answer| answer.error()),
            Some(Error::PeerDied),
            "somebody has the badge (diverted: {diverted})"
        );
        assert_eq!(m.state(server), State::ReceiveBlocked);
    }
}
