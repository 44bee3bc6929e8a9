//! `./riposte debug`: gdb with the kernel's threads.

mod emulator;
mod proxy;
mod system;

use std::io::{self, BufReader, ErrorKind};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use miette::{IntoDiagnostic, WrapErr, miette};

use crate::board::Board;
use crate::build::Image;
use crate::card::Card;
use crate::child::{Ends, Running};
use crate::cli;
use crate::interrupt;
use crate::lab::Lab;
use crate::machine::{self, Pace};
use crate::rsp::{self, Packet, Socket};
use emulator::Emulator;
use proxy::{Proxy, Then};
use system::System;

/// The debugger, and the package that it comes in.
pub(crate) const DEBUGGER: &str = "gdb-multiarch";
/// What a server says when a debugger may come.
pub(crate) const WAITING: &str = "waiting for a debugger";
/// What a debugger is told before it comes: the programs are here and not on the board, and run together.
pub(crate) const SETTINGS: [&str; 5] = [
    "set sysroot /",
    "set schedule-multiple on",
    "set print thread-events off",
    "set print inferior-events off",
    "set confirm off",
];
/// What it reads first.
const SCRIPT: &str = "debug.gdb";
/// How often it is looked whether one has come.
const POLL: Duration = Duration::from_millis(20);

/// Something that one of the two sides said.
#[derive(Debug)]
pub enum Event {
    /// The debugger's request.
    Debugger(Vec<u8>),
    /// The debugger wants the board to stop.
    Break,
    /// There is no debugger any more.
    DebuggerGone,
    /// The emulator's answer.
    Emulator(Vec<u8>),
    /// There is no emulator any more.
    EmulatorGone,
}

/// Debugs the application, or only serves a debugger; the result is an exit code.
///
/// # Errors
/// If it does not build, the board cannot be debugged, or the debugger is missing.
pub fn debug(lab: &Lab, asked: &cli::Debug) -> miette::Result<i32> {
    let application = lab.application(&asked.application.app)?;
    let board = lab.board_for(&application, asked.application.board.as_deref())?;
    if board.simulator().is_some() {
        return Err(miette!(
            help = "choose a board of QEMU's with --board: `./riposte boards` names them",
            "{} is a simulator, which has no debugger's stub",
            board.name
        ));
    }
    if asked.server.is_none() {
        check_debugger()?;
    }
    let image = lab.build(&application, board)?;
    let card = Card::of(&application, board, &image, asked.card.as_deref())?;
    let system = System::new(&image, board).ok_or_else(|| {
        miette!(
            "the kernel of {} has no debug information",
            application.name
        )
    })?;
    let listener = TcpListener::bind(("127.0.0.1", asked.server.unwrap_or(0)))
        .into_diagnostic()
        .wrap_err("no port can be served")?;
    listener.set_nonblocking(true).into_diagnostic()?;
    let accept = || Ok(listener.accept()?.0);
    let port = listener.local_addr().into_diagnostic()?.port();
    let script = script(&image, port)?;
    let mut session = Session::begin(lab, board, &image, card.as_ref())?;
    session.start(&system)?;
    match asked.server {
        Some(_) => {
            println!("{WAITING}: {DEBUGGER} -x {}", script.display());
            loop {
                let stream = accepted(accept, interrupt::check)?;
                if matches!(session.serve(&system, stream)?, Then::Ends) {
                    return Ok(0);
                }
            }
        }
        None => {
            interrupt::leave_to_others();
            let mut debugger = debugger(&script, &asked.arguments)?;
            let stream = accepted(accept, || match debugger.try_wait() {
                Ok(Some(status)) => Err(miette!(
                    "{DEBUGGER} ended before it came to the board: {status}"
                )),
                _ => Ok(()),
            })?;
            let served = session.serve(&system, stream);
            let status = debugger.wait().into_diagnostic()?;
            served?;
            Ok(status.code().unwrap_or(1))
        }
    }
}

/// Waits until somebody comes; no longer than `goes_on` sees no reason to give up.
fn accepted<S>(
    mut accept: impl FnMut() -> io::Result<S>,
    mut goes_on: impl FnMut() -> miette::Result<()>,
) -> miette::Result<S> {
    loop {
        match accept() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => goes_on()?,
            other => return other.into_diagnostic(),
        }
        std::thread::sleep(POLL);
    }
}

fn check_debugger() -> miette::Result<()> {
    let found = Command::new(DEBUGGER)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    found.map(drop).map_err(|_| no_debugger())
}

fn no_debugger() -> miette::Report {
    let path = std::env::var("PATH").unwrap_or_default();
    miette!(
        help = "install the package that has it (Debian, Ubuntu: apt-get install gdb-multiarch), or use another debugger \
                with --server PORT",
        "there is no `{DEBUGGER}` in {path}"
    )
}

fn debugger(script: &Path, arguments: &[String]) -> miette::Result<Child> {
    Command::new(DEBUGGER)
        .args(["-q", "-x"])
        .arg(script)
        .args(arguments)
        .spawn()
        .map_err(|_| no_debugger())
}

/// Writes what a debugger needs to be told.
fn script(image: &Image, port: u16) -> miette::Result<PathBuf> {
    let file = image.place(SCRIPT);
    let text = format!(
        "{}\n\
         file {}\n\
         target extended-remote 127.0.0.1:{port}\n",
        SETTINGS.join("\n"),
        image.kernel.file.display()
    );
    std::fs::write(&file, text)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write {}", file.display()))?;
    Ok(file)
}

/// A board that is debugged.
struct Session {
    emulator: Emulator,
    events: Sender<Event>,
    _running: machine::Owned,
    _socket: Socket,
}

impl Session {
    fn begin(
        lab: &Lab,
        board: &Board,
        image: &Image,
        card: Option<&Card>,
    ) -> miette::Result<Session> {
        let file = std::env::temp_dir().join(format!("riposte-{}.debug", std::process::id()));
        let (socket, listener) = Socket::bind(file)?;
        let engine = machine::Engine::new(&lab.root, board, &image.file, Pace::Person)?;
        let engine = engine.with_devices(card.into_iter().flat_map(Card::arguments));
        let (program, arguments) = engine.command().split_first().expect("a program");
        let mut command = Command::new(program);
        command
            .args(arguments)
            .args(socket.arguments())
            .stdin(Stdio::null());
        let running = Running::start(&mut command, Ends::WhenAsked).map_err(|error| {
            miette!(
                help = "`./riposte doctor` says what is missing and how to get it",
                "{program} does not run: {error}"
            )
        })?;
        let mut running = machine::Owned(running);
        listener.set_nonblocking(true).into_diagnostic()?;
        let (stream, _) = accepted(
            || listener.accept(),
            || match running.0.child.try_wait() {
                Ok(Some(status)) => {
                    Err(miette!("{program} ended before the board began: {status}"))
                }
                _ => interrupt::check(),
            },
        )?;
        stream.set_nonblocking(false).into_diagnostic()?;
        let (events, received) = channel();
        forward(stream.try_clone().into_diagnostic()?, events.clone());
        Ok(Session {
            emulator: Emulator::new(stream, received)?,
            events,
            _running: running,
            _socket: socket,
        })
    }

    /// Lets the board go on to where the first process begins: before, there are no threads.
    fn start(&mut self, system: &System<'_>) -> miette::Result<()> {
        let entries: std::collections::BTreeSet<u32> = system.entries().collect();
        for entry in &entries {
            self.emulator.order(&format!("Z0,{entry:x},2"))?;
        }
        if self.emulator.ask(b"c")?.first() != Some(&b'T') {
            return Err(miette!("the board has ended before a process began"));
        }
        for entry in &entries {
            self.emulator.order(&format!("z0,{entry:x},2"))?;
        }
        Ok(())
    }

    fn serve(&mut self, system: &System<'_>, stream: TcpStream) -> miette::Result<Then> {
        stream.set_nonblocking(false).into_diagnostic()?;
        // Small packets go there and back.
        stream.set_nodelay(true).into_diagnostic()?;
        let events = self.events.clone();
        let mut reader = stream.try_clone().into_diagnostic()?;
        let reader = std::thread::spawn(move || {
            loop {
                let event = match rsp::read(&mut reader) {
                    Ok(Packet::Said(said)) if rsp::acknowledge(&mut reader).is_ok() => {
                        Event::Debugger(said)
                    }
                    Ok(Packet::Break) => Event::Break,
                    _ => break,
                };
                if events.send(event).is_err() {
                    return;
                }
            }
            let _ = events.send(Event::DebuggerGone);
        });
        let closing = stream.try_clone().into_diagnostic()?;
        let mut proxy = Proxy::new(system, &mut self.emulator, stream)?;
        let then = proxy.serve()?;
        if matches!(then, Then::Leaves) {
            proxy.clear()?;
            // The next debugger is not to be taken for this one: an error means that it has closed already.
            let _ = closing.shutdown(Shutdown::Both);
            let _ = reader.join();
            self.emulator.forget();
        }
        Ok(then)
    }
}

/// Hands on what the emulator says.
fn forward(stream: UnixStream, events: Sender<Event>) {
    std::thread::spawn(move || {
        let mut reader = BufReader::new(&stream);
        while let Ok(packet) = rsp::read(&mut reader) {
            let Packet::Said(said) = packet else { continue };
            if rsp::acknowledge(&mut &stream).is_err()
                || events.send(Event::Emulator(said)).is_err()
            {
                break;
            }
        }
        let _ = events.send(Event::EmulatorGone);
    });
}
