#![deny(unused_must_use)]

fn answer(message: riposte::Message<'_>) {
    message.answer_words([1]);
}

fn main() {}
