//! Where a command says what it says.

use core::fmt::Write;
use core::ops::{Deref, DerefMut};

use riposte::Line;
use riposte_pipe::PipeId;
use riposte_process::Command;
use riposte_stdio::{Output, PIPE};
use shell_line::LINE;

/// What is read, or where it is written, as a program is told.
#[derive(Clone, Copy)]
pub enum Place<'a> {
    /// Whatever it has without being told.
    Usual,
    File(&'a str),
    Pipe(PipeId),
}

impl Place<'_> {
    /// Gives it to a program under this name.
    pub fn give(self, command: Command, name: &str) -> Command {
        let mut text = Line::<{ LINE + 1 }>::new();
        match self {
            Place::Usual => return command,
            Place::Pipe(pipe) => {
                let _ = write!(text, "{PIPE}{pipe}");
            }
            // From the root: a file whose name begins as the number of a pipe does is none.
            Place::File(path) => {
                if !path.starts_with('/') {
                    text.push(b"/");
                }
                text.push(path.as_bytes());
            }
        }
        let text = str::from_utf8(text.bytes()).unwrap_or_default();
        command.environment(name, text)
    }
}

/// An output, and what a program is given that writes there in between.
pub struct Out<'a> {
    output: Output<'a>,
    place: Place<'a>,
}

impl<'a> Out<'a> {
    pub fn new(output: Output<'a>, place: Place<'a>) -> Out<'a> {
        Out { output, place }
    }

    pub fn place(&self) -> Place<'a> {
        self.place
    }

    pub fn into_output(self) -> Output<'a> {
        self.output
    }
}

impl<'a> Deref for Out<'a> {
    type Target = Output<'a>;

    fn deref(&self) -> &Output<'a> {
        &self.output
    }
}

impl DerefMut for Out<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.output
    }
}
