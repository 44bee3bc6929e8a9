//! Messages and replies of as many parts as there can be, and what else is done with a client.

use check::{equal, holds};
use riposte::abi::{call, info, register};
use riposte::{Channel, Event, Interrupt, Part, PartMut, Status};

use crate::driver::{next, order, settle};
use crate::lender::{GIFT, PART, PARTS, VECTOR};

/// Bytes of all parts.
const ALL: usize = PART * PARTS;

pub fn all(orders: &Channel) {
    vectors(orders);
    gift(orders);
    interrupts();
    connections();
}

fn vectors(orders: &Channel) {
    order(orders, VECTOR, 0);
    let mut room = [[0; PART]; PARTS];
    let mut rooms = room.each_mut().map(|part| PartMut::new(part));
    let Event::Message(message) = orders.receive_vector(&mut rooms).unwrap() else {
        panic!("no message");
    };
    equal("rule_11_many_parts_come", message.accepted(), ALL);
    let token = message.into_token();
    let mut all = [0; ALL];
    equal(
        "rule_11_they_are_read",
        token.read(3, &mut all),
        Ok(ALL - 3),
    );
    equal(
        "rule_11_they_are_written",
        token.write(3, &all),
        Ok(ALL - 3),
    );
    let parts: [Part; PARTS] = core::array::from_fn(|part| Part::new(&room[part]));
    equal(
        "rule_11_many_parts_reply",
        token.reply_vector(&parts),
        Ok(ALL),
    );
    let message = next(orders);
    equal("rule_11_the_client_has_all", message.words()[0], ALL as u32);
    message.reply_words([VECTOR]).unwrap();
    // Its message waits, and is answered by the call that waits for the next one.
    settle();
    let token = next(orders).into_token();
    let answer = answer_vector(orders, token.into_parts(), &parts);
    holds("rule_11_many_parts_reply_before_a_receive", answer == 0);
    let message = next(orders);
    message.reply_error(Status(1)).unwrap();
}

/// `REPLY_VECTOR_RECEIVE` with a deadline that has passed. Returns what the call says of its first half.
fn answer_vector(orders: &Channel, (tag, generation): (u32, u32), parts: &[Part]) -> u32 {
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = call::word(call::operation::REPLY_VECTOR_RECEIVE, orders.handle());
    registers[register::INFO] = tag | info::DEADLINE;
    registers[register::GENERATION] = generation;
    registers[register::WORD0] = parts.as_ptr().addr() as u32;
    registers[register::WORD1] = parts.len() as u32;
    // SAFETY: there is no room for a message.
    let out = unsafe { riposte::raw_call(registers, [0; 5]) };
    let failed = out[register::INFO] & info::ERROR != 0;
    u32::from(failed && out[register::CALL] != riposte::Error::WouldBlock as u32)
}

/// A handle comes with a reply.
fn gift(orders: &Channel) {
    let rooms = riposte::connect("rooms").unwrap();
    order(orders, GIFT, 0);
    let given = next(orders).reply_handle([0; 4], &rooms);
    holds("rule_23_a_handle_is_given", given.is_ok());
}

fn interrupts() {
    let rooms = riposte::channel("rooms").unwrap();
    let interrupt = Interrupt::attach("software", &rooms, 1).unwrap();
    interrupt.acknowledge().unwrap();
    interrupt.pend().unwrap();
    let told = rooms.receive(&mut []);
    holds("rule_21_a_raised_interrupt_is_told", told.is_ok());
    interrupt.pend().unwrap();
    let told = interrupt.acknowledge_and_receive(&mut []);
    holds(
        "rule_21_what_was_raised_comes_when_it_is_acknowledged",
        told.is_ok(),
    );
    interrupt.mask().unwrap();
    drop(interrupt);
}

fn connections() {
    let name = crate::pools::NAMES[7];
    let last = riposte::connect(name).unwrap();
    holds("rule_23_a_connection_is_closed", last.close().is_ok());
    holds("rule_23_it_is_opened_again", riposte::connect(name).is_ok());
}
