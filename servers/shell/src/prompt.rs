//! Reads a line from the console, key by key.

use core::str;

use riposte::console::ReadError;
use riposte::{Line, print};
use riposte_files::Kind;
use shell_line::{Completer, Completion, Editor, Event, LINE, to_complete};

use crate::command::COMMANDS;
use crate::{files, keys, programs, threads};

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
            match self.editor.take(keys::next()?, show) {
                Event::Nothing => {}
                Event::Complete => self.complete(),
                Event::Line => return Ok(Typed::Line(self.editor.text())),
                Event::Cancelled => return Ok(Typed::Nothing),
                Event::End => return Ok(Typed::End),
            }
        }
    }

    /// Completes the word before the cursor: the first one is a command or a program, one that begins with `/` a path, and others
    /// are processes.
    fn complete(&mut self) {
        let mut copy = Line::<LINE>::new();
        copy.push(self.editor.before().as_bytes());
        let before = str::from_utf8(copy.bytes()).unwrap_or_default();
        let (first, word) = to_complete(before);
        let mut completer = Completer::new(word);
        names(first, word, |name| completer.offer(name));
        match completer.completion() {
            Completion::None => show(b"\x07"),
            Completion::One(rest) => {
                let end = if rest.ends_with('/') { "" } else { " " };
                // Where it has no room, it has not ended either.
                if self.editor.insert(rest, show) {
                    self.editor.insert(end, show);
                }
            }
            Completion::Several("") => {
                show(b"\n");
                names(first, word, |name| {
                    if completer.completes_to(name) {
                        print!("{name}  ");
                    }
                });
                print!("\n{PROMPT}");
                self.editor.redraw(show);
            }
            Completion::Several(rest) => {
                self.editor.insert(rest, show);
            }
        }
    }
}

/// All names that may stand where this word does.
fn names(first: bool, word: &str, mut offer: impl FnMut(&str)) {
    if first {
        COMMANDS.iter().for_each(|command| offer(command.name));
        programs::each_name(offer);
    } else if let Some(end) = word.rfind('/') {
        let (folder, _) = word.split_at(end + 1);
        paths(folder, offer);
    } else {
        threads::processes().for_each(offer);
    }
}

/// The paths in a folder, whose path ends in `/`. Those of directories do so, too.
fn paths(folder: &str, mut offer: impl FnMut(&str)) {
    let Ok(files) = files::connect() else { return };
    let path = folder.trim_end_matches('/');
    let path = if path.is_empty() { "/" } else { path };
    // What cannot be listed has nothing to offer.
    let _ = files::each_entry(&files, path, |entry| {
        let mut line = Line::<LINE>::new();
        let end = if entry.stat.kind == Kind::Directory {
            "/"
        } else {
            ""
        };
        let parts = [folder, entry.name(), end];
        // Of what no line has room for a part would be another name.
        if parts.iter().map(|it| it.len()).sum::<usize>() <= LINE {
            for part in parts {
                line.push(part.as_bytes());
            }
            offer(str::from_utf8(line.bytes()).unwrap_or_default());
        }
        Ok(())
    });
}

/// A part of a character is shown with the rest of it.
fn show(bytes: &[u8]) {
    print!("{}", str::from_utf8(bytes).unwrap_or_default());
}
