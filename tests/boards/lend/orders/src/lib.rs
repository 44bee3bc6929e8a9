//! What the processes of the test are told to do.
#![no_std]

use riposte::Error;

/// The error as a word; 0 if there is none.
pub fn code<T>(result: Result<T, Error>) -> u32 {
    result.map_or_else(|error| error as u32, |_| 0)
}

/// Orders to the server and the keeper.
pub mod order {
    /// With memory: answers whether it is filled with the argument, the mark, and where it is.
    pub const DO_COMPARE: u32 = 0;
    /// Fills it with the argument.
    pub const DO_FILL: u32 = 1;
    /// Reads the word at this offset.
    pub const DO_READ_AT: u32 = 2;
    /// Writes the word at this offset.
    pub const DO_WRITE_AT: u32 = 3;
    /// Jumps there.
    pub const DO_EXECUTE: u32 = 4;
    /// Answers, then reads the word at this offset.
    pub const DO_READ_LATER: u32 = 5;
    /// Answers, then writes the word at this offset.
    pub const DO_WRITE_LATER: u32 = 6;
    /// Panics.
    pub const DO_DIE: u32 = 7;
    /// Answers, and keeps it.
    pub const DO_KEEP: u32 = 8;
    /// Does not answer before [`RESUME`], or the client's deadline.
    pub const DO_HOLD: u32 = 9;

    /// In words: reads the word at the address in the argument.
    pub const LOAD: u32 = 20;
    /// Sleeps for so many microseconds, then reads the word at the address, if it is not 0.
    pub const NAP_AND_LOAD: u32 = 21;
    /// Fills what is held with [`OWN`] if it may, and answers that client: whether there was one, and
    /// the error.
    pub const RESUME: u32 = 22;
    /// Whether what is held is filled with the argument.
    pub const HELD_IS_FILLED: u32 = 23;
    /// Whether what is kept is filled with the argument, and where it is.
    pub const KEPT_IS_FILLED: u32 = 24;
    /// Fills what is kept with the argument.
    pub const FILL_KEPT: u32 = 25;
    /// Gives up what is kept: the error, and where it was.
    pub const RELEASE: u32 = 26;
    /// Gives up what is kept, and reads where it was at once.
    pub const RELEASE_AND_LOAD: u32 = 31;
    /// Moves what is kept on to the keeper: the error, and where it was.
    pub const PASS_ON: u32 = 27;
    /// Lends what is kept to the keeper: the error.
    pub const LEND_KEPT_ON: u32 = 28;
    /// Panics.
    pub const DIE: u32 = 29;
    /// Where memory was opened last.
    pub const LAST: u32 = 30;

    /// What the server writes of its own.
    pub const OWN: u32 = 0x5E;

    /// The words that go with memory.
    #[must_use]
    pub fn order(order: u32, argument: u32) -> [u32; 3] {
        [order, argument, 0]
    }
}

/// Orders to the lender.
pub mod task {
    /// Sends the first page in the form of this number, 0 to 2, filled with [`SEED`].
    pub const LEND: u32 = 0;
    /// As [`LEND`]: mutably.
    pub const LEND_MUT: u32 = 1;
    /// Moves the first page.
    pub const MOVE: u32 = 2;
    /// Sends the second page: added to the form.
    pub const SECOND_PAGE: u32 = 4;
    /// Lends, in the form of this number less this, memory that is none of its pages.
    pub const OTHER_MEMORY: u32 = 8;
    /// The main thread reads the first page.
    pub const READ: u32 = 16;
    /// Takes the first page back into use: the error, and whether it is all zero.
    pub const RECLAIM: u32 = 17;
    /// Takes all pages back into use: the error, and how many nanoseconds it took; 0 if they are not
    /// all zero.
    pub const RECLAIM_ALL: u32 = 20;
    /// Moves all pages.
    pub const MOVE_ALL: u32 = 21;
    /// Whether the first page is filled with [`SEED`].
    pub const IS_FILLED: u32 = 18;
    /// Lets the second thread do its part.
    pub const REST: u32 = 19;

    /// The second thread's part, while the main thread is blocked: none.
    pub const SECOND_RESTS: u32 = 0;
    /// It reads the first page.
    pub const SECOND_READS: u32 = 1;
    /// It writes the first page.
    pub const SECOND_WRITES: u32 = 2;

    /// What the first page is filled with.
    pub const SEED: u32 = 0x1E;

    /// What it says with its first question.
    pub const STARTED: u32 = 1;
    /// What it says when it has done its part: the error, a word and what the second thread saw
    /// follow.
    pub const FINISHED: u32 = 2;
}
