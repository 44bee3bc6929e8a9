//! A kernel's state is saved, put back, and goes on as it did.

use riposte_kernel::{OnEnd, State};
use riposte_model::{Call, Machine, Pair, both_paths, ram};

/// Most kinds of object change on the way through these.
const STEPS: [fn(&Pair, &mut Machine); 9] = [
    |pair, m| pair.receive(m),
    |pair, m| {
        let send = Call::send(m.handle(pair.link), &[1, 2]).deadline(m.now() + 90);
        m.call(pair.client, send);
    },
    |pair, m| {
        let notify = Call::notify(m.receive_handle(pair.channel), 4);
        m.call(pair.server, notify);
    },
    |pair, m| {
        let create = Call::create_timer(m.receive_handle(pair.channel), 1);
        m.call(pair.server, create);
        let timer = m.answer(pair.server).expect("a timer").word();
        let set = Call::set_timer(timer, m.now() + 50, 0);
        m.call(pair.server, set);
    },
    |pair, m| {
        let address = ram(0).base;
        m.host.poke_word(address, 7);
        let wait = Call::futex_wait(address, 7).deadline(m.now() + 70);
        m.call(pair.server, wait);
        assert_eq!(m.state(pair.server), State::FutexBlocked);
    },
    |_, m| m.advance(80),
    |pair, m| pair.receive(m),
    |_, m| m.advance(20),
    |pair, m| m.fault(pair.server),
];

#[test]
fn a_state_that_is_put_back_is_the_one_that_was_saved_and_goes_on_as_it_did() {
    let mut pair = Pair::new();
    pair.system.on_end(pair.server_process, OnEnd::Restart);
    pair.system.notify_client_died(pair.channel);
    pair.system.objects(pair.server_process, 1, 1);
    both_paths(&pair.system, |m| {
        let mut moments = vec![m.save_moment()];
        let record = |m: &Machine| m.process(pair.server_process).record();
        let mut states = vec![m.kernel.save()];
        let first_record = record(m);
        for step in STEPS {
            step(&pair, m);
            moments.push(m.save_moment());
            states.push(m.kernel.save());
        }
        assert_eq!(m.process(pair.server_process).record().count, 1);
        let idle = states.windows(2).position(|pair| pair[0] == pair[1]);
        assert_eq!(idle, None, "a step that changes nothing");
        for (first, moment) in moments.iter().enumerate() {
            m.go_back(moment);
            assert!(m.kernel.save() == states[first], "put back {first}");
            assert!((record(m) == first_record) == (first < STEPS.len()));
            for (index, step) in STEPS.iter().enumerate().skip(first) {
                step(&pair, m);
                assert!(m.kernel.save() == states[index + 1], "{first} to {index}");
            }
        }
        assert_eq!(m.state(pair.client), State::Ready);
    });
}
