//! Makes pipes, as many as it may, and ends when it is told to.
#![no_std]

use core::fmt::Write;

use riposte::Text;
use riposte_pipe::Pipes;

#[riposte::main]
fn main() {
    let pipes = Pipes::connect("pipes").unwrap();
    pipes.make("made", 4).unwrap();
    let id = pipes.make_unnamed(4).unwrap();
    let mut room = [0; 8];
    let mut text = Text::new(&mut room);
    write!(text, "{id}").unwrap();
    let told = pipes.writer("told").unwrap();
    told.write(text.as_str().as_bytes()).unwrap();
    let _ = pipes.reader("go").unwrap().read(&mut [0]);
    panic!("its pipes end with it");
}
