//! Memory is lent and moved by processes with many threads, to such.

use check::memory::{Form, Message, receive, release};
use check::{equal, holds};
use riposte::Channel;

use crate::driver::{order, settle};
use crate::keeper;
use crate::lender::{LEND, LEND_AND_EXIT, LEND_SHORTLY, LENGTH, MOVE, RECLAIM};

pub fn all(orders: &Channel) {
    loans(orders);
    moves(orders);
    ends(orders);
}

/// Whatever brings memory next.
fn carried(orders: &Channel) -> check::memory::Received {
    loop {
        let received = receive(*orders).unwrap();
        if !received.is_any_notice() {
            return received;
        }
    }
}

fn loans(orders: &Channel) {
    order(orders, LEND, 0);
    settle();
    let received = carried(orders);
    let is_lent = received.mark() == Form::LendMut.mark();
    received.token().reply_words([0]).unwrap();
    holds("rule_13_memory_is_lent_and_comes_back", is_lent);
    order(orders, LEND_SHORTLY, 0);
    settle();
    equal(
        "rule_13_what_nobody_took_is_back",
        order(orders, MOVE, 0),
        1,
    );
}

fn moves(orders: &Channel) {
    let store = riposte::connect("store").unwrap();
    let received = carried(orders);
    let [address, ..] = received.words();
    received.token().reply_words([0]).unwrap();
    let pass = |address, what| {
        Message::new(Form::Move, (address, LENGTH), [what, 0, 0])
            .send(&store)
            .map(drop)
    };
    equal(
        "rule_14_memory_is_moved_on",
        pass(address, keeper::RELEASE),
        Ok(()),
    );
    settle();
    order(orders, RECLAIM, 0);
    equal("rule_14_it_is_taken_back", order(orders, MOVE, 0), 1);
    let received = carried(orders);
    let [address, ..] = received.words();
    received.token().reply_words([0]).unwrap();
    equal("rule_14_it_is_given_up", release(address), Ok(()));
    order(orders, RECLAIM, 0);
    order(orders, MOVE, 0);
    let received = carried(orders);
    let [address, ..] = received.words();
    received.token().reply_words([0]).unwrap();
    equal(
        "rule_14_its_holder_ends",
        pass(address, keeper::EXIT),
        Ok(()),
    );
    settle();
    order(orders, RECLAIM, 0);
    equal("rule_14_it_is_home", order(orders, LEND_AND_EXIT, 0), 1);
}

/// The lender dies, and its memory comes back late.
fn ends(orders: &Channel) {
    let received = carried(orders);
    settle();
    let late = received.token().reply_words([0]);
    holds("rule_13_a_dead_lender_is_not_answered", late.is_err());
    settle();
}
