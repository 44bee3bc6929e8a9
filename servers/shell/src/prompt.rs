//! Reads a line from the console, key by key.

use core::str;

use riposte::console::{ReadError, read_key};
use riposte::print;
use shell_line::{Completion, Editor, Event, complete};

use crate::command::COMMANDS;

const PROMPT: &str = "> ";

/// What a person edits.
pub struct Prompt {
    editor: Editor,
}

/// What was typed.
pub enum Typed<'a> {
    /// A line.
    Line(&'a str),
    /// A line that was given up.
    Nothing,
    /// The end of the input.
    End,
}

impl Prompt {
    pub const fn new() -> Prompt {
        Prompt {
            editor: Editor::new(),
        }
    }

    /// Waits for a line.
    pub fn read(&mut self) -> Result<Typed<'_>, ReadError> {
        print!("{PROMPT}");
        self.editor.begin();
        loop {
            match self.editor.take(read_key()?, show) {
                Event::Nothing => {}
                Event::Complete => self.complete(),
                Event::Line => return Ok(Typed::Line(self.editor.text())),
                Event::Cancelled => return Ok(Typed::Nothing),
                Event::End => return Ok(Typed::End),
            }
        }
    }

    /// Completes the word before the cursor: the first one is a command, the others are processes.
    fn complete(&mut self) {
        let before = self.editor.before();
        let (first, word) = match before.rsplit_once(' ') {
            None => (true, before),
            Some((_, word)) => (false, word),
        };
        let found = if first {
            complete(word, COMMANDS.iter().map(|command| command.name))
        } else {
            complete(word, crate::threads::processes())
        };
        match found {
            Completion::None => show(b"\x07"),
            Completion::One(rest) => {
                self.editor.insert(rest, show);
                self.editor.insert(" ", show);
            }
            Completion::Several("") => {
                show(b"\n");
                if first {
                    list(word, COMMANDS.iter().map(|command| command.name));
                } else {
                    list(word, crate::threads::processes());
                }
                print!("\n{PROMPT}");
                self.editor.redraw(show);
            }
            Completion::Several(rest) => self.editor.insert(rest, show),
        }
    }
}

/// Prints the names that begin with a word.
fn list<'a>(word: &str, names: impl Iterator<Item = &'a str>) {
    for name in names.filter(|name| name.starts_with(word)) {
        print!("{name}  ");
    }
}

/// A part of a character is shown with the rest of it.
fn show(bytes: &[u8]) {
    print!("{}", str::from_utf8(bytes).unwrap_or_default());
}
