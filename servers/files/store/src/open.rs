//! Files that are open, by who has them.

use crate::disk::CLIENTS;
use crate::runs::Place;
use crate::{File, Options, Refused};

/// Bits of a place in the number of an open file.
const PLACE_BITS: u32 = 8;

/// What a client's number stands for: a description, which duplicates share.
#[derive(Clone, Copy)]
struct Number {
    /// Counts those that have been here.
    generation: u32,
    /// Whose it is, and which description.
    open: Option<(u8, u8)>,
}

/// An open file: one or more numbers stand for it.
#[derive(Clone, Copy)]
pub struct Description {
    entry: u16,
    /// How it was opened.
    pub options: Options,
    /// The next byte; of a directory, the next entry.
    pub position: u32,
    /// A block of it that is known.
    pub(crate) place: Option<Place>,
    /// Numbers that stand for it: 0 if it is none.
    users: u16,
}

/// All that is open: at most `FILES` numbers, each its client's alone. What an entry is, it does not know.
pub struct Open<const FILES: usize> {
    numbers: [Number; FILES],
    descriptions: [Description; FILES],
    /// Numbers of each client.
    counts: [u8; CLIENTS],
}

impl Description {
    /// What is open.
    #[must_use]
    pub fn entry(&self) -> usize {
        self.entry.into()
    }
}

impl<const FILES: usize> Open<FILES> {
    /// Nothing.
    #[must_use]
    pub const fn new() -> Self {
        assert!(FILES < 1 << PLACE_BITS, "a place is a byte");
        const NUMBER: Number = Number {
            generation: 0,
            open: None,
        };
        const DESCRIPTION: Description = Description {
            entry: 0,
            options: Options(0),
            position: 0,
            place: None,
            users: 0,
        };
        Self {
            numbers: [NUMBER; FILES],
            descriptions: [DESCRIPTION; FILES],
            counts: [0; CLIENTS],
        }
    }

    /// Whether a client can have one more.
    ///
    /// # Errors
    /// [`Refused::TooManyOpen`].
    pub fn has_room(&self, client: usize, most: usize) -> Result<(), Refused> {
        let is_free = |number: &Number| number.open.is_none();
        if usize::from(self.counts[client]) < most && self.numbers.iter().any(is_free) {
            Ok(())
        } else {
            Err(Refused::TooManyOpen)
        }
    }

    /// A number for an entry that is opened. There [is room](Open::has_room).
    ///
    /// # Errors
    /// [`Refused::TooManyOpen`].
    pub fn open(&mut self, client: usize, entry: usize, options: Options) -> Result<File, Refused> {
        let mut free = self.descriptions.iter();
        let description = free
            .position(|it| it.users == 0)
            .ok_or(Refused::TooManyOpen)?;
        self.descriptions[description] = Description {
            entry: entry as u16,
            options,
            position: 0,
            place: None,
            users: 0,
        };
        self.number(client, description)
    }

    /// Another number for the same description.
    ///
    /// # Errors
    /// [`Refused::BadFile`], [`Refused::TooManyOpen`].
    pub fn duplicate(&mut self, client: usize, file: File) -> Result<File, Refused> {
        let description = self.find(client, file)?;
        self.number(client, description)
    }

    fn number(&mut self, client: usize, description: usize) -> Result<File, Refused> {
        let mut numbers = self.numbers.iter_mut().zip(0_u32..);
        let free = numbers.find(|(number, _)| number.open.is_none());
        let (number, place) = free.ok_or(Refused::TooManyOpen)?;
        number.generation = number.generation.wrapping_add(1);
        number.open = Some((client as u8, description as u8));
        self.descriptions[description].users += 1;
        self.counts[client] += 1;
        Ok(File(number.generation << PLACE_BITS | place))
    }

    fn find(&self, client: usize, file: File) -> Result<usize, Refused> {
        let place = file.0 & ((1 << PLACE_BITS) - 1);
        let number = self.numbers.get(place as usize).ok_or(Refused::BadFile)?;
        let (owner, description) = number.open.ok_or(Refused::BadFile)?;
        let is_this = number.generation << PLACE_BITS | place == file.0;
        if is_this && usize::from(owner) == client {
            Ok(description.into())
        } else {
            Err(Refused::BadFile)
        }
    }

    /// What a client's number stands for.
    ///
    /// # Errors
    /// [`Refused::BadFile`].
    pub fn get(&mut self, client: usize, file: File) -> Result<&mut Description, Refused> {
        let description = self.find(client, file)?;
        Ok(&mut self.descriptions[description])
    }

    /// Takes a number away. Which entry was open by it.
    ///
    /// # Errors
    /// [`Refused::BadFile`].
    pub fn close(&mut self, client: usize, file: File) -> Result<usize, Refused> {
        let description = self.find(client, file)?;
        let place = file.0 & ((1 << PLACE_BITS) - 1);
        self.numbers[place as usize].open = None;
        self.counts[client] -= 1;
        let description = &mut self.descriptions[description];
        description.users -= 1;
        Ok(description.entry())
    }

    /// One of a client's numbers.
    #[must_use]
    pub fn of(&self, client: usize) -> Option<File> {
        let mut numbers = self.numbers.iter().zip(0_u32..);
        let is_own = |number: &Number| {
            number
                .open
                .is_some_and(|(owner, _)| usize::from(owner) == client)
        };
        let (number, place) = numbers.find(|(number, _)| is_own(number))?;
        Some(File(number.generation << PLACE_BITS | place))
    }

    /// Nothing is open any more. What stood for it stands for nothing else.
    pub fn forget(&mut self) {
        self.numbers.iter_mut().for_each(|it| it.open = None);
        self.descriptions.iter_mut().for_each(|it| it.users = 0);
        self.counts = [0; CLIENTS];
    }

    /// Whether anybody has it open.
    #[must_use]
    pub fn is_open(&self, entry: usize) -> bool {
        let mut descriptions = self.descriptions.iter();
        descriptions.any(|it| it.users > 0 && it.entry() == entry)
    }

    /// Blocks of this file have changed hands.
    pub(crate) fn forget_places(&mut self, entry: usize) {
        let descriptions = self.descriptions.iter_mut();
        descriptions
            .filter(|it| it.entry() == entry)
            .for_each(|it| it.place = None);
    }
}

impl<const FILES: usize> Default for Open<FILES> {
    fn default() -> Self {
        Open::new()
    }
}
