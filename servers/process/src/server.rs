//! What comes of a request, and of a notice.

use process_store::{Children, End, INSTANCES, Pid, Refused};
use riposte::abi::fault::{Record, reason};
use riposte::abi::process_badge;
use riposte::abi::process_info::kind;
use riposte::signal::Signal;
use riposte::{Answer, Error, Message, Notice, Status, Token};
use riposte_process::protocol::{
    ARGUMENT_SHIFT, LISTED, LONGEST_NAME, PROGRAM, REQUEST, operation, status,
};

use crate::instance::{Given, Instance, Instances, Sent, end_of};
use crate::waiting::{Waiter, Waiting};

/// The programs, and who waits for their ends.
pub struct Server {
    children: Children,
    instances: Instances,
    waiting: Waiting,
}

impl Server {
    /// Without a program.
    pub const fn new() -> Server {
        Server {
            children: Children::new(),
            instances: Instances::new(),
            waiting: Waiting::new(),
        }
    }

    /// Reads what the manifest says, and finds what runs already.
    pub fn configure(&mut self) {
        for (index, program) in riposte::manifest_entries(kind::PROGRAM) {
            let place = self.children.add(index as u8, program);
            let (Some(place), Some(instance)) = (place, Instance::new(index as u8)) else {
                panic!("program {program}: there can be {INSTANCES} instances in all");
            };
            // Which life it is comes first: the notice of one that ends amid this is about that life, and not about the next.
            let pid = Pid::new(instance.index, instance.record().count);
            if instance.runs() {
                self.children.adopt(place, pid);
            } else {
                // It may be waiting for its memory to come back, in order to begin.
                instance.stop();
            }
            self.instances.put(place, instance);
        }
        let began_anew =
            riposte::fault_record(riposte::process_index()).is_ok_and(|it| it.count > 0);
        let mut clients = 0;
        let mut last = None;
        for (value, pattern) in riposte::manifest_entries(kind::SPAWNS) {
            let [process, most, ..] = value.to_le_bytes();
            assert!(
                self.children.allow(process, most, pattern),
                "pattern {pattern} of `spawns` is one too many: there can be 64"
            );
            if last != Some(process) {
                clients += 1;
                // Its children are nobody's now, and it learns of no end any more: it is to look.
                if began_anew {
                    notify(process);
                }
            }
            last = Some(process);
        }
        self.waiting.share_among(clients);
    }

    /// Does what a client asks.
    pub fn serve<'a>(&mut self, message: Message<'a>, given: &mut Given) -> Answer<'a> {
        let whole = message.accepted() >= REQUEST && message.accepted() == message.offered();
        let client = message.badge().wrapping_sub(process_badge(0));
        let (Ok(client), true) = (u8::try_from(client), whole) else {
            return message.answer_error(status::BAD_REQUEST);
        };
        let [word, second, ..] = message.words();
        let argument = word >> ARGUMENT_SHIFT;
        let bytes = message.accepted() - REQUEST;
        match word & 0xFFFF {
            operation::SPAWN => self.spawn(message, client, argument, false, given),
            SPAWN_DETACHED => self.spawn(message, client, argument, true, given),
            operation::WAIT if bytes == 0 => self.wait(message, client, second, true),
            TRY_WAIT if bytes == 0 => self.wait(message, client, second, false),
            operation::KILL if bytes == 0 => self.kill(message, client, Pid(second), argument),
            operation::LIST if bytes == 0 => self.list(message, client, argument as usize),
            operation::PROGRAMS if bytes == 0 => self.programs(message, client, argument as usize),
            operation::ARGUMENTS if bytes == 0 => self.arguments(message, client, given),
            operation::PARENT if bytes == 0 => match self.children.parent(client) {
                Some(parent) => message.answer_words([parent]),
                None => message.answer_error(status::NO_PROGRAM),
            },
            _ => message.answer_error(status::BAD_REQUEST),
        }
    }

    /// A program has ended, or a client; or one that waits wants to leave.
    pub fn hear<'a>(&mut self, notice: &Notice) -> Answer<'a> {
        match notice {
            Notice::Fault { process } => self.has_ended(*process as u8),
            Notice::ClientDied { badge, .. } => {
                let parent = badge.wrapping_sub(process_badge(0));
                if let Ok(parent) = u8::try_from(parent) {
                    self.children.leave(parent);
                    self.waiting.remove_dead(parent);
                }
            }
            Notice::Unblock {
                client, has_signal, ..
            } => {
                let why = if *has_signal {
                    status::INTERRUPTED
                } else {
                    status::TIMED_OUT
                };
                if let Some(waiter) = self.waiting.remove(*client) {
                    waiter.refuse(why);
                }
            }
            _ => {}
        }
        Answer::later()
    }

    fn spawn<'a>(
        &mut self,
        message: Message<'a>,
        client: u8,
        arguments: u32,
        detached: bool,
        given: &mut Given,
    ) -> Answer<'a> {
        let block = message.bytes().get(REQUEST..).unwrap_or_default();
        let texts = block.iter().filter(|byte| **byte == 0).count();
        let is_block = block.last() == Some(&0) && (1..=texts).contains(&(arguments as usize));
        if !is_block {
            return message.answer_error(status::BAD_REQUEST);
        }
        let name = block.split(|byte| *byte == 0).next().unwrap_or_default();
        let place = match self.children.place(client, name) {
            Ok(place) => place,
            Err(why) => return message.answer_error(said(why)),
        };
        let Some(instance) = self.instances.get(place) else {
            return message.answer_error(status::NO_INSTANCE);
        };
        let pid = Pid::new(instance.index, instance.record().count);
        given.put(place, pid.0, arguments, block);
        instance.start();
        self.children.begin(place, pid, client, detached);
        message.answer_words([pid.0])
    }

    fn wait<'a>(
        &mut self,
        message: Message<'a>,
        parent: u8,
        wanted: u32,
        may_wait: bool,
    ) -> Answer<'a> {
        let wanted = (wanted != 0).then_some(Pid(wanted));
        match self.children.ended(parent, wanted) {
            Ok(told) => {
                self.tell(message.into_token(), told);
                self.let_go_on(parent);
                Answer::later()
            }
            Err(Refused::NotYet) if may_wait => {
                let waiter = Waiter {
                    token: message.into_token(),
                    client: parent,
                    wanted,
                };
                if let Err(waiter) = self.waiting.push(waiter) {
                    waiter.refuse(status::TOO_MANY_WAIT);
                }
                Answer::later()
            }
            Err(why) => message.answer_error(said(why)),
        }
    }

    fn kill<'a>(&mut self, message: Message<'a>, client: u8, pid: Pid, number: u32) -> Answer<'a> {
        let signal = Signal::from_number(number);
        if signal.is_none() && number != 0 {
            return message.answer_error(status::BAD_REQUEST);
        }
        let place = match self.children.target(client, pid) {
            Ok(place) => place,
            Err(why) => return message.answer_error(said(why)),
        };
        // Whoever sends none asks whether it runs.
        let Some(signal) = signal else {
            return message.answer_words([]);
        };
        let Some(instance) = self.instances.get(place) else {
            return message.answer_error(status::NO_SUCH_PROCESS);
        };
        match instance.signal(signal) {
            Ok(Sent::Yes) => message.answer_words([]),
            Ok(Sent::Ended) => {
                self.children.is_ended_by(place, number as u8);
                message.answer_words([])
            }
            Err(Error::Exhausted) => message.answer_error(status::TOO_MANY_SIGNALS),
            // It has ended, and the notice of it is on its way.
            Err(_) => message.answer_error(status::NO_SUCH_PROCESS),
        }
    }

    fn list<'a>(&mut self, message: Message<'a>, client: u8, from: usize) -> Answer<'a> {
        let Some(listed) = self.children.list(client, from) else {
            return message.answer_error(status::OVER);
        };
        let parent = listed.parent.map_or(0, |parent| u32::from(parent) + 1);
        let words = [
            listed.next as u32,
            listed.pid.0,
            parent,
            listed.has_ended.into(),
        ];
        answer_named(message, words, LISTED, listed.program)
    }

    fn programs<'a>(&mut self, message: Message<'a>, client: u8, from: usize) -> Answer<'a> {
        let Some(program) = self.children.program(client, from) else {
            return message.answer_error(status::OVER);
        };
        let words = [
            program.next as u32,
            program.instances as u32,
            program.free as u32,
            0,
        ];
        answer_named(message, words, PROGRAM, program.name)
    }

    fn arguments<'a>(&self, message: Message<'a>, client: u8, given: &Given) -> Answer<'a> {
        let Some(place) = self.children.of(client) else {
            return message.answer_error(status::NO_PROGRAM);
        };
        // Another life of this manager has given it something.
        if given.get(place).is_empty() {
            return message.answer_error(status::NO_PROGRAM);
        }
        // One that has left needs no answer.
        let _ = message.reply(given.get(place));
        Answer::later()
    }

    /// The kernel says so. Who waits for it goes on; a fault is printed.
    fn has_ended(&mut self, process: u8) {
        let Ok(record) = riposte::fault_record(process.into()) else {
            return;
        };
        let ended = self.children.end(process, record.count, end_of(&record));
        let Some((_, parent)) = ended else {
            return;
        };
        if let Some(parent) = parent {
            self.let_go_on(parent);
            notify(parent);
        }
        report(&record);
    }

    /// A child of `parent` has ended: somebody who waits for it goes on, and whoever waits for one that another thread has
    /// been told of.
    fn let_go_on(&mut self, parent: u8) {
        loop {
            let children = &self.children;
            let goes_on = |waiter: &Waiter| {
                waiter.client == parent
                    && children.ended(parent, waiter.wanted) != Err(Refused::NotYet)
            };
            let Some(waiter) = self.waiting.take_if(goes_on) else {
                return;
            };
            match children.ended(parent, waiter.wanted) {
                Ok(told) => self.tell(waiter.token, told),
                Err(why) => waiter.refuse(said(why)),
            }
        }
    }

    /// Tells a parent of an end. It is forgotten if that has reached somebody.
    fn tell(&mut self, parent: Token, (pid, end): (Pid, End)) {
        let words = [pid.0, end.reason, end.status, end.signal.into()];
        if parent.reply_words(words).is_ok() {
            self.children.forget(pid);
        }
    }
}

const SPAWN_DETACHED: u32 = operation::SPAWN | operation::DETACHED;
const TRY_WAIT: u32 = operation::WAIT | operation::TRY;

/// Sends a parent `SIGCHLD`, if it takes signals and runs: also if this is the next life of one whose own end is still to be
/// told, which finds no child then. Who waits has been told by then: the signal takes nobody out of a wait that is over.
#[inline(never)]
fn notify(parent: u8) {
    let name = riposte::name_of_process(parent.into());
    if let Some(Ok(target)) = name.map(riposte::signal::target) {
        let _ = target.send(Signal::CHILD, 0);
    }
}

/// Prints what is known of a fault. Without a console there is nobody to tell.
fn report(record: &Record) {
    if matches!(record.reason, reason::EXIT | reason::CONTROLLED) {
        return;
    }
    if let Ok(mut console) = riposte::connect("console") {
        supervisor_report::print("process manager", &mut console, record);
    }
}

/// Answers with the first `before` bytes of the words, and a name.
fn answer_named<'a>(
    message: Message<'_>,
    words: [u32; 4],
    before: usize,
    name: &str,
) -> Answer<'a> {
    let mut bytes = [0; LISTED + LONGEST_NAME];
    for (to, from) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
        *to = from.to_le_bytes();
    }
    let name = name.as_bytes();
    let rest = bytes.iter_mut().skip(before);
    rest.zip(name).for_each(|(to, from)| *to = *from);
    // One that has left needs no answer.
    let length = before + name.len().min(LONGEST_NAME);
    let _ = message.reply(bytes.get(..length).unwrap_or_default());
    Answer::later()
}

fn said(why: Refused) -> Status {
    match why {
        Refused::NoSuchProgram => status::NO_SUCH_PROGRAM,
        Refused::NotAllowed => status::NOT_ALLOWED,
        Refused::NoInstance => status::NO_INSTANCE,
        Refused::TooManyChildren => status::TOO_MANY_CHILDREN,
        Refused::NoSuchChild => status::NO_SUCH_CHILD,
        Refused::NoSuchProcess => status::NO_SUCH_PROCESS,
        Refused::NotYet => status::TIMED_OUT,
    }
}
