//! From a line to the words of its commands.

use core::iter::Peekable;

use crate::LINE;

/// Most words of a line.
const WORDS: usize = 16;
/// Most commands of a line.
pub const COMMANDS: usize = 4;

/// What a line says: commands, each of whose output is the next one's input, and where the first input comes from and the
/// last output goes. The words have lost their quotes.
#[derive(Debug)]
pub struct Words {
    /// The words, one after the other.
    text: [u8; LINE],
    /// Where each ends.
    ends: [u8; WORDS],
    /// Which command each is of; the name of a file is of none.
    of: [Option<u8>; WORDS],
    count: usize,
    commands: u8,
    /// Which word is the file that is read.
    input: Option<usize>,
    /// Which word is the file of a redirection.
    redirection: Option<(Redirection, usize)>,
    background: bool,
}

/// What becomes of the file to which a command's output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redirection {
    /// `>`: it holds nothing else.
    Replace,
    /// `>>`: it stands behind what is there.
    Append,
}

/// Why a line has no words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordsError {
    /// A quote is not closed.
    OpenQuote,
    /// More than 16.
    TooMany,
    /// More than four commands.
    TooManyCommands,
    /// `<`, `>` or `>>` wants the name of one file behind it; `<` in the first command, the others in the last.
    Redirection,
    /// A command is missing before or behind `|`, or before a redirection or `&`.
    NoCommand,
    /// Something stands behind `&`.
    Background,
}

impl core::fmt::Display for WordsError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            WordsError::OpenQuote => "a quote is not closed",
            WordsError::TooMany => "more than 16 words",
            WordsError::TooManyCommands => "more than 4 commands",
            WordsError::Redirection => {
                "<, > and >> want the name of one file: < in the first command, the others in the last"
            }
            WordsError::NoCommand => "there is no command before |, <, > or &, or behind |",
            WordsError::Background => "& stands at the end of the line",
        })
    }
}

/// What the next word is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Word,
    Input,
    Output(Redirection),
}

/// Whether this is a part of a word, and stands there for itself, without quotes.
pub(crate) fn is_of_word(letter: char) -> bool {
    !letter.is_control() && !matches!(letter, ' ' | '|' | '<' | '>' | '&' | '\'' | '"')
}

impl Words {
    /// Cuts a line of at most [`LINE`] bytes at its blanks. What stands between two `'` or two `"` is a part of one word, whatever it is.
    ///
    /// # Errors
    /// [`WordsError`].
    pub fn of(line: &str) -> Result<Words, WordsError> {
        let mut words = Words {
            text: [0; LINE],
            ends: [0; WORDS],
            of: [None; WORDS],
            count: 0,
            commands: 1,
            input: None,
            redirection: None,
            background: false,
        };
        let mut rest = line.bytes().take(LINE).peekable();
        let mut length = 0;
        let mut wanted = Wanted::Word;
        loop {
            while rest.next_if_eq(&b' ').is_some() {}
            let Some(byte) = rest.peek() else { break };
            if words.background {
                return Err(WordsError::Background);
            }
            if !matches!(byte, b'|' | b'<' | b'>' | b'&') {
                words.word(&mut rest, &mut length, wanted)?;
                wanted = Wanted::Word;
                continue;
            }
            if wanted != Wanted::Word {
                return Err(WordsError::Redirection);
            }
            match rest.next() {
                Some(b'|') => words.next_command()?,
                Some(b'<') => wanted = Wanted::Input,
                Some(b'>') if rest.next_if_eq(&b'>').is_some() => {
                    wanted = Wanted::Output(Redirection::Append);
                }
                Some(b'>') => wanted = Wanted::Output(Redirection::Replace),
                _ => words.background = true,
            }
        }
        if wanted != Wanted::Word {
            return Err(WordsError::Redirection);
        }
        let says_nothing = words.count == 0 && !words.background && words.commands == 1;
        if !says_nothing && words.command(words.commands() - 1).next().is_none() {
            return Err(WordsError::NoCommand);
        }
        Ok(words)
    }

    fn next_command(&mut self) -> Result<(), WordsError> {
        if self.command(self.commands() - 1).next().is_none() {
            return Err(WordsError::NoCommand);
        }
        // Its output goes to the next one.
        if self.redirection.is_some() {
            return Err(WordsError::Redirection);
        }
        if self.commands() == COMMANDS {
            return Err(WordsError::TooManyCommands);
        }
        self.commands += 1;
        Ok(())
    }

    fn word(
        &mut self,
        rest: &mut Peekable<impl Iterator<Item = u8>>,
        length: &mut usize,
        wanted: Wanted,
    ) -> Result<(), WordsError> {
        if self.count == WORDS {
            return Err(WordsError::TooMany);
        }
        let ends = |byte: &u8| matches!(byte, b' ' | b'|' | b'<' | b'>' | b'&');
        let mut quote = None;
        while let Some(byte) = rest.next_if(|byte| quote.is_some() || !ends(byte)) {
            match (byte, quote) {
                (b'\'' | b'"', None) => quote = Some(byte),
                (byte, Some(open)) if byte == open => quote = None,
                _ => {
                    self.text[*length] = byte;
                    *length += 1;
                }
            }
        }
        if quote.is_some() {
            return Err(WordsError::OpenQuote);
        }
        let place = self.count;
        self.ends[place] = *length as u8;
        self.count += 1;
        let is_known = match wanted {
            Wanted::Word => {
                self.of[place] = Some(self.commands - 1);
                false
            }
            Wanted::Input => self.commands > 1 || self.input.replace(place).is_some(),
            Wanted::Output(how) => self.redirection.replace((how, place)).is_some(),
        };
        if is_known {
            Err(WordsError::Redirection)
        } else {
            Ok(())
        }
    }

    /// How many commands there are; one that has no words, if the line has none.
    #[must_use]
    pub fn commands(&self) -> usize {
        self.commands.into()
    }

    /// The words of a command, the first of which is number 0.
    pub fn command(&self, number: usize) -> impl Iterator<Item = &str> {
        let all =
            (0..self.count).filter(move |word| self.of[*word].map(usize::from) == Some(number));
        all.map(|word| self.word_at(word))
    }

    /// Where the first command's input is to come from, if it is said.
    #[must_use]
    pub fn input(&self) -> Option<&str> {
        Some(self.word_at(self.input?))
    }

    /// Where the last command's output is to go, if not to the console.
    #[must_use]
    pub fn redirection(&self) -> Option<(Redirection, &str)> {
        let (how, file) = self.redirection?;
        Some((how, self.word_at(file)))
    }

    /// Nobody is to wait for the commands' end.
    #[must_use]
    pub fn is_in_background(&self) -> bool {
        self.background
    }

    fn word_at(&self, word: usize) -> &str {
        let start = word.checked_sub(1).map_or(0, |before| self.ends[before]);
        let bytes = &self.text[start.into()..self.ends[word].into()];
        // Cut at ASCII only.
        str::from_utf8(bytes).unwrap_or_default()
    }
}
