//! Does with files what the judge orders, and dies of some of it.
#![no_std]

use riposte::Event;
use riposte_files::{File, FileError, Files, Options};
use riposte_pipe::{Pipes, Writer};

const NEW: Options = Options::new().read().write().create();

/// Where the judge has made one.
const FIFO: &str = "streams/from one to another";

#[riposte::main]
fn main() {
    let files = Files::connect("files").unwrap();
    let pipes = Pipes::connect("files").unwrap();
    let mut end: Option<Writer> = None;
    let channel = riposte::own_channel().unwrap();
    let mut open: [Option<File>; 4] = [const { None }; 4];
    loop {
        let mut buffer = [0; 16];
        let Ok(Event::Message(message)) = channel.receive(&mut buffer) else {
            continue;
        };
        let [order, ..] = message.words();
        let answer = match order {
            // As much as it may, of everything.
            0 => u32::from(exhaust(&files, &mut open)),
            // A file that is open, and has no name any more.
            1 => {
                let file = files.open("gone", NEW).unwrap();
                let written = file.write(&[7; 600]);
                files.remove("gone").unwrap();
                open[0] = Some(file);
                u32::from(written == Ok(600))
            }
            // The number of a file that is open here.
            2 => {
                open[1] = Some(files.open("others", NEW).unwrap());
                1
            }
            // What it has made goes.
            3 => {
                open = [const { None }; 4];
                let _ = files.remove("large");
                let _ = files.remove("others");
                (b'0'..b'8').for_each(|n| _ = files.remove(name(&[n])));
                1
            }
            // An end of a FIFO, and something in it.
            4 => {
                let writer = pipes.writer(FIFO).unwrap();
                let written = writer.write(b"abc");
                end = Some(writer);
                u32::from(written == Ok(3))
            }
            _ => panic!("this is the end, and that of {end:?}"),
        };
        let _ = message.reply_words([answer]);
    }
}

fn name(byte: &[u8; 1]) -> &str {
    core::str::from_utf8(byte).unwrap()
}

/// Whether everything ended as it should: blocks, entries, open files.
fn exhaust<'a>(files: &'a Files, open: &mut [Option<File<'a>>; 4]) -> bool {
    let block = files.space().unwrap().block as usize;
    let large = files.open("large", NEW).unwrap();
    let mut written = 0;
    let full = loop {
        match large.write(&[1; 1000]) {
            Ok(count) => written += count,
            Err(why) => break why,
        }
    };
    let mut made = 1;
    let crowded = loop {
        match files.create_dir(name(&[b'0' + made])) {
            Ok(()) => made += 1,
            Err(why) => break why,
        }
    };
    open[0] = Some(large);
    for place in &mut open[1..] {
        *place = files.open("/", Options::new().read()).ok();
    }
    let many = files.open("/", Options::new().read()).map(drop);
    full == FileError::NoSpace
        && written == 12 * block
        && crowded == FileError::NoSpace
        && made == 8
        && open.iter().all(Option::is_some)
        && many == Err(FileError::TooManyOpen)
}
