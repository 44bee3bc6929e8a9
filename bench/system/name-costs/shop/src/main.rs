//! Registers as many names as it is asked for.
#![no_std]

use riposte::{Answer, Event};
use riposte_names::Names;

#[riposte::main]
fn main() {
    let names = Names::connect().unwrap();
    let channel = riposte::own_channel().unwrap();
    let mut registered = 0;
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => {
            let [wanted, ..] = message.words();
            while registered < wanted {
                let mut name = *b"/dev/door000";
                for (place, unit) in [(9, 100), (10, 10), (11, 1)] {
                    name[place] = b'0' + (registered / unit % 10) as u8;
                }
                let name = core::str::from_utf8(&name).unwrap();
                names.register(name, channel).unwrap();
                registered += 1;
            }
            message.answer_words([registered])
        }
        Event::Notice(_) => Answer::later(),
    });
    panic!("the shop's channel: {error}");
}
