//! A server of names (DNS) that answers as the name's first part says: truly, wrongly, or not at all.
#![no_std]

mod answer;

use answer::Answer;
use riposte_network::{Network, Port};

/// Most bytes of a question.
const QUESTION: usize = 300;

#[riposte::main]
fn main() {
    let network = Network::connect("network").unwrap();
    let names = network.bind(53).unwrap();
    // That of names without servers.
    let stranger = network.bind(5353).unwrap();
    let mut bytes = [0; QUESTION];
    let mut times = Times::default();
    loop {
        let (length, from) = names.receive_from(&mut bytes).unwrap();
        let Some(question) = bytes.get(..length) else {
            continue;
        };
        let say = |port: &Port<'_>, answer: Answer| {
            let sent = port.send_to(from, answer.bytes());
            sent.unwrap();
        };
        let good = || Answer::to(question).address(1);
        match first_part(question) {
            b"one" => say(&names, good()),
            b"four" => say(&names, Answer::to(question).address_if(false, 4)),
            b"six" => say(&names, Answer::to(question).address_if(true, 6)),
            b"many" => say(&names, (1..=6).fold(Answer::to(question), Answer::address)),
            b"alias" => say(&names, Answer::to(question).alias().address_of_alias(7)),
            b"none" => say(&names, Answer::to(question).code(3)),
            b"empty" => say(&names, Answer::to(question)),
            b"broken" => say(&names, Answer::to(question).code(2)),
            // Those that are to be passed over, and the true one.
            b"number" => {
                say(&names, Answer::to(question).other_number().address(66));
                say(&names, Answer::to(question).other_number().code(3));
                say(&names, good());
            }
            b"other" => {
                say(&names, Answer::to(question).other_name().address(66));
                say(&names, good());
            }
            b"question" => {
                say(&names, Answer::to(question).no_answer().address(66));
                say(&names, good());
            }
            b"stranger" if times.is_first(0) => {
                say(&stranger, Answer::to(question).address(66));
            }
            b"strangers" => say(&stranger, Answer::to(question).code(3)),
            b"stranger" => say(&names, good()),
            // The end of it is missing.
            b"cut" => {
                say(&names, Answer::to(question).address(66).cut());
                say(&names, good());
            }
            // It says itself that some of it is missing.
            b"short" => say(&names, good().truncated()),
            b"late" if times.is_first(1) => {}
            b"late" => say(&names, good()),
            // With which number and from which port it is asked.
            b"who" => {
                let [a, b] = from.port().to_be_bytes();
                let [c, d] = [0, 1].map(|it| question.get(it).copied().unwrap_or(0));
                say(&names, Answer::to(question).told([a, b, c, d]));
            }
            _ => {}
        }
    }
}

/// The first part of the name that is asked for.
fn first_part(question: &[u8]) -> &[u8] {
    let name = question.get(answer::HEAD..).unwrap_or_default();
    let Some((length, rest)) = name.split_first() else {
        return &[];
    };
    rest.get(..usize::from(*length)).unwrap_or_default()
}

/// What has been asked once.
#[derive(Default)]
struct Times([bool; 2]);

impl Times {
    fn is_first(&mut self, which: usize) -> bool {
        let before = self.0.get_mut(which).map(|it| core::mem::replace(it, true));
        before == Some(false)
    }
}
