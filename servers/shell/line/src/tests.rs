use std::format;
use std::string::String;
use std::vec;
use std::vec::Vec;

use crate::{
    Completer, Completion, Editor, Event, KEPT, LINE, Redirection, Words, WordsError, distance,
    nanoseconds, nearest, to_complete,
};

/// What a terminal's line has room for, and what is before the line that is typed.
const COLUMNS: usize = 80;
const PROMPT: usize = 2;

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
                '\n' => {
                    self.characters.clear();
                    self.cursor = 0;
                }
                '\x1b' => {
                    assert_eq!(rest.next(), Some('['));
                    assert_eq!(rest.next(), Some('K'));
                    self.characters.truncate(self.cursor);
                }
                letter => {
                    // One more would go to its next line, from which no backspace leads back.
                    assert!(PROMPT + self.cursor < COLUMNS - 1, "{text:?}");
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

/// An editor and its terminal.
#[derive(Default)]
struct Session {
    editor: Editor,
    terminal: Terminal,
}

impl Session {
    /// Types these bytes: what comes of the last one.
    fn enter(&mut self, bytes: &[u8]) -> Event {
        self.terminal.bells = 0;
        let mut event = Event::Nothing;
        for byte in bytes {
            event = self.editor.take(*byte, |shown| self.terminal.show(shown));
        }
        self.check();
        event
    }

    /// The terminal shows what the editor has: all of it, or, of what is longer than its line, what is around the cursor.
    fn check(&self) {
        let (shown, line, before) = (
            self.terminal.text(),
            self.editor.text(),
            self.editor.before(),
        );
        let place: usize = shown
            .chars()
            .take(self.terminal.cursor)
            .map(char::len_utf8)
            .sum();
        let (left, right) = shown.split_at(place);
        assert!(before.ends_with(left), "{before:?} {left:?}");
        let behind = &line[before.len()..];
        assert!(behind.starts_with(right), "{behind:?} {right:?}");
        let is_far = line.chars().count() > COLUMNS - 1 - PROMPT - 1;
        let is_whole = (left, right) == (before, behind);
        assert!(is_whole || is_far, "{line:?} is {shown:?}");
        // Nobody types without seeing what is before the cursor, and nobody stops before the line does.
        assert!(!left.is_empty() || before.is_empty());
        assert!(right == behind || shown.chars().count() > COLUMNS / 2);
    }
}

#[test]
fn the_terminal_shows_the_line_and_its_cursor_whatever_is_typed() {
    let lines: [(&[u8], &str, &str); 26] = [
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
        ("gße\x1b[D\x1b[Drö".as_bytes(), "größe", "grö"),
        (b"a\xC3b\xA4\xFFc", "abc", "abc"),
        // Keys with a modifier are those without it, and what is no key here is passed over to its end.
        (b"one\x01\x1b[3;5~", "ne", ""),
        (b"one\x1b[1;5D", "one", "on"),
        (b"one\x01\x1b[5;3~", "one", ""),
        (b"one\x01\x1b[15;3~", "one", ""),
        (b"one\x01\x1b[15;3;3~", "one", ""),
        (b"one\x01\x1b[3:1~", "one", ""),
        (b"one\x01\x1b[?3~", "one", ""),
        (b"one\x1b[?1;2c", "one", "one"),
        (b"one\x1b[[A", "one", "one"),
        (b"one\x1b[1[x", "onex", "onex"),
        (b"one\x1b[\x01x", "xone", "x"),
        (b"one\x1b[1;\x1b[D", "one", "on"),
    ];
    for (bytes, line, before) in lines {
        let mut session = Session::default();
        let event = session.enter(bytes);
        let editor = &session.editor;
        assert_eq!(
            (event, editor.text(), editor.before()),
            (Event::Nothing, line, before)
        );
    }
}

#[test]
fn what_is_longer_than_the_terminal_s_line_is_shown_around_the_cursor() {
    // Letters of one byte and of two, so that places and columns differ.
    let long: String = "abcdefghi ö".repeat(10);
    let mut session = Session::default();
    session.enter(long.as_bytes());
    assert_eq!(session.editor.text(), long);
    // To its beginning letter by letter, and on from there.
    for _ in long.chars() {
        session.enter(b"\x02");
    }
    assert_eq!(session.editor.before(), "");
    assert_eq!(session.terminal.cursor, 0);
    session.enter(b"x\x08");
    for _ in long.chars() {
        session.enter(b"\x06");
    }
    assert_eq!(session.editor.before(), long);
    // In its middle, from one end to the other, and both erased.
    session.enter(&b"\x02".repeat(50));
    for keys in [
        &b"in between"[..],
        b"\x17\x17",
        b"\x1b[3~",
        b"\x01",
        b"\x05",
        b"\x17",
        b"\x01\x0b",
    ] {
        session.enter(keys);
    }
    assert_eq!(session.terminal.text(), "");
    // Behind a short line of the history, and behind other text on the terminal.
    for line in ["short", &long] {
        session.enter(line.as_bytes());
        session.editor.begin();
        session.terminal = Terminal::default();
    }
    for (keys, line) in [
        (&b"\x1b[A"[..], &long[..]),
        (b"\x1b[A", "short"),
        (b"\x1b[B", &long),
    ] {
        session.enter(keys);
        assert_eq!(session.editor.text(), line);
    }
    session.terminal = Terminal::default();
    session.editor.redraw(|shown| session.terminal.show(shown));
    session.check();
}

#[test]
fn a_line_ends_once_however_its_end_is_typed() {
    // Behind the beginning of a key, too.
    for end in [
        &b"\r"[..],
        b"\n",
        b"\r\n",
        b"\x1b[\r",
        b"\x1b[3;5\n",
        b"\x1b[[\r\n",
    ] {
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
    let mut session = Session::default();
    for keys in [
        &b"rm all\x03"[..],
        b"rm all\x1b[\x03",
        b"rm all\x1b[1;5\x03",
    ] {
        assert_eq!(session.enter(keys), Event::Cancelled);
        assert_eq!(session.editor.text(), "");
    }
    assert_eq!(session.enter(b"a\x04"), Event::Nothing);
    assert_eq!(session.enter(b"\x08\x04"), Event::End);
}

#[test]
fn the_history_is_as_it_was_typed_and_its_ends_ring() {
    let mut session = Session::default();
    for line in ["ps", "log", "log", "", "ls /"] {
        session.enter(line.as_bytes());
        assert_eq!(session.editor.take(b'\r', |_| {}), Event::Line);
        session.editor.begin();
        session.terminal = Terminal::default();
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
        session.enter(keys);
        assert_eq!(
            (session.editor.text(), session.terminal.bells),
            (line, bells)
        );
    }
}

#[test]
fn only_so_many_lines_are_kept() {
    let mut session = Session::default();
    for line in 0..KEPT + 3 {
        session.editor.insert(&std::format!("{line}"), |_| {});
        session.editor.begin();
    }
    session.enter(&b"\x1b[A".repeat(KEPT + 1));
    assert_eq!((session.editor.text(), session.terminal.bells), ("3", 1));
}

#[test]
fn what_does_not_fit_is_not_taken() {
    let mut session = Session::default();
    session.enter(&[b'x'; LINE + 2]);
    assert_eq!(
        (session.editor.text().len(), session.terminal.bells),
        (LINE, 2)
    );
    session
        .editor
        .insert("y", |shown| session.terminal.show(shown));
    session.check();
    assert_eq!(
        (session.editor.text().len(), session.terminal.bells),
        (LINE, 3)
    );
}

#[test]
fn no_bytes_break_the_editor() {
    let mut state = 7_u32;
    let mut editor = Editor::new();
    for _ in 0..200_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let byte = match state >> 30 {
            0 => b'a',
            1 => *b"\x1b[ABCDHF~13"
                .get(state as usize >> 8 & 15)
                .unwrap_or(&b'\r'),
            2 => (state >> 16) as u8,
            _ => (state >> 16) as u8 & 0x1F,
        };
        if matches!(editor.take(byte, |_| {}), Event::Line | Event::End) {
            editor.begin();
        }
        assert!(editor.before().len() <= editor.text().len());
    }
}

/// What a line says: its commands, where the input comes from, where the output goes, and whether nobody waits.
type Cut = (
    Vec<Vec<String>>,
    Option<String>,
    Option<(Redirection, String)>,
    bool,
);

fn cut(line: &str) -> Result<Cut, WordsError> {
    let words = Words::of(line)?;
    let to = words.redirection().map(|(how, file)| (how, file.into()));
    let commands =
        (0..words.commands()).map(|number| words.command(number).map(String::from).collect());
    Ok((
        commands.collect(),
        words.input().map(String::from),
        to,
        words.is_in_background(),
    ))
}

#[test]
fn a_line_is_cut_into_commands_and_their_words_and_files() {
    let to = |how, file: &str| Some((how, String::from(file)));
    let replace = |file| to(Redirection::Replace, file);
    for (line, commands, input, output, background) in [
        ("", &[&[][..]][..], None, None, false),
        ("  ps ", &[&["ps"]], None, None, false),
        (
            "echo 'two words' \"it's\" a'b c'd",
            &[&["echo", "two words", "it's", "ab cd"]],
            None,
            None,
            false,
        ),
        ("echo '' x", &[&["echo", "", "x"]], None, None, false),
        ("echo a>b", &[&["echo", "a"]], None, replace("b"), false),
        ("echo >b a", &[&["echo", "a"]], None, replace("b"), false),
        (
            "ps >> /log",
            &[&["ps"]],
            None,
            to(Redirection::Append, "/log"),
            false,
        ),
        ("echo 'a > b'", &[&["echo", "a > b"]], None, None, false),
        ("echo '|&<'", &[&["echo", "|&<"]], None, None, false),
        (
            "count 5 | upper",
            &[&["count", "5"], &["upper"]],
            None,
            None,
            false,
        ),
        (
            "a|b|c|d",
            &[&["a"], &["b"], &["c"], &["d"]],
            None,
            None,
            false,
        ),
        (
            "a <i | b >o&",
            &[&["a"], &["b"]],
            Some("i"),
            replace("o"),
            true,
        ),
        ("< i a", &[&["a"]], Some("i"), None, false),
        ("count 9 &", &[&["count", "9"]], None, None, true),
    ] {
        let owned = |words: &&[&str]| words.iter().map(|word| String::from(*word)).collect();
        let commands: Vec<Vec<String>> = commands.iter().map(owned).collect();
        let expected = (commands, input.map(String::from), output, background);
        assert_eq!(cut(line), Ok(expected), "{line}");
    }
}

#[test]
fn a_line_that_is_wrong_is_refused() {
    for (line, error) in [
        ("echo 'a", WordsError::OpenQuote),
        ("echo >", WordsError::Redirection),
        ("echo > a > b", WordsError::Redirection),
        ("echo < a < b", WordsError::Redirection),
        ("echo < > b", WordsError::Redirection),
        ("echo > | b", WordsError::Redirection),
        ("echo > a | b", WordsError::Redirection),
        ("echo | b < a", WordsError::Redirection),
        ("| a", WordsError::NoCommand),
        ("a |", WordsError::NoCommand),
        ("a || b", WordsError::NoCommand),
        ("> a", WordsError::NoCommand),
        ("&", WordsError::NoCommand),
        ("a | > b", WordsError::NoCommand),
        ("a & b", WordsError::Background),
        ("a & &", WordsError::Background),
        ("a | b | c | d | e", WordsError::TooManyCommands),
    ] {
        assert_eq!(cut(line), Err(error), "{line}");
    }
    assert_eq!(cut(&"x ".repeat(17)), Err(WordsError::TooMany));
}

#[test]
fn no_line_breaks_the_words() {
    let mut state: u32 = 1;
    for _ in 0..20_000 {
        let line: String = (0..24)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                b"ab '\"|<>& \xff"[(state >> 24) as usize % 11] as char
            })
            .collect();
        if let Ok(words) = Words::of(&line) {
            let all: usize = (0..words.commands())
                .map(|number| words.command(number).count())
                .sum();
            let files =
                usize::from(words.input().is_some()) + usize::from(words.redirection().is_some());
            assert!(all + files <= 16, "{line}");
            let is_empty = all == 0;
            let said = (0..words.commands()).all(|number| words.command(number).count() > 0);
            assert!(said || is_empty && files == 0, "{line}");
        }
    }
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
    // Not the first one that is near enough.
    assert_eq!(nearest("coat", ["count", "cat"].into_iter()), Some("cat"));
    for (name, far) in [
        ("coat", Some(0)),
        ("cat", Some(1)),
        ("count", Some(2)),
        ("wait", None),
    ] {
        assert_eq!(distance("coat", name), far, "{name}");
    }
}

#[test]
fn seconds_may_have_a_part_behind_the_point() {
    for (text, nanos) in [
        ("0", Some(0)),
        ("2", Some(2_000_000_000)),
        ("0.5", Some(500_000_000)),
        ("1.000000001", Some(1_000_000_001)),
        ("18446744073.709551615", Some(u64::MAX)),
        ("18446744073.709551616", Some(u64::MAX)),
        ("99999999999999999999999", Some(u64::MAX)),
        ("0.0000000019", Some(1)),
        ("", None),
        (".5", None),
        ("1.", None),
        ("+1", None),
        ("-1", None),
        ("1.+5", None),
        ("1.5.5", None),
        ("soon", None),
    ] {
        assert_eq!(nanoseconds(text), nanos, "{text}");
    }
}

#[test]
fn a_name_that_no_line_has_room_for_is_not_completed() {
    let before = "x".repeat(LINE - 8);
    for (word, name, line) in [
        ("/a", "/abcdefg", "/abcdefg"),
        ("/a", "/abcdefgh", "/a"),
        ("/", "/abcdef", "/abcdef "),
    ] {
        let mut session = Session::default();
        session.enter(before.as_bytes());
        session.enter(word.as_bytes());
        let mut completer = Completer::new(word);
        completer.offer(name);
        let Completion::One(rest) = completer.completion() else {
            panic!("one begins so");
        };
        if session.editor.insert(rest, |_| {}) {
            session.editor.insert(" ", |_| {});
        }
        assert_eq!(session.editor.text(), format!("{before}{line}"));
    }
    // One that is longer than a line is none at all, and not one that is cut.
    let mut completer = Completer::new("");
    completer.offer(&"x".repeat(LINE + 1));
    assert_eq!(completer.completion(), Completion::None);
}

#[test]
fn a_word_is_completed_as_far_as_names_agree() {
    for (word, names, completion) in [
        ("l", &["remove", "ls"][..], Completion::One("s")),
        (
            "re",
            &["remove", "restart", "rest"],
            Completion::Several(""),
        ),
        ("re", &["restart", "rest", "ls"], Completion::Several("st")),
        ("x", &["restart"], Completion::None),
        ("", &[], Completion::None),
        ("gr", &["größe", "grün", "grö"], Completion::Several("")),
        ("gr", &["größe", "grönland"], Completion::Several("ö")),
    ] {
        let mut completer = Completer::new(word);
        names.iter().for_each(|name| completer.offer(name));
        assert_eq!(completer.completion(), completion, "{word} {names:?}");
    }
}

#[test]
fn a_word_that_is_completed_begins_where_a_line_has_it_begin() {
    for (before, completed) in [
        ("", (true, "")),
        ("ec", (true, "ec")),
        (" ec", (true, "ec")),
        ("echo a", (false, "a")),
        ("echo ", (false, "")),
        ("echo a | up", (true, "up")),
        ("echo a|up", (true, "up")),
        ("echo a |", (true, "")),
        ("cat </", (false, "/")),
        ("echo a >/no", (false, "/no")),
        ("echo a>> /no", (false, "/no")),
    ] {
        assert_eq!(to_complete(before), completed, "{before}");
    }
}

#[test]
fn a_line_that_is_being_typed_is_there_again_behind_the_history() {
    let mut session = Session::default();
    let mut enter = |typed: &[u8], line: &str, is_whole: bool| {
        session.enter(typed);
        assert_eq!(session.editor.text(), line);
        if is_whole {
            assert_eq!(session.editor.take(b'\r', |_| {}), Event::Line);
            session.editor.begin();
            session.terminal = Terminal::default();
        }
    };
    enter(b"ls", "ls", true);
    enter(b"echo half", "echo half", false);
    enter(b"\x1b[A", "ls", false);
    enter(b"\x1b[B", "echo half", false);
    enter(b"\x10\x0E", "echo half", false);
    enter(b"s\x1b[A", "ls", false);
    enter(b" -x\x1b[B", "echo halfs", false);
    // It was that line's, and not the next one's.
    enter(b"\x1b[A", "ls", true);
    enter(b"\x1b[A", "ls", false);
    enter(b"\x1b[B", "", false);
}

#[test]
fn a_completed_name_is_one_word_and_nothing_else() {
    for (typed, name) in [
        ("cat /a", "/a>boot"),
        ("cat /a", "/a>"),
        ("cat /a", "/a|rm"),
        ("cat /a", "/a<b"),
        ("cat /a", "/a&"),
        ("cat /my", "/my file"),
        ("cat /q", "/q'x"),
        ("cat /q", "/q\"x"),
        ("cat /e", "/e\x1b[2J"),
        ("cat /e", "/e\u{9b}2J"),
        ("cat /e", "/e\nrm"),
        ("cat /g", "/größe.1"),
    ] {
        let mut session = Session::default();
        session.enter(typed.as_bytes());
        let (_, word) = typed.rsplit_once(' ').expect("two words");
        let mut completer = Completer::new(word);
        completer.offer(name);
        if let Completion::One(rest) | Completion::Several(rest) = completer.completion() {
            session.editor.insert(rest, |_| {});
        }
        let line = session.editor.text();
        let expected = if line == typed { word } else { name };
        let alone = vec![vec![String::from("cat"), String::from(expected)]];
        assert_eq!(cut(line), Ok((alone, None, None, false)), "{name}");
        // What is not inserted is not shown among several either.
        assert_eq!(completer.completes_to(name), line != typed, "{name}");
    }
}
