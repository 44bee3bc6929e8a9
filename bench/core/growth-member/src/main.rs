//! One of very many processes: it waits until it is received, again and again, and ends when the answer
//! says so.
#![no_std]

#[riposte::main]
fn main() {
    if let Ok(gate) = riposte::connect("gate") {
        while let Ok(reply) = gate.send_words([])
            && reply.words[0] == 0
        {}
    }
}
