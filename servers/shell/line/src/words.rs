//! From a line to words.

use crate::LINE;

/// Most words of a line.
const WORDS: usize = 16;

/// The words of a line, without their quotes; and where what the command says is to go.
#[derive(Debug)]
pub struct Words {
    /// The words, one after the other.
    text: [u8; LINE],
    /// Where each ends.
    ends: [u8; WORDS],
    count: usize,
    /// Which word is the file of a redirection.
    redirection: Option<(Redirection, usize)>,
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
    /// `>` or `>>` wants the name of one file behind it, and nothing else.
    Redirection,
}

impl core::fmt::Display for WordsError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            WordsError::OpenQuote => "a quote is not closed",
            WordsError::TooMany => "more than 16 words",
            WordsError::Redirection => "> and >> want the name of one file, at the end of the line",
        })
    }
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
            count: 0,
            redirection: None,
        };
        let mut rest = line.bytes().take(LINE).peekable();
        let mut length = 0;
        loop {
            while rest.next_if(|byte| *byte == b' ').is_some() {}
            match rest.peek() {
                None => break,
                Some(b'>') => words.redirect(&mut rest)?,
                Some(_) => words.word(&mut rest, &mut length)?,
            }
        }
        match words.redirection {
            Some((_, file)) if file + 1 != words.count => Err(WordsError::Redirection),
            _ => Ok(words),
        }
    }

    fn redirect(
        &mut self,
        rest: &mut core::iter::Peekable<impl Iterator<Item = u8>>,
    ) -> Result<(), WordsError> {
        rest.next();
        let append = rest.next_if_eq(&b'>').is_some();
        let how = if append {
            Redirection::Append
        } else {
            Redirection::Replace
        };
        match self.redirection.replace((how, self.count)) {
            None => Ok(()),
            Some(_) => Err(WordsError::Redirection),
        }
    }

    fn word(
        &mut self,
        rest: &mut core::iter::Peekable<impl Iterator<Item = u8>>,
        length: &mut usize,
    ) -> Result<(), WordsError> {
        if self.count == WORDS {
            return Err(WordsError::TooMany);
        }
        let mut quote = None;
        while let Some(byte) = rest.next_if(|byte| quote.is_some() || !matches!(byte, b' ' | b'>'))
        {
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
        self.ends[self.count] = *length as u8;
        self.count += 1;
        Ok(())
    }

    /// The words of the command, without those of the redirection.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let count = self.redirection.map_or(self.count, |(_, file)| file);
        (0..count).map(|word| self.word_at(word))
    }

    /// Where the output is to go, if not to the console.
    #[must_use]
    pub fn redirection(&self) -> Option<(Redirection, &str)> {
        let (how, file) = self.redirection?;
        Some((how, self.word_at(file)))
    }

    fn word_at(&self, word: usize) -> &str {
        let start = word.checked_sub(1).map_or(0, |before| self.ends[before]);
        let bytes = &self.text[start.into()..self.ends[word].into()];
        // Cut at ASCII only.
        str::from_utf8(bytes).unwrap_or_default()
    }
}
