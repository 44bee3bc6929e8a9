//! The terminal of a person who talks to a program on a board: what is typed goes there letter by letter.

use std::io::Read;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::sys::termios::{
    InputFlags, LocalFlags, SetArg, SpecialCharacterIndices, Termios, tcgetattr, tcsetattr,
};
use nix::unistd::{getpgrp, tcgetpgrp};

use super::keys::Keys;
use crate::interrupt;

/// How the terminal was.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// The standard input, on its way to a board. Dropping it gives the terminal back as it was.
pub(super) struct Input(());

impl Input {
    /// Hands on what is typed, or whatever else comes, until it ends. The board echoes, not the terminal; Ctrl-C is
    /// ours still, but for a `raw` run, whose end is Ctrl-]. Nothing is handed on if the terminal is somebody else's.
    pub(super) fn hand_on(to: Keys, raw: bool) -> Input {
        let input = std::io::stdin();
        match tcgetattr(&input) {
            Ok(now) if tcgetpgrp(&input) == Ok(getpgrp()) => {
                // If it stays as it is, lines are handed on.
                let mut letters = letter_by_letter(now.clone());
                if raw {
                    letters.local_flags -= LocalFlags::ISIG;
                }
                let _ = tcsetattr(&input, SetArg::TCSANOW, &letters);
                *before() = Some(now);
            }
            Ok(_) => return Input(()),
            Err(_) => (),
        }
        std::thread::spawn(move || copy(&to, raw));
        Input(())
    }
}

/// Whether what is typed, or whatever else comes in its place, is ours to read.
pub(crate) fn is_ours() -> bool {
    let input = std::io::stdin();
    tcgetattr(&input).is_err() || tcgetpgrp(&input) == Ok(getpgrp())
}

impl Drop for Input {
    fn drop(&mut self) {
        give_back();
    }
}

/// Gives the terminal back, if it was taken.
pub(crate) fn give_back() {
    if let Some(before) = before().take() {
        // Who has lost the terminal needs it no more.
        let _ = tcsetattr(std::io::stdin(), SetArg::TCSANOW, &before);
    }
}

fn before() -> MutexGuard<'static, Option<Termios>> {
    BEFORE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn letter_by_letter(mut terminal: Termios) -> Termios {
    terminal.local_flags -= LocalFlags::ECHO | LocalFlags::ICANON | LocalFlags::IEXTEN;
    terminal.input_flags -= InputFlags::ICRNL | InputFlags::INLCR | InputFlags::IGNCR;
    terminal.input_flags -= InputFlags::IXON | InputFlags::ISTRIP;
    terminal.control_chars[SpecialCharacterIndices::VMIN as usize] = 1;
    terminal.control_chars[SpecialCharacterIndices::VTIME as usize] = 0;
    terminal
}

/// Ctrl-].
const LEAVE: u8 = 0x1D;

/// Until one side closes. The board does not hear of the end: somebody who types no more is no end of a run.
fn copy(to: &Keys, raw: bool) {
    let mut from = std::io::stdin().lock();
    let mut buffer = [0; 256];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let typed = &buffer[..count];
        let end = typed.iter().position(|key| raw && *key == LEAVE);
        if !to.press(&typed[..end.unwrap_or(count)]) {
            return;
        }
        if end.is_some() {
            interrupt::ask();
            return;
        }
    }
}
