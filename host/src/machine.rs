//! Runs one board, on an emulator or a cycle-accurate simulator, and streams its console.
//!
//! Virtual time is counted in instructions or cycles, so no verdict ever depends on the speed of
//! this machine. The only wall clocks here are a generous limit on silence, for a system on an
//! emulator that neither ends nor prints (a simulator stops after a number of cycles), and that of
//! a person, for whom an emulator sleeps as long as the board does.

mod at_exit;
mod console;
mod emulator;
mod keys;
mod memory;
mod monitor;
mod remote;
mod resets;
pub mod ring;
mod simulator;
mod single;
mod terminal;

use std::path::{Path, PathBuf};
use std::process::{ChildStderr, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use miette::miette;
use nix::sys::signal::Signal;

use crate::board::{Board, Clock, Run};
use crate::child::{Ends, Running};
use crate::interrupt;
use crate::plan::Region;
use at_exit::{AtExit, Stub};
use console::Lines;
pub(crate) use emulator::is_signalled;
use keys::Keys;
use monitor::{Following, Monitor};
pub use remote::Remote;
pub use resets::OnReset;
use resets::Resets;
use ring::{Collected, Live, Reader, Ring};
use simulator::Saved;
pub(crate) use single::one_at_a_time;
use terminal::Input;
pub(crate) use terminal::{give_back as give_back_terminal, is_ours as terminal_is_ours};

/// How often the runner looks whether it was interrupted, and shows an unfinished line.
pub(crate) const POLL: Duration = Duration::from_millis(100);

/// How long a simulator that was asked to end may take to say where it stands.
const A_MOMENT: Duration = Duration::from_secs(2);

/// How long to wait, in the time of this machine, for a board that comes to no end. It is generous:
/// it never decides about a board that is only slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Without a word.
    pub silence: Duration,
    /// In all.
    pub whole: Duration,
}

impl Patience {
    /// For what a person runs, who may look at it for as long as it has something to say.
    pub const OF_A_PERSON: Patience = Patience {
        silence: Duration::from_secs(600),
        whole: Duration::MAX,
    };

    /// For tests and benchmarks, which take seconds.
    pub const GENEROUS: Patience = Patience {
        silence: Duration::from_secs(120),
        whole: Duration::from_secs(900),
    };

    /// For tests on a simulator, which counts cycles; but none while it waits for what is typed.
    const OF_A_SIMULATOR: Patience = Patience {
        silence: Duration::from_secs(3600),
        whole: Duration::MAX,
    };

    fn of_a_test(engine: &Engine) -> Patience {
        match engine {
            Engine::Emulator { .. } => Patience::GENEROUS,
            Engine::Simulator(_) => Patience::OF_A_SIMULATOR,
        }
    }

    /// Whether a board that has begun then, and was heard last at the other moment, has taken too long.
    pub(crate) fn is_over(self, begun: Instant, heard: Instant) -> bool {
        heard.elapsed() > self.silence || begun.elapsed() > self.whole
    }
}

/// What runs an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Engine {
    /// An emulator.
    Emulator {
        /// Its program and arguments.
        command: Vec<String>,
        /// Where it logs exceptions and marker stores, if it is to.
        log: Option<PathBuf>,
        /// Whether it logs each instruction, too.
        instructions: bool,
    },
    /// A cycle-accurate simulator: its program and arguments.
    Simulator(Vec<String>),
}

/// What time on an emulator is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Testing, and running as fast as it goes.
    Run,
    /// Running for a person: while the board sleeps, its time is that of this machine.
    Person,
    /// Measuring.
    Bench,
    /// Measuring what goes by the clock: as many instructions a tick as there are.
    Clock,
}

impl Pace {
    /// An instruction takes 2^this virtual nanoseconds.
    #[must_use]
    pub fn shift(self, clock: &Clock) -> u32 {
        match self {
            Pace::Run | Pace::Person => clock.run_shift,
            Pace::Bench => clock.bench_shift,
            Pace::Clock => 0,
        }
    }
}

impl Engine {
    /// What runs `image` on `board`. The board's simulator is built, if there is none yet.
    ///
    /// # Errors
    /// If the simulator does not build.
    pub fn new(root: &Path, board: &Board, image: &Path, pace: Pace) -> miette::Result<Engine> {
        match &board.run {
            Run::Emulator(emulator) => {
                let shift = pace.shift(&board.clock);
                let command = match pace {
                    Pace::Person => emulator.command_in_real_time(image, shift, "stdio"),
                    Pace::Run | Pace::Bench | Pace::Clock => {
                        emulator.command(image, shift, "stdio")
                    }
                };
                Ok(Engine::Emulator {
                    command,
                    log: None,
                    instructions: false,
                })
            }
            Run::Simulator(it) => {
                let program = simulator::program(root, it.core)?;
                let mut command = vec![program.to_string_lossy().into_owned()];
                command.extend(it.arguments());
                // What nobody asks for by a log of its own, a later option, is not for the person at the terminal.
                command.extend(["--log", "/dev/null"].map(str::to_owned));
                command.push(image.to_string_lossy().into_owned());
                Ok(Engine::Simulator(command))
            }
        }
    }

    /// With a log of marker stores, and of exceptions (an emulator) or of how many instructions were
    /// executed before (a simulator).
    #[must_use]
    pub fn with_marks(mut self, file: &Path) -> Engine {
        if let Engine::Emulator { log, .. } = &mut self {
            *log = Some(file.into());
        }
        let file = file.to_string_lossy().into_owned();
        self.with_options(["--marks".into(), "--log".into(), file])
    }

    /// With a log of marker stores and of each instruction (an emulator), or of what each took between them (a
    /// simulator).
    #[must_use]
    pub fn with_profile(mut self, file: &Path) -> Engine {
        if let Engine::Emulator {
            log, instructions, ..
        } = &mut self
        {
            *log = Some(file.into());
            *instructions = true;
        }
        let file = file.to_string_lossy().into_owned();
        self.with_options(["--profile".into(), "--log".into(), file])
    }

    /// With a waveform of the run, if it can show one.
    #[must_use]
    pub fn with_waveform(self, file: &Path) -> Engine {
        self.with_options(["--vcd".into(), file.to_string_lossy().into_owned()])
    }

    /// With a log of REPORT and of each change of privilege or address space, if it can write one.
    #[must_use]
    pub fn with_modes(self, file: &Path) -> Engine {
        let file = file.to_string_lossy().into_owned();
        self.with_options(["--modes".into(), "--log".into(), file])
    }

    /// With a log of each cycle in which an instruction at one of `addresses` retires, if it can write one: `probe`,
    /// the cycle, and `at_` with the address.
    #[must_use]
    pub fn with_probes(self, addresses: impl IntoIterator<Item = u32>, file: &Path) -> Engine {
        let probe = |address| ["--probe".into(), format!("{address:#x}=at_{address:x}")];
        let probes = addresses.into_iter().flat_map(probe);
        let file = file.to_string_lossy().into_owned();
        self.with_options(probes.chain(["--log".into(), file]))
    }

    /// That stops at this cycle, whatever is typed, and not at the board's own limit: a simulator.
    fn until(self, cycle: u64) -> Engine {
        self.with_options(["--until".into(), cycle.to_string()])
    }

    /// A simulator with more options, which may also follow its program.
    fn with_options(mut self, options: impl IntoIterator<Item = String>) -> Engine {
        if let Engine::Simulator(command) = &mut self {
            command.extend(options);
        }
        self
    }

    /// With what is given to the board, a card or a network: an emulator with these arguments.
    #[must_use]
    pub fn with_devices(mut self, arguments: impl IntoIterator<Item = String>) -> Engine {
        if let Engine::Emulator { command, .. } = &mut self {
            command.extend(arguments);
        }
        self
    }

    /// With a count of the instructions that are executed, which [`Remote::executed`] says: an emulator whose time is counted
    /// in instructions.
    #[must_use]
    pub fn with_count(mut self) -> Engine {
        if let Engine::Emulator { command, .. } = &mut self {
            // It counts when it records, which nobody will want to see.
            let paces = command.iter_mut().filter(|it| it.starts_with("shift="));
            paces.for_each(|it| it.push_str(",rr=record,rrfile=/dev/null"));
        }
        self
    }

    pub(crate) fn command(&self) -> &[String] {
        match self {
            Engine::Emulator { command, .. } | Engine::Simulator(command) => command,
        }
    }
}

/// What to run, and how.
pub struct Machine {
    /// What runs it.
    pub engine: Engine,
    /// Who is at its console.
    pub attended: Attended,
    /// Whether what its console asks for is typed (`@type`).
    pub types: bool,
    /// Whether Ctrl-C goes to the console, too, and Ctrl-] ends the run in its place.
    pub raw: bool,
    /// Where its threads lie, if somebody wants to know what has become of them when it has ended.
    pub tables: Option<Tables>,
    /// What of its memory is to be kept as it is at the end, with the processor's registers: if it is known where the
    /// threads lie.
    pub kept: Vec<Region>,
    /// Where its kernel keeps a trace, if somebody wants to read it.
    pub trace: Option<Ring>,
    /// What is to be done with its events while an emulator runs.
    pub live: Option<Live>,
    /// What is to be done when an emulated board is reset.
    pub on_reset: Option<OnReset>,
    /// How it is known of a process whether the kernel holds it, for [`Next::StopIfHeld`].
    pub is_held: Option<IsHeld>,
    /// How long to wait for its end; a simulator counts cycles, too.
    pub patience: Option<Patience>,
}

/// Who is at the console of a machine, and wants to know where it stood when Ctrl-C ends it.
#[derive(Clone, Debug)]
pub enum Attended {
    /// Nobody: a test or a benchmark.
    ByNobody,
    /// The person at this terminal, whose input goes there.
    FromHere,
    /// Another thread.
    By(Remote),
}

impl Attended {
    fn by_somebody(&self) -> bool {
        !matches!(self, Attended::ByNobody)
    }

    fn remote(&self) -> Option<&Remote> {
        match self {
            Attended::By(remote) => Some(remote),
            Attended::ByNobody | Attended::FromHere => None,
        }
    }
}

impl Machine {
    fn is_kept(&self) -> bool {
        !self.kept.is_empty()
    }

    /// That comes to no end after this time, and before only by itself: a time of this machine, or of a simulated board's own.
    #[must_use]
    pub fn ends_after(self, board: &Board, time: Duration) -> Machine {
        if board.simulator().is_some() {
            return Machine {
                engine: self.engine.until(board.clock.ticks(time)),
                patience: None,
                ..self
            };
        }
        Machine {
            patience: Some(Patience {
                silence: Duration::MAX,
                whole: time,
            }),
            ..self
        }
    }

    /// A test or a benchmark: nobody is at the console, and what it asks for is typed (`@type`).
    #[must_use]
    pub fn unattended(engine: Engine) -> Machine {
        Machine {
            attended: Attended::ByNobody,
            types: true,
            raw: false,
            tables: None,
            kept: vec![],
            trace: None,
            live: None,
            on_reset: None,
            is_held: None,
            patience: Some(Patience::of_a_test(&engine)),
            engine,
        }
    }
}

/// Where the kernel keeps what each thread goes on with, and its processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    /// Where each begins.
    pub bases: Vec<u32>,
    /// Where in it the program counter is.
    pub counter: Counter,
    /// Where the stack of each lies in the machine's memory.
    pub stacks: Vec<Region>,
    /// Where each process lies.
    pub processes: Vec<Region>,
    /// Where the kernel ends the run, if it says.
    pub exit: Option<u32>,
}

/// A word of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// At an offset.
    At(u32),
    /// At an offset (the second) from what a word at an offset (the first) points to.
    Behind(u32, u32),
}

/// Something that the console said.
pub enum Said<'a> {
    /// A line, without its end.
    Line(&'a str),
    /// The beginning of a line whose end has not come yet. It does not come again.
    Unfinished(&'a str),
}

/// What the observer of the console wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The run goes on.
    Continue,
    /// The run ends here.
    Stop,
    /// The run ends here if the kernel holds the process with this index, as the machine's `is_held` knows. A simulator's
    /// memory is not seen before its end: it ends here in any case.
    StopIfHeld(usize),
}

/// What says whether the kernel holds a process, by what it reads of the board's memory.
pub type IsHeld = Arc<dyn Fn(usize, &mut Reading<'_>) -> bool + Send + Sync>;

/// Reads memory of the board.
pub type Reading<'a> = dyn FnMut(Region) -> Option<Vec<u8>> + 'a;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The application stopped the machine with this code.
    Exit(i32),
    /// The observer asked for it.
    Stopped,
    /// Somebody pressed Ctrl-C; where it stood, if that is known and of interest.
    Interrupted(Option<Standing>),
    /// It came to no end; where it stood, if that is known.
    Endless(Option<Standing>),
}

/// Where a board stood when it was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The program counter.
    pub counter: u32,
    /// The index of the process whose address space it was, if each has one.
    pub space: Option<usize>,
    /// The number of cycles after which it was stopped, if they were counted.
    pub cycles: Option<u64>,
}

/// What the kernel's tables hold on a board that stands still.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// What is known of each of the machine's threads.
    pub threads: Vec<Suspended>,
    /// What lies where the kernel keeps each process, if it could be read.
    pub processes: Vec<Option<Vec<u8>>>,
}

/// What is known of a thread that does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suspended {
    /// Where it was suspended last.
    pub counter: Option<u32>,
    /// Bytes at the end of its stack that are as they were at the start.
    pub unused: Option<u32>,
}

/// The index of the process that a value of `satp` belongs to: the kernel numbers address spaces
/// from 1.
#[must_use]
pub fn space(satp: u32) -> Option<usize> {
    let number = satp >> 22 & 0x1FF;
    (number as usize).checked_sub(1)
}

/// Runs the machine to its end.
///
/// # Errors
/// If the emulator is missing, cannot be started, or is ended by somebody else.
pub fn run(machine: &Machine, observe: impl FnMut(Said<'_>) -> Next) -> miette::Result<End> {
    run_to_see(machine, observe).map(|(end, _)| end)
}

/// What was seen of a board that has ended.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The kernel's tables; empty, if nobody wants to know or the board was gone before.
    pub tables: Contents,
    /// What was read of its trace.
    pub trace: Collected,
    /// What was to be kept of it, if all of that could be read.
    pub kept: Option<Kept>,
    /// How often it was reset, as far as an emulator says.
    pub resets: u32,
}

/// A board as it stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The processor's registers, as gdb orders them.
    pub registers: Vec<u32>,
    /// Its memory, by the machine's own addresses: pieces, each behind its first address.
    pub memory: Vec<(u32, Vec<u8>)>,
}

/// As [`run`]. Says what was seen of the board at its end.
///
/// # Errors
/// As [`run`].
pub fn run_to_see(
    machine: &Machine,
    mut observe: impl FnMut(Said<'_>) -> Next,
) -> miette::Result<(End, Seen)> {
    let inspector = Inspector::new(machine)?;
    let mut child = Owned(start(machine, &inspector)?);
    let process = &mut child.0.child;
    let output = process.stdout.take().expect("standard output is a pipe");
    let bytes = console::read(output);
    let errors = process.stderr.take().expect("standard error is a pipe");
    let complaints = Complaints::collect(errors, &machine.engine);
    let keys = Keys::new(process.stdin.take().expect("standard input is a pipe"));
    let _input = matches!(machine.attended, Attended::FromHere)
        .then(|| Input::hand_on(keys.clone(), machine.raw));
    let _listens = machine
        .attended
        .remote()
        .map(|it| it.joins(keys.clone(), &inspector.monitor));
    let following = inspector.follow(machine);
    let watch = Watch { machine };
    let mut told = false;
    let stopped = watch.stream(&bytes, &mut |said: Said<'_>| {
        let are_lost = machine.types && keys.asked_for(&said);
        let next = match observe(said) {
            Next::StopIfHeld(process) if !inspector.is_held(machine, process) => Next::Continue,
            Next::StopIfHeld(_) => Next::Stop,
            next => next,
        };
        if !are_lost || told || next == Next::Stop {
            return next;
        }
        told = true;
        observe(Said::Line(keys::LOST))
    });
    drop(following);
    // What it prints now is for nobody, and it is not to wait for that.
    drop(bytes);
    let looked = stopped.and_then(|_| inspector.stop(machine));
    let wants_to_know = match stopped {
        Some(End::Interrupted(_)) => machine.attended.by_somebody(),
        Some(End::Endless(_)) => true,
        Some(End::Stopped) => machine.is_kept(),
        Some(End::Exit(_)) | None => false,
    };
    let end = match (stopped, complaints) {
        (Some(end), _) if !wants_to_know && looked.is_none() => {
            let resets = inspector.resets();
            return Ok((
                end,
                Seen {
                    resets,
                    ..Seen::default()
                },
            ));
        }
        (Some(end), Complaints::Emulator(_)) => end.at(inspector.monitor.standing()),
        (Some(end), Complaints::Simulator(complaints)) => {
            // It says where it stands, and ends.
            child.0.signal(Signal::SIGINT);
            let patience = if machine.is_kept() { READING } else { A_MOMENT };
            let has_ended = child.ends_within(patience);
            end.at(has_ended.then(|| complaints.standing()).flatten())
        }
        (None, complaints) => {
            let code = child.exit_code()?;
            complaints.end(code)?
        }
    };
    Ok((end, inspector.see(machine, end, looked)))
}

/// What is said besides the console, by which it is known whose the exit code is.
enum Complaints {
    Emulator(emulator::Complaints),
    Simulator(simulator::Complaints),
}

impl Complaints {
    fn collect(errors: ChildStderr, engine: &Engine) -> Complaints {
        match engine {
            Engine::Emulator { command, .. } => {
                Complaints::Emulator(emulator::Complaints::collect(errors, &command[0]))
            }
            Engine::Simulator(_) => Complaints::Simulator(simulator::Complaints::collect(errors)),
        }
    }

    fn end(self, code: i32) -> miette::Result<End> {
        match self {
            Complaints::Emulator(it) => it.end(code),
            Complaints::Simulator(it) => it.end(code),
        }
    }
}

/// How long a board that has stopped may take to be read.
const READING: Duration = Duration::from_secs(60);

/// What was seen at a stop.
struct AtStop {
    tables: Contents,
    kept: Option<Kept>,
}

/// Looks at a board that has stopped.
struct Inspector {
    monitor: Monitor,
    /// For the end that an application makes of an emulator.
    at_exit: Option<AtExit<AtStop>>,
    /// For any end of a simulator.
    saved: Option<Saved>,
    trace: Option<Reader>,
    resets: Option<Resets>,
}

impl Inspector {
    fn new(machine: &Machine) -> miette::Result<Inspector> {
        let monitor = Monitor::new();
        let trace = machine.trace.map(Reader::new);
        let (mut at_exit, mut saved) = (None, None);
        match (&machine.engine, &machine.tables) {
            (Engine::Emulator { .. }, Some(tables)) => {
                let (look, always) = (monitor.look(tables, &machine.kept), machine.is_kept());
                let look = move |stub: &mut Stub| {
                    let registers = stub.registers();
                    let seen = look()?;
                    let kept = registers.zip(seen.memory);
                    Some(AtStop {
                        tables: seen.tables,
                        kept: kept.map(|(registers, memory)| Kept { registers, memory }),
                    })
                };
                let socket = monitor.beside("gdb");
                let watch = |exit| AtExit::new(socket, exit, always, trace.clone(), look);
                at_exit = tables.exit.map(watch).transpose()?;
            }
            (Engine::Simulator(_), Some(_)) => {
                saved = Some(Saved::at(|what| monitor.beside(what)));
            }
            (_, None) => {}
        }
        let is_emulated = matches!(machine.engine, Engine::Emulator { .. });
        let hear = || Resets::hear(monitor.beside("events"), machine.on_reset.clone());
        let resets = is_emulated.then(hear).transpose();
        let resets = resets.map_err(|why| miette!("cannot hear of resets: {why}"))?;
        Ok(Inspector {
            monitor,
            at_exit,
            saved,
            trace,
            resets,
        })
    }

    /// Whether the kernel holds a process, as far as can be seen while the board runs.
    fn is_held(&self, machine: &Machine, process: usize) -> bool {
        match (&machine.engine, &machine.is_held) {
            (Engine::Emulator { .. }, Some(is_held)) => {
                self.monitor.read(|read| is_held(process, read)) != Some(false)
            }
            _ => true,
        }
    }

    fn resets(&self) -> u32 {
        self.resets.as_ref().map_or(0, Resets::count)
    }

    /// Hands on events while they come, if somebody wants to know.
    fn follow(&self, machine: &Machine) -> Option<Following> {
        let (Engine::Emulator { .. }, Some(trace), Some(live)) =
            (&machine.engine, &self.trace, &machine.live)
        else {
            return None;
        };
        Some(self.monitor.follow(trace, live))
    }

    /// Stops a board that is to be kept, and looks at it.
    fn stop(&self, machine: &Machine) -> Option<AtStop> {
        let at_exit = self.at_exit.as_ref().filter(|_| machine.is_kept())?;
        // One that has come to its end meanwhile is looked at there.
        let _ = self.monitor.stop();
        at_exit.seen_within(READING)
    }

    /// What is known of a board that has ended so, and at which was `looked` if it was stopped to be kept.
    fn see(&self, machine: &Machine, end: End, looked: Option<AtStop>) -> Seen {
        if let Some(trace) = &self.trace {
            match (&self.saved, end) {
                (Some(saved), _) => saved.read_trace(trace),
                // It was read before.
                (None, End::Exit(_)) => Some(()),
                (None, _) => self.monitor.read_trace(trace),
            };
        }
        let trace = self.trace.as_ref().map(Reader::collected);
        let trace = trace.unwrap_or_default();
        let resets = self.resets();
        let at_exit = || match end {
            End::Exit(_) => self.at_exit.as_ref().and_then(AtExit::seen),
            _ => None,
        };
        match looked.or_else(at_exit) {
            Some(AtStop { tables, kept }) => Seen {
                tables,
                trace,
                kept,
                resets,
            },
            None => Seen {
                tables: self.tables(machine.tables.as_ref(), end),
                trace,
                kept: self.saved.as_ref().and_then(|it| it.keep(&machine.kept)),
                resets,
            },
        }
    }

    /// What the kernel's tables hold on a board that has ended so.
    fn tables(&self, tables: Option<&Tables>, end: End) -> Contents {
        let Some(tables) = tables else {
            return Contents::default();
        };
        let found = match (&self.saved, end) {
            (Some(saved), _) => saved.look(tables),
            // It was looked at before, or was gone.
            (None, End::Exit(_)) => None,
            (None, _) => self.monitor.look(tables, &[])().map(|it| it.tables),
        };
        found.unwrap_or_default()
    }
}

impl End {
    /// An end that somebody else has made, and where.
    fn at(self, standing: Option<Standing>) -> End {
        match self {
            End::Endless(_) => End::Endless(standing),
            End::Interrupted(_) => End::Interrupted(standing),
            other => other,
        }
    }
}

/// Runs `image` on `board` to its end, as a test: at the pace of a run, with nobody at the console.
///
/// # Errors
/// If the simulator does not build, or the emulator is missing or cannot be started.
pub fn run_unattended(
    root: &Path,
    board: &Board,
    image: &Path,
    observe: impl FnMut(Said<'_>) -> Next,
) -> miette::Result<End> {
    run_at(Pace::Run, root, board, image, observe)
}

/// As [`run_unattended`], at another pace.
///
/// # Errors
/// As [`run_unattended`].
pub fn run_at(
    pace: Pace,
    root: &Path,
    board: &Board,
    image: &Path,
    observe: impl FnMut(Said<'_>) -> Next,
) -> miette::Result<End> {
    let engine = Engine::new(root, board, image, pace)?;
    run(&Machine::unattended(engine), observe)
}

/// A child that does not outlive its owner.
pub(crate) struct Owned(pub(crate) Running);

impl Owned {
    fn exit_code(&mut self) -> miette::Result<i32> {
        let status = self
            .0
            .child
            .wait()
            .map_err(|error| miette!("lost the emulator: {error}"))?;
        status
            .code()
            .ok_or_else(|| miette!("the emulator was killed: {status}"))
    }

    fn ends_within(&mut self, patience: Duration) -> bool {
        let begun = Instant::now();
        while matches!(self.0.child.try_wait(), Ok(None)) {
            if begun.elapsed() > patience {
                return false;
            }
            std::thread::sleep(POLL);
        }
        true
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.0.child.kill();
        let _ = self.0.child.wait();
    }
}

fn start(machine: &Machine, inspector: &Inspector) -> miette::Result<Running> {
    let (program, arguments) = machine
        .engine
        .command()
        .split_first()
        .ok_or_else(|| miette!("the board has no run command"))?;
    let mut command = Command::new(program);
    if let Engine::Emulator {
        instructions: true, ..
    } = &machine.engine
    {
        command.args(one_at_a_time(program));
    }
    command.args(arguments);
    match &machine.engine {
        Engine::Emulator {
            log, instructions, ..
        } => {
            command.args(inspector.monitor.arguments());
            if let Some(resets) = &inspector.resets {
                command.args(resets.arguments());
            }
            if let Some(at_exit) = &inspector.at_exit {
                command.args(at_exit.arguments());
            }
            if let Some(log) = log {
                let mut items = "int,guest_errors,unimp".to_owned();
                if *instructions {
                    items += ",exec,nochain";
                }
                command.args(["-d", &items, "-D"]).arg(log);
            }
        }
        Engine::Simulator(_) => {
            if let Some(saved) = &inspector.saved {
                command.args(saved.arguments());
            }
        }
    }
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Running::start(&mut command, Ends::ByOwner).map_err(|error| {
        miette!(
            help = "`./riposte doctor` says what is missing and how to get it",
            "{program} does not run: {error}"
        )
    })
}

struct Watch<'a> {
    machine: &'a Machine,
}

impl Watch<'_> {
    /// Hands on what the console says until it closes (`None`) or the run is to end.
    fn stream(
        &self,
        bytes: &Receiver<Vec<u8>>,
        observe: &mut impl FnMut(Said<'_>) -> Next,
    ) -> Option<End> {
        let mut lines = Lines::default();
        let begun = Instant::now();
        let mut heard = begun;
        loop {
            match bytes.recv_timeout(POLL) {
                Ok(chunk) => {
                    heard = Instant::now();
                    if lines.push(&chunk, observe) == Next::Stop {
                        return Some(End::Stopped);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    if self.machine.attended.by_somebody() {
                        lines.show_unfinished(observe);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    lines.finish(observe);
                    return interrupt::asked().then_some(End::Interrupted(None));
                }
            }
            if interrupt::asked() {
                return Some(End::Interrupted(None));
            }
            if self
                .machine
                .attended
                .remote()
                .is_some_and(Remote::is_to_stop)
            {
                return Some(End::Stopped);
            }
            if self.is_lost(begun, heard) {
                lines.finish(observe);
                return Some(End::Endless(None));
            }
        }
    }

    fn is_lost(&self, begun: Instant, heard: Instant) -> bool {
        let patience = self.machine.patience;
        patience.is_some_and(|patience| patience.is_over(begun, heard))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Patience = Patience::OF_A_PERSON;

    fn shell(script: &str, patience: Patience) -> Machine {
        // The monitor's arguments become the script's, which ignores them.
        let command = ["sh", "-c", script].map(str::to_owned).to_vec();
        Machine {
            engine: Engine::Emulator {
                command,
                log: None,
                instructions: false,
            },
            attended: Attended::ByNobody,
            types: true,
            raw: false,
            tables: None,
            kept: vec![],
            trace: None,
            live: None,
            on_reset: None,
            is_held: None,
            patience: Some(patience),
        }
    }

    #[test]
    fn lines_are_streamed_and_the_exit_code_is_the_boards() {
        let mut lines = Vec::new();
        let end = run(&shell("echo one; printf two; exit 7", LONG), |said| {
            if let Said::Line(line) = said {
                lines.push(line.to_owned());
            }
            Next::Continue
        });
        assert_eq!(end.unwrap(), End::Exit(7));
        assert_eq!(lines, ["one", "two"]);
    }

    #[test]
    fn what_an_emulator_says_of_its_end_is_no_end_of_the_application() {
        let signal = "sh: terminating on signal 15 from pid 1 (init)";
        let wrong = "sh: -M mps2: unsupported machine type";
        for (said, code) in [(signal, 0), (wrong, 1)] {
            let script = format!("echo one; echo '{said}' >&2; exit {code}");
            let error = run(&shell(&script, LONG), |_| Next::Continue).unwrap_err();
            assert_eq!(error.to_string(), said);
        }
    }

    #[test]
    fn an_application_may_end_with_any_code_whatever_else_an_emulator_says() {
        for code in [0, 1, 7] {
            for said in ["sh: warning: no peer", "something else", ""] {
                let script = format!("echo '{said}' >&2; exit {code}");
                let end = run(&shell(&script, LONG), |_| Next::Continue);
                assert_eq!(end.unwrap(), End::Exit(code), "{said}");
            }
        }
    }

    #[test]
    fn an_observer_ends_the_run() {
        let end = run(&shell("echo stop; exec sleep 60", LONG), |_| Next::Stop);
        assert_eq!(end.unwrap(), End::Stopped);
    }

    #[test]
    fn a_board_that_says_nothing_or_never_ends_is_stopped() {
        let (short, long) = (Duration::from_millis(200), Duration::from_secs(60));
        let patience = |silence, whole| Patience { silence, whole };
        for (script, patience) in [
            ("exec sleep 60", patience(short, long)),
            ("while sleep 0.05; do echo on; done", patience(long, short)),
        ] {
            let end = run(&shell(script, patience), |_| Next::Continue);
            assert_eq!(end.unwrap(), End::Endless(None));
        }
    }

    #[test]
    fn of_a_board_that_asks_for_keys_for_ever_and_takes_none_it_is_told_once_and_nobody_waits() {
        let script = "while :; do echo '@type something'; done";
        let (say, ended) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let (mut told, mut behind) = (0, 0);
            let end = run(&shell(script, LONG), |said| {
                told += u32::from(matches!(said, Said::Line(keys::LOST)));
                behind += u32::from(told > 0);
                // More than a pipe takes, and more than are kept before it.
                if behind < 20_000 {
                    Next::Continue
                } else {
                    Next::Stop
                }
            });
            let _ = say.send((end.unwrap(), told));
        });
        // Who waits for the board waits for ever.
        let ended = ended.recv_timeout(Duration::from_secs(300));
        assert_eq!(ended, Ok((End::Stopped, 1)));
    }

    #[test]
    fn who_types_to_a_board_that_takes_no_keys_does_not_wait_for_it() {
        let remote = Remote::default();
        let machine = Machine {
            attended: Attended::By(remote.clone()),
            ..shell("echo on; exec sleep 60", LONG)
        };
        let begun = Instant::now();
        let end = run(&machine, |_| {
            assert!((0..100_000).any(|_| !remote.press(b"a line\r")));
            Next::Stop
        });
        assert_eq!(end.unwrap(), End::Stopped);
        assert!(begun.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_board_gets_the_keys_that_it_asks_for_in_order() {
        let script = r"for i in 1 2 3; do printf '%s\n' '@type '$i'\n'; done; head -n 3";
        let mut lines = Vec::new();
        let end = run(&shell(script, LONG), |said| {
            if let Said::Line(line) = said {
                lines.push(line.to_owned());
            }
            Next::Continue
        });
        assert_eq!(end.unwrap(), End::Exit(0));
        assert_eq!(lines[3..], ["1", "2", "3"]);
    }

    #[test]
    fn of_a_board_without_end_the_last_words_are_told_that_are_no_line() {
        let patience = Patience {
            silence: Duration::from_millis(200),
            whole: Duration::from_secs(60),
        };
        // It has said this before anybody's patience begins, and is there still.
        let (say, bytes) = std::sync::mpsc::channel();
        say.send(b"one\ntwo".to_vec()).unwrap();
        let mut lines = Vec::new();
        let machine = shell("", patience);
        let watch = Watch { machine: &machine };
        let end = watch.stream(&bytes, &mut |said| {
            if let Said::Line(line) = said {
                lines.push(line.to_owned());
            }
            Next::Continue
        });
        assert_eq!(end, Some(End::Endless(None)));
        assert_eq!(lines, ["one", "two"]);
    }

    #[test]
    fn a_missing_emulator_is_named() {
        let machine = Machine {
            engine: Engine::Emulator {
                command: vec!["no-such-qemu".into()],
                log: None,
                instructions: false,
            },
            ..shell("", LONG)
        };
        let error = run(&machine, |_| Next::Continue).unwrap_err();
        assert!(error.to_string().contains("no-such-qemu"), "{error}");
    }

    fn simulated(script: &str) -> miette::Result<End> {
        let machine = Machine {
            engine: Engine::Simulator(["sh", "-c", script].map(str::to_owned).to_vec()),
            ..shell("", LONG)
        };
        run(&machine, |_| Next::Continue)
    }

    #[test]
    fn a_simulation_without_end_says_where_it_stood() {
        let end = simulated(
            "echo 'riposte-ibex: stopped after 5000 cycles (--max-cycles) at pc 0x80010004 \
             (spin+0x4), user mode, satp 0x80880406' >&2; exit 124",
        );
        let standing = Standing {
            counter: 0x8001_0004,
            space: Some(1),
            cycles: Some(5000),
        };
        assert_eq!(end.unwrap(), End::Endless(Some(standing)));
    }

    #[test]
    fn a_program_may_end_with_any_code_on_a_simulator() {
        for code in [0, 64, 124] {
            assert_eq!(simulated(&format!("exit {code}")).unwrap(), End::Exit(code));
        }
    }

    #[test]
    fn what_the_simulator_refuses_is_told_in_its_words() {
        let error = simulated("echo 'riposte-ibex: the program does not fit' >&2; exit 64");
        let text = error.unwrap_err().to_string();
        assert_eq!(text, "riposte-ibex: the program does not fit");
    }
}
