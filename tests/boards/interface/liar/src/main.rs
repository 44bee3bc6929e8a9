//! Answers what no server of the interface would. A method's answers come in turn, for each client.
#![no_std]

use riposte::{Answer, Event};

/// The methods that it is asked for.
const SCALE: u32 = 1;
const HALF: u32 = 3;
const TURN: u32 = 4;
const LOAD: u32 = 7;
const LABEL: u32 = 9;

/// How long the answers to `load` are, whose first word says how many numbers there are: fewer bytes than
/// that, more, and more numbers than the client has room for.
const LOADS: [(u32, usize); 5] = [(2, 16), (2, 32), (5, 48), (u32::MAX, 24), (1 << 29, 8)];
/// Answers to `label`: cut, with more bytes than they say, and no UTF-8.
const LABELS: [&[u8]; 4] = [
    &[1, 0, 0, 0],
    &[1, 0, 0, 0, 3, 0, 0, 0, b'a', b'b'],
    &[1, 0, 0, 0, 2, 0, 0, 0, b'a', b'b', b'c'],
    &[1, 0, 0, 0, 2, 0, 0, 0, 0xC3, 0x28],
];

#[riposte::main]
fn main() {
    let channel = riposte::channel("liar").unwrap();
    let mut buffer = [0; 64];
    let mut asked = [0; 2];
    let error = channel.serve(&mut buffer, |event| {
        let Event::Message(message) = event else {
            return Answer::later();
        };
        let [number, ..] = message.words();
        let turn = &mut asked[message.badge() as usize % 2];
        let now = *turn;
        *turn += 1;
        let (token, buffer) = message.into_parts();
        buffer.fill(0x55);
        let length = match number {
            // Nothing at all, and two words.
            SCALE => now % 2 * 8,
            TURN => 31 + now % 2 * 2,
            LOAD => {
                let (count, length) = LOADS[now % LOADS.len()];
                buffer[..4].copy_from_slice(&count.to_le_bytes());
                length
            }
            LABEL => {
                let answer = LABELS[now % LABELS.len()];
                buffer[..answer.len()].copy_from_slice(answer);
                answer.len()
            }
            // It keeps its client waiting.
            HALF => return Answer::later(),
            _ => {
                *turn = 0;
                0
            }
        };
        Answer::bytes(token, &buffer[..length])
    });
    panic!("the channel: {error}");
}
