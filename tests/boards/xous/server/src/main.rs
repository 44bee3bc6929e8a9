//! A server of the Xous personality with a queue, windows, and each way to receive.
#![no_std]

use num_traits::FromPrimitive;
use test_xous_api::{Opcode, Request, Response};
use xous::ipc::Buffer;
use xous::{Message, MessageEnvelope, MessageSender, SID};

static QUEUE: xous::Queue = xous::Queue::new();

#[riposte::thread]
fn courier() -> ! {
    // SAFETY: nobody else calls it, and the main thread alone receives.
    unsafe { QUEUE.carry("numbers") }
}

/// What the server knows.
#[derive(Default)]
struct State {
    noted: usize,
    in_order: bool,
    /// Who waits, the first one first.
    kept: [Option<MessageEnvelope>; 3],
    /// Who is to be answered with the wait for the next message.
    released: Option<MessageEnvelope>,
}

#[riposte::main]
fn main() {
    let names = xous::names::XousNames::new().unwrap();
    let sid = names.register_name("_Numbers_", None).unwrap();
    let mut state = State {
        in_order: true,
        ..State::default()
    };
    // Each way to receive has its turn.
    for turn in 0.. {
        match turn % 3 {
            0 => by_loop(sid, &mut state),
            1 => by_receive(sid, &mut state),
            _ => by_trying(sid, &mut state),
        }
    }
}

/// Ten messages, each answered with the wait for the next one.
fn by_loop(sid: SID, state: &mut State) {
    let mut msg_opt = None;
    let mut return_type = 0;
    for _ in 0..10 {
        xous::reply_and_receive_next_legacy(sid, &mut msg_opt, &mut return_type).unwrap();
        let msg = msg_opt.as_mut().unwrap();
        let answer = state.serve(msg);
        if let Some(kept) = state.released.take() {
            msg_opt = Some(kept);
            return_type = 1;
        } else if let (Some(answer), Some(scalar)) = (answer, msg.body.scalar_message_mut()) {
            [scalar.arg1, scalar.arg2, scalar.arg3, scalar.arg4] =
                [answer[0], answer[1], answer[2], answer[3]];
            return_type = length(scalar.id);
            if return_type == 5 {
                scalar.id = answer[0];
                [scalar.arg1, scalar.arg2, scalar.arg3, scalar.arg4] =
                    [answer[1], answer[2], answer[3], answer[4]];
                return_type = 0;
            }
        } else if let Message::BlockingScalar(_) = msg.body {
            // It is kept, and answered by another message.
            msg_opt = None;
        }
    }
    // The last one is answered by itself.
    if let Some(msg) = msg_opt
        && let Message::BlockingScalar(scalar) = msg.body
    {
        let words = [
            scalar.id,
            scalar.arg1,
            scalar.arg2,
            scalar.arg3,
            scalar.arg4,
        ];
        match return_type {
            0 => give(msg.sender, words, 5),
            _ => give(msg.sender, [words[1], words[2], 0, 0, 0], return_type),
        }
    }
}

/// Ten messages, each answered by a call of its own.
fn by_receive(sid: SID, state: &mut State) {
    for _ in 0..10 {
        let msg = xous::receive_message(sid).unwrap();
        answer(sid, msg, state);
    }
}

/// As many messages as are there, at least one.
fn by_trying(sid: SID, state: &mut State) {
    let mut any = false;
    while !any {
        while let Some(msg) = xous::try_receive_message(sid).unwrap() {
            answer(sid, msg, state);
            any = true;
        }
        riposte::yield_now();
        riposte::sleep(riposte::Duration::from_micros(100)).unwrap();
    }
}

fn answer(sid: SID, mut msg: MessageEnvelope, state: &mut State) {
    loop {
        let id = msg.id();
        if let Some(words) = state.serve(&mut msg) {
            give(msg.sender, words, length(id));
        }
        let mut next = state.released.take();
        if next.is_none() {
            break;
        }
        xous::reply_and_receive_next_legacy(sid, &mut next, &mut 1).unwrap();
        msg = next.unwrap();
    }
    // Memory goes back here.
}

fn give(sender: MessageSender, words: [usize; 5], length: usize) {
    let [a, b, c, d, e] = words;
    match length {
        1 => xous::return_scalar(sender, a),
        2 => xous::return_scalar2(sender, a, b),
        _ => xous::return_scalar5(sender, a, b, c, d, e),
    }
    .unwrap();
}

/// Words of an answer.
fn length(id: usize) -> usize {
    match Opcode::from_usize(id) {
        Some(Opcode::One) => 1,
        Some(Opcode::Two | Opcode::Noted) => 2,
        _ => 5,
    }
}

impl State {
    fn note(&mut self, number: usize) {
        self.in_order &= number == self.noted;
        self.noted += 1;
    }

    /// The words with which the message is to be answered.
    fn serve(&mut self, msg: &mut MessageEnvelope) -> Option<[usize; 5]> {
        let opcode = Opcode::from_usize(msg.id()).expect("an opcode");
        if let Some(memory) = msg.body.memory_message() {
            assert!(!memory.buf.is_empty(), "memory of no bytes");
        }
        match (opcode, &mut msg.body) {
            (Opcode::One, Message::BlockingScalar(it)) => {
                Some([it.arg1 + it.arg2 + it.arg3 + it.arg4, 0, 0, 0, 0])
            }
            (Opcode::Two, Message::BlockingScalar(it)) => {
                Some([it.arg1 + it.arg2, it.arg3 + it.arg4, 0, 0, 0])
            }
            (Opcode::Five, Message::BlockingScalar(it)) => {
                Some([it.id, it.arg1, it.arg2, it.arg3, it.arg4].map(|word| word + 1))
            }
            (Opcode::Note, Message::Scalar(it)) => {
                self.note(it.arg1);
                None
            }
            (Opcode::Noted, Message::BlockingScalar(_)) => {
                let in_order = core::mem::replace(&mut self.in_order, true);
                let noted = core::mem::take(&mut self.noted);
                Some([noted, in_order.into(), 0, 0, 0])
            }
            (Opcode::Keep, Message::BlockingScalar(it)) => {
                let place = self.kept.iter_mut().find(|place| place.is_none());
                *place.expect("room for one more") = Some(MessageEnvelope {
                    body: Message::BlockingScalar(*it),
                    sender: msg.sender,
                });
                None
            }
            (Opcode::Release, Message::Scalar(_)) => {
                self.kept.rotate_left(1);
                let [.., first] = &mut self.kept;
                self.released = first.take();
                assert!(self.released.is_some(), "nobody waits");
                None
            }
            (Opcode::Sum, Message::Borrow(memory)) => {
                let sum = memory
                    .buf
                    .as_slice::<u8>()
                    .iter()
                    .map(|it| usize::from(*it));
                let sum = sum.sum();
                assert!(
                    memory.buf.as_slice_mut::<u8>().is_empty(),
                    "not to be written"
                );
                memory.valid = xous::MemorySize::new(sum);
                None
            }
            (Opcode::Increment, Message::MutableBorrow(memory)) => {
                for byte in memory.buf.as_slice_mut::<u8>() {
                    *byte = byte.wrapping_add(1);
                }
                core::mem::swap(&mut memory.offset, &mut memory.valid);
                None
            }
            (Opcode::Numbers, Message::Move(memory)) => {
                let valid = memory.valid.map_or(0, |it| it.get());
                for number in &memory.buf.as_slice::<u8>()[..valid] {
                    self.note(usize::from(*number));
                }
                None
            }
            (Opcode::Value, Message::MutableBorrow(memory)) => {
                // SAFETY: the message is there as long as the buffer.
                let mut buffer = unsafe { Buffer::from_memory_message_mut(memory) };
                buffer.replace(respond(&buffer)).unwrap();
                None
            }
            (opcode, body) => panic!("{opcode:?} as {body:?}"),
        }
    }
}

fn respond(buffer: &Buffer<'_>) -> Response {
    let request = buffer.to_original::<Request, _>().unwrap();
    if request.text.is_empty() {
        return Response::Nothing;
    }
    Response::Text(request.text, request.numbers.iter().sum())
}
