//! Between gdb and the board: to gdb, processes are programs with threads of their own.
//!
//! The board knows one processor. What the debugger asks of that is handed on; what it asks of threads and processes
//! is answered from the kernel's memory.

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpStream;

use super::Event;
use super::system::{Moment, System};
use super::target::Target;
use crate::markup::escape;
use crate::plan::Region;
use crate::rsp::{self, OK};

/// The number of the program that is the kernel, and of its thread; those of processes follow.
const KERNEL: u32 = 1;
const FIRST: u32 = 2;

/// Digits of the registers of a Cortex-M, as the emulator has them, the status last.
const CORTEX: usize = 17 * 8;
/// The number of that status, and the digits of the floating-point registers of old that gdb has before it.
const STATUS: usize = 25;
const OLD: usize = (8 * 12 + 4) * 2;

/// Most bytes of a packet, all in all, as a debugger is told and as the emulator takes them.
const PACKET: usize = 0x1000;
/// Those of them that frame it.
const FRAME: usize = "$#00".len();

/// The last kind of points to stop at.
const LAST_KIND: u32 = 4;

/// What it says to a request that it does not fulfil.
const REFUSED: &[u8] = b"E01";

/// Why a register keeps what it has.
const ONLY_WHO_RUNS: &str = "registers of a thread that does not run cannot be changed";
/// A page, and what a word of its table says.
const PAGE: u32 = 4096;
const VALID: u32 = 1;
const LEAF: u32 = 0xE;

/// A thread as the debugger numbers it: its program, and itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Number {
    program: u32,
    thread: u32,
}

impl Number {
    const KERNEL: Number = Number {
        program: KERNEL,
        thread: KERNEL,
    };

    fn text(self) -> String {
        format!("p{:x}.{:x}", self.program, self.thread)
    }

    /// The index of the thread, unless it is the kernel's.
    fn index(self) -> Option<usize> {
        self.thread.checked_sub(FIRST).map(|it| it as usize)
    }
}

/// Where the debugger wants to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Point {
    /// How the protocol numbers breakpoints (0 and 1) and watchpoints (to 4).
    kind: u32,
    address: u32,
    size: u32,
}

impl Point {
    fn request(self, verb: char) -> String {
        format!("{verb}{},{:x},{:x}", self.kind, self.address, self.size)
    }

    fn is_code(self) -> bool {
        self.kind < 2
    }
}

/// Why the board goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Going {
    /// Until something happens.
    On,
    /// Until this thread has done a step.
    Step(Number),
}

/// What the debugger wants next.
pub enum Then {
    /// Nothing: it has gone. The board stands still.
    Leaves,
    /// The end of the run.
    Ends,
}

/// Speaks with one debugger.
pub struct Proxy<'a, T> {
    system: &'a System<'a>,
    target: &'a mut T,
    gdb: TcpStream,
    moment: Option<Moment>,
    points: BTreeMap<Point, BTreeSet<u32>>,
    /// The thread of which the debugger asks.
    selected: Number,
    /// Where the board stands.
    here: Number,
    attached: BTreeSet<u32>,
}

impl<'a, T: Target> Proxy<'a, T> {
    /// A proxy for a board that stands still.
    ///
    /// # Errors
    /// If the emulator does not tell where it stands.
    pub fn new(
        system: &'a System<'a>,
        target: &'a mut T,
        gdb: TcpStream,
    ) -> miette::Result<Proxy<'a, T>> {
        let mut proxy = Proxy {
            system,
            target,
            gdb,
            moment: None,
            points: BTreeMap::new(),
            selected: Number::KERNEL,
            here: Number::KERNEL,
            attached: BTreeSet::new(),
        };
        proxy.here = proxy.stands()?;
        proxy.selected = proxy.here;
        proxy.attached = proxy.numbers()?.iter().map(|it| it.program).collect();
        Ok(proxy)
    }

    /// Answers until the debugger goes.
    ///
    /// # Errors
    /// If the emulator has ended.
    pub fn serve(&mut self) -> miette::Result<Then> {
        loop {
            match self.target.request()? {
                Event::Debugger(request) => {
                    match self.answer(&request)? {
                        Answer::Say(answer) => self.say(&answer),
                        Answer::Then(then) => return Ok(then),
                    };
                }
                // It stands still already.
                Event::Break | Event::Emulator(_) => {}
                Event::DebuggerGone => return Ok(Then::Leaves),
                Event::EmulatorGone => return Ok(Then::Ends),
            }
        }
    }

    /// A debugger that has gone misses nothing.
    fn say(&mut self, packet: &[u8]) {
        let _ = rsp::write(&mut self.gdb, packet);
    }

    fn answer(&mut self, request: &[u8]) -> miette::Result<Answer> {
        if request.len() > PACKET - FRAME {
            return Ok(Answer::Say(REFUSED.to_vec()));
        }
        let text = String::from_utf8_lossy(request).into_owned();
        let (verb, rest) = text.split_at(text.chars().next().map_or(0, char::len_utf8));
        let said = match verb {
            "?" => self.stop_reply("05", ""),
            "!" => OK.to_vec(),
            "H" => self.select(rest)?,
            "T" => said(self.numbers()?.iter().any(|it| it.text() == rest)),
            "g" | "p" | "G" | "P" => self.registers(verb, rest, request)?,
            "m" => self.read(rest)?,
            "M" => self.write(rest)?,
            "Z" | "z" => self.point(verb == "Z", rest)?,
            "c" => return self.go(Going::On),
            "s" => return self.go(Going::Step(self.here)),
            "k" => return Ok(Answer::Then(Then::Ends)),
            "D" => return self.detach(rest),
            "v" => return self.long(rest),
            "q" => self.query(rest, request)?,
            _ => vec![],
        };
        Ok(Answer::Say(said))
    }

    fn long(&mut self, request: &str) -> miette::Result<Answer> {
        if request == "Cont?" {
            return Ok(Answer::Say(b"vCont;c;C;s;S".to_vec()));
        }
        if request.starts_with("Kill") {
            self.say(OK);
            return Ok(Answer::Then(Then::Ends));
        }
        let Some(actions) = request.strip_prefix("Cont;") else {
            return Ok(Answer::Say(vec![]));
        };
        let mut actions = actions.split(';');
        let step = actions.find(|action| action.starts_with(['s', 'S']));
        let Some(step) = step else {
            return self.go(Going::On);
        };
        let thread = step.split_once(':').and_then(|(_, it)| number(it));
        let is_known = |it: &Number| it.thread != u32::MAX;
        self.go(Going::Step(thread.filter(is_known).unwrap_or(self.here)))
    }

    fn query(&mut self, text: &str, request: &[u8]) -> miette::Result<Vec<u8>> {
        let (name, rest) = text.split_once([':', ',']).unwrap_or((text, ""));
        Ok(match name {
            "Supported" => format!(
                "PacketSize={PACKET:x};multiprocess+;vContSupported+;\
                 qXfer:threads:read+;qXfer:exec-file:read+"
            )
            .into_bytes(),
            "Attached" => b"1".to_vec(),
            "C" => format!("QC{}", self.selected.text()).into_bytes(),
            "fThreadInfo" => {
                let numbers = self.numbers()?;
                let numbers: Vec<String> = numbers.iter().map(|it| it.text()).collect();
                format!("m{}", numbers.join(",")).into_bytes()
            }
            "sThreadInfo" => b"l".to_vec(),
            "ThreadExtraInfo" => {
                let told = self.told()?;
                let told = told.iter().find(|(number, ..)| number.text() == rest);
                let text =
                    told.map_or(String::new(), |(_, name, state)| format!("{name}: {state}"));
                rsp::digits(text.as_bytes()).into_bytes()
            }
            "Xfer" if rest.starts_with("threads:read:") => {
                let list = self.thread_list()?;
                part(&list, rest)
            }
            "Xfer" if rest.starts_with("exec-file:read:") => part(&self.file(rest), rest),
            "Rcmd" => self.target.ask(request)?,
            _ => vec![],
        })
    }

    /// The file of a program.
    fn file(&self, rest: &str) -> String {
        let annex = rest.trim_start_matches("exec-file:read:");
        let program = annex.split(':').next();
        let program = program.and_then(|it| u32::from_str_radix(it, 16).ok());
        let image = self.system.image();
        let file = match program.and_then(|it| it.checked_sub(FIRST)) {
            Some(process) => image.programs.get(process as usize),
            None => Some(&image.kernel),
        };
        file.map_or(String::new(), |it| it.file.display().to_string())
    }

    fn thread_list(&mut self) -> miette::Result<String> {
        let threads = self.told()?;
        let threads = threads.iter().map(|(number, name, state)| {
            let (number, name, state) = (number.text(), escape(name), escape(state));
            format!("<thread id=\"{number}\" name=\"{name}\">{state}</thread>")
        });
        Ok(format!(
            "<?xml version=\"1.0\"?><threads>{}</threads>",
            threads.collect::<String>()
        ))
    }

    fn numbers(&mut self) -> miette::Result<Vec<Number>> {
        Ok(self
            .told()?
            .into_iter()
            .map(|(number, ..)| number)
            .collect())
    }

    /// All threads, with their names and what they are doing.
    fn told(&mut self) -> miette::Result<Vec<(Number, String, String)>> {
        let here = self.here;
        let system = self.system;
        let threads = system.threads(self.moment()?);
        let kernel = if here == Number::KERNEL {
            "runs"
        } else {
            "waits for a trap"
        };
        let mut told = vec![(Number::KERNEL, "kernel".to_owned(), kernel.to_owned())];
        for (index, thread) in threads.into_iter().enumerate() {
            if thread.exists {
                let number = Number {
                    program: FIRST + thread.process as u32,
                    thread: FIRST + index as u32,
                };
                told.push((number, thread.name, thread.state));
            }
        }
        Ok(told)
    }

    fn moment(&mut self) -> miette::Result<&Moment> {
        let moment = match self.moment.take() {
            Some(moment) => moment,
            None => self.system.look(self.target)?,
        };
        Ok(self.moment.insert(moment))
    }

    /// The thread that the board stands in.
    fn stands(&mut self) -> miette::Result<Number> {
        let counter = self.counter()?;
        self.stands_at(counter)
    }

    fn stands_at(&mut self, counter: u32) -> miette::Result<Number> {
        if self.system.is_kernel(counter) {
            return Ok(Number::KERNEL);
        }
        // This is asked whenever anybody comes by a breakpoint: the whole moment would be too much.
        let running = self.system.running(self.target)?;
        Ok(running.map_or(Number::KERNEL, |(index, process)| Number {
            program: FIRST + process as u32,
            thread: FIRST + index as u32,
        }))
    }

    /// The program counter of the board.
    fn counter(&mut self) -> miette::Result<u32> {
        let request = format!("p{:x}", self.system.counter_register());
        let answer = self.target.ask(request.as_bytes())?;
        let bytes = rsp::bytes(&answer).and_then(|it| it.try_into().ok());
        bytes
            .map(u32::from_le_bytes)
            .ok_or_else(|| miette::miette!("the emulator does not say where the board stands"))
    }

    fn select(&mut self, request: &str) -> miette::Result<Vec<u8>> {
        let Some(wanted) = request.strip_prefix('g').and_then(number) else {
            // The others name threads that are to go on: all do.
            return Ok(OK.to_vec());
        };
        let is_any = |number| matches!(number, 0 | u32::MAX);
        let is_it = |it: &Number| {
            (is_any(wanted.program) || it.program == wanted.program)
                && (is_any(wanted.thread) || it.thread == wanted.thread)
        };
        let found = if is_it(&self.here) {
            Some(self.here)
        } else {
            self.numbers()?.into_iter().find(is_it)
        };
        // A program without threads has memory and breakpoints still.
        self.selected = found.unwrap_or(wanted);
        Ok(OK.to_vec())
    }

    fn registers(&mut self, verb: &str, rest: &str, request: &[u8]) -> miette::Result<Vec<u8>> {
        if self.selected == self.here {
            if verb == "G" {
                return self.target.ask(format!("G{}", narrow(rest)).as_bytes());
            }
            let answer = self.target.ask(request)?;
            let is_all = verb == "g" && answer.len() == CORTEX;
            return Ok(if is_all { wide(&answer) } else { answer });
        }
        if verb == "G" || verb == "P" {
            return Ok(refusal(self.target.rests().unwrap_or(ONLY_WHO_RUNS)));
        }
        let registers = match self.selected.index() {
            None => self.system.kernel_registers(self.target)?,
            Some(index) => {
                self.moment()?;
                let moment = self.moment.as_ref().expect("just looked");
                match self.system.registers(moment, index, self.target) {
                    Ok(registers) => registers,
                    Err(_) => return Ok(REFUSED.to_vec()),
                }
            }
        };
        let text = |value: &Option<u32>| match value {
            Some(value) => rsp::digits(&value.to_le_bytes()),
            None => "xxxxxxxx".into(),
        };
        if verb == "p" {
            let wanted = usize::from_str_radix(rest, 16).unwrap_or(usize::MAX);
            let is_status = wanted == STATUS && registers.len() * 8 == CORTEX;
            let wanted = if is_status {
                registers.len() - 1
            } else {
                wanted
            };
            let value = registers.get(wanted);
            return Ok(value.map_or("xxxxxxxx".into(), text).into_bytes());
        }
        let all = registers.iter().map(text).collect::<String>().into_bytes();
        Ok(if all.len() == CORTEX { wide(&all) } else { all })
    }

    /// Where what a process sees lies, cut at the ends of pages, up to the first one that it does not see.
    fn lies(&mut self, seen: Region) -> miette::Result<Vec<Region>> {
        let process = self.selected.program.checked_sub(FIRST);
        let Some(process) = process else {
            return Ok(vec![seen]);
        };
        self.moment()?;
        let moment = self.moment.as_ref().expect("just looked");
        let root = self.system.space(moment, process as usize, self.target)?;
        let Some(root) = root else {
            return Ok(vec![seen]);
        };
        let mut pieces = Vec::new();
        let mut done = 0;
        while done < seen.size {
            let base = seen.base.wrapping_add(done);
            let size = (PAGE - base % PAGE).min(seen.size - done);
            let Ok(base) = self.translate(root, base) else {
                break;
            };
            pieces.push(Region { base, size });
            done += size;
        }
        Ok(pieces)
    }

    /// What Sv32 makes of an address.
    fn translate(&mut self, root: u32, address: u32) -> miette::Result<u32> {
        let first = self.target.word(root + (address >> 22) * 4)?;
        let miss = || miette::miette!("nothing is mapped at {address:#010x}");
        if first & VALID == 0 {
            return Err(miss());
        }
        let base = first >> 10 << 12;
        if first & LEAF != 0 {
            return Ok(base | address & 0x003F_FFFF);
        }
        let second = self.target.word(base + (address >> 12 & 0x3FF) * 4)?;
        if second & VALID == 0 || second & LEAF == 0 {
            return Err(miss());
        }
        Ok(second >> 10 << 12 | address & 0xFFF)
    }

    fn read(&mut self, range: &str) -> miette::Result<Vec<u8>> {
        let Some(seen) = region(range) else {
            return Ok(REFUSED.to_vec());
        };
        let mut digits = String::new();
        for piece in self.lies(seen).unwrap_or_default() {
            match self.target.read(piece) {
                Ok(bytes) => digits += &rsp::digits(&bytes),
                // What is behind it cannot be read: what is before is an answer.
                Err(_) => break,
            }
        }
        Ok(if digits.is_empty() {
            REFUSED.to_vec()
        } else {
            digits.into_bytes()
        })
    }

    fn write(&mut self, request: &str) -> miette::Result<Vec<u8>> {
        let (range, digits) = request.split_once(':').unwrap_or_default();
        let (Some(seen), Some(bytes)) = (region(range), rsp::bytes(digits.as_bytes())) else {
            return Ok(REFUSED.to_vec());
        };
        let pieces = self.lies(seen).unwrap_or_default();
        let size: usize = pieces.iter().map(|piece| piece.size as usize).sum();
        // All of it, or nothing.
        if size != bytes.len() {
            return Ok(REFUSED.to_vec());
        }
        self.moment = None;
        let mut rest = &*bytes;
        for piece in pieces {
            let (now, later) = rest.split_at(piece.size as usize);
            if self.target.write(piece.base, now).is_err() {
                return Ok(REFUSED.to_vec());
            }
            rest = later;
        }
        Ok(OK.to_vec())
    }

    fn point(&mut self, wanted: bool, request: &str) -> miette::Result<Vec<u8>> {
        let mut numbers = request.split([',', ';']);
        let mut number = || u32::from_str_radix(numbers.next()?, 16).ok();
        let (Some(kind), Some(address), Some(size)) = (number(), number(), number()) else {
            return Ok(REFUSED.to_vec());
        };
        let point = Point {
            kind,
            address,
            size,
        };
        if kind > LAST_KIND {
            return Ok(REFUSED.to_vec());
        }
        if !point.is_code() && self.system.translates() {
            // The emulator would stop whenever any process touches that address, which all of them have: for ever, if
            // one is busy there.
            return Ok(REFUSED.to_vec());
        }
        let program = self.selected.program;
        let programs = self.points.entry(point).or_default();
        let was_empty = programs.is_empty();
        if wanted {
            programs.insert(program);
        } else {
            programs.remove(&program);
        }
        let is_empty = programs.is_empty();
        if is_empty {
            self.points.remove(&point);
        }
        if was_empty == is_empty {
            return Ok(OK.to_vec());
        }
        let verb = if wanted { 'Z' } else { 'z' };
        let answer = self.target.ask(point.request(verb).as_bytes())?;
        if wanted && answer != OK {
            self.points.remove(&point);
        }
        Ok(answer)
    }

    fn detach(&mut self, rest: &str) -> miette::Result<Answer> {
        let program = rest.strip_prefix(';');
        let program = program.and_then(|it| u32::from_str_radix(it, 16).ok());
        match program {
            Some(program) => self.attached.remove(&program),
            None => {
                self.attached.clear();
                true
            }
        };
        if self.attached.is_empty() {
            self.say(OK);
            return Ok(Answer::Then(Then::Leaves));
        }
        Ok(Answer::Say(OK.to_vec()))
    }

    /// Takes away all that the debugger has set.
    ///
    /// # Errors
    /// If the emulator has ended.
    pub fn clear(&mut self) -> miette::Result<()> {
        for (point, _) in std::mem::take(&mut self.points) {
            self.target.order(&point.request('z'))?;
        }
        Ok(())
    }

    fn stop_reply(&self, signal: &str, more: &str) -> Vec<u8> {
        format!("T{signal}thread:{};{more}", self.here.text()).into_bytes()
    }

    fn go(&mut self, going: Going) -> miette::Result<Answer> {
        if let Some(why) = self.target.rests() {
            return Ok(Answer::Say(refusal(why)));
        }
        Ok(match self.goes(going)? {
            Went::Stopped(reply) => {
                self.selected = self.here;
                let numbers = self.numbers()?;
                self.attached.extend(numbers.iter().map(|it| it.program));
                Answer::Say(reply)
            }
            Went::Left => Answer::Then(Then::Leaves),
            Went::Ended => Answer::Then(Then::Ends),
        })
    }

    /// Lets the board go on until the debugger is to be told something.
    fn goes(&mut self, going: Going) -> miette::Result<Went> {
        let mut until = None;
        let mut verb: &[u8] = b"c";
        if let Going::Step(thread) = going {
            if thread == self.here {
                verb = b"s";
            } else {
                until = self.resumption(thread)?.map(|address| (thread, address));
            }
        }
        let mut temporary = self.set_temporary(until)?;
        let before = self.counter()?;
        let outcome = loop {
            let Some((reply, asked)) = self.one(verb)? else {
                return Ok(Went::Ended);
            };
            if reply.is_empty() {
                break Went::Left;
            }
            let counter = self.counter()?;
            self.here = self.stands_at(counter)?;
            let signal = String::from_utf8_lossy(reply.get(1..3).unwrap_or(b"05")).into_owned();
            let watched = watched(&reply);
            if asked || !matches!(&*signal, "05") {
                break Went::Stopped(self.stop_reply(&signal, ""));
            }
            if let Some((text, point)) = watched {
                if self.is_wanted(|it| !it.is_code() && it.address == point) {
                    break Went::Stopped(self.stop_reply(&signal, &text));
                }
                verb = b"c";
                continue;
            }
            let has_come = until == Some((self.here, counter));
            let is_wanted = self.is_wanted(|it| it.is_code() && it.address == counter);
            if verb == b"s" {
                let Going::Step(thread) = going else {
                    // The step over somebody else's breakpoint is done.
                    self.put_back(&mut temporary)?;
                    verb = b"c";
                    continue;
                };
                if until.is_none() {
                    if self.here == thread || thread == Number::KERNEL {
                        break Went::Stopped(self.stop_reply(&signal, ""));
                    }
                    // It has called the kernel: the step is done when that returns.
                    let behind = before.wrapping_add(self.system.call_bytes());
                    until = Some((thread, behind));
                    temporary = self.set_temporary(until)?;
                    verb = b"c";
                    continue;
                }
                self.put_back(&mut temporary)?;
                verb = b"c";
                continue;
            }
            if has_come || is_wanted {
                break Went::Stopped(self.stop_reply(&signal, ""));
            }
            // Another process sees its own code there.
            self.take_away(counter, &mut temporary)?;
            verb = b"s";
        };
        // However it stopped: what the debugger has set is set, and nothing else.
        self.put_back(&mut temporary)?;
        if let Some(point) = temporary.point
            && !self.points.contains_key(&point)
        {
            self.target.order(&point.request('z'))?;
        }
        Ok(outcome)
    }

    /// Where a thread that does not run will go on.
    fn resumption(&mut self, thread: Number) -> miette::Result<Option<u32>> {
        let Some(index) = thread.index() else {
            return Ok(None);
        };
        self.moment()?;
        let moment = self.moment.as_ref().expect("just looked");
        self.system.counter(moment, index, self.target)
    }

    /// Whether the process in which the board stands is to stop at such a point.
    fn is_wanted(&self, is_such: impl Fn(&Point) -> bool) -> bool {
        let here = self.here.program;
        self.points.iter().any(|(point, programs)| {
            is_such(point) && (programs.contains(&here) || !point.is_code())
        })
    }

    fn set_temporary(&mut self, until: Option<(Number, u32)>) -> miette::Result<Temporary> {
        let point = until.map(|(_, address)| Point {
            kind: 0,
            address,
            size: 2,
        });
        if let Some(point) = point.filter(|it| !self.points.contains_key(it)) {
            self.target.order(&point.request('Z'))?;
        }
        Ok(Temporary {
            point,
            away: BTreeSet::new(),
        })
    }

    /// Takes away what stops the board at an address, for one step.
    fn take_away(&mut self, counter: u32, temporary: &mut Temporary) -> miette::Result<()> {
        let set = self.points.keys().chain(&temporary.point);
        let away = set.filter(|it| it.is_code() && it.address == counter);
        // Its own can be one that is set, too.
        temporary.away = away.copied().collect();
        for point in &temporary.away {
            self.target.order(&point.request('z'))?;
        }
        Ok(())
    }

    fn put_back(&mut self, temporary: &mut Temporary) -> miette::Result<()> {
        for point in std::mem::take(&mut temporary.away) {
            self.target.order(&point.request('Z'))?;
        }
        Ok(())
    }

    /// Lets the board go on until it stops, as [`Target::resume`].
    fn one(&mut self, verb: &[u8]) -> miette::Result<Option<(Vec<u8>, bool)>> {
        self.moment = None;
        self.target.resume(verb)
    }
}

/// A breakpoint of the proxy's own, and those that are away for a step.
struct Temporary {
    point: Option<Point>,
    away: BTreeSet<Point>,
}

enum Went {
    Stopped(Vec<u8>),
    Left,
    Ended,
}

enum Answer {
    Say(Vec<u8>),
    Then(Then),
}

/// The registers of a Cortex-M as gdb expects those of any Arm. It asks for another description only of the program that
/// it finds first, so that it is given none.
fn wide(registers: &[u8]) -> Vec<u8> {
    let (general, status) = registers.split_at(CORTEX - 8);
    let mut wide = general.to_vec();
    wide.extend([b'x'; OLD]);
    wide.extend(status);
    wide
}

/// The reverse, if it is that.
fn narrow(registers: &str) -> String {
    let general = CORTEX - 8;
    let parts = (registers.get(..general)).zip(registers.get(general + OLD..));
    match parts.filter(|_| registers.len() == CORTEX + OLD) {
        Some((general, status)) => general.to_owned() + status,
        None => registers.into(),
    }
}

/// A refusal that says why.
pub fn refusal(why: &str) -> Vec<u8> {
    format!("E.{why}").into_bytes()
}

fn said(fulfilled: bool) -> Vec<u8> {
    if fulfilled { OK } else { REFUSED }.to_vec()
}

/// `pPROGRAM.THREAD`, of which -1 is any.
fn number(text: &str) -> Option<Number> {
    let (program, thread) = text
        .strip_prefix('p')?
        .split_once('.')
        .unwrap_or((&text[1..], "-1"));
    let number = |text: &str| match text {
        "-1" => Some(u32::MAX),
        _ => u32::from_str_radix(text, 16).ok(),
    };
    Some(Number {
        program: number(program)?,
        thread: number(thread)?,
    })
}

/// `ADDRESS,LENGTH`.
fn region(text: &str) -> Option<Region> {
    let (base, size) = text.split_once(',')?;
    Some(Region {
        base: u32::from_str_radix(base, 16).ok()?,
        // The answer has to fit into a packet.
        size: u32::from_str_radix(size, 16).ok()?.min(0x800),
    })
}

/// Which part of `whole` is asked for: `…:OFFSET,LENGTH`.
fn part(whole: &str, request: &str) -> Vec<u8> {
    let range = request.rsplit(':').next().and_then(|it| it.split_once(','));
    let number = |text| usize::from_str_radix(text, 16).ok();
    let range = range.and_then(|(offset, length)| Some((number(offset)?, number(length)?)));
    let Some((offset, length)) = range else {
        return REFUSED.to_vec();
    };
    let rest = whole.as_bytes().get(offset..).unwrap_or_default();
    let (part, more) = rest.split_at(length.min(rest.len()));
    let mut answer = if more.is_empty() { b"l" } else { b"m" }.to_vec();
    answer.extend(rsp::escaped(part));
    answer
}

/// What the emulator says of a watchpoint that was met, and its address.
fn watched(reply: &[u8]) -> Option<(String, u32)> {
    let text = String::from_utf8_lossy(reply);
    let mut parts = text.split(';');
    let part = parts.find(|it| it.contains("watch:"))?;
    let (kind, address) = part.split_once(':')?;
    let kind = kind.trim_start_matches(|it: char| !it.is_ascii_alphabetic());
    let address = u32::from_str_radix(address, 16).ok()?;
    Some((format!("{kind}:{address:x};"), address))
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::VecDeque;
    use std::net::TcpListener;

    use crate::debug::Memory;
    use crate::fault;
    use crate::lab::Lab;

    /// Where the board stands whenever it stops.
    const STANDS: u32 = 0x100;

    /// A board in the first thread of the first process, whose memory is all zeros. A debugger says what is `said`, and
    /// leaves during the first step.
    struct Left {
        said: VecDeque<&'static str>,
        /// What is set, and whatever was refused.
        set: BTreeSet<String>,
        refused: Vec<String>,
    }

    impl Memory for Left {
        fn read(&mut self, region: Region) -> miette::Result<Vec<u8>> {
            Ok(vec![0; region.size as usize])
        }
    }

    impl Target for Left {
        fn rests(&self) -> Option<&'static str> {
            None
        }

        fn ask(&mut self, request: &[u8]) -> miette::Result<Vec<u8>> {
            let text = String::from_utf8_lossy(request).into_owned();
            let (verb, point) = text.split_at(1);
            let is_done = match verb {
                "p" => return Ok(rsp::digits(&STANDS.to_le_bytes()).into()),
                "Z" => self.set.insert(point.into()),
                "z" => self.set.remove(point),
                _ => false,
            };
            if is_done {
                return Ok(OK.to_vec());
            }
            self.refused.push(text);
            Ok(b"E22".to_vec())
        }

        fn write(&mut self, _: u32, _: &[u8]) -> miette::Result<()> {
            Ok(())
        }

        fn resume(&mut self, verb: &[u8]) -> miette::Result<Option<(Vec<u8>, bool)>> {
            let reply: &[u8] = if verb == b"s" { b"" } else { b"T05" };
            Ok(Some((reply.to_vec(), false)))
        }

        fn request(&mut self) -> miette::Result<Event> {
            let said = self.said.pop_front().expect("it leaves before");
            Ok(Event::Debugger(said.into()))
        }

        fn forget(&mut self) {}
    }

    /// A board that stands in the first process, which sees a page at 0x5000, and none behind it.
    #[derive(Default)]
    struct Paged {
        written: Vec<(u32, Vec<u8>)>,
    }

    /// Where that page lies.
    const LIES: u32 = 0x9000;

    impl Memory for Paged {
        fn read(&mut self, Region { base, size }: Region) -> miette::Result<Vec<u8>> {
            // The root of its tables, behind what the kernel keeps of it; the table that the root leads to; the page.
            let words = [
                (8, 1),
                (0x1000, 0x2000 >> 2 | VALID),
                (0x2000 + 4 * 5, LIES >> 2 | LEAF | VALID),
            ];
            let byte = |at: u32| {
                let held = words.iter().find(|(word, _)| word / 4 == at / 4);
                held.map_or((at >> 8) as u8, |(_, it)| it.to_le_bytes()[at as usize % 4])
            };
            Ok((base..base + size)
                .map(|at| if at < 8 { 0 } else { byte(at) })
                .collect())
        }
    }

    impl Target for Paged {
        fn rests(&self) -> Option<&'static str> {
            None
        }

        fn ask(&mut self, request: &[u8]) -> miette::Result<Vec<u8>> {
            assert_eq!(request, b"p20", "nothing else is asked");
            Ok(rsp::digits(&STANDS.to_le_bytes()).into())
        }

        fn write(&mut self, base: u32, bytes: &[u8]) -> miette::Result<()> {
            self.written.push((base, bytes.to_vec()));
            Ok(())
        }

        fn resume(&mut self, _: &[u8]) -> miette::Result<Option<(Vec<u8>, bool)>> {
            unreachable!("it stands still")
        }

        fn request(&mut self) -> miette::Result<Event> {
            unreachable!("it is asked here")
        }

        fn forget(&mut self) {}
    }

    #[test]
    fn memory_is_read_up_to_where_there_is_none_and_written_whole_or_not_at_all() {
        let lab = Lab::open().unwrap();
        let board = lab.board("virt-rv32-mmu").unwrap();
        let image = fault::tests::image(board);
        let system = System::pretended(&image, board);
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let gdb = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut target = Paged::default();
        let mut proxy = Proxy::new(&system, &mut target, gdb).unwrap();
        let too_long = format!("M5000,7fc:{}", "00".repeat(0x7FC));
        for (request, answer) in [
            ("Hgp2.2", "OK"),
            ("m5ffe,2", "9f9f"),
            ("m5ffe,20", "9f9f"),
            ("m6000,1", "E01"),
            ("M5ffe,2:1234", "OK"),
            ("M5ffe,4:12345678", "E01"),
            // It says more bytes than it has, or fewer; and what are none.
            ("M5000,3:1234", "E01"),
            ("M5000,1:1234", "E01"),
            ("M5000,2:123", "E01"),
            ("M5000,1:+1", "E01"),
            (&too_long, "E01"),
            // There is no such kind of breakpoint.
            ("Z100,5000,2", "E01"),
            // Nobody runs there: the registers are what the kernel keeps of the thread.
            (
                "P0=01000000",
                "E.registers of a thread that does not run cannot be changed",
            ),
        ] {
            let Answer::Say(said) = proxy.answer(request.as_bytes()).unwrap() else {
                panic!("{request}");
            };
            assert_eq!(String::from_utf8_lossy(&said), answer, "{request}");
        }
        assert_eq!(target.written, [(LIES + 0xFFE, vec![0x12, 0x34])]);
    }

    #[test]
    fn a_debugger_that_leaves_during_a_step_leaves_nothing_set() {
        let lab = Lab::open().unwrap();
        let board = lab.board("mps2-an386").unwrap();
        let image = fault::tests::image(board);
        let system = System::pretended(&image, board);
        // The second process stops where the first one comes by; and a thread of it is to go on to where it will be.
        for goes_on in ["vCont;c", "vCont;s:p3.4;c"] {
            let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
            let gdb = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let mut target = Left {
                said: ["Hgp3.4", "Z0,100,2", goes_on].into(),
                set: BTreeSet::new(),
                refused: vec![],
            };
            let mut proxy = Proxy::new(&system, &mut target, gdb).unwrap();
            assert!(matches!(proxy.serve(), Ok(Then::Leaves)), "{goes_on}");
            proxy.clear().unwrap();
            assert_eq!(target.set, BTreeSet::new(), "{goes_on}");
            assert_eq!(target.refused, Vec::<String>::new(), "{goes_on}");
        }
    }
}
