//! What comes of a request, and of a notice.

use files_store::{File, Kind, NAME, Options, Refused, Stat, Whence};
use riposte::{Answer, Message, Notice, Status};
use riposte_files::protocol::{
    LARGEST, READER, REQUEST, STAT, kind, operation, option, status, whence,
};

use crate::BRIEF;
use crate::clients::Clients;
use crate::pipes::Pipes;
use crate::volume::{Space, Volume};

/// A volume, and who may use it.
pub struct Server<V> {
    pub(crate) volume: V,
    pub(crate) clients: Clients,
    /// Where the file was to be read or written that is not at its own position.
    elsewhere: u32,
}

/// Why a request is not fulfilled.
struct Failure(Status);

impl From<Refused> for Failure {
    fn from(why: Refused) -> Failure {
        Failure(match why {
            Refused::NotFound => status::NOT_FOUND,
            Refused::Exists => status::EXISTS,
            Refused::NotEmpty => status::NOT_EMPTY,
            Refused::IsDirectory => status::IS_DIRECTORY,
            Refused::IsFifo => status::IS_FIFO,
            Refused::NotDirectory => status::NOT_DIRECTORY,
            Refused::NoSpace => status::NO_SPACE,
            Refused::NameTooLong => status::NAME_TOO_LONG,
            Refused::TooManyOpen => status::TOO_MANY_OPEN,
            Refused::BadFile => status::BAD_FILE,
            Refused::TooLarge => status::TOO_LARGE,
            Refused::Busy => status::BUSY,
            Refused::Damaged => status::IO,
            Refused::ReadOnly => status::READ_ONLY,
            Refused::NotSupported => status::NOT_SUPPORTED,
            // Nobody hears it.
            Refused::Invalid | Refused::Gone => status::INVALID,
        })
    }
}

const INVALID: Failure = Failure(status::INVALID);

/// From here on it is a pipe that is asked for.
const OF_PIPES: u32 = riposte_pipe::protocol::operation::FIRST;
/// Bytes of a position in a request.
pub(crate) const POSITION: usize = 8;

/// The bits of a read or write that is not from the file's position on.
const ELSEWHERE: u32 = (operation::AT | operation::AT_END) >> operation::SHIFT;
/// The bits that a read or write may have.
const ALLOWED: u32 = operation::TRY >> operation::SHIFT | ELSEWHERE;

/// From where a seek with these bits counts.
fn whence_of(bits: u32) -> Result<Whence, Failure> {
    match bits {
        whence::START => Ok(Whence::Start),
        whence::CURRENT => Ok(Whence::Current),
        whence::END => Ok(Whence::End),
        _ => Err(INVALID),
    }
}

/// A request but for what is behind it.
struct Request {
    operation: u32,
    /// What stands above the operation.
    bits: u32,
    file: File,
    /// The words behind it, if there are so many.
    words: [u32; 3],
    client: usize,
    may_change: bool,
}

impl Request {
    /// Whether it says a position.
    fn is_at(&self) -> bool {
        self.bits & (operation::AT >> operation::SHIFT) != 0
    }
}

impl<V: Volume> Server<V> {
    /// With a volume, for these clients.
    pub fn new(volume: V, clients: Clients) -> Server<V> {
        Server {
            volume,
            clients,
            elsewhere: 0,
        }
    }

    /// Closes what the dead had open.
    // Inlined, up to what it does: an event that is handed on by its address is in memory whatever it is.
    #[inline(always)]
    pub(crate) fn hear<'a>(&mut self, pipes: &mut impl Pipes, notice: &Notice) -> Answer<'a> {
        if let Notice::ClientDied { badge, .. } = notice {
            self.close_all_of(*badge);
        }
        pipes.hear(notice);
        Answer::later()
    }

    #[inline(never)]
    fn close_all_of(&mut self, badge: u32) {
        if let Some(client) = self.clients.number(badge) {
            self.volume.leave(client);
        }
    }

    /// Does what a client asks.
    pub(crate) fn serve<'a, P: Pipes>(
        &mut self,
        pipes: &mut P,
        message: Message<'a>,
    ) -> Answer<'a> {
        let badge = message.badge();
        let [first, number, words @ ..] = message.words();
        let client = self.clients.number(badge);
        let (Some(client), true) = (client, message.accepted() >= REQUEST) else {
            return message.answer_error(status::INVALID);
        };
        let request = Request {
            operation: first & 0xFF,
            bits: first >> operation::SHIFT,
            file: File(number),
            words,
            client,
            may_change: badge < READER,
        };
        match request.operation {
            operation::READ => self.read(message, &request),
            operation::WRITE => self.write(message, &request),
            operation::LIST => self.list(message, &request),
            operation::OPEN | operation::DUPLICATE => {
                let opened = self.opened(&message, &request);
                self.give(message, client, opened)
            }
            operation::CLOSE..operation::DUPLICATE => {
                let done = self.of_file(&message, &request);
                answer(message, done)
            }
            operation::STAT_PATH | operation::SPACE => {
                let done = self.look(&message, &request);
                answer(message, done)
            }
            operation::MAKE_DIRECTORY..=operation::RENAME => {
                let done = self.change(pipes, &message, &request);
                answer(message, done.map(|()| ([0; 5], 0)))
            }
            operation::MAKE_FIFO if P::ARE_THERE => {
                let done = self.change(pipes, &message, &request);
                answer(message, done.map(|()| ([0; 5], 0)))
            }
            OF_PIPES.. if P::ARE_THERE => self.serve_pipes(pipes, message, client),
            _ => message.answer_error(status::NOT_SUPPORTED),
        }
    }

    /// Operations about what is open, but for those that move bytes: the words of the answer, and how many.
    fn of_file(
        &mut self,
        message: &Message<'_>,
        request: &Request,
    ) -> Result<([u32; 5], usize), Failure> {
        let &Request {
            client,
            file,
            bits,
            words: [low, high, _],
            ..
        } = request;
        let expected = match request.operation {
            operation::SEEK | operation::TRUNCATE => REQUEST + 8,
            _ => REQUEST,
        };
        if message.offered() != expected || (bits != 0 && request.operation != operation::SEEK) {
            return Err(INVALID);
        }
        let number = u64::from(high) << 32 | u64::from(low);
        match request.operation {
            operation::CLOSE => {
                self.volume.close(client, file)?;
                Ok(([0; 5], 0))
            }
            operation::SEEK => {
                if bits & whence::SMALL != 0 {
                    return self.seek_small(request);
                }
                let whence = whence_of(bits)?;
                let position = self.volume.seek(client, file, number as i64, whence)?;
                Ok(([position, 0, 0, 0, 0], 2))
            }
            operation::TRUNCATE => {
                self.volume.truncate(client, file, number)?;
                Ok(([0; 5], 0))
            }
            operation::STAT => Ok(stat_words(self.volume.stat(client, file)?)),
            _ => {
                self.volume.sync(client, file)?;
                Ok(([0; 5], 0))
            }
        }
    }

    /// Another number for the client.
    fn opened(&mut self, message: &Message<'_>, request: &Request) -> Result<File, Failure> {
        if request.operation == operation::DUPLICATE {
            if message.offered() != REQUEST || request.bits != 0 {
                return Err(INVALID);
            }
            return Ok(self.volume.duplicate(request.client, request.file)?);
        }
        let path = path(message, request)?;
        if !request.may_change && request.bits & !option::READ != 0 {
            return Err(Failure(status::READ_ONLY));
        }
        let opened = self
            .volume
            .open(request.client, path, Options(request.bits));
        Ok(opened?)
    }

    /// Tells a client the number of what was opened. If it does not wait any more nobody will ever close that.
    fn give<'a>(
        &mut self,
        message: Message<'a>,
        client: usize,
        opened: Result<File, Failure>,
    ) -> Answer<'a> {
        let file = match opened {
            Ok(file) => file,
            Err(Failure(status)) => return message.answer_error(status),
        };
        if message.reply_words([file.0]).is_err() {
            let _ = self.volume.close(client, file);
        }
        Answer::later()
    }

    /// Operations that change nothing, and open nothing.
    fn look(
        &mut self,
        message: &Message<'_>,
        request: &Request,
    ) -> Result<([u32; 5], usize), Failure> {
        if request.bits != 0 {
            return Err(INVALID);
        }
        if request.operation == operation::STAT_PATH {
            let path = path(message, request)?;
            return Ok(stat_words(self.volume.stat_path(path)?));
        }
        if message.offered() != REQUEST {
            return Err(INVALID);
        }
        let Space {
            block,
            blocks,
            free,
            left,
            entries,
        } = self.volume.space(request.client)?;
        let words = [block, blocks, free, left, entries];
        Ok((words, words.len()))
    }

    /// Operations that change directories.
    fn change<P: Pipes>(
        &mut self,
        pipes: &mut P,
        message: &Message<'_>,
        request: &Request,
    ) -> Result<(), Failure> {
        if request.bits != 0 {
            return Err(INVALID);
        }
        let path = path(message, request)?;
        if !request.may_change {
            return Err(Failure(status::READ_ONLY));
        }
        match request.operation {
            operation::MAKE_DIRECTORY => self.volume.make_directory(request.client, path)?,
            operation::MAKE_FIFO if P::ARE_THERE => self.make(pipes, request.client, path)?,
            operation::REMOVE => self.remove(pipes, path)?,
            _ => {
                let [length, ..] = request.words;
                let paths = path.get(4..).ok_or(INVALID)?;
                let (from, to) = paths.split_at_checked(length as usize).ok_or(INVALID)?;
                self.rename(pipes, from, to)?;
            }
        }
        Ok(())
    }

    fn read<'a>(&mut self, message: Message<'a>, request: &Request) -> Answer<'a> {
        let [most, low, high] = request.words;
        let expected = REQUEST + 4 + if request.is_at() { POSITION } else { 0 };
        if message.offered() != expected || request.bits & !ALLOWED != 0 {
            return message.answer_error(status::INVALID);
        }
        let most = (most as usize).min(LARGEST);
        match self.begin(request, low, high) {
            Ok(before) => {
                let answer = self
                    .volume
                    .read(request.client, request.file, most, message);
                self.end(request, before);
                answer
            }
            Err(Failure(status)) => message.answer_error(status),
        }
    }

    fn write<'a>(&mut self, message: Message<'a>, request: &Request) -> Answer<'a> {
        let [low, high, _] = request.words;
        let head = REQUEST + if request.is_at() { POSITION } else { 0 };
        if message.accepted() < head || request.bits & !ALLOWED != 0 {
            return message.answer_error(status::INVALID);
        }
        match self.begin(request, low, high) {
            Ok(before) => {
                let answer = self
                    .volume
                    .write(request.client, request.file, head, message);
                self.end(request, before);
                answer
            }
            Err(Failure(status)) => message.answer_error(status),
        }
    }

    /// If it is not the file's own position that is meant, the file is there from now on; where it was.
    fn begin(&mut self, request: &Request, low: u32, high: u32) -> Result<Option<u32>, Failure> {
        if request.bits & ELSEWHERE == 0 {
            return Ok(None);
        }
        self.move_to(request, low, high).map(Some)
    }

    #[inline(never)]
    fn move_to(&mut self, request: &Request, low: u32, high: u32) -> Result<u32, Failure> {
        let (client, file) = (request.client, request.file);
        let (is_at, is_read) = (request.is_at(), request.operation == operation::READ);
        // To read from the end on, or to be at two places, makes no sense.
        if request.bits & ELSEWHERE == ELSEWHERE || !is_at && is_read {
            return Err(INVALID);
        }
        if self.volume.stat(client, file)?.kind == Kind::Directory {
            return Err(Failure(status::IS_DIRECTORY));
        }
        let (position, whence) = if is_at {
            let position = u64::from(high) << 32 | u64::from(low);
            (position as i64, Whence::Start)
        } else {
            (0, Whence::End)
        };
        let before = self.volume.seek(client, file, 0, Whence::Current)?;
        self.elsewhere = self.volume.seek(client, file, position, whence)?;
        Ok(before)
    }

    /// It is where it was again; behind what was written at its end, if anything was.
    fn end(&mut self, request: &Request, before: Option<u32>) {
        if let Some(before) = before {
            self.move_back(request, before);
        }
    }

    #[inline(never)]
    fn move_back(&mut self, request: &Request, before: u32) {
        let (client, file) = (request.client, request.file);
        let now = self.volume.seek(client, file, 0, Whence::Current);
        if request.is_at() || now.is_ok_and(|now| now == self.elsewhere) {
            // It has been there before.
            let _ = self.volume.seek(client, file, before.into(), Whence::Start);
        }
    }

    /// A seek to a position that the client can tell, or to none.
    #[inline(never)]
    fn seek_small(&mut self, request: &Request) -> Result<([u32; 5], usize), Failure> {
        let &Request {
            client,
            file,
            bits,
            words: [low, high, _],
            ..
        } = request;
        let whence = whence_of(bits & !whence::SMALL)?;
        let offset = u64::from(high) << 32 | u64::from(low);
        // A directory has none to be asked for.
        let before = self.volume.seek(client, file, 0, Whence::Current);
        let position = self.volume.seek(client, file, offset as i64, whence)?;
        if let Ok(before) = before
            && i32::try_from(position).is_err()
        {
            self.volume
                .seek(client, file, before.into(), Whence::Start)?;
            return Err(Failure(status::OVERFLOW));
        }
        Ok(([position, 0, 0, 0, 0], 2))
    }

    fn list<'a>(&mut self, message: Message<'a>, request: &Request) -> Answer<'a> {
        if message.offered() != REQUEST || request.bits != 0 {
            return message.answer_error(status::INVALID);
        }
        let mut name = [0; NAME];
        let listed = self.volume.list(request.client, request.file, &mut name);
        let (token, buffer) = message.into_parts();
        match listed {
            Ok(None) => Answer::words(token, []),
            Ok(Some((stat, length))) => {
                let (words, _) = stat_words(stat);
                let head = words.iter().flat_map(|word| word.to_le_bytes()).take(STAT);
                let bytes = head.chain(name);
                buffer
                    .iter_mut()
                    .zip(bytes)
                    .for_each(|(to, from)| *to = from);
                Answer::bytes(token, buffer.get(..STAT + length).unwrap_or_default())
            }
            Err(why) => Answer::error(token, Failure::from(why).0),
        }
    }
}

/// The path behind a request, or the two of a rename with their word. What is longer than two of them is none.
fn path<'m>(message: &'m Message<'_>, request: &Request) -> Result<&'m [u8], Failure> {
    if request.file != File(0) {
        return Err(INVALID);
    }
    if message.offered() > BRIEF {
        return Err(Failure(status::NAME_TOO_LONG));
    }
    let mut path = message.bytes().get(REQUEST..).unwrap_or_default();
    while let [rest @ .., 0] = path {
        path = rest;
    }
    Ok(path)
}

/// The status that says why.
pub fn status_of(why: Refused) -> Status {
    Failure::from(why).0
}

fn answer<'a>(message: Message<'_>, done: Result<([u32; 5], usize), Failure>) -> Answer<'a> {
    match done {
        Ok((_, 0)) => message.answer_words([]),
        Ok(([a, b, ..], 2)) => message.answer_words([a, b]),
        Ok(([a, b, c, d, _], 4)) => message.answer_words([a, b, c, d]),
        Ok((words, _)) => message.answer_words(words),
        Err(Failure(status)) => message.answer_error(status),
    }
}

fn stat_words(stat: Stat) -> ([u32; 5], usize) {
    let kind = match stat.kind {
        Kind::File => kind::FILE,
        Kind::Directory => kind::DIRECTORY,
        Kind::Fifo => kind::PIPE,
    };
    let removed = u32::from(stat.is_removed) * kind::REMOVED;
    ([kind | removed, stat.size, 0, stat.entry, 0], STAT / 4)
}
