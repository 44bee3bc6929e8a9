use std::string::String;
use std::vec;
use std::vec::Vec;

use crate::{Completion, Editor, Event, KEPT, LINE, Redirection, Words, WordsError, complete, nearest};

/// A terminal of one line, as far as an editor uses it.
#[derive(Default)]
struct Terminal {
    characters: Vec<char>,
    cursor: usize,
    bells: usize,
    pending: Vec<u8>,
}

impl Terminal {
    fn show(&mut self, bytes: &[u8]) {
        self.pending.extend(bytes);
        let Ok(text) = String::from_utf8(self.pending.clone()) else {
            return;
        };
        self.pending.clear();
        let mut rest = text.chars();
        while let Some(letter) = rest.next() {
            match letter {
                '\x07' => self.bells += 1,
                '\x08' => self.cursor -= 1,
                '\n' => {}
                '\x1b' => {
                    assert_eq!(rest.next(), Some('['));
                    assert_eq!(rest.next(), Some('K'));
                    self.characters.truncate(self.cursor);
                }
                letter => {
                    if self.cursor == self.characters.len() {
                        self.characters.push(letter);
                    } else {
                        self.characters[self.cursor] = letter;
                    }
                    self.cursor += 1;
                }
            }
        }
    }

    fn text(&self) -> String {
        self.characters.iter().collect()
    }
}

/// What comes of the last byte, and the terminal as it is then.
fn typed(editor: &mut Editor, bytes: &[u8]) -> (Event, Terminal) {
    let mut terminal = Terminal::default();
    let mut event = Event::Nothing;
    for byte in bytes {
        event = editor.take(*byte, |shown| terminal.show(shown));
        assert_eq!(event == Event::Nothing, terminal.pending.is_empty() && event == Event::Nothing);
    }
    (event, terminal)
}

#[test]
fn the_terminal_shows_the_line_and_its_cursor_whatever_is_typed() {
    let lines: [(&[u8], &str, &str); 12] = [
        (b"ps", "ps", "ps"),
        (b"pss\x08", "ps", "ps"),
        (b"s\x1b[Dp", "ps", "p"),
        (b"ps\x01x", "xps", "x"),
        (b"ps\x01x\x05y", "xpsy", "xpsy"),
        (b"one two\x17", "one ", "one "),
        (b"one two  \x17", "one ", "one "),
        (b"one\x1b[D\x1b[D\x0b", "o", "o"),
        (b"one\x1b[D\x15", "e", ""),
        (b"one\x1b[H\x1b[3~", "ne", ""),
        ("größe\x1b[D\x1b[D\x1b[D\x08".as_bytes(), "göße", "g"),
        (b"one\x02\x02\x06\x04", "on", "on"),
    ];
    for (bytes, line, before) in lines {
        let mut editor = Editor::new();
        let (event, terminal) = typed(&mut editor, bytes);
        assert_eq!((event, editor.text(), editor.before()), (Event::Nothing, line, before));
        assert_eq!(terminal.text(), line);
        assert_eq!(terminal.cursor, before.chars().count());
    }
}

#[test]
fn a_line_ends_once_however_its_end_is_typed() {
    for end in [&b"\r"[..], b"\n", b"\r\n"] {
        let mut editor = Editor::new();
        let mut lines = vec![];
        for byte in [b"one", end, b"two", end].concat() {
            if editor.take(byte, |_| {}) == Event::Line {
                lines.push(String::from(editor.text()));
                editor.begin();
            }
        }
        assert_eq!(lines, ["one", "two"]);
    }
}

#[test]
fn a_line_that_is_given_up_is_forgotten_and_the_end_is_that_of_an_empty_line_only() {
    let mut editor = Editor::new();
    assert_eq!(typed(&mut editor, b"rm all\x03").0, Event::Cancelled);
    assert_eq!(editor.text(), "");
    assert_eq!(typed(&mut editor, b"a\x04").0, Event::Nothing);
    assert_eq!(typed(&mut editor, b"\x08\x04").0, Event::End);
}

#[test]
fn the_history_is_as_it_was_typed_and_its_ends_ring() {
    let mut editor = Editor::new();
    for line in ["ps", "log", "log", "", "ls /"] {
        typed(&mut editor, line.as_bytes());
        assert_eq!(typed(&mut editor, b"\r").0, Event::Line);
        editor.begin();
    }
    for (keys, line, bells) in [
        (&b"\x1b[A"[..], "ls /", 0),
        (b"\x1b[A", "log", 0),
        (b"\x1b[A", "ps", 0),
        (b"\x1b[A", "ps", 1),
        (b"\x1b[B\x1b[B", "ls /", 0),
        (b"\x1b[B", "", 0),
        (b"\x1b[B", "", 1),
        (b"\x10\x10s", "logs", 0),
    ] {
        let (_, terminal) = typed(&mut editor, keys);
        assert_eq!((editor.text(), terminal.bells), (line, bells));
    }
}

#[test]
fn only_so_many_lines_are_kept() {
    let mut editor = Editor::new();
    for line in 0..KEPT + 3 {
        typed(&mut editor, std::format!("{line}\r").as_bytes());
        editor.begin();
    }
    let (_, terminal) = typed(&mut editor, &b"\x1b[A".repeat(KEPT + 1));
    assert_eq!((editor.text(), terminal.bells), ("3", 1));
}

#[test]
fn what_does_not_fit_is_not_taken() {
    let mut editor = Editor::new();
    let (_, terminal) = typed(&mut editor, &[b'x'; LINE + 2]);
    assert_eq!((editor.text().len(), terminal.bells), (LINE, 2));
    let mut bells = 0;
    editor.insert("y", |shown| bells += usize::from(shown == b"\x07"));
    assert_eq!((editor.text().len(), bells), (LINE, 1));
}

#[test]
fn no_bytes_break_the_editor() {
    let mut state = 7_u32;
    let mut editor = Editor::new();
    for _ in 0..200_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let byte = match state >> 30 {
            0 => b'a',
            1 => *b"\x1b[ABCDHF~13".get(state as usize >> 8 & 15).unwrap_or(&b'\r'),
            2 => (state >> 16) as u8,
            _ => (state >> 16) as u8 & 0x1F,
        };
        if matches!(editor.take(byte, |_| {}), Event::Line | Event::End) {
            editor.begin();
        }
        assert!(editor.before().len() <= editor.text().len());
    }
}

/// The words of a line, and its redirection.
fn cut(line: &str) -> Result<(Vec<String>, Option<(Redirection, String)>), WordsError> {
    let words = Words::of(line)?;
    let to = words.redirection().map(|(how, file)| (how, file.into()));
    Ok((words.iter().map(String::from).collect(), to))
}

#[test]
fn a_line_is_cut_into_words_and_a_redirection() {
    let to = |how, file: &str| Some((how, String::from(file)));
    for (line, words, redirection) in [
        ("", &[][..], None),
        ("  ps ", &["ps"], None),
        ("echo 'two words' \"it's\" a'b c'd", &["echo", "two words", "it's", "ab cd"], None),
        ("echo '' x", &["echo", "", "x"], None),
        ("echo a>b", &["echo", "a"], to(Redirection::Replace, "b")),
        ("ps >> /log", &["ps"], to(Redirection::Append, "/log")),
        ("echo 'a > b'", &["echo", "a > b"], None),
    ] {
        let words: Vec<String> = words.iter().map(|word| String::from(*word)).collect();
        assert_eq!(cut(line), Ok((words, redirection)), "{line}");
    }
}

#[test]
fn a_line_that_is_wrong_is_refused() {
    assert_eq!(cut("echo 'a"), Err(WordsError::OpenQuote));
    assert_eq!(cut("echo >"), Err(WordsError::Redirection));
    assert_eq!(cut("echo > a b"), Err(WordsError::Redirection));
    assert_eq!(cut("echo > a > b"), Err(WordsError::Redirection));
    assert_eq!(cut(&"x ".repeat(17)), Err(WordsError::TooMany));
}

#[test]
fn the_nearest_name_is_found_and_what_is_too_far_is_not() {
    let names = || ["ps", "restart", "stop", "help", "ls"].into_iter();
    for (word, name) in [
        ("hlep", Some("help")),
        ("restar", Some("restart")),
        ("stopp", Some("stop")),
        ("pss", Some("ps")),
        ("network", None),
        ("xy", None),
        ("", None),
    ] {
        assert_eq!(nearest(word, names()), name, "{word}");
    }
    assert_eq!(nearest(&"x".repeat(100), names()), None);
}

#[test]
fn a_word_is_completed_as_far_as_names_agree() {
    let names = || ["remove", "restart", "rest", "ls"].into_iter();
    assert_eq!(complete("l", names()), Completion::One("s"));
    assert_eq!(complete("re", names()), Completion::Several(""));
    assert_eq!(complete("res", names()), Completion::Several("t"));
    assert_eq!(complete("x", names()), Completion::None);
}
