//! What comes of a client that was handed on, and of those who wait for it, when who has begun with its message fails.

use riposte_kernel::State;
use riposte_model::{Call, System, ThreadId, pages, ram};

const PAGE: u32 = 0x400;

/// They have parted with their stacks meanwhile.
#[test]
fn a_client_handed_on_that_meets_several_bad_receivers_looks_for_interrupts_between_them() {
    const MANY: usize = 6;
    let mut system = System::new();
    let [fronts, backs, clients, takers] = [(); 4].map(|()| system.process());
    let front = system.thread(fronts, 10);
    let failing = system.thread(backs, 5);
    let others: Vec<ThreadId> = (0..MANY).map(|_| system.thread(backs, 6)).collect();
    let giver = system.thread(backs, 8);
    let client = system.thread(clients, 20);
    let taker = system.thread(takers, 30);
    let front_channel = system.channel(fronts);
    let back_channel = system.channel(backs);
    let taken_at = system.channel(takers);
    system.notify_unblock(taken_at);
    system.windows(takers, 1, 0x1000);
    system.pages(backs, 2);
    let to_front = system.connection(clients, front_channel, 7);
    let to_back = system.connection(fronts, back_channel, 8);
    let gives = system.connection(backs, taken_at, 9);
    let mut machine = system.start(true);
    let m = &mut machine;
    let now = m.now();
    let page = pages(backs.0).base;
    let [front_ram, back_ram, client_ram] = [fronts, backs, clients].map(|it| ram(it.0).base);
    m.call(taker, Call::receive(m.receive_handle(taken_at)));
    m.call(client, Call::sleep(now + 100));
    let receive = Call::receive(m.receive_handle(front_channel));
    m.call(front, receive.room(front_ram, 16));
    m.call(giver, Call::sleep(now + 50));
    for other in &others {
        m.call(*other, Call::sleep(now + 10));
    }
    let receive = |m: &riposte_model::Machine| Call::receive(m.receive_handle(back_channel));
    // It waits first, with room that is not its own.
    m.call(failing, receive(m).room(client_ram, 8));
    m.advance_to(now + 10);
    for other in &others {
        m.call(*other, receive(m).room(back_ram, 8));
        m.host.set_stack(m.thread(*other), page + 16);
    }
    m.advance_to(now + 50);
    m.call(giver, Call::give(m.handle(gives), page, PAGE, &[0; 3]));
    let given = m.answer(taker).expect("memory").token();
    m.call(taker, Call::reply(given, &[]));
    m.call(taker, Call::sleep(u64::MAX));
    m.call(giver, Call::sleep(u64::MAX));
    m.advance_to(now + 100);
    m.call(client, Call::send_bytes(m.handle(to_front), client_ram, 8));
    let token = m.answer(front).expect("a message").token();
    m.call(front, Call::relay(m.handle(to_back), token, &[]));
    assert_eq!(m.state(client), State::ReplyBlocked);
    assert!(m.must_repeat(failing), "it has begun with the message");
    let told = |m: &riposte_model::Machine| {
        let is_told = |it: &&ThreadId| m.state(**it) == State::Ready;
        others.iter().filter(is_told).count()
    };
    for count in 1..=MANY {
        // An interrupt waits at the first look.
        m.host.interrupt_after(1);
        m.repeat(failing);
        assert_eq!(told(m), count);
    }
    m.repeat(failing);
    assert_eq!(m.state(client), State::SendBlocked, "for whoever comes");
    m.call(front, Call::sleep(u64::MAX));
    for other in &others {
        m.run(*other);
        m.call(*other, Call::sleep(u64::MAX));
    }
    let failed = m.answer(failing).expect("its call is over");
    assert_eq!(failed.error(), Some(riposte_abi::Error::BadAddress));
}
